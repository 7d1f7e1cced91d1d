// StableHLO's own collectives, whose groups are lists of replica or partition
// ids, and partition_id and replica_id.
#include "Blocks.h"
#include "Body.h"
#include "Interpreter.h"
#include "Reduction.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partita;

namespace {
/// What the numbers in a group mean (public specification, "Collective ops").
enum class GroupMode { CrossReplica, CrossPartition, CrossBoth, Flattened };
using Groups = SmallVector<SmallVector<unsigned>>;
} // namespace

static GroupMode getMode(Operation *op, bool partitionIfChannel) {
  auto channel =
      op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  bool hasChannel = channel && channel.getHandle() > 0;
  if (!hasChannel)
    return GroupMode::CrossReplica;
  if (partitionIfChannel)
    return GroupMode::CrossPartition;
  return op->hasAttr("use_global_device_ids") ? GroupMode::Flattened
                                              : GroupMode::CrossBoth;
}

/// Groups of devices of the world from rows of ids; no rows: all are one group.
static Groups resolve(ArrayRef<SmallVector<int64_t>> rows, GroupMode mode,
                      const World &world) {
  int64_t replicas = world.getNumReplicas();
  int64_t partitions = world.getRegion() ? 0 : world.getNumPartitions();
  Groups groups;
  auto add = [&](SmallVector<unsigned> &group, int64_t replica,
                 int64_t partition) {
    int device = world.findDevice(replica, partition);
    if (device >= 0 && !llvm::is_contained(group, unsigned(device)))
      group.push_back(device);
  };
  // Ids beyond the only replica mean partitions, whatever the channel says.
  bool hasPartitionIds = mode != GroupMode::CrossReplica;
  for (const auto &row : rows)
    hasPartitionIds |= llvm::any_of(row, [](int64_t id) { return id > 0; });
  if (world.getRegion() || (replicas == 1 && hasPartitionIds)) {
    for (const auto &row : rows) {
      SmallVector<unsigned> group;
      for (int64_t id : row)
        add(group, 0, id);
      if (!llvm::is_contained(groups, group))
        groups.push_back(group);
    }
    return groups;
  }
  for (const auto &row : rows) {
    if (mode == GroupMode::CrossReplica)
      for (int64_t p = 0; p < partitions; ++p) {
        groups.emplace_back();
        for (int64_t id : row)
          add(groups.back(), id, p);
      }
    else if (mode == GroupMode::CrossPartition)
      for (int64_t r = 0; r < replicas; ++r) {
        groups.emplace_back();
        for (int64_t id : row)
          add(groups.back(), r, id);
      }
    else {
      groups.emplace_back();
      if (mode == GroupMode::Flattened)
        for (int64_t id : row)
          add(groups.back(), id / partitions, id % partitions);
      else
        for (int64_t p = 0; p < partitions; ++p)
          for (int64_t id : row)
            add(groups.back(), id, p);
    }
  }
  return groups;
}

/// Groups of one collective, all members active; an error otherwise.
static FailureOr<Groups> getGroups(Operation *op, StringRef attrName,
                                   GroupMode mode, Frame &frame,
                                   ArrayRef<unsigned> active) {
  World &world = frame.world;
  SmallVector<SmallVector<int64_t>> rows;
  auto dense = op->getAttrOfType<DenseIntElementsAttr>(attrName);
  if (!dense) {
    InFlightDiagnostic diag =
        op->emitError()
        << "the evaluator expects replica groups as device lists";
    diag.attachNote()
        << "fix: write the groups out, or use the collectives of spmd";
    return failure();
  }
  auto type = cast<RankedTensorType>(dense.getType());
  int64_t columns = type.getRank() == 2 ? type.getDimSize(1) : 0, i = 0;
  for (int64_t id : dense.getValues<int64_t>()) {
    if (i++ % columns == 0)
      rows.emplace_back();
    if (id >= 0)
      rows.back().push_back(id);
  }
  Groups groups = resolve(rows, mode, world);
  if (rows.empty()) {
    // One group of all devices that differ in what the mode counts.
    SmallVector<unsigned> all =
        llvm::to_vector(llvm::seq<unsigned>(0, world.getNumDevices()));
    groups.push_back(all);
    if (mode == GroupMode::CrossReplica && world.getNumReplicas() > 1) {
      groups.assign(world.getNumPartitions(), {});
      for (unsigned device : all)
        groups[world.getPartition(device)].push_back(device);
    }
  }
  Groups mine;
  for (auto &group : groups) {
    auto isActive = [&](unsigned device) {
      return llvm::is_contained(active, device);
    };
    if (llvm::none_of(group, isActive))
      continue;
    for (unsigned device : group)
      if (!isActive(device)) {
        InFlightDiagnostic diag =
            op->emitError()
            << "a predicate that differs between devices: device " << device
            << " does not arrive at '" << op->getName()
            << "' with the others of its group";
        diag.attachNote()
            << "fix: make the predicate the same on all devices of the "
               "group, or move the collective out of the branch or loop";
        return failure();
      }
    mine.push_back(group);
  }
  return mine;
}

