// Visits ops and regions of a placed program and emits their local form.

#include "dialects/SPMD/Effects.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Building/PartitionBuilder.h"

using namespace mlir;

namespace partita {

LogicalResult PartitionBuilder::partitionRegion(Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(b);
  for (Block &block : from) {
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (BlockArgument argument : block.getArguments()) {
      types.push_back(getLocalType(argument));
      locations.push_back(argument.getLoc());
    }
    Block *local = b.createBlock(&to, to.end(), types, locations);
    for (auto [original, argument] :
         llvm::zip_equal(block.getArguments(), local->getArguments()))
      bind(original, argument);
    b.setInsertionPointToEnd(local);
    if (failed(partitionOps(block)) ||
        failed(visitTerminator(block.getTerminator())))
      return failure();
  }
  return success();
}

LogicalResult PartitionBuilder::partitionFunctionBody(func::FuncOp function,
                                                      Region &to) {
  op = function;
  return partitionRegion(function.getBody(), to);
}

LogicalResult PartitionBuilder::partitionOps(Block &block) {
  for (Operation &nested : block.without_terminator())
    if (failed(visit(&nested)))
      return failure();
  return success();
}

LogicalResult PartitionBuilder::visitTerminator(Operation *terminator) {
  SmallVector<Value> operands;
  for (Value operand : terminator->getOperands())
    operands.push_back(any(operand));
  Operation *clone = b.clone(*terminator);
  clone->setOperands(operands);
  return success();
}

/// What users wrote on an op: not its shardings, nor who has its effects.
static bool isCarried(NamedAttribute attribute) {
  return attribute.getName() != spmd::SPMDDialect::getShardingsAttrName() &&
         attribute.getName() != spmd::kDevice &&
         attribute.getName() != spmd::kEachDevice;
}

/// Puts the discardable attributes of `original` on the ops that define its
/// results' `locals`, where these are in `block` after `before` (null: its
/// start).
static void carryAttributes(Operation *original, Block *block,
                            Operation *before, ValueRange locals) {
  for (Value local : locals) {
    Operation *made = local ? local.getDefiningOp() : nullptr;
    if (!made || made->getBlock() != block ||
        (before && !before->isBeforeInBlock(made)))
      continue;
    for (NamedAttribute attribute : original->getDiscardableAttrs())
      if (isCarried(attribute) && !made->hasAttr(attribute.getName()))
        made->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }
}

LogicalResult PartitionBuilder::visit(Operation *visited) {
  Operation *outer = op;
  op = visited;
  bool carries = llvm::any_of(visited->getDiscardableAttrs(), isCarried);
  Block *block = b.getInsertionBlock();
  Operation *before = block->empty() ? nullptr : &block->back();
  LogicalResult result = dispatch();
  op = outer;
  if (failed(result) || !carries || isa<spmd::ManualOp>(visited))
    return result;
  SmallVector<Value> locals;
  for (Value value : visited->getResults())
    locals.push_back(values.lookup(value).local);
  carryAttributes(visited, block, before, locals);
  return result;
}

LogicalResult PartitionBuilder::dispatch() {
  if (auto reshardOp = dyn_cast<spmd::ReshardOp>(op)) {
    FailureOr<ShardedValue> moved =
        reshard(get(reshardOp.getInput()), reshardOp.getSharding());
    if (failed(moved))
      return failure();
    bindAs(reshardOp.getResult(), *moved);
    return success();
  }
  if (auto manual = dyn_cast<spmd::ManualOp>(op))
    return visitManual(manual);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    SmallVector<Value> operands;
    for (Value operand : call.getOperands())
      operands.push_back(any(operand));
    Operation *clone = cloneLocal(operands);
    for (auto [original, local] :
         llvm::zip_equal(call.getResults(), clone->getResults()))
      bind(original, local);
    return success();
  }
  if (auto shardable = dyn_cast<spmd::ShardableOpInterface>(op))
    return shardable.partition(*this);
  InFlightDiagnostic diagnostic =
      refuse() << "has no op model, so it can't be partitioned";
  diagnostic.attachNote()
      << "fix: add a model to lib/OpModels, or replace the op in the program";
  return diagnostic;
}

LogicalResult PartitionBuilder::visitManual(spmd::ManualOp manual) {
  Block &body = manual.getBody().front();
  // The operand's buffer is the body's: manual axes are the major ones of each
  // dimension and divide it evenly.
  for (auto [operand, argument] :
       llvm::zip_equal(manual.getInputs(), body.getArguments()))
    bind(argument, any(operand));
  if (failed(partitionOps(body)))
    return failure();
  for (auto [result, returned] : llvm::zip_equal(
           manual.getResults(), body.getTerminator()->getOperands())) {
    Value local = any(returned);
    if (local.getType() != getLocalType(result)) {
      InFlightDiagnostic diagnostic =
          refuse() << "result #" << result.getResultNumber()
                   << " is laid out as " << spmd::getSharding(result)
                   << ", whose local type " << getLocalType(result)
                   << " is not the body's " << local.getType();
      diagnostic.attachNote(returned.getLoc())
          << "the value is returned from here";
      diagnostic.attachNote() << "fix: choose free axes whose size divides the "
                                 "region's local dimension";
      return diagnostic;
    }
    bind(result, local);
  }
  return success();
}

} // namespace partita
