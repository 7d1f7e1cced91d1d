// Local ops for passes that know no op.

#include "partita/Building/LocalOps.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/ZeroElements.h"

using namespace mlir;

namespace partita {

Value emitReshape(OpBuilder &b, Location loc, Value value,
                  ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return stablehlo::ReshapeOp::create(b, loc, type.clone(shape), value);
}

Value emitInteger(OpBuilder &b, Location loc, Type elementType, int64_t value) {
  auto type = RankedTensorType::get({}, elementType);
  return stablehlo::ConstantOp::create(
      b, loc,
      cast<ElementsAttr>(DenseElementsAttr::get(
          type, Attribute(IntegerAttr::get(elementType, value)))));
}

Value emitSum(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return stablehlo::AddOp::create(b, loc, lhs, rhs);
}

Value emitSplat(OpBuilder &b, Location loc, Value scalar,
                RankedTensorType type) {
  if (scalar.getType() == type)
    return scalar;
  return stablehlo::BroadcastInDimOp::create(b, loc, type, scalar,
                                             b.getDenseI64ArrayAttr({}));
}

static Value emitZero(OpBuilder &b, Location loc, Type elementType) {
  return stablehlo::ConstantOp::create(
      b, loc,
      stablehlo::getZeroElements(RankedTensorType::get({}, elementType)));
}

Value emitPadded(OpBuilder &b, Location loc, Value value,
                 ArrayRef<int64_t> lows, ArrayRef<int64_t> highs) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] += lows[dim] + highs[dim];
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(lows, isZero) && llvm::all_of(highs, isZero))
    return value;
  SmallVector<int64_t> interior(shape.size(), 0);
  return stablehlo::PadOp::create(
      b, loc, type.clone(shape), value, emitZero(b, loc, type.getElementType()),
      b.getDenseI64ArrayAttr(lows), b.getDenseI64ArrayAttr(highs),
      b.getDenseI64ArrayAttr(interior));
}

Value emitZeros(OpBuilder &b, Location loc, RankedTensorType type) {
  return emitSplat(b, loc, emitZero(b, loc, type.getElementType()), type);
}

static Value emitIndex(OpBuilder &b, Location loc, int64_t value) {
  return emitInteger(b, loc, b.getI32Type(), value);
}

Value emitRotated(OpBuilder &b, Location loc, Value number, int64_t distance,
                  int64_t count) {
  if (distance % count == 0)
    return number;
  Value sum = emitSum(b, loc, number, emitIndex(b, loc, distance % count));
  return stablehlo::RemOp::create(b, loc, sum, emitIndex(b, loc, count));
}

/// Where block `number` of dimension `dim` starts, by dimension.
static SmallVector<Value> emitStarts(OpBuilder &b, Location loc, int64_t rank,
                                     int64_t dim, int64_t size, Value number) {
  SmallVector<Value> starts(rank, emitIndex(b, loc, 0));
  starts[dim] =
      stablehlo::MulOp::create(b, loc, number, emitIndex(b, loc, size));
  return starts;
}

Value emitBlock(OpBuilder &b, Location loc, Value value, int64_t dim,
                int64_t size, Value number) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = size;
  return stablehlo::DynamicSliceOp::create(
      b, loc, type.clone(sizes), value,
      emitStarts(b, loc, type.getRank(), dim, size, number),
      b.getDenseI64ArrayAttr(sizes));
}

Value emitBlockUpdate(OpBuilder &b, Location loc, Value value, Value block,
                      int64_t dim, Value number) {
  auto type = cast<RankedTensorType>(block.getType());
  return stablehlo::DynamicUpdateSliceOp::create(
      b, loc, value.getType(), value, block,
      emitStarts(b, loc, type.getRank(), dim, type.getDimSize(dim), number));
}

} // namespace partita