/// Runs `compute(operands of the members)` to results of the members per group;
/// devices in no group get zeros.
template <typename F>
static LogicalResult forEachGroup(Interpreter &interpreter, Operation *op,
                                  Frame &frame, ArrayRef<unsigned> active,
                                  const Groups &groups, F compute) {
  llvm::DenseSet<unsigned> seen;
  for (const auto &group : groups) {
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults())) {
      SmallVector<Tensor> values;
      for (unsigned device : group)
        values.push_back(frame.at(operand, device));
      SmallVector<Tensor> outputs;
      if (failed(compute(values, cast<RankedTensorType>(result.getType()),
                         outputs)))
        return failure();
      for (auto [device, output] : llvm::zip_equal(group, outputs))
        frame.at(result, device) = output;
    }
    seen.insert_range(group);
  }
  for (unsigned device : active)
    if (!seen.contains(device))
      for (Value result : op->getResults())
        frame.at(result, device) = Tensor::zeros(
            cast<RankedTensorType>(result.getType()), interpreter.isField());
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult evaluateAllGather(Interpreter &interpreter, Operation *op,
                                       Frame &frame,
                                       ArrayRef<unsigned> active) {
  int64_t dim = op->getAttrOfType<IntegerAttr>("all_gather_dim").getInt();
  auto groups =
      getGroups(op, "replica_groups", getMode(op, false), frame, active);
  if (failed(groups))
    return failure();
  return forEachGroup(
      interpreter, op, frame, active, *groups,
      [&](ArrayRef<Tensor> values, RankedTensorType type, auto &outputs) {
        outputs.assign(values.size(), concatenate(values, dim).withType(type));
        return success();
      });
}

/// Folds the members' values with the op's body, in order.
static FailureOr<Tensor> reduceWithBody(Interpreter &interpreter, Operation *op,
                                        Frame &frame, ArrayRef<Tensor> values) {
  SmallVector<Tensor> unused;
  unsigned device = 0;
  auto capture = [&](Value value) { return frame.at(value, device); };
  KernelCall call{
      op,     {}, unused, interpreter.getField(), interpreter.getOptions(),
      capture};
  FailureOr<BodyProgram> program = BodyProgram::create(op->getRegion(0), call);
  if (failed(program))
    return failure();
  Type element =
      getElementTypeOrSelf(op->getRegion(0).getArgument(0).getType());
  Tensor sum = convertElements(values[0], element, interpreter.getField());
  for (const Tensor &value : values.drop_front()) {
    Tensor next = convertElements(value, element, interpreter.getField());
    void *out = sum.mutableData();
    program->run({out, next.data()}, {out}, sum.getNumElements());
  }
  return sum;
}

static LogicalResult evaluateAllReduce(Interpreter &interpreter, Operation *op,
                                       Frame &frame,
                                       ArrayRef<unsigned> active) {
  auto groups =
      getGroups(op, "replica_groups", getMode(op, false), frame, active);
  if (failed(groups))
    return failure();
  return forEachGroup(
      interpreter, op, frame, active, *groups,
      [&](ArrayRef<Tensor> values, RankedTensorType type,
          auto &outputs) -> LogicalResult {
        FailureOr<Tensor> sum = reduceWithBody(interpreter, op, frame, values);
        if (failed(sum))
          return failure();
        outputs.assign(
            values.size(),
            convertElements(*sum, type.getElementType(), interpreter.getField())
                .withType(type));
        return success();
      });
}

