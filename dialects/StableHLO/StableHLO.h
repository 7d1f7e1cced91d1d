// The StableHLO dialect: attributes, types and all operations of the public
// specification, text-compatible with what JAX prints. The one header that
// users of the dialect include.
#ifndef PARTITA_DIALECTS_STABLEHLO_STABLEHLO_H
#define PARTITA_DIALECTS_STABLEHLO_STABLEHLO_H

#include "dialects/StableHLO/Traits.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/StableHLO/StableHLODialect.h.inc"
#include "dialects/StableHLO/StableHLOEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.h.inc"

namespace partita::stablehlo {

/// What ops with effects read and write: one resource per kind of channel, so
/// that a send and an infeed may be reordered.
#define PARTITA_STABLEHLO_RESOURCE(NAME)                                       \
  struct NAME##Resource : mlir::SideEffects::Resource::Base<NAME##Resource> {  \
    llvm::StringRef getName() override { return "stablehlo." #NAME; }          \
  }
PARTITA_STABLEHLO_RESOURCE(Send);
PARTITA_STABLEHLO_RESOURCE(Recv);
PARTITA_STABLEHLO_RESOURCE(Infeed);
PARTITA_STABLEHLO_RESOURCE(Outfeed);
PARTITA_STABLEHLO_RESOURCE(Rng);
#undef PARTITA_STABLEHLO_RESOURCE

} // namespace partita::stablehlo

#define GET_OP_CLASSES
#include "dialects/StableHLO/StableHLOOps.h.inc"

#endif // PARTITA_DIALECTS_STABLEHLO_STABLEHLO_H
