// Control flow on tensors: scf.while and scf.if.

#include "LinalgEmitter.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace partita {

LogicalResult LinalgEmitter::emitRegion(Region &from, Region &to,
                                        ArrayRef<Type> argumentTypes,
                                        bool isCondition) {
  OpBuilder::InsertionGuard guard(b);
  to.getBlocks().clear();
  Block *block =
      b.createBlock(&to, to.end(), argumentTypes,
                    SmallVector<Location>(argumentTypes.size(), from.getLoc()));
  for (auto [original, argument] :
       llvm::zip_equal(from.getArguments(), block->getArguments()))
    mapping.map(original, argument);
  for (Operation &op : from.front().without_terminator())
    if (failed(emitOp(&op)))
      return failure();
  Operation *terminator = from.front().getTerminator();
  loc = terminator->getLoc();
  SmallVector<Value> operands = get(terminator->getOperands());
  if (isCondition) {
    scf::ConditionOp::create(b, loc, extractScalar(operands.front()),
                             block->getArguments());
    return success();
  }
  // Carried values stay in their buffers. What may be another carried value, or
  // share its buffer, is copied first: carries may trade places. An op computes
  // one carried value in place; where it is carried again, too, it is copied.
  auto carried = [&] { return llvm::zip(operands, block->getArguments()); };
  llvm::SmallDenseSet<Value> inPlace;
  for (auto [operand, argument] : carried())
    if (operand != argument && !(operand.getDefiningOp<linalg::LinalgOp>() &&
                                 inPlace.insert(operand).second))
      operand = bufferization::AllocTensorOp::create(
          b, loc, cast<RankedTensorType>(operand.getType()), ValueRange(),
          operand);
  for (auto [operand, argument] : carried())
    if (operand != argument)
      operand = bufferization::MaterializeInDestinationOp::create(
                    b, loc, operand.getType(), operand, argument)
                    ->getResult(0);
  scf::YieldOp::create(b, loc, operands);
  return success();
}

/// The body of an async op runs where it starts.
LogicalResult LinalgEmitter::emitAsync(Operation *op, bool &handled) {
  if (auto start = dyn_cast<stablehlo::AsyncStartOp>(op)) {
    handled = true;
    Block &body = start.getBody().front();
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), start.getOperands()))
      mapping.map(argument, get(operand));
    for (Operation &nested : body.without_terminator())
      if (failed(emitOp(&nested)))
        return failure();
    futures[start.getResult()] = get(body.getTerminator()->getOperands());
    return success();
  }
  if (auto done = dyn_cast<stablehlo::AsyncDoneOp>(op)) {
    auto values = futures.find(done.getOperand());
    if (values == futures.end() || values->second.size() != op->getNumResults())
      return success();
    handled = true;
    return bind(op, values->second);
  }
  return success();
}

/// Branches from number `branch` on, one scf.if in the other: bufferization
/// does not see that results of scf.index_switch share the buffers of what
/// branches return. `if` has the true branch first; an index out of range takes
/// the last.
FailureOr<ValueRange> LinalgEmitter::emitBranch(Operation *op, unsigned branch,
                                                Value selector,
                                                TypeRange types) {
  Value taken = selector;
  if (!isa<stablehlo::IfOp>(op))
    taken = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, selector,
        arith::ConstantIntOp::create(b, loc, selector.getType(), branch));
  auto choice = scf::IfOp::create(b, loc, types, taken, true, true);
  auto emitRest = [&]() -> LogicalResult {
    unsigned last = op->getNumRegions() - 1;
    if (branch + 1 >= last)
      return emitRegion(op->getRegion(last), choice.getElseRegion(), {}, false);
    OpBuilder::InsertionGuard guard(b);
    choice.getElseRegion().getBlocks().clear();
    b.createBlock(&choice.getElseRegion());
    FailureOr<ValueRange> rest = emitBranch(op, branch + 1, selector, types);
    if (failed(rest))
      return failure();
    scf::YieldOp::create(b, loc, *rest);
    return success();
  };
  if (failed(emitRegion(op->getRegion(branch), choice.getThenRegion(), {},
                        false)) ||
      failed(emitRest()))
    return failure();
  return ValueRange(choice.getResults());
}

LogicalResult LinalgEmitter::emitControlFlow(Operation *op, bool &handled) {
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), convertType);
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
    handled = true;
    auto whileOp = scf::WhileOp::create(b, loc, types, get(op->getOperands()));
    if (failed(emitRegion(loop.getCond(), whileOp.getBefore(), types, true)) ||
        failed(emitRegion(loop.getBody(), whileOp.getAfter(), types, false)))
      return failure();
    return bind(op, whileOp.getResults());
  }
  if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op)) {
    handled = true;
    Value selector = extractScalar(get(op->getOperand(0)));
    FailureOr<ValueRange> results = emitBranch(op, 0, selector, types);
    return failed(results) ? failure() : bind(op, *results);
  }
  if (isa<stablehlo::OptimizationBarrierOp>(op)) {
    handled = true;
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults()))
      if (isa<RankedTensorType>(result.getType())) // tokens have no value
        mapping.map(result, get(operand));
    return success();
  }
  return success();
}

} // namespace partita
