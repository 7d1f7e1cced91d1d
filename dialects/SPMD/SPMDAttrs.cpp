// Attributes of the spmd dialect: what they mean and when they are valid. Their
// text form is in AttrParsing.cpp.
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SPMD.h"
#include "partita/Support/MathExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace partita;
using namespace partita::spmd;

#include "dialects/SPMD/SPMDEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/SPMD/SPMDAttrs.cpp.inc"

void SPMDDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/SPMD/SPMDAttrs.cpp.inc"
      >();
}

namespace {
/// Device ids are 32 bits wide in every runtime that we lower to.
constexpr int64_t maxDevices = std::numeric_limits<int32_t>::max();

bool isPermutation(ArrayRef<int64_t> values) {
  llvm::SmallVector<bool> seen(values.size(), false);
  for (int64_t value : values) {
    if (value < 0 || value >= static_cast<int64_t>(values.size()) ||
        seen[value])
      return false;
    seen[value] = true;
  }
  return true;
}

/// Product of the sizes, or -1 if it exceeds what a mesh may have.
int64_t boundedProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > maxDevices / product)
      return -1;
    product *= size;
  }
  return product;
}
} // namespace

//===----------------------------------------------------------------------===//
// MeshAttr
//===----------------------------------------------------------------------===//

int64_t MeshAttr::getNumDevices() const {
  int64_t product = 1;
  for (MeshAxisAttr axis : getAxes())
    product *= axis.getSize();
  return product;
}

int64_t MeshAttr::getAxisIndex(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(getAxes()))
    if (axis.getName() == name)
      return index;
  return -1;
}

int64_t MeshAttr::getAxisSize(StringRef name) const {
  int64_t index = getAxisIndex(name);
  return index < 0 ? -1 : getAxes()[index].getSize();
}

int64_t MeshAttr::getPosition(int64_t device) const {
  SmallVector<int64_t> order = getDeviceOrder();
  if (order.empty())
    return device < getNumDevices() ? device : -1;
  auto *found = llvm::find(order, device);
  return found == order.end() ? -1 : found - order.begin();
}

SmallVector<AxisRefAttr> spmd::getAllAxes(MeshAttr mesh) {
  return llvm::map_to_vector(mesh.getAxes(), [](MeshAxisAttr axis) {
    return AxisRefAttr::get(axis.getContext(), axis.getName(), 0, 0);
  });
}

void spmd::appendAxis(SmallVectorImpl<AxisRefAttr> &list, AxisRefAttr axis,
                      MeshAttr mesh) {
  if (!list.empty() && axis.isSubAxis() && list.back().isSubAxis() &&
      list.back().getName() == axis.getName() &&
      list.back().getPre() * list.back().getSize(mesh) == axis.getPre()) {
    int64_t pre = list.back().getPre();
    int64_t size = list.back().getSize(mesh) * axis.getSize(mesh);
    bool isWhole = pre == 1 && size == mesh.getAxisSize(axis.getName());
    list.back() = AxisRefAttr::get(axis.getContext(), axis.getName(),
                                   isWhole ? 0 : pre, isWhole ? 0 : size);
    return;
  }
  list.push_back(axis);
}

SmallVector<int64_t> MeshAttr::getDeviceOrder() const {
  if (getIotaDims().empty())
    return SmallVector<int64_t>(getDeviceIds());
  ArrayRef<int64_t> dims = getIotaDims(), perm = getIotaPerm();
  // Stride in iota of each dimension of the transposed array.
  SmallVector<int64_t> stride(dims.size(), 1), extent, step;
  for (int64_t i = static_cast<int64_t>(dims.size()) - 2; i >= 0; --i)
    stride[i] = stride[i + 1] * dims[i + 1];
  for (int64_t source : perm) {
    extent.push_back(dims[source]);
    step.push_back(stride[source]);
  }
  SmallVector<int64_t> order{0};
  for (auto [size, distance] : llvm::zip(extent, step)) {
    SmallVector<int64_t> next;
    next.reserve(order.size() * size);
    for (int64_t device : order)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(device + i * distance);
    order = std::move(next);
  }
  return order;
}

