// reduce_window and select_and_scatter. Dimensions whose window is one element
// are parallel. A sharded window dimension of reduce_window fetches by interval
// exchange what its windows read; what lies outside the operand becomes the init.
// select_and_scatter needs its window dimensions whole.

#include "Families.h"
#include "RuleBuilder.h"
#include "ScalarIndex.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;

int64_t entry(std::optional<ArrayRef<int64_t>> list, int64_t dim) {
  return list && !list->empty() ? (*list)[dim] : 1;
}

std::pair<int64_t, int64_t> paddingOf(std::optional<DenseIntElementsAttr> padding,
                                      int64_t dim) {
  if (!padding)
    return {0, 0};
  auto values = padding->getValues<int64_t>();
  return {values[2 * dim], values[2 * dim + 1]};
}

struct ReduceWindowModel
    : OpModel<ReduceWindowModel, stablehlo::ReduceWindowOp> {
  static constexpr StringLiteral family = "Window";

  static bool isParallel(stablehlo::ReduceWindowOp op, int64_t dim) {
    return op.getWindowDimensions()[dim] == 1 &&
           entry(op.getWindowStrides(), dim) == 1 &&
           entry(op.getBaseDilations(), dim) == 1 &&
           paddingOf(op.getPadding(), dim) == std::pair<int64_t, int64_t>(0, 0);
  }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::ReduceWindowOp op) {
    RuleBuilder rule(op);
    double windowSize = 1;
    for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult(0)))) {
      bool isDilated = entry(op.getBaseDilations(), dim) != 1;
      rule.addEverywhere(dim, size,
                         isParallel(op, dim) ? FactorKind::Parallel
                                             : FactorKind::Halo);
      if (isDilated)
        rule.whole();
      windowSize *= op.getWindowDimensions()[dim];
    }
    for (size_t i = 0; i < op.getInputs().size(); ++i)
      rule.pad(i, spmd::PadTolerance::None);
    return rule.flops(windowSize).build();
  }

  static LogicalResult partitionOp(stablehlo::ReduceWindowOp op,
                                   PartitionBuilder &builder) {
    Value result = op.getResult(0);
    SmallVector<int64_t> exchanged;
    for (int64_t dim = 0, rank = shapeOf(result).size(); dim < rank; ++dim)
      if (!isParallel(op, dim) && builder.getShardCount(result, dim) > 1)
        exchanged.push_back(dim);
    if (exchanged.empty())
      return builder.partitionByRule();

    SmallVector<Value> operands;
    for (auto [input, init] :
         llvm::zip_equal(op.getInputs(), op.getInitValues()))
      operands.push_back(fetchWindows(op, builder, input, init, exchanged));
    for (Value init : op.getInitValues())
      operands.push_back(builder.any(init));
    auto local = cast<stablehlo::ReduceWindowOp>(builder.cloneLocal(operands));
    SmallVector<int64_t> padding;
    for (int64_t dim = 0, rank = shapeOf(result).size(); dim < rank; ++dim) {
      auto [low, high] = paddingOf(op.getPadding(), dim);
      bool isExchanged = llvm::is_contained(exchanged, dim);
      padding.push_back(isExchanged ? 0 : low);
      padding.push_back(isExchanged ? 0 : high);
    }
    OpBuilder &b = builder.builder();
    auto paddingType = RankedTensorType::get(
        {static_cast<int64_t>(padding.size()) / 2, 2}, b.getI64Type());
    local.setPaddingAttr(DenseIntElementsAttr::get(paddingType, padding));
    for (auto [original, value] :
         llvm::zip_equal(op->getResults(), local->getResults()))
      builder.bind(original, value);
    return success();
  }

  /// What the windows of the device's block of the result read of `input`.
  static Value fetchWindows(stablehlo::ReduceWindowOp op,
                            PartitionBuilder &builder, Value input, Value init,
                            ArrayRef<int64_t> exchanged) {
    OpBuilder &b = builder.builder();
    Value result = op.getResult(0);
    auto inputType = cast<RankedTensorType>(builder.getLocalType(input));
    auto resultType = cast<RankedTensorType>(builder.getLocalType(result));
    SmallVector<spmd::IntervalAttr> intervals;
    for (auto [index, size] : llvm::enumerate(inputType.getShape())) {
      int64_t dim = index;
      if (!llvm::is_contained(exchanged, dim)) {
        intervals.push_back(
            spmd::IntervalAttr::get(b.getContext(), 0, size, size));
        continue;
      }
      int64_t block = resultType.getDimSize(dim);
      int64_t stride = entry(op.getWindowStrides(), dim);
      int64_t extent = (op.getWindowDimensions()[dim] - 1) *
                           entry(op.getWindowDilations(), dim) +
                       1;
      intervals.push_back(spmd::IntervalAttr::get(
          b.getContext(), -paddingOf(op.getPadding(), dim).first, block * stride,
          (block - 1) * stride + extent));
    }
    Value fetched = builder.exchange(builder.get(input),
                                     builder.getSharding(result), intervals);
    auto type = cast<RankedTensorType>(fetched.getType());
    Value inside;
    for (int64_t dim : exchanged) {
      Value first = stablehlo::MulOp::create(
          b, op.getLoc(), builder.blockIndex(builder.getSharding(result), dim),
          builder.scalarInt(b.getI32Type(), intervals[dim].getStep()));
      first = stablehlo::AddOp::create(
          b, op.getLoc(), first,
          builder.scalarInt(b.getI32Type(), intervals[dim].getBase()));
      Value within =
          withinBounds(builder, builder.iota(type.getShape(), dim, first),
                       shapeOf(input)[dim]);
      inside = inside ? stablehlo::AndOp::create(b, op.getLoc(), inside, within)
                      : within;
    }
    return stablehlo::SelectOp::create(b, op.getLoc(), type, inside, fetched,
                                       builder.splat(builder.any(init), type));
  }
};

struct SelectAndScatterModel
    : OpModel<SelectAndScatterModel, stablehlo::SelectAndScatterOp> {
  static constexpr StringLiteral family = "Window";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::SelectAndScatterOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> sourceShape = shapeOf(op.getSource());
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getResult()))) {
      int64_t dim = index;
      bool isParallel =
          entry(op.getWindowDimensions(), dim) == 1 &&
          entry(op.getWindowStrides(), dim) == 1 &&
          paddingOf(op.getPadding(), dim) == std::pair<int64_t, int64_t>(0, 0);
      if (isParallel) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.add(sourceShape[dim], {kNone, dim, kNone}, kNone,
               FactorKind::Replicated)
          .whole();
      rule.add(size, {dim, kNone, kNone}, dim, FactorKind::Halo).whole();
    }
    return rule.build();
  }
};

} // namespace

void attachWindowModels(MLIRContext &context) {
  stablehlo::ReduceWindowOp::attachInterface<ReduceWindowModel>(context);
  stablehlo::SelectAndScatterOp::attachInterface<SelectAndScatterModel>(context);
}

} // namespace partita
