// How elements lie in memory, and the scalars that stand for them in
// computation.
//
// Integers are signless. Floats narrower than 16 bits, and integers of 2 or 4
// bits, take a byte each: machines have no such types. They are computed on as
// f32, and as integers of their width.
#ifndef PARTITA_CONVERSION_STABLEHLOTOLINALG_ELEMENTSTORAGE_H
#define PARTITA_CONVERSION_STABLEHLOTOLINALG_ELEMENTSTORAGE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita {

/// A float of 4 to 8 bits.
bool isNarrowFloat(mlir::Type type);
/// An integer of 2 or 4 bits.
bool isNarrowInteger(mlir::Type type);

/// The type of an element in memory.
mlir::Type getStorageType(mlir::Type element);
/// The type on which an element is computed.
mlir::Type getComputeType(mlir::Type element);

/// From memory to computation and back; `element` is the program's type.
mlir::Value decodeElement(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value stored, mlir::Type element);
mlir::Value encodeElement(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value computed, mlir::Type element);

/// A constant with its elements as they lie in memory.
mlir::DenseElementsAttr getStoredElements(mlir::DenseElementsAttr value);

/// Zero of a storage or compute type, complex ones included.
mlir::Value makeZero(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);

} // namespace partita

#endif
