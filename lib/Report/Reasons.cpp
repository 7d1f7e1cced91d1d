// Why a collective exists: from the reshard, or the op, that it was made for
// back to what the user wrote.
#include "partita/Report/Plan.h"

using namespace mlir;

namespace partita {

using propagation::kNone;

namespace {

/// Most causes of one kind that are told.
constexpr size_t kMaxCauses = 3;

class Reasoner {
public:
  Reasoner(const PlanTrace &trace) : trace(trace) {}

  PlanReason explain(const PlacedOp &op, ArrayRef<spmd::AxisRefAttr> axes);

private:
  PlanReason explainReshard(const PlacedOp &op, const TracedReshard &reshard);
  PlanReason explainOwn(const PlacedOp &op, ArrayRef<spmd::AxisRefAttr> axes);
  void addSums(const TracedReshard &reshard, PlanReason &reason);
  void addSource(const TracedReshard &reshard, PlanReason &reason);
  void addUse(const TracedReshard &reshard, const TracedUse &use,
              PlanReason &reason);
  void addOpUse(const TracedReshard &reshard, const TracedUse &use,
                PlanReason &reason);
  std::string describeUse(const TracedUse &use) const;
  std::string describeOp(int op) const;
  std::string getRemoval(const TracedReshard &reshard) const;
  void addCause(PlanReason &reason, std::string cause) {
    if (!llvm::is_contained(reason.causes, cause))
      reason.causes.push_back(std::move(cause));
  }

