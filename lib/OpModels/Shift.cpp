// spmd.shift: each device fetches its block, moved, by interval exchange, round
// the ends of the dimension or from its edges.

#include "Families.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;
using spmd::IntervalAttr;

struct ShiftModel : OpModel<ShiftModel, spmd::ShiftOp> {
  static constexpr StringLiteral family = "Shift";

  /// The least distance that has the op's effect.
  static int64_t getDistance(spmd::ShiftOp op) {
    int64_t size = shapeOf(op.getInput())[op.getDim()], by = op.getBy();
    if (size == 0)
      return 0;
    if (op.getOutside() == spmd::Outside::Edge)
      return std::clamp(by, 1 - size, size - 1);
    by = (by % size + size) % size;
    return by > size / 2 ? by - size : by;
  }

  static FailureOr<spmd::ShardingRule> rule(spmd::ShiftOp op) {
    RuleBuilder rule(op);
    int64_t first = -getDistance(op);
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getInput()))) {
      unsigned dim = index;
      if (dim != op.getDim() || first == 0) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.addEverywhere(dim, size, FactorKind::Halo)
          .passThrough()
          .reading(
              {.dim = dim, .resultDim = dim, .first = first, .last = first});
    }
    return rule.linearIn(0).pad(0, spmd::PadTolerance::None).flops(0).build();
  }

  /// Rows [first, limit) of a dimension.
  static Value emitRows(PartitionBuilder &builder, Value value, int64_t dim,
                        int64_t first, int64_t limit) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
    SmallVector<int64_t> limits(type.getShape()), shape(type.getShape());
    starts[dim] = first;
    limits[dim] = limit;
    shape[dim] = limit - first;
    return stablehlo::SliceOp::create(builder.builder(), builder.getLoc(),
                                      type.clone(shape), value, starts, limits,
                                      strides);
  }

  /// The whole dimension is on each device: two parts in another order, or one
  /// and the edge as often as needed.
  static Value shiftWhole(PartitionBuilder &builder, Value value, int64_t dim,
                          int64_t by, spmd::Outside outside) {
    OpBuilder &b = builder.builder();
    auto type = cast<RankedTensorType>(value.getType());
    int64_t size = type.getDimSize(dim);
    int64_t cut = by > 0 ? size - by : -by;
    Value front = emitRows(builder, value, dim, 0, cut);
    Value back = emitRows(builder, value, dim, cut, size);
    if (outside == spmd::Outside::Edge) {
      Value edge = by > 0 ? emitRows(builder, value, dim, 0, 1)
                          : emitRows(builder, value, dim, size - 1, size);
      SmallVector<int64_t> shape(type.getShape()), dims;
      for (int64_t index = 0, rank = type.getRank(); index < rank; ++index)
        dims.push_back(index);
      shape[dim] = std::abs(by);
      (by > 0 ? back : front) = stablehlo::BroadcastInDimOp::create(
          b, builder.getLoc(), type.clone(shape), edge, dims);
    }
    return stablehlo::ConcatenateOp::create(b, builder.getLoc(), type,
                                            ValueRange{back, front}, dim);
  }

  /// Devices need an edge that neither they nor their neighbours have.
  static LogicalResult shiftGathered(spmd::ShiftOp op,
                                     PartitionBuilder &builder) {
    const ShardedValue input = builder.get(op.getInput());
    int64_t dim = op.getDim();
    remarkWhole(builder, input.type, "because the edge is beyond a neighbour");
    FailureOr<ShardedValue> whole =
        builder.reshard(input, withWholeDims(input.sharding, {dim}));
    if (failed(whole))
      return failure();
    ShardedValue moved{shiftWhole(builder, whole->local, dim, getDistance(op),
                                  op.getOutside()),
                       whole->sharding, input.type, std::nullopt};
    FailureOr<ShardedValue> result =
        builder.reshard(moved, builder.getSharding(op.getResult()));
    if (succeeded(result))
      builder.bind(op.getResult(), result->local);
    return result;
  }

  static LogicalResult partitionOp(spmd::ShiftOp op,
                                   PartitionBuilder &builder) {
    OpBuilder &b = builder.builder();
    Value input = op.getInput(), result = op.getResult();
    int64_t dim = op.getDim(), by = getDistance(op);
    auto type = cast<RankedTensorType>(builder.getLocalType(result));
    Value local = builder.any(input);
    if (by == 0 || type.getNumElements() == 0) {
      builder.bind(result, local);
      return success();
    }
    if (builder.getShardCount(result, dim) == 1) {
      builder.bind(result,
                   shiftWhole(builder, local, dim, by, op.getOutside()));
      return success();
    }
    int64_t block = type.getDimSize(dim), size = shapeOf(input)[dim];
    if (op.getOutside() == spmd::Outside::Edge && std::abs(by) > block)
      return shiftGathered(op, builder);
    auto fetchFrom = [&](int64_t base, spmd::Outside outside) {
      SmallVector<IntervalAttr> intervals;
      for (int64_t each : type.getShape())
        intervals.push_back(IntervalAttr::get(b.getContext(), 0, each, each));
      intervals[dim] =
          IntervalAttr::get(b.getContext(), base, block, block, outside);
      return builder.exchange(builder.get(input), builder.getSharding(result),
                              intervals);
    };
    bool isUneven = size % builder.getShardCount(result, dim) != 0;
    if (op.getOutside() == spmd::Outside::Edge || !isUneven) {
      builder.bind(result, fetchFrom(-by, op.getOutside()));
      return success();
    }
    // Blocks do not go round: what comes from the other end comes apart.
    Value near = fetchFrom(-by, spmd::Outside::Zero);
    Value far = fetchFrom(by > 0 ? size - by : -size - by, spmd::Outside::Zero);
    Value position =
        builder.iota(type.getShape(), dim, builder.blockOffset(result, dim));
    auto indexType = cast<RankedTensorType>(position.getType());
    int64_t border = by > 0 ? by : size + by;
    Value isBefore = stablehlo::CompareOp::create(
        b, op.getLoc(), indexType.clone(b.getI1Type()), position,
        builder.splat(builder.scalarInt(b.getI32Type(), border), indexType),
        stablehlo::ComparisonDirection::LT, stablehlo::ComparisonTypeAttr());
    builder.bind(result, stablehlo::SelectOp::create(
                             b, op.getLoc(), type, isBefore,
                             by > 0 ? far : near, by > 0 ? near : far));
    return success();
  }
};

} // namespace

void attachShiftModels(MLIRContext &context) {
  spmd::ShiftOp::attachInterface<ShiftModel>(context);
}

} // namespace partita
