// The order of the import passes.
#include "partita/Import/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace partita {

void buildImportPipeline(mlir::OpPassManager &manager,
                         const ImportOptions &options) {
  // 1. One vocabulary: everything that states a layout becomes spmd.
  manager.addPass(createImportSdyPass());
  manager.addPass(createImportMhloShardingsPass());
  manager.addPass(createUnifyMeshesPass());
  manager.addPass(createExpandOpsPass());
  // 2. Refuse what cannot run before anything is copied.
  manager.addPass(createCheckMeshesPass());
  CheckSignaturePassOptions signature;
  signature.unevenIO = options.unevenIO;
  manager.addPass(createCheckSignaturePass(signature));
  // 3. One function per call site, so that each has one mesh and one set of
  //    manual axes; then collectives can name axes.
  manager.addPass(createCloneCalleesPass());
  manager.addPass(createImportCollectivesPass());
  manager.addPass(createImportEffectsPass());
  CheckManualPassOptions manual;
  manual.checkReplication = options.checkReplication;
  manager.addPass(createCheckManualPass(manual));
  // 4. Constants join nothing.
  manager.addPass(createSplitConstantsPass());
  manager.addPass(createVerifyImportedPass());
}

} // namespace partita