/// Writes `order` as iota reshaped to `dims` and transposed by `perm`; false if
/// it is no such order. Digits are found from the minor side: each is as long
/// as the steps stay equal.
static bool findIota(ArrayRef<int64_t> order, SmallVector<int64_t> &dims,
                     SmallVector<int64_t> &perm) {
  int64_t count = order.size(), length = 1;
  SmallVector<std::pair<int64_t, int64_t>> digits; // (stride, size), minor first
  while (length < count) {
    int64_t stride = order[length] - order[0], size = 2;
    while (size * length < count &&
           order[size * length] - order[0] == size * stride)
      ++size;
    if (stride <= 0 || count % (size * length) != 0)
      return false;
    digits.push_back({stride, size});
    length *= size;
  }
  std::reverse(digits.begin(), digits.end());
  auto byStride = llvm::to_vector(llvm::seq<int64_t>(0, digits.size()));
  llvm::sort(byStride, [&](int64_t a, int64_t b) {
    return digits[a].first > digits[b].first;
  });
  perm.assign(digits.size(), 0);
  for (auto [source, output] : llvm::enumerate(byStride)) {
    dims.push_back(digits[output].second);
    perm[output] = source;
  }
  return true;
}

MeshAttr MeshAttr::getWithOrder(MLIRContext *context,
                                ArrayRef<MeshAxisAttr> axes,
                                ArrayRef<int64_t> deviceIds) {
  bool isIdentity = true;
  for (auto [position, device] : llvm::enumerate(deviceIds))
    isIdentity &= device == static_cast<int64_t>(position);
  // A mesh without axes keeps its id: that is what makes it a single device.
  if (isIdentity && !axes.empty())
    return get(context, axes, {}, {}, {});
  SmallVector<int64_t> dims, perm;
  if (!axes.empty() && findIota(deviceIds, dims, perm)) {
    MeshAttr mesh = get(context, axes, dims, perm, {});
    if (ArrayRef<int64_t>(mesh.getDeviceOrder()) == deviceIds)
      return mesh;
  }
  return get(context, axes, {}, {}, deviceIds);
}

/// Checks names, sizes and links of the axes.
static LogicalResult verifyMeshAxes(EmitErrorFn emitError,
                                    ArrayRef<MeshAxisAttr> axes) {
  llvm::StringSet<> names;
  SmallVector<int64_t> sizes;
  for (MeshAxisAttr axis : axes) {
    if (axis.getName().empty())
      return failWithFix(emitError() << "a mesh axis has an empty name",
                         "give each axis a name");
    if (!names.insert(axis.getName()).second)
      return failWithFix(emitError() << "mesh axis \"" << axis.getName()
                                     << "\" occurs twice",
                         "give each axis a name of its own");
    if (axis.getSize() < 1)
      return failWithFix(emitError() << "mesh axis \"" << axis.getName()
                                     << "\" has size " << axis.getSize(),
                         "sizes are at least 1");
    if (!(axis.getLatency() >= 0) || !(axis.getBandwidth() >= 0) ||
        std::isinf(axis.getLatency()) || std::isinf(axis.getBandwidth()))
      return failWithFix(emitError() << "link of mesh axis \"" << axis.getName()
                                     << "\" has a negative or infinite figure",
                         "give seconds and bytes per second, or zero");
    sizes.push_back(axis.getSize());
  }
  if (boundedProduct(sizes) < 0)
    return failWithFix(emitError() << "mesh has more than " << maxDevices
                                   << " devices",
                       "device ids are 32 bits wide; use smaller axes");
  return success();
}

