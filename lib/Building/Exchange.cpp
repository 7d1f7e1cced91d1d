// Interval exchange: the one mechanism for pads, strided slices, shifts, halos,
// concatenation and uneven reshards. Where every device already holds what it
// needs, only local slices are emitted; otherwise one spmd.exchange, which
// later passes turn into permutes.

#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/PartitionBuilder.h"
#include "partita/Building/ReshardEmitter.h"
#include "partita/Sharding/IntervalFetch.h"

using namespace mlir;

namespace partita {
/// Emits the local slice `interval` of dimension `dim`, which is whole.
static Value emitLocalInterval(PartitionBuilder &builder, Value value,
                               int64_t dim, spmd::ShardingAttr to,
                               int64_t shards, spmd::IntervalAttr interval) {
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  int64_t size = type.getDimSize(dim), rank = type.getRank();
  int64_t last = interval.getBase() + (shards - 1) * interval.getStep();
  int64_t lowest = std::min(interval.getBase(), last);
  int64_t highest = std::max(interval.getBase(), last) + interval.getLength();
  int64_t low = std::max<int64_t>(0, -lowest);
  int64_t high = std::max<int64_t>(0, highest - size);
  if (low || high) {
    SmallVector<int64_t> lows(rank, 0), highs(rank, 0), interior(rank, 0);
    SmallVector<int64_t> shape(type.getShape());
    lows[dim] = low;
    highs[dim] = high;
    shape[dim] += low + high;
    type = type.clone(shape);
    value = stablehlo::PadOp::create(
        b, loc, type, value, builder.scalar(type.getElementType(), 0),
        b.getDenseI64ArrayAttr(lows), b.getDenseI64ArrayAttr(highs),
        b.getDenseI64ArrayAttr(interior));
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = interval.getLength();
  auto resultType = type.clone(shape);
  if (shards == 1) {
    if (resultType == type)
      return value;
    SmallVector<int64_t> starts(rank, 0), strides(rank, 1);
    SmallVector<int64_t> limits(type.getShape());
    starts[dim] = interval.getBase() + low;
    limits[dim] = starts[dim] + interval.getLength();
    return stablehlo::SliceOp::create(
        b, loc, resultType, value, b.getDenseI64ArrayAttr(starts),
        b.getDenseI64ArrayAttr(limits), b.getDenseI64ArrayAttr(strides));
  }
  Type i32 = b.getI32Type();
  Value start =
      stablehlo::MulOp::create(b, loc, builder.blockIndex(to, dim),
                               builder.scalarInt(i32, interval.getStep()));
  start = stablehlo::AddOp::create(
      b, loc, start, builder.scalarInt(i32, interval.getBase() + low));
  SmallVector<Value> starts(rank, builder.scalarInt(i32, 0));
  starts[dim] = start;
  return stablehlo::DynamicSliceOp::create(b, loc, resultType, value, starts,
                                           b.getDenseI64ArrayAttr(shape));
}

Value PartitionBuilder::exchange(const ShardedValue &input,
                                 spmd::ShardingAttr to,
                                 ArrayRef<spmd::IntervalAttr> intervals) {
  spmd::MeshAttr mesh = getMesh(input.sharding);
  SmallVector<spmd::BlockInterval> reads =
      llvm::map_to_vector(intervals, getBlockInterval);
  SmallVector<DimMove> moves =
      classifyFetch(input.type.getShape(), input.sharding, to, mesh, reads);
  if (!llvm::is_contained(moves, DimMove::Exchange)) {
    Value value = input.local;
    for (auto [dim, move] : llvm::enumerate(moves))
      if (move == DimMove::Local)
        value = emitLocalInterval(*this, value, dim, to,
                                  to.getShardCount(dim, mesh), intervals[dim]);
    return value;
  }
  SmallVector<int64_t> shape;
  SmallVector<Attribute> intervalAttrs;
  for (spmd::IntervalAttr interval : intervals) {
    shape.push_back(interval.getLength());
    intervalAttrs.push_back(interval);
  }
  return spmd::ExchangeOp::create(
      b, getLoc(), input.type.clone(shape), input.local,
      b.getDenseI64ArrayAttr(input.type.getShape()), input.sharding.getClosed(),
      to.getClosed(), b.getArrayAttr(intervalAttrs));
}

} // namespace partita
