// Small groups of ops that models emit: device positions, scalars, splats.

#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/LocalOps.h"
#include "partita/Building/PartitionBuilder.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace partita {

Value PartitionBuilder::axisIndex(FlatSymbolRefAttr mesh,
                                  ArrayRef<spmd::AxisRefAttr> axes) {
  if (axes.empty())
    return scalarInt(b.getI32Type(), 0);
  return spmd::AxisIndexOp::create(
      b, getLoc(), RankedTensorType::get({}, b.getI32Type()), mesh,
      spmd::AxisListAttr::get(getContext(), axes));
}

Value PartitionBuilder::blockIndex(spmd::ShardingAttr sharding, int64_t dim) {
  return axisIndex(sharding.getMesh(), sharding.getDims()[dim].getAxes());
}

Value PartitionBuilder::blockOffset(Value original, int64_t dim) {
  auto local = cast<RankedTensorType>(getLocalType(original));
  if (getShardCount(original, dim) == 1)
    return scalarInt(b.getI32Type(), 0);
  Value index = blockIndex(getSharding(original), dim);
  return stablehlo::MulOp::create(
      b, getLoc(), index, scalarInt(b.getI32Type(), local.getDimSize(dim)));
}

Value PartitionBuilder::isFirst(FlatSymbolRefAttr mesh,
                                ArrayRef<spmd::AxisRefAttr> axes) {
  Value index = axisIndex(mesh, axes);
  return stablehlo::CompareOp::create(
      b, getLoc(), RankedTensorType::get({}, b.getI1Type()), index,
      scalarInt(b.getI32Type(), 0), stablehlo::ComparisonDirection::EQ,
      stablehlo::ComparisonTypeAttr());
}

/// A scalar tensor attribute of `type`'s element kind.
static TypedAttr scalarAttr(Type elementType, double value) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto complexType = dyn_cast<ComplexType>(elementType)) {
    auto floatType = cast<FloatType>(complexType.getElementType());
    APFloat real(value), imaginary(0.0);
    bool lossy;
    real.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &lossy);
    imaginary.convert(floatType.getFloatSemantics(),
                      APFloat::rmNearestTiesToEven, &lossy);
    return DenseElementsAttr::get(type, std::complex<APFloat>(real, imaginary));
  }
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return DenseElementsAttr::get(type,
                                  Attribute(FloatAttr::get(floatType, value)));
  return DenseElementsAttr::get(
      type,
      Attribute(IntegerAttr::get(elementType, static_cast<int64_t>(value))));
}

Value PartitionBuilder::scalar(Type elementType, double value) {
  return stablehlo::ConstantOp::create(
      b, getLoc(), cast<ElementsAttr>(scalarAttr(elementType, value)));
}

Value PartitionBuilder::scalarInt(Type elementType, int64_t value) {
  return emitInteger(b, getLoc(), elementType, value);
}

Value PartitionBuilder::neutral(Type elementType, spmd::ReductionKind kind) {
  if (isa<ComplexType>(elementType))
    return scalar(elementType, kind == spmd::ReductionKind::Mul ? 1 : 0);
  return stablehlo::ConstantOp::create(
      b, getLoc(),
      cast<ElementsAttr>(
          DenseElementsAttr::get(RankedTensorType::get({}, elementType),
                                 spmd::getNeutralAttr(elementType, kind))));
}

Value PartitionBuilder::splat(Value scalar, RankedTensorType type) {
  if (scalar.getType() == type)
    return scalar;
  return stablehlo::BroadcastInDimOp::create(b, getLoc(), type, scalar,
                                             b.getDenseI64ArrayAttr({}));
}

Value PartitionBuilder::iota(ArrayRef<int64_t> shape, int64_t dim,
                             Value offset) {
  auto type = RankedTensorType::get(shape, b.getI32Type());
  Value index =
      stablehlo::IotaOp::create(b, getLoc(), type, b.getI64IntegerAttr(dim));
  if (!offset)
    return index;
  return stablehlo::AddOp::create(b, getLoc(), index, splat(offset, type));
}

Value PartitionBuilder::convert(Value value, Type elementType) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == elementType)
    return value;
  return stablehlo::ConvertOp::create(b, getLoc(), type.clone(elementType),
                                      value);
}

Value PartitionBuilder::clampScalar(Value value, int64_t low, int64_t high) {
  Type elementType = getElementTypeOrSelf(value.getType());
  return stablehlo::ClampOp::create(b, getLoc(), value.getType(),
                                    scalarInt(elementType, low), value,
                                    scalarInt(elementType, high));
}

} // namespace partita
