// The schedule of propagation and one visit of a node.
#include "partita/Transforms/Propagation/PropagationEngine.h"

namespace partita::propagation {

using spmd::PropagationClass;

//===----------------------------------------------------------------------===//
// Directions
//===----------------------------------------------------------------------===//

static PropagationDirection getStageDirection(const PropagationRule &rule,
                                              unsigned factor, const Node &node,
                                              unsigned stage) {
  using D = PropagationDirection;
  D direction = D::None;
  // Stages 0 and 1: ops that need no communication whichever way their data is
  // split. Several uses mean possible conflicts, so those wait for stage 1.
  bool isTaken = !node.hasSharedOperand || stage >= 1;
  switch (rule.propagation) {
  case PropagationClass::Elementwise:
  case PropagationClass::PassThrough:
  case PropagationClass::DataFlow:
    direction = isTaken ? D::Both : D::None;
    break;
  case PropagationClass::Slice:
    direction = isTaken ? D::Forward : D::None;
    break;
  case PropagationClass::Ordinary:
  case PropagationClass::Broadcast:
    break;
  }
  bool isBroadcast = rule.propagation == PropagationClass::Broadcast;
  bool isOpen = stage >= 4 || stage == 3 ||
                (stage == 2 && rule.factors[factor].isPassThrough);
  if (isOpen)
    direction =
        unite(direction, isBroadcast && stage < 4 ? D::Backward : D::Both);
  return direction;
}

PropagationDirection getDirection(const PropagationRule &rule, unsigned factor,
                                  const Node &node, unsigned stage) {
  PropagationDirection own = rule.factors[factor].direction;
  switch (node.kind) {
  case NodeKind::Barrier:
    return intersect(own, node.barrier);
  case NodeKind::FunctionResult:
    return own;
  default:
    return intersect(own, getStageDirection(rule, factor, node, stage));
  }
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

void PropagationEngine::run() {
  dirty.assign(graph.numOrdered / 64 + 1, 0);
  isStacked.assign(graph.numOrdered, false);
  for (NodeId node = 0; node < graph.numOrdered; ++node) {
    markDirty(node);
    const Node &data = graph.nodes[node];
    const PropagationRule &rule = graph.rules[data.rule];
    for (unsigned next = 0; next < kNumStages; ++next) {
      unsigned from = next == 0 ? kNumStages - 1 : next - 1;
      for (unsigned factor = 0; factor < rule.factors.size(); ++factor)
        if (getDirection(rule, factor, data, next) !=
            getDirection(rule, factor, data, from)) {
          changesAt[next].push_back(node);
          break;
        }
    }
  }
  holdPriorities();
  runStages();
  llvm::SmallVector<int64_t> priorities;
  for (const PrioritizedDim &dim : graph.prioritized)
    priorities.push_back(dim.priority);
  llvm::sort(priorities);
  priorities.erase(llvm::unique(priorities), priorities.end());
  for (int64_t priority : priorities) {
    releasePriority(priority);
    runStages();
  }
}

/// Dimensions that wait for their priority are empty and closed until then, and
/// their axes are kept from the other dimensions.
void PropagationEngine::holdPriorities() {
  for (const PrioritizedDim &held : graph.prioritized) {
    Slot &slot = graph.slots[held.slot];
    AxisList replicated(graph.lists.get(slot.replicated));
    AxisSpan axes = graph.lists.get(held.original.axes);
    replicated.append(axes.begin(), axes.end());
    llvm::sort(replicated);
    slot.replicated = graph.lists.intern(replicated);
    graph.getDims(held.slot)[held.dim] = {0, true};
  }
}

void PropagationEngine::releasePriority(int64_t priority) {
  for (const PrioritizedDim &held : graph.prioritized) {
    if (held.priority != priority)
      continue;
    Slot &slot = graph.slots[held.slot];
    AxisList replicated(graph.lists.get(slot.replicated));
    AxisSpan axes = graph.lists.get(held.original.axes);
    llvm::erase_if(replicated, [&](const AxisRef &axis) {
      return llvm::is_contained(axes, axis);
    });
    slot.replicated = graph.lists.intern(replicated);
    graph.getDims(held.slot)[held.dim] = held.original;
    markChanged(held.slot, kNone);
  }
}

void PropagationEngine::runStages() {
  for (unsigned next = 0; next < kNumStages; ++next) {
    enterStage(next);
    runRound();
  }
}

void PropagationEngine::enterStage(unsigned newStage) {
  stage = newStage;
  for (NodeId node : changesAt[stage])
    markDirty(node);
}

void PropagationEngine::passFunctionResults() {
  isRequeueing = false;
  for (NodeId node : graph.functionResults)
    visit(node);
}

NodeId PropagationEngine::findNext(NodeId from) const {
  if (from >= graph.numOrdered)
    return kNone;
  size_t word = from / 64;
  uint64_t current = dirty[word] & (~uint64_t(0) << (from % 64));
  while (current == 0) {
    if (++word == dirty.size())
      return kNone;
    current = dirty[word];
  }
  NodeId node = word * 64 + llvm::countr_zero(current);
  return node < graph.numOrdered ? node : kNone;
}

void PropagationEngine::runRound() {
  passFunctionResults();
  isRequeueing = true;
  NodeId next = 0;
  while (true) {
    NodeId node;
    if (!stack.empty()) {
      node = stack.back();
      stack.pop_back();
      isStacked[node] = false;
    } else {
      node = findNext(next);
      if (node == kNone)
        break;
      cursor = node;
      next = node + 1;
    }
    dirty[node / 64] &= ~(uint64_t(1) << (node % 64));
    // What changed may change again in the next round.
    if (visit(node))
      markDirty(node);
  }
  passFunctionResults();
}

void PropagationEngine::markDirty(NodeId node) {
  if (node < graph.numOrdered)
    dirty[node / 64] |= uint64_t(1) << (node % 64);
}

void PropagationEngine::markChanged(SlotId slot, NodeId by) {
  for (const Neighbor &neighbor : graph.getNeighbors(slot)) {
    NodeId node = neighbor.node;
    markDirty(node);
    if (!isRequeueing || !neighbor.requeue || node == by || node > cursor ||
        isStacked[node])
      continue;
    isStacked[node] = true;
    stack.push_back(node);
  }
}

//===----------------------------------------------------------------------===//
// One visit
//===----------------------------------------------------------------------===//

/// True if along every factor all tensors have the same axes; then there is
/// nothing to pass.
bool PropagationEngine::isSettled(const Node &node,
                                  const PropagationRule &rule) const {
  if (!rule.isSimple || node.manual != kNone)
    return false;
  llvm::SmallVector<ListId, 8> axesOf(rule.factors.size(), kNone);
  for (auto [i, slot] : llvm::enumerate(graph.getTensors(node))) {
    if (slot == kNone)
      continue;
    llvm::ArrayRef<DimState> dims = graph.getDims(slot);
    for (auto [dim, factors] : llvm::enumerate(rule.tensors[i])) {
      ListId &axes = axesOf[factors.front()];
      if (axes == kNone)
        axes = dims[dim].axes;
      else if (axes != dims[dim].axes)
        return false;
    }
  }
  return true;
}

/// The mesh that all tensors with shardings name; -1 if none or several.
int PropagationEngine::findCommonMesh(const Node &node) const {
  int common = -1;
  for (SlotId slot : graph.getTensors(node)) {
    if (slot == kNone || graph.slots[slot].mesh < 0)
      continue;
    int mesh = graph.slots[slot].mesh;
    if (common < 0 || graph.meshes[common].isEmpty()) {
      common = mesh;
      continue;
    }
    if (graph.meshes[mesh].isEmpty())
      continue;
    if (graph.meshes[mesh].content != graph.meshes[common].content)
      return -1;
  }
  return common;
}

/// `axes` without those of manual axes.
static AxisList dropManual(AxisSpan axes, const ManualEdge &edge) {
  AxisList result;
  for (const AxisRef &axis : axes)
    if (!edge.isManual.test(axis.axis))
      result.push_back(axis);
  return result;
}

/// Reads the state of a tensor into `before` and the projection. A value inside
/// a manual region is read as it is outside of it, and the other way round for
/// a result of the region.
void PropagationEngine::readTensor(const Node &node,
                                   const PropagationRule &rule,
                                   unsigned tensor) {
  SlotId id = graph.getTensors(node)[tensor];
  TensorFactors &factors = projection.tensors[tensor];
  auto &dims = before[tensor];
  dims.clear();
  factors.replicated = factors.unreduced = {};
  llvm::SmallVector<DimAxes, 4> axes;
  if (id != kNone) {
    const Slot &slot = graph.slots[id];
    dims.append(graph.getDims(id).begin(), graph.getDims(id).end());
    ListId replicated = slot.replicated, unreduced = slot.unreduced;
    if (node.manual != kNone && tensor + 1 == node.numTensors) {
      const ManualEdge &edge = graph.manualEdges[node.manual];
      for (auto [i, dim] : llvm::enumerate(dims)) {
        AxisList list = dropManual(graph.lists.get(dim.axes), edge);
        if (node.kind == NodeKind::ManualArgument) {
          AxisSpan prefix = graph.lists.get(edge.prefix[i]);
          list.insert(list.begin(), prefix.begin(), prefix.end());
        }
        dim.axes = graph.lists.intern(list);
      }
      bool isOuter = node.kind == NodeKind::ManualArgument;
      replicated = isOuter ? edge.replicated
                           : graph.lists.intern(
                                 dropManual(graph.lists.get(replicated), edge));
      unreduced = isOuter ? edge.unreduced
                          : graph.lists.intern(
                                dropManual(graph.lists.get(unreduced), edge));
    }
    factors.replicated = graph.lists.get(replicated);
    factors.unreduced = graph.lists.get(unreduced);
    for (const DimState &dim : dims)
      axes.push_back({graph.lists.get(dim.axes), dim.isClosed});
  }
  factors.project(rule, tensor, axes);
}

/// Writes what a tensor has become; false if its dimensions can't show it.
bool PropagationEngine::writeTensor(NodeId id, unsigned tensor, int mesh) {
  const Node &node = graph.nodes[id];
  const PropagationRule &rule = graph.rules[node.rule];
  SlotId slot = graph.getTensors(node)[tensor];
  llvm::SmallVector<DimState, 4> after;
  for (unsigned dim = 0; dim < before[tensor].size(); ++dim) {
    bool isClosed;
    AxisList axes =
        projection.tensors[tensor].getDimAxes(rule, tensor, dim, isClosed);
    after.push_back({graph.lists.intern(axes), isClosed});
  }
  if (llvm::ArrayRef(after) == llvm::ArrayRef(before[tensor]))
    return false;
  if (node.manual != kNone && tensor + 1 == node.numTensors) {
    const ManualEdge &edge = graph.manualEdges[node.manual];
    for (auto [i, dim] : llvm::enumerate(after)) {
      AxisList list = dropManual(graph.lists.get(dim.axes), edge);
      if (node.kind == NodeKind::ManualResult) {
        AxisSpan prefix = graph.lists.get(edge.prefix[i]);
        list.insert(list.begin(), prefix.begin(), prefix.end());
      }
      dim.axes = graph.lists.intern(list);
    }
    bool isOuter = node.kind == NodeKind::ManualResult;
    Slot &state = graph.slots[slot];
    state.replicated = isOuter ? edge.replicated
                               : graph.lists.intern(dropManual(
                                     graph.lists.get(edge.replicated), edge));
  }
  graph.slots[slot].mesh = mesh;
  llvm::copy(after, graph.getDims(slot).begin());
  return true;
}

/// Logs which dimension of `tensor` got axes, and from where.
void PropagationEngine::record(NodeId id, llvm::ArrayRef<Expansion> expansions,
                               unsigned tensor) {
  const Node &node = graph.nodes[id];
  const PropagationRule &rule = graph.rules[node.rule];
  llvm::ArrayRef<SlotId> slots = graph.getTensors(node);
  for (const Expansion &expansion : expansions) {
    if (expansion.tensor != tensor)
      continue;
    for (auto [dim, factors] : llvm::enumerate(rule.tensors[tensor])) {
      if (!llvm::is_contained(factors, static_cast<int>(expansion.factor)))
        continue;
      PropagationStep step;
      step.slot = slots[tensor];
      step.dim = dim;
      step.node = id;
      step.factor = expansion.factor;
      step.source = expansion.source < 0 ? kNone : slots[expansion.source];
      step.axes = graph.getDims(step.slot)[dim].axes;
      step.stage = stage;
      step.isGroup = false;
      provenance.record(step);
      ++stepsByStage[stage];
    }
  }
}

/// Gives the members of `slot`'s group what it has got.
void PropagationEngine::shareWithGroup(SlotId slot, NodeId by) {
  if (graph.slots[slot].group == kNone)
    return;
  for (SlotId member : graph.groups[graph.slots[slot].group]) {
    if (member == slot)
      continue;
    for (uint32_t dim = 0; dim < graph.slots[slot].rank; ++dim) {
      DimState state = graph.getDims(slot)[dim];
      if (!(graph.getDims(member)[dim] == state))
        provenance.record({member, dim, by, /*factor=*/0, slot, state.axes,
                           static_cast<uint8_t>(stage), /*isGroup=*/true,
                           kNone});
    }
    graph.copySlot(slot, member);
    markChanged(member, by);
  }
}

bool PropagationEngine::visit(NodeId id) {
  const Node &node = graph.nodes[id];
  const PropagationRule &rule = graph.rules[node.rule];
  if (isSettled(node, rule))
    return false;
  directions.clear();
  bool isAnyOpen = false;
  for (unsigned factor = 0; factor < rule.factors.size(); ++factor) {
    directions.push_back(getDirection(rule, factor, node, stage));
    isAnyOpen |= directions.back() != PropagationDirection::None;
  }
  int mesh = isAnyOpen ? findCommonMesh(node) : -1;
  // A single device has nothing to pass on.
  if (mesh < 0 || graph.meshes[mesh].mesh.isMaximal())
    return false;
  ++numVisits;
  projection.tensors.resize(node.numTensors);
  projection.numOperands = rule.numOperands;
  before.resize(std::max<size_t>(before.size(), node.numTensors));
  for (unsigned i = 0; i < node.numTensors; ++i)
    readTensor(node, rule, i);

  llvm::SmallVector<Expansion> expansions =
      propagateFactors(projection, rule, directions);
  wasWritten.assign(node.numTensors, false);
  for (const Expansion &expansion : expansions)
    wasWritten[expansion.tensor] = true;
  bool isChanged = false;
  for (unsigned i = 0; i < node.numTensors; ++i) {
    SlotId slot = graph.getTensors(node)[i];
    if (!wasWritten[i] || slot == kNone || !writeTensor(id, i, mesh))
      continue;
    isChanged = true;
    record(id, expansions, i);
    if (node.kind == NodeKind::FunctionResult && i == 1)
      continue;
    markChanged(slot, id);
    shareWithGroup(slot, id);
  }
  return isChanged;
}

} // namespace partita::propagation
