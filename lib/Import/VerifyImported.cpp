// spmd-verify-imported: closes the phase *imported*. Checks only.
#include "dialects/CHLO/CHLO.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_VERIFYIMPORTEDPASS
#include "partita/Import/Passes.h.inc"

static bool isForeignAttribute(StringAttr name) {
  return name.getValue().starts_with("sdy.") || name == "mhlo.sharding";
}

static LogicalResult checkNoForeign(Operation *op,
                                    ArrayRef<NamedAttribute> list,
                                    const Twine &where) {
  for (NamedAttribute attribute : list)
    if (isForeignAttribute(attribute.getName()))
      return spmd::failWithFix(op->emitOpError() << where << "still has "
                                                 << attribute.getName(),
                               "run spmd-import-sdy and "
                               "spmd-import-mhlo-shardings");
  return success();
}

static LogicalResult checkMesh(Operation *op, Attribute value) {
  auto sharding = dyn_cast<spmd::ShardingAttr>(value);
  if (!sharding)
    return success();
  return spmd::requireMesh(op, sharding.getMesh());
}

/// Checks `op` alone: its dialect, its attributes, its meshes.
static LogicalResult checkOp(Operation *op) {
  bool isKnown =
      isa<ModuleOp>(op) ||
      isa_and_nonnull<func::FuncDialect, stablehlo::StableHLODialect,
                      chlo::CHLODialect, spmd::SPMDDialect>(op->getDialect());
  if (!isKnown)
    return spmd::failWithFix(
        op->emitOpError() << "is of a dialect that Partita does not read",
        "lower it to StableHLO first");
  if (op->hasTrait<stablehlo::CollectiveOp>() ||
      isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op))
    return spmd::failWithFix(op->emitOpError()
                                 << "names replica groups or device "
                                    "numbers",
                             "run spmd-import-collectives");
  if (failed(checkNoForeign(op, op->getDiscardableAttrDictionary().getValue(),
                            "")))
    return failure();
  // Of properties, only those of our own ops name meshes.
  bool isOwn = isa_and_nonnull<spmd::SPMDDialect>(op->getDialect());
  for (NamedAttribute attribute :
       isOwn ? op->getAttrDictionary() : op->getRawDictionaryAttrs()) {
    if (failed(checkMesh(op, attribute.getValue())))
      return failure();
    if (auto list = dyn_cast<ArrayAttr>(attribute.getValue()))
      for (Attribute entry : list)
        if (failed(checkMesh(op, entry)))
          return failure();
  }
  return success();
}

static LogicalResult checkSignature(FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    ArrayRef<NamedAttribute> list = function.getArgAttrs(i);
    if (failed(checkNoForeign(function, list, "argument " + Twine(i) + " ")))
      return failure();
    for (NamedAttribute attribute : list)
      if (failed(checkMesh(function, attribute.getValue())))
        return failure();
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    ArrayRef<NamedAttribute> list = function.getResultAttrs(i);
    if (failed(checkNoForeign(function, list, "result " + Twine(i) + " ")))
      return failure();
    for (NamedAttribute attribute : list)
      if (failed(checkMesh(function, attribute.getValue())))
        return failure();
  }
  return success();
}

/// One call site per private function, none per public one.
static LogicalResult checkCalls(ModuleOp module) {
  llvm::StringMap<SmallVector<Operation *>> sites;
  module.walk(
      [&](func::CallOp call) { sites[call.getCallee()].push_back(call); });
  module.walk([&](stablehlo::CompositeOp op) {
    sites[op.getDecomposition()].push_back(op);
  });
  module.walk([&](stablehlo::CustomCallOp op) {
    if (auto list = op.getCalledComputationsAttr())
      for (Attribute symbol : list)
        sites[cast<FlatSymbolRefAttr>(symbol).getValue()].push_back(op);
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    size_t count = sites.lookup(function.getSymName()).size();
    bool fits =
        function.isExternal() || count == (function.isPrivate() ? 1 : 0);
    if (fits)
      continue;
    InFlightDiagnostic error = function.emitOpError()
                               << "has " << count << " call sites; a "
                               << (function.isPrivate() ? "private" : "public")
                               << " function must have "
                               << (function.isPrivate() ? "one" : "none");
    for (Operation *site : sites.lookup(function.getSymName()))
      error.attachNote(site->getLoc()) << "called here";
    return spmd::failWithFix(std::move(error), "run spmd-clone-callees");
  }
  return success();
}

namespace {
struct VerifyImported : impl::VerifyImportedPassBase<VerifyImported> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    WalkResult result = module.walk([&](Operation *op) {
      auto function = dyn_cast<FunctionOpInterface>(op);
      return failed(checkOp(op)) ||
                     (function && failed(checkSignature(function)))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted() || failed(checkCalls(module)))
      signalPassFailure();
  }
};
} // namespace

} // namespace partita
