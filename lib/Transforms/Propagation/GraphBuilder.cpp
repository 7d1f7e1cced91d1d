// Values become slots, ops become nodes; the order in which a change is taken
// up is settled at the end. Calls and regions are in GraphFlow.cpp.
#include "GraphReader.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partita::propagation {

using spmd::PropagationClass;
using spmd::ShardingAttr;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LogicalResult GraphReader::addMeshes() {
  for (auto op : module.getOps<spmd::MeshOp>()) {
    MeshInfo info{FlatSymbolRefAttr::get(op.getSymNameAttr()), op.getMesh(),
                  static_cast<int>(graph.meshes.size())};
    for (const MeshInfo &other : graph.meshes)
      if (other.mesh == info.mesh) {
        info.content = other.content;
        break;
      }
    graph.meshes.push_back(info);
  }
  return success();
}

LogicalResult GraphReader::setFromSharding(SlotId slot, ShardingAttr sharding,
                                           Location loc) {
  if (!sharding)
    return success();
  if (graph.getMesh(sharding.getMesh()) < 0) {
    InFlightDiagnostic error = emitError(loc)
                               << "sharding names the unknown mesh "
                               << sharding.getMesh();
    error.attachNote() << "fix: define it with spmd.mesh";
    return error;
  }
  graph.setSlot(slot, sharding);
  return success();
}

FailureOr<SlotId> GraphReader::addValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return SlotId(kNone);
  if (!type.hasStaticShape()) {
    InFlightDiagnostic error = emitError(value.getLoc())
                               << "value of dynamic shape " << type
                               << " cannot be sharded";
    error.attachNote() << "fix: give every dimension a size";
    return error;
  }
  SlotId slot = graph.addSlot(type.getRank());
  isFlowSlot.resize(graph.slots.size());
  result->slotOf[value] = slot;
  if (failed(setFromSharding(slot, seeds.get(value, calls), value.getLoc())))
    return failure();
  return slot;
}

void GraphReader::shareSlot(Value value, SlotId slot, unsigned place) {
  if (slot == kNone)
    return;
  result->slotOf[value] = slot;
  placeOf[value] = place;
}

