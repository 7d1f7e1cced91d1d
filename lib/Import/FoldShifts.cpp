// jnp.roll, and slices of jnp.pad in the modes wrap and edge, come as a
// concatenation of pieces of one value. Apart, each piece is moved to blocks of
// its own size and back; as one spmd.shift only what crosses a border moves.

#include "Movements.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita {
namespace {

ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Indices [begin, end) of dimension `dim` of `source`.
struct Piece {
  Value source;
  int64_t begin = 0, end = 0;
  /// Index `begin` alone, repeated instead of `end` - `begin` indices.
  bool isRepeated = false;

  int64_t size() const { return end - begin; }
};

/// `value` as rows [begin, end) of what it is sliced of along `dim` alone;
/// otherwise as all of itself.
Piece getRows(Value value, int64_t dim) {
  Piece whole{value, 0, getShape(value)[dim]};
  auto slice = value.getDefiningOp<stablehlo::SliceOp>();
  if (!slice)
    return whole;
  ArrayRef<int64_t> shape = getShape(slice.getOperand());
  for (int64_t each = 0, rank = shape.size(); each < rank; ++each)
    if (slice.getStrides()[each] != 1 ||
        (each != dim && getShape(value)[each] != shape[each]))
      return whole;
  return {slice.getOperand(), slice.getStartIndices()[dim],
          slice.getLimitIndices()[dim]};
}

/// The value whose one row along `dim` is `value` everywhere, as jnp.pad
/// repeats it: broadcast along a new dimension behind `dim`, whose own size of
/// one a reshape then drops. Null if it is made otherwise.
Value getRepeatedRow(Value value, int64_t dim) {
  auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>();
  auto broadcast =
      reshape
          ? reshape.getOperand().getDefiningOp<stablehlo::BroadcastInDimOp>()
          : stablehlo::BroadcastInDimOp();
  if (!broadcast)
    return {};
  Value row = broadcast.getOperand();
  SmallVector<int64_t> dims, shape(getShape(value));
  for (int64_t each = 0, rank = shape.size(); each < rank; ++each)
    dims.push_back(each > dim ? each + 1 : each);
  shape.insert(shape.begin() + dim, 1);
  bool isRow = static_cast<size_t>(dim) < getShape(row).size() &&
               getShape(row)[dim] == 1 &&
               broadcast.getBroadcastDimensions() == ArrayRef(dims) &&
               getShape(broadcast.getResult()) == ArrayRef(shape);
  return isRow ? row : Value();
}

Piece getPiece(Value value, int64_t dim) {
  Value row = getRepeatedRow(value, dim);
  Piece piece = getRows(row ? row : value, dim);
  if (row) {
    piece.end = piece.begin + getShape(value)[dim];
    piece.isRepeated = true;
  }
  return piece;
}

/// A value whose index j along `dim` is index j - low of `source`, which is
/// continued past its ends as `outside` says.
struct Extension {
  Value source;
  int64_t dim = 0, low = 0;
  spmd::Outside outside = spmd::Outside::Wrap;
};

/// Pieces that follow one another round the ends of `source`.
bool matchWrap(ArrayRef<Piece> pieces, int64_t size, Extension &extension) {
  int64_t next = pieces.front().begin;
  extension.low = -next;
  extension.outside = spmd::Outside::Wrap;
  for (const Piece &piece : pieces) {
    if (piece.isRepeated || piece.begin % size != next % size)
      return false;
    next = piece.end;
  }
  return true;
}

/// All rows of `source`, with its first row repeated before them or its last
/// one behind them.
bool matchEdge(ArrayRef<Piece> pieces, int64_t size, Extension &extension) {
  extension.outside = spmd::Outside::Edge;
  // One row is the edge itself, not its repetition.
  auto isEdge = [&](const Piece &piece, int64_t row) {
    return piece.begin == row && (piece.isRepeated || piece.size() == 1);
  };
  if (pieces.size() > 1 && isEdge(pieces.front(), 0)) {
    extension.low = pieces.front().size();
    pieces = pieces.drop_front();
  }
  if (pieces.size() > 1 && isEdge(pieces.back(), size - 1))
    pieces = pieces.drop_back();
  return pieces.size() == 1 && !pieces.front().isRepeated &&
         pieces.front().begin == 0 && pieces.front().end == size;
}

std::optional<Extension> matchExtension(stablehlo::ConcatenateOp concatenate) {
  int64_t dim = concatenate.getDimension();
  SmallVector<Value> inputs;
  for (Value input : concatenate.getInputs())
    if (getShape(input)[dim] > 0)
      inputs.push_back(input);
  if (inputs.empty())
    return std::nullopt;
  // The first input is a part of the source, or all of it.
  for (Value source : {getPiece(inputs.front(), dim).source, inputs.front()}) {
    int64_t size = getShape(source)[dim];
    SmallVector<Piece> pieces;
    for (Value input : inputs)
      pieces.push_back(input == source ? Piece{source, 0, size}
                                       : getPiece(input, dim));
    if (!llvm::all_of(
            pieces, [&](const Piece &piece) { return piece.source == source; }))
      continue;
    Extension extension{source, dim};
    if (matchEdge(pieces, size, extension))
      return extension;
    extension.low = 0;
    if (matchWrap(pieces, size, extension))
      return extension;
  }
  return std::nullopt;
}

/// Emits what `op` shows of the extension from index `start` on, laid out as
/// the op's result is.
Value emitShift(OpBuilder &b, Operation *op, const Extension &extension,
                int64_t start) {
  Value source = extension.source;
  int64_t by = spmd::ShiftOp::getLeastDistance(extension.low - start,
                                               getShape(source)[extension.dim],
                                               extension.outside);
  if (by == 0)
    return source;
  return withSharding(
      spmd::ShiftOp::create(
          b, op->getLoc(), source.getType(), source,
          b.getI64IntegerAttr(extension.dim), b.getI64IntegerAttr(by),
          spmd::OutsideAttr::get(b.getContext(), extension.outside)),
      spmd::getSharding(op->getResult(0)));
}

} // namespace

