// Checks of the collectives: axes against the mesh, shapes along each dimension.
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SPMD.h"
#include "partita/Support/MathExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::spmd;

//===----------------------------------------------------------------------===//
// What several collectives share
//===----------------------------------------------------------------------===//

/// Checks that there is one result per operand, at least one, of the same rank
/// and element type.
static LogicalResult verifyPairs(Operation *op) {
  if (op->getNumOperands() == 0)
    return failWithFix(op->emitOpError() << "has no operand",
                       "give at least one value");
  if (op->getNumOperands() != op->getNumResults())
    return failWithFix(op->emitOpError()
                           << "has " << op->getNumOperands()
                           << " operands, but " << op->getNumResults()
                           << " results",
                       "give one result per operand");
  for (auto [index, types] :
       llvm::enumerate(llvm::zip(op->getOperandTypes(), op->getResultTypes()))) {
    auto input = cast<RankedTensorType>(std::get<0>(types));
    auto result = cast<RankedTensorType>(std::get<1>(types));
    if (!input.hasStaticShape() || !result.hasStaticShape())
      return failWithFix(op->emitOpError()
                             << "has " << input << " -> " << result
                             << ", whose size is unknown",
                         "collectives need static shapes");
    if (input.getRank() != result.getRank() ||
        input.getElementType() != result.getElementType())
      return failWithFix(op->emitOpError()
                             << "result " << index << " is " << result
                             << ", but operand " << index << " is " << input,
                         "rank and element type stay the same");
  }
  return success();
}

/// Checks that operand and result types are equal, pair by pair.
static LogicalResult verifySameTypes(Operation *op) {
  if (failed(verifyPairs(op)))
    return failure();
  for (auto [index, types] :
       llvm::enumerate(llvm::zip(op->getOperandTypes(), op->getResultTypes())))
    if (std::get<0>(types) != std::get<1>(types))
      return failWithFix(op->emitOpError()
                             << "result " << index << " is "
                             << std::get<1>(types) << ", but operand " << index
                             << " is " << std::get<0>(types),
                         "the shape stays the same");
  return success();
}

static LogicalResult verifyAxisList(Operation *op, FlatSymbolRefAttr meshName,
                                    ArrayRef<AxisRefAttr> axes,
                                    MeshAttr &mesh) {
  FailureOr<MeshAttr> found = requireMesh(op, meshName);
  if (failed(found))
    return failure();
  mesh = *found;
  return verifyAxes(axes, mesh, [&]() { return op->emitOpError(); });
}

static SmallVector<AxisRefAttr> getAllAxes(ArrayAttr lists) {
  SmallVector<AxisRefAttr> axes;
  for (AxisListAttr list : lists.getAsRange<AxisListAttr>())
    llvm::append_range(axes, list.getAxes());
  return axes;
}

/// Error that dimension `dim` of a result has the wrong size.
static LogicalResult failSize(Operation *op, unsigned index, unsigned dim,
                              int64_t operandSize, int64_t resultSize,
                              int64_t expected, const llvm::Twine &axes,
                              int64_t count) {
  return failWithFix(op->emitOpError()
                         << "dimension " << dim << " of result " << index
                         << " has size " << resultSize << "; operand size "
                         << operandSize << " along " << axes << " of size "
                         << count << " gives " << expected,
                     "make the dimension " + llvm::Twine(expected));
}

/// Checks axes per dimension; `getExpected(size, count)` is the result size, or
/// -1 (after an error with the dimension) when there is none.
static LogicalResult verifyPerDimension(
    Operation *op, FlatSymbolRefAttr meshName, ArrayAttr lists,
    llvm::function_ref<int64_t(int64_t, int64_t)> getExpected) {
  MeshAttr mesh;
  if (failed(verifyPairs(op)) ||
      failed(verifyAxisList(op, meshName, getAllAxes(lists), mesh)))
    return failure();
  for (unsigned index = 0; index < op->getNumOperands(); ++index) {
    auto input = cast<RankedTensorType>(op->getOperand(index).getType());
    auto result = cast<RankedTensorType>(op->getResult(index).getType());
    if (input.getRank() != static_cast<int64_t>(lists.size()))
      return failWithFix(op->emitOpError()
                             << "has axes for " << lists.size()
                             << " dimensions, but operand " << index
                             << " has rank " << input.getRank(),
                         "write one {...} per dimension");
    for (auto [dim, list] :
         llvm::enumerate(lists.getAsRange<AxisListAttr>())) {
      int64_t size = input.getDimSize(dim), count = list.getSize(mesh);
      int64_t expected = getExpected(size, count);
      if (expected < 0)
        return failWithFix(op->emitOpError()
                               << "dimension " << dim << " of operand " << index
                               << " of size " << size
                               << " does not divide along " << list.str()
                               << " of size " << count,
                           "pad the dimension to a multiple of the axes");
      if (result.getDimSize(dim) != expected)
        return failSize(op, index, dim, size, result.getDimSize(dim), expected,
                        list.str(), count);
    }
  }
  return success();
}