LogicalResult MeshAttr::verify(EmitErrorFn emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> iotaDims,
                               ArrayRef<int64_t> iotaPerm,
                               ArrayRef<int64_t> deviceIds) {
  if (failed(verifyMeshAxes(emitError, axes)))
    return failure();
  int64_t count = 1;
  for (MeshAxisAttr axis : axes)
    count *= axis.getSize();
  if (!iotaDims.empty() || !iotaPerm.empty()) {
    if (!deviceIds.empty())
      return emitError() << "mesh has both iota and listed device_ids";
    if (boundedProduct(iotaDims) != count)
      return failWithFix(emitError() << "iota dimensions [" << iotaDims
                                     << "] of device_ids do not multiply to the "
                                     << count << " devices of the mesh",
                         "their product is the number of devices");
    if (iotaDims.size() != iotaPerm.size() || !isPermutation(iotaPerm))
      return failWithFix(emitError() << "iota transposition (" << iotaPerm
                                     << ") of device_ids is no permutation of "
                                     << iotaDims.size() << " dimensions",
                         "name each dimension from 0 once");
    return success();
  }
  if (deviceIds.empty())
    return success();
  if (axes.empty()) {
    if (deviceIds.size() != 1 || deviceIds[0] < 0 || deviceIds[0] > maxDevices)
      return failWithFix(emitError() << "a mesh without axes names one device, "
                                        "but device_ids is ["
                                     << deviceIds << "]",
                         "write one id that is not negative, or give axes");
    return success();
  }
  if (static_cast<int64_t>(deviceIds.size()) != count)
    return failWithFix(emitError() << "device_ids lists " << deviceIds.size()
                                   << " devices, but the axes have " << count,
                       "list each device once");
  if (!isPermutation(deviceIds))
    return failWithFix(emitError() << "device_ids is no permutation of 0 to "
                                   << count - 1,
                       "list each device once");
  return success();
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

LogicalResult AxisRefAttr::verify(EmitErrorFn emitError, StringRef name,
                                  int64_t preSize, int64_t subSize) {
  if (preSize == 0 && subSize == 0)
    return success();
  if (preSize < 1 || subSize < 2)
    return failWithFix(emitError() << "sub-axis \"" << name << "\":(" << preSize
                                   << ")" << subSize
                                   << " is no part of an axis",
                       "in \"x\":(pre)size pre is at least 1 and size at "
                       "least 2");
  return success();
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  int64_t size = mesh ? mesh.getAxisSize(getName()) : -1;
  return size < 0 || !isSubAxis() ? size : getSubSize();
}

/// True if one of the two ends where the other has not begun, on a boundary of
/// it. Parts that merely interleave (2 then 3 against 3 then 2) do share.
static bool areDisjoint(AxisRefAttr a, AxisRefAttr b) {
  if (a.getName() != b.getName())
    return true;
  if (!a.isSubAxis() || !b.isSubAxis())
    return false;
  auto precedes = [](AxisRefAttr x, AxisRefAttr y) {
    int64_t end;
    return !llvm::MulOverflow(x.getPreSize(), x.getSubSize(), end) &&
           end <= y.getPreSize() && y.getPreSize() % end == 0;
  };
  return precedes(a, b) || precedes(b, a);
}

bool AxisRefAttr::overlaps(AxisRefAttr other, MeshAttr mesh) const {
  // A sub-axis that is the whole axis is refused, so sizes play no part.
  return !areDisjoint(*this, other);
}

std::string AxisRefAttr::str() const {
  std::string text = "\"" + getName().str() + "\"";
  if (isSubAxis())
    text += ":(" + std::to_string(getPreSize()) + ")" +
            std::to_string(getSubSize());
  return text;
}

LogicalResult AxisListAttr::verify(EmitErrorFn emitError,
                                   ArrayRef<AxisRefAttr> axes) {
  return verifyDisjoint(axes, emitError);
}

int64_t AxisListAttr::getSize(MeshAttr mesh) const {
  int64_t product = 1;
  for (AxisRefAttr axis : getAxes())
    product *= axis.getSize(mesh);
  return product;
}

std::string AxisListAttr::str() const {
  std::string text = "{";
  for (AxisRefAttr axis : getAxes())
    text += (text.size() > 1 ? ", " : "") + axis.str();
  return text + "}";
}

//===----------------------------------------------------------------------===//
// ShardingAttr
//===----------------------------------------------------------------------===//

int64_t DimShardingAttr::getShardCount(MeshAttr mesh) const {
  int64_t product = 1;
  for (AxisRefAttr axis : getAxes())
    product *= axis.getSize(mesh);
  return product;
}

ShardingAttr ShardingAttr::getReplicated(MLIRContext *context, StringRef mesh,
                                         int64_t rank, bool isClosed) {
  SmallVector<DimShardingAttr> dims(
      rank, DimShardingAttr::get(context, {}, isClosed, -1));
  return get(context, mesh, dims);
}

ShardingAttr ShardingAttr::getClosed() const {
  SmallVector<DimShardingAttr> dims;
  for (DimShardingAttr dim : getDims())
    dims.push_back(DimShardingAttr::get(getContext(), dim.getAxes(), true, -1));
  return get(getContext(), getMesh(), dims, getReplicated(), getUnreduced(),
             getReductionKind());
}

int64_t ShardingAttr::getShardCount(int64_t dim, MeshAttr mesh) const {
  return getDims()[dim].getShardCount(mesh);
}

bool ShardingAttr::hasShardedDim() const {
  return llvm::any_of(getDims(),
                      [](DimShardingAttr dim) { return !dim.getAxes().empty(); });
}

RankedTensorType ShardingAttr::getLocalType(RankedTensorType global,
                                            MeshAttr mesh) const {
  SmallVector<int64_t> shape(global.getShape());
  for (auto [size, dim] : llvm::zip(shape, getDims())) {
    int64_t count = dim.getShardCount(mesh);
    if (!ShapedType::isDynamic(size) && count > 0)
      size = ceilDiv(size, count);
  }
  return global.clone(shape);
}

LogicalResult ShardingAttr::verify(EmitErrorFn emitError,
                                   FlatSymbolRefAttr mesh,
                                   ArrayRef<DimShardingAttr> dims,
                                   ArrayRef<AxisRefAttr> replicated,
                                   ArrayRef<AxisRefAttr> unreduced,
                                   ReductionKind reductionKind) {
  if (unreduced.empty() && reductionKind != ReductionKind::Add)
    return failWithFix(emitError() << "a reduction kind without unreduced axes",
                       "name the axes: unreduced=[max]{\"x\"}");
  SmallVector<AxisRefAttr> all;
  for (DimShardingAttr dim : dims)
    llvm::append_range(all, dim.getAxes());
  llvm::append_range(all, replicated);
  llvm::append_range(all, unreduced);
  return verifyDisjoint(all, emitError);
}

LogicalResult ShardingAttr::verifyForType(Type type, MeshAttr mesh,
                                          EmitErrorFn emitError) const {
  if (!mesh)
    return failWithFix(emitError() << "mesh " << getMesh() << " is not defined",
                       "add 'spmd.mesh @" + getMesh().getValue() +
                           " = <[...]>' to the module");
  SmallVector<AxisRefAttr> all;
  for (DimShardingAttr dim : getDims())
    llvm::append_range(all, dim.getAxes());
  llvm::append_range(all, getReplicated());
  llvm::append_range(all, getUnreduced());
  if (failed(verifyAxes(all, mesh, emitError)))
    return failure();
  if (!isa<ShapedType>(type)) {
    if (getRank() != 0)
      return failWithFix(emitError() << "sharding has " << getRank()
                                     << " dimensions, but " << type
                                     << " has none",
                         "write []");
    return success();
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return failWithFix(emitError() << "a value of type " << type
                                   << " cannot be sharded",
                       "only ranked tensors have shardings");
  if (tensor.getRank() != getRank())
    return failWithFix(emitError()
                           << "sharding has " << getRank()
                           << " dimensions, but " << type << " has "
                           << tensor.getRank(),
                       "write one {...} per dimension");
  for (auto [index, dim] : llvm::enumerate(getDims())) {
    if (!dim.getAxes().empty() && tensor.isDynamicDim(index))
      return failWithFix(
          emitError() << "dimension " << index << " of " << type
                      << " is sharded along "
                      << AxisListAttr::get(getContext(), dim.getAxes()).str()
                      << ", but its size is unknown",
          "give the dimension a static size");
  }
  if (!getUnreduced().empty())
    return verifyReductionKind(getReductionKind(), tensor.getElementType(),
                               emitError);
  return success();
}

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

LogicalResult spmd::failWithFix(InFlightDiagnostic error,
                                const llvm::Twine &fix) {
  error.attachNote() << "fix: " << fix;
  return failure();
}

LogicalResult spmd::verifyDisjoint(ArrayRef<AxisRefAttr> axes,
                                   EmitErrorFn emitError) {
  for (auto [index, axis] : llvm::enumerate(axes))
    for (AxisRefAttr other : axes.take_front(index)) {
      if (areDisjoint(axis, other))
        continue;
      if (axis == other)
        return failWithFix(emitError()
                               << "axis " << axis.str() << " is used twice",
                           "use each axis once");
      return failWithFix(emitError() << "axes " << other.str() << " and "
                                     << axis.str()
                                     << " share part of one axis",
                         "use sub-axes that follow one another, as \"x\":(1)2 "
                         "and \"x\":(2)4");
    }
  return success();
}

LogicalResult spmd::verifyAxes(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                               EmitErrorFn emitError) {
  for (AxisRefAttr axis : axes) {
    int64_t size = mesh.getAxisSize(axis.getName());
    if (size < 0) {
      InFlightDiagnostic error = emitError();
      error << "axis \"" << axis.getName() << "\" is not in the mesh " << mesh;
      return failWithFix(std::move(error), "use an axis of the mesh");
    }
    if (!axis.isSubAxis())
      continue;
    int64_t pre = axis.getPreSize(), sub = axis.getSubSize();
    if (pre < 1 || sub < 2 || pre > size || sub > size ||
        size % pre != 0 || (size / pre) % sub != 0)
      return failWithFix(emitError() << "sub-axis " << axis.str()
                                     << " does not divide axis \""
                                     << axis.getName() << "\" of size " << size,
                         "pre times size must divide the axis");
    if (sub == size)
      return failWithFix(emitError() << "sub-axis " << axis.str()
                                     << " is the whole axis",
                         "write \"" + axis.getName() + "\"");
  }
  return verifyDisjoint(axes, emitError);
}

LogicalResult spmd::verifyReductionKind(ReductionKind kind, Type elementType,
                                        EmitErrorFn emitError) {
  bool isInteger = isa<IntegerType, IndexType>(elementType);
  bool isSupported = false;
  switch (kind) {
  case ReductionKind::Add:
  case ReductionKind::Mul:
    isSupported = isInteger || isa<FloatType, ComplexType>(elementType);
    break;
  case ReductionKind::Max:
  case ReductionKind::Min:
    isSupported = isInteger || isa<FloatType>(elementType);
    break;
  case ReductionKind::And:
  case ReductionKind::Or:
  case ReductionKind::Xor:
    isSupported = isInteger;
    break;
  }
  if (isSupported)
    return success();
  return failWithFix(emitError() << "reduction '" << stringifyEnum(kind)
                                 << "' is not defined on " << elementType,
                     "max and min need integers or floats, and, or, xor need "
                     "integers");
}
