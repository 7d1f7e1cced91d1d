// Replica groups, device positions and small scalars.

#include "CollectiveConverter.h"
#include "dialects/StableHLO/ZeroElements.h"

using namespace mlir;

namespace partita {

spmd::MeshAttr CollectiveConverter::getMesh(FlatSymbolRefAttr name) {
  return module.lookupSymbol<spmd::MeshOp>(name.getAttr()).getMesh();
}

/// Product of the sizes of the mesh axes that are minor to axis `index`.
static int64_t getStride(spmd::MeshAttr mesh, int64_t index) {
  int64_t stride = 1;
  for (spmd::MeshAxisAttr axis : mesh.getAxes().drop_front(index + 1))
    stride *= axis.getSize();
  return stride;
}

namespace {

/// One digit of a mesh position: (position / stride) % size.
struct Digit {
  int64_t stride, size;
};

} // namespace

/// The digit that a (sub-)axis is.
static Digit getDigit(spmd::MeshAttr mesh, spmd::AxisRefAttr axis) {
  int64_t index = mesh.getAxisIndex(axis.getName());
  int64_t whole = mesh.getAxes()[index].getSize(), size = axis.getSize(mesh);
  return {getStride(mesh, index) * (whole / (axis.getPre() * size)), size};
}

SmallVector<SmallVector<int64_t>>
CollectiveConverter::getGroupPositions(spmd::MeshAttr mesh, AxisRefs axes) {
  SmallVector<Digit> digits;
  int64_t size = 1;
  for (spmd::AxisRefAttr axis : axes) {
    digits.push_back(getDigit(mesh, axis));
    size *= digits.back().size;
  }
  // A group is led by the position whose digits over the axes are all zero.
  SmallVector<SmallVector<int64_t>> groups;
  for (int64_t leader = 0; leader < mesh.getNumDevices(); ++leader) {
    if (llvm::any_of(digits, [&](Digit digit) {
          return leader / digit.stride % digit.size != 0;
        }))
      continue;
    SmallVector<int64_t> members(size, leader);
    for (int64_t member = 0; member < size; ++member) {
      int64_t rest = member;
      for (Digit digit : llvm::reverse(digits)) {
        members[member] += rest % digit.size * digit.stride;
        rest /= digit.size;
      }
    }
    groups.push_back(std::move(members));
  }
  return groups;
}

Attribute CollectiveConverter::makeGroups(MeshName name, AxisRefs axes,
                                          int64_t first) {
  if (axisGroups && first == 0) {
    SmallVector<Attribute> refs;
    for (spmd::AxisRefAttr axis : axes)
      refs.push_back(stablehlo::AxisRefAttr::get(
          b.getContext(), axis.getName(),
          axis.isSubAxis() ? stablehlo::SubAxisInfoAttr::get(b.getContext(),
                                                             axis.getPreSize(),
                                                             axis.getSubSize())
                           : stablehlo::SubAxisInfoAttr()));
    return stablehlo::ReplicaGroupMeshAxesAttr::get(b.getContext(), name,
                                                    b.getArrayAttr(refs));
  }
  spmd::MeshAttr mesh = getMesh(name);
  SmallVector<int64_t> order = mesh.getDeviceOrder(), ids;
  auto groups = getGroupPositions(mesh, axes);
  for (const auto &group : groups)
    for (size_t i = 0; i < group.size(); ++i) {
      int64_t position = group[(i + first) % group.size()];
      ids.push_back(order.empty() ? position : order[position]);
    }
  int64_t size = groups.front().size();
  return DenseIntElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(groups.size()), size},
                            b.getI64Type()),
      ids);
}

int64_t getGroupSize(CollectiveConverter::AxisRefs axes, spmd::MeshAttr mesh) {
  int64_t size = 1;
  for (spmd::AxisRefAttr axis : axes)
    size *= axis.getSize(mesh);
  return size;
}

RankedTensorType scaleDim(Type type, int64_t dim, int64_t multiplier,
                          int64_t divisor) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dim] = shape[dim] * multiplier / divisor;
  return tensor.clone(shape);
}

stablehlo::ChannelHandleAttr CollectiveConverter::makeChannel() {
  return stablehlo::ChannelHandleAttr::get(b.getContext(), nextChannel++,
                                           /*type=*/1);
}

Value emitScalar(OpBuilder &b, Location loc, int64_t value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  APInt number(elementType.getIntOrFloatBitWidth(), value, /*isSigned=*/true);
  return stablehlo::ConstantOp::create(b, loc,
                                       DenseIntElementsAttr::get(type, number));
}

Value emitDigit(OpBuilder &b, Location loc, Value value, int64_t divisor,
                int64_t modulus, int64_t extent) {
  Type elementType = getElementTypeOrSelf(value.getType());
  if (divisor > 1)
    value = stablehlo::DivOp::create(b, loc, value,
                                     emitScalar(b, loc, divisor, elementType));
  if (divisor * modulus < extent)
    value = stablehlo::RemOp::create(b, loc, value,
                                     emitScalar(b, loc, modulus, elementType));
  return value;
}

