// reduce_window with a thread per element of the result. The semantics are
// those of lib/Runtime's kernel.

#include "IndexEmitter.h"

using namespace mlir;

namespace partita {

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

void emitReduceWindow(IndexEmitter &e) {
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
  int64_t count = getProduct(numbers.window);
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

bool hasWindowKernel(CallWords &words) {
  if (words.outputs.size() != 1)
    return false;
  WindowNumbers numbers(words);
  return isKnownReduction(numbers.kind, words.inputs[0].dtype) &&
         words.inputs[0].getCount() > 0 &&
         getProduct(numbers.window) * words.outputs[0].getCount() < kMaxSteps;
}

} // namespace partita
