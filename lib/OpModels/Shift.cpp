// spmd.shift: each device fetches its block, moved, by interval exchange, round
// the ends of the dimension or from its edges.

#include "Families.h"
#include "HaloFetch.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/EdgeRows.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;
using spmd::IntervalAttr;

struct ShiftModel : OpModel<ShiftModel, spmd::ShiftOp> {
  static constexpr StringLiteral family = "Shift";

  static int64_t getDistance(spmd::ShiftOp op) {
    return spmd::ShiftOp::getLeastDistance(
        op.getBy(), shapeOf(op.getInput())[op.getDim()], op.getOutside());
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
              {.dim = dim, .readerDim = dim, .first = first, .last = first});
    }
    return rule.linearIn(0).pad(0, spmd::PadTolerance::None).flops(0).build();
  }

  /// The whole dimension is on each device: two parts in another order, or one
  /// and the edge as often as needed.
  static Value shiftWhole(PartitionBuilder &builder, Value value, int64_t dim,
                          int64_t by, spmd::Outside outside) {
    OpBuilder &b = builder.builder();
    auto type = cast<RankedTensorType>(value.getType());
    int64_t size = type.getDimSize(dim);
    int64_t cut = by > 0 ? size - by : -by;
    auto takeRows = [&](int64_t first, int64_t limit) {
      return stablehlo::emitRows(b, builder.getLoc(), value, dim, first, limit);
    };
    auto repeatRow = [&](int64_t row) -> Value {
      SmallVector<int64_t> shape(type.getShape());
      shape[dim] = std::abs(by);
      return stablehlo::BroadcastInDimOp::create(
          b, builder.getLoc(), type.clone(shape), takeRows(row, row + 1),
          llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    };
    bool isEdge = outside == spmd::Outside::Edge;
    Value front = isEdge && by < 0 ? repeatRow(size - 1) : takeRows(0, cut);
    Value back = isEdge && by > 0 ? repeatRow(0) : takeRows(cut, size);
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
    Value moved = shiftWhole(builder, whole->local, dim, getDistance(op),
                             op.getOutside());
    return bindResharded(builder, op.getResult(), moved, whole->sharding);
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
    auto getPosition = [&]() {
      return builder.iota(type.getShape(), dim,
                          builder.blockOffset(result, dim));
    };
    Value isBefore =
        emitInside(builder, getPosition, 0, by > 0 ? by : size + by, 0, size);
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
