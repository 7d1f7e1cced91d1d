// Interval exchange for what rules read across borders, with the padding of
// windows filled in.

#include "HaloFetch.h"
#include "ScalarIndex.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita {

int64_t getWindowEntry(std::optional<ArrayRef<int64_t>> list, int64_t dim) {
  return list && !list->empty() ? (*list)[dim] : 1;
}

std::pair<int64_t, int64_t>
getWindowPadding(std::optional<DenseIntElementsAttr> padding, int64_t dim) {
  if (!padding)
    return {0, 0};
  auto values = padding->getValues<int64_t>();
  return {values[2 * dim], values[2 * dim + 1]};
}

spmd::HaloRead getWindowRead(unsigned operand, int64_t dim, int64_t resultDim,
                             int64_t low, int64_t stride, int64_t extent) {
  return {.operand = operand,
          .dim = unsigned(dim),
          .resultDim = unsigned(resultDim),
          .stride = stride,
          .first = -low,
          .last = extent - 1 - low};
}

FailureOr<SmallVector<spmd::IntervalAttr>>
readIntervals(PartitionBuilder &builder, const spmd::ShardingRule &rule,
              unsigned index) {
  Operation *op = builder.getOp();
  Value result = op->getResult(0);
  auto localShape = [&](Value value) {
    return cast<RankedTensorType>(builder.getLocalType(value)).getShape();
  };
  SmallVector<int64_t> shards;
  for (size_t dim = 0; dim < localShape(result).size(); ++dim)
    shards.push_back(builder.getShardCount(result, dim));
  auto reads = rule.getReads(index, localShape(op->getOperand(index)),
                             localShape(result), shards);
  if (!reads)
    return failure();
  SmallVector<spmd::IntervalAttr> intervals;
  for (const spmd::BlockInterval &read : *reads)
    intervals.push_back(spmd::IntervalAttr::get(builder.getContext(), read.base,
                                                read.step, read.length));
  return intervals;
}

Value fetchWindows(PartitionBuilder &builder, const ShardedValue &input,
                   ArrayRef<spmd::IntervalAttr> intervals,
                   ArrayRef<int64_t> dims, Value fill) {
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  Value fetched = builder.exchange(input, input.sharding, intervals);
  auto type = cast<RankedTensorType>(fetched.getType());
  Value inside;
  for (int64_t dim : dims) {
    spmd::IntervalAttr interval = intervals[dim];
    Value first = stablehlo::MulOp::create(
        b, loc, builder.blockIndex(input.sharding, dim),
        builder.scalarInt(b.getI32Type(), interval.getStep()));
    first = stablehlo::AddOp::create(
        b, loc, first, builder.scalarInt(b.getI32Type(), interval.getBase()));
    Value within =
        withinBounds(builder, builder.iota(type.getShape(), dim, first),
                     input.type.getDimSize(dim));
    inside = inside ? stablehlo::AndOp::create(b, loc, inside, within) : within;
  }
  if (!inside)
    return fetched;
  return stablehlo::SelectOp::create(b, loc, type, inside, fetched,
                                     builder.splat(fill, type));
}

} // namespace partita
