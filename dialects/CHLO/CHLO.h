// The chlo dialect: functions above StableHLO that JAX emits.
#ifndef PARTITA_DIALECTS_CHLO_CHLO_H
#define PARTITA_DIALECTS_CHLO_CHLO_H

#include "dialects/StableHLO/Traits.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/CHLO/CHLODialect.h.inc"
#include "dialects/CHLO/CHLOEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/CHLO/CHLOAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/CHLO/CHLOOps.h.inc"

#endif
