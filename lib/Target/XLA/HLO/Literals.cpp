// Constants as text that XLA parses to exactly the same bits. XLA reads a
// decimal as a double and narrows it; so the shortest text whose double narrows
// to the value is chosen.

#include "HLOWriter.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;

namespace partita::hlo {

/// "nan" for the default quiet NaN, "nan(0x1)" with another payload.
static std::string getNaN(const APFloat &value) {
  unsigned precision = APFloat::semanticsPrecision(value.getSemantics());
  APInt bits = value.bitcastToAPInt();
  std::string text = value.isNegative() ? "-nan" : "nan";
  if (precision < 2)
    return text;
  APInt payload = bits.extractBits(precision - 1, 0);
  if (payload == APInt::getOneBitSet(precision - 1, precision - 2) ||
      payload.isZero())
    return text;
  SmallString<20> digits;
  payload.toString(digits, 16, /*Signed=*/false);
  return text + "(0x" + digits.str().lower() + ")";
}

static std::string getFloat(const APFloat &value) {
  if (value.isNaN())
    return getNaN(value);
  if (value.isInfinity())
    return value.isNegative() ? "-inf" : "inf";
  // "-0" would be read as an integer and lose its sign.
  if (value.isZero())
    return value.isNegative() ? "-0.0" : "0";
  APFloat wide = value;
  bool losesInfo = false;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  double number = wide.convertToDouble();
  char buffer[40];
  for (int digits = 6; digits <= 17; ++digits) {
    snprintf(buffer, sizeof(buffer), "%.*g", digits, number);
    APFloat back(strtod(buffer, nullptr));
    back.convert(value.getSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    if (back.bitwiseIsEqual(value))
      break;
  }
  return buffer;
}

static std::string getInteger(const APInt &value, IntegerType type) {
  if (type.getWidth() == 1)
    return value.isZero() ? "false" : "true";
  SmallString<24> digits;
  value.toString(digits, 10, /*Signed=*/!type.isUnsigned());
  return digits.str().str();
}

static SmallVector<std::string> getElements(DenseElementsAttr value) {
  SmallVector<std::string> elements;
  Type type = value.getElementType();
  if (auto integer = dyn_cast<IntegerType>(type)) {
    for (const APInt &element : value.getValues<APInt>())
      elements.push_back(getInteger(element, integer));
  } else if (isa<ComplexType>(type)) {
    for (const std::complex<APFloat> &element :
         value.getValues<std::complex<APFloat>>())
      elements.push_back("(" + getFloat(element.real()) + ", " +
                         getFloat(element.imag()) + ")");
  } else {
    for (const APFloat &element : value.getValues<APFloat>())
      elements.push_back(getFloat(element));
  }
  return elements;
}

/// Writes the elements of dimensions `shape`, in nested braces, and drops them
/// from `elements`.
static void writeNested(ArrayRef<int64_t> shape,
                        ArrayRef<std::string> &elements, std::string &text) {
  if (shape.empty()) {
    text += elements.front();
    elements = elements.drop_front();
    return;
  }
  text += shape.size() > 1 ? "{ " : "{";
  for (int64_t i = 0; i < shape.front(); ++i) {
    if (i > 0)
      text += ", ";
    writeNested(shape.drop_front(), elements, text);
  }
  text += shape.size() > 1 ? " }" : "}";
}

std::string getLiteral(DenseElementsAttr value) {
  SmallVector<std::string> elements = getElements(value);
  std::string text;
  ArrayRef<std::string> rest = elements;
  writeNested(value.getType().getShape(), rest, text);
  return text;
}

} // namespace partita::hlo