LogicalResult GraphReader::addResults(Operation *op) {
  // A region without results has shardings of what enters.
  if (op->getNumResults() != 0 || isa<spmd::ManualOp>(op))
    result->ops.push_back(op);
  for (Value value : op->getResults())
    if (failed(addValue(value)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes and uses
//===----------------------------------------------------------------------===//

NodeId GraphReader::addNode(NodeKind kind, Operation *op, uint32_t rule,
                            ArrayRef<SlotId> tensors) {
  Node node;
  node.kind = kind;
  node.op = op;
  node.rule = rule;
  node.firstTensor = graph.tensors.size();
  node.numTensors = tensors.size();
  graph.tensors.insert(graph.tensors.end(), tensors.begin(), tensors.end());
  graph.nodes.push_back(node);
  return graph.nodes.size() - 1;
}

NodeId GraphReader::addEdge(NodeKind kind, Operation *op,
                            ArrayRef<SlotId> sources, SlotId target) {
  if (target == kNone || llvm::is_contained(sources, SlotId(kNone)))
    return kNone;
  // The sizes only rank tensors against each other, and here all are alike.
  SmallVector<int64_t> shape(graph.slots[target].rank, 1);
  uint32_t rule = graph.internRule(PropagationRule::getIdentity(
      shape, sources.size(), PropagationClass::DataFlow));
  SmallVector<SlotId> tensors(sources);
  tensors.push_back(target);
  NodeId node = addNode(kind, op, rule, tensors);
  isFlowSlot.set(target);
  uses.push_back({target, node, 1, true, 0});
  return node;
}

void GraphReader::addUse(Value value, NodeId node, bool requeue) {
  SlotId slot = result->getSlot(value);
  if (slot == kNone)
    return;
  int64_t position = uses.size();
  auto place = placeOf.find(value);
  if (place != placeOf.end())
    uses.push_back(
        {slot, node, 0, requeue, (int64_t(place->second) << 40) - position});
  else
    uses.push_back({slot, node, 2, requeue, position});
}

/// Uses by `op` that take no node yet, by operand; those of values that are not
/// ranked are ~0.
SmallVector<size_t> GraphReader::addUses(Operation *op) {
  SmallVector<size_t> indices;
  for (Value operand : op->getOperands()) {
    size_t before = uses.size();
    addUse(operand, kNone, true);
    indices.push_back(uses.size() == before ? ~size_t(0) : before);
  }
  return indices;
}

void GraphReader::attachUse(size_t use, NodeId node, bool requeue) {
  if (use == ~size_t(0))
    return;
  uses[use].node = node;
  uses[use].requeue = requeue;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getRanks(TypeRange types) {
  SmallVector<int64_t> ranks;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    ranks.push_back(tensor ? tensor.getRank() : 0);
  }
  return ranks;
}

/// Operands and results keep the dimensions that have equal sizes everywhere;
/// nothing passes along the others.
static spmd::ShardingRule getCollectiveRule(Operation *op) {
  spmd::ShardingRule rule;
  SmallVector<RankedTensorType> types;
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    types.push_back(dyn_cast<RankedTensorType>(type));
  RankedTensorType first = types.empty() ? nullptr : types.front();
  SmallVector<spmd::TensorMapping> mappings(types.size());
  bool isAlike = first && llvm::all_of(types, [&](RankedTensorType type) {
                   return type && type.getRank() == first.getRank();
                 });
  if (isAlike) {
    for (auto &mapping : mappings)
      mapping.dims.resize(first.getRank());
    for (int64_t dim = 0; dim < first.getRank(); ++dim) {
      int64_t size = first.getDimSize(dim);
      if (!llvm::all_of(types, [&](RankedTensorType type) {
            return type.getDimSize(dim) == size;
          }))
        continue;
      int factor = rule.addFactor(size);
      for (auto &mapping : mappings)
        mapping.dims[dim].push_back(factor);
    }
  }
  rule.operands.assign(mappings.begin(),
                       mappings.begin() + op->getNumOperands());
  rule.results.assign(mappings.begin() + op->getNumOperands(), mappings.end());
  return rule;
}

/// The number of the rule by which propagation passes `op`, and its class.
FailureOr<std::pair<uint32_t, PropagationClass>>
GraphReader::getRule(Operation *op) {
  auto intern = [&](const spmd::ShardingRule &rule) {
    return std::pair(graph.internRule(PropagationRule::get(
                         rule, getRanks(op->getOperandTypes()),
                         getRanks(op->getResultTypes()))),
                     rule.propagation);
  };
  if (isa<spmd::ConstraintOp, spmd::PropagationBarrierOp>(op)) {
    spmd::ShardingRule rule = getCollectiveRule(op);
    rule.propagation = PropagationClass::Elementwise;
    return intern(rule);
  }
  if (auto shardable = dyn_cast<spmd::ShardableOpInterface>(op)) {
    const spmd::ShardingRule *rule = rules.get(shardable);
    if (!rule)
      return failure();
    auto [it, isNew] = interned.try_emplace(rule);
    if (isNew)
      it->second = intern(*rule);
    return it->second;
  }
  if (isa<spmd::CollectiveOpInterface>(op))
    return intern(getCollectiveRule(op));
  InFlightDiagnostic error = op->emitOpError()
                             << "has no sharding rule: no op model covers '"
                             << op->getName() << "'";
  error.attachNote() << "fix: add a model to a family file in lib/OpModels";
  return error;
}

LogicalResult GraphReader::addModelOp(Operation *op) {
  if (failed(addResults(op)))
    return failure();
  auto isRanked = llvm::IsaPred<RankedTensorType>;
  if (isa<spmd::ReshardOp, spmd::GroupOp>(op) ||
      (llvm::none_of(op->getOperandTypes(), isRanked) &&
       llvm::none_of(op->getResultTypes(), isRanked))) {
    addUses(op);
    return success();
  }
  auto rule = getRule(op);
  if (failed(rule))
    return failure();

  SmallVector<SlotId> tensors;
  for (Value value : op->getOperands())
    tensors.push_back(result->getSlot(value));
  if (rule->second == PropagationClass::DataFlow &&
      op->getNumOperands() == op->getNumResults()) {
    SmallVector<size_t> operandUses = addUses(op);
    for (auto [i, value] : llvm::enumerate(op->getResults()))
      attachUse(operandUses[i], addEdge(NodeKind::Edge, op, {tensors[i]},
                                        result->getSlot(value)));
    return success();
  }
  for (Value value : op->getResults())
    tensors.push_back(result->getSlot(value));
  NodeId node = addNode(NodeKind::Op, op, rule->first, tensors);
  if (auto barrier = dyn_cast<spmd::PropagationBarrierOp>(op)) {
    graph.nodes[node].kind = NodeKind::Barrier;
    graph.nodes[node].barrier = barrier.getAllowedDirection();
  }
  for (Value value : op->getOperands())
    addUse(value, node, true);
  for (Value value : op->getResults())
    if (SlotId slot = result->getSlot(value); slot != kNone)
      uses.push_back({slot, node, 1, true, 0});
  return success();
}

LogicalResult GraphReader::addOp(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op); call && calls.getCallee(call))
    return addCall(call);
  if (auto manual = dyn_cast<spmd::ManualOp>(op))
    return addManual(manual);
  if (isRegionFlow(op))
    return addRegionFlow(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  return addModelOp(op);
}

LogicalResult GraphReader::addBlock(Block &block) {
  for (Operation &op : block)
    if (failed(addOp(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Finish
//===----------------------------------------------------------------------===//

void GraphReader::addGroups() {
  for (const auto &members : seeds.groups) {
    auto &group = graph.groups.emplace_back();
    for (Value member : members) {
      SlotId slot = result->getSlot(member);
      if (slot == kNone || llvm::is_contained(group, slot))
        continue;
      graph.slots[slot].group = graph.groups.size() - 1;
      group.push_back(slot);
    }
  }
}

bool GraphReader::isDead(Operation *op) const {
  for (Operation *user : op->getUsers())
    if (!dead.contains(user))
      return false;
  // A constraint without uses still acts on its input.
  return !isa<spmd::ConstraintOp>(op) && !isRegionFlow(op) &&
         wouldOpBeTriviallyDead(op);
}

/// Marks nodes of dead ops as doing nothing, and nodes of ops that read a value
/// which others read too.
void GraphReader::findSharedOperands() {
  for (Node &node : llvm::reverse(graph.nodes)) {
    if (node.kind == NodeKind::Op && isDead(node.op)) {
      dead.insert(node.op);
      node.barrier = PropagationDirection::None;
      node.kind = NodeKind::Barrier;
    }
  }
  auto isShared = [&](Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (type && type.hasRank() && type.getRank() == 0)
      return false;
    if (dead.empty())
      return !value.hasOneUse();
    return llvm::count_if(value.getUses(), [&](OpOperand &use) {
             return !dead.contains(use.getOwner());
           }) != 1;
  };
  for (Node &node : graph.nodes)
    if (node.kind == NodeKind::Op)
      node.hasSharedOperand = llvm::any_of(node.op->getOperands(), isShared);
}

void GraphReader::orderNeighbors() {
  // A change looks first at uses of shared values, then at the definition, then
  // at the other uses.
  llvm::sort(uses, [&](const Use &a, const Use &b) {
    if (a.slot != b.slot)
      return a.slot < b.slot;
    if (a.rank != b.rank)
      return a.rank < b.rank;
    bool isReversed = a.rank == 2 && !isFlowSlot.test(a.slot);
    return isReversed ? a.key > b.key : a.key < b.key;
  });
  std::vector<std::pair<SlotId, Neighbor>> order;
  order.reserve(uses.size());
  for (const Use &use : uses)
    if (use.node != kNone)
      order.push_back({use.slot, {use.node, use.requeue}});
  graph.setNeighbors(std::move(order));
}

FailureOr<std::unique_ptr<ModuleGraph>> GraphReader::build() {
  if (failed(addMeshes()))
    return failure();
  for (func::FuncOp function : calls.getRoots())
    if (failed(addRoot(function)))
      return failure();
  graph.numOrdered = graph.nodes.size();
  for (const FunctionResultSlots &slots : result->functionResults) {
    if (!slots.isEntry)
      continue;
    SmallVector<int64_t> shape(graph.slots[slots.value].rank, 1);
    uint32_t rule = graph.internRule(
        PropagationRule::getIdentity(shape, 1, PropagationClass::DataFlow));
    graph.functionResults.push_back(addNode(NodeKind::FunctionResult,
                                            slots.function, rule,
                                            {slots.value, slots.attribute}));
  }
  addGroups();
  findSharedOperands();
  orderNeighbors();
  return std::move(result);
}

FailureOr<std::unique_ptr<ModuleGraph>>
buildGraph(ModuleOp module, const CallTree &calls,
           const PropagationSeeds &seeds) {
  return GraphReader(module, calls, seeds).build();
}

} // namespace partita::propagation
