// PartitaPlugin.so: Partita's dialects, op models, passes and pipelines for
// mlir-opt, or any host that loads MLIR plugins and shares its libMLIR.so.
//
//   mlir-opt-22 f.mlir --load-dialect-plugin=PartitaPlugin.so
//     --load-pass-plugin=PartitaPlugin.so
//     --pass-pipeline='builtin.module(partita{to=optimized})'
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "partita/Pipelines/Registration.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Partita", PARTITA_VERSION,
          [](DialectRegistry *registry) {
            partita::registerAllDialects(*registry);
            partita::registerAllOpModels(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Partita", PARTITA_VERSION,
          [] { partita::registerAllPasses(); }};
}
