// Which runtime calls are kernels, and the kernel of gather: a thread per
// element of the result, as in lib/Runtime.

#include "IndexEmitter.h"

using namespace mlir;

namespace partita {

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

bool hasKernel(spmd::RuntimeCallOp call) {
  CallWords words(call);
  for (const BufferWords &output : words.outputs)
    if (output.getCount() == 0)
      return false;
  StringRef callee = call.getCallee();
  if (callee == "partita_gather")
    return words.inputs[0].getCount() > 0;
  if (callee == "partita_scatter")
    return hasScatterKernel(words);
  return callee == "partita_reduce_window" && hasWindowKernel(words);
}

void emitIndexKernel(spmd::RuntimeCallOp call,
                     function_ref<KernelBuilder(StringRef)> start) {
  StringRef callee = call.getCallee();
  if (callee == "partita_scatter") {
    Value operand = call.getInputs()[0], output = call.getOutputs()[0];
    if (operand != output) {
      OpBuilder host(call);
      memref::CopyOp::create(host, call.getLoc(), operand, output);
    }
    KernelBuilder k = start("scatter");
    IndexEmitter e(k, call);
    return emitScatter(e);
  }
  KernelBuilder k =
      start(callee == "partita_gather" ? "gather" : "reduce_window");
  IndexEmitter e(k, call);
  callee == "partita_gather" ? emitGather(e) : emitReduceWindow(e);
}

} // namespace partita
