// The lists of dialects, passes and op models.
#include "partita/Pipelines/Registration.h"

#include "dialects/CHLO/CHLO.h"
#include "dialects/Check/Check.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "partita/Conversion/Passes.h"
#include "partita/Import/Passes.h"
#include "partita/OpModels/OpModels.h"
#include "partita/Pipelines/Pipelines.h"
#include "partita/Report/Passes.h"
#include "partita/Target/CPU/Passes.h"
#include "partita/Target/GPU/Passes.h"
#include "partita/Target/XLA/Passes.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"
#include "partita/Transforms/Fold/Passes.h"
#include "partita/Transforms/Partition/Passes.h"
#include "partita/Transforms/Placement/Passes.h"
#include "partita/Transforms/Propagation/Passes.h"

using namespace mlir;

void partita::registerAllDialects(DialectRegistry &registry) {
  registry
      .insert<func::FuncDialect, spmd::SPMDDialect, stablehlo::StableHLODialect,
              chlo::CHLODialect, sdy::SdyDialect, check::CheckDialect,
              interpreter::InterpreterDialect>();
  registerGPULowering(registry);
}

void partita::registerAllPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
  registerInlinerPass();
  registerStripDebugInfoPass();
  registerImportPasses();
  registerPartitaPropagationPasses();
  registerPartitaFoldPasses();
  registerPartitaPlacementPasses();
  registerPartitaPartitionPasses();
  registerPartitaCollectiveOptPasses();
  registerPartitaReportPasses();
  registerPartitaConversionPasses();
  registerPartitaXLAPasses();
  registerPartitaCPUPasses();
  registerPartitaGPUPasses();
  registerGPUPipelines();
  registerPipelines();
}

void partita::registerAllOpModels(DialectRegistry &registry) {
  registerOpModels(registry);
}
