// The C API on top of Pipelines. Handles are those of MLIR's C API; a plan is a
// PlanSummary on the heap.
#include "partita-c/Partita.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Wrap.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "partita/Pipelines/InputFile.h"
#include "partita/Pipelines/Pipelines.h"
#include "partita/Pipelines/PlanSummary.h"
#include "partita/Pipelines/Registration.h"

using namespace mlir;

DEFINE_C_API_PTR_METHODS(PartitaPlan, partita::PlanSummary)

void partitaRegisterAllDialects(MlirDialectRegistry registry) {
  partita::registerAllDialects(*unwrap(registry));
  partita::registerAllOpModels(*unwrap(registry));
}

void partitaRegisterAllPasses(void) { partita::registerAllPasses(); }

MlirModule partitaReadProgram(MlirContext context, MlirStringRef path) {
  llvm::SourceMgr sources;
  return wrap(
      partita::readProgram(*unwrap(context), sources, unwrap(path)).release());
}

MlirLogicalResult partitaRunPipeline(MlirModule module, MlirStringRef options) {
  ModuleOp op = unwrap(module);
  auto report = [&](const Twine &message) -> LogicalResult {
    std::string text = message.str();
    auto [what, fix] = StringRef(text).split("; fix: ");
    InFlightDiagnostic diagnostic = emitError(op.getLoc()) << what;
    if (!fix.empty())
      diagnostic.attachNote() << "fix: " << fix;
    return failure();
  };
  partita::PipelineOptions parsed;
  if (failed(partita::parsePipelineOptions(unwrap(options), parsed, report)))
    return wrap(failure());
  PassManager pm(op.getContext());
  if (failed(partita::buildPipeline(pm, parsed, report)))
    return wrap(failure());
  return wrap(pm.run(op));
}

int64_t partitaGetDeviceCount(MlirModule module) {
  return partita::getDeviceCount(unwrap(module));
}

PartitaPlan partitaPlanCreate(MlirModule module) {
  return wrap(new partita::PlanSummary(partita::summarizePlan(unwrap(module))));
}

void partitaPlanDestroy(PartitaPlan plan) { delete unwrap(plan); }

int64_t partitaPlanGetSentBytes(PartitaPlan plan) {
  return unwrap(plan)->sentBytes;
}

int64_t partitaPlanGetPeakBytes(PartitaPlan plan) {
  return unwrap(plan)->peakBytes;
}

int64_t partitaPlanGetUnknownLoops(PartitaPlan plan) {
  return unwrap(plan)->unknownLoops;
}

intptr_t partitaPlanGetNumCollectives(PartitaPlan plan) {
  return unwrap(plan)->collectives.size();
}

/// The entry at `pos`, or null.
static const std::pair<const std::string, partita::CollectiveCount> *
getEntry(PartitaPlan plan, intptr_t pos) {
  auto &collectives = unwrap(plan)->collectives;
  if (pos < 0 || pos >= static_cast<intptr_t>(collectives.size()))
    return nullptr;
  return &*std::next(collectives.begin(), pos);
}

MlirStringRef partitaPlanGetCollectiveName(PartitaPlan plan, intptr_t pos) {
  auto *entry = getEntry(plan, pos);
  return wrap(entry ? StringRef(entry->first) : StringRef());
}

int64_t partitaPlanGetCollectiveCount(PartitaPlan plan, intptr_t pos) {
  auto *entry = getEntry(plan, pos);
  return entry ? entry->second.count : 0;
}

int64_t partitaPlanGetCollectiveSentBytes(PartitaPlan plan, intptr_t pos) {
  auto *entry = getEntry(plan, pos);
  return entry ? entry->second.sentBytes : 0;
}
