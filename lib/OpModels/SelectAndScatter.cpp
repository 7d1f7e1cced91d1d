// select_and_scatter: dimensions whose window is one element are parallel. A
// sharded window dimension fetches by interval exchange; one with padding must
// be whole.

#include "Families.h"
#include "HaloFetch.h"
#include "ReductionKind.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"
#include "partita/Sharding/IntervalFetch.h"
#include "partita/Support/MathExtras.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;
using spmd::IntervalAttr;

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
        addReads(op, rule, dim);
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

  /// Of the sources, those whose windows touch the block, and one more where
  /// elements past the last window are in none; of the elements, those of these
  /// windows. Blocks must begin at windows.
  static void addReads(stablehlo::SelectAndScatterOp op, RuleBuilder &rule,
                       int64_t dim) {
    int64_t window = getWindowEntry(op.getWindowDimensions(), dim);
    int64_t stride = getWindowEntry(op.getWindowStrides(), dim);
    int64_t gap = std::max<int64_t>(stride - window, 0);
    unsigned place = dim;
    spmd::HaloRead source{.operand = 1,
                          .dim = place,
                          .readerDim = place,
                          .first = stride - window,
                          .last = gap > 0 ? stride : 0,
                          .period = stride,
                          .blockUnit = stride};
    int64_t firstSource = floorDiv(source.first, stride);
    int64_t lastElement = window - stride + source.last;
    rule.reading(source).reading({.operand = 0,
                                  .dim = place,
                                  .readerDim = place,
                                  .first = firstSource * stride,
                                  .last = lastElement,
                                  .blockUnit = stride});
  }

  /// The dimensions whose reads are fetched, with the intervals of both
  /// operands.
  struct Fetch {
    SmallVector<int64_t> dims;
    SmallVector<IntervalAttr> elements, sources;
  };

  static LogicalResult partitionOp(stablehlo::SelectAndScatterOp op,
                                   PartitionBuilder &builder) {
    Value result = op.getResult();
    auto localType = cast<RankedTensorType>(builder.getLocalType(result));
    Fetch fetch;
    for (int64_t dim = 0, rank = localType.getRank(); dim < rank; ++dim)
      if (!isParallel(op, dim) && builder.getShardCount(result, dim) > 1)
        fetch.dims.push_back(dim);
    if (fetch.dims.empty())
      return builder.partitionByRule();
    FailureOr<spmd::ShardingRule> reads = rule(op);
    auto elements = readIntervals(builder, *reads, 0);
    auto sources = readIntervals(builder, *reads, 1);
    if (failed(elements) || failed(sources) || localType.getNumElements() == 0)
      return partitionWhole(op, builder);
    fetch.elements = std::move(*elements);
    fetch.sources = std::move(*sources);
    return partitionFetched(op, builder, fetch);
  }

  static LogicalResult partitionFetched(stablehlo::SelectAndScatterOp op,
                                        PartitionBuilder &builder,
                                        const Fetch &fetch) {
    Value result = op.getResult();
    spmd::ShardingAttr sharding = builder.getSharding(result);
    Value elements = builder.exchange(builder.get(op.getOperand()), sharding,
                                      fetch.elements);
    Value sources = maskSources(
        op, builder,
        builder.exchange(builder.get(op.getSource()), sharding, fetch.sources),
        fetch);
    Operation *local =
        builder.cloneLocal({elements, sources, builder.any(op.getInitValue())});
    local->getResult(0).setType(elements.getType());
    builder.bind(result, cutToBlock(builder, local->getResult(0),
                                    llvm::map_to_vector(fetch.elements,
                                                        getBlockInterval)));
    return success();
  }

  /// The neutral element where the fetched sources are none.
  static Value maskSources(stablehlo::SelectAndScatterOp op,
                           PartitionBuilder &builder, Value sources,
                           const Fetch &fetch) {
    OpBuilder &b = builder.builder();
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(sources.getType());
    Value fill =
        builder.splat(builder.neutral(type.getElementType(),
                                      *matchReductionKind(op.getScatter())),
                      type);
    for (int64_t dim : fetch.dims) {
      Value inside = emitReadInside(
          builder, type.getShape(), builder.getSharding(op.getResult()), dim,
          fetch.sources[dim], shapeOf(op.getSource())[dim]);
      if (!inside)
        continue;
      sources =
          stablehlo::SelectOp::create(b, loc, type, inside, sources, fill);
    }
    return sources;
  }

  static LogicalResult partitionWhole(stablehlo::SelectAndScatterOp op,
                                      PartitionBuilder &builder) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0, rank = shapeOf(op.getResult()).size(); dim < rank;
         ++dim)
      if (!isParallel(op, dim))
        dims.push_back(dim);
    return partitionWithWholeDims(
        builder, 2, dims, dims,
        "because intervals of windows that cover its blocks are as long as the "
        "dimension");
  }
};

} // namespace

void attachSelectAndScatterModels(MLIRContext &context) {
  stablehlo::SelectAndScatterOp::attachInterface<SelectAndScatterModel>(
      context);
}

} // namespace partita
