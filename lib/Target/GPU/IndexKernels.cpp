// Runtime calls as kernels: gather and reduce_window with a thread per result
// element, scatter with a thread per element of the window (the updates of one
// element follow each other, so that reruns are bit-equal) or, where windows
// are small, per element of the operand. The semantics are those of
// lib/Runtime's kernels.

#include "IndexKernels.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "partita/Runtime/ABI.h"

using namespace mlir;

namespace partita {
namespace {

using Words = SmallVector<int64_t>;
using Values = SmallVector<Value>;

struct BufferWords {
  int64_t dtype;
  Words shape;
  int64_t getCount() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
};

/// The words of a call, as partita/Runtime/ABI.h lays them out.
class CallWords {
public:
  explicit CallWords(spmd::RuntimeCallOp call) : words(call.getDescriptor()) {
    for (int64_t i = 0; i < words[2] + words[3]; ++i) {
      int64_t dtype = next();
      (i < words[2] ? inputs : outputs).push_back({dtype, list()});
    }
  }
  int64_t next() { return words[at++]; }
  Words list() {
    Words items(words.slice(at + 1, words[at]));
    at += 1 + words[at];
    return items;
  }
  SmallVector<BufferWords> inputs, outputs;

private:
  ArrayRef<int64_t> words;
  size_t at = 4;
};

/// Dimension numbers of gather and scatter, by gather's names.
struct IndexNumbers {
  Words offsetDims, collapsed, operandBatching, indicesBatching, startMap;
  int64_t vectorDim = 0;
  explicit IndexNumbers(CallWords &words)
      : offsetDims(words.list()), collapsed(words.list()),
        operandBatching(words.list()), indicesBatching(words.list()),
        startMap(words.list()), vectorDim(words.next()) {}
};

bool isUnsigned(int64_t dtype) {
  return dtype == PARTITA_I1 || (dtype >= PARTITA_UI8 && dtype <= PARTITA_UI64);
}

/// Emission into one kernel.
class IndexEmitter {
public:
  IndexEmitter(KernelBuilder &k, spmd::RuntimeCallOp call) : k(k), call(call) {}

