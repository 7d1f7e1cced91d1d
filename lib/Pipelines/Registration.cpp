// The lists of dialects, passes and op models. What is not part of this build
// (PARTITA_HAS_...) is left out.
#include "partita/Pipelines/Registration.h"

#include "dialects/SPMD/SPMD.h"
#ifdef PARTITA_HAS_STABLEHLO
#include "dialects/StableHLO/StableHLO.h"
#endif
#ifdef PARTITA_HAS_CHLO
#include "dialects/CHLO/CHLO.h"
#endif
#ifdef PARTITA_HAS_SDY
#include "dialects/Sdy/Sdy.h"
#endif
#ifdef PARTITA_HAS_CHECK
#include "dialects/Check/Check.h"
#endif
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void partita::registerAllDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, spmd::SPMDDialect>();
#ifdef PARTITA_HAS_STABLEHLO
  registry.insert<stablehlo::StableHLODialect>();
#endif
#ifdef PARTITA_HAS_CHLO
  registry.insert<chlo::CHLODialect>();
#endif
#ifdef PARTITA_HAS_SDY
  registry.insert<sdy::SdyDialect>();
#endif
#ifdef PARTITA_HAS_CHECK
  registry.insert<check::CheckDialect, interpreter::InterpreterDialect>();
#endif
}

void partita::registerAllPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
  registerInlinerPass();
  registerStripDebugInfoPass();
}

void partita::registerAllOpModels(DialectRegistry &registry) {}
