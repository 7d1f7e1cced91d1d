// Shapes, lists and quoted text in HLO's syntax.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::hlo {

/// HLO's name of an element type; empty if it has none.
static std::string getElementName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return "pred";
    if (!llvm::is_contained({2u, 4u, 8u, 16u, 32u, 64u}, width))
      return "";
    return (integer.isUnsigned() ? "u" : "s") + std::to_string(width);
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return "c64";
    return complex.getElementType().isF64() ? "c128" : "";
  }
  if (!isa<FloatType>(type) || isa<Float80Type, Float128Type>(type))
    return "";
  // f32, bf16, f8E4M3FN: HLO has the same names in small letters.
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return StringRef(name).lower();
}

bool hasShape(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.hasStaticShape() &&
           !getElementName(tensor.getElementType()).empty();
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), hasShape);
  return isa<stablehlo::TokenType>(type);
}

std::string getShape(Type type, DenseIntElementsAttr layout) {
  if (isa<stablehlo::TokenType>(type))
    return "token[]";
  if (auto tuple = dyn_cast<TupleType>(type))
    return getTupleShape(tuple.getTypes());
  auto tensor = cast<RankedTensorType>(type);
  std::string shape = getElementName(tensor.getElementType()) + "[" +
                      llvm::join(llvm::map_range(tensor.getShape(),
                                                 [](int64_t size) {
                                                   return std::to_string(size);
                                                 }),
                                 ",") +
                      "]";
  if (!layout)
    return shape;
  SmallVector<int64_t> minorToMajor;
  for (const APInt &dim : layout.getValues<APInt>())
    minorToMajor.push_back(dim.getSExtValue());
  return shape + getList(minorToMajor);
}

static DenseIntElementsAttr getLayout(ArrayAttr layouts, unsigned index) {
  return layouts && index < layouts.size()
             ? dyn_cast<DenseIntElementsAttr>(layouts[index])
             : DenseIntElementsAttr();
}

std::string getTupleShape(TypeRange types, ArrayAttr layouts) {
  SmallVector<std::string> shapes;
  for (auto [index, type] : llvm::enumerate(types))
    shapes.push_back(getShape(type, getLayout(layouts, index)));
  return "(" + llvm::join(shapes, ", ") + ")";
}

std::string getList(ArrayRef<int64_t> values) {
  return "{" +
         llvm::join(
             llvm::map_range(
                 values, [](int64_t value) { return std::to_string(value); }),
             ",") +
         "}";
}

std::string getQuoted(StringRef text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

} // namespace partita::hlo