static LogicalResult verifyKind(Operation *op, ReductionKind kind) {
  for (Type type : op->getOperandTypes())
    if (failed(verifyReductionKind(kind, getElementTypeOrSelf(type),
                                   [&]() { return op->emitOpError(); })))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Gather, slice, reduce
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  return verifyPerDimension(*this, getMeshAttr(), getGatherAxes(),
                            [](int64_t size, int64_t count) {
                              int64_t product;
                              return llvm::MulOverflow(size, count, product)
                                         ? std::numeric_limits<int64_t>::max()
                                         : product;
                            });
}

LogicalResult AllSliceOp::verify() {
  return verifyPerDimension(
      *this, getMeshAttr(), getSliceAxes(),
      [](int64_t size, int64_t count) { return ceilDiv(size, count); });
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyPerDimension(*this, getMeshAttr(), getScatterAxes(),
                                [](int64_t size, int64_t count) {
                                  return size % count ? -1 : size / count;
                                })))
    return failure();
  return verifyKind(*this, getKind());
}

LogicalResult AllReduceOp::verify() {
  MeshAttr mesh;
  if (failed(verifySameTypes(*this)) ||
      failed(verifyAxisList(*this, getMeshAttr(), getAxes().getAxes(), mesh)))
    return failure();
  return verifyKind(*this, getKind());
}

LogicalResult ToUnreducedOp::verify() {
  MeshAttr mesh;
  if (failed(verifySameTypes(*this)) ||
      failed(verifyAxisList(*this, getMeshAttr(), getAxes().getAxes(), mesh)))
    return failure();
  return verifyKind(*this, getKind());
}

//===----------------------------------------------------------------------===//
// AllToAllOp
//===----------------------------------------------------------------------===//

