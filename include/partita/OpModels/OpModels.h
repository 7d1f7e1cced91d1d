// The op models: for every op family its sharding rule and its partition.
// Only tools and the C API register them; passes see ShardableOpInterface.
#ifndef PARTITA_OPMODELS_OPMODELS_H
#define PARTITA_OPMODELS_OPMODELS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class DialectRegistry;
class MLIRContext;
class RegisteredOperationName;
} // namespace mlir
namespace llvm {
class raw_ostream;
} // namespace llvm

namespace partita {

/// Attaches every op model when its dialect is loaded.
void registerOpModels(mlir::DialectRegistry &registry);

/// Prints one line per op of the registered StableHLO, CHLO and spmd dialects:
/// name, family file, and whether its partition is derived or custom; `-` for an
/// op that has no model. `printEngines` adds what runs the op. Loads the
/// dialects.
void printOpModels(
    mlir::MLIRContext &context, llvm::raw_ostream &os,
    llvm::function_ref<void(mlir::RegisteredOperationName)> printEngines);

} // namespace partita

#endif
