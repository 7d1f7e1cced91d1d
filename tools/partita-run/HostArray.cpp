// Dense values and their blocks.

#include "HostArray.h"
#include "partita/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>

using namespace mlir;

namespace partita {

//===----------------------------------------------------------------------===//
// Dense values
//===----------------------------------------------------------------------===//

int64_t getElementBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getElementBytes(complex.getElementType());
  if (isa<IndexType>(elementType))
    return 8;
  return std::max(1u, elementType.getIntOrFloatBitWidth() / 8);
}

int64_t getDenseBytes(RankedTensorType type) {
  return type.getNumElements() * getElementBytes(type.getElementType());
}

HostArray HostArray::allocate(RankedTensorType type) {
  // Whole pages, which the kernel gives as zeros when they are touched.
  size_t bytes = std::max<int64_t>(1, getDenseBytes(type));
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  HostArray array;
  array.type = type;
  if (memory == MAP_FAILED)
    llvm::report_bad_alloc_error("no memory for a value");
  if (bytes >= size_t(4) << 20)
    madvise(memory, bytes, MADV_HUGEPAGE);
  array.start = static_cast<char *>(memory);
  array.memory = std::shared_ptr<char>(
      array.start, [bytes](char *start) { munmap(start, bytes); });
  return array;
}

/// True if a tensor's cells are the bytes of the dense value.
static bool areCellsDense(const Tensor &tensor) {
  switch (tensor.getKind()) {
  case CellKind::Float32:
  case CellKind::Float64:
  case CellKind::Int64:
  case CellKind::Complex:
    return getCellSize(tensor.getKind()) ==
           getElementBytes(tensor.getElementType());
  default:
    return false;
  }
}

HostArray HostArray::fromTensor(const Tensor &tensor) {
  HostArray array = allocate(tensor.getTensorType());
  if (areCellsDense(tensor)) {
    std::memcpy(array.start, tensor.data(), array.getNumBytes());
    return array;
  }
  std::vector<char> bytes = tensor.toBytes(nullptr);
  std::memcpy(array.start, bytes.data(), bytes.size());
  return array;
}

Tensor HostArray::toTensor() const {
  Tensor tensor = Tensor::allocate(type, false);
  if (!areCellsDense(tensor))
    return Tensor::fromBytes(type, ArrayRef<char>(start, getNumBytes()),
                             nullptr);
  std::memcpy(tensor.mutableData(), start, getNumBytes());
  return tensor;
}

HostArray HostArray::view(RankedTensorType pieceType, int64_t offset) const {
  HostArray piece = *this;
  piece.type = pieceType;
  piece.start += offset;
  return piece;
}

HostArray HostArray::copy() const {
  HostArray other = allocate(type);
  std::memcpy(other.start, start, getNumBytes());
  return other;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getByteStrides(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank());
  int64_t bytes = getElementBytes(type.getElementType());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = bytes;
    bytes *= type.getDimSize(dim);
  }
  return strides;
}

