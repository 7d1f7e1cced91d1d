// Traits and type predicates of the StableHLO dialect: what the generated op
// definitions refer to. Bodies are out of line, so that including this costs
// little.
#ifndef PARTITA_DIALECTS_STABLEHLO_TRAITS_H
#define PARTITA_DIALECTS_STABLEHLO_TRAITS_H

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace partita::stablehlo {

/// Kinds of element type, as bits of a set.
enum ElementKind : unsigned {
  BooleanElement = 1,
  IntegerElement = 2,
  FloatElement = 4,
  ComplexElement = 8,
  QuantizedElement = 16,
  IndexElement = 32,
};

/// Kind of `elementType`, or nothing when no tensor may hold it.
std::optional<ElementKind> getElementKind(mlir::Type elementType);

/// True for a ranked tensor whose element kind is in the set `kinds`, of rank
/// `rank` unless that is negative.
bool isTensorOf(mlir::Type type, unsigned kinds, int rank = -1);
/// True for a ranked tensor of integers of `width` bits, signless or unsigned.
bool isTensorOfWidth(mlir::Type type, unsigned width, bool isUnsigned);
/// True for a 1-dimensional tensor of known size that can hold sizes.
bool isShapeTensor(mlir::Type type);
/// True for what may flow through control flow.
bool isTensorTokenOrBuffer(mlir::Type type);
/// True for what custom calls and tuples may hold.
bool isAnyValue(mlir::Type type);
/// True for a 1-dimensional index tensor: a layout.
bool isLayoutAttr(mlir::Attribute attr);

/// True when two lists of types agree but for sizes that one side does not
/// know, and for encodings.
bool areCompatibleTypes(mlir::TypeRange lhs, mlir::TypeRange rhs);

/// Infers the one result of an op whose operands and result have one type:
/// each size is known if any operand knows it.
llvm::LogicalResult inferSameType(std::optional<mlir::Location> location,
                                  llvm::StringRef opName,
                                  mlir::ValueRange operands,
                                  llvm::SmallVectorImpl<mlir::Type> &types);

/// True when each result element of `op` depends on the elements at its own
/// index only and all tensors have the result's shape: ops with the trait
/// ElementwiseOp, and select and clamp whose operands are all full.
bool isElementwise(mlir::Operation *op);

namespace detail {
llvm::LogicalResult verifySameShapes(mlir::Operation *op);
llvm::LogicalResult verifySameOrScalarShapes(mlir::Operation *op);
llvm::LogicalResult verifySameElementTypes(mlir::Operation *op);
} // namespace detail

/// All tensor operands and results have one shape; each result element depends
/// only on the operand elements at its own index.
template <typename ConcreteType>
class ElementwiseOp
    : public mlir::OpTrait::TraitBase<ConcreteType, ElementwiseOp> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameShapes(op);
  }
};

/// As ElementwiseOp, but an operand may also have rank 0, and is then used at
/// each index (`select` by one predicate, `clamp` to fixed bounds).
template <typename ConcreteType>
class ScalarBroadcastElementwiseOp
    : public mlir::OpTrait::TraitBase<ConcreteType,
                                      ScalarBroadcastElementwiseOp> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameOrScalarShapes(op);
  }
};

/// All operands and results have one element type.
template <typename ConcreteType>
class SameElementTypes
    : public mlir::OpTrait::TraitBase<ConcreteType, SameElementTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameElementTypes(op);
  }
};

/// The processes of a group execute this op together.
template <typename ConcreteType>
class CollectiveOp
    : public mlir::OpTrait::TraitBase<ConcreteType, CollectiveOp> {};

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_TRAITS_H
