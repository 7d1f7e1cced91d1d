// The log of propagation and its index by slot.
#include "partita/Transforms/Propagation/PropagationProvenance.h"

namespace partita::propagation {

void PropagationProvenance::record(PropagationStep step) {
  auto [it, isNew] = last.try_emplace(step.slot, kNone);
  step.previous = it->second;
  it->second = steps.size();
  steps.push_back(step);
}

llvm::SmallVector<PropagationStep>
PropagationProvenance::getSteps(SlotId slot) const {
  llvm::SmallVector<PropagationStep> result;
  auto it = last.find(slot);
  for (uint32_t i = it == last.end() ? kNone : it->second; i != kNone;
       i = steps[i].previous)
    result.push_back(steps[i]);
  return result;
}

llvm::SmallVector<PropagationStep>
PropagationProvenance::getOrigin(SlotId slot, uint32_t dim) const {
  llvm::SmallVector<PropagationStep> result;
  uint32_t limit = steps.size();
  bool isAnyDim = false;
  while (slot != kNone) {
    auto it = last.find(slot);
    uint32_t i = it == last.end() ? kNone : it->second;
    // Only what the source had by then can be the cause.
    while (i != kNone &&
           (i >= limit || !(isAnyDim ? steps[i].axes == result.back().axes
                                     : steps[i].dim == dim)))
      i = steps[i].previous;
    if (i == kNone)
      break;
    result.push_back(steps[i]);
    limit = i;
    isAnyDim = true;
    slot = steps[i].source;
  }
  return result;
}

} // namespace partita::propagation
