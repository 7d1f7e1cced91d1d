// CollectiveOpInterface of each collective: mesh, axes, and the bytes that one
// device sends in the ring model. Holds for ops that have passed verification;
// axes that the mesh lacks count as size one.
#include "dialects/SPMD/SPMD.h"
#include "partita/Support/MathExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::spmd;

int64_t spmd::getByteSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  Type element = tensor.getElementType();
  int64_t bits = 64; // index
  int64_t factor = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    factor = 2;
  }
  if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return tensor.getNumElements() * factor * ceilDiv(bits, 8);
}

int64_t spmd::getSubCoordinate(AxisRefAttr axis, int64_t coordinate,
                               int64_t axisSize) {
  if (!axis.isSubAxis())
    return coordinate;
  int64_t minor = axisSize / (axis.getPreSize() * axis.getSubSize());
  return coordinate / std::max<int64_t>(minor, 1) % axis.getSubSize();
}

static int64_t getOperandBytes(Operation *op) {
  int64_t bytes = 0;
  for (Type type : op->getOperandTypes())
    bytes += getByteSize(type);
  return bytes;
}

static int64_t getGroupSize(ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  int64_t size = 1;
  for (AxisRefAttr axis : axes)
    size *= std::max<int64_t>(axis.getSize(mesh), 1);
  return size;
}

/// ceil(steps * bytes / group) without overflow.
static int64_t scale(int64_t bytes, int64_t steps, int64_t group) {
  auto product = static_cast<__int128>(bytes) * steps;
  return static_cast<int64_t>((product + group - 1) / group);
}

static SmallVector<AxisRefAttr> concatenate(ArrayAttr lists) {
  SmallVector<AxisRefAttr> axes;
  for (AxisListAttr list : lists.getAsRange<AxisListAttr>())
    llvm::append_range(axes, list.getAxes());
  return axes;
}

//===----------------------------------------------------------------------===//
// Regular collectives
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr AllGatherOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> AllGatherOp::getCommunicationAxes() {
  return concatenate(getGatherAxes());
}
int64_t AllGatherOp::getSentBytes(MeshAttr mesh) {
  return getOperandBytes(*this) *
         (getGroupSize(getCommunicationAxes(), mesh) - 1);
}

FlatSymbolRefAttr AllSliceOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> AllSliceOp::getCommunicationAxes() {
  return concatenate(getSliceAxes());
}
int64_t AllSliceOp::getSentBytes(MeshAttr) { return 0; }

FlatSymbolRefAttr AllReduceOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> AllReduceOp::getCommunicationAxes() {
  return SmallVector<AxisRefAttr>(getAxes().getAxes());
}
int64_t AllReduceOp::getSentBytes(MeshAttr mesh) {
  int64_t group = getGroupSize(getAxes().getAxes(), mesh);
  return scale(getOperandBytes(*this), 2 * (group - 1), group);
}

FlatSymbolRefAttr ReduceScatterOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> ReduceScatterOp::getCommunicationAxes() {
  return concatenate(getScatterAxes());
}
int64_t ReduceScatterOp::getSentBytes(MeshAttr mesh) {
  int64_t group = getGroupSize(getCommunicationAxes(), mesh);
  return scale(getOperandBytes(*this), group - 1, group);
}

FlatSymbolRefAttr AllToAllOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> AllToAllOp::getCommunicationAxes() {
  SmallVector<AxisRefAttr> axes;
  for (auto move : getMoves().getAsRange<AllToAllParamAttr>())
    llvm::append_range(axes, move.getAxes());
  return axes;
}
int64_t AllToAllOp::getSentBytes(MeshAttr mesh) {
  int64_t group = getGroupSize(getCommunicationAxes(), mesh);
  return scale(getOperandBytes(*this), group - 1, group);
}

FlatSymbolRefAttr PermuteOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> PermuteOp::getCommunicationAxes() {
  return SmallVector<AxisRefAttr>(getAxes().getAxes());
}
int64_t PermuteOp::getSentBytes(MeshAttr mesh) {
  bool isMoved = llvm::any_of(getPairList(mesh), [](auto pair) {
    return pair.first != pair.second;
  });
  return isMoved ? getOperandBytes(*this) : 0;
}

