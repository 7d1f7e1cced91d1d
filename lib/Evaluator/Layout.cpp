// Splitting, assembling and comparing.
#include "partita/Evaluator/Layout.h"
#include "Blocks.h"
#include "Element.h"
#include "Strided.h"
#include "partita/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace partita;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> partita::getMeshCoordinates(spmd::MeshAttr mesh,
                                                 int64_t device) {
  int64_t position = mesh.getPosition(device);
  if (position < 0)
    return {};
  SmallVector<int64_t> coordinates(mesh.getAxes().size());
  for (size_t i = coordinates.size(); i-- > 0;) {
    int64_t size = mesh.getAxes()[i].getSize();
    coordinates[i] = position % size;
    position /= size;
  }
  return coordinates;
}

int64_t partita::getAxesIndex(spmd::MeshAttr mesh,
                              ArrayRef<spmd::AxisRefAttr> axes,
                              ArrayRef<int64_t> coordinates) {
  int64_t index = 0;
  for (spmd::AxisRefAttr axis : axes) {
    int64_t i = mesh.getAxisIndex(axis.getName()), size = axis.getSize(mesh);
    if (i < 0 || size <= 0 || i >= int64_t(coordinates.size()))
      continue;
    // "x":(m)k of n: digit k of the coordinate in radix (m, k, n / mk).
    int64_t minor = mesh.getAxes()[i].getSize() / (axis.getPre() * size);
    index = index * size + std::max<int64_t>(coordinates[i], 0) / minor % size;
  }
  return index;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Tensor partita::takeBlock(const Tensor &whole, ArrayRef<int64_t> shards,
                          ArrayRef<int64_t> index, const Tensor &fill) {
  SmallVector<int64_t> start, shape;
  for (auto [size, k, i] : llvm::zip_equal(whole.getShape(), shards, index)) {
    shape.push_back(ceilDiv(size, k));
    start.push_back(i * shape.back());
  }
  return sliceOrFill(whole, start, shape, fill);
}

void partita::placeBlock(Tensor &whole, const Tensor &block,
                         ArrayRef<int64_t> index) {
  SmallVector<int64_t> start;
  for (auto [size, i] : llvm::zip_equal(block.getShape(), index))
    start.push_back(size * i);
  writeSlice(whole, block, start);
}

BlockIndex
partita::getBlockIndex(spmd::ShardingAttr sharding, spmd::MeshAttr mesh,
                       ArrayRef<int64_t> coordinates,
                       llvm::function_ref<bool(spmd::AxisRefAttr)> isUsed) {
  BlockIndex block;
  for (spmd::DimShardingAttr dim : sharding.getDims()) {
    SmallVector<spmd::AxisRefAttr> axes;
    int64_t shards = 1;
    for (spmd::AxisRefAttr axis : dim.getAxes())
      if (isUsed(axis)) {
        axes.push_back(axis);
        shards *= axis.getSize(mesh);
      }
    block.shards.push_back(shards);
    block.index.push_back(getAxesIndex(mesh, axes, coordinates));
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Special values
//===----------------------------------------------------------------------===//

template <typename F>
static Tensor makeScalar(Type elementType, bool inField, F set) {
  Tensor scalar =
      Tensor::allocate(RankedTensorType::get({}, elementType), inField);
  set(scalar);
  return scalar;
}

static Tensor makeFloatScalar(Type elementType, double value,
                              const Field *field) {
  auto wide =
      RankedTensorType::get({}, Float64Type::get(elementType.getContext()));
  Tensor scalar =
      Tensor::fromAttribute(DenseElementsAttr::get(wide, value), field);
  Tensor result =
      Tensor::allocate(RankedTensorType::get({}, elementType), field);
  const void *in[] = {scalar.data()};
  makeConvertFunction(wide.getElementType(), elementType,
                      field)(in, result.mutableData(), 1);
  return result;
}

static Tensor makeIntScalar(Type elementType, int64_t value) {
  return makeScalar(elementType, false, [&](Tensor &scalar) {
    scalar.mutableCells<int64_t>()[0] = wrapToType(value, elementType);
  });
}

static Tensor makePoisonScalar(Type elementType, bool inField) {
  return makeScalar(elementType, inField, [&](Tensor &scalar) {
    switch (scalar.getKind()) {
    case CellKind::Float32:
      *scalar.mutableCells<float>() = NAN;
      break;
    case CellKind::Float64:
      *scalar.mutableCells<double>() = NAN;
      break;
    case CellKind::Complex:
      *scalar.mutableCells<std::complex<double>>() = {NAN, NAN};
      break;
    case CellKind::Field:
      *scalar.mutableCells<Field::Word>() = Field::kNaN;
      break;
    case CellKind::ComplexField:
      *scalar.mutableCells<FieldComplex>() = {Field::kNaN, Field::kNaN};
      break;
    default:
      *scalar.mutableCells<int64_t>() =
          wrapToType(0x5bad5badbad5bad5, elementType);
    }
  });
}

Tensor partita::makePoison(RankedTensorType type, bool inField) {
  return splat(makePoisonScalar(type.getElementType(), inField),
               type.getShape());
}

StringRef partita::getOpName(spmd::ReductionKind kind) {
  switch (kind) {
  case spmd::ReductionKind::Add:
    return "add";
  case spmd::ReductionKind::Mul:
    return "multiply";
  case spmd::ReductionKind::Max:
    return "maximum";
  case spmd::ReductionKind::Min:
    return "minimum";
  case spmd::ReductionKind::And:
    return "and";
  case spmd::ReductionKind::Or:
    return "or";
  case spmd::ReductionKind::Xor:
    return "xor";
  }
  return "add";
}

Tensor partita::makeNeutral(Type elementType, spmd::ReductionKind kind,
                            const Field *field) {
  bool isInt = isa<IntegerType, IndexType>(elementType);
  unsigned bits = isInt ? getIntegerBits(elementType) : 0;
  bool isUnsigned = isInt && isUnsignedType(elementType);
  int64_t least =
      isUnsigned ? 0 : int64_t(uint64_t(1) << (bits ? bits - 1 : 0));
  switch (kind) {
  case spmd::ReductionKind::Max:
    return isInt ? makeIntScalar(elementType, least)
                 : makeFloatScalar(elementType, -INFINITY, field);
  case spmd::ReductionKind::Min:
    return isInt ? makeIntScalar(elementType, isUnsigned ? -1 : ~least)
                 : makeFloatScalar(elementType, INFINITY, field);
  case spmd::ReductionKind::Mul:
    return isInt ? makeIntScalar(elementType, 1)
                 : makeFloatScalar(elementType, 1, field);
  case spmd::ReductionKind::And:
    return makeIntScalar(elementType, -1);
  default:
    return isInt ? makeIntScalar(elementType, 0)
                 : makeFloatScalar(elementType, 0, field);
  }
}

Tensor partita::combine(const Tensor &a, const Tensor &b,
                        spmd::ReductionKind kind, const Field *field) {
  Tensor result = allocateLike(a, a.getShape());
  const void *in[] = {a.data(), b.data()};
  if (ElementFunction function =
          makeBinaryFunction(getOpName(kind), a.getElementType(), field))
    function(in, result.mutableData(), result.getNumElements());
  return result.withType(a.getType());
}

//===----------------------------------------------------------------------===//
// Split and assemble
//===----------------------------------------------------------------------===//

static bool useAll(spmd::AxisRefAttr) { return true; }

SmallVector<Tensor> partita::splitTensor(const Tensor &global,
                                         spmd::ShardingAttr sharding,
                                         spmd::MeshAttr mesh,
                                         int64_t numDevices,
                                         const Field *field) {
  if (!sharding || !mesh || mesh.getAxes().empty() || !global.getTensorType())
    return SmallVector<Tensor>(numDevices, global);
  bool inField = field != nullptr;
  Tensor poison = makePoisonScalar(global.getElementType(), inField);
  Tensor outside;
  std::map<SmallVector<int64_t>, Tensor> blocks;
  SmallVector<Tensor> result;
  for (int64_t device = 0; device < numDevices; ++device) {
    SmallVector<int64_t> coordinates = getMeshCoordinates(mesh, device);
    BlockIndex block = getBlockIndex(sharding, mesh, coordinates, useAll);
    Tensor &shared = blocks[block.index];
    if (!shared)
      shared = takeBlock(global, block.shards, block.index, poison);
    bool isPartial =
        getAxesIndex(mesh, sharding.getUnreduced(), coordinates) != 0;
    if (coordinates.empty()) {
      if (!outside)
        outside = splat(poison, shared.getShape());
      result.push_back(outside);
    } else if (isPartial) {
      Tensor neutral = makeNeutral(global.getElementType(),
                                   sharding.getReductionKind(), field);
      result.push_back(splat(neutral, shared.getShape()));
    } else {
      result.push_back(shared);
    }
  }
  return result;
}

/// Bits equal, or both NaN.
static bool areCellsEqual(const Tensor &a, const Tensor &b, int64_t i) {
  switch (a.getKind()) {
  case CellKind::Float32: {
    float x = a.cells<float>()[i], y = b.cells<float>()[i];
    return x == y || (x != x && y != y);
  }
  case CellKind::Float64: {
    double x = a.cells<double>()[i], y = b.cells<double>()[i];
    return x == y || (x != x && y != y);
  }
  case CellKind::Complex: {
    auto x = a.cells<std::complex<double>>()[i],
         y = b.cells<std::complex<double>>()[i];
    return x == y || (x != x && y != y);
  }
  default: {
    int64_t size = getCellSize(a.getKind());
    return std::memcmp(static_cast<const char *>(a.data()) + i * size,
                       static_cast<const char *>(b.data()) + i * size,
                       size) == 0;
  }
  }
}

/// First element of two equal-shaped blocks that differs within the whole.
static std::optional<SmallVector<int64_t>>
findDifference(const Tensor &a, const Tensor &b, ArrayRef<int64_t> index,
               ArrayRef<int64_t> wholeShape) {
  if (a.sharesStorageWith(b))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> found;
  int64_t flat = 0;
  forEachIndex(a.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t i = flat++;
    if (found || areCellsEqual(a, b, i))
      return;
    SmallVector<int64_t> global;
    bool isPadding = false;
    for (size_t d = 0; d < at.size(); ++d) {
      global.push_back(index[d] * a.getShape()[d] + at[d]);
      isPadding |= global.back() >= wholeShape[d];
    }
    if (!isPadding)
      found = global;
  });
  return found;
}

Tensor partita::assembleTensor(ArrayRef<Tensor> blocks, RankedTensorType global,
                               spmd::ShardingAttr sharding, spmd::MeshAttr mesh,
                               const Field *field,
                               std::optional<ReplicaMismatch> *mismatch) {
  // Per block and partial index, the first device that holds it.
  using Key = std::pair<SmallVector<int64_t>, int64_t>;
  std::map<Key, int64_t> first;
  bool isWhole = !sharding || !mesh || mesh.getAxes().empty();
  for (int64_t device = 0; device < int64_t(blocks.size()); ++device) {
    Key key{SmallVector<int64_t>(global.getRank(), 0), 0};
    if (!isWhole) {
      SmallVector<int64_t> coordinates = getMeshCoordinates(mesh, device);
      if (coordinates.empty())
        continue;
      key = {getBlockIndex(sharding, mesh, coordinates, useAll).index,
             getAxesIndex(mesh, sharding.getUnreduced(), coordinates)};
    }
    auto [it, isNew] = first.try_emplace(key, device);
    if (isNew || !mismatch || *mismatch)
      continue;
    if (auto index = findDifference(blocks[it->second], blocks[device],
                                    key.first, global.getShape()))
      *mismatch = ReplicaMismatch{it->second, device, *index};
  }
  Tensor whole = Tensor::zeros(global, field != nullptr);
  std::map<SmallVector<int64_t>, Tensor> combined;
  for (auto &[key, device] : first) {
    Tensor &sum = combined[key.first];
    sum = sum ? combine(sum, blocks[device], sharding.getReductionKind(), field)
              : blocks[device];
  }
  for (auto &[index, block] : combined)
    placeBlock(whole, block, index);
  return whole;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

double partita::getTolerance(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    elementType = complex.getElementType();
  if (elementType.isF64())
    return 1e-10;
  return elementType.isF32() ? 1e-4 : 2e-2;
}

/// Both parts of a complex number, or one number.
static SmallVector<double, 2> getNumbers(const Tensor &tensor, int64_t i,
                                         const Field *field) {
  if (tensor.getKind() == CellKind::Complex) {
    auto value = tensor.cells<std::complex<double>>()[i];
    return {value.real(), value.imag()};
  }
  return {tensor.getAsDouble(i, field)};
}

TensorDifference partita::compareTensors(const Tensor &a, const Tensor &b,
                                         const Field *field) {
  TensorDifference result;
  if (!a.getTensorType() || a.getType() != b.getType()) {
    result.equal = a.getType() == b.getType();
    return result;
  }
  bool isFloat = a.getKind() == CellKind::Float32 ||
                 a.getKind() == CellKind::Float64 ||
                 a.getKind() == CellKind::Complex;
  int64_t count = a.getNumElements(), nans = 0;
  for (int64_t i = 0; i < count; ++i) {
    bool isNaN = false;
    for (double x : getNumbers(a, i, field)) {
      isNaN |= std::isnan(x);
      if (std::isfinite(x))
        result.maxAbs = std::max(result.maxAbs, std::fabs(x));
    }
    nans += isNaN;
  }
  result.nanShare = count ? double(nans) / double(count) : 0;
  double bound = getTolerance(a.getElementType()) * result.maxAbs;
  for (int64_t i = 0; i < count; ++i) {
    bool differs = !areCellsEqual(a, b, i);
    if (!differs)
      continue;
    for (auto [x, y] :
         llvm::zip(getNumbers(a, i, field), getNumbers(b, i, field))) {
      double difference = std::fabs(x - y);
      bool isNumber = std::isfinite(x) && std::isfinite(y);
      if (isNumber)
        result.maxAbsDiff = std::max(result.maxAbsDiff, difference);
      // Words that differ but print alike (residues) differ all the same.
      if (isFloat)
        differs = differs && !(isNumber && difference <= bound) &&
                  !(std::isnan(x) && std::isnan(y)) && x != y;
    }
    if (isFloat && a.getKind() == CellKind::Complex) {
      auto x = a.cells<std::complex<double>>()[i],
           y = b.cells<std::complex<double>>()[i];
      bool bothNaN = (x != x) && (y != y);
      differs = !bothNaN && !(std::abs(x - y) <= bound);
    }
    if (differs && result.equal) {
      result.equal = false;
      result.firstIndex = i;
    }
  }
  return result;
}
