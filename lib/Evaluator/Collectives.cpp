// The spmd collectives. All devices of a group must be active: lock step makes
// a collective under a predicate that differs between them visible, and an
// error.
#include "Collectives.h"
#include "Blocks.h"
#include "Strided.h"
#include "partita/Support/MathExtras.h"

using namespace mlir;
using namespace partita;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static SmallVector<spmd::AxisRefAttr> flatten(ArrayAttr perDim) {
  SmallVector<spmd::AxisRefAttr> axes;
  for (Attribute entry : perDim)
    llvm::append_range(axes, cast<spmd::AxisListAttr>(entry).getAxes());
  return axes;
}

/// What of a device's coordinates lies outside the axes: its group.
static SmallVector<int64_t> getGroupKey(spmd::MeshAttr mesh,
                                        ArrayRef<spmd::AxisRefAttr> axes,
                                        ArrayRef<int64_t> coordinates) {
  SmallVector<int64_t> key(coordinates);
  for (spmd::AxisRefAttr axis : axes) {
    int64_t i = mesh.getAxisIndex(axis.getName()), size = axis.getSize(mesh);
    if (i < 0)
      continue;
    int64_t minor = mesh.getAxes()[i].getSize() / (axis.getPre() * size);
    // Clear the digit.
    key[i] -= key[i] / minor % size * minor;
  }
  return key;
}

static LogicalResult
refusePartial(Operation *op, const World &world, spmd::MeshAttr mesh,
              const llvm::MapVector<int64_t, unsigned> &present,
              ArrayRef<unsigned> absent) {
  InFlightDiagnostic diag =
      op->emitError()
      << "a predicate that differs between devices: of one group of '"
      << op->getName() << "', ";
  unsigned shown = 0;
  for (auto &[index, device] : present)
    if (shown++ < 4)
      diag << (shown > 1 ? ", " : "") << world.describe(mesh, device);
  diag << (present.size() > 4 ? ", ..." : "") << " arrive";
  shown = 0;
  for (unsigned device : absent)
    if (shown++ < 4)
      diag << (shown > 1 ? ", " : " and ") << world.describe(mesh, device);
  diag << (absent.size() > 4 ? ", ..." : "") << " do not";
  diag.attachNote()
      << "fix: make the predicate the same on all devices of the group, or "
         "move the collective out of the branch or loop";
  return failure();
}

FailureOr<GroupList> partita::formGroups(Operation *op,
                                         FlatSymbolRefAttr meshName,
                                         ArrayRef<spmd::AxisRefAttr> axes,
                                         Frame &frame,
                                         ArrayRef<unsigned> active) {
  GroupList list;
  list.mesh = spmd::lookupMesh(op, meshName);
  if (!list.mesh) {
    InFlightDiagnostic diag = op->emitError()
                              << "mesh " << meshName << " is not defined";
    diag.attachNote() << "fix: define it with spmd.mesh in the module";
    return failure();
  }
  int64_t size = 1;
  for (spmd::AxisRefAttr axis : axes) {
    size *= std::max<int64_t>(axis.getSize(list.mesh), 1);
    int64_t i = list.mesh.getAxisIndex(axis.getName());
    if (i >= 0 && (active.empty() ||
                   frame.world.getCoordinates(list.mesh, active[0]).empty() ||
                   frame.world.getCoordinates(list.mesh, active[0])[i] >= 0))
      continue;
    InFlightDiagnostic diag = op->emitError()
                              << "axis \"" << axis.getName()
                              << "\" is not an axis of the devices here";
    diag.attachNote()
        << "fix: run the op in a spmd.manual region in which the axis is "
           "manual";
    return failure();
  }
  std::map<SmallVector<int64_t>, llvm::MapVector<int64_t, unsigned>> groups;
  for (unsigned device : active) {
    SmallVector<int64_t> coordinates =
        frame.world.getCoordinates(list.mesh, device);
    if (coordinates.empty() && !list.mesh.getAxes().empty()) {
      list.outside.push_back(device);
      continue;
    }
    groups[getGroupKey(list.mesh, axes, coordinates)].insert(
        {getAxesIndex(list.mesh, axes, coordinates), device});
  }
  for (auto &[key, members] : groups) {
    Group group;
    group.members.assign(size, 0);
    for (auto &[index, device] : members)
      group.members[index] = device;
    if (int64_t(members.size()) != size) {
      SmallVector<unsigned> absent;
      for (unsigned device = 0; device < frame.world.getNumDevices();
           ++device) {
        SmallVector<int64_t> c = frame.world.getCoordinates(list.mesh, device);
        if (!c.empty() && getGroupKey(list.mesh, axes, c) == key &&
            !llvm::is_contained(active, device))
          absent.push_back(device);
      }
      if (!absent.empty())
        return refusePartial(op, frame.world, list.mesh, members, absent);
      InFlightDiagnostic diag = op->emitError()
                                << "the mesh has " << list.mesh.getNumDevices()
                                << " devices, of which only "
                                << frame.world.getNumDevices() << " run";
      diag.attachNote() << "fix: evaluate on as many devices as the mesh has";
      return failure();
    }
    list.groups.push_back(std::move(group));
  }
  return list;
}