FlatSymbolRefAttr BroadcastOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> BroadcastOp::getCommunicationAxes() {
  return SmallVector<AxisRefAttr>(getAxes().getAxes());
}
int64_t BroadcastOp::getSentBytes(MeshAttr mesh) {
  return getGroupSize(getAxes().getAxes(), mesh) == 1 ? 0
                                                      : getOperandBytes(*this);
}

FlatSymbolRefAttr ToUnreducedOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> ToUnreducedOp::getCommunicationAxes() {
  return SmallVector<AxisRefAttr>(getAxes().getAxes());
}
int64_t ToUnreducedOp::getSentBytes(MeshAttr) { return 0; }

FlatSymbolRefAttr RaggedAllToAllOp::getMeshName() { return getMeshAttr(); }
SmallVector<AxisRefAttr> RaggedAllToAllOp::getCommunicationAxes() {
  return SmallVector<AxisRefAttr>(getAxes().getAxes());
}
int64_t RaggedAllToAllOp::getSentBytes(MeshAttr mesh) {
  // The sizes are known at run time only: at most the whole input.
  return getGroupSize(getAxes().getAxes(), mesh) == 1
             ? 0
             : getByteSize(getInput().getType());
}

static CollectiveOpInterface getStarted(StartOp op) {
  if (op.getBody().empty() || op.getBody().front().empty())
    return {};
  return dyn_cast<CollectiveOpInterface>(op.getBody().front().front());
}
FlatSymbolRefAttr StartOp::getMeshName() {
  CollectiveOpInterface started = getStarted(*this);
  return started ? started.getMeshName() : FlatSymbolRefAttr();
}
SmallVector<AxisRefAttr> StartOp::getCommunicationAxes() {
  CollectiveOpInterface started = getStarted(*this);
  return started ? started.getCommunicationAxes() : SmallVector<AxisRefAttr>();
}
int64_t StartOp::getSentBytes(MeshAttr mesh) {
  CollectiveOpInterface started = getStarted(*this);
  return started ? started.getSentBytes(mesh) : 0;
}

//===----------------------------------------------------------------------===//
// ExchangeOp
//===----------------------------------------------------------------------===//

namespace {
/// Most devices and blocks that are looked at; the rest is sampled.
constexpr int64_t maxSamples = 4096;

/// One dimension of an exchange: what block p of `from` sends, in elements, to
/// the blocks of `to`.
///
/// A device reads from the owner that has its own coordinates on all axes that
/// `from` does not use. So, of the axes of `to`, those that `from` lacks are
/// fixed for a sender; the others range over all coordinates.
class ExchangeDimension {
public:
  ExchangeDimension(int64_t size, ArrayRef<AxisRefAttr> fromAxes,
                    ArrayRef<AxisRefAttr> toAxes, IntervalAttr interval,
                    ArrayRef<AxisRefAttr> allFromAxes, MeshAttr mesh)
      : size(size), interval(interval), fromAxes(fromAxes), toAxes(toAxes) {
    blockCount = getGroupSize(fromAxes, mesh);
    blockSize = ceilDiv(size, blockCount);
    for (AxisRefAttr axis : toAxes) {
      toSizes.push_back(std::max<int64_t>(axis.getSize(mesh), 1));
      isFixed.push_back(llvm::none_of(allFromAxes, [&](AxisRefAttr other) {
        return axis.overlaps(other, mesh);
      }));
      toCount *= toSizes.back();
      if (!isFixed.back())
        freeCount *= toSizes.back();
    }
  }

  /// Elements of `block` in what shard `reader` reads.
  int64_t getOverlap(int64_t block, int64_t reader) const {
    int64_t begin = std::min(block * blockSize, size);
    int64_t end = std::min(begin + blockSize, size);
    int64_t first = interval.getBase() + reader * interval.getStep();
    return std::max<int64_t>(
        std::min(end, first + interval.getLength()) - std::max(begin, first),
        0);
  }

  /// Sum of the overlaps over all readers whose fixed coordinates are those of
  /// `ownReader`.
  int64_t getTotal(int64_t block, int64_t ownReader) {
    int64_t fixed = getFixedPart(ownReader);
    auto [entry, isNew] = totals.try_emplace({block, fixed}, 0);
    if (!isNew)
      return entry->second;
    int64_t sum = 0;
    auto [first, last] = getReaderRange(block);
    int64_t readers = last - first;
    int64_t stride = ceilDiv(std::max<int64_t>(readers, 1), maxSamples);
    for (int64_t reader = first; reader < last; reader += stride)
      if (getFixedPart(reader) == fixed)
        sum += getOverlap(block, reader);
    return entry->second = sum * stride;
  }

