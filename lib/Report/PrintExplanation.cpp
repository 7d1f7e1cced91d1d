// Answers to --explain: propagation's steps, placement's choice and what it
// decided against, the reshards of a value.
#include "partita/Report/Plan.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace partita {

using propagation::kNone;

/// Strategies that are listed.
static constexpr size_t kMaxStrategies = 8;

namespace {

class Explainer {
public:
  Explainer(const PlanTrace &trace, const Plan &plan, bool isTime,
            raw_ostream &os)
      : trace(trace), plan(plan), isTime(isTime), os(os) {}

  void explainSlot(SlotId slot);
  void explainOp(const TracedOp &op);
  void explainReshards(StringRef value);

private:
  std::string printCost(double cost) const {
    return isTime ? llvm::formatv("{0:f2} us", cost * 1e6).str()
                  : llvm::formatv("{0:f0} bytes", cost).str();
  }
  void printStrategy(const SplitStrategy &strategy);

  const PlanTrace &trace;
  const Plan &plan;
  bool isTime;
  raw_ostream &os;
};

} // namespace

/// What propagation gave a value, and the steps back to annotations.
void Explainer::explainSlot(SlotId slot) {
  spmd::ShardingAttr sharding = trace.getProposed(slot);
  os << "  propagated: " << printLayout(sharding) << "\n";
  for (unsigned dim = 0, e = sharding ? sharding.getDims().size() : 0; dim < e;
       ++dim) {
    std::string origin = trace.describeOrigin(slot, dim);
    if (origin.empty())
      continue;
    os << "    dimension " << dim << " because of " << origin << "\n";
    for (const std::string &step : trace.describeSteps(slot, dim))
      os << "      " << step << "\n";
  }
}

void Explainer::printStrategy(const SplitStrategy &strategy) {
  os << "    " << (strategy.isChosen ? "* " : "  ")
     << llvm::formatv("{0,12} = {1} work + {2} operands + {3} results: ",
                      printCost(strategy.getTotal()), printCost(strategy.work),
                      printCost(strategy.incoming),
                      printCost(strategy.outgoing));
  llvm::interleaveComma(
      strategy.operands, os,
      [&](spmd::ShardingAttr sharding) { os << printLayout(sharding); });
  os << " -> ";
  llvm::interleaveComma(strategy.results, os, [&](spmd::ShardingAttr sharding) {
    os << printLayout(sharding);
  });
  os << "\n";
}

/// Placement's choice for an op against its alternatives.
void Explainer::explainOp(const TracedOp &op) {
  if (!op.chosen.empty()) {
    os << "  placed: ";
    llvm::interleaveComma(op.chosen, os, [&](spmd::ShardingAttr sharding) {
      os << printLayout(sharding);
    });
    os << (op.chosen == op.proposed ? ", as propagated\n"
                                    : ", chosen by cost\n");
  }
  if (op.strategies.empty())
    return;
  os << "  strategies, all else as it is"
     << (isTime ? " (bytes on links count four times)" : "") << ":\n";
  for (const SplitStrategy &strategy :
       ArrayRef(op.strategies).take_front(kMaxStrategies))
    printStrategy(strategy);
  if (op.strategies.size() > kMaxStrategies)
    os << "      and " << op.strategies.size() - kMaxStrategies << " more\n";
  const SplitStrategy *chosen = nullptr, *other = nullptr;
  for (const SplitStrategy &strategy : op.strategies)
    if (const SplitStrategy *&slot = strategy.isChosen ? chosen : other; !slot)
      slot = &strategy;
  if (!chosen || !other)
    return;
  double difference = other->getTotal() - chosen->getTotal();
  if (difference >= 0)
    os << "  the runner-up costs " << printCost(difference) << " more\n";
  else
    os << "  alone, another would cost " << printCost(-difference)
       << " less: ops around it were weighed together with it\n";
}

/// Where the value is brought to another layout.
void Explainer::explainReshards(StringRef value) {
  for (const PlacedOp &op : trace.getPlacedOps()) {
    if (!op.reshard || op.reshard->value.name != value)
      continue;
    os << "  resharded: " << printLayout(op.reshard->from) << " to "
       << printLayout(op.reshard->to);
    std::string place = printLocation(op.loc);
    if (!place.empty())
      os << " (" << place << ")";
    os << "\n";
  }
  for (const PlanCollective &collective : plan.collectives)
    if (StringRef(collective.reason.summary).starts_with(value.str() + " goes"))
      os << "    " << collective.kind << " over " << collective.axes << ": "
         << printBytes(double(collective.bytes)) << ", "
         << printSeconds(collective.seconds) << ", " << collective.trips
         << (collective.trips == 1 ? " time\n" : " times\n")
         << "      to be rid of it: " << collective.reason.removal << "\n";
}

static void printHead(const TracedOp &op, raw_ostream &os) {
  llvm::interleaveComma(op.results, os,
                        [&](const TracedValue &value) { os << value.name; });
  std::string place = printLocation(op.loc);
  os << (op.results.empty() ? "" : " = ") << op.name
     << (place.empty() ? "" : " (" + place + ")") << "\n";
}

LogicalResult printExplanation(const PlanTrace &trace, const Plan &plan,
                               bool isTime, raw_ostream &os) {
  Explainer explainer(trace, plan, isTime, os);
  StringRef question = trace.question;
  bool isFound = false;
  for (const TracedOp &op : trace.getOps()) {
    bool isAsked = op.name == question;
    for (const TracedValue &value : op.results)
      isAsked |= value.name == question;
    if (!isAsked)
      continue;
    isFound = true;
    printHead(op, os);
    for (const TracedValue &value : op.results)
      if (value.slot != kNone)
        explainer.explainSlot(value.slot);
    explainer.explainOp(op);
    for (const TracedValue &value : op.results)
      explainer.explainReshards(value.name);
  }
  for (auto [index, argument] : llvm::enumerate(plan.arguments)) {
    SlotId slot = trace.getArgumentSlot("main", index);
    if (isFound || slot == kNone || trace.getName(slot) != question)
      continue;
    isFound = true;
    os << argument.name << ", " << argument.global << "\n";
    explainer.explainSlot(slot);
    explainer.explainReshards(question);
  }
  return success(isFound);
}

} // namespace partita
