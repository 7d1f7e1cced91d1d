// The literal: text, folding, and the names of its results.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace partita::stablehlo {

/// Text is `stablehlo.constant {attributes} dense<...> : type`; a quantized
/// constant, whose literal has another type, is written `() <{...}> : ...`.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen())) {
    Type type;
    if (parser.parseRParen())
      return failure();
    if (succeeded(parser.parseOptionalLess()) &&
        (parser.parseAttribute(result.propertiesAttr) || parser.parseGreater()))
      return failure();
    if (parser.parseOptionalAttrDict(result.attributes) ||
        parser.parseColon() || parser.parseLParen() || parser.parseRParen() ||
        parser.parseArrow() || parser.parseType(type))
      return failure();
    result.addTypes(type);
    return success();
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseCustomAttributeWithFallback(value, Type(), "value",
                                              result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getType()) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  printer.printStrippedAttrOrType(getValue());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  // A quantized constant is no constant of its literal's type.
  return getValue().getType() == getType() ? getValueAttr() : OpFoldResult();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setNameFn) {
  bool isInteger = isa<IntegerType>(getType().getElementType());
  setNameFn(getOutput(), isInteger ? "c" : "cst");
}

bool ConstantOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange given) {
  auto literal = dyn_cast<ShapedType>(inferred.front());
  auto result = dyn_cast<ShapedType>(given.front());
  if (inferred.size() != 1 || given.size() != 1 || !literal || !result ||
      literal.getShape() != result.getShape())
    return false;
  return literal.getElementType() == result.getElementType() ||
         getElementKind(result.getElementType()) == QuantizedElement;
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getValue().getType());
  return success();
}

LogicalResult ConstantOp::verify() {
  Type literal = getValue().getType();
  if (!isCompatibleReturnTypes(literal, getOperation()->getResultTypes()))
    return Reporter(*this).fail("has a literal of type ", literal,
                                ", but a result of type ", getType());
  if (!getType().hasStaticShape())
    return Reporter(*this).fail("has a result of unknown size: ", getType());
  return success();
}

} // namespace partita::stablehlo
