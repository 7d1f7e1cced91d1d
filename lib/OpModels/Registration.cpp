// Attaches every family's models when their dialects are loaded, and lists
// them.

#include "Families.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"
#include "partita/OpModels/OpModels.h"

using namespace mlir;

namespace partita {

void registerOpModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        attachElementwiseModels(*context, "stablehlo");
        attachConstantModels(*context);
        attachBroadcastModels(*context);
        attachContractionModels(*context);
        attachConvolutionModels(*context);
        attachShapeModels(*context);
        attachShiftingModels(*context);
        attachDynamicSlicingModels(*context);
        attachGatherModels(*context);
        attachScatterModels(*context);
        attachReductionModels(*context);
        attachWindowModels(*context);
        attachSelectAndScatterModels(*context);
        attachSortModels(*context);
        attachLinearAlgebraModels(*context);
        attachFftModels(*context);
        attachNormalizationModels(*context);
        attachRandomModels(*context);
        attachControlFlowModels(*context);
        attachProcessIdModels(*context);
        attachCustomCallModels(*context);
        attachUnshardedModels(*context);
      });
  registry.addExtension(+[](MLIRContext *context, chlo::CHLODialect *) {
    attachElementwiseModels(*context, "chlo");
    attachChloConstantModels(*context);
    attachTopKModels(*context);
    attachRaggedDotModels(*context);
    attachUnshardedChloModels(*context);
  });
  registry.addExtension(+[](MLIRContext *context, spmd::SPMDDialect *) {
    attachCollectiveModels(*context);
    attachShiftModels(*context);
  });
}

void printOpModels(
    MLIRContext &context, raw_ostream &os,
    llvm::function_ref<void(RegisteredOperationName)> printEngines) {
  context.getOrLoadDialect<stablehlo::StableHLODialect>();
  context.getOrLoadDialect<chlo::CHLODialect>();
  context.getOrLoadDialect<spmd::SPMDDialect>();
  SmallVector<RegisteredOperationName> names(context.getRegisteredOperations());
  llvm::sort(names, [](RegisteredOperationName a, RegisteredOperationName b) {
    return a.getStringRef() < b.getStringRef();
  });
  for (RegisteredOperationName name : names) {
    if (!llvm::is_contained({"stablehlo", "chlo", "spmd"},
                            name.getDialectNamespace()))
      continue;
    os << name.getStringRef() << ": ";
    // Models name themselves without looking at an op.
    if (auto *model = name.getInterface<spmd::ShardableOpInterface>())
      os << model->getOpModelName(model, nullptr);
    else
      os << "-";
    printEngines(name);
    os << "\n";
  }
}

} // namespace partita
