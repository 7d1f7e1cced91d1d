// Index arithmetic that the models of dynamic slices, gather and scatter share.

#include "ScalarIndex.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita {

using stablehlo::ComparisonDirection;

static Value compare(PartitionBuilder &builder, Value lhs, Value rhs,
                     ComparisonDirection direction) {
  OpBuilder &b = builder.builder();
  auto type = cast<RankedTensorType>(lhs.getType());
  return stablehlo::CompareOp::create(
      b, builder.getLoc(), type.clone(b.getI1Type()), lhs, rhs,
      stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction),
      stablehlo::ComparisonTypeAttr());
}

static Value splatInt(PartitionBuilder &builder, RankedTensorType type,
                      int64_t value) {
  return builder.splat(builder.scalarInt(type.getElementType(), value), type);
}

Value widenIndex(PartitionBuilder &builder, Value index) {
  OpBuilder &b = builder.builder();
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(index.getType()));
  if (!type)
    return builder.convert(index, b.getI64Type());
  // Unsigned values of 32 bits need 64 to be signed; those of 64 bits beyond
  // the signed range become negative, which is as far out of bounds.
  if (type.isUnsigned())
    return builder.convert(index, type.getWidth() < 32 ? b.getI32Type()
                                                       : b.getI64Type());
  return type.getWidth() < 32 ? builder.convert(index, b.getI32Type()) : index;
}

Value clampIndex(PartitionBuilder &builder, Value index, int64_t high) {
  OpBuilder &b = builder.builder();
  auto original = dyn_cast<IntegerType>(getElementTypeOrSelf(index.getType()));
  // Unsigned 64-bit values are clamped as they are: converted, they might turn
  // negative and clamp to the wrong end.
  bool isWide = original && original.isUnsigned() && original.getWidth() == 64;
  Value wide = isWide ? index : widenIndex(builder, index);
  auto type = cast<RankedTensorType>(wide.getType());
  Value clamped = stablehlo::ClampOp::create(
      b, builder.getLoc(), type, builder.scalarInt(type.getElementType(), 0),
      wide, builder.scalarInt(type.getElementType(), high));
  return builder.convert(clamped, b.getI32Type());
}

Value withinBounds(PartitionBuilder &builder, Value index, int64_t size) {
  auto type = cast<RankedTensorType>(index.getType());
  Value low = compare(builder, index, splatInt(builder, type, 0),
                      ComparisonDirection::GE);
  Value high = compare(builder, index, splatInt(builder, type, size),
                       ComparisonDirection::LT);
  return stablehlo::AndOp::create(builder.builder(), builder.getLoc(), low,
                                  high);
}

Value withinBounds(PartitionBuilder &builder, Value index, int64_t dim,
                   ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(index.getType());
  Value low = compare(builder, index, splatInt(builder, type, 0),
                      ComparisonDirection::GE);
  Value high = compare(builder, index, constantAlong(builder, type, dim, sizes),
                       ComparisonDirection::LT);
  return stablehlo::AndOp::create(builder.builder(), builder.getLoc(), low,
                                  high);
}

/// A vector spread along dimension `dim` of `type`; a scalar when `dim` is the
/// rank, which stands for a dimension of size one left out.
static Value spread(PartitionBuilder &builder, Value vector,
                    RankedTensorType type, int64_t dim) {
  OpBuilder &b = builder.builder();
  if (dim == type.getRank()) {
    auto scalarType = RankedTensorType::get({}, type.getElementType());
    vector =
        stablehlo::ReshapeOp::create(b, builder.getLoc(), scalarType, vector);
    return builder.splat(vector, type);
  }
  if (vector.getType() == type)
    return vector;
  return stablehlo::BroadcastInDimOp::create(b, builder.getLoc(), type, vector,
                                             ArrayRef<int64_t>{dim});
}

Value constantAlong(PartitionBuilder &builder, RankedTensorType type,
                    int64_t dim, ArrayRef<int64_t> values) {
  if (llvm::all_equal(values))
    return splatInt(builder, type, values.front());
  auto vectorType = RankedTensorType::get(static_cast<int64_t>(values.size()),
                                          type.getElementType());
  SmallVector<Attribute> attrs;
  for (int64_t value : values)
    attrs.push_back(IntegerAttr::get(type.getElementType(), value));
  Value vector = stablehlo::ConstantOp::create(
      builder.builder(), builder.getLoc(),
      cast<ElementsAttr>(DenseElementsAttr::get(vectorType, attrs)));
  return spread(builder, vector, type, dim);
}

Value scalarsAlong(PartitionBuilder &builder, RankedTensorType type,
                   int64_t dim, ArrayRef<Value> values) {
  OpBuilder &b = builder.builder();
  SmallVector<Value> parts;
  auto partType = RankedTensorType::get(1, b.getI32Type());
  for (Value value : values)
    parts.push_back(
        stablehlo::ReshapeOp::create(b, builder.getLoc(), partType, value));
  Value vector = parts.front();
  if (parts.size() > 1) {
    auto vectorType = RankedTensorType::get(static_cast<int64_t>(parts.size()),
                                            b.getI32Type());
    vector = stablehlo::ConcatenateOp::create(b, builder.getLoc(), vectorType,
                                              parts, 0);
  }
  vector = builder.convert(vector, type.getElementType());
  return spread(builder, vector, type, dim);
}

} // namespace partita
