// Neutral elements of the reduction kinds.

#include "dialects/SPMD/SPMD.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace partita::spmd {

/// Largest or smallest value of an integer type; i1 and ui* count from zero.
static APInt getIntegerLimit(IntegerType type, bool largest) {
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned() || width == 1;
  if (largest)
    return isUnsigned ? APInt::getMaxValue(width)
                      : APInt::getSignedMaxValue(width);
  return isUnsigned ? APInt::getMinValue(width)
                    : APInt::getSignedMinValue(width);
}

static Attribute getNumber(Type elementType, int64_t value) {
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return FloatAttr::get(floatType, static_cast<double>(value));
  if (auto complexType = dyn_cast<ComplexType>(elementType))
    return ArrayAttr::get(elementType.getContext(),
                          {getNumber(complexType.getElementType(), value),
                           getNumber(complexType.getElementType(), 0)});
  return IntegerAttr::get(elementType, value);
}

Attribute getNeutralAttr(Type elementType, ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Add:
  case ReductionKind::Or:
  case ReductionKind::Xor:
    return getNumber(elementType, 0);
  case ReductionKind::Mul:
    return getNumber(elementType, 1);
  case ReductionKind::And:
    return IntegerAttr::get(
        elementType, APInt::getAllOnes(elementType.getIntOrFloatBitWidth()));
  case ReductionKind::Max:
  case ReductionKind::Min:
    break;
  }
  bool isMin = kind == ReductionKind::Min;
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    return FloatAttr::get(floatType,
                          APFloat::semanticsHasInf(semantics)
                              ? APFloat::getInf(semantics, /*Negative=*/!isMin)
                              : APFloat::getLargest(semantics, !isMin));
  }
  return IntegerAttr::get(elementType,
                          getIntegerLimit(cast<IntegerType>(elementType), isMin));
}

} // namespace partita::spmd
