// Values as text that reads as MLIR's constants do.

#include "partita/Evaluator/ValueText.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <cstring>

using namespace mlir;
using namespace partita;

namespace {

/// Prints values as MLIR prints their elements.
class ValuePrinter {
public:
  ValuePrinter(const Tensor &tensor, llvm::raw_ostream &os)
      : tensor(tensor), type(tensor.getTensorType()), os(os) {
    if (type)
      bytes = tensor.toBytes(nullptr);
  }

  void print(bool asDense);

private:
  Attribute getElement(int64_t index) const;
  void printElement(int64_t index);
  void printRow(unsigned dim, int64_t first, int64_t count, unsigned indent);

  const Tensor &tensor;
  RankedTensorType type;
  std::vector<char> bytes;
  llvm::raw_ostream &os;
};

} // namespace

/// A number of `type` from its bytes.
static Attribute readNumber(Type type, ArrayRef<char> bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  unsigned width = type.getIntOrFloatBitWidth();
  APInt bits(64, word);
  bits = bits.trunc(width);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), bits));
  return IntegerAttr::get(type, bits);
}

Attribute ValuePrinter::getElement(int64_t index) const {
  int64_t size = bytes.size() / type.getNumElements();
  ArrayRef<char> element = ArrayRef(bytes).slice(index * size, size);
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return readNumber(type.getElementType(), element);
  Type part = complex.getElementType();
  return ArrayAttr::get(type.getContext(),
                        {readNumber(part, element.take_front(size / 2)),
                         readNumber(part, element.drop_front(size / 2))});
}

void ValuePrinter::printElement(int64_t index) {
  Attribute element = getElement(index);
  auto pair = dyn_cast<ArrayAttr>(element);
  if (!pair)
    return element.print(os, /*elideType=*/true);
  os << "[";
  pair[0].print(os, /*elideType=*/true);
  os << ", ";
  pair[1].print(os, /*elideType=*/true);
  os << "]";
}

/// Elements [first, first + count), which are dimension `dim` and those below.
void ValuePrinter::printRow(unsigned dim, int64_t first, int64_t count,
                            unsigned indent) {
  int64_t size = type.getDimSize(dim);
  bool isLast = dim + 1 == type.getRank() || size == 0;
  os.indent(indent) << "[";
  for (int64_t i = 0; i < size; ++i) {
    int64_t part = count / size;
    if (isLast) {
      os << (i ? ", " : "");
      printElement(first + i);
      continue;
    }
    os << (i ? ",\n" : "\n");
    printRow(dim + 1, first + i * part, part, indent + 2);
  }
  if (!isLast)
    os << "\n", os.indent(indent);
  os << "]";
}

void ValuePrinter::print(bool asDense) {
  if (!type) {
    tensor.print(os, nullptr);
    os << "\n";
    return;
  }
  if (asDense) {
    SmallVector<Attribute> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(getElement(i));
    os << DenseElementsAttr::get(type, elements) << "\n";
    return;
  }
  os << type << " {";
  if (type.getRank() == 0) {
    printElement(0);
  } else {
    os << "\n";
    printRow(0, 0, type.getNumElements(), 2);
    os << "\n";
  }
  os << "}\n";
}

void partita::printValue(const Tensor &tensor, llvm::raw_ostream &os,
                         bool asDense) {
  ValuePrinter(tensor, os).print(asDense);
}
