// spmd-remark-collectives: see Passes.td.
#include "mlir/IR/Remarks.h"
#include "partita/Report/Passes.h"
#include "partita/Report/Plan.h"
#include "partita/Sharding/CollectivePrice.h"

namespace partita {
#define GEN_PASS_DEF_REMARKCOLLECTIVESPASS
#include "partita/Report/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

void emitRemark(const PlanCollective &collective) {
  auto found = remark::analysis(
      collective.loc, remark::RemarkOpts::name("Collective").category("plan"));
  std::string causes;
  for (const std::string &cause : collective.reason.causes)
    causes += (causes.empty() ? "" : "; ") + cause;
  found << remark::add("{0} over {1}: {2} bytes per device, {3}, {4} x",
                       collective.kind, collective.axes, collective.bytes,
                       printSeconds(collective.seconds), collective.trips)
        << remark::metric("Bytes", collective.bytes)
        << remark::metric("Times", collective.trips)
        << remark::metric("Seconds", collective.seconds)
        << remark::metric("Types", collective.types);
  if (collective.reason.summary.empty())
    return;
  found << remark::reason("{0}", collective.reason.summary +
                                     (causes.empty() ? "" : "; ") + causes)
        << remark::suggest("{0}", collective.reason.removal);
}

struct RemarkCollectives : impl::RemarkCollectivesPassBase<RemarkCollectives> {
  using RemarkCollectivesPassBase::RemarkCollectivesPassBase;
  RemarkCollectives(const RemarkCollectivesPassOptions &options,
                    std::shared_ptr<const PlanTrace> trace)
      : RemarkCollectivesPassBase(options), trace(std::move(trace)) {}

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    // In the pipeline the trace knows whether anyone listens.
    if (trace && !trace->isRecorded())
      return;
    FailureOr<CostModel> model = getCostModel(module, machine, "time");
    if (failed(model))
      return signalPassFailure();
    Plan plan = describePlan(module, *model, trace.get());
    llvm::for_each(plan.collectives, emitRemark);
    if (trace)
      removeMarks(module);
  }

  std::shared_ptr<const PlanTrace> trace;
};

} // namespace

std::unique_ptr<Pass>
createRemarkCollectivesPass(const RemarkCollectivesPassOptions &options,
                            std::shared_ptr<const PlanTrace> trace) {
  return std::make_unique<RemarkCollectives>(options, std::move(trace));
}

} // namespace partita