void partita::bindOutside(Operation *op, const GroupList &list, Frame &frame,
                          bool inField) {
  for (unsigned device : list.outside)
    for (Value result : op->getResults())
      frame.at(result, device) =
          makePoison(cast<RankedTensorType>(result.getType()), inField);
}

Tensor partita::reduceMembers(ArrayRef<Tensor> values, spmd::ReductionKind kind,
                              const Field *field) {
  Tensor sum = values[0];
  for (const Tensor &value : values.drop_front())
    sum = combine(sum, value, kind, field);
  return sum;
}

/// Values of one operand of all members.
static SmallVector<Tensor> getValues(Value value, const Group &group,
                                     Frame &frame) {
  SmallVector<Tensor> values;
  for (unsigned device : group.members)
    values.push_back(frame.at(value, device));
  return values;
}

/// Sizes and index per dimension of a member over axes listed per dimension.
static BlockIndex getBlock(ArrayAttr perDim, spmd::MeshAttr mesh,
                           ArrayRef<int64_t> coordinates) {
  BlockIndex block;
  for (Attribute entry : perDim) {
    auto axes = cast<spmd::AxisListAttr>(entry);
    block.shards.push_back(axes.getSize(mesh));
    block.index.push_back(getAxesIndex(mesh, axes.getAxes(), coordinates));
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Gather, slice, reduce
//===----------------------------------------------------------------------===//

static LogicalResult evaluateAllGather(Interpreter &interpreter, Operation *op,
                                       Frame &frame,
                                       ArrayRef<unsigned> active) {
  auto gather = cast<spmd::AllGatherOp>(op);
  FailureOr<GroupList> list = formGroups(
      op, gather.getMeshAttr(), flatten(gather.getGatherAxes()), frame, active);
  if (failed(list))
    return failure();
  for (const Group &group : list->groups)
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults())) {
      Tensor whole = Tensor::zeros(cast<RankedTensorType>(result.getType()),
                                   interpreter.isField());
      for (unsigned device : group.members)
        placeBlock(whole, frame.at(operand, device),
                   getBlock(gather.getGatherAxes(), list->mesh,
                            frame.world.getCoordinates(list->mesh, device))
                       .index);
      for (unsigned device : group.members)
        frame.at(result, device) = whole;
    }
  bindOutside(op, *list, frame, interpreter.isField());
  return success();
}

static LogicalResult evaluateAllSlice(Interpreter &interpreter, Operation *op,
                                      Frame &frame, ArrayRef<unsigned> active) {
  auto sliceOp = cast<spmd::AllSliceOp>(op);
  // Sends nothing, so that no group need be complete.
  spmd::MeshAttr mesh = spmd::lookupMesh(op, sliceOp.getMeshAttr());
  if (!mesh)
    return op->emitError() << "mesh " << sliceOp.getMeshAttr()
                           << " is not defined";
  for (unsigned device : active) {
    BlockIndex block = getBlock(sliceOp.getSliceAxes(), mesh,
                                frame.world.getCoordinates(mesh, device));
    frame.at(op->getResult(0), device) = takeBlock(
        frame.at(op->getOperand(0), device), block.shards, block.index, {});
  }
  return success();
}