/// Applies the moves to the shape of operand `index` and compares the result.
static LogicalResult verifyMovedShape(AllToAllOp op, unsigned index,
                                      MeshAttr mesh) {
  auto input = cast<RankedTensorType>(op.getInputs()[index].getType());
  auto result = cast<RankedTensorType>(op.getResult(index).getType());
  SmallVector<int64_t> shape(input.getShape());
  for (auto move : op.getMoves().getAsRange<AllToAllParamAttr>()) {
    int64_t rank = input.getRank();
    int64_t source = move.getSource(), target = move.getTarget();
    if (source < 0 || source >= rank || target < 0 || target >= rank ||
        source == target)
      return failWithFix(op.emitOpError()
                             << "move " << source << " -> " << target
                             << " does not name two dimensions of operand "
                             << index << " of rank " << rank,
                         "name two different dimensions");
    auto axes = AxisListAttr::get(op.getContext(), move.getAxes());
    int64_t count = axes.getSize(mesh);
    if (shape[target] % count != 0)
      return failWithFix(op.emitOpError()
                             << "dimension " << target << " of operand "
                             << index << " of size " << shape[target]
                             << " does not divide along " << axes.str()
                             << " of size " << count,
                         "pad the dimension to a multiple of the axes");
    shape[target] /= count;
    if (llvm::MulOverflow(shape[source], count, shape[source]))
      return failWithFix(op.emitOpError() << "dimension " << source
                                          << " of operand " << index
                                          << " gets too large",
                         "use smaller tensors");
  }
  for (auto [dim, expected] : llvm::enumerate(shape))
    if (result.getDimSize(dim) != expected)
      return failWithFix(op.emitOpError()
                             << "dimension " << dim << " of result " << index
                             << " has size " << result.getDimSize(dim)
                             << "; the moves give " << expected,
                         "make the dimension " + llvm::Twine(expected));
  return success();
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyPairs(*this)))
    return failure();
  SmallVector<AxisRefAttr> axes;
  for (auto move : getMoves().getAsRange<AllToAllParamAttr>())
    llvm::append_range(axes, move.getAxes());
  MeshAttr mesh;
  if (failed(verifyAxisList(*this, getMeshAttr(), axes, mesh)))
    return failure();
  for (unsigned index = 0; index < getNumOperands(); ++index)
    if (failed(verifyMovedShape(*this, index, mesh)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// PermuteOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyPairList(PermuteOp op, int64_t count) {
  ArrayRef<int64_t> pairs = *op.getPairs();
  if (pairs.size() % 2 != 0)
    return failWithFix(op.emitOpError() << "pairs has " << pairs.size()
                                        << " numbers",
                       "write source and target of each pair");
  llvm::SmallDenseSet<int64_t> sources, targets;
  for (size_t i = 0; i < pairs.size(); ++i) {
    bool isSource = i % 2 == 0;
    StringRef what = isSource ? "source" : "target";
    if (pairs[i] < 0 || pairs[i] >= count)
      return failWithFix(op.emitOpError()
                             << what << " " << pairs[i] << " of pair " << i / 2
                             << " is not among the " << count
                             << " devices of " << op.getAxes().str(),
                         "number them from 0 in mixed radix over the axes");
    if (!(isSource ? sources : targets).insert(pairs[i]).second)
      return failWithFix(op.emitOpError() << what << " " << pairs[i]
                                          << " occurs twice",
                         "each device sends and receives at most once");
  }
  return success();
}

LogicalResult PermuteOp::verify() {
  MeshAttr mesh;
  if (failed(verifySameTypes(*this)) ||
      failed(verifyAxisList(*this, getMeshAttr(), getAxes().getAxes(), mesh)))
    return failure();
  int maps = (getPairs() ? 1 : 0) + (getTargetAxes() ? 1 : 0) +
             (getShift() ? 1 : 0);
  if (maps != 1)
    return failWithFix(emitOpError() << "has " << maps << " maps",
                       "give exactly one of pairs, to {...} and shift");
  if (getWrap() && !getShift())
    return failWithFix(emitOpError() << "has wrap without shift",
                       "wrap belongs to shift = [...]");
  if (getPairs())
    return verifyPairList(*this, getAxes().getSize(mesh));
  if (getShift()) {
    if (getShift()->size() != getAxes().getAxes().size())
      return failWithFix(emitOpError()
                             << "has " << getShift()->size() << " shifts for "
                             << getAxes().getAxes().size() << " axes",
                         "write one shift per axis");
    return success();
  }
  ArrayRef<AxisRefAttr> source = getAxes().getAxes();
  ArrayRef<AxisRefAttr> target = getTargetAxes()->getAxes();
  // Neither list repeats an axis, so equal length and inclusion mean equality.
  if (source.size() != target.size() ||
      !llvm::all_of(target, [&](AxisRefAttr axis) {
        return llvm::is_contained(source, axis);
      }))
    return failWithFix(emitOpError() << "target axes " << getTargetAxes()->str()
                                     << " are not those of "
                                     << getAxes().str() << " in some order",
                       "name each axis of the first list once");
  return success();
}

/// Coordinates of `number` over axes of the given sizes, major first.
static SmallVector<int64_t> getCoordinates(int64_t number,
                                           ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> coordinates(sizes.size());
  for (int64_t i = static_cast<int64_t>(sizes.size()) - 1; i >= 0; --i) {
    coordinates[i] = number % sizes[i];
    number /= sizes[i];
  }
  return coordinates;
}

static int64_t getNumber(ArrayRef<int64_t> coordinates,
                         ArrayRef<int64_t> sizes) {
  int64_t number = 0;
  for (auto [coordinate, size] : llvm::zip(coordinates, sizes))
    number = number * size + coordinate;
  return number;
}

SmallVector<std::pair<int64_t, int64_t>>
PermuteOp::getPairList(MeshAttr mesh) {
  SmallVector<std::pair<int64_t, int64_t>> list;
  if (std::optional<ArrayRef<int64_t>> pairs = getPairs()) {
    for (size_t i = 0; i + 1 < pairs->size(); i += 2)
      list.push_back({(*pairs)[i], (*pairs)[i + 1]});
    return list;
  }
  ArrayRef<AxisRefAttr> axes = getAxes().getAxes();
  SmallVector<int64_t> sizes, targetSizes;
  for (AxisRefAttr axis : axes)
    sizes.push_back(axis.getSize(mesh));
  if (getTargetAxes())
    for (AxisRefAttr axis : getTargetAxes()->getAxes())
      targetSizes.push_back(axis.getSize(mesh));
  int64_t count = getAxes().getSize(mesh);
  for (int64_t source = 0; source < count; ++source) {
    SmallVector<int64_t> to(sizes.size(), 0);
    bool isLost = false;
    if (getTargetAxes()) {
      SmallVector<int64_t> inOrder = getCoordinates(source, targetSizes);
      for (auto [axis, coordinate] :
           llvm::zip(getTargetAxes()->getAxes(), inOrder))
        to[llvm::find(axes, axis) - axes.begin()] = coordinate;
    } else {
      SmallVector<int64_t> from = getCoordinates(source, sizes);
      for (auto [i, size] : llvm::enumerate(sizes)) {
        int64_t shift = getShift()->operator[](i);
        if (getWrap()) {
          to[i] = (from[i] + shift % size + size) % size;
          continue;
        }
        isLost |= shift >= size - from[i] || shift < -from[i];
        to[i] = isLost ? 0 : from[i] + shift;
      }
    }
    if (!isLost)
      list.push_back({source, getNumber(to, sizes)});
  }
  return list;
}

//===----------------------------------------------------------------------===//
// ExchangeOp
//===----------------------------------------------------------------------===//

/// Checks that every index that the interval reads fits in 64 bits.
static LogicalResult verifyInterval(ExchangeOp op, unsigned dim,
                                    IntervalAttr interval, int64_t count) {
  int64_t span, last, end;
  if (interval.getLength() < 0 ||
      llvm::MulOverflow(interval.getStep(), count, span) ||
      llvm::AddOverflow(interval.getBase(), span, last) ||
      llvm::AddOverflow(last, interval.getLength(), end) ||
      llvm::AddOverflow(interval.getBase(), interval.getLength(), end))
    return failWithFix(op.emitOpError()
                           << "interval of dimension " << dim
                           << " is out of range for " << count << " shards",
                       "lengths are not negative and indices fit in 64 bits");
  return success();
}

bool ExchangeOp::hasSameAxes(int64_t dim) {
  return getFrom().getDims()[dim].getAxes() == getTo().getDims()[dim].getAxes();
}

bool ExchangeOp::isOwnBlock(int64_t dim) {
  IntervalAttr interval = getInterval(dim);
  int64_t block = cast<RankedTensorType>(getInput().getType()).getDimSize(dim);
  return interval.getBase() == 0 && interval.getLength() == block &&
         (interval.getStep() == block ||
          getFrom().getDims()[dim].getAxes().empty());
}

/// Checks what `wrap` and `edge` ask for: every shard reads around its block,
/// along this dimension alone.
static LogicalResult verifyOutside(ExchangeOp op, int64_t dim, int64_t count) {
  IntervalAttr interval = op.getInterval(dim);
  if (interval.getOutside() == Outside::Zero)
    return success();
  auto input = cast<RankedTensorType>(op.getInput().getType());
  bool isAlone = true;
  for (int64_t other = 0, rank = input.getRank(); other < rank; ++other)
    isAlone &= other == dim || (op.isOwnBlock(other) && op.hasSameAxes(other));
  int64_t block = input.getDimSize(dim), size = op.getFromShape()[dim];
  bool isRead = interval.getOutside() == Outside::Edge
                    ? interval.getBase() >= -block &&
                          interval.getBase() + interval.getLength() <= 2 * block
                    : block * count == size;
  if (isAlone && block > 0 && interval.getStep() == block &&
      op.hasSameAxes(dim) && isRead)
    return success();
  return failWithFix(op.emitOpError()
                         << "reads dimension " << dim << " of size " << size
                         << " as '" << stringifyEnum(interval.getOutside())
                         << "', but not every shard reads around its own block "
                            "of "
                         << block << " there alone",
                     "use the same axes and the block as step, one such "
                     "dimension, for wrap blocks that divide it, and for edge "
                     "no more than a block to either side");
}

/// Checks the operand against from_shape as `from`, the result against the
/// interval lengths.
static LogicalResult verifyExchangeShapes(ExchangeOp op, MeshAttr mesh) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  ArrayRef<int64_t> shape = op.getFromShape();
  for (auto [dim, interval] :
       llvm::enumerate(op.getIntervals().getAsRange<IntervalAttr>())) {
    if (shape[dim] < 0)
      return failWithFix(op.emitOpError() << "dimension " << dim
                                          << " of the whole input has size "
                                          << shape[dim],
                         "sizes are not negative");
    int64_t count = op.getFrom().getShardCount(dim, mesh);
    int64_t block = ceilDiv(shape[dim], count);
    if (input.getDimSize(dim) != block)
      return failWithFix(op.emitOpError()
                             << "dimension " << dim << " of the operand has size "
                             << input.getDimSize(dim) << "; " << shape[dim]
                             << " in " << count << " shards gives " << block,
                         "make the dimension " + llvm::Twine(block));
    if (failed(verifyInterval(op, dim, interval,
                              op.getTo().getShardCount(dim, mesh))) ||
        failed(verifyOutside(op, dim, count)))
      return failure();
    if (result.getDimSize(dim) != interval.getLength())
      return failWithFix(op.emitOpError()
                             << "dimension " << dim << " of the result has size "
                             << result.getDimSize(dim)
                             << ", but its interval has length "
                             << interval.getLength(),
                         "make both the same");
  }
  return success();
}

