// Both ends of a collective's window, from its operands and uses.

#include "CollectiveWindow.h"
#include "mlir/IR/Block.h"

using namespace mlir;

namespace partita {

Operation *findLastSource(Operation *op) {
  Operation *last = nullptr;
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (source && source->getBlock() == op->getBlock() &&
        (!last || last->isBeforeInBlock(source)))
      last = source;
  }
  return last;
}

Operation *findFirstReader(Operation *op) {
  Block *block = op->getBlock();
  Operation *first = block->getTerminator();
  for (Operation *user : op->getUsers())
    if (Operation *inBlock = block->findAncestorOpInBlock(*user))
      if (inBlock->isBeforeInBlock(first))
        first = inBlock;
  return first;
}

} // namespace partita
