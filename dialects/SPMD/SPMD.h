// The spmd dialect: attributes, types, interfaces and operations.
#ifndef PARTITA_DIALECTS_SPMD_SPMD_H
#define PARTITA_DIALECTS_SPMD_SPMD_H

#include "dialects/SPMD/ShardingRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace partita {
class PartitionBuilder;
}

#include "dialects/SPMD/SPMDDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/SPMD/SPMDAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/SPMD/SPMDTypes.h.inc"

#include "dialects/SPMD/SPMDInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/SPMD/SPMDOps.h.inc"

namespace partita::spmd {

/// The mesh called `name` in the module around `op`; null when there is none.
MeshAttr lookupMesh(mlir::Operation *op, mlir::FlatSymbolRefAttr name);

/// Sharding annotated on `value`: of the defining op's result, of a function
/// argument, or, for an argument of a region op, of the op result or operand
/// that the region interface ties to it. Null when none is annotated.
ShardingAttr getSharding(mlir::Value value);

/// Annotates an op result or a function argument. Block arguments of region
/// ops take theirs from the op and cannot be annotated; returns false for them.
bool setSharding(mlir::Value value, ShardingAttr sharding);

/// Sharding annotated on result `index` of a function-like op; null if none.
ShardingAttr getResultSharding(mlir::func::FuncOp function, unsigned index);
void setResultSharding(mlir::func::FuncOp function, unsigned index,
                       ShardingAttr sharding);

} // namespace partita::spmd

#endif
