// Ends phase propagated: every ranked value outside op bodies has a closed
// sharding that fits its type.
#include "DataFlow.h"
#include "partita/Transforms/Propagation/Passes.h"

using namespace mlir;

namespace partita {
#define GEN_PASS_DEF_VERIFYPROPAGATEDPASS
#include "partita/Transforms/Propagation/Passes.h.inc"

namespace {

struct VerifyPropagated : impl::VerifyPropagatedPassBase<VerifyPropagated> {
  void runOnOperation() override {
    checked.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(checkFunction(function)))
        return signalPassFailure();
  }

  /// Types with shardings that fit them.
  llvm::DenseSet<std::pair<Type, Attribute>> checked;

  LogicalResult check(Operation *op, Type type, spmd::ShardingAttr sharding,
                      const Twine &what) {
    if (!isa<RankedTensorType>(type))
      return success();
    auto fail = [](InFlightDiagnostic error) {
      error.attachNote() << "fix: run spmd-propagate-shardings";
      return failure();
    };
    if (!sharding)
      return fail(op->emitOpError() << what << " has no sharding");
    // Few of a module's pairs differ, and the first bad one ends the pass.
    if (!checked.insert({type, sharding}).second)
      return success();
    if (!llvm::all_of(sharding.getDims(), [](spmd::DimShardingAttr dim) {
          return dim.getIsClosed() && !dim.hasPriority();
        }))
      return fail(op->emitOpError()
                  << what << " has the open sharding " << sharding);
    return sharding.verifyForType(
        type, spmd::lookupMesh(op, sharding.getMesh()),
        [&]() { return op->emitOpError() << what << ": "; });
  }

  LogicalResult checkFunction(func::FuncOp function) {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (failed(check(function, type,
                       spmd::getSharding(function.getArgument(i)),
                       "argument " + Twine(i))))
        return failure();
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (failed(check(function, type, spmd::getResultSharding(function, i),
                       "result " + Twine(i))))
        return failure();
    return checkRegion(function.getBody());
  }

  LogicalResult checkRegion(Region &region) {
    for (Operation &op : region.getOps()) {
      for (OpResult value : op.getResults())
        if (failed(check(&op, value.getType(), spmd::getSharding(value),
                         "result " + Twine(value.getResultNumber()))))
          return failure();
      if (auto manual = dyn_cast<spmd::ManualOp>(&op))
        for (BlockArgument argument : manual.getBody().getArguments())
          if (failed(check(&op, argument.getType(), spmd::getSharding(argument),
                           "argument " + Twine(argument.getArgNumber()))))
            return failure();
      if (!propagation::isRegionFlow(&op))
        continue;
      for (Region &inner : op.getRegions())
        if (failed(checkRegion(inner)))
          return failure();
    }
    return success();
  }
};

} // namespace
} // namespace partita
