// spmd.all_to_all: parts along a dimension of their own, one exchange of blocks
// for several moves, or between two devices one permute of what each gives
// away.

#include "CollectiveConverter.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace partita {

Value CollectiveConverter::exchangeParts(Value value, int64_t dim,
                                         MeshName mesh, AxisRefs axes) {
  ++numCollectives;
  IntegerAttr along = b.getI64IntegerAttr(dim);
  return stablehlo::AllToAllOp::create(
             b, loc, TypeRange(value.getType()), ValueRange(value), along,
             along, b.getI64IntegerAttr(getGroupSize(axes, getMesh(mesh))),
             makeGroups(mesh, axes), makeChannel())
      .getResult(0);
}

Value CollectiveConverter::allToAll(Value value, MeshName mesh, AxisRefs axes,
                                    int64_t split, int64_t concat) {
  if (prices &&
      prices->isPermuteOfHalf(getGroup(getMesh(mesh), axes),
                              double(spmd::getByteSize(value.getType()))))
    return swapBlocks(value, mesh, axes, split, concat);
  // XLA joins the parts along the dimension that it splits, and transposes what
  // is joined. Parts along a dimension of their own, in front of the one where
  // they are joined, are transposed as they are cut.
  auto type = cast<RankedTensorType>(value.getType());
  int64_t size = getGroupSize(axes, getMesh(mesh));
  RankedTensorType part = scaleDim(type, split, 1, size);
  SmallVector<int64_t> parts(part.getShape()), permutation;
  parts.insert(parts.begin() + split, size);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim == concat)
      permutation.push_back(split);
    permutation.push_back(dim < split ? dim : dim + 1);
  }
  value = transpose(reshape(value, parts), permutation);
  value = exchangeParts(value, concat, mesh, axes);
  return reshape(value, scaleDim(part, concat, size, 1).getShape());
}

Value CollectiveConverter::swapBlocks(Value value, MeshName mesh, AxisRefs axes,
                                      int64_t split, int64_t concat) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType block = scaleDim(type, split, 1, 2);
  int64_t size = block.getDimSize(split);
  Value index = emitAxisIndex(getMesh(mesh), axes);
  SmallVector<Value> own(type.getRank(), constant(0)), other(own);
  own[split] = multiply(index, size);
  other[split] =
      stablehlo::SubtractOp::create(b, loc, constant(size), own[split]);
  auto cut = [&](ArrayRef<Value> starts) -> Value {
    return stablehlo::DynamicSliceOp::create(
        b, loc, block, value, starts, b.getDenseI64ArrayAttr(block.getShape()));
  };
  Value got = permute(cut(other),
                      getDevicePairs(getMesh(mesh), axes, {{0, 1}, {1, 0}}));
  Value kept = cut(own);
  Value isFirst = isEqual(index, 0);
  auto select = [&](Value first, Value second) -> Value {
    return stablehlo::SelectOp::create(b, loc, block, isFirst, first, second);
  };
  return stablehlo::ConcatenateOp::create(
      b, loc, scaleDim(block, concat, 2, 1),
      ValueRange{select(kept, got), select(got, kept)},
      b.getI64IntegerAttr(concat));
}

/// True if some move takes from a dimension that an earlier one moved to; then
/// the moves are not one exchange of blocks of the operand.
static bool hasChain(ArrayAttr moves) {
  llvm::SmallDenseSet<int64_t> targets;
  for (auto move : moves.getAsRange<spmd::AllToAllParamAttr>()) {
    if (targets.contains(move.getSource()))
      return true;
    targets.insert(move.getTarget());
  }
  return false;
}

namespace {

/// Shapes and permutations around the one exchange of blocks of several moves.
struct BlockMoves {
  BlockMoves(ArrayRef<int64_t> shape, ArrayAttr moves, spmd::MeshAttr mesh);

  /// Every target dimension as [size of a move, ..., rest].
  SmallVector<int64_t> split;
  /// Brings the parts of all moves to the front, in the order of the moves.
  SmallVector<int64_t> toFront;
  /// What is left of every dimension.
  SmallVector<int64_t> local;
  /// After the exchange the front dimension numbers the senders: split by
  /// moves.
  SmallVector<int64_t> unflat;
  /// Each part becomes major to what its source dimension holds, later moves
  /// more so.
  SmallVector<int64_t> toSources, result;
};

} // namespace

BlockMoves::BlockMoves(ArrayRef<int64_t> shape, ArrayAttr moves,
                       spmd::MeshAttr mesh)
    : local(shape) {
  int64_t rank = shape.size(), count = moves.size();
  SmallVector<int64_t> sizes, back;
  toFront.resize(count);
  for (auto move : moves.getAsRange<spmd::AllToAllParamAttr>())
    sizes.push_back(getGroupSize(move.getAxes(), mesh));
  for (int64_t dim = 0; dim < rank; ++dim) {
    for (auto [index, move] :
         llvm::enumerate(moves.getAsRange<spmd::AllToAllParamAttr>()))
      if (move.getTarget() == dim) {
        toFront[index] = split.size();
        split.push_back(sizes[index]);
        local[dim] /= sizes[index];
      }
    back.push_back(split.size());
    split.push_back(local[dim]);
  }
  llvm::append_range(toFront, back);
  unflat = sizes;
  llvm::append_range(unflat, local);
  result = local;
  for (int64_t dim = 0; dim < rank; ++dim) {
    for (int64_t index = count - 1; index >= 0; --index) {
      if (cast<spmd::AllToAllParamAttr>(moves[index]).getSource() != dim)
        continue;
      toSources.push_back(index);
      result[dim] *= sizes[index];
    }
    toSources.push_back(count + dim);
  }
}

Value CollectiveConverter::groupedAllToAll(Value value, MeshName mesh,
                                           ArrayAttr moves) {
  if (moves.size() == 1 || hasChain(moves)) {
    for (auto move : moves.getAsRange<spmd::AllToAllParamAttr>())
      value = allToAll(value, mesh, move.getAxes(), move.getTarget(),
                       move.getSource());
    return value;
  }
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<spmd::AxisRefAttr> axes;
  BlockMoves blocks(type.getShape(), moves, getMesh(mesh));
  for (auto move : moves.getAsRange<spmd::AllToAllParamAttr>())
    llvm::append_range(axes, move.getAxes());
  value = reshape(value, blocks.split);
  value = transpose(value, blocks.toFront);
  SmallVector<int64_t> flat{getGroupSize(axes, getMesh(mesh))};
  llvm::append_range(flat, blocks.local);
  value = reshape(value, flat);
  value = exchangeParts(value, 0, mesh, axes);
  value = reshape(value, blocks.unflat);
  value = transpose(value, blocks.toSources);
  return reshape(value, blocks.result);
}

} // namespace partita
