// Pointwise kernels, and the body of a linalg op for one thread.

#include "KernelEmitter.h"

using namespace mlir;

namespace partita {

/// Threads of a block for `work` threads in all: whole warps.
static int64_t chooseThreads(int64_t work) {
  return std::min<int64_t>(256, (work + 31) / 32 * 32);
}

KernelBuilder KernelEmitter::start(StringRef name, Operation *at) {
  ++numKernels;
  return KernelBuilder(
      kernels, (name + "_" + Twine(nextName++)).str(), at->getLoc(), at,
      [this, at](memref::LoadOp load) { return canSink(load, at); });
}

KernelEmitter::Values KernelEmitter::emitBody(KernelBuilder &k,
                                              linalg::GenericOp op,
                                              ValueRange loops,
                                              ValueRange accumulators,
                                              DenseMap<Value, Value> *stored) {
  IRMapping mapping;
  unsigned inputs = op.getNumDpsInputs();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    unsigned number = operand.getOperandNumber();
    if (argument.use_empty())
      continue;
    if (number >= inputs && !accumulators.empty()) {
      mapping.map(argument, accumulators[number - inputs]);
      continue;
    }
    Value value = operand.get();
    if (!isa<MemRefType>(value.getType())) {
      mapping.map(argument, k.import(value));
      continue;
    }
    if (stored) {
      if (Value known = stored->lookup(value)) {
        mapping.map(argument, known);
        continue;
      }
    }
    Value buffer = k.import(value);
    Values indices = k.apply(op.getMatchingIndexingMap(&operand), loops);
    mapping.map(argument, memref::LoadOp::create(k.b, k.loc, buffer, indices));
  }
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (auto at = dyn_cast<linalg::IndexOp>(nested))
      mapping.map(at.getResult(), loops[at.getDim()]);
    else
      k.clone(nested, mapping);
  }
  Values results;
  for (Value yielded : op.getBody()->getTerminator()->getOperands())
    results.push_back(mapping.contains(yielded) ? mapping.lookup(yielded)
                                                : k.import(yielded));
  return results;
}

void KernelEmitter::store(KernelBuilder &k, linalg::GenericOp op,
                          ValueRange loops, ValueRange values) {
  for (auto [index, value] : llvm::enumerate(values)) {
    OpOperand *output = op.getDpsInitOperand(index);
    Value buffer = k.importOutput(output->get());
    memref::StoreOp::create(k.b, k.loc, value, buffer,
                            k.apply(op.getMatchingIndexingMap(output), loops));
  }
}

void KernelEmitter::emitPointwise(ArrayRef<linalg::GenericOp> group,
                                  const DenseSet<Value> &elided) {
  linalg::GenericOp last = group.back();
  SmallVector<int64_t> sizes = last.getStaticLoopRanges();
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  KernelBuilder k = start(group.size() == 1 ? "map" : "maps", last);
  int64_t threads = chooseThreads(total);
  Value linear = arith::AddIOp::create(
      k.b, k.loc,
      arith::MulIOp::create(k.b, k.loc, k.getBlock(), k.index(threads)),
      k.getThread());
  Value isInside = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult,
                                         linear, k.index(total));
  auto guard = scf::IfOp::create(k.b, k.loc, isInside);
  k.b.setInsertionPointToStart(guard.thenBlock());
  Values loops = k.delinearize(linear, sizes);
  DenseMap<Value, Value> stored;
  for (linalg::GenericOp op : group) {
    Values values = emitBody(k, op, loops, {}, &stored);
    for (auto [index, value] : llvm::enumerate(values)) {
      OpOperand *output = op.getDpsInitOperand(index);
      stored[output->get()] = value;
      if (elided.contains(output->get()))
        continue;
      Value buffer = k.importOutput(output->get());
      memref::StoreOp::create(
          k.b, k.loc, value, buffer,
          k.apply(op.getMatchingIndexingMap(output), loops));
    }
  }
  k.launch((total + threads - 1) / threads, threads);
}

} // namespace partita
