// Control flow on tensors: scf.while and scf.index_switch.

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
  // share its buffer, is copied first: carries may trade places.
  auto carried = [&] { return llvm::zip(operands, block->getArguments()); };
  for (auto [operand, argument] : carried())
    if (operand != argument && !operand.getDefiningOp<linalg::LinalgOp>())
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
    int64_t branches = op->getNumRegions();
    bool isIf = isa<stablehlo::IfOp>(op);
    // `if` has the true branch first; an index out of range takes the last.
    Value index = isIf ? Value(arith::IndexCastUIOp::create(
                             b, loc, b.getIndexType(), selector))
                       : Value(arith::IndexCastOp::create(
                             b, loc, b.getIndexType(), selector));
    SmallVector<int64_t> cases;
    for (int64_t i = 0; i + 1 < branches; ++i)
      cases.push_back(isIf ? 1 : i);
    auto switchOp =
        scf::IndexSwitchOp::create(b, loc, types, index, cases, cases.size());
    for (int64_t i = 0; i + 1 < branches; ++i)
      if (failed(emitRegion(op->getRegion(i), switchOp.getCaseRegions()[i], {},
                            false)))
        return failure();
    if (failed(emitRegion(op->getRegion(branches - 1),
                          switchOp.getDefaultRegion(), {}, false)))
      return failure();
    return bind(op, switchOp.getResults());
  }
  if (isa<stablehlo::OptimizationBarrierOp>(op)) {
    handled = true;
    return bind(op, get(op->getOperands()));
  }
  return success();
}

} // namespace partita
