// Interval exchange for windows, with the padding of the op filled in.

#include "WindowFetch.h"
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

Value fetchWindows(PartitionBuilder &builder, const ShardedValue &input,
                   ArrayRef<WindowDim> dims, Value fill) {
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  SmallVector<spmd::IntervalAttr> intervals;
  for (int64_t size : cast<RankedTensorType>(input.local.getType()).getShape())
    intervals.push_back(spmd::IntervalAttr::get(b.getContext(), 0, size, size));
  for (const WindowDim &window : dims)
    intervals[window.dim] = spmd::IntervalAttr::get(
        b.getContext(), -window.low, window.block * window.stride,
        window.block == 0 ? 0
                          : (window.block - 1) * window.stride + window.extent);
  Value fetched = builder.exchange(input, input.sharding, intervals);
  auto type = cast<RankedTensorType>(fetched.getType());
  Value inside;
  for (const WindowDim &window : dims) {
    spmd::IntervalAttr interval = intervals[window.dim];
    Value first = stablehlo::MulOp::create(
        b, loc, builder.blockIndex(input.sharding, window.dim),
        builder.scalarInt(b.getI32Type(), interval.getStep()));
    first = stablehlo::AddOp::create(
        b, loc, first, builder.scalarInt(b.getI32Type(), interval.getBase()));
    Value within =
        withinBounds(builder, builder.iota(type.getShape(), window.dim, first),
                     input.type.getDimSize(window.dim));
    inside = inside ? stablehlo::AndOp::create(b, loc, inside, within) : within;
  }
  if (!inside)
    return fetched;
  return stablehlo::SelectOp::create(b, loc, type, inside, fetched,
                                     builder.splat(fill, type));
}

} // namespace partita
