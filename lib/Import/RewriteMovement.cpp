// spmd-rewrite-movement: data movement that is hidden inside an op becomes ops
// that placement can put where it is cheap. Before: phase propagated. After:
// the same; an op whose dimensions are whole on each device is as it was, so
// that engines keep their fast forms of it.

#include "Movements.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/BuiltinOps.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_REWRITEMOVEMENTPASS
#include "partita/Import/Passes.h.inc"

bool isDimSharded(Value value, int64_t dim) {
  spmd::ShardingAttr sharding = spmd::getSharding(value);
  return sharding && !sharding.getDims()[dim].getAxes().empty();
}

Value withSharding(Value value, spmd::ShardingAttr sharding) {
  spmd::setSharding(value, sharding);
  return value;
}

Value makeConstant(OpBuilder &b, Location loc, ElementsAttr attribute,
                   spmd::ShardingAttr like) {
  return withSharding(stablehlo::ConstantOp::create(b, loc, attribute),
                      spmd::ShardingAttr::getReplicated(
                          b.getContext(), like.getMesh().getValue(),
                          attribute.getShapedType().getRank(),
                          /*isClosed=*/true));
}

/// Moves the body of the callee, which no one else calls, to the call.
static void inlineCallee(func::CallOp call, SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  Block &body = callee.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), call.getOperands()))
    argument.replaceAllUsesWith(operand);
  Operation *terminator = body.getTerminator();
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), terminator->getOperands()))
    result.replaceAllUsesWith(value);
  call->getBlock()->getOperations().splice(call->getIterator(),
                                           body.getOperations(), body.begin(),
                                           terminator->getIterator());
  call.erase();
  symbols.erase(callee);
}

namespace {

struct RewriteMovementPass
    : impl::RewriteMovementPassBase<RewriteMovementPass> {
  void runOnOperation() override {
    inlinePads();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<stablehlo::FftOp, stablehlo::SliceOp, stablehlo::ScatterOp,
              stablehlo::ConcatenateOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      rewrite(op);
  }

  /// jnp.pad comes as a call.
  void inlinePads() {
    SymbolTable symbols(getOperation());
    llvm::SetVector<Operation *> calls;
    getOperation().walk([&](stablehlo::SliceOp slice) {
      if (func::CallOp call = findCallOfPad(slice.getOperand(), symbols))
        calls.insert(call);
    });
    for (Operation *call : calls)
      inlineCallee(cast<func::CallOp>(call), symbols);
  }

  void rewrite(Operation *op) {
    OpBuilder b(op);
    for (auto *rewriting : {splitTransform, foldSliceOfPad, foldRoll,
                            foldSliceOfExtension, placeWindow}) {
      Value value = rewriting(op, b);
      if (!value)
        continue;
      for (NamedAttribute attribute : op->getDiscardableAttrs())
        if (Operation *made = value.getDefiningOp();
            made && made->isBeforeInBlock(op) &&
            !made->hasAttr(attribute.getName()) &&
            attribute.getName() != spmd::SPMDDialect::getShardingsAttrName() &&
            !llvm::is_contained(op->getOperands(), value))
          made->setDiscardableAttr(attribute.getName(), attribute.getValue());
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      ++numRewritten;
      return;
    }
  }
};

} // namespace

} // namespace partita