  /// True if every shard finds all that it reads in its own block.
  bool isLocal() const {
    if (fromAxes != toAxes)
      return false;
    int64_t stride = ceilDiv(blockCount, maxSamples);
    for (int64_t block = 0; block < blockCount; block += stride) {
      int64_t first = interval.getBase() + block * interval.getStep();
      int64_t begin = std::clamp<int64_t>(first, 0, size);
      int64_t end = std::clamp<int64_t>(first + interval.getLength(), 0, size);
      if (getOverlap(block, block) < end - begin)
        return false;
    }
    return true;
  }

  int64_t getFreeCount() const { return freeCount; }
  ArrayRef<AxisRefAttr> getFromAxes() const { return fromAxes; }
  ArrayRef<AxisRefAttr> getToAxes() const { return toAxes; }

private:
  int64_t getFixedPart(int64_t reader) const {
    int64_t code = 0, weight = 1;
    for (int64_t i = static_cast<int64_t>(toSizes.size()) - 1; i >= 0; --i) {
      if (isFixed[i]) {
        code += reader % toSizes[i] * weight;
        weight *= toSizes[i];
      }
      reader /= toSizes[i];
    }
    return code;
  }

  /// Readers outside [first, last) have no part of `block`.
  std::pair<int64_t, int64_t> getReaderRange(int64_t block) const {
    int64_t step = interval.getStep(), base = interval.getBase();
    if (step == 0)
      return {0, toCount};
    int64_t begin = std::min(block * blockSize, size);
    int64_t end = std::min(begin + blockSize, size);
    // Reader r overlaps when base + r*step lies in (begin - length, end).
    int64_t low = begin - interval.getLength() + 1 - base, high = end - 1 - base;
    int64_t first = step > 0 ? floorDiv(low + step - 1, step)
                             : floorDiv(-high - step - 1, -step);
    int64_t last = step > 0 ? floorDiv(high, step) : floorDiv(-low, -step);
    return {std::clamp<int64_t>(first, 0, toCount),
            std::clamp<int64_t>(last + 1, 0, toCount)};
  }

  int64_t size;
  IntervalAttr interval;
  ArrayRef<AxisRefAttr> fromAxes, toAxes;
  int64_t blockCount, blockSize;
  SmallVector<int64_t> toSizes;
  SmallVector<bool> isFixed;
  int64_t toCount = 1, freeCount = 1;
  DenseMap<std::pair<int64_t, int64_t>, int64_t> totals;
};

SmallVector<ExchangeDimension> getDimensions(ExchangeOp op, MeshAttr mesh) {
  SmallVector<AxisRefAttr> allFromAxes;
  for (DimShardingAttr dim : op.getFrom().getDims())
    llvm::append_range(allFromAxes, dim.getAxes());
  SmallVector<ExchangeDimension> dimensions;
  for (auto [size, from, to, interval] :
       llvm::zip(op.getFromShape(), op.getFrom().getDims(), op.getTo().getDims(),
                 op.getIntervals().getAsRange<IntervalAttr>()))
    dimensions.emplace_back(size, from.getAxes(), to.getAxes(), interval,
                            allFromAxes, mesh);
  return dimensions;
}

/// Mixed-radix index over `axes` of the device at the given mesh coordinates.
int64_t getIndex(ArrayRef<AxisRefAttr> axes, ArrayRef<int64_t> coordinates,
                 MeshAttr mesh) {
  int64_t index = 0;
  for (AxisRefAttr axis : axes) {
    int64_t position = mesh.getAxisIndex(axis.getName());
    if (position < 0)
      continue;
    index = index * axis.getSize(mesh) +
            getSubCoordinate(axis, coordinates[position],
                             mesh.getAxes()[position].getSize());
  }
  return index;
}
} // namespace

FlatSymbolRefAttr ExchangeOp::getMeshName() { return getFrom().getMesh(); }

