// select_and_scatter: dimensions whose window is one element are parallel. A
// sharded window dimension fetches by interval exchange; one with padding must
// be whole.

#include "Families.h"
#include "ReductionKind.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "WindowFetch.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;

/// A device's block of the result gets what the windows that touch it scatter:
/// those sources and the elements that they choose from are fetched by interval
/// exchange, and all is computed once more at the border.
struct SelectAndScatterModel
    : OpModel<SelectAndScatterModel, stablehlo::SelectAndScatterOp> {
  static constexpr StringLiteral family = "Window";

  static bool isParallel(stablehlo::SelectAndScatterOp op, int64_t dim) {
    return getWindowEntry(op.getWindowDimensions(), dim) == 1 &&
           getWindowEntry(op.getWindowStrides(), dim) == 1 &&
           getWindowPadding(op.getPadding(), dim) ==
               std::pair<int64_t, int64_t>(0, 0);
  }

  /// Windows that hang over the border choose among the elements inside alone,
  /// which no local op on a padded block does; and what is no source must
  /// scatter nothing.
  static bool isFetchable(stablehlo::SelectAndScatterOp op, int64_t dim) {
    return getWindowPadding(op.getPadding(), dim) ==
               std::pair<int64_t, int64_t>(0, 0) &&
           matchReductionKind(op.getScatter()).has_value();
  }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::SelectAndScatterOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> sourceShape = shapeOf(op.getSource());
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getResult()))) {
      int64_t dim = index;
      if (isParallel(op, dim)) {
        rule.addEverywhere(dim, size);
        continue;
      }
      if (isFetchable(op, dim)) {
        rule.addEverywhere(dim, size, FactorKind::Halo);
        continue;
      }
      rule.add(sourceShape[dim], {kNone, dim, kNone}, kNone,
               FactorKind::Replicated)
          .whole();
      rule.add(size, {dim, kNone, kNone}, dim, FactorKind::Halo).whole();
    }
    return rule.pad(0, spmd::PadTolerance::None)
        .pad(1, spmd::PadTolerance::None)
        .build();
  }

  /// What one sharded dimension fetches. Device i needs `count` sources from
  /// firstSource + i * sourceStep, and the elements of their windows.
  struct Fetch {
    int64_t dim, firstSource, sourceStep, count, firstElement, elements, offset;
  };

  /// None if blocks do not begin at windows, so that no affine interval fits.
  static std::optional<Fetch> planFetch(stablehlo::SelectAndScatterOp op,
                                        int64_t dim, int64_t block) {
    int64_t window = getWindowEntry(op.getWindowDimensions(), dim);
    int64_t stride = getWindowEntry(op.getWindowStrides(), dim);
    if (block == 0 || block % stride != 0)
      return std::nullopt;
    // The first window that ends in the block or after its begin, and the last
    // one that begins before its end.
    int64_t first = -((window - 1) / stride);
    int64_t last = (block - 1) / stride;
    int64_t count = last - first + 1;
    int64_t elements = (count - 1) * stride + window;
    // Elements past the last window are in none.
    int64_t missing = block - first * stride - elements;
    if (missing > 0) {
      int64_t more = (missing + stride - 1) / stride;
      count += more;
      elements += more * stride;
    }
    return Fetch{
        dim,      first,          block / stride, count, first * stride,
        elements, -first * stride};
  }

  static LogicalResult partitionOp(stablehlo::SelectAndScatterOp op,
                                   PartitionBuilder &builder) {
    Value result = op.getResult();
    auto localType = cast<RankedTensorType>(builder.getLocalType(result));
    SmallVector<Fetch> fetches;
    SmallVector<int64_t> stuck;
    for (int64_t dim = 0, rank = localType.getRank(); dim < rank; ++dim) {
      if (isParallel(op, dim) || builder.getShardCount(result, dim) == 1)
        continue;
      if (auto fetch = planFetch(op, dim, localType.getDimSize(dim)))
        fetches.push_back(*fetch);
      else
        stuck.push_back(dim);
    }
    if (!stuck.empty())
      return partitionWhole(op, builder);
    if (fetches.empty())
      return builder.partitionByRule();
    return partitionFetched(op, builder, fetches);
  }

  static LogicalResult partitionFetched(stablehlo::SelectAndScatterOp op,
                                        PartitionBuilder &builder,
                                        ArrayRef<Fetch> fetches) {
    OpBuilder &b = builder.builder();
    Value result = op.getResult();
    spmd::ShardingAttr sharding = builder.getSharding(result);
    auto localType = cast<RankedTensorType>(builder.getLocalType(result));
    auto fetch = [&](Value value, bool isSource) {
      SmallVector<spmd::IntervalAttr> intervals;
      auto type = cast<RankedTensorType>(builder.getLocalType(value));
      for (int64_t size : type.getShape())
        intervals.push_back(
            spmd::IntervalAttr::get(b.getContext(), 0, size, size));
      for (const Fetch &plan : fetches)
        intervals[plan.dim] = spmd::IntervalAttr::get(
            b.getContext(), isSource ? plan.firstSource : plan.firstElement,
            isSource ? plan.sourceStep : localType.getDimSize(plan.dim),
            isSource ? plan.count : plan.elements);
      return builder.exchange(builder.get(value), sharding, intervals);
    };
    Value elements = fetch(op.getOperand(), false);
    Value sources =
        maskSources(op, builder, fetch(op.getSource(), true), fetches);
    Operation *local =
        builder.cloneLocal({elements, sources, builder.any(op.getInitValue())});
    local->getResult(0).setType(elements.getType());
    int64_t rank = localType.getRank();
    SmallVector<int64_t> starts(rank, 0), strides(rank, 1);
    SmallVector<int64_t> limits(localType.getShape());
    for (const Fetch &plan : fetches) {
      starts[plan.dim] = plan.offset;
      limits[plan.dim] += plan.offset;
    }
    builder.bind(result, stablehlo::SliceOp::create(b, op.getLoc(), localType,
                                                    local->getResult(0), starts,
                                                    limits, strides));
    return success();
  }

  /// The neutral element where the fetched sources are none.
  static Value maskSources(stablehlo::SelectAndScatterOp op,
                           PartitionBuilder &builder, Value sources,
                           ArrayRef<Fetch> fetches) {
    OpBuilder &b = builder.builder();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(sources.getType());
    Value fill =
        builder.splat(builder.neutral(type.getElementType(),
                                      *matchReductionKind(op.getScatter())),
                      type);
    for (const Fetch &plan : fetches) {
      Type i32 = b.getI32Type();
      Value first = stablehlo::MulOp::create(
          b, loc,
          builder.blockIndex(builder.getSharding(op.getResult()), plan.dim),
          builder.scalarInt(i32, plan.sourceStep));
      first = stablehlo::AddOp::create(
          b, loc, first, builder.scalarInt(i32, plan.firstSource));
      Value position = builder.iota(type.getShape(), plan.dim, first);
      auto indexType = cast<RankedTensorType>(position.getType());
      auto compare = [&](int64_t bound,
                         stablehlo::ComparisonDirection direction) -> Value {
        return stablehlo::CompareOp::create(
            b, loc, indexType.clone(b.getI1Type()), position,
            builder.splat(builder.scalarInt(i32, bound), indexType),
            stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction),
            stablehlo::ComparisonTypeAttr());
      };
      Value inside = stablehlo::AndOp::create(
          b, loc, compare(0, stablehlo::ComparisonDirection::GE),
          compare(shapeOf(op.getSource())[plan.dim],
                  stablehlo::ComparisonDirection::LT));
      sources =
          stablehlo::SelectOp::create(b, loc, type, inside, sources, fill);
    }
    return sources;
  }

  /// Everything whole, and the device's block of it.
  static LogicalResult partitionWhole(stablehlo::SelectAndScatterOp op,
                                      PartitionBuilder &builder) {
    remarkWhole(builder, op.getOperand().getType(),
                "because its blocks do not begin at windows");
    SmallVector<int64_t> dims;
    for (int64_t dim = 0, rank = shapeOf(op.getResult()).size(); dim < rank;
         ++dim)
      if (!isParallel(op, dim))
        dims.push_back(dim);
    SmallVector<Value> operands;
    for (Value value : {Value(op.getOperand()), Value(op.getSource())}) {
      const ShardedValue held = builder.get(value);
      FailureOr<ShardedValue> gathered =
          builder.reshard(held, withWholeDims(held.sharding, dims));
      if (failed(gathered))
        return failure();
      operands.push_back(gathered->local);
    }
    Type wholeType = operands.front().getType();
    operands.push_back(builder.any(op.getInitValue()));
    Operation *local = builder.cloneLocal(operands);
    local->getResult(0).setType(wholeType);
    spmd::ShardingAttr sharding = builder.getSharding(op.getResult());
    ShardedValue value{local->getResult(0), withWholeDims(sharding, dims),
                       cast<RankedTensorType>(op.getResult().getType()),
                       std::nullopt};
    FailureOr<ShardedValue> moved = builder.reshard(value, sharding);
    if (failed(moved))
      return failure();
    builder.bind(op.getResult(), moved->local);
    return success();
  }
};

} // namespace

void attachSelectAndScatterModels(MLIRContext &context) {
  stablehlo::SelectAndScatterOp::attachInterface<SelectAndScatterModel>(
      context);
}

} // namespace partita
