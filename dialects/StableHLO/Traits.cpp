// Type predicates and trait verifiers of the StableHLO dialect.
#include "dialects/StableHLO/Traits.h"

#include "dialects/StableHLO/Inference.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<ElementKind> getElementKind(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isSignlessInteger(1))
      return BooleanElement;
    unsigned width = integer.getWidth();
    bool isWidth = width >= 2 && width <= 64 && llvm::isPowerOf2_32(width);
    if (isWidth && !integer.isSigned())
      return IntegerElement;
    return std::nullopt;
  }
  if (auto number = dyn_cast<FloatType>(type)) {
    if (number.getWidth() <= 64)
      return FloatElement;
    return std::nullopt;
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32() || complex.getElementType().isF64())
      return ComplexElement;
    return std::nullopt;
  }
  if (isa<IndexType>(type))
    return IndexElement;
  // By name, so that the dialect need not depend on quant.
  if (type.getDialect().getNamespace() == "quant")
    return QuantizedElement;
  return std::nullopt;
}

bool isTensorOf(Type type, unsigned kinds, int rank) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || (rank >= 0 && tensor.getRank() != rank))
    return false;
  std::optional<ElementKind> kind = getElementKind(tensor.getElementType());
  return kind && (kinds & *kind);
}

bool isTensorOfWidth(Type type, unsigned width, bool isUnsigned) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  Type element = tensor.getElementType();
  return isUnsigned ? element.isUnsignedInteger(width)
                    : element.isSignlessInteger(width);
}

bool isShapeTensor(Type type) {
  return isTensorOf(type, IndexElement | IntegerElement, /*rank=*/1) &&
         cast<RankedTensorType>(type).hasStaticShape();
}

bool isTensorTokenOrBuffer(Type type) {
  return isTensorOf(type, ~0u) || isa<TokenType, MemRefType>(type);
}

bool isAnyValue(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isAnyValue);
  if (auto unranked = dyn_cast<UnrankedTensorType>(type))
    return getElementKind(unranked.getElementType()).has_value();
  return isTensorTokenOrBuffer(type) || isa<FutureType>(type);
}

bool isLayoutAttr(Attribute attr) {
  auto elements = dyn_cast<DenseIntElementsAttr>(attr);
  return elements && elements.getElementType().isIndex() &&
         elements.getType().getRank() == 1;
}

static bool areCompatible(Type lhs, Type rhs) {
  if (lhs == rhs)
    return true;
  auto left = dyn_cast<RankedTensorType>(lhs);
  auto right = dyn_cast<RankedTensorType>(rhs);
  if (left && right)
    return left.getElementType() == right.getElementType() &&
           isCompatibleShape(left.getShape(), right.getShape());
  auto leftTuple = dyn_cast<TupleType>(lhs);
  auto rightTuple = dyn_cast<TupleType>(rhs);
  return leftTuple && rightTuple &&
         areCompatibleTypes(leftTuple.getTypes(), rightTuple.getTypes());
}

bool areCompatibleTypes(TypeRange lhs, TypeRange rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip_equal(lhs, rhs), [](auto types) {
           return areCompatible(std::get<0>(types), std::get<1>(types));
         });
}

LogicalResult inferSameType(std::optional<Location> location, StringRef opName,
                            ValueRange operands, SmallVectorImpl<Type> &types) {
  Reporter at(location, opName);
  if (operands.empty())
    return at.fail("needs at least one operand");
  auto first = dyn_cast<RankedTensorType>(operands.front().getType());
  if (!first)
    return at.fail("has operand 0 of type ", operands.front().getType(),
                   ", expected a ranked tensor");
  SmallVector<int64_t> sizes(first.getShape());
  for (auto [index, operand] : llvm::enumerate(operands.drop_front())) {
    if (operand.getType() == first)
      continue;
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    if (!tensor)
      return at.fail("has operand ", index + 1, " of type ", operand.getType(),
                     ", expected a ranked tensor");
    if (failed(checkSameShape(at, "operand 0", sizes, "another operand",
                              tensor.getShape())))
      return failure();
    for (auto [size, other] : llvm::zip_equal(sizes, tensor.getShape()))
      if (ShapedType::isDynamic(size))
        size = other;
  }
  // The encoding survives where the first operand knew all sizes.
  types.push_back(ArrayRef<int64_t>(sizes) == first.getShape()
                      ? first
                      : RankedTensorType::get(sizes, first.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// Compares the shapes of all operands and results with that of the first
/// result; scalar operands pass if `allowScalars`.
static LogicalResult verifyShapes(Operation *op, bool allowScalars) {
  if (op->getNumResults() == 0)
    return success();
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result)
    return success(); // Reported by the type constraint.
  auto check = [&](Type type, StringRef name, size_t index) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || type == result || (allowScalars && tensor.getRank() == 0) ||
        tensor.getShape() == result.getShape())
      return success();
    return checkSameShape(Reporter(op), (name + Twine(index)).str(),
                          tensor.getShape(), "result 0", result.getShape());
  };
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check(type, "operand ", index)))
      return failure();
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check(type, "result ", index)))
      return failure();
  return success();
}

LogicalResult detail::verifySameShapes(Operation *op) {
  return verifyShapes(op, /*allowScalars=*/false);
}

LogicalResult detail::verifySameOrScalarShapes(Operation *op) {
  return verifyShapes(op, /*allowScalars=*/true);
}

LogicalResult detail::verifySameElementTypes(Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  Type expected = getElementTypeOrSelf(op->getResult(0).getType());
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes())) {
    Type element = getElementTypeOrSelf(type);
    // Quantized values may differ in scale: the op rescales.
    if (element != expected && !(getElementKind(element) == QuantizedElement &&
                                 getElementKind(expected) == QuantizedElement))
      return Reporter(op).fail("has operand ", index, " of element type ",
                               element, ", but a result of element type ",
                               expected);
  }
  return success();
}

bool isElementwise(Operation *op) {
  if (op->hasTrait<ElementwiseOp>())
    return true;
  if (!op->hasTrait<ScalarBroadcastElementwiseOp>())
    return false;
  auto result = dyn_cast<ShapedType>(op->getResult(0).getType());
  return result && llvm::all_of(op->getOperandTypes(), [&](Type type) {
           auto shaped = dyn_cast<ShapedType>(type);
           return shaped && shaped.getShape() == result.getShape();
         });
}

} // namespace partita::stablehlo
