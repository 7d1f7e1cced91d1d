// Constants of zeros for every element type.

#include "dialects/StableHLO/ZeroElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"

#include <complex>

using namespace mlir;

namespace partita::stablehlo {

ElementsAttr getZeroElements(RankedTensorType type) {
  auto complexType = dyn_cast<ComplexType>(type.getElementType());
  if (!complexType)
    return cast<ElementsAttr>(Builder(type.getContext()).getZeroAttr(type));
  if (auto part = dyn_cast<FloatType>(complexType.getElementType())) {
    APFloat zero = APFloat::getZero(part.getFloatSemantics());
    return DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
  }
  APInt zero(complexType.getElementType().getIntOrFloatBitWidth(), 0);
  return DenseElementsAttr::get(type, std::complex<APInt>(zero, zero));
}

} // namespace partita::stablehlo
