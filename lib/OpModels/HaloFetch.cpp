// Interval exchange for what rules read across borders, with the padding of
// windows filled in.

#include "HaloFetch.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

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

DenseIntElementsAttr makeWindowPadding(PartitionBuilder &builder,
                                       ArrayRef<int64_t> padding) {
  auto type = RankedTensorType::get({int64_t(padding.size()) / 2, 2},
                                    builder.builder().getI64Type());
  return DenseIntElementsAttr::get(type, padding);
}

spmd::HaloRead Windows::getRead(unsigned operand, int64_t dim,
                                int64_t readerDim) const {
  // Of the positions, every `dilation`-th is an element.
  return {.operand = operand,
          .dim = unsigned(dim),
          .readerDim = unsigned(readerDim),
          .stride = stride,
          .first = dilation - 1 - low,
          .last = extent - 1 - low,
          .period = dilation,
          .blockUnit = dilation / std::gcd(dilation, stride)};
}

std::pair<int64_t, int64_t>
Windows::getLocalPadding(spmd::IntervalAttr interval,
                         const spmd::BlockInterval &computed) const {
  int64_t before = low + interval.getBase() * dilation - computed.base * stride;
  int64_t read = (computed.length - 1) * stride + extent;
  int64_t fetched =
      std::max<int64_t>((interval.getLength() - 1) * dilation + 1, 0);
  return {before, read - fetched - before};
}

static ArrayRef<int64_t> localShapeOf(PartitionBuilder &builder, Value value) {
  return cast<RankedTensorType>(builder.getLocalType(value)).getShape();
}

/// None: the dimension of the reader is whole.
static std::optional<spmd::ReaderBlocks>
readerBlocksOf(PartitionBuilder &builder, const spmd::HaloRead &read) {
  Operation *op = builder.getOp();
  Value reader = read.reader ? op->getOperand(*read.reader) : op->getResult(0);
  if (builder.getShardCount(reader, read.readerDim) == 1)
    return std::nullopt;
  return spmd::ReaderBlocks{shapeOf(reader)[read.readerDim],
                            localShapeOf(builder, reader)[read.readerDim]};
}

FailureOr<SmallVector<spmd::IntervalAttr>>
readIntervals(PartitionBuilder &builder, const spmd::ShardingRule &rule,
              unsigned index) {
  Value operand = builder.getOp()->getOperand(index);
  auto reads =
      rule.getReads(index, shapeOf(operand), localShapeOf(builder, operand),
                    [&](const spmd::HaloRead &read) {
                      return readerBlocksOf(builder, read);
                    });
  if (!reads)
    return failure();
  SmallVector<spmd::IntervalAttr> intervals;
  for (const spmd::BlockInterval &read : *reads)
    intervals.push_back(spmd::IntervalAttr::get(builder.getContext(), read.base,
                                                read.step, read.length));
  return intervals;
}

SmallVector<spmd::BlockInterval>
computedIntervals(PartitionBuilder &builder, const spmd::ShardingRule &rule) {
  SmallVector<spmd::BlockInterval> computed;
  for (int64_t size : localShapeOf(builder, builder.getOp()->getResult(0)))
    computed.push_back({0, size, size});
  for (const spmd::HaloRead &read : rule.reads) {
    auto blocks = readerBlocksOf(builder, read);
    if (read.reader || !blocks)
      continue;
    if (auto cover = blocks->getCover(read.blockUnit))
      computed[read.readerDim] = *cover;
  }
  return computed;
}

RankedTensorType computedType(Type type,
                              ArrayRef<spmd::BlockInterval> computed) {
  return cast<RankedTensorType>(type).clone(
      llvm::map_to_vector(computed, [](const spmd::BlockInterval &interval) {
        return interval.length;
      }));
}

/// Where the device's block begins in `held`, as the block's index tells.
static Value emitBlockStart(PartitionBuilder &builder, int64_t dim,
                            int64_t block, const spmd::BlockInterval &held) {
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  Value start = builder.scalarInt(b.getI32Type(), -held.base);
  if (held.step == block)
    return start;
  spmd::ShardingAttr sharding =
      builder.getSharding(builder.getOp()->getResult(0));
  Value drift = stablehlo::MulOp::create(
      b, loc, builder.blockIndex(sharding, dim),
      builder.scalarInt(b.getI32Type(), block - held.step));
  return stablehlo::AddOp::create(b, loc, start, drift);
}

Value cutToBlock(PartitionBuilder &builder, Value local,
                 ArrayRef<spmd::BlockInterval> computed) {
  OpBuilder &b = builder.builder();
  Location loc = builder.getLoc();
  auto type = cast<RankedTensorType>(
      builder.getLocalType(builder.getOp()->getResult(0)));
  ArrayRef<int64_t> shape = type.getShape();
  if (local.getType() == type)
    return local;
  bool isStatic = llvm::all_of_zip(computed, shape, [](auto held, auto block) {
    return held.step == block;
  });
  if (!isStatic) {
    SmallVector<Value> starts;
    for (auto [dim, held] : llvm::enumerate(computed))
      starts.push_back(emitBlockStart(builder, dim, shape[dim], held));
    return stablehlo::DynamicSliceOp::create(b, loc, type, local, starts,
                                             b.getDenseI64ArrayAttr(shape));
  }
  SmallVector<int64_t> starts, limits, strides(shape.size(), 1);
  for (auto [held, block] : llvm::zip_equal(computed, shape)) {
    starts.push_back(-held.base);
    limits.push_back(block - held.base);
  }
  return stablehlo::SliceOp::create(b, loc, type, local, starts, limits,
                                    strides);
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
  // An exchange reads zeros outside. One that made the operand does not count:
  // it may have read elements there, of a larger value.
  if (fetched != input.local && fetched.getDefiningOp<spmd::ExchangeOp>() &&
      isZero(fill))
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
