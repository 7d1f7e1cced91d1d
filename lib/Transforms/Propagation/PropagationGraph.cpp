// Storage of the propagation graph: slots, interned rules, neighbours.
#include "partita/Transforms/Propagation/PropagationGraph.h"
#include "llvm/ADT/Hashing.h"

namespace partita::propagation {

SlotId PropagationGraph::addSlot(unsigned rank) {
  Slot slot;
  slot.firstDim = dims.size();
  slot.rank = rank;
  dims.resize(dims.size() + rank);
  slots.push_back(slot);
  return slots.size() - 1;
}

int PropagationGraph::getMesh(mlir::FlatSymbolRefAttr name) const {
  for (auto [i, info] : llvm::enumerate(meshes))
    if (info.name == name)
      return i;
  return -1;
}

ListId PropagationGraph::internAxes(llvm::ArrayRef<spmd::AxisRefAttr> axes,
                                    int mesh) {
  AxisList list;
  spmd::MeshAttr attr = meshes[mesh].mesh;
  for (spmd::AxisRefAttr axis : axes) {
    AxisRef ref{static_cast<int32_t>(attr.getAxisIndex(axis.getName())),
                static_cast<int32_t>(axis.getPre()),
                static_cast<int32_t>(axis.getSize(attr))};
    if (ref.axis >= 0 && ref.size > 1)
      list.push_back(ref);
  }
  return lists.intern(list);
}

spmd::AxisRefAttr PropagationGraph::getAxisAttr(AxisRef axis, int mesh) const {
  spmd::MeshAttr attr = meshes[mesh].mesh;
  spmd::MeshAxisAttr whole = attr.getAxes()[axis.axis];
  bool isWhole = whole.getSize() == axis.size;
  return spmd::AxisRefAttr::get(attr.getContext(), whole.getName(),
                                isWhole ? 0 : axis.pre,
                                isWhole ? 0 : axis.size);
}

void PropagationGraph::setSlot(SlotId id, spmd::ShardingAttr sharding) {
  Slot &slot = slots[id];
  slot.mesh = getMesh(sharding.getMesh());
  if (slot.mesh < 0)
    return;
  // On a single device a sharding need not name the dimensions.
  if (sharding.getRank() != slot.rank) {
    if (!meshes[slot.mesh].mesh.isMaximal())
      slot.mesh = -1;
    return;
  }
  for (auto [i, dim] : llvm::enumerate(sharding.getDims())) {
    DimState state{internAxes(dim.getAxes(), slot.mesh), dim.getIsClosed()};
    dims[slot.firstDim + i] = state;
    if (dim.getPriority() > 0)
      prioritized.push_back(
          {dim.getPriority(), id, static_cast<uint32_t>(i), state});
  }
  slot.replicated = internAxes(sharding.getReplicated(), slot.mesh);
  slot.unreduced = internAxes(sharding.getUnreduced(), slot.mesh);
  slot.reduction = sharding.getReductionKind();
}

void PropagationGraph::copySlot(SlotId from, SlotId to) {
  const Slot &source = slots[from];
  Slot &target = slots[to];
  target.mesh = source.mesh;
  target.replicated = source.replicated;
  target.unreduced = source.unreduced;
  target.reduction = source.reduction;
  for (uint32_t i = 0; i < target.rank; ++i)
    dims[target.firstDim + i] = dims[source.firstDim + i];
}

static uint64_t hashRule(const PropagationRule &rule) {
  llvm::hash_code hash =
      llvm::hash_combine(rule.numOperands, static_cast<int>(rule.propagation));
  for (const PropagationRule::Factor &factor : rule.factors)
    hash = llvm::hash_combine(hash, factor.size,
                              static_cast<int>(factor.direction),
                              factor.isPassThrough);
  for (const PropagationRule::TensorDims &dims : rule.tensors) {
    hash = llvm::hash_combine(hash, dims.size());
    for (const auto &dim : dims)
      hash = llvm::hash_combine(
          hash, llvm::hash_combine_range(dim.begin(), dim.end()));
  }
  return static_cast<uint64_t>(hash) >> 2;
}

uint32_t PropagationGraph::internRule(PropagationRule rule) {
  auto &bucket = ruleBuckets[hashRule(rule)];
  for (uint32_t id : bucket)
    if (rules[id] == rule)
      return id;
  bucket.push_back(rules.size());
  rules.push_back(std::move(rule));
  return rules.size() - 1;
}

void PropagationGraph::setNeighbors(
    std::vector<std::pair<SlotId, Neighbor>> order) {
  firstNeighbor.assign(slots.size() + 1, 0);
  for (const auto &[slot, neighbor] : order)
    ++firstNeighbor[slot + 1];
  for (size_t i = 0; i < slots.size(); ++i)
    firstNeighbor[i + 1] += firstNeighbor[i];
  neighbors.resize(order.size());
  std::vector<uint32_t> next(firstNeighbor.begin(), firstNeighbor.end() - 1);
  for (const auto &[slot, neighbor] : order)
    neighbors[next[slot]++] = neighbor;
}

} // namespace partita::propagation
