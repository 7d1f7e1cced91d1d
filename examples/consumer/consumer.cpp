// Compiles a StableHLO program for every device, from C++, and prints what its
// collectives send.
//
//   consumer model.mlir
#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "partita/Pipelines/InputFile.h"
#include "partita/Pipelines/Pipelines.h"
#include "partita/Pipelines/PlanSummary.h"
#include "partita/Pipelines/Registration.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

/// Runs every phase up to *optimized*; errors are diagnostics at the module.
static mlir::LogicalResult compile(mlir::ModuleOp module) {
  mlir::PassManager pm(module.getContext());
  partita::PipelineOptions options;
  options.to = "optimized";
  auto report = [&](const llvm::Twine &message) -> mlir::LogicalResult {
    return mlir::emitError(module.getLoc()) << message;
  };
  if (failed(partita::buildPipeline(pm, options, report)))
    return mlir::failure();
  return pm.run(module);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: consumer FILE\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  partita::registerAllDialects(registry);
  partita::registerAllOpModels(registry);
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);

  mlir::OwningOpRef<mlir::ModuleOp> module =
      partita::readProgram(context, sources, argv[1]);
  if (!module || failed(compile(*module)))
    return 1;

  module->walk([](partita::spmd::CollectiveOpInterface collective) {
    llvm::outs() << "collective: " << collective->getName() << "\n";
  });
  partita::PlanSummary plan = partita::summarizePlan(*module);
  for (const auto &[name, count] : plan.collectives)
    llvm::outs() << count.count << " x " << name << ": " << count.sentBytes
                 << " bytes\n";
  llvm::outs() << partita::getDeviceCount(*module) << " devices, "
               << plan.sentBytes << " bytes sent per device\n";
  return 0;
}
