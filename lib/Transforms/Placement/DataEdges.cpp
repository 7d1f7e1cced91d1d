// Data flow edges by interface: what placement reshards on and verifies.

#include "DataEdges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace partita {

bool isDataFlow(Operation *op) {
  return isa<spmd::ManualOp, func::CallOp, RegionBranchOpInterface>(op);
}

bool forwardsEach(Operation *op, const spmd::ShardingRule &rule) {
  return rule.propagation == spmd::PropagationClass::DataFlow &&
         op->getNumResults() > 1 &&
         op->getNumResults() == op->getNumOperands();
}

static void forEachBranchEntry(RegionBranchOpInterface branch,
                               EdgeVisitor visit) {
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (RegionSuccessor &successor : successors) {
    OperandRange forwarded = branch.getEntrySuccessorOperands(successor);
    if (forwarded.empty())
      continue;
    unsigned first = forwarded.getBeginOperandIndex();
    size_t count = forwarded.size();
    for (auto [index, input] : llvm::enumerate(successor.getSuccessorInputs()))
      if (index < count)
        visit(branch->getOpOperand(first + index),
              {spmd::getSharding(input), input});
  }
}

void forEachEntryEdge(Operation *op, const SymbolTable &symbols,
                      EdgeVisitor visit) {
  if (auto manual = dyn_cast<spmd::ManualOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      visit(operand, {cast<spmd::ShardingAttr>(
                          manual.getInShardings()[operand.getOperandNumber()]),
                      Value()});
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = callee.getArgument(operand.getOperandNumber());
      visit(operand, {spmd::getSharding(argument), argument});
    }
  } else if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    forEachBranchEntry(branch, visit);
  }
}

void forEachExitEdge(Operation *terminator, EdgeVisitor visit) {
  Operation *parent = terminator->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(parent)) {
    for (OpOperand &operand : terminator->getOpOperands())
      visit(operand,
            {spmd::getResultSharding(function, operand.getOperandNumber()),
             Value()});
    return;
  }
  if (auto manual = dyn_cast<spmd::ManualOp>(parent)) {
    for (OpOperand &operand : terminator->getOpOperands())
      visit(operand,
            {manual.getBodySharding(cast<spmd::ShardingAttr>(
                 manual.getOutShardings()[operand.getOperandNumber()])),
             Value()});
    return;
  }
  auto branch = dyn_cast<RegionBranchOpInterface>(parent);
  auto exit = dyn_cast<RegionBranchTerminatorOpInterface>(terminator);
  if (!branch || !exit)
    return;
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint(exit), successors);
  for (RegionSuccessor &successor : successors) {
    ValueRange inputs = successor.getSuccessorInputs();
    // A loop's condition returns the predicate, which becomes no input.
    if (inputs.size() != terminator->getNumOperands())
      continue;
    for (auto [operand, input] :
         llvm::zip_equal(terminator->getOpOperands(), inputs))
      if (operand.get().getType() == input.getType())
        visit(operand, {spmd::getSharding(input), input});
  }
}

} // namespace partita