static LogicalResult evaluateAllReduce(Interpreter &interpreter, Operation *op,
                                       Frame &frame,
                                       ArrayRef<unsigned> active) {
  auto reduce = cast<spmd::AllReduceOp>(op);
  FailureOr<GroupList> list = formGroups(
      op, reduce.getMeshAttr(), reduce.getAxes().getAxes(), frame, active);
  if (failed(list))
    return failure();
  for (const Group &group : list->groups)
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults())) {
      Tensor sum = reduceMembers(getValues(operand, group, frame),
                                 reduce.getKind(), interpreter.getField());
      for (unsigned device : group.members)
        frame.at(result, device) = sum.withType(result.getType());
    }
  bindOutside(op, *list, frame, interpreter.isField());
  return success();
}

static LogicalResult evaluateReduceScatter(Interpreter &interpreter,
                                           Operation *op, Frame &frame,
                                           ArrayRef<unsigned> active) {
  auto reduce = cast<spmd::ReduceScatterOp>(op);
  FailureOr<GroupList> list =
      formGroups(op, reduce.getMeshAttr(), flatten(reduce.getScatterAxes()),
                 frame, active);
  if (failed(list))
    return failure();
  for (const Group &group : list->groups)
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults())) {
      Tensor sum = reduceMembers(getValues(operand, group, frame),
                                 reduce.getKind(), interpreter.getField());
      for (unsigned device : group.members) {
        BlockIndex block =
            getBlock(reduce.getScatterAxes(), list->mesh,
                     frame.world.getCoordinates(list->mesh, device));
        frame.at(result, device) =
            takeBlock(sum, block.shards, block.index, {});
      }
    }
  bindOutside(op, *list, frame, interpreter.isField());
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// One move: gather dimension `source` over the axes, split `target`.
static LogicalResult applyMove(Interpreter &interpreter, Operation *op,
                               spmd::AllToAllParamAttr move,
                               FlatSymbolRefAttr mesh, Frame &frame,
                               ArrayRef<unsigned> active, Rows &rows) {
  FailureOr<GroupList> list =
      formGroups(op, mesh, move.getAxes(), frame, active);
  if (failed(list))
    return failure();
  for (const Group &group : list->groups)
    for (auto &row : rows) {
      SmallVector<Tensor> parts;
      for (unsigned device : group.members)
        parts.push_back(row[device]);
      Tensor whole = concatenate(parts, move.getSource());
      int64_t count = group.members.size();
      SmallVector<int64_t> shards(whole.getRank(), 1);
      shards[move.getTarget()] = count;
      for (auto [i, device] : llvm::enumerate(group.members)) {
        SmallVector<int64_t> index(whole.getRank(), 0);
        index[move.getTarget()] = i;
        row[device] = takeBlock(whole, shards, index, {});
      }
    }
  return success();
}

static LogicalResult evaluateAllToAll(Interpreter &interpreter, Operation *op,
                                      Frame &frame, ArrayRef<unsigned> active) {
  auto exchange = cast<spmd::AllToAllOp>(op);
  Rows rows = getOperandRows(op, frame);
  for (Attribute move : exchange.getMoves())
    if (failed(applyMove(interpreter, op, cast<spmd::AllToAllParamAttr>(move),
                         exchange.getMeshAttr(), frame, active, rows)))
      return failure();
  for (auto [result, row] : llvm::zip_equal(op->getResults(), rows))
    for (unsigned device : active)
      frame.at(result, device) =
          row[device].getType() == result.getType()
              ? row[device]
              : makePoison(cast<RankedTensorType>(result.getType()),
                           interpreter.isField());
  return success();
}