LogicalResult ExchangeOp::verify() {
  if (failed(verifyPairs(*this)))
    return failure();
  if (getFrom().getMesh() != getTo().getMesh())
    return failWithFix(emitOpError() << "goes from mesh " << getFrom().getMesh()
                                     << " to mesh " << getTo().getMesh(),
                       "use one mesh");
  FailureOr<MeshAttr> mesh = requireMesh(*this, getFrom().getMesh());
  if (failed(mesh))
    return failure();
  int64_t rank = cast<RankedTensorType>(getInput().getType()).getRank();
  if (static_cast<int64_t>(getFromShape().size()) != rank ||
      static_cast<int64_t>(getIntervals().size()) != rank)
    return failWithFix(emitOpError()
                           << "has a shape of " << getFromShape().size()
                           << " dimensions and " << getIntervals().size()
                           << " intervals for an operand of rank " << rank,
                       "write one size and one interval per dimension");
  auto check = [&](StringRef what, ShardingAttr sharding, Value value) {
    if (!sharding.getUnreduced().empty())
      return failWithFix(emitOpError() << "'" << what
                                       << "' has unreduced axes",
                         "reduce the value first");
    return sharding.verifyForType(value.getType(), *mesh, [&]() {
      return emitOpError() << "'" << what << "': ";
    });
  };
  if (failed(check("from", getFrom(), getInput())) ||
      failed(check("to", getTo(), getResult())))
    return failure();
  return verifyExchangeShapes(*this, *mesh);
}