Value foldRoll(Operation *op, OpBuilder &b) {
  auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op);
  std::optional<Extension> extension =
      concatenate ? matchExtension(concatenate) : std::nullopt;
  if (!extension || extension->source.getType() != concatenate.getType() ||
      !isDimSharded(extension->source, extension->dim))
    return {};
  return emitShift(b, op, *extension, 0);
}

Value foldSliceOfExtension(Operation *op, OpBuilder &b) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  if (!slice || !llvm::all_of(slice.getStrides(),
                              [](int64_t stride) { return stride == 1; }))
    return {};
  // From the outermost extension inwards, each takes up the slice of its own
  // dimension.
  SmallVector<Extension> extensions;
  Value value = slice.getOperand();
  auto isTaken = [&](int64_t dim) {
    return llvm::any_of(extensions, [&](const Extension &extension) {
      return extension.dim == dim;
    });
  };
  bool isSharded = false;
  while (auto concatenate = value.getDefiningOp<stablehlo::ConcatenateOp>()) {
    std::optional<Extension> extension = matchExtension(concatenate);
    if (!extension || isTaken(extension->dim) ||
        concatenate->getBlock() != slice->getBlock())
      break;
    isSharded |= isDimSharded(extension->source, extension->dim);
    value = extension->source;
    extensions.push_back(*extension);
  }
  if (!isSharded || value.getType() != slice.getType())
    return {};
  for (int64_t dim = 0, rank = getShape(value).size(); dim < rank; ++dim)
    if (!isTaken(dim) && slice.getStartIndices()[dim] != 0)
      return {};
  // Shifts along different dimensions may follow one another in any order.
  for (Extension &extension : llvm::reverse(extensions)) {
    extension.source = value;
    value = emitShift(b, op, extension, slice.getStartIndices()[extension.dim]);
  }
  return value;
}

} // namespace partita
