// Threefry-2x32 and Philox-4x32 as plain integer arithmetic on a device's
// block. The order of the words is that of Support/RandomBits.h, XLA's.

#include "CounterBits.h"
#include "RuleBuilder.h"

using namespace mlir;

namespace partita {
namespace {

/// Arithmetic on unsigned words, all of the block's shape.
class CounterBits {
public:
  CounterBits(stablehlo::RngBitGeneratorOp op, PartitionBuilder &builder)
      : op(op), builder(builder), b(builder.builder()), loc(op.getLoc()),
        whole(cast<RankedTensorType>(op.getOutput().getType())),
        local(cast<RankedTensorType>(builder.getLocalType(op.getOutput()))) {}

  Value emitThreefry(Value key, Value counter);
  Value emitPhilox(Value key, Value low, Value high);
  /// Number of counters that the whole op uses.
  int64_t numCounters() const { return counters; }

private:
  Type word(unsigned bits) { return b.getIntegerType(bits, false); }
  RankedTensorType block(unsigned bits) { return local.clone(word(bits)); }
  template <typename Op> Value create(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value add(Value x, Value y) { return create<stablehlo::AddOp>(x, y); }
  Value mul(Value x, Value y) { return create<stablehlo::MulOp>(x, y); }
  Value exclusive(Value x, Value y) { return create<stablehlo::XorOp>(x, y); }
  Value constant(unsigned bits, uint64_t value) {
    auto scalar = RankedTensorType::get({}, word(bits));
    Value number = stablehlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(scalar, APInt(bits, value)));
    return builder.splat(number, block(bits));
  }
  Value shiftLeft(Value x, unsigned bits, unsigned distance) {
    return create<stablehlo::ShiftLeftOp>(x, constant(bits, distance));
  }
  Value shiftRight(Value x, unsigned bits, unsigned distance) {
    return create<stablehlo::ShiftRightLogicalOp>(x, constant(bits, distance));
  }
  Value low32(Value x) { return builder.convert(x, word(32)); }
  Value high32(Value x) { return low32(shiftRight(x, 64, 32)); }
  Value widen(Value x) { return builder.convert(x, word(64)); }
  Value joined(Value low, Value high) {
    return create<stablehlo::OrOp>(widen(low), shiftLeft(widen(high), 64, 32));
  }
  /// a where `index` is `value`, else c.
  Value choose(Value index, uint64_t value, Value a, Value c) {
    Value is = stablehlo::CompareOp::create(
        b, loc, local.clone(b.getI1Type()), index, constant(64, value),
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), stablehlo::ComparisonDirection::EQ),
        stablehlo::ComparisonTypeAttr());
    return stablehlo::SelectOp::create(b, loc, a.getType(), is, a, c);
  }
  /// Position of each element along `dim` of the whole result.
  Value position(int64_t dim) {
    return widen(builder.iota(local.getShape(), dim,
                              builder.blockOffset(op.getOutput(), dim)));
  }
  /// Row-major index over dimensions [begin, end) of the whole result.
  Value linear(int64_t begin, int64_t end) {
    Value index = constant(64, 0);
    for (int64_t dim = begin; dim < end; ++dim)
      index =
          add(mul(index, constant(64, whole.getDimSize(dim))), position(dim));
    return index;
  }
  bool isWide() const {
    return whole.getElementType().getIntOrFloatBitWidth() == 64;
  }
  /// Both words of each counter.
  std::pair<Value, Value> runThreefry(Value counter, Value key);

  stablehlo::RngBitGeneratorOp op;
  PartitionBuilder &builder;
  OpBuilder &b;
  Location loc;
  RankedTensorType whole, local;
  int64_t counters = 0;
};

std::pair<Value, Value> CounterBits::runThreefry(Value counter, Value key) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                               {17, 29, 16, 24}};
  Value keys[3] = {low32(key), high32(key), Value()};
  keys[2] = exclusive(exclusive(constant(32, 0x1BD11BDA), keys[0]), keys[1]);
  Value x = add(low32(counter), keys[0]), y = add(high32(counter), keys[1]);
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned distance : rotations[group % 2]) {
      x = add(x, y);
      Value turned = create<stablehlo::OrOp>(shiftLeft(y, 32, distance),
                                             shiftRight(y, 32, 32 - distance));
      y = exclusive(turned, x);
    }
    x = add(x, keys[(group + 1) % 3]);
    y = add(add(y, keys[(group + 2) % 3]), constant(32, group + 1));
  }
  return {x, y};
}

Value CounterBits::emitThreefry(Value key, Value counter) {
  int64_t rank = whole.getRank();
  if (isWide()) {
    counters = whole.getNumElements();
    auto [x, y] = runThreefry(add(counter, linear(0, rank)), key);
    return joined(x, y);
  }
  // A counter gives two neighbours along one dimension: the first even one,
  // else the longest.
  ArrayRef<int64_t> shape = whole.getShape();
  const int64_t *dim =
      llvm::find_if(shape, [](int64_t size) { return size % 2 == 0; });
  if (dim == shape.end())
    dim = std::max_element(shape.begin(), shape.end());
  int64_t paired = dim - shape.begin(), half = (*dim + 1) / 2, inner = 1;
  for (int64_t size : shape.drop_front(paired + 1))
    inner *= size;
  counters = whole.getNumElements() / *dim * half;
  Value at = position(paired), two = constant(64, 2);
  Value pair = create<stablehlo::DivOp>(at, two);
  Value lane = create<stablehlo::RemOp>(at, two);
  Value index = add(mul(linear(0, paired), constant(64, half)), pair);
  index = add(mul(index, constant(64, inner)), linear(paired + 1, rank));
  auto [x, y] = runThreefry(add(counter, index), key);
  return choose(lane, 0, x, y);
}