//===----------------------------------------------------------------------===//
// BroadcastOp, RaggedAllToAllOp, AxisIndexOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  MeshAttr mesh;
  if (failed(verifySameTypes(*this)) ||
      failed(verifyAxisList(*this, getMeshAttr(), getAxes().getAxes(), mesh)))
    return failure();
  int64_t root = getRootAttr().getInt(), count = getAxes().getSize(mesh);
  if (root < 0 || root >= count)
    return failWithFix(emitOpError() << "root " << root << " is not among the "
                                     << count << " devices of "
                                     << getAxes().str(),
                       "number them from 0 in mixed radix over the axes");
  return success();
}

LogicalResult RaggedAllToAllOp::verify() {
  MeshAttr mesh;
  if (failed(verifyAxisList(*this, getMeshAttr(), getAxes().getAxes(), mesh)))
    return failure();
  auto input = cast<RankedTensorType>(getInput().getType());
  auto output = cast<RankedTensorType>(getOutput().getType());
  if (!input.hasStaticShape() || !output.hasStaticShape() ||
      input.getRank() < 1 || input.getRank() != output.getRank() ||
      input.getElementType() != output.getElementType() ||
      input.getShape().drop_front() != output.getShape().drop_front())
    return failWithFix(emitOpError() << "input is " << input
                                     << ", but output is " << output,
                       "both have static shapes that differ in dimension 0 "
                       "at most");
  if (getResult().getType() != output)
    return failWithFix(emitOpError() << "result is " << getResult().getType()
                                     << ", but output is " << output,
                       "give the result the type of output");
  int64_t count = getAxes().getSize(mesh);
  Type first = getInputOffsets().getType();
  for (Value value : {getInputOffsets(), getSendSizes(), getOutputOffsets(),
                      getRecvSizes()}) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type != first || type.getRank() != 1 ||
        !isa<IntegerType>(type.getElementType()) || type.isDynamicDim(0) ||
        type.getDimSize(0) == 0 || type.getDimSize(0) % count != 0)
      return failWithFix(emitOpError()
                             << "offsets and sizes include " << type << " for "
                             << count << " devices of " << getAxes().str(),
                         "all four are vectors of integers of one type, with "
                         "a multiple of the devices as length");
  }
  return success();
}

LogicalResult AxisIndexOp::verify() {
  MeshAttr mesh;
  if (failed(verifyAxisList(*this, getMeshAttr(), getAxes().getAxes(), mesh)))
    return failure();
  auto type = cast<RankedTensorType>(getResult().getType());
  if (type.getRank() != 0 || !isa<IntegerType, IndexType>(type.getElementType()))
    return failWithFix(emitOpError() << "gives " << type,
                       "the index is an integer of rank 0");
  return success();
}
