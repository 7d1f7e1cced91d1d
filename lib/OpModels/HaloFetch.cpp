// Interval exchange for what rules read across borders, with the padding of
// windows filled in.

#include "HaloFetch.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"

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

spmd::HaloRead getWindowRead(unsigned operand, int64_t dim, int64_t readerDim,
                             int64_t low, int64_t stride, int64_t extent) {
  return {.operand = operand,
          .dim = unsigned(dim),
          .readerDim = unsigned(readerDim),
          .stride = stride,
          .first = -low,
          .last = extent - 1 - low};
}

FailureOr<SmallVector<spmd::IntervalAttr>>
readIntervals(PartitionBuilder &builder, const spmd::ShardingRule &rule,
              unsigned index) {
  Operation *op = builder.getOp();
  auto localShape = [&](Value value) {
    return cast<RankedTensorType>(builder.getLocalType(value)).getShape();
  };
  auto getBlocks =
      [&](const spmd::HaloRead &read) -> std::optional<spmd::ReaderBlocks> {
    Value reader =
        read.reader ? op->getOperand(*read.reader) : op->getResult(0);
    if (builder.getShardCount(reader, read.readerDim) == 1)
      return std::nullopt;
    return spmd::ReaderBlocks{
        cast<RankedTensorType>(reader.getType()).getDimSize(read.readerDim),
        localShape(reader)[read.readerDim]};
  };
  auto reads = rule.getReads(index, shapeOf(op->getOperand(index)),
                             localShape(op->getOperand(index)), getBlocks);
  if (!reads)
    return failure();
  SmallVector<spmd::IntervalAttr> intervals;
  for (const spmd::BlockInterval &read : *reads)
    intervals.push_back(spmd::IntervalAttr::get(builder.getContext(), read.base,
                                                read.step, read.length));
  return intervals;
}

Value emitInside(PartitionBuilder &builder, function_ref<Value()> getIndex,
                 int64_t low, int64_t high, int64_t first, int64_t last) {
  if (first >= low && last <= high)
    return {};
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  Value index = getIndex();
  auto type = cast<RankedTensorType>(index.getType());
  auto compare = [&](int64_t bound,
                     stablehlo::ComparisonDirection direction) -> Value {
    return stablehlo::CompareOp::create(
        b, loc, type.clone(b.getI1Type()), index,
        builder.splat(builder.scalarInt(type.getElementType(), bound), type),
        direction, stablehlo::ComparisonTypeAttr());
  };
  Value above, below;
  if (first < low)
    above = compare(low, stablehlo::ComparisonDirection::GE);
  if (last > high)
    below = compare(high, stablehlo::ComparisonDirection::LT);
  return emitBoth(builder, above, below);
}

Value emitReadInside(PartitionBuilder &builder, ArrayRef<int64_t> shape,
                     spmd::ShardingAttr sharding, int64_t dim,
                     spmd::IntervalAttr interval, int64_t size) {
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  auto getIndex = [&]() {
    Value first = stablehlo::MulOp::create(
        b, loc, builder.blockIndex(sharding, dim),
        builder.scalarInt(b.getI32Type(), interval.getStep()));
    first = stablehlo::AddOp::create(
        b, loc, first, builder.scalarInt(b.getI32Type(), interval.getBase()));
    return builder.iota(shape, dim, first);
  };
  int64_t shards = sharding.getShardCount(dim, builder.getMesh(sharding));
  int64_t first = interval.getBase();
  int64_t last = first + (shards - 1) * interval.getStep();
  return emitInside(builder, getIndex, 0, size, std::min(first, last),
                    std::max(first, last) + interval.getLength());
}

Value emitBoth(PartitionBuilder &builder, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return stablehlo::AndOp::create(builder.builder(), builder.getLoc(), a, b);
}

/// True for a constant of nothing but zeros, broadcast or not.
static bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  if (isa<FloatType>(constant.getElementType()))
    return constant.getSplatValue<APFloat>().isPosZero();
  return constant.getElementType().isSignlessInteger() &&
         constant.getSplatValue<APInt>().isZero();
}

Value fetchWindows(PartitionBuilder &builder, const ShardedValue &input,
                   ArrayRef<spmd::IntervalAttr> intervals,
                   ArrayRef<int64_t> dims, Value fill) {
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  Value fetched = builder.exchange(input, input.sharding, intervals);
  // An exchange reads zeros outside.
  if (fetched.getDefiningOp<spmd::ExchangeOp>() && isZero(fill))
    return fetched;
  auto type = cast<RankedTensorType>(fetched.getType());
  Value inside;
  for (int64_t dim : dims)
    inside =
        emitBoth(builder, inside,
                 emitReadInside(builder, type.getShape(), input.sharding, dim,
                                intervals[dim], input.type.getDimSize(dim)));
  if (!inside)
    return fetched;
  return stablehlo::SelectOp::create(b, loc, type, inside, fetched,
                                     builder.splat(fill, type));
}

} // namespace partita