Value CounterBits::emitPhilox(Value key, Value low, Value high) {
  int64_t perCounter = isWide() ? 2 : 4;
  counters = (whole.getNumElements() + perCounter - 1) / perCounter;
  Value index = linear(0, whole.getRank());
  Value count = constant(64, perCounter);
  Value lane = create<stablehlo::RemOp>(index, count);
  Value sum = add(low, create<stablehlo::DivOp>(index, count));
  Value carries = stablehlo::CompareOp::create(
      b, loc, local.clone(b.getI1Type()), sum, low,
      stablehlo::ComparisonDirectionAttr::get(
          b.getContext(), stablehlo::ComparisonDirection::LT),
      stablehlo::ComparisonTypeAttr());
  high = add(high, widen(carries));
  Value x[4] = {low32(sum), high32(sum), low32(high), high32(high)};
  Value k0 = low32(key), k1 = high32(key);
  for (int round = 0; round < 10; ++round) {
    Value p = mul(widen(x[0]), constant(64, 0xD2511F53));
    Value q = mul(widen(x[2]), constant(64, 0xCD9E8D57));
    Value next[4] = {exclusive(exclusive(high32(q), x[1]), k0), low32(q),
                     exclusive(exclusive(high32(p), x[3]), k1), low32(p)};
    std::copy(std::begin(next), std::end(next), std::begin(x));
    k0 = add(k0, constant(32, 0x9E3779B9));
    k1 = add(k1, constant(32, 0xBB67AE85));
  }
  if (isWide())
    return choose(lane, 0, joined(x[0], x[1]), joined(x[2], x[3]));
  return choose(lane, 0, x[0],
                choose(lane, 1, x[1], choose(lane, 2, x[2], x[3])));
}

} // namespace

/// Word `index` of a state of 64-bit words, as a scalar.
static Value takeWord(OpBuilder &b, Location loc, Value state, int64_t index) {
  auto type = cast<RankedTensorType>(state.getType());
  Value one = stablehlo::SliceOp::create(
      b, loc, type.clone({1}), state, ArrayRef<int64_t>{index},
      ArrayRef<int64_t>{index + 1}, ArrayRef<int64_t>{1});
  return stablehlo::ReshapeOp::create(
      b, loc, RankedTensorType::get({}, type.getElementType()), one);
}

bool partitionCounterBits(stablehlo::RngBitGeneratorOp op,
                          PartitionBuilder &builder) {
  bool isThreefry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  bool isPhilox = op.getRngAlgorithm() == stablehlo::RngAlgorithm::PHILOX;
  auto stateType = cast<RankedTensorType>(op.getInitialState().getType());
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Type element = type.getElementType();
  int64_t words = stateType.getNumElements();
  bool isKnown = (isThreefry && words == 2) || (isPhilox && words == 3);
  if (!isKnown || !stateType.getElementType().isUnsignedInteger(64) ||
      !(element.isUnsignedInteger(32) || element.isUnsignedInteger(64)) ||
      type.getNumElements() == 0)
    return false;
  OpBuilder &b = builder.builder();
  Location loc = op.getLoc();
  Value state = builder.any(op.getInitialState());
  auto localType = cast<RankedTensorType>(builder.getLocalType(op.getOutput()));
  auto spread = [&](int64_t index) {
    return builder.splat(takeWord(b, loc, state, index),
                         localType.clone(stateType.getElementType()));
  };
  CounterBits bits(op, builder);
  Value output = isThreefry ? bits.emitThreefry(spread(0), spread(1))
                            : bits.emitPhilox(spread(0), spread(1), spread(2));
  // The counter goes on where the whole op leaves it, carry included.
  auto one = stateType.clone({1});
  auto part = [&](Value word) -> Value {
    return stablehlo::ReshapeOp::create(b, loc, one, word);
  };
  Value counter = takeWord(b, loc, state, 1);
  Value advanced = stablehlo::AddOp::create(
      b, loc, counter,
      builder.scalarInt(stateType.getElementType(), bits.numCounters()));
  SmallVector<Value> parts{part(takeWord(b, loc, state, 0)), part(advanced)};
  if (isPhilox) {
    Value carries = stablehlo::CompareOp::create(
        b, loc, RankedTensorType::get({}, b.getI1Type()), advanced, counter,
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), stablehlo::ComparisonDirection::LT),
        stablehlo::ComparisonTypeAttr());
    parts.push_back(part(stablehlo::AddOp::create(
        b, loc, takeWord(b, loc, state, 2),
        builder.convert(carries, stateType.getElementType()))));
  }
  builder.bind(op.getOutputState(),
               stablehlo::ConcatenateOp::create(b, loc, stateType, parts, 0));
  builder.bind(op.getOutput(), output);
  return true;
}

} // namespace partita