static LogicalResult evaluatePermute(Interpreter &interpreter, Operation *op,
                                     Frame &frame, ArrayRef<unsigned> active) {
  auto permute = cast<spmd::PermuteOp>(op);
  FailureOr<GroupList> list = formGroups(
      op, permute.getMeshAttr(), permute.getAxes().getAxes(), frame, active);
  if (failed(list))
    return failure();
  auto pairs = permute.getPairList(list->mesh);
  for (const Group &group : list->groups)
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults())) {
      Tensor zero = Tensor::zeros(cast<RankedTensorType>(result.getType()),
                                  interpreter.isField());
      SmallVector<Tensor> received(group.members.size(), zero);
      for (auto [source, target] : pairs)
        received[target] = frame.at(operand, group.members[source]);
      for (auto [i, device] : llvm::enumerate(group.members))
        frame.at(result, device) = received[i];
    }
  bindOutside(op, *list, frame, interpreter.isField());
  return success();
}

static LogicalResult evaluateExchange(Interpreter &interpreter, Operation *op,
                                      Frame &frame, ArrayRef<unsigned> active) {
  auto exchange = cast<spmd::ExchangeOp>(op);
  auto collective = cast<spmd::CollectiveOpInterface>(op);
  FailureOr<GroupList> list =
      formGroups(op, exchange.getFrom().getMesh(),
                 collective.getCommunicationAxes(), frame, active);
  if (failed(list))
    return failure();
  auto useAll = [](spmd::AxisRefAttr) { return true; };
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  auto wholeType = RankedTensorType::get(exchange.getFromShape(),
                                         resultType.getElementType());
  for (const Group &group : list->groups) {
    Tensor whole = Tensor::zeros(wholeType, interpreter.isField());
    for (unsigned device : group.members)
      placeBlock(whole, frame.at(op->getOperand(0), device),
                 getBlockIndex(exchange.getFrom(), list->mesh,
                               frame.world.getCoordinates(list->mesh, device),
                               useAll)
                     .index);
    for (unsigned device : group.members) {
      BlockIndex block =
          getBlockIndex(exchange.getTo(), list->mesh,
                        frame.world.getCoordinates(list->mesh, device), useAll);
      SmallVector<int64_t> start, shape;
      Tensor seen = whole;
      for (auto [dim, i, attr] :
           llvm::enumerate(block.index, exchange.getIntervals())) {
        auto interval = cast<spmd::IntervalAttr>(attr);
        start.push_back(interval.getBase() + i * interval.getStep());
        shape.push_back(interval.getLength());
        if (interval.getOutside() == spmd::Outside::Zero)
          continue;
        seen = takeRows(seen, dim, start.back(), shape.back(),
                        interval.getOutside() == spmd::Outside::Wrap);
        start.back() = 0;
      }
      frame.at(op->getResult(0), device) = sliceOrFill(seen, start, shape);
    }
  }
  bindOutside(op, *list, frame, interpreter.isField());
  return success();
}

static LogicalResult evaluateBroadcast(Interpreter &interpreter, Operation *op,
                                       Frame &frame,
                                       ArrayRef<unsigned> active) {
  auto broadcast = cast<spmd::BroadcastOp>(op);
  FailureOr<GroupList> list =
      formGroups(op, broadcast.getMeshAttr(), broadcast.getAxes().getAxes(),
                 frame, active);
  if (failed(list))
    return failure();
  for (const Group &group : list->groups) {
    uint64_t root = broadcast.getRoot();
    if (root >= group.members.size())
      return op->emitError() << "root " << root << " of a group of "
                             << group.members.size() << " devices";
    Tensor value = frame.at(op->getOperand(0), group.members[root]);
    for (unsigned device : group.members)
      frame.at(op->getResult(0), device) = value;
  }
  bindOutside(op, *list, frame, interpreter.isField());
  return success();
}

