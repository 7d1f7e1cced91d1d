// Small groups of ops that models emit: device positions, scalars, splats.
// Positions are recognised again here, beside what emits them.

#include "partita/Building/Positions.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"
#include "partita/Building/LocalOps.h"
#include "partita/Building/PartitionBuilder.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace partita {

Value emitAxisIndex(OpBuilder &b, Location loc, FlatSymbolRefAttr mesh,
                    ArrayRef<spmd::AxisRefAttr> axes) {
  return spmd::AxisIndexOp::create(
      b, loc, RankedTensorType::get({}, b.getI32Type()), mesh,
      spmd::AxisListAttr::get(b.getContext(), axes));
}

Value PartitionBuilder::axisIndex(FlatSymbolRefAttr mesh,
                                  ArrayRef<spmd::AxisRefAttr> axes) {
  if (axes.empty())
    return scalarInt(b.getI32Type(), 0);
  return emitAxisIndex(b, getLoc(), mesh, axes);
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
  return emitSplat(b, getLoc(), scalar, type);
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

Value emitOffset(OpBuilder &b, Location loc, const Positions &positions) {
  Value base = emitInteger(b, loc, b.getI32Type(), positions.base);
  if (positions.axes.empty())
    return base;
  Value index = emitAxisIndex(b, loc, positions.mesh, positions.axes);
  Value offset = stablehlo::MulOp::create(
      b, loc, index, emitInteger(b, loc, b.getI32Type(), positions.step));
  return positions.base == 0 ? offset : emitSum(b, loc, offset, base);
}

Value emitPositions(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                    const Positions &positions) {
  auto type = RankedTensorType::get(shape, b.getI32Type());
  Value index = stablehlo::IotaOp::create(b, loc, type,
                                          b.getI64IntegerAttr(positions.dim));
  if (positions.axes.empty() && positions.base == 0)
    return index;
  return emitSum(b, loc, index,
                 emitSplat(b, loc, emitOffset(b, loc, positions), type));
}

namespace {

/// Matches `lhs op rhs` with the operands in either order.
template <typename Op, typename Lhs, typename Rhs>
bool matchCommutative(Value value, Lhs &&lhs, Rhs &&rhs) {
  auto op = value.getDefiningOp<Op>();
  return op && ((lhs(op.getLhs()) && rhs(op.getRhs())) ||
                (lhs(op.getRhs()) && rhs(op.getLhs())));
}

bool matchInteger(Value value, int64_t &number) {
  DenseElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)) || !attribute.isSplat() ||
      !attribute.getElementType().isSignlessInteger())
    return false;
  number = attribute.getSplatValue<APInt>().getSExtValue();
  return true;
}

/// The offset `i*step + base` of a block, a scalar.
bool matchOffset(Value value, Positions &positions) {
  auto matchIndex = [&](Value scalar) {
    auto index = scalar.getDefiningOp<spmd::AxisIndexOp>();
    if (!index)
      return false;
    positions.mesh = index.getMeshAttr();
    positions.axes.assign(index.getAxes().getAxes().begin(),
                          index.getAxes().getAxes().end());
    return true;
  };
  auto matchScaled = [&](Value scalar) {
    positions.step = 1;
    return matchIndex(scalar) ||
           matchCommutative<stablehlo::MulOp>(
               scalar, matchIndex, [&](Value factor) {
                 return matchInteger(factor, positions.step);
               });
  };
  positions.base = 0;
  return matchScaled(value) ||
         matchCommutative<stablehlo::AddOp>(
             value, matchScaled, [&](Value constant) {
               return matchInteger(constant, positions.base);
             });
}

} // namespace

std::optional<Positions> matchPositions(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger(32))
    return std::nullopt;
  Positions positions;
  auto matchIota = [&](Value tensor) {
    auto iota = tensor.getDefiningOp<stablehlo::IotaOp>();
    if (iota)
      positions.dim = iota.getIotaDimension();
    return bool(iota);
  };
  auto matchSplat = [&](Value tensor) {
    auto splat = tensor.getDefiningOp<stablehlo::BroadcastInDimOp>();
    return splat && splat.getBroadcastDimensions().empty() &&
           matchOffset(splat.getOperand(), positions);
  };
  if (matchIota(value) ||
      matchCommutative<stablehlo::AddOp>(value, matchIota, matchSplat))
    return positions;
  return std::nullopt;
}

/// Compares each position with `bound`.
static Value emitCompare(OpBuilder &b, Location loc, Value position,
                         int64_t bound,
                         stablehlo::ComparisonDirection direction) {
  auto type = cast<RankedTensorType>(position.getType());
  Value limit =
      emitSplat(b, loc, emitInteger(b, loc, b.getI32Type(), bound), type);
  return stablehlo::CompareOp::create(b, loc, type.clone(b.getI1Type()),
                                      position, limit, direction,
                                      stablehlo::ComparisonTypeAttr());
}

Value emitZeroOutside(OpBuilder &b, Location loc, Value value, Value position,
                      int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  Value inside = stablehlo::AndOp::create(
      b, loc,
      emitCompare(b, loc, position, 0, stablehlo::ComparisonDirection::GE),
      emitCompare(b, loc, position, size, stablehlo::ComparisonDirection::LT));
  return stablehlo::SelectOp::create(b, loc, type, inside, value,
                                     emitZeros(b, loc, type));
}

Value emitRoundPositions(OpBuilder &b, Location loc, Value position,
                         int64_t size) {
  auto type = cast<RankedTensorType>(position.getType());
  Value round =
      emitSplat(b, loc, emitInteger(b, loc, b.getI32Type(), size), type);
  return stablehlo::RemOp::create(b, loc, emitSum(b, loc, position, round),
                                  round);
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
