// The spmd dialect: attributes, types, interfaces and operations.
#ifndef PARTITA_DIALECTS_SPMD_SPMD_H
#define PARTITA_DIALECTS_SPMD_SPMD_H

#include "dialects/SPMD/ShardingRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

namespace partita {
class PartitionBuilder;
}

namespace partita::spmd {
/// A double as part of an attribute's key: compared and hashed by its bits.
struct LinkFigure {
  LinkFigure(double value) : value(value) {}
  operator double() const { return value; }
  bool operator==(const LinkFigure &other) const {
    return llvm::bit_cast<uint64_t>(value) ==
           llvm::bit_cast<uint64_t>(other.value);
  }
  friend llvm::hash_code hash_value(const LinkFigure &figure) {
    return llvm::hash_value(llvm::bit_cast<uint64_t>(figure.value));
  }
  double value;
};
} // namespace partita::spmd

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

/// All axes of `mesh`, whole.
llvm::SmallVector<AxisRefAttr> getAllAxes(MeshAttr mesh);

/// Appends `axis`, joined to the last one where both are parts of one axis that
/// follow each other.
void appendAxis(llvm::SmallVectorImpl<AxisRefAttr> &list, AxisRefAttr axis,
                MeshAttr mesh);

/// Element that `kind` leaves every element of the type unchanged with: 0, 1,
/// all ones, +-inf or the type's limit. For complex elements an array of the two
/// parts.
mlir::Attribute getNeutralAttr(mlir::Type elementType, ReductionKind kind);

/// Sharding annotated on `value`: of the defining op's result, of a function
/// argument, or, for an argument of a region op, of the op result or operand
/// that the region interface ties to it. Null when none is annotated.
ShardingAttr getSharding(mlir::Value value);

/// Annotates an op result or a function argument. Block arguments of region
/// ops take theirs from the op and cannot be annotated; returns false for them.
bool setSharding(mlir::Value value, ShardingAttr sharding);

/// Bytes of one value of `type`; elements take whole bytes. 0 for tokens.
int64_t getByteSize(mlir::Type type);

/// Coordinate along `axis` of the device at coordinate `coordinate` of the
/// whole mesh axis, whose size is `axisSize`.
int64_t getSubCoordinate(AxisRefAttr axis, int64_t coordinate, int64_t axisSize);

/// Sharding annotated on result `index` of a function-like op; null if none.
ShardingAttr getResultSharding(mlir::func::FuncOp function, unsigned index);
void setResultSharding(mlir::func::FuncOp function, unsigned index,
                       ShardingAttr sharding);

} // namespace partita::spmd

#endif