static LogicalResult evaluateToUnreduced(Interpreter &interpreter,
                                         Operation *op, Frame &frame,
                                         ArrayRef<unsigned> active) {
  auto partial = cast<spmd::ToUnreducedOp>(op);
  spmd::MeshAttr mesh = spmd::lookupMesh(op, partial.getMeshAttr());
  if (!mesh)
    return op->emitError() << "mesh " << partial.getMeshAttr()
                           << " is not defined";
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Tensor neutral = splat(makeNeutral(type.getElementType(), partial.getKind(),
                                     interpreter.getField()),
                         type.getShape());
  for (unsigned device : active) {
    int64_t index = getAxesIndex(mesh, partial.getAxes().getAxes(),
                                 frame.world.getCoordinates(mesh, device));
    Tensor value = frame.at(op->getOperand(0), device);
    frame.at(op->getResult(0), device) = index == 0 ? value : neutral;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ragged
//===----------------------------------------------------------------------===//

/// Rows [from, from + count) of `input` to rows [to, ...) of `output`.
static void copyRows(Tensor &output, const Tensor &input, int64_t from,
                     int64_t to, int64_t count) {
  count =
      std::min({count, input.getShape()[0] - from, output.getShape()[0] - to});
  if (from < 0 || to < 0 || count <= 0)
    return;
  SmallVector<int64_t> start(input.getRank(), 0), shape(input.getShape());
  start[0] = from;
  shape[0] = count;
  Tensor rows = slice(input, start, shape);
  start[0] = to;
  writeSlice(output, rows, start);
}

static LogicalResult evaluateRaggedAllToAll(Interpreter &interpreter,
                                            Operation *op, Frame &frame,
                                            ArrayRef<unsigned> active) {
  auto ragged = cast<spmd::RaggedAllToAllOp>(op);
  FailureOr<GroupList> list = formGroups(
      op, ragged.getMeshAttr(), ragged.getAxes().getAxes(), frame, active);
  if (failed(list))
    return failure();
  for (const Group &group : list->groups) {
    SmallVector<Tensor> outputs = getValues(ragged.getOutput(), group, frame);
    int64_t size = group.members.size();
    for (unsigned sender : group.members) {
      const Tensor input = frame.at(ragged.getInput(), sender);
      const Tensor from = frame.at(ragged.getInputOffsets(), sender);
      const Tensor counts = frame.at(ragged.getSendSizes(), sender);
      const Tensor to = frame.at(ragged.getOutputOffsets(), sender);
      // Several slices per device lie one after the other.
      int64_t slices = counts.getNumElements(),
              perDevice = std::max<int64_t>(1, slices / size);
      for (int64_t i = 0; i < slices; ++i)
        copyRows(outputs[std::min(i / perDevice, size - 1)], input,
                 from.getAsInt(i), to.getAsInt(i), counts.getAsInt(i));
    }
    for (auto [device, output] : llvm::zip_equal(group.members, outputs))
      frame.at(op->getResult(0), device) = output;
  }
  bindOutside(op, *list, frame, interpreter.isField());
  return success();
}

static LogicalResult evaluateAxisIndex(Interpreter &interpreter, Operation *op,
                                       Frame &frame,
                                       ArrayRef<unsigned> active) {
  auto index = cast<spmd::AxisIndexOp>(op);
  spmd::MeshAttr mesh = spmd::lookupMesh(op, index.getMeshAttr());
  if (!mesh)
    return op->emitError() << "mesh " << index.getMeshAttr()
                           << " is not defined";
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::map<int64_t, Tensor> shared;
  for (unsigned device : active) {
    int64_t value = getAxesIndex(mesh, index.getAxes().getAxes(),
                                 frame.world.getCoordinates(mesh, device));
    Tensor &tensor = shared[value];
    if (!tensor) {
      tensor = Tensor::zeros(type, interpreter.isField());
      for (int64_t i = 0; i < tensor.getNumElements(); ++i)
        tensor.mutableCells<int64_t>()[i] =
            wrapToType(value, type.getElementType());
    }
    frame.at(op->getResult(0), device) = tensor;
  }
  return success();
}

void partita::registerCollectiveKernels(KernelTable &table) {
  table.add("spmd.all_gather", evaluateAllGather);
  table.add("spmd.all_slice", evaluateAllSlice);
  table.add("spmd.all_reduce", evaluateAllReduce);
  table.add("spmd.reduce_scatter", evaluateReduceScatter);
  table.add("spmd.all_to_all", evaluateAllToAll);
  table.add("spmd.permute", evaluatePermute);
  table.add("spmd.exchange", evaluateExchange);
  table.add("spmd.broadcast", evaluateBroadcast);
  table.add("spmd.to_unreduced", evaluateToUnreduced);
  table.add("spmd.ragged_all_to_all", evaluateRaggedAllToAll);
  table.add("spmd.axis_index", evaluateAxisIndex);
}
