// sort: parallel but for the sorted dimension, which must be whole; placement
// moves its axes to another dimension where there is one. Partition: derived.
// top_k: of a sharded dimension each device gives candidates.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

struct SortModel : OpModel<SortModel, stablehlo::SortOp> {
  static constexpr StringLiteral family = "Sort";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::SortOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
    int64_t sorted = op.getDimension();
    if (sorted < 0)
      sorted += shape.size();
    bool isOnlyDim = true;
    for (auto [dim, size] : llvm::enumerate(shape))
      isOnlyDim &= static_cast<int64_t>(dim) == sorted || size == 1;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (static_cast<int64_t>(dim) != sorted) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.addEverywhere(dim, size, spmd::FactorKind::Sort).whole();
      if (isOnlyDim)
        rule.blocked();
    }
    return rule.flops(getFlopsPerElement(op, shape[sorted])).build();
  }

private:
  /// Engines sort by a network: log n (log n + 1) / 2 comparisons per pair of
  /// elements, each by the op's body, whose branches and moves reach one part
  /// in 64 of a device's peak (jnp.sort of 64 floats under XLA's CPU: 9,000
  /// flops per element).
  static double getFlopsPerElement(stablehlo::SortOp op, int64_t size) {
    double steps = llvm::Log2_64_Ceil(std::max<int64_t>(size, 2));
    double bodyOps = llvm::range_size(op.getComparator().getOps());
    return steps * (steps + 1) / 4 * bodyOps * 64;
  }
};

/// The sharded dimension gives candidates: each device's k largest elements are
/// gathered, and the k largest of those are the result. Equal elements keep
/// their order, for candidates stand in the order of their positions.
struct TopKModel : OpModel<TopKModel, chlo::TopKOp> {
  static constexpr StringLiteral family = "Sort";

  static FailureOr<spmd::ShardingRule> rule(chlo::TopKOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    int64_t last = shape.size() - 1, k = shapeOf(op.getValues()).back();
    for (int64_t dim = 0; dim < last; ++dim)
      rule.addEverywhere(dim, shape[dim]);
    rule.addToOperands(last, shape[last], spmd::FactorKind::Reduction)
        .reducing(std::nullopt)
        .blocked();
    rule.addToResults(last, k, spmd::FactorKind::Replicated).whole().blocked();
    return rule.pad(0, spmd::PadTolerance::None).build();
  }

  static LogicalResult partitionOp(chlo::TopKOp op, PartitionBuilder &builder) {
    OpBuilder &b = builder.builder();
    Location loc = op.getLoc();
    Value operand = op.getOperand();
    int64_t last = shapeOf(operand).size() - 1;
    int64_t shards = builder.getShardCount(operand, last);
    if (shards == 1)
      return builder.partitionByRule();
    Value input = builder.masked(operand, last, spmd::ReductionKind::Max);
    auto type = cast<RankedTensorType>(input.getType());
    int64_t k = shapeOf(op.getValues()).back();
    int64_t own = std::min(k, type.getDimSize(last));
    auto withLast = [&](Type like, int64_t size) {
      auto ranked = cast<RankedTensorType>(like);
      SmallVector<int64_t> shape(ranked.getShape());
      shape[last] = size;
      return ranked.clone(shape);
    };
    auto take = [&](Value from, int64_t count) {
      auto valueType = withLast(from.getType(), count);
      return chlo::TopKOp::create(
          b, loc, TypeRange{valueType, valueType.clone(b.getI32Type())}, from,
          b.getI64IntegerAttr(count));
    };
    chlo::TopKOp candidates = take(input, own);
    Value positions = candidates.getIndices();
    positions = stablehlo::AddOp::create(
        b, loc, positions,
        builder.splat(builder.blockOffset(operand, last),
                      cast<RankedTensorType>(positions.getType())));
    Value values = emitGather(builder, candidates.getValues(), operand, last);
    positions = emitGather(builder, positions, operand, last);
    chlo::TopKOp best = take(values, k);
    builder.bind(op.getValues(), best.getValues());
    builder.bind(op.getIndices(),
                 emitTake(builder, positions, best.getIndices(), last));
    return success();
  }

  /// The blocks of all devices along the axes of dimension `dim` of `like`.
  static Value emitGather(PartitionBuilder &builder, Value value, Value like,
                          int64_t dim) {
    OpBuilder &b = builder.builder();
    spmd::ShardingAttr sharding = builder.getSharding(like);
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] *= builder.getShardCount(like, dim);
    SmallVector<Attribute> axes(shape.size(),
                                spmd::AxisListAttr::get(b.getContext(), {}));
    axes[dim] = spmd::AxisListAttr::get(b.getContext(),
                                        sharding.getDims()[dim].getAxes());
    return spmd::AllGatherOp::create(
               b, builder.getLoc(), TypeRange{type.clone(shape)},
               ValueRange{value}, sharding.getMesh(), b.getArrayAttr(axes))
        .getResult(0);
  }

  /// result[..., i] = values[..., indices[..., i]]
  static Value emitTake(PartitionBuilder &builder, Value values, Value indices,
                        int64_t last) {
    OpBuilder &b = builder.builder();
    SmallVector<int64_t> batch = llvm::to_vector(llvm::seq<int64_t>(0, last));
    auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
        b.getContext(), {}, {last}, batch, batch, {last}, last + 1);
    return stablehlo::GatherOp::create(
               b, builder.getLoc(), indices.getType(), values, indices, numbers,
               b.getDenseI64ArrayAttr(SmallVector<int64_t>(last + 1, 1)),
               b.getBoolAttr(false))
        ->getResult(0);
  }
};

} // namespace

void attachSortModels(MLIRContext &context) {
  stablehlo::SortOp::attachInterface<SortModel>(context);
}

void attachTopKModels(MLIRContext &context) {
  chlo::TopKOp::attachInterface<TopKModel>(context);
}

} // namespace partita
