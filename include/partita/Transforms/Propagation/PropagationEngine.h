// Runs propagation on a graph: priorities, stages, worklist.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONENGINE_H
#define PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONENGINE_H

#include "partita/Transforms/Propagation/PropagationProvenance.h"
#include <array>

namespace partita::propagation {

/// Stages of op priority, see Rationale.md.
constexpr unsigned kNumStages = 5;

/// Direction in which shardings may pass along `factor` of a node in `stage`.
PropagationDirection getDirection(const PropagationRule &rule, unsigned factor,
                                  const Node &node, unsigned stage);

/// Passes shardings through the graph until nothing changes: one round for each
/// stage of each user priority.
///
/// Invariants. A node is *clean* when it was last visited in its present
/// directions, changed nothing, and no slot of it has changed since; only
/// others are visited. Within one round nodes are taken in walk order; nodes
/// that an update concerns and whose turn is over are stacked and taken next,
/// last first. A slot's axes only ever grow, at the minor end.
class PropagationEngine {
public:
  PropagationEngine(PropagationGraph &graph, PropagationProvenance &provenance)
      : graph(graph), provenance(provenance) {}

  void run();

  uint64_t getNumVisits() const { return numVisits; }
  /// Steps taken in each stage.
  const std::array<uint64_t, kNumStages> &getStepsByStage() const {
    return stepsByStage;
  }

private:
  void holdPriorities();
  void releasePriority(int64_t priority);
  void runStages();
  void runRound();
  void enterStage(unsigned newStage);
  void passFunctionResults();
  bool visit(NodeId node);
  void shareWithGroup(SlotId slot, NodeId by);
  bool isSettled(const Node &node, const PropagationRule &rule) const;
  int findCommonMesh(const Node &node) const;
  void readTensor(const Node &node, const PropagationRule &rule,
                  unsigned tensor);
  bool writeTensor(NodeId node, unsigned tensor, int mesh);
  void record(NodeId node, llvm::ArrayRef<Expansion> expansions,
              unsigned tensor);
  void markChanged(SlotId slot, NodeId by);
  void markDirty(NodeId node);
  NodeId findNext(NodeId from) const;

  PropagationGraph &graph;
  PropagationProvenance &provenance;

  unsigned stage = 0;
  NodeId cursor = 0;
  bool isRequeueing = false;
  std::vector<NodeId> stack;
  std::vector<bool> isStacked;
  /// One bit per node that is not clean.
  std::vector<uint64_t> dirty;
  /// Nodes whose directions differ between a stage and the one before.
  std::array<std::vector<NodeId>, kNumStages> changesAt;

  /// Scratch of a visit.
  Projection projection;
  llvm::SmallVector<PropagationDirection, 8> directions;
  llvm::SmallVector<llvm::SmallVector<DimState, 4>, 4> before;
  llvm::SmallVector<bool, 8> wasWritten;

  uint64_t numVisits = 0;
  std::array<uint64_t, kNumStages> stepsByStage{};
};

} // namespace partita::propagation

#endif
