// Calls, loops, branches and manual regions become edges of the graph.
#include "GraphReader.h"

using namespace mlir;

namespace partita::propagation {

using spmd::ShardingAttr;

static SmallVector<SlotId> getSlots(const ModuleGraph &graph,
                                    ValueRange values) {
  return llvm::map_to_vector(values,
                             [&](Value value) { return graph.getSlot(value); });
}

LogicalResult GraphReader::addCall(func::CallOp call) {
  func::FuncOp callee = calls.getCallee(call);
  result->ops.push_back(callee);
  SmallVector<NodeId> entries;
  for (auto [operand, argument] :
       llvm::zip(call.getOperands(), callee.getArguments())) {
    FailureOr<SlotId> slot = addValue(argument);
    if (failed(slot))
      return failure();
    entries.push_back(
        addEdge(NodeKind::Edge, call, {result->getSlot(operand)}, *slot));
  }
  if (failed(addBlock(callee.getBody().front())))
    return failure();
  Operation *terminator = callee.getBody().front().getTerminator();
  SmallVector<size_t> returned = addUses(terminator);
  SmallVector<SlotId> returnedSlots =
      getSlots(*result, terminator->getOperands());
  for (auto [use, entry] : llvm::zip(addUses(call), entries))
    attachUse(use, entry, /*requeue=*/false);
  if (failed(addResults(call)))
    return failure();
  for (auto [i, value] : llvm::enumerate(call.getResults())) {
    SlotId slot = result->getSlot(value);
    attachUse(returned[i],
              addEdge(NodeKind::Edge, call, {returnedSlots[i]}, slot));
    if (slot != kNone)
      result->functionResults.push_back({callee, static_cast<unsigned>(i), slot,
                                         returnedSlots[i], /*isEntry=*/false});
  }
  return success();
}

LogicalResult GraphReader::addRegionFlow(Operation *op) {
  if (failed(addResults(op)))
    return failure();
  unsigned numResults = op->getNumResults();
  Operation *loopTerminator = getLoopTerminator(op);
  unsigned place = 0;
  SmallVector<SmallVector<SlotId>> sources(numResults);
  SmallVector<SmallVector<size_t>> sourceUses(numResults);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    for (BlockArgument argument : region.front().getArguments()) {
      Value owner = getShardingOwner(argument);
      if (owner != argument)
        shareSlot(argument, result->getSlot(owner), place++);
      else if (failed(addValue(argument)))
        return failure();
    }
    if (failed(addBlock(region.front())))
      return failure();
    Operation *terminator = region.front().getTerminator();
    SmallVector<size_t> returned = addUses(terminator);
    bool isSource = loopTerminator ? terminator == loopTerminator
                                   : terminator->getNumOperands() == numResults;
    if (!isSource)
      continue;
    unsigned lead = terminator->getNumOperands() - numResults;
    for (unsigned i = 0; i < numResults; ++i) {
      sources[i].push_back(result->getSlot(terminator->getOperand(lead + i)));
      sourceUses[i].push_back(returned[lead + i]);
    }
  }
  SmallVector<size_t> operandUses = addUses(op);
  if (loopTerminator) {
    // What flows in comes before what flows around.
    unsigned lead = op->getNumOperands() - numResults;
    for (unsigned i = 0; i < numResults; ++i) {
      Value init = op->getOperand(lead + i);
      sources[i].insert(sources[i].begin(), result->getSlot(init));
      sourceUses[i].push_back(operandUses[lead + i]);
    }
  }
  for (unsigned i = 0; i < numResults; ++i) {
    NodeId edge = addEdge(NodeKind::Edge, op, sources[i],
                          result->getSlot(op->getResult(i)));
    for (size_t use : sourceUses[i])
      attachUse(use, edge);
  }
  return success();
}

