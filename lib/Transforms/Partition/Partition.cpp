// spmd-partition: the per-device program of a placed whole-array program.
//
// Before: phase placed. After: functions have local signatures, bodies have
// local shapes, communication is spmd collectives only. Merging equal
// functions, combining and scheduling collectives are left to later passes.

#include "dialects/SPMD/SignatureAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Building/PartitionBuilder.h"
#include "partita/Building/ReshardEmitter.h"
#include "partita/Transforms/Partition/Passes.h"
#include "partita/Transforms/Placement/VerifyPlaced.h"

namespace partita {
#define GEN_PASS_DEF_PARTITIONPASS
#include "partita/Transforms/Partition/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

constexpr StringLiteral kGlobalType = "spmd.global_type";

/// Local types of a function's results by their shardings.
SmallVector<Type> getLocalResultTypes(func::FuncOp function,
                                      ReshardEmitter &emitter) {
  SmallVector<Type> types(function.getResultTypes());
  for (auto [index, type] : llvm::enumerate(types))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (spmd::ShardingAttr sharding =
              spmd::getResultSharding(function, index))
        type =
            sharding.getLocalType(tensor, emitter.getMesh(sharding.getMesh()));
  return types;
}

/// Rewrites `function` in place: its body is emitted anew with local shapes.
LogicalResult partitionFunction(func::FuncOp function,
                                ReshardEmitter &emitter) {
  if (function.isExternal()) {
    InFlightDiagnostic diagnostic =
        function.emitOpError("is a declaration: its body can't be partitioned");
    diagnostic.attachNote() << "fix: give the function a body";
    return diagnostic;
  }
  OpBuilder b(function.getContext());
  SmallVector<Type> results = getLocalResultTypes(function, emitter);
  Region local;
  PartitionBuilder builder(b, emitter);
  if (failed(builder.partitionFunctionBody(function, local)))
    return failure();
  function.getBody().getBlocks().clear();
  function.getBody().takeBody(local);
  spmd::changeSignatureAttributes(
      function, [](NamedAttrList &attributes, Type global) {
        if (isa<RankedTensorType>(global))
          attributes.set(kGlobalType, TypeAttr::get(global));
      });
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().getArgumentTypes(), results));
  return success();
}

struct Partition : impl::PartitionPassBase<Partition> {
  using PartitionPassBase::PartitionPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<ReshardEmitter> emitter =
        ReshardEmitter::get(module, machine, objective);
    if (failed(emitter) || (checkPlaced && failed(verifyPlaced(module))))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(partitionFunction(function, *emitter)))
        return signalPassFailure();
    module.walk([&](spmd::CollectiveOpInterface) { ++numCollectives; });
  }
};

} // namespace
} // namespace partita
