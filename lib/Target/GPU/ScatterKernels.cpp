// scatter with a thread per element of the window (the updates of one element
// follow each other, so that reruns are bit-equal) or, where windows are small,
// per element of the operand. The semantics are those of lib/Runtime's kernel.

#include "IndexEmitter.h"

using namespace mlir;

namespace partita {

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
  /// Whether threads are the places in the window.
  bool isByWindow() const { return getProduct(windowSizes) >= 64; }
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
  int64_t total = getProduct(shape.windowSizes);
  Values window = e.k.delinearize(e.enter(total), shape.windowSizes);
  Value zero = e.k.index(0), one = e.k.index(1);
  Value count = e.k.index(getProduct(shape.scatterSizes));
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
  Value count = e.k.index(getProduct(shape.scatterSizes));
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

bool hasScatterKernel(CallWords &words) {
  if (words.outputs.size() != 1)
    return false;
  ScatterShape shape(words);
  int64_t indices = getProduct(shape.scatterSizes);
  return isKnownReduction(shape.kind, words.inputs[0].dtype) &&
         words.inputs[2].getCount() > 0 &&
         (shape.isByWindow() ||
          words.inputs[0].getCount() * indices < kMaxSteps);
}

void emitScatter(IndexEmitter &e) {
  CallWords words(e.call);
  ScatterShape shape(words);
  shape.isByWindow() ? emitScatterByWindow(e, words, shape)
                     : emitScatterByElement(e, words, shape);
}

} // namespace partita