/// Piece i of n along a dimension.
static Tensor takePiece(const Tensor &whole, int64_t dim, int64_t i,
                        int64_t n) {
  SmallVector<int64_t> shards(whole.getRank(), 1), index(whole.getRank(), 0);
  shards[dim] = n;
  index[dim] = i;
  return takeBlock(whole, shards, index, {});
}

static LogicalResult evaluateReduceScatter(Interpreter &interpreter,
                                           Operation *op, Frame &frame,
                                           ArrayRef<unsigned> active) {
  int64_t dim = op->getAttrOfType<IntegerAttr>("scatter_dimension").getInt();
  auto groups =
      getGroups(op, "replica_groups", getMode(op, false), frame, active);
  if (failed(groups))
    return failure();
  return forEachGroup(
      interpreter, op, frame, active, *groups,
      [&](ArrayRef<Tensor> values, RankedTensorType type,
          auto &outputs) -> LogicalResult {
        FailureOr<Tensor> sum = reduceWithBody(interpreter, op, frame, values);
        if (failed(sum))
          return failure();
        Tensor result = convertElements(*sum, type.getElementType(),
                                        interpreter.getField());
        for (size_t i = 0; i < values.size(); ++i)
          outputs.push_back(
              takePiece(result, dim, i, values.size()).withType(type));
        return success();
      });
}

static LogicalResult evaluateAllToAll(Interpreter &interpreter, Operation *op,
                                      Frame &frame, ArrayRef<unsigned> active) {
  int64_t split = op->getAttrOfType<IntegerAttr>("split_dimension").getInt();
  int64_t concat = op->getAttrOfType<IntegerAttr>("concat_dimension").getInt();
  auto groups =
      getGroups(op, "replica_groups", getMode(op, true), frame, active);
  if (failed(groups))
    return failure();
  return forEachGroup(
      interpreter, op, frame, active, *groups,
      [&](ArrayRef<Tensor> values, RankedTensorType type, auto &outputs) {
        for (size_t i = 0; i < values.size(); ++i) {
          SmallVector<Tensor> pieces;
          for (const Tensor &value : values)
            pieces.push_back(takePiece(value, split, i, values.size()));
          outputs.push_back(concatenate(pieces, concat).withType(type));
        }
        return success();
      });
}

/// Index of the root for value `index` in a group: the first member, or what
/// the last operand says.
static FailureOr<int64_t> getRoot(Operation *op, Frame &frame, unsigned index,
                                  ArrayRef<unsigned> group) {
  if (!op->hasAttr("has_dynamic_root"))
    return 0;
  Value roots = op->getOperand(op->getNumOperands() - 1);
  int64_t root = frame.at(roots, group.front()).getAsInt(index);
  if (root >= 0 && root < int64_t(group.size()))
    return root;
  InFlightDiagnostic diag = op->emitError()
                            << "root " << root << " of value " << index
                            << " is no index into a group of " << group.size();
  diag.attachNote() << "fix: roots count from 0 in each group";
  return diag;
}

/// A value goes from the root of each group to all, or the fold of all values
/// to the root; the others get zeros.
template <bool isReduce>
static LogicalResult evaluateRooted(Interpreter &interpreter, Operation *op,
                                    Frame &frame, ArrayRef<unsigned> active) {
  auto groups =
      getGroups(op, "replica_groups", getMode(op, !isReduce), frame, active);
  if (failed(groups))
    return failure();
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    Value operand = op->getOperand(result.getResultNumber());
    Tensor zero = Tensor::zeros(type, interpreter.isField());
    SmallVector<Tensor> outputs(frame.world.getNumDevices(), zero);
    for (const auto &group : *groups) {
      auto root = getRoot(op, frame, result.getResultNumber(), group);
      if (failed(root))
        return failure();
      if (!isReduce) {
        for (unsigned device : group)
          outputs[device] = frame.at(operand, group[*root]);
        continue;
      }
      SmallVector<Tensor> values;
      for (unsigned device : group)
        values.push_back(frame.at(operand, device));
      FailureOr<Tensor> sum = reduceWithBody(interpreter, op, frame, values);
      if (failed(sum))
        return failure();
      outputs[group[*root]] =
          convertElements(*sum, type.getElementType(), interpreter.getField())
              .withType(type);
    }
    for (unsigned device : active)
      frame.at(result, device) = outputs[device];
  }
  return success();
}