  const PlanTrace &trace;
};

} // namespace

static std::string addPlace(Location loc) {
  std::string text = printLocation(loc);
  return text.empty() ? "" : " (" + text + ")";
}

static std::string printAxes(ArrayRef<spmd::AxisRefAttr> axes) {
  std::string text = "{";
  for (spmd::AxisRefAttr axis : axes)
    text += (text.size() > 1 ? ", " : "") + axis.str();
  return text + "}";
}

static bool isSplit(spmd::ShardingAttr sharding, unsigned dim) {
  return sharding && dim < sharding.getDims().size() &&
         !sharding.getDims()[dim].getAxes().empty();
}

static bool hasSameAxes(spmd::ShardingAttr a, spmd::ShardingAttr b,
                        unsigned dim) {
  return a && b && dim < a.getDims().size() && dim < b.getDims().size() &&
         a.getDims()[dim].getAxes() == b.getDims()[dim].getAxes();
}

std::string Reasoner::describeOp(int op) const {
  const TracedOp &record = trace.getOps()[op];
  std::string text = record.results.empty() ? "" : record.results.front().name;
  if (record.results.size() > 1) // %3#0 is the first of %3:2
    text = text.substr(0, text.rfind('#')) + ":" +
           std::to_string(record.results.size());
  return (text.empty() ? "" : text + " = ") + record.name +
         addPlace(record.loc);
}

std::string Reasoner::describeUse(const TracedUse &use) const {
  if (use.isResult)
    return "result " + std::to_string(use.operand) + " of @" + use.function;
  if (use.op < 0 || trace.getOps()[use.op].name != use.text)
    return use.text;
  return describeOp(use.op);
}

/// Why the value is partial sums.
void Reasoner::addSums(const TracedReshard &reshard, PlanReason &reason) {
  for (const SummedDimension &sum : reshard.summed) {
    std::string cause = "it is partial over " + printAxes(sum.axes) + ": " +
                        describeOp(reshard.producer) + " sums dimension " +
                        std::to_string(sum.dim) + " of operand " +
                        std::to_string(sum.operand);
    if (sum.slot != kNone) {
      cause += ", " + trace.getName(sum.slot) + ",";
      std::string origin = trace.describeOrigin(sum.slot, sum.dim);
      cause += " which is split" + (origin.empty() ? " by placement's choice"
                                                   : " because of " + origin);
    } else {
      cause += ", which is split";
    }
    addCause(reason, cause);
  }
  if (reshard.summed.empty() && !reshard.from.getUnreduced().empty())
    addCause(reason, "it arrives as partial sums over " +
                         printAxes(reshard.from.getUnreduced()));
}

/// Why the value's dimensions are split as they are.
void Reasoner::addSource(const TracedReshard &reshard, PlanReason &reason) {
  for (unsigned dim = 0, e = reshard.from.getDims().size(); dim < e; ++dim) {
    if (!isSplit(reshard.from, dim) ||
        hasSameAxes(reshard.from, reshard.to, dim))
      continue;
    std::string cause = "dimension " + std::to_string(dim) + " of " +
                        reshard.value.name + " is split over " +
                        printAxes(reshard.from.getDims()[dim].getAxes());
    SlotId slot = reshard.value.slot;
    bool isProposed = slot != kNone &&
                      hasSameAxes(trace.getProposed(slot), reshard.from, dim);
    std::string origin = isProposed ? trace.describeOrigin(slot, dim) : "";
    addCause(reason, cause + (origin.empty() ? ", chosen by placement"
                                             : " because of " + origin));
  }
}

/// Why an op wants the value so.
void Reasoner::addOpUse(const TracedReshard &reshard, const TracedUse &use,
                        PlanReason &reason) {
  const TracedOp &user = trace.getOps()[use.op];
  // A loop's operands are its results, one by one; else the first result tells.
  bool isCarry =
      user.results.size() > 1 && user.results.size() == user.operands.size();
  unsigned index = isCarry ? use.operand : 0;
  spmd::ShardingAttr chosen, proposed;
  if (index < user.chosen.size() && index < user.results.size()) {
    chosen = user.chosen[index];
    proposed = user.proposed[index];
  }
  std::string cause =
      describeUse(use) + " takes it as " + printLayout(reshard.to);
  if (!chosen) {
    addCause(reason, cause);
    return;
  }
  cause += ", its result being " + printLayout(chosen);
  std::string origins;
  for (unsigned dim = 0, e = chosen.getDims().size(); dim < e; ++dim)
    if (isSplit(chosen, dim) && hasSameAxes(chosen, proposed, dim))
      if (std::string origin =
              trace.describeOrigin(user.results[index].slot, dim);
          !origin.empty() && !StringRef(origins).contains(origin))
        origins += (origins.empty() ? "" : " and ") + origin;
  if (!origins.empty())
    cause += " because of " + origins;
  else if (chosen == proposed)
    cause += ", which nothing splits";
  else
    cause += ", chosen by placement";
  addCause(reason, cause);
}

void Reasoner::addUse(const TracedReshard &reshard, const TracedUse &use,
                      PlanReason &reason) {
  if (use.op >= 0 && trace.getOps()[use.op].name == use.text)
    return addOpUse(reshard, use, reason);
  std::string cause = describeUse(use) + " is " + printLayout(reshard.to);
  if (use.isResult)
    cause += trace.isResultAnnotated(use.function, use.operand)
                 ? ", as the user annotated it"
                 : ", which nobody asked for: placement's choice";
  addCause(reason, cause);
}

std::string Reasoner::getRemoval(const TracedReshard &reshard) const {
  // Partial sums have to be added whatever layout they go to.
  if (!reshard.summed.empty()) {
    const SummedDimension &sum = reshard.summed.front();
    std::string name = sum.slot == kNone
                           ? "operand " + std::to_string(sum.operand) + " of " +
                                 describeOp(reshard.producer)
                           : trace.getName(sum.slot);
    std::string origin =
        sum.slot == kNone ? "" : trace.describeOrigin(sum.slot, sum.dim);
    return "keep dimension " + std::to_string(sum.dim) + " of " + name +
           " whole over " + printAxes(reshard.from.getUnreduced()) +
           (origin.empty() ? "" : ": change " + origin);
  }
  if (reshard.isConstraint)
    return "drop the constraint, or let it ask for " +
           printLayout(reshard.from);
  for (const TracedUse &use : reshard.uses)
    if (use.isResult && trace.isResultAnnotated(use.function, use.operand))
      return "leave " + describeUse(use) + " without a sharding, or ask for " +
             printLayout(reshard.from);
  std::string use =
      reshard.uses.empty() ? "its reader" : describeUse(reshard.uses.front());
  return "shard " + reshard.value.name + " as " + printLayout(reshard.to) +
         ", or " + use + " so that it takes " + printLayout(reshard.from);
}

PlanReason Reasoner::explainReshard(const PlacedOp &op,
                                    const TracedReshard &reshard) {
  PlanReason reason;
  reason.moves.push_back(
      {reshard.value.name, reshard.type, reshard.from, reshard.to});
  reason.summary = reshard.value.name + " goes from " +
                   printLayout(reshard.from) + " to " + printLayout(reshard.to);
  if (reshard.isConstraint) {
    reason.summary += " for the user's constraint" + addPlace(op.loc);
  } else if (!reshard.uses.empty()) {
    reason.summary += " for " + describeUse(reshard.uses.front());
    if (reshard.uses.size() > 1)
      reason.summary +=
          " and " + std::to_string(reshard.uses.size() - 1) + " more";
  }
  addSums(reshard, reason);
  addSource(reshard, reason);
  if (!reshard.isConstraint)
    for (const TracedUse &use : ArrayRef(reshard.uses).take_front(kMaxCauses))
      addUse(reshard, use, reason);
  reason.removal = getRemoval(reshard);
  return reason;
}

/// A collective that the op's own local form needs.
PlanReason Reasoner::explainOwn(const PlacedOp &op,
                                ArrayRef<spmd::AxisRefAttr> axes) {
  PlanReason reason;
  bool isTraced = op.op >= 0 && trace.getOps()[op.op].name == op.name;
  std::string name = isTraced ? describeOp(op.op) : op.name + addPlace(op.loc);
  if (StringRef(op.name).starts_with("spmd.")) {
    reason.summary = name + ": the program asks for it";
    reason.removal = "change the program's own collective";
    return reason;
  }
  reason.summary = name + " communicates between its shards";
  std::string dims;
  for (SlotId slot : isTraced ? ArrayRef<SlotId>(trace.getOps()[op.op].operands)
                              : ArrayRef<SlotId>()) {
    spmd::ShardingAttr sharding =
        slot == kNone ? spmd::ShardingAttr() : trace.getProposed(slot);
    for (unsigned dim = 0, e = sharding ? sharding.getDims().size() : 0;
         dim < e; ++dim) {
      ArrayRef<spmd::AxisRefAttr> split = sharding.getDims()[dim].getAxes();
      if (llvm::none_of(split, [&](spmd::AxisRefAttr axis) {
            return llvm::any_of(axes, [&](spmd::AxisRefAttr other) {
              return axis.getName() == other.getName();
            });
          }))
        continue;
      std::string place =
          "dimension " + std::to_string(dim) + " of " + trace.getName(slot);
      dims += (dims.empty() ? "" : ", ") + place;
      addCause(reason, place + " is split over " + printAxes(split) +
                           " because of " + trace.describeOrigin(slot, dim));
    }
  }
  reason.removal = "keep " + (dims.empty() ? "its operands" : dims) +
                   " whole over " + printAxes(axes);
  return reason;
}

PlanReason Reasoner::explain(const PlacedOp &op,
                             ArrayRef<spmd::AxisRefAttr> axes) {
  return op.reshard ? explainReshard(op, *op.reshard) : explainOwn(op, axes);
}

PlanReason explainCollective(Operation *op, const PlanTrace &trace) {
  PlanReason all;
  SmallVector<unsigned, 1> sources = trace.getPlacedOps(op->getLoc());
  SmallVector<spmd::AxisRefAttr> axes;
  if (auto collective = dyn_cast<spmd::CollectiveOpInterface>(op))
    axes = collective.getCommunicationAxes();
  Reasoner reasoner(trace);
  for (unsigned source : ArrayRef(sources).take_front(kMaxCauses)) {
    PlanReason one = reasoner.explain(trace.getPlacedOps()[source], axes);
    all.summary += (all.summary.empty() ? "" : "; ") + one.summary;
    llvm::append_range(all.causes, one.causes);
    llvm::append_range(all.moves, one.moves);
    if (all.removal.empty())
      all.removal = one.removal;
    else if (all.removal != one.removal)
      all.removal += "; " + one.removal;
  }
  if (sources.size() > kMaxCauses)
    all.summary += "; and " + std::to_string(sources.size() - kMaxCauses) +
                   " others that run with it";
  return all;
}

} // namespace partita
