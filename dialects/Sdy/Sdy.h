// The sdy dialect: sharding annotations as JAX prints them. Input only; nothing
// after import may include this header.
#ifndef PARTITA_DIALECTS_SDY_SDY_H
#define PARTITA_DIALECTS_SDY_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Sdy/SdyDialect.h.inc"
#include "dialects/Sdy/SdyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Sdy/SdyAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Sdy/SdyOps.h.inc"

namespace partita::sdy {

/// Makes an error that names the annotated value; the callee appends to it.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The mesh called `name` in the modules around `op`; null when there is none.
MeshAttr lookupMesh(mlir::Operation *op, llvm::StringRef name);

/// Checks `sharding` of a value of `type` at `op`: the mesh is known, the rank
/// is the type's, axes are known, disjoint, valid, and not manual already.
/// `type` is null for an op without results.
mlir::LogicalResult verifySharding(ShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *op, EmitError emitError);

/// Checks one sharding per type; `valueKind` ("result", "operand") names the
/// values in errors.
mlir::LogicalResult verifyShardings(ShardingPerValueAttr shardings,
                                    mlir::TypeRange types, mlir::Operation *op,
                                    llvm::StringRef valueKind);

/// Checks that the axes are known to `mesh`, valid sub-axes and disjoint.
/// Overlap is checked within `axes` as a whole.
mlir::LogicalResult verifyAxes(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                               EmitError emitError);

/// Checks `rule` against the operand and result types of `op`.
mlir::LogicalResult verifyShardingRule(OpShardingRuleAttr rule,
                                       mlir::Operation *op);

/// The symbol of factor `index` in text: i to z, then z_1, z_2, ...
std::string getFactorSymbol(int64_t index);

} // namespace partita::sdy

#endif
