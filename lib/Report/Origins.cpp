// Answers of the trace: names, and whose annotation is behind a sharding.
#include "partita/Report/PlanTrace.h"

using namespace mlir;

namespace partita {

using propagation::kNone;
using propagation::PropagationStep;

std::string printLayout(spmd::ShardingAttr sharding) {
  if (!sharding)
    return "none";
  std::string text;
  llvm::raw_string_ostream os(text);
  auto printAxes = [&](ArrayRef<spmd::AxisRefAttr> axes) {
    os << "{";
    llvm::interleaveComma(axes, os,
                          [&](spmd::AxisRefAttr axis) { os << axis.str(); });
    os << "}";
  };
  os << "[";
  llvm::interleaveComma(sharding.getDims(), os, [&](spmd::DimShardingAttr dim) {
    printAxes(dim.getAxes());
  });
  os << "]";
  if (!sharding.getUnreduced().empty()) {
    os << " partial ";
    if (sharding.getReductionKind() != spmd::ReductionKind::Add)
      os << stringifyReductionKind(sharding.getReductionKind()) << " ";
    printAxes(sharding.getUnreduced());
  }
  return text;
}

std::string PlanTrace::getName(SlotId slot) const {
  return slot < names.size() ? names[slot] : "";
}

Location PlanTrace::getLoc(SlotId slot) const { return *locations[slot]; }

spmd::ShardingAttr PlanTrace::getProposed(SlotId slot) const {
  return slot < proposed.size() ? proposed[slot] : spmd::ShardingAttr();
}

SlotId PlanTrace::getArgumentSlot(StringRef function, unsigned index) const {
  auto it = argumentSlots.find({function.str(), index});
  return it == argumentSlots.end() ? kNone : it->second;
}

SlotId PlanTrace::getResultSlot(StringRef function, unsigned index) const {
  auto it = resultSlots.find({function.str(), index});
  return it == resultSlots.end() ? kNone : it->second;
}

bool PlanTrace::isResultAnnotated(StringRef function, unsigned index) const {
  return isRecorded() && !proposedResults.count({function.str(), index});
}

/// " (file:3:5)", or nothing.
static std::string addLocation(std::optional<Location> loc) {
  std::string text = loc ? printLocation(*loc) : "";
  return text.empty() ? "" : " (" + text + ")";
}

std::string PlanTrace::describeAnnotation(SlotId slot) const {
  if (constraints[slot])
    return "the constraint on " + names[slot] + addLocation(constraints[slot]);
  return (isArgument[slot] ? "the sharding of argument " : "the sharding of ") +
         names[slot] + addLocation(locations[slot]);
}

std::string PlanTrace::describeOrigin(SlotId slot, unsigned dim) const {
  spmd::ShardingAttr sharding = getProposed(slot);
  if (!isRecorded() || !sharding || dim >= sharding.getDims().size() ||
      sharding.getDims()[dim].getAxes().empty())
    return "";
  SmallVector<PropagationStep> chain =
      run->getProvenance().getOrigin(slot, dim);
  SlotId origin = chain.empty() ? slot : chain.back().source;
  if (origin == kNone) // several tensors of the last op agreed
    return "several shardings around " + names[chain.back().slot];
  return describeAnnotation(origin);
}

std::vector<std::string> PlanTrace::describeSteps(SlotId slot,
                                                  unsigned dim) const {
  std::vector<std::string> lines;
  for (const PropagationStep &step :
       run->getProvenance().getOrigin(slot, dim)) {
    std::string line;
    llvm::raw_string_ostream os(line);
    os << "dimension " << step.dim << " of " << names[step.slot];
    if (step.source != kNone)
      os << " from " << names[step.source];
    if (step.isGroup)
      os << ", of the same group";
    else
      os << " through " << nodeNames.lookup(step.node) << ", factor "
         << step.factor << ", stage " << int(step.stage) + 1;
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace partita