Value padBehind(OpBuilder &b, Location loc, Value value,
                ArrayRef<int64_t> high) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> zeros(type.getRank(), 0), shape(type.getShape());
  if (high == ArrayRef(zeros))
    return value;
  for (auto [size, more] : llvm::zip_equal(shape, high))
    size += more;
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero =
      stablehlo::ConstantOp::create(b, loc, stablehlo::getZeroElements(scalar));
  return stablehlo::PadOp::create(
      b, loc, type.clone(shape), value, zero, b.getDenseI64ArrayAttr(zeros),
      b.getDenseI64ArrayAttr(high), b.getDenseI64ArrayAttr(zeros));
}

Value CollectiveConverter::constant(int64_t value) {
  return emitScalar(b, loc, value, b.getI32Type());
}

Value CollectiveConverter::zeroOf(Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  return stablehlo::ConstantOp::create(b, loc,
                                       stablehlo::getZeroElements(type));
}

Value CollectiveConverter::isEqual(Value index, int64_t number) {
  return stablehlo::CompareOp::create(
      b, loc, RankedTensorType::get({}, b.getI1Type()), index, constant(number),
      stablehlo::ComparisonDirection::EQ, stablehlo::ComparisonTypeAttr());
}

Value CollectiveConverter::multiply(Value value, int64_t factor) {
  if (factor == 1)
    return value;
  Type elementType = getElementTypeOrSelf(value.getType());
  return stablehlo::MulOp::create(b, loc, value,
                                  emitScalar(b, loc, factor, elementType));
}

Value CollectiveConverter::emitPosition(spmd::MeshAttr mesh) {
  auto type = RankedTensorType::get({}, b.getIntegerType(32, false));
  Value device = stablehlo::PartitionIdOp::create(b, loc, type);
  SmallVector<int64_t> order = mesh.getDeviceOrder();
  if (order.empty())
    return device;
  if (!mesh.getIotaDims().empty()) {
    // Position: the digits of the device, in the transposed order.
    ArrayRef<int64_t> dims = mesh.getIotaDims();
    SmallVector<int64_t> strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;)
      strides[i - 1] = strides[i] * dims[i];
    Value position;
    for (int64_t dim : mesh.getIotaPerm()) {
      Value digit =
          emitDigit(b, loc, device, strides[dim], dims[dim], order.size());
      position = position ? stablehlo::AddOp::create(
                                b, loc, multiply(position, dims[dim]), digit)
                          : digit;
    }
    return position;
  }
  // A mesh in an order of no pattern: one table from device to position.
  SmallVector<uint32_t> positions(order.size(), 0);
  for (auto [position, id] : llvm::enumerate(order))
    if (id < static_cast<int64_t>(positions.size()))
      positions[id] = position;
  int64_t count = positions.size();
  Value table = stablehlo::ConstantOp::create(
      b, loc,
      DenseIntElementsAttr::get(type.clone({count}), ArrayRef(positions)));
  Value entry = stablehlo::DynamicSliceOp::create(b, loc, type.clone({1}),
                                                  table, ValueRange(device),
                                                  b.getDenseI64ArrayAttr({1}));
  return stablehlo::ReshapeOp::create(b, loc, type, entry);
}

Value CollectiveConverter::emitAxisIndex(spmd::MeshAttr mesh, AxisRefs axes) {
  if (axes.empty())
    return constant(0);
  Value position = emitPosition(mesh), index;
  for (spmd::AxisRefAttr axis : axes) {
    Digit digit = getDigit(mesh, axis);
    Value coordinate = emitDigit(b, loc, position, digit.stride, digit.size,
                                 mesh.getNumDevices());
    index = index ? stablehlo::AddOp::create(
                        b, loc, multiply(index, digit.size), coordinate)
                  : coordinate;
  }
  return stablehlo::ConvertOp::create(
      b, loc, RankedTensorType::get({}, b.getI32Type()), index);
}

void CollectiveConverter::fillReducer(Region &region, Type elementType,
                                      spmd::ReductionKind kind) {
  using Kind = spmd::ReductionKind;
  OpBuilder::InsertionGuard guard(b);
  auto type = RankedTensorType::get({}, elementType);
  Block *block = b.createBlock(&region, region.end(), {type, type}, {loc, loc});
  Value lhs = block->getArgument(0), rhs = block->getArgument(1), result;
  switch (kind) {
  case Kind::Add:
    result = stablehlo::AddOp::create(b, loc, lhs, rhs);
    break;
  case Kind::Mul:
    result = stablehlo::MulOp::create(b, loc, lhs, rhs);
    break;
  case Kind::Max:
    result = stablehlo::MaxOp::create(b, loc, lhs, rhs);
    break;
  case Kind::Min:
    result = stablehlo::MinOp::create(b, loc, lhs, rhs);
    break;
  case Kind::And:
    result = stablehlo::AndOp::create(b, loc, lhs, rhs);
    break;
  case Kind::Or:
    result = stablehlo::OrOp::create(b, loc, lhs, rhs);
    break;
  case Kind::Xor:
    result = stablehlo::XorOp::create(b, loc, lhs, rhs);
    break;
  }
  stablehlo::ReturnOp::create(b, loc, result);
}

} // namespace partita
