// Rows of a tensor by static slices, rows at its ends by dynamic ones.

#include "dialects/StableHLO/EdgeRows.h"
#include "dialects/StableHLO/StableHLO.h"

#include <numeric>

using namespace mlir;

namespace partita::stablehlo {

Value emitRows(OpBuilder &b, Location loc, Value value, int64_t dim,
               int64_t first, int64_t limit) {
  auto type = cast<RankedTensorType>(value.getType());
  if (first == 0 && limit == type.getDimSize(dim))
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  SmallVector<int64_t> limits(type.getShape()), shape(type.getShape());
  starts[dim] = first;
  limits[dim] = limit;
  shape[dim] = limit - first;
  return SliceOp::create(
      b, loc, type.clone(shape), value, b.getDenseI64ArrayAttr(starts),
      b.getDenseI64ArrayAttr(limits), b.getDenseI64ArrayAttr(strides));
}

static Value emitInteger(OpBuilder &b, Location loc, int64_t value) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  return ConstantOp::create(
      b, loc, DenseIntElementsAttr::get(type, static_cast<int32_t>(value)));
}

/// Row `index` of `source` at all places of `type`.
static Value emitRow(OpBuilder &b, Location loc, Value source, int64_t dim,
                     Value index, RankedTensorType type) {
  auto sourceType = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> row(sourceType.getShape()), identity(type.getRank());
  std::iota(identity.begin(), identity.end(), 0);
  row[dim] = 1;
  SmallVector<Value> starts(type.getRank(), emitInteger(b, loc, 0));
  starts[dim] = index;
  Value slice = DynamicSliceOp::create(b, loc, sourceType.clone(row), source,
                                       starts, b.getDenseI64ArrayAttr(row));
  return BroadcastInDimOp::create(b, loc, type, slice,
                                  b.getDenseI64ArrayAttr(identity));
}

Value emitEdgeRows(OpBuilder &b, Location loc, Value value, Value source,
                   int64_t dim, Value position, Value first, int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  auto indexType = type.clone(b.getI32Type());
  int64_t rows = cast<RankedTensorType>(source.getType()).getDimSize(dim);
  for (auto [edge, direction] :
       {std::pair(int64_t(0), ComparisonDirection::LT),
        std::pair(size - 1, ComparisonDirection::GT)}) {
    Value bound = emitInteger(b, loc, edge);
    // Clamped where no row is past this end.
    Value index =
        ClampOp::create(b, loc, first.getType(), emitInteger(b, loc, 0),
                        SubtractOp::create(b, loc, bound, first),
                        emitInteger(b, loc, rows - 1));
    Value limit = BroadcastInDimOp::create(b, loc, indexType, bound,
                                           b.getDenseI64ArrayAttr({}));
    Value isPast =
        CompareOp::create(b, loc, type.clone(b.getI1Type()), position, limit,
                          direction, ComparisonTypeAttr());
    value = SelectOp::create(b, loc, type, isPast,
                             emitRow(b, loc, source, dim, index, type), value);
  }
  return value;
}

} // namespace partita::stablehlo
