// partita-opt: reads IR, runs passes, prints IR. It is mlir-opt with Partita's
// dialects and passes; besides, it recognises files of the wrong kind before
// parsing, and diagnostics show source lines, not dumps of ops.

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "partita/Conversion/LoweredOps.h"
#include "partita/Evaluator/Evaluator.h"
#include "partita/OpModels/OpModels.h"
#include "partita/Pipelines/InputFile.h"
#include "partita/Pipelines/PlanReport.h"
#include "partita/Pipelines/Registration.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {

cl::opt<bool> listOpModels(
    "list-op-models",
    cl::desc("print each op with its model's family, its kind of partition, "
             "and the engines that run it"));

cl::opt<std::string> explain(
    "explain",
    cl::desc(
        "say why a value (%3, as --partita-to=propagated prints it) or the "
        "ops of a name (stablehlo.dot_general) are split as they are"));
cl::opt<std::string>
    report("report",
           cl::desc("write the plan's report: a .html or .json file"));
cl::opt<std::string> diffPlans(
    "diff-plans",
    cl::desc("--diff-plans a.mlir b.mlir: what b's plan does otherwise"));
cl::list<std::string> planOptions(
    "plan-options",
    cl::desc("options of the pipeline for --explain, --report and --diff-plans "
             "(twice: of a and of b)"));

constexpr llvm::StringLiteral kOverview = R"(Partita optimizer

Examples:
  partita-opt --partita-to=optimized model.mlir     the program of every device
  partita-opt --partita-to=placed model.mlir        where resharding happens
  partita-opt --partita="objective=bytes machine=cpu" model.mlir

)";

/// "; eval, cpu, gpu", as far as they run ops of this name.
void printEngines(RegisteredOperationName name) {
  using partita::LoweredAs;
  LoweredAs lowering = partita::getLowering(name);
  SmallVector<StringRef> engines;
  if (partita::hasKernel(name.getStringRef()))
    engines.push_back("eval");
  if (lowering != LoweredAs::Nothing)
    engines.push_back("cpu");
  if (lowering != LoweredAs::Nothing && lowering != LoweredAs::Kernel)
    engines.push_back("gpu");
  llvm::outs() << "; " << (engines.empty() ? "-" : llvm::join(engines, ", "));
}

/// Makes `--mlir-print-op-on-diagnostic` off unless it is given.
void quietenDiagnostics() {
  registerMLIRContextCLOptions();
  auto &options = cl::getRegisteredOptions();
  auto it = options.find("mlir-print-op-on-diagnostic");
  if (it != options.end())
    static_cast<cl::opt<bool> *>(it->second)->setInitialValue(false);
}

/// As MlirOptMain(argc, argv, ...), but on a file that was looked at.
LogicalResult optimize(const MlirOptMainConfig &config, StringRef inputPath,
                       StringRef outputPath, DialectRegistry &registry) {
  partita::InputFile input =
      partita::openInput(inputPath, partita::Bytecode::Own);
  if (!input.buffer) {
    llvm::errs() << inputPath << ":1:1: error: " << input.error << "\n"
                 << inputPath << ":1:1: note: fix: " << input.fix << "\n";
    return failure();
  }
  std::string error;
  auto output = openOutputFile(outputPath, &error);
  if (!output) {
    llvm::errs() << "error: " << error << "\n"
                 << "note: fix: name a file in a folder that exists\n";
    return failure();
  }
  if (failed(
          MlirOptMain(output->os(), std::move(input.buffer), registry, config)))
    return failure();
  output->keep();
  return success();
}

StringRef getPlanOptions(size_t index) {
  if (planOptions.empty())
    return "";
  return planOptions[std::min(index, planOptions.size() - 1)];
}

/// --explain, --report, --diff-plans: compiles with a trace and tells.
LogicalResult tellPlan(MLIRContext &context, StringRef input,
                       StringRef output) {
  context.printOpOnDiagnostic(false);
  std::string error;
  auto file =
      openOutputFile(report.empty() ? output : StringRef(report), &error);
  if (!file) {
    llvm::errs() << "error: " << error << "\n"
                 << "note: fix: name a file in a folder that exists\n";
    return failure();
  }
  LogicalResult result =
      !explain.empty() ? partita::explainPlan(context, input, getPlanOptions(0),
                                              explain, file->os())
      : !report.empty()
          ? partita::reportPlan(context, input, getPlanOptions(0),
                                StringRef(report).ends_with(".json"),
                                file->os())
          : partita::diffPlans(context, {diffPlans, getPlanOptions(0)},
                               {input, getPlanOptions(1)}, file->os());
  if (succeeded(result))
    file->keep();
  return result;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  partita::registerAllDialects(registry);
  partita::registerAllPasses();
  partita::registerAllOpModels(registry);
  quietenDiagnostics();
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, kOverview, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (listOpModels) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    partita::printOpModels(context, llvm::outs(), printEngines);
    return 0;
  }
  if (!explain.empty() || !report.empty() || !diffPlans.empty()) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    return asMainReturnCode(tellPlan(context, input, output));
  }
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return asMainReturnCode(optimize(config, input, output, registry));
}
