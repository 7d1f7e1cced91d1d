// Exchanges of fixed rows of neighbours: the same on every device, put beside
// its own. Past an end of the dimension, an interval reads zeros, the other end
// or the last row.

#include "CollectiveConverter.h"
#include "dialects/StableHLO/EdgeRows.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "partita/Support/MathExtras.h"

using namespace mlir;

namespace partita {

/// `first` plus the index along `dim`, for each element of `type`.
Value CollectiveConverter::emitPositions(RankedTensorType type, int64_t dim,
                                         Value first) {
  auto indexType = type.clone(b.getI32Type());
  return stablehlo::AddOp::create(
      b, loc,
      stablehlo::IotaOp::create(b, loc, indexType, b.getI64IntegerAttr(dim)),
      stablehlo::BroadcastInDimOp::create(b, loc, indexType, first,
                                          b.getDenseI64ArrayAttr({})));
}

/// `input` with zeros past the end of a dimension whose blocks are uneven.
Value CollectiveConverter::clearPadding(spmd::ExchangeOp op, Value input,
                                        int64_t dim) {
  auto type = cast<RankedTensorType>(input.getType());
  spmd::MeshAttr mesh = getMesh(op.getMeshName());
  int64_t size = op.getFromShape()[dim], block = type.getDimSize(dim);
  if (op.getFrom().getShardCount(dim, mesh) * block == size)
    return input;
  Value first = multiply(
      emitAxisIndex(mesh, op.getFrom().getDims()[dim].getAxes()), block);
  Value position = emitPositions(type, dim, first);
  auto indexType = cast<RankedTensorType>(position.getType());
  Value inside = stablehlo::CompareOp::create(
      b, loc, indexType.clone(b.getI1Type()), position,
      stablehlo::BroadcastInDimOp::create(b, loc, indexType, constant(size),
                                          b.getDenseI64ArrayAttr({})),
      stablehlo::ComparisonDirection::LT, stablehlo::ComparisonTypeAttr());
  Value zero =
      stablehlo::ConstantOp::create(b, loc, stablehlo::getZeroElements(type));
  return stablehlo::SelectOp::create(b, loc, type, inside, input, zero);
}

/// Every device gets the same rows of the block that is as far from its own;
/// past an end, those of the other end if it `wraps`, else zeros.
Value CollectiveConverter::exchangeRows(spmd::ExchangeOp op, Value input,
                                        int64_t dim, bool wraps) {
  spmd::MeshAttr mesh = getMesh(op.getMeshName());
  auto interval = op.getInterval(dim);
  auto axes = op.getFrom().getDims()[dim].getAxes();
  int64_t count = op.getFrom().getShardCount(dim, mesh);
  int64_t block = interval.getStep(), begin = interval.getBase();
  int64_t end = begin + interval.getLength();
  SmallVector<Value> parts;
  for (int64_t distance = floorDiv(begin, block); distance * block < end;
       ++distance) {
    Value part = stablehlo::emitRows(
        b, loc, input, dim, std::max<int64_t>(begin - distance * block, 0),
        std::min(end - distance * block, block));
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t target = 0; target < count; ++target) {
      int64_t source = target + distance;
      if (wraps)
        source = (source % count + count) % count;
      if (source >= 0 && source < count)
        pairs.push_back({source, target});
    }
    if (pairs.empty()) {
      part = stablehlo::ConstantOp::create(
          b, loc,
          stablehlo::getZeroElements(cast<RankedTensorType>(part.getType())));
    } else if (pairs.front().first != pairs.front().second) {
      // A device that none sends to gets zeros.
      part = permute(part, getDevicePairs(mesh, axes, pairs));
      ++numRounds;
    }
    parts.push_back(part);
  }
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  shape[dim] = interval.getLength();
  return stablehlo::ConcatenateOp::create(
      b, loc, cast<RankedTensorType>(input.getType()).clone(shape), parts, dim);
}

/// Of so many blocks, parts are put side by side; what reads more is an
/// exchange of boxes.
constexpr int64_t kMostParts = 16;

/// True if what is read is the own block with borders: its layout stays, and
/// each dimension is whole or read from a fixed place of the own block on.
static bool isHalo(spmd::ExchangeOp op, spmd::MeshAttr mesh) {
  if (op.getFrom() != op.getTo())
    return false;
  ArrayRef<int64_t> local =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  for (auto [dim, block] : llvm::enumerate(local)) {
    if (op.isOwnBlock(dim))
      continue;
    auto interval = op.getInterval(dim);
    int64_t begin = interval.getBase(), length = interval.getLength();
    // A dimension without elements has blocks of none.
    if (op.getFrom().getShardCount(dim, mesh) == 1 || block == 0 ||
        interval.getStep() != block || length == 0 ||
        ceilDiv(begin + length, block) - floorDiv(begin, block) > kMostParts)
      return false;
  }
  return true;
}

/// One dimension after the other, so that corners travel in two steps and need
/// no rounds of their own. What is put together is written once. Null: not a
/// halo.
Value CollectiveConverter::exchangeHalo(spmd::ExchangeOp op) {
  spmd::MeshAttr mesh = getMesh(op.getMeshName());
  if (!isHalo(op, mesh))
    return {};
  Value value = op.getInput();
  for (size_t dim = 0; dim < op.getFromShape().size(); ++dim)
    if (op.getFrom().getShardCount(dim, mesh) > 1 &&
        op.getInterval(dim).getStep() > 0)
      value = exchangeRows(op, clearPadding(op, value, dim), dim,
                           /*wraps=*/false);
  return value;
}

/// A device that reads past an end reads that end's row, too, or has it in its
/// own block: both are fetched, then what is past the end is filled.
FailureOr<Value>
CollectiveConverter::exchangeAndRepeatEdges(spmd::ExchangeOp op, int64_t dim) {
  auto interval = op.getInterval(dim);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t block = interval.getStep(), base = interval.getBase();
  int64_t begin = std::min<int64_t>(base, 0);
  int64_t end = std::max(base + interval.getLength(), block);
  SmallVector<Attribute> intervals(op.getIntervals().getValue());
  intervals[dim] =
      spmd::IntervalAttr::get(op.getContext(), begin, block, end - begin);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = end - begin;
  auto wider = spmd::ExchangeOp::create(
      b, loc, type.clone(shape), op.getInput(), op.getFromShapeAttr(),
      op.getFrom(), op.getTo(), b.getArrayAttr(intervals));
  FailureOr<Value> around = exchangeOrZero(wider);
  wider.erase();
  if (failed(around))
    return failure();
  Value read = stablehlo::emitRows(b, loc, *around, dim, base - begin,
                                   base - begin + interval.getLength());
  Value index = emitAxisIndex(getMesh(op.getMeshName()),
                              op.getFrom().getDims()[dim].getAxes());
  Value own = stablehlo::MulOp::create(b, loc, index, constant(block));
  auto offset = [&](int64_t by) {
    return stablehlo::AddOp::create(b, loc, own, constant(by)).getResult();
  };
  Value position = emitPositions(type, dim, offset(base));
  return stablehlo::emitEdgeRows(b, loc, read, *around, dim, position,
                                 offset(begin), op.getFromShape()[dim]);
}

} // namespace partita
