// The module as propagation sees it: slots that hold shardings, nodes through
// which they pass. Arrays only; built once from IR, written back once.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONGRAPH_H
#define PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONGRAPH_H

#include "dialects/SPMD/SPMD.h"
#include "partita/Transforms/Propagation/FactorPropagation.h"
#include <deque>

namespace partita::propagation {

using SlotId = uint32_t;
using NodeId = uint32_t;
constexpr uint32_t kNone = ~0u;

/// A mesh symbol. Symbols with equal meshes have equal `content`.
struct MeshInfo {
  mlir::FlatSymbolRefAttr name;
  spmd::MeshAttr mesh;
  int content = 0;

  bool isEmpty() const { return mesh.getAxes().empty() && !mesh.isMaximal(); }
};

struct DimState {
  ListId axes = 0;
  bool isClosed = false;
  bool operator==(const DimState &o) const {
    return axes == o.axes && isClosed == o.isClosed;
  }
};

/// Sharding of one value, or of values that must be sharded alike: a loop's
/// result and the arguments of its regions.
struct Slot {
  int mesh = -1; ///< index into the meshes; -1: nothing is known yet
  uint32_t firstDim = 0;
  uint32_t rank = 0;
  ListId replicated = 0;
  ListId unreduced = 0;
  spmd::ReductionKind reduction = spmd::ReductionKind::Add;
  uint32_t group = kNone; ///< values that the user wants to be alike
};

enum class NodeKind : uint8_t {
  Op,             ///< operands and results of an op, by its rule
  Barrier,        ///< spmd.propagation_barrier: one direction in all stages
  Edge,           ///< data flow: sources are operands, the target is the result
  ManualArgument, ///< into spmd.manual: the target sees only free axes
  ManualResult,   ///< out of spmd.manual: the source sees only free axes
  FunctionResult, ///< returned value and result attribute of the entry function
};

struct Node {
  mlir::Operation *op = nullptr;
  uint32_t rule = 0;
  uint32_t firstTensor = 0; ///< slots of operands, then of results
  uint32_t numTensors = 0;
  NodeKind kind = NodeKind::Op;
  /// Some operand has several uses: the op is not passed through in stage one.
  bool hasSharedOperand = false;
  PropagationDirection barrier = PropagationDirection::Both;
  uint32_t manual = kNone; ///< index into the manual edges
};

/// What lies between the two sides of a value that enters or leaves a manual
/// region.
struct ManualEdge {
  llvm::SmallVector<ListId, 4> prefix; ///< manual axes of each dimension
  ListId replicated = 0;               ///< of the outer sharding, in full
  ListId unreduced = 0;
  llvm::SmallBitVector isManual; ///< by axis index
};

/// A node to look at when a slot changes. `requeue` is false where the change
/// is taken up only when the node's turn comes.
struct Neighbor {
  NodeId node;
  bool requeue;
};

/// One dimension's wait for its priority.
struct PrioritizedDim {
  int64_t priority;
  SlotId slot;
  uint32_t dim;
  DimState original;
};

class PropagationGraph {
public:
  AxisListTable lists;
  std::vector<MeshInfo> meshes;
  std::vector<Slot> slots;
  std::vector<DimState> dims;
  std::vector<Node> nodes;
  std::vector<SlotId> tensors; ///< kNone: not a ranked tensor
  std::deque<PropagationRule> rules;
  std::vector<ManualEdge> manualEdges;
  std::vector<llvm::SmallVector<SlotId, 2>> groups;
  std::vector<PrioritizedDim> prioritized;
  /// Nodes of the entry functions' results; not part of the walk order.
  std::vector<NodeId> functionResults;
  /// Number of nodes in walk order; function results come after them.
  uint32_t numOrdered = 0;

  llvm::ArrayRef<SlotId> getTensors(const Node &node) const {
    return llvm::ArrayRef(tensors).slice(node.firstTensor, node.numTensors);
  }
  llvm::MutableArrayRef<DimState> getDims(SlotId slot) {
    return llvm::MutableArrayRef(dims).slice(slots[slot].firstDim,
                                             slots[slot].rank);
  }
  llvm::ArrayRef<DimState> getDims(SlotId slot) const {
    return llvm::ArrayRef(dims).slice(slots[slot].firstDim, slots[slot].rank);
  }
  llvm::ArrayRef<Neighbor> getNeighbors(SlotId slot) const {
    return llvm::ArrayRef(neighbors).slice(
        firstNeighbor[slot], firstNeighbor[slot + 1] - firstNeighbor[slot]);
  }

  SlotId addSlot(unsigned rank);
  /// Gives a slot the sharding of an attribute; priorities are collected.
  void setSlot(SlotId slot, spmd::ShardingAttr sharding);
  /// Copies all of `from`'s sharding to `to`, of the same rank.
  void copySlot(SlotId from, SlotId to);
  int getMesh(mlir::FlatSymbolRefAttr name) const;
  /// Axes of a list, as the attribute of mesh `mesh` names them; axes of size
  /// one divide nothing and are left out.
  ListId internAxes(llvm::ArrayRef<spmd::AxisRefAttr> axes, int mesh);
  spmd::AxisRefAttr getAxisAttr(AxisRef axis, int mesh) const;
  uint32_t internRule(PropagationRule rule);

  /// Call after the last setSlot or addSlot: `order` lists, per slot, the nodes
  /// to look at when it changes.
  void setNeighbors(std::vector<std::pair<SlotId, Neighbor>> order);

private:
  std::vector<Neighbor> neighbors;
  std::vector<uint32_t> firstNeighbor;
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 1>> ruleBuckets;
};

} // namespace partita::propagation

#endif
