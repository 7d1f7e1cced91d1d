// Strided copies and the rectangular moves built on them.
#include "Strided.h"
#include <cstring>

using namespace mlir;
using namespace partita;

SmallVector<int64_t> partita::getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

int64_t partita::getVolume(ArrayRef<int64_t> shape) {
  int64_t volume = 1;
  for (int64_t size : shape)
    volume *= size;
  return volume;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

namespace {
struct CopyDim {
  int64_t size, to, from;
};
} // namespace

template <typename T>
static void copyLine(char *to, const char *from, const CopyDim &dim) {
  auto *t = reinterpret_cast<T *>(to);
  auto *f = reinterpret_cast<const T *>(from);
  if (dim.from == 0 && dim.to == 1) {
    std::fill_n(t, dim.size, *f);
    return;
  }
  for (int64_t i = 0; i < dim.size; ++i)
    t[i * dim.to] = f[i * dim.from];
}

template <typename T>
static void copyDims(char *to, const char *from, ArrayRef<CopyDim> dims) {
  if (dims.size() == 1) {
    if (dims[0].to == 1 && dims[0].from == 1)
      std::memcpy(to, from, dims[0].size * sizeof(T));
    else
      copyLine<T>(to, from, dims[0]);
    return;
  }
  const CopyDim &dim = dims[0];
  for (int64_t i = 0; i < dim.size; ++i)
    copyDims<T>(to + i * dim.to * int64_t(sizeof(T)),
                from + i * dim.from * int64_t(sizeof(T)), dims.drop_front());
}

namespace {
struct Cell16 {
  uint64_t low, high;
};
} // namespace

void partita::copyStrided(void *to, ArrayRef<int64_t> toStrides,
                          const void *from, ArrayRef<int64_t> fromStrides,
                          ArrayRef<int64_t> shape, int64_t cellSize) {
  SmallVector<CopyDim> dims;
  for (auto [size, t, f] : llvm::zip_equal(shape, toStrides, fromStrides)) {
    if (size == 0)
      return;
    if (size == 1)
      continue;
    // Dimensions that both sides pass through in one stride are one.
    if (!dims.empty() && dims.back().to == t * size &&
        dims.back().from == f * size)
      dims.back() = {dims.back().size * size, t, f};
    else
      dims.push_back({size, t, f});
  }
  if (dims.empty())
    dims.push_back({1, 1, 1});
  auto *t = static_cast<char *>(to);
  auto *f = static_cast<const char *>(from);
  if (cellSize == 4)
    copyDims<uint32_t>(t, f, dims);
  else if (cellSize == 8)
    copyDims<uint64_t>(t, f, dims);
  else if (cellSize == 16)
    copyDims<Cell16>(t, f, dims);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

RankedTensorType partita::getTypeOfShape(const Tensor &tensor,
                                         ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, tensor.getElementType());
}

Tensor partita::allocateLike(const Tensor &tensor, ArrayRef<int64_t> shape) {
  bool inField = tensor.getKind() == CellKind::Field ||
                 tensor.getKind() == CellKind::ComplexField;
  return Tensor::allocate(getTypeOfShape(tensor, shape), inField);
}

Tensor partita::reshape(const Tensor &tensor, ArrayRef<int64_t> shape) {
  return tensor.withType(getTypeOfShape(tensor, shape));
}

static const char *cellAt(const Tensor &tensor, int64_t index) {
  return static_cast<const char *>(tensor.data()) +
         index * getCellSize(tensor.getKind());
}

Tensor partita::transpose(const Tensor &tensor, ArrayRef<int64_t> permutation) {
  bool isIdentity = true;
  SmallVector<int64_t> shape, from, strides = getStrides(tensor.getShape());
  for (auto [i, d] : llvm::enumerate(permutation)) {
    shape.push_back(tensor.getShape()[d]);
    from.push_back(strides[d]);
    isIdentity &= int64_t(i) == d;
  }
  if (isIdentity)
    return tensor;
  Tensor result = allocateLike(tensor, shape);
  copyStrided(result.mutableData(), getStrides(shape), tensor.data(), from,
              shape, getCellSize(tensor.getKind()));
  return result;
}

Tensor partita::broadcastInDim(const Tensor &tensor, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> dims) {
  if (getVolume(shape) == tensor.getNumElements() && llvm::is_sorted(dims))
    return reshape(tensor, shape);
  SmallVector<int64_t> from(shape.size(), 0),
      strides = getStrides(tensor.getShape());
  for (auto [i, d] : llvm::enumerate(dims))
    if (tensor.getShape()[i] != 1)
      from[d] = strides[i];
  Tensor result = allocateLike(tensor, shape);
  copyStrided(result.mutableData(), getStrides(shape), tensor.data(), from,
              shape, getCellSize(tensor.getKind()));
  return result;
}

Tensor partita::slice(const Tensor &tensor, ArrayRef<int64_t> start,
                      ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  if (shape == tensor.getShape())
    return tensor;
  SmallVector<int64_t> from = getStrides(tensor.getShape());
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    offset += start[d] * from[d];
    if (!strides.empty())
      from[d] *= strides[d];
  }
  Tensor result = allocateLike(tensor, shape);
  if (result.getNumElements())
    copyStrided(result.mutableData(), getStrides(shape), cellAt(tensor, offset),
                from, shape, getCellSize(tensor.getKind()));
  return result;
}

