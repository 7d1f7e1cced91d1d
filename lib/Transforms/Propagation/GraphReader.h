// The state of one reading of a module into a propagation graph.
#ifndef PARTITA_LIB_TRANSFORMS_PROPAGATION_GRAPHREADER_H
#define PARTITA_LIB_TRANSFORMS_PROPAGATION_GRAPHREADER_H

#include "GraphBuilder.h"
#include "dialects/SPMD/RuleCache.h"

namespace partita::propagation {

/// One use of a slot, for the order in which a change is taken up.
struct Use {
  SlotId slot;
  NodeId node; ///< kNone until the edge that takes it is made
  /// 0: uses of values that share another value's slot; 1: the definition;
  /// 2: other uses.
  uint8_t rank;
  bool requeue;
  int64_t key; ///< order among uses of one rank
};

/// Reads slots, nodes and neighbours in one walk. Callees are walked at their
/// call, so that the order of nodes is that of the program after inlining.
class GraphReader {
public:
  GraphReader(mlir::ModuleOp module, const CallTree &calls,
              const PropagationSeeds &seeds)
      : module(module), calls(calls), seeds(seeds),
        result(std::make_unique<ModuleGraph>()), graph(result->graph) {}

  mlir::FailureOr<std::unique_ptr<ModuleGraph>> build();

private:
  mlir::LogicalResult addMeshes();
  mlir::LogicalResult addRoot(mlir::func::FuncOp function);
  mlir::LogicalResult addBlock(mlir::Block &block);
  mlir::LogicalResult addOp(mlir::Operation *op);
  mlir::LogicalResult addModelOp(mlir::Operation *op);
  mlir::LogicalResult addCall(mlir::func::CallOp call);
  mlir::LogicalResult addManual(spmd::ManualOp manual);
  mlir::LogicalResult addRegionFlow(mlir::Operation *op);
  mlir::LogicalResult addResults(mlir::Operation *op);

  mlir::FailureOr<SlotId> addValue(mlir::Value value);
  mlir::LogicalResult setFromSharding(SlotId slot, spmd::ShardingAttr sharding,
                                      mlir::Location loc);
  void shareSlot(mlir::Value value, SlotId slot, unsigned place);
  NodeId addNode(NodeKind kind, mlir::Operation *op, uint32_t rule,
                 llvm::ArrayRef<SlotId> tensors);
  /// An edge from `sources` to `target`; a slot that is not ranked makes none.
  NodeId addEdge(NodeKind kind, mlir::Operation *op,
                 llvm::ArrayRef<SlotId> sources, SlotId target);
  mlir::FailureOr<std::pair<uint32_t, spmd::PropagationClass>>
  getRule(mlir::Operation *op);
  llvm::SmallVector<size_t> addUses(mlir::Operation *op);
  void addUse(mlir::Value value, NodeId node, bool requeue);
  void attachUse(size_t use, NodeId node, bool requeue = true);
  uint32_t addManualEdge(spmd::ManualOp manual, spmd::ShardingAttr sharding,
                         int mesh);
  void addGroups();
  void orderNeighbors();
  void findSharedOperands();
  bool isDead(mlir::Operation *op) const;

  mlir::ModuleOp module;
  const CallTree &calls;
  const PropagationSeeds &seeds;
  std::unique_ptr<ModuleGraph> result;
  PropagationGraph &graph;
  spmd::RuleCache rules;
  /// By rule, its number in the graph and its class.
  llvm::DenseMap<const spmd::ShardingRule *,
                 std::pair<uint32_t, spmd::PropagationClass>>
      interned;
  std::vector<Use> uses;
  /// Slots named by an edge: their uses are taken first to last, others last to
  /// first. This is the order in which Shardy's rewriter meets them.
  llvm::SmallBitVector isFlowSlot;
  /// Values that share the slot of a loop's result: their place in its list.
  llvm::DenseMap<mlir::Value, unsigned> placeOf;
  llvm::DenseSet<mlir::Operation *> dead;
};

} // namespace partita::propagation

#endif
