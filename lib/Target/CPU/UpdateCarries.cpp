// cpu-update-carries: a carried value that the loop computes anew or updates in
// place is not copied first.
//
// StableHLOToLinalg writes every carried value back to its own buffer at the
// end of the body and copies it before, since it may share a buffer with
// another carried value. Once calls are inlined one sees where values come
// from: those of an op with a destination of its own, results of branches, and
// parts inserted into the carried value itself, share nothing. Bufferization
// still copies where the old value is read after the update.

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_UPDATECARRIESPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// True if `value` is computed into an empty tensor.
bool isComputed(Value value) {
  // cpu-own-branch-results sees to that.
  if (value.getDefiningOp<scf::IfOp>())
    return true;
  auto op = value.getDefiningOp<DestinationStyleOpInterface>();
  if (!op || isa<bufferization::MaterializeInDestinationOp>(op))
    return false;
  OpOperand *init = op.getTiedOpOperand(cast<OpResult>(value));
  return init->get().getDefiningOp<tensor::EmptyOp>();
}

/// True if `value` is in memory of its own. An op result that is also carried
/// elsewhere has only one place in which it can be computed.
bool hasOwnDestination(Value value) {
  return isComputed(value) &&
         llvm::count_if(value.getUsers(), [](Operation *user) {
           return isa<bufferization::AllocTensorOp, scf::YieldOp,
                      bufferization::MaterializeInDestinationOp>(user);
         }) == 1;
}

/// True if `value` is `carried` with parts inserted.
bool isUpdateOf(Value value, Value carried) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  while (insert && insert->hasOneUse()) {
    if (insert.getDest() == carried)
      return true;
    insert = insert.getDest().getDefiningOp<tensor::InsertSliceOp>();
  }
  return false;
}

struct UpdateCarries : impl::UpdateCarriesPassBase<UpdateCarries> {
  void runOnOperation() override {
    getOperation().walk([&](scf::WhileOp loop) {
      Block *body = loop.getAfterBody();
      for (auto [operand, argument] : llvm::zip_equal(
               body->getTerminator()->getOperands(), body->getArguments()))
        if (auto write =
                operand
                    .getDefiningOp<bufferization::MaterializeInDestinationOp>())
          visit(write, argument);
    });
  }

  void visit(bufferization::MaterializeInDestinationOp write, Value carried) {
    auto copy = write.getSource().getDefiningOp<bufferization::AllocTensorOp>();
    if (!copy || !copy.getCopy() || !copy->hasOneUse() ||
        write.getDest() != carried)
      return;
    Value value = copy.getCopy();
    if (!hasOwnDestination(value) && !isUpdateOf(value, carried))
      return;
    write.getSourceMutable().assign(value);
    copy.erase();
    ++numUpdated;
  }
};

} // namespace
} // namespace partita