/// Copies a box of `shape` elements of `bytes` bytes; strides in bytes.
static void copyBox(char *to, ArrayRef<int64_t> toStrides, const char *from,
                    ArrayRef<int64_t> fromStrides, ArrayRef<int64_t> shape,
                    int64_t bytes) {
  while (!shape.empty() && toStrides.back() == bytes &&
         fromStrides.back() == bytes) {
    bytes *= shape.back();
    shape = shape.drop_back();
    toStrides = toStrides.drop_back();
    fromStrides = fromStrides.drop_back();
  }
  if (shape.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (int64_t i = 0; i < shape.front(); ++i)
    copyBox(to + i * toStrides.front(), toStrides.drop_front(),
            from + i * fromStrides.front(), fromStrides.drop_front(),
            shape.drop_front(), bytes);
}

static int64_t dot(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (auto [x, y] : llvm::zip_equal(a, b))
    sum += x * y;
  return sum;
}

/// A block that holds what padding holds.
static HostArray makePoisonArray(RankedTensorType type) {
  HostArray array = HostArray::allocate(type);
  HostArray scalar = HostArray::fromTensor(
      makePoison(RankedTensorType::get({}, type.getElementType()), false));
  int64_t bytes = scalar.getNumBytes();
  for (int64_t at = 0; at < array.getNumBytes(); at += bytes)
    std::memcpy(array.data() + at, scalar.data(), bytes);
  return array;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

BlockMap::BlockMap(RankedTensorType whole, spmd::ShardingAttr sharding,
                   spmd::MeshAttr mesh, int64_t numDevices)
    : whole(whole), blockType(whole), sharding(sharding), mesh(mesh),
      placeOf(numDevices, 0) {
  if (!sharding || !mesh || mesh.getAxes().empty()) {
    places.push_back(makePlace(SmallVector<int64_t>(whole.getRank(), 0)));
    return;
  }
  isPartial = !sharding.getUnreduced().empty();
  SmallVector<int64_t> shape;
  for (auto [dim, size] :
       llvm::zip_equal(sharding.getDims(), whole.getShape())) {
    int64_t shards = 1;
    for (spmd::AxisRefAttr axis : dim.getAxes())
      shards *= axis.getSize(mesh);
    shape.push_back(ceilDiv(size, shards));
  }
  blockType = RankedTensorType::get(shape, whole.getElementType());
  std::map<SmallVector<int64_t>, int64_t> known;
  for (int64_t device = 0; device < numDevices; ++device) {
    SmallVector<int64_t> coordinates = getMeshCoordinates(mesh, device);
    if (coordinates.empty()) {
      placeOf[device] = -1;
      continue;
    }
    SmallVector<int64_t> index;
    for (spmd::DimShardingAttr dim : sharding.getDims())
      index.push_back(
          getAxesIndex(mesh, llvm::to_vector(dim.getAxes()), coordinates));
    auto [it, isNew] = known.try_emplace(index, places.size());
    if (isNew)
      places.push_back(makePlace(index));
    placeOf[device] = it->second;
  }
}

BlockMap::Place BlockMap::makePlace(ArrayRef<int64_t> index) const {
  Place place;
  bool isFull = true, isContiguous = true;
  for (auto [i, size, n] :
       llvm::zip_equal(index, blockType.getShape(), whole.getShape())) {
    place.start.push_back(i * size);
    place.valid.push_back(std::clamp<int64_t>(n - i * size, 0, size));
    isFull &= place.valid.back() == size;
  }
  // In one piece: ones, then one cut dimension, then whole dimensions.
  bool isCut = false;
  for (int64_t dim = whole.getRank() - 1; dim >= 0; --dim) {
    isContiguous &= !isCut || blockType.getDimSize(dim) == 1;
    isCut |= blockType.getDimSize(dim) != whole.getDimSize(dim);
  }
  place.isContiguous = isFull && isContiguous;
  return place;
}

int64_t BlockMap::getSplitBytes() const {
  int64_t bytes = 0, block = getDenseBytes(blockType);
  for (const Place &place : places)
    bytes += place.isContiguous ? 0 : block;
  if (isPartial || llvm::is_contained(placeOf, -1))
    bytes += block;
  return bytes;
}

HostArray BlockMap::takeBlock(const HostArray &array,
                              const Place &place) const {
  SmallVector<int64_t> strides = getByteStrides(whole);
  int64_t offset = dot(place.start, strides);
  if (place.isContiguous)
    return array.view(blockType, offset);
  bool isFull = ArrayRef<int64_t>(place.valid) == blockType.getShape();
  HostArray block =
      isFull ? HostArray::allocate(blockType) : makePoisonArray(blockType);
  if (!llvm::is_contained(place.valid, 0))
    copyBox(block.data(), getByteStrides(blockType), array.data() + offset,
            strides, place.valid, getElementBytes(whole.getElementType()));
  return block;
}

HostValues BlockMap::split(const HostArray &array) const {
  HostValues blocks;
  if (isPartial) {
    for (const Tensor &block :
         splitTensor(array.toTensor(), sharding, mesh, placeOf.size(), nullptr))
      blocks.push_back(HostArray::fromTensor(block));
    return blocks;
  }
  HostValues made(places.size());
  HostArray outside;
  for (int64_t place : placeOf) {
    HostArray &block = place < 0 ? outside : made[place];
    if (!block)
      block = place < 0 ? makePoisonArray(blockType)
                        : takeBlock(array, places[place]);
    blocks.push_back(block);
  }
  return blocks;
}

HostArray BlockMap::assemble(ArrayRef<HostArray> blocks,
                             std::optional<ReplicaMismatch> *mismatch) const {
  std::vector<int64_t> first(places.size(), -1);
  bool haveEqualReplicas = true;
  for (auto [device, place] : llvm::enumerate(placeOf)) {
    if (place < 0)
      continue;
    if (first[place] < 0)
      first[place] = device;
    else if (mismatch && haveEqualReplicas)
      haveEqualReplicas =
          std::memcmp(blocks[first[place]].data(), blocks[device].data(),
                      getDenseBytes(blockType)) == 0;
  }
  // Bits differ in NaNs and padding too; the evaluator knows what counts.
  if (isPartial || !haveEqualReplicas) {
    std::vector<Tensor> tensors;
    for (const HostArray &block : blocks)
      tensors.push_back(block.toTensor());
    return HostArray::fromTensor(
        assembleTensor(tensors, whole, sharding, mesh, nullptr, mismatch));
  }
  // Not each block of the whole's shape holds it: some are all padding.
  for (auto [place, device] : llvm::zip_equal(places, first))
    if (ArrayRef<int64_t>(place.valid) == whole.getShape())
      return blocks[device];
  HostArray array = HostArray::allocate(whole);
  SmallVector<int64_t> strides = getByteStrides(whole);
  for (auto [place, device] : llvm::zip_equal(places, first))
    if (!llvm::is_contained(place.valid, 0))
      copyBox(array.data() + dot(place.start, strides), strides,
              blocks[device].data(), getByteStrides(blockType), place.valid,
              getElementBytes(whole.getElementType()));
  return array;
}

} // namespace partita