/// The old form of all_reduce: the sum over groups of replicas.
static LogicalResult evaluateCrossReplicaSum(Interpreter &interpreter,
                                             Operation *op, Frame &frame,
                                             ArrayRef<unsigned> active) {
  auto groups =
      getGroups(op, "replica_groups", GroupMode::CrossReplica, frame, active);
  if (failed(groups))
    return failure();
  return forEachGroup(
      interpreter, op, frame, active, *groups,
      [&](ArrayRef<Tensor> values, RankedTensorType type, auto &outputs) {
        ElementFunction add = makeBinaryFunction("add", type.getElementType(),
                                                 interpreter.getField());
        Tensor sum = values[0];
        for (const Tensor &value : values.drop_front()) {
          void *out = sum.mutableData();
          const void *in[] = {out, value.data()};
          add(in, out, sum.getNumElements());
        }
        outputs.assign(values.size(), sum);
        return success();
      });
}

static LogicalResult evaluatePermute(Interpreter &interpreter, Operation *op,
                                     Frame &frame, ArrayRef<unsigned> active) {
  GroupMode mode = getMode(op, true);
  auto pairs = op->getAttrOfType<DenseIntElementsAttr>("source_target_pairs");
  SmallVector<SmallVector<int64_t>> rows;
  for (auto [i, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (i % 2 == 0)
      rows.emplace_back();
    rows.back().push_back(id);
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Tensor zero = Tensor::zeros(type, interpreter.isField());
  SmallVector<Tensor> received(frame.world.getNumDevices(), zero);
  for (const auto &pair : resolve(rows, mode, frame.world)) {
    if (pair.empty() || !llvm::is_contained(active, pair.back()))
      continue;
    if (!llvm::is_contained(active, pair[0])) {
      InFlightDiagnostic diag =
          op->emitError() << "a predicate that differs between devices: device "
                          << pair[0] << " does not arrive to send to device "
                          << pair.back();
      diag.attachNote() << "fix: make the predicate the same on both";
      return failure();
    }
    received[pair.back()] = frame.at(op->getOperand(0), pair[0]);
  }
  for (unsigned device : active)
    frame.at(op->getResult(0), device) = received[device];
  return success();
}

template <bool isPartition>
static LogicalResult evaluateId(Interpreter &interpreter, Operation *op,
                                Frame &frame, ArrayRef<unsigned> active) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (unsigned device : active) {
    Tensor id = Tensor::zeros(type, interpreter.isField());
    id.mutableCells<int64_t>()[0] = isPartition
                                        ? frame.world.getPartition(device)
                                        : frame.world.getReplica(device);
    frame.at(op->getResult(0), device) = id;
  }
  return success();
}

void partita::registerReplicaGroupKernels(KernelTable &table) {
  table.add("stablehlo.all_gather", evaluateAllGather);
  table.add("stablehlo.all_reduce", evaluateAllReduce);
  table.add("stablehlo.reduce_scatter", evaluateReduceScatter);
  table.add("stablehlo.all_to_all", evaluateAllToAll);
  table.add("stablehlo.collective_broadcast", evaluateRooted<false>);
  table.add("stablehlo.collective_reduce", evaluateRooted<true>);
  table.add("stablehlo.cross-replica-sum", evaluateCrossReplicaSum);
  table.add("stablehlo.collective_permute", evaluatePermute);
  table.add("stablehlo.partition_id", evaluateId<true>);
  table.add("stablehlo.replica_id", evaluateId<false>);
}