SmallVector<AxisRefAttr> ExchangeOp::getCommunicationAxes() {
  MeshAttr mesh = lookupMesh(*this, getMeshName());
  SmallVector<AxisRefAttr> used, axes;
  if (!mesh)
    return axes;
  for (ExchangeDimension &dimension : getDimensions(*this, mesh)) {
    if (dimension.isLocal())
      continue;
    llvm::append_range(used, dimension.getFromAxes());
    llvm::append_range(used, dimension.getToAxes());
  }
  // In mesh order; an axis of which several parts are used counts as whole.
  for (MeshAxisAttr meshAxis : mesh.getAxes()) {
    AxisRefAttr found;
    for (AxisRefAttr axis : used) {
      if (axis.getName() != meshAxis.getName() || axis == found)
        continue;
      found = found ? AxisRefAttr::get(getContext(), axis.getName(), 0, 0) : axis;
    }
    if (found)
      axes.push_back(found);
  }
  return axes;
}

/// Bytes that each device sends if one dimension is read round its ends: all
/// that it reads of other blocks is read of its own by others. None: no
/// dimension is.
static std::optional<int64_t> getWrappedBytes(ExchangeOp op, MeshAttr mesh) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  for (auto [dim, interval] :
       llvm::enumerate(op.getIntervals().getAsRange<IntervalAttr>())) {
    if (interval.getOutside() != Outside::Wrap)
      continue;
    int64_t block = interval.getStep(), own = 0;
    int64_t begin = interval.getBase(), end = begin + interval.getLength();
    int64_t count = op.getFrom().getShardCount(dim, mesh);
    for (int64_t image = floorDiv(begin, block * count) * block * count;
         image < end; image += block * count)
      own += std::max<int64_t>(
          0, std::min(end, image + block) - std::max(begin, image));
    SmallVector<int64_t> sent(result.getShape());
    sent[dim] -= own;
    return getByteSize(result.clone(sent));
  }
  return std::nullopt;
}

int64_t ExchangeOp::getSentBytes(MeshAttr mesh) {
  if (std::optional<int64_t> bytes = getWrappedBytes(*this, mesh))
    return *bytes;
  SmallVector<ExchangeDimension> dimensions = getDimensions(*this, mesh);
  SmallVector<AxisRefAttr> fromAxes, toAxes;
  int64_t freeReaders = 1, senders = 1;
  for (ExchangeDimension &dimension : dimensions) {
    llvm::append_range(fromAxes, dimension.getFromAxes());
    llvm::append_range(toAxes, dimension.getToAxes());
    freeReaders *= dimension.getFreeCount();
  }
  senders = getGroupSize(fromAxes, mesh);
  // Devices that differ only on axes of `from` that `to` lacks read the same.
  int64_t copies = std::max<int64_t>(senders / freeReaders, 1);

  // Coordinates of the devices over the axes that play a part.
  SmallVector<int64_t> extents;
  int64_t count = 1;
  for (MeshAxisAttr axis : mesh.getAxes()) {
    auto isUsed = [&](AxisRefAttr ref) { return ref.getName() == axis.getName(); };
    extents.push_back(llvm::any_of(fromAxes, isUsed) ||
                              llvm::any_of(toAxes, isUsed)
                          ? axis.getSize()
                          : 1);
    count *= extents.back();
  }
  int64_t samples = std::min(count, maxSamples);
  double worst = 0;
  for (int64_t sample = 0; sample < samples; ++sample) {
    int64_t device =
        samples == count ? sample : sample * (count - 1) / (samples - 1);
    SmallVector<int64_t> coordinates(extents.size());
    for (int64_t i = static_cast<int64_t>(extents.size()) - 1; i >= 0; --i) {
      coordinates[i] = device % extents[i];
      device /= extents[i];
    }
    double total = static_cast<double>(copies), own = 1;
    for (ExchangeDimension &dimension : dimensions) {
      int64_t block = getIndex(dimension.getFromAxes(), coordinates, mesh);
      int64_t reader = getIndex(dimension.getToAxes(), coordinates, mesh);
      total *= static_cast<double>(dimension.getTotal(block, reader));
      own *= static_cast<double>(dimension.getOverlap(block, reader));
    }
    worst = std::max(worst, total - own);
  }
  Type element = cast<RankedTensorType>(getInput().getType()).getElementType();
  return static_cast<int64_t>(
      worst * getByteSize(RankedTensorType::get({1}, element)));
}