  /// The thread's number in `total`; the insertion point is where it is below.
  Value enter(int64_t total);
  int64_t getThreads(int64_t total) const {
    return std::min<int64_t>(256, (total + 31) / 32 * 32);
  }
  void leave(int64_t total) {
    int64_t threads = getThreads(total);
    k.launch((total + threads - 1) / threads, threads);
  }
  Value op(arith::AtomicRMWKind kind, Value a, Value b) {
    return arith::getReductionOp(kind, k.b, k.loc, a, b);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(k.b, k.loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(k.b, k.loc, a, b);
  }
  Value multiply(Value a, int64_t b) {
    return b == 1 ? a : Value(arith::MulIOp::create(k.b, k.loc, a, k.index(b)));
  }
  Value both(Value a, Value b) {
    return a ? Value(arith::AndIOp::create(k.b, k.loc, a, b)) : b;
  }
  Value isWithin(Value value, int64_t low, int64_t high) {
    Value above = compare(arith::CmpIPredicate::sge, value, low);
    return both(above, compare(arith::CmpIPredicate::sle, value, high));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return arith::CmpIOp::create(k.b, k.loc, predicate, a, k.index(b));
  }

  /// Where the slice of `batch` begins, per operand dimension (null: 0),
  /// unclamped.
  Values readStart(const IndexNumbers &numbers, Value indices,
                   const BufferWords &type, ValueRange batch,
                   int64_t operandRank);
  Value combine(int64_t kind, int64_t dtype, Value a, Value b);
  void storeResult(Value value, ValueRange place) {
    memref::StoreOp::create(k.b, k.loc, value,
                            k.importOutput(call.getOutputs()[0]), place);
  }

  KernelBuilder &k;
  spmd::RuntimeCallOp call;
};

} // namespace

Value IndexEmitter::enter(int64_t total) {
  Value linear = add(multiply(k.getBlock(), getThreads(total)), k.getThread());
  auto guard = scf::IfOp::create(
      k.b, k.loc, compare(arith::CmpIPredicate::ult, linear, total));
  k.b.setInsertionPointToStart(guard.thenBlock());
  return linear;
}

Values IndexEmitter::readStart(const IndexNumbers &numbers, Value indices,
                               const BufferWords &type, ValueRange batch,
                               int64_t operandRank) {
  Values starts(operandRank);
  int64_t rank = type.shape.size();
  for (auto [position, dim] : llvm::enumerate(numbers.startMap)) {
    Values place(batch.begin(), batch.end());
    if (numbers.vectorDim < rank)
      place.insert(place.begin() + numbers.vectorDim, k.index(position));
    Value read = memref::LoadOp::create(k.b, k.loc, k.import(indices), place);
    Type index = k.b.getIndexType();
    starts[dim] =
        isUnsigned(type.dtype)
            ? Value(arith::IndexCastUIOp::create(k.b, k.loc, index, read))
            : Value(arith::IndexCastOp::create(k.b, k.loc, index, read));
  }
  for (auto [dim, other] :
       llvm::zip_equal(numbers.operandBatching, numbers.indicesBatching))
    starts[dim] = batch[other - (other > numbers.vectorDim)];
  return starts;
}

/// a op b; narrow floats in f32.
Value IndexEmitter::combine(int64_t kind, int64_t dtype, Value a, Value b) {
  if (kind == PARTITA_SET)
    return b;
  Type type = a.getType();
  if (isa<ComplexType>(type))
    return kind == PARTITA_ADD
               ? Value(complex::AddOp::create(k.b, k.loc, a, b))
               : Value(complex::MulOp::create(k.b, k.loc, a, b));
  bool isNarrow = isa<BFloat16Type, Float16Type>(type);
  if (isNarrow) {
    a = arith::ExtFOp::create(k.b, k.loc, k.b.getF32Type(), a);
    b = arith::ExtFOp::create(k.b, k.loc, k.b.getF32Type(), b);
  }
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(type), isPlain = isUnsigned(dtype);
  if (dtype == PARTITA_I1)
    kind = kind == PARTITA_ADD || kind == PARTITA_MAX   ? PARTITA_OR
           : kind == PARTITA_MUL || kind == PARTITA_MIN ? PARTITA_AND
                                                        : kind;
  Value result;
  switch (kind) {
  case PARTITA_ADD:
    result = op(isFloat ? Kind::addf : Kind::addi, a, b);
    break;
  case PARTITA_MUL:
    result = op(isFloat ? Kind::mulf : Kind::muli, a, b);
    break;
  case PARTITA_MAX:
    result = op(isFloat   ? Kind::maximumf
                : isPlain ? Kind::maxu
                          : Kind::maxs,
                a, b);
    break;
  case PARTITA_MIN:
    result = op(isFloat   ? Kind::minimumf
                : isPlain ? Kind::minu
                          : Kind::mins,
                a, b);
    break;
  case PARTITA_AND:
    result = arith::AndIOp::create(k.b, k.loc, a, b);
    break;
  case PARTITA_OR:
    result = arith::OrIOp::create(k.b, k.loc, a, b);
    break;
  default:
    result = arith::XOrIOp::create(k.b, k.loc, a, b);
  }
  return isNarrow ? Value(arith::TruncFOp::create(k.b, k.loc, type, result))
                  : result;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

static void emitGather(IndexEmitter &e) {
  CallWords words(e.call);
  IndexNumbers numbers(words);
  Words sliceSizes = words.list();
  const BufferWords &operand = words.inputs[0], &result = words.outputs[0];
  Values place = e.k.delinearize(e.enter(result.getCount()), result.shape);
  Values batch;
  for (auto [dim, index] : llvm::enumerate(place))
    if (!llvm::is_contained(numbers.offsetDims, static_cast<int64_t>(dim)))
      batch.push_back(index);
  Values from = e.readStart(numbers, e.call.getInputs()[1], words.inputs[1],
                            batch, operand.shape.size());
  auto offset = numbers.offsetDims.begin();
  using Kind = arith::AtomicRMWKind;
  for (auto [dim, start] : llvm::enumerate(from)) {
    int64_t d = dim;
    if (llvm::is_contained(numbers.startMap, d))
      start = e.op(Kind::mins, e.op(Kind::maxs, start, e.k.index(0)),
                   e.k.index(operand.shape[d] - sliceSizes[d]));
    bool isOffset = !llvm::is_contained(numbers.collapsed, d) &&
                    !llvm::is_contained(numbers.operandBatching, d);
    if (isOffset) {
      Value within = place[*offset++];
      start = start ? e.add(start, within) : within;
    } else if (!start) {
      start = e.k.index(0);
    }
  }
  Value value = memref::LoadOp::create(e.k.b, e.k.loc,
                                       e.k.import(e.call.getInputs()[0]), from);
  e.storeResult(value, place);
  e.leave(result.getCount());
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

namespace {

/// The loops of a scatter: over places in the window, and over the indices.
struct ScatterShape {
  IndexNumbers numbers; ///< offsetDims: of the window; collapsed: inserted
  int64_t kind;
  Words windowDims, scatterDims; ///< of the updates
  Words windowSizes, scatterSizes;
  Words extents; ///< of the window, per operand dimension
  explicit ScatterShape(CallWords &words) : numbers(words), kind(words.next()) {
    const BufferWords &updates = words.inputs[2];
    for (auto [dim, size] : llvm::enumerate(updates.shape)) {
      bool isWindow =
          llvm::is_contained(numbers.offsetDims, static_cast<int64_t>(dim));
      (isWindow ? windowDims : scatterDims).push_back(dim);
      (isWindow ? windowSizes : scatterSizes).push_back(size);
    }
    auto window = numbers.offsetDims.begin();
    for (size_t dim = 0; dim < words.inputs[0].shape.size(); ++dim)
      extents.push_back(isWindowed(dim) ? updates.shape[*window++] : 1);
  }
  bool isWindowed(int64_t dim) const {
    return !llvm::is_contained(numbers.collapsed, dim) &&
           !llvm::is_contained(numbers.operandBatching, dim);
  }
  static int64_t product(ArrayRef<int64_t> sizes) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  }
  /// Whether threads are the places in the window.
  bool isByWindow() const { return product(windowSizes) >= 64; }
};

} // namespace

/// Whether the whole window that begins at `starts` lies in the operand.
static Value isInside(IndexEmitter &e, const ScatterShape &shape,
                      ValueRange starts, const BufferWords &operand) {
  Value inside;
  for (auto [dim, start] : llvm::enumerate(starts))
    if (start)
      inside =
          e.both(inside,
                 e.isWithin(start, 0, operand.shape[dim] - shape.extents[dim]));
  return inside ? inside
                : Value(arith::ConstantIntOp::create(e.k.b, e.k.loc, 1, 1));
}

/// Index of an update from places in the window and among the indices.
static Values getUpdate(const ScatterShape &shape, ValueRange window,
                        ValueRange scatter) {
  Values place(window.size() + scatter.size());
  for (auto [dim, index] : llvm::zip_equal(shape.windowDims, window))
    place[dim] = index;
  for (auto [dim, index] : llvm::zip_equal(shape.scatterDims, scatter))
    place[dim] = index;
  return place;
}

/// A thread per place in the window; it applies all its updates in order.
static void emitScatterByWindow(IndexEmitter &e, CallWords &words,
                                const ScatterShape &shape) {
  const BufferWords &operand = words.inputs[0];
  int64_t total = ScatterShape::product(shape.windowSizes);
  Values window = e.k.delinearize(e.enter(total), shape.windowSizes);
  Value zero = e.k.index(0), one = e.k.index(1);
  Value count = e.k.index(ScatterShape::product(shape.scatterSizes));
  Value output = e.k.importOutput(e.call.getOutputs()[0]);
  Value updates = e.k.import(e.call.getInputs()[2]);
  auto loop = scf::ForOp::create(e.k.b, e.k.loc, zero, count, one);
  e.k.b.setInsertionPointToStart(loop.getBody());
  Values scatter = e.k.delinearize(loop.getInductionVar(), shape.scatterSizes);
  Values place = e.readStart(shape.numbers, e.call.getInputs()[1],
                             words.inputs[1], scatter, operand.shape.size());
  auto guard =
      scf::IfOp::create(e.k.b, e.k.loc, isInside(e, shape, place, operand));
  e.k.b.setInsertionPointToStart(guard.thenBlock());
  auto next = window.begin();
  for (auto [dim, start] : llvm::enumerate(place)) {
    Value within = shape.isWindowed(dim) ? *next++ : Value();
    start = start && within ? e.add(start, within)
            : start         ? start
            : within        ? within
                            : zero;
  }
  Value update = memref::LoadOp::create(e.k.b, e.k.loc, updates,
                                        getUpdate(shape, window, scatter));
  Value old = memref::LoadOp::create(e.k.b, e.k.loc, output, place);
  memref::StoreOp::create(e.k.b, e.k.loc,
                          e.combine(shape.kind, operand.dtype, old, update),
                          output, place);
  e.leave(total);
}

/// A thread per element of the operand; it looks for updates that meet it.
static void emitScatterByElement(IndexEmitter &e, CallWords &words,
                                 const ScatterShape &shape) {
  const BufferWords &operand = words.inputs[0];
  Values place = e.k.delinearize(e.enter(operand.getCount()), operand.shape);
  Value zero = e.k.index(0), one = e.k.index(1);
  Value count = e.k.index(ScatterShape::product(shape.scatterSizes));
  Value output = e.k.importOutput(e.call.getOutputs()[0]);
  Value updates = e.k.import(e.call.getInputs()[2]);
  Value old = memref::LoadOp::create(e.k.b, e.k.loc, output, place);
  auto loop =
      scf::ForOp::create(e.k.b, e.k.loc, zero, count, one, ValueRange(old));
  Value result = loop.getResult(0);
  {
    OpBuilder::InsertionGuard restore(e.k.b);
    e.k.b.setInsertionPointToStart(loop.getBody());
    Values scatter =
        e.k.delinearize(loop.getInductionVar(), shape.scatterSizes);
    Values starts = e.readStart(shape.numbers, e.call.getInputs()[1],
                                words.inputs[1], scatter, operand.shape.size());
    Value meets = isInside(e, shape, starts, operand);
    Values window;
    for (auto [dim, start] : llvm::enumerate(starts)) {
      Value within = start ? e.sub(place[dim], start) : place[dim];
      meets = e.both(meets, e.isWithin(within, 0, shape.extents[dim] - 1));
      if (shape.isWindowed(dim))
        window.push_back(within);
    }
    auto pick =
        scf::IfOp::create(e.k.b, e.k.loc, ValueRange(old).getTypes(), meets,
                          /*withElse=*/true);
    scf::YieldOp::create(e.k.b, e.k.loc, pick.getResults());
    e.k.b.setInsertionPointToStart(pick.thenBlock());
    Value update = memref::LoadOp::create(e.k.b, e.k.loc, updates,
                                          getUpdate(shape, window, scatter));
    scf::YieldOp::create(e.k.b, e.k.loc,
                         e.combine(shape.kind, operand.dtype,
                                   loop.getRegionIterArgs()[0], update));
    e.k.b.setInsertionPointToStart(pick.elseBlock());
    scf::YieldOp::create(e.k.b, e.k.loc, loop.getRegionIterArgs());
  }
  memref::StoreOp::create(e.k.b, e.k.loc, result, output, place);
  e.leave(operand.getCount());
}

//===----------------------------------------------------------------------===//
// Reduce window
//===----------------------------------------------------------------------===//

namespace {
struct WindowNumbers {
  Words window, strides, baseDilations, windowDilations, padding;
  int64_t kind;
  explicit WindowNumbers(CallWords &words)
      : window(words.list()), strides(words.list()),
        baseDilations(words.list()), windowDilations(words.list()),
        padding(words.list()), kind(words.next()) {}
};
} // namespace

static void emitReduceWindow(IndexEmitter &e) {
  CallWords words(e.call);
  WindowNumbers numbers(words);
  const BufferWords &operand = words.inputs[0], &result = words.outputs[0];
  OpBuilder &b = e.k.b;
  Location loc = e.k.loc;
  Values place = e.k.delinearize(e.enter(result.getCount()), result.shape);
  Value zero = e.k.index(0), one = e.k.index(1);
  Value input = e.k.import(e.call.getInputs()[0]);
  Value init = memref::LoadOp::create(b, loc, e.k.import(e.call.getInputs()[1]),
                                      ValueRange());
  int64_t count = ScatterShape::product(numbers.window);
  auto loop =
      scf::ForOp::create(b, loc, zero, e.k.index(count), one, ValueRange(init));
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(loop.getBody());
    Values within = e.k.delinearize(loop.getInductionVar(), numbers.window);
    Value isValid;
    Values from;
    for (size_t d = 0; d < place.size(); ++d) {
      Value at = e.add(e.multiply(place[d], numbers.strides[d]),
                       e.multiply(within[d], numbers.windowDilations[d]));
      at = e.sub(at, e.k.index(numbers.padding[2 * d]));
      int64_t dilation = numbers.baseDilations[d];
      isValid =
          e.both(isValid, e.isWithin(at, 0, (operand.shape[d] - 1) * dilation));
      if (dilation > 1) {
        Value by = e.k.index(dilation);
        Value rest = arith::RemSIOp::create(b, loc, at, by);
        isValid = e.both(isValid, e.compare(arith::CmpIPredicate::eq, rest, 0));
        at = arith::DivSIOp::create(b, loc, at, by);
      }
      from.push_back(at);
    }
    if (!isValid)
      isValid = arith::ConstantIntOp::create(b, loc, 1, 1);
    auto pick = scf::IfOp::create(b, loc, ValueRange(init).getTypes(), isValid,
                                  /*withElse=*/true);
    scf::YieldOp::create(b, loc, pick.getResults());
    b.setInsertionPointToStart(pick.thenBlock());
    Value value = memref::LoadOp::create(b, loc, input, from);
    scf::YieldOp::create(b, loc,
                         e.combine(numbers.kind, operand.dtype,
                                   loop.getRegionIterArgs()[0], value));
    b.setInsertionPointToStart(pick.elseBlock());
    scf::YieldOp::create(b, loc, loop.getRegionIterArgs());
  }
  e.storeResult(loop.getResult(0), place);
  e.leave(result.getCount());
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Whether our combine knows the reduction.
static bool isKnown(int64_t kind, int64_t dtype) {
  bool isComplex = dtype == PARTITA_C64 || dtype == PARTITA_C128;
  return kind != PARTITA_BODY &&
         (!isComplex || kind == PARTITA_ADD || kind == PARTITA_SET);
}

/// Reads and steps that a kernel may make before the host's would be faster.
static constexpr int64_t kMaxSteps = int64_t(1) << 33;

bool hasKernel(spmd::RuntimeCallOp call) {
  CallWords words(call);
  for (const BufferWords &output : words.outputs)
    if (output.getCount() == 0)
      return false;
  StringRef callee = call.getCallee();
  if (callee == "partita_gather")
    return words.inputs[0].getCount() > 0;
  if (callee == "partita_scatter" && words.outputs.size() == 1) {
    ScatterShape shape(words);
    int64_t indices = ScatterShape::product(shape.scatterSizes);
    return isKnown(shape.kind, words.inputs[0].dtype) &&
           words.inputs[2].getCount() > 0 &&
           (shape.isByWindow() ||
            words.inputs[0].getCount() * indices < kMaxSteps);
  }
  if (callee == "partita_reduce_window" && words.outputs.size() == 1) {
    WindowNumbers numbers(words);
    return isKnown(numbers.kind, words.inputs[0].dtype) &&
           words.inputs[0].getCount() > 0 &&
           ScatterShape::product(numbers.window) * words.outputs[0].getCount() <
               kMaxSteps;
  }
  return false;
}

void emitIndexKernel(spmd::RuntimeCallOp call,
                     function_ref<KernelBuilder(StringRef)> start) {
  StringRef callee = call.getCallee();
  if (callee == "partita_scatter") {
    // The kernel works on the output alone.
    Value operand = call.getInputs()[0], output = call.getOutputs()[0];
    if (operand != output) {
      OpBuilder host(call);
      memref::CopyOp::create(host, call.getLoc(), operand, output);
    }
    CallWords words(call);
    ScatterShape shape(words);
    KernelBuilder k = start("scatter");
    IndexEmitter e(k, call);
    return shape.isByWindow() ? emitScatterByWindow(e, words, shape)
                              : emitScatterByElement(e, words, shape);
  }
  KernelBuilder k =
      start(callee == "partita_gather" ? "gather" : "reduce_window");
  IndexEmitter e(k, call);
  callee == "partita_gather" ? emitGather(e) : emitReduceWindow(e);
}

} // namespace partita
