// Why a value is sharded so: each step of propagation and its cause.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONPROVENANCE_H
#define PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONPROVENANCE_H

#include "partita/Transforms/Propagation/PropagationGraph.h"

namespace partita::propagation {

/// One slot that got axes.
struct PropagationStep {
  SlotId slot;
  uint32_t dim;
  NodeId node;       ///< the op or edge that passed the axes on
  uint32_t factor;   ///< factor of the node's rule
  SlotId source;     ///< slot that had the axes; kNone if no single one
  ListId axes;       ///< axes of the dimension after the step
  uint8_t stage;     ///< op priority, 0 to 4
  bool isGroup;      ///< taken over from `source`, of the same group
  uint32_t previous; ///< the step before this one on the slot; kNone if none
};

/// All steps of one run, found by slot. A step costs one entry.
class PropagationProvenance {
public:
  void record(PropagationStep step);

  llvm::ArrayRef<PropagationStep> getSteps() const { return steps; }
  /// Steps on `slot`, last first.
  llvm::SmallVector<PropagationStep> getSteps(SlotId slot) const;
  /// The chain from `slot`'s last step on `dim` back to the slot that was
  /// annotated: each next step is the source's.
  llvm::SmallVector<PropagationStep> getOrigin(SlotId slot, uint32_t dim) const;

private:
  std::vector<PropagationStep> steps;
  llvm::DenseMap<SlotId, uint32_t> last;
};

} // namespace partita::propagation

#endif