void partita::writeSlice(Tensor &tensor, const Tensor &piece,
                         ArrayRef<int64_t> start) {
  SmallVector<int64_t> toStrides = getStrides(tensor.getShape()),
                       fromStrides = getStrides(piece.getShape()), shape;
  int64_t to = 0, from = 0;
  for (int64_t d = 0; d < tensor.getRank(); ++d) {
    int64_t begin = std::max<int64_t>(start[d], 0);
    int64_t end =
        std::min(start[d] + piece.getShape()[d], tensor.getShape()[d]);
    if (end <= begin)
      return;
    to += begin * toStrides[d];
    from += (begin - start[d]) * fromStrides[d];
    shape.push_back(end - begin);
  }
  int64_t size = getCellSize(tensor.getKind());
  copyStrided(static_cast<char *>(tensor.mutableData()) + to * size, toStrides,
              cellAt(piece, from), fromStrides, shape, size);
}

Tensor partita::sliceOrFill(const Tensor &tensor, ArrayRef<int64_t> start,
                            ArrayRef<int64_t> shape, const Tensor &fill) {
  bool isInside = true;
  for (size_t d = 0; d < shape.size(); ++d)
    isInside &= start[d] >= 0 && start[d] + shape[d] <= tensor.getShape()[d];
  if (isInside)
    return slice(tensor, start, shape);
  Tensor result = fill ? splat(fill, shape) : allocateLike(tensor, shape);
  SmallVector<int64_t> to;
  for (int64_t s : start)
    to.push_back(-s);
  writeSlice(result, tensor, to);
  return result;
}

Tensor partita::takeRows(const Tensor &tensor, int64_t dim, int64_t begin,
                         int64_t count, bool wraps) {
  int64_t size = tensor.getShape()[dim];
  SmallVector<int64_t> row(tensor.getShape()), shape(row);
  row[dim] = std::min<int64_t>(size, 1);
  shape[dim] = count;
  Tensor result = allocateLike(tensor, shape);
  SmallVector<int64_t> from(row.size(), 0), to(row.size(), 0);
  for (int64_t i = 0; i < count && size > 0; ++i) {
    int64_t index = begin + i;
    from[dim] = wraps ? (index % size + size) % size
                      : std::clamp<int64_t>(index, 0, size - 1);
    to[dim] = i;
    writeSlice(result, slice(tensor, from, row), to);
  }
  return result;
}

Tensor partita::splat(const Tensor &scalar, ArrayRef<int64_t> shape) {
  Tensor result = allocateLike(scalar, shape);
  SmallVector<int64_t> zeros(shape.size(), 0);
  copyStrided(result.mutableData(), getStrides(shape), scalar.data(), zeros,
              shape, getCellSize(scalar.getKind()));
  return result;
}

Tensor partita::concatenate(ArrayRef<Tensor> parts, int64_t dim) {
  SmallVector<int64_t> shape(parts[0].getShape());
  shape[dim] = 0;
  for (const Tensor &part : parts)
    shape[dim] += part.getShape()[dim];
  Tensor result = allocateLike(parts[0], shape);
  SmallVector<int64_t> start(shape.size(), 0);
  for (const Tensor &part : parts) {
    writeSlice(result, part, start);
    start[dim] += part.getShape()[dim];
  }
  return result;
}

Tensor partita::pad(const Tensor &tensor, const Tensor &value,
                    ArrayRef<int64_t> low, ArrayRef<int64_t> interior,
                    ArrayRef<int64_t> shape) {
  Tensor result = splat(value, shape);
  SmallVector<int64_t> toStrides = getStrides(shape),
                       fromStrides = getStrides(tensor.getShape()), box;
  int64_t to = 0, from = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    // Element i lands at low + i * step; keep those inside.
    int64_t step = interior[d] + 1;
    int64_t first = low[d] >= 0 ? 0 : (-low[d] + step - 1) / step;
    int64_t room = shape[d] - 1 - low[d];
    int64_t last =
        room < 0 ? -1 : std::min(tensor.getShape()[d] - 1, room / step);
    if (last < first)
      return result;
    to += (low[d] + first * step) * toStrides[d];
    from += first * fromStrides[d];
    toStrides[d] *= step;
    box.push_back(last - first + 1);
  }
  int64_t size = getCellSize(tensor.getKind());
  copyStrided(static_cast<char *>(result.mutableData()) + to * size, toStrides,
              cellAt(tensor, from), fromStrides, box, size);
  return result;
}

Tensor partita::reverse(const Tensor &tensor, ArrayRef<int64_t> dims) {
  if (tensor.getNumElements() == 0)
    return tensor;
  SmallVector<int64_t> from = getStrides(tensor.getShape());
  int64_t offset = 0;
  for (int64_t d : dims) {
    offset += (tensor.getShape()[d] - 1) * from[d];
    from[d] = -from[d];
  }
  Tensor result = allocateLike(tensor, tensor.getShape());
  copyStrided(result.mutableData(), getStrides(tensor.getShape()),
              cellAt(tensor, offset), from, tensor.getShape(),
              getCellSize(tensor.getKind()));
  return result;
}
