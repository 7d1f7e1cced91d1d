// Reads a program, runs the pipeline with a trace, hands the plan to a printer.
#include "partita/Pipelines/PlanReport.h"
#include "partita/Pipelines/InputFile.h"
#include "partita/Pipelines/Pipelines.h"
#include "partita/Report/Plan.h"
#include "partita/Sharding/CollectivePrice.h"

using namespace mlir;

namespace partita {
namespace {

struct TracedPlan {
  std::shared_ptr<PlanTrace> trace;
  Plan plan;
  bool isTime = true;
};

} // namespace

static FailureOr<TracedPlan> tracePlan(MLIRContext &context, PlanInput input,
                                       StringRef question) {
  PipelineOptions options;
  if (failed(readPipelineOptions(input.options, options)))
    return failure();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler printer(sources, &context);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  OwningOpRef<ModuleOp> module = readProgram(context, sources, input.path);
  if (!module)
    return failure();
  TracedPlan traced;
  traced.trace = std::make_shared<PlanTrace>(/*always=*/true);
  traced.trace->question = question.str();
  traced.isTime = options.objective == "time";
  PassManager pm(&context);
  auto onError = [&](const Twine &message) {
    return LogicalResult(module->emitError(message));
  };
  if (failed(buildPipeline(pm, options, onError, traced.trace)) ||
      failed(pm.run(*module)))
    return failure();
  FailureOr<CostModel> model = getCostModel(*module, options.machine, "time");
  if (failed(model))
    return failure();
  traced.plan = describePlan(*module, *model, traced.trace.get());
  if (traced.plan.name.empty())
    traced.plan.name = input.path.substr(input.path.rfind('/') + 1).str();
  return std::move(traced);
}

LogicalResult explainPlan(MLIRContext &context, StringRef path,
                          StringRef options, StringRef question,
                          raw_ostream &os) {
  FailureOr<TracedPlan> traced = tracePlan(context, {path, options}, question);
  if (failed(traced))
    return failure();
  if (succeeded(
          printExplanation(*traced->trace, traced->plan, traced->isTime, os)))
    return success();
  llvm::errs() << "error: " << path << " has no value or op '" << question
               << "'\n"
               << "note: fix: use a value as --partita-to=propagated prints it "
                  "(%3, %3#0, %arg0) or the name of an op "
                  "(stablehlo.dot_general)\n";
  return failure();
}

LogicalResult reportPlan(MLIRContext &context, StringRef path,
                         StringRef options, bool asJson, raw_ostream &os) {
  FailureOr<TracedPlan> traced = tracePlan(context, {path, options}, "");
  if (failed(traced))
    return failure();
  asJson ? printJson(traced->plan, os) : printHtml(traced->plan, os);
  return success();
}

LogicalResult diffPlans(MLIRContext &context, PlanInput a, PlanInput b,
                        raw_ostream &os) {
  FailureOr<TracedPlan> before = tracePlan(context, a, "");
  if (failed(before))
    return failure();
  FailureOr<TracedPlan> after = tracePlan(context, b, "");
  if (failed(after))
    return failure();
  printDifference(before->plan, after->plan, os);
  return success();
}

} // namespace partita