uint32_t GraphReader::addManualEdge(spmd::ManualOp manual,
                                    ShardingAttr sharding, int mesh) {
  ManualEdge edge;
  spmd::MeshAttr meshAttr = graph.meshes[mesh].mesh;
  edge.isManual.resize(meshAttr.getAxes().size());
  for (spmd::AxisRefAttr axis : manual.getManualAxes().getAxes())
    if (int64_t index = meshAttr.getAxisIndex(axis.getName()); index >= 0)
      edge.isManual.set(index);
  AxisList held;
  for (spmd::DimShardingAttr dim : sharding.getDims()) {
    AxisList prefix;
    for (AxisRef axis :
         graph.lists.get(graph.internAxes(dim.getAxes(), mesh))) {
      if (!edge.isManual.test(axis.axis))
        break;
      prefix.push_back(axis);
    }
    held.append(prefix);
    edge.prefix.push_back(graph.lists.intern(prefix));
  }
  // A manual axis that shards nothing is held by the region all the same.
  AxisSpan replicated =
      graph.lists.get(graph.internAxes(sharding.getReplicated(), mesh));
  AxisSpan unreduced =
      graph.lists.get(graph.internAxes(sharding.getUnreduced(), mesh));
  held.append(replicated.begin(), replicated.end());
  held.append(unreduced.begin(), unreduced.end());
  AxisList allReplicated(replicated.begin(), replicated.end());
  for (int index : edge.isManual.set_bits()) {
    AxisRef whole{index, 1,
                  static_cast<int32_t>(meshAttr.getAxes()[index].getSize())};
    bool isHeld = llvm::any_of(
        held, [&](const AxisRef &axis) { return axis.overlaps(whole); });
    if (!isHeld && whole.size > 1)
      allReplicated.push_back(whole);
  }
  edge.replicated = graph.lists.intern(allReplicated);
  edge.unreduced = graph.lists.intern(unreduced);
  graph.manualEdges.push_back(std::move(edge));
  return graph.manualEdges.size() - 1;
}

LogicalResult GraphReader::addManual(spmd::ManualOp manual) {
  Block &body = manual.getBody().front();
  SmallVector<NodeId> entries;
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    FailureOr<SlotId> slot = addValue(argument);
    if (failed(slot))
      return failure();
    NodeId node = addEdge(NodeKind::ManualArgument, manual,
                          {result->getSlot(manual->getOperand(i))}, *slot);
    entries.push_back(node);
    if (node != kNone && graph.slots[*slot].mesh >= 0)
      graph.nodes[node].manual = addManualEdge(
          manual, cast<ShardingAttr>(manual.getInShardingsAttr()[i]),
          graph.slots[*slot].mesh);
  }
  if (failed(addBlock(body)))
    return failure();
  Operation *terminator = body.getTerminator();
  SmallVector<size_t> returned = addUses(terminator);
  for (auto [use, entry] : llvm::zip(addUses(manual), entries))
    attachUse(use, entry, /*requeue=*/false);
  if (failed(addResults(manual)))
    return failure();
  for (auto [i, value] : llvm::enumerate(manual.getResults())) {
    SlotId slot = result->getSlot(value);
    NodeId node = addEdge(NodeKind::ManualResult, manual,
                          {result->getSlot(terminator->getOperand(i))}, slot);
    attachUse(returned[i], node);
    if (node == kNone || graph.slots[slot].mesh < 0)
      continue;
    uint32_t edge = addManualEdge(
        manual, cast<ShardingAttr>(manual.getOutShardingsAttr()[i]),
        graph.slots[slot].mesh);
    graph.nodes[node].manual = edge;
    // Nothing outside may use the region's axes for this value either.
    graph.slots[slot].replicated = graph.manualEdges[edge].replicated;
  }
  return success();
}

LogicalResult GraphReader::addRoot(func::FuncOp function) {
  result->ops.push_back(function);
  for (BlockArgument argument : function.getArguments())
    if (failed(addValue(argument)))
      return failure();
  if (failed(addBlock(function.getBody().front())))
    return failure();
  Operation *terminator = function.getBody().front().getTerminator();
  addUses(terminator);
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    SlotId slot = result->getSlot(value);
    if (slot == kNone)
      continue;
    SlotId attribute = graph.addSlot(graph.slots[slot].rank);
    isFlowSlot.resize(graph.slots.size());
    result->functionResults.push_back({function, static_cast<unsigned>(i),
                                       attribute, slot, /*isEntry=*/true});
    if (failed(setFromSharding(attribute, spmd::getResultSharding(function, i),
                               function.getLoc())))
      return failure();
  }
  return success();
}

} // namespace partita::propagation
