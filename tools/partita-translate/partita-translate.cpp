// partita-translate: prints what other compilers read. The lowering itself is a
// pass pipeline; this tool runs it and prints the result.

#include "Interpret.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "partita/Conversion/Passes.h"
#include "partita/Pipelines/BooleanLiterals.h"
#include "partita/Pipelines/InputFile.h"
#include "partita/Pipelines/Pipelines.h"
#include "partita/Pipelines/Registration.h"
#include "partita/Pipelines/RemarkCLOptions.h"
#include "partita/Target/GPU/PTX.h"
#include "partita/Target/XLA/HLOText.h"
#include "partita/Target/XLA/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("partita-translate options");
RemarkCLOptions remarks(category);

enum class Form { Manual, StableHLO, HLO, PTX, Cubin, Results };

cl::opt<Form> form(
    cl::desc("what to print (the program is compiled to 'optimized' first "
             "where it is not yet):"),
    cl::values(clEnumValN(Form::Manual, "spmd-to-manual",
                          "whole signature, one sdy.manual_computation"),
               clEnumValN(Form::StableHLO, "spmd-to-stablehlo",
                          "the per-device program"),
               clEnumValN(Form::HLO, "spmd-to-hlo",
                          "the per-device program as HLO text"),
               clEnumValN(Form::PTX, "spmd-to-ptx",
                          "the kernels of the per-device program as PTX"),
               clEnumValN(Form::Cubin, "spmd-to-cubin",
                          "the same as cubin, by ptxas of a CUDA toolkit"),
               clEnumValN(Form::Results, "interpret",
                          "what the evaluator gives for each function without "
                          "arguments; check.* ops are tested")),
    cl::Required, cl::cat(category));
cl::opt<std::string> inputFile(cl::Positional, cl::desc("<program>"),
                               cl::init("-"), cl::cat(category));
cl::opt<std::string> outputFile("o", cl::desc("output file"), cl::init("-"),
                                cl::cat(category));
cl::opt<std::string> chip("chip", cl::desc("GPU that PTX and cubin are for"),
                          cl::init("sm_90"), cl::cat(category));
cl::opt<std::string>
    pipeline("partita", cl::desc("options of the pipeline, as in partita-opt"),
             cl::cat(category));

cl::opt<bool> splitInputFile("split-input-file",
                             cl::desc("with --interpret: a module ends at each "
                                      "line of // -----"),
                             cl::cat(category));
cl::opt<std::string>
    arguments("args", cl::desc("with --interpret: values of main's arguments"),
              cl::cat(category));
cl::opt<bool> printDense("print-dense",
                         cl::desc("with --interpret: results as attributes"),
                         cl::cat(category));

constexpr llvm::StringLiteral kOverview = R"(forms of partitioned programs

Examples:
  partita-translate --spmd-to-manual model.mlir      for JAX, CPU, GPU and TPU
  partita-translate --spmd-to-stablehlo model.mlir   the per-device program
  partita-translate --spmd-to-hlo model.mlir         the same as HLO text
  partita-translate --spmd-to-ptx --chip=sm_90 model.mlir   its GPU kernels
  partita-opt --partita-to=optimized m.mlir | partita-translate --spmd-to-manual
)";

/// True for the output of `partita-opt --partita-to=optimized`.
bool isPartitioned(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto has = [](ArrayAttr lists) {
    return lists &&
           llvm::any_of(lists.getAsRange<DictionaryAttr>(),
                        [](DictionaryAttr attributes) {
                          return attributes.contains("spmd.global_type");
                        });
  };
  return main && (has(main.getArgAttrsAttr()) || has(main.getResAttrsAttr()));
}

LogicalResult run() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllOpModels(registry);
  PipelineOptions options;
  if (failed(readPipelineOptions(pipeline, options)))
    return failure();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (form == Form::Results)
    return interpretFile(context, inputFile,
                         {arguments, printDense, splitInputFile});
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler printer(sources, &context);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
    return success(!remarks.areAsked() &&
                   diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  if (failed(remarks.enable(context)))
    return failure();
  OwningOpRef<ModuleOp> module = readProgram(context, sources, inputFile);
  if (!module)
    return failure();
  PassManager pm(&context);
  auto onError = [&](const Twine &message) {
    return LogicalResult(module->emitError(message));
  };
  if (!isPartitioned(*module) && failed(buildPipeline(pm, options, onError)))
    return failure();
  bool isDeviceCode = form == Form::PTX || form == Form::Cubin;
  ConvertSPMDToStableHLOPassOptions conversion;
  conversion.expandBroadcasts = true;
  conversion.axisGroups = form == Form::HLO;
  conversion.machine = options.machine;
  if (!isDeviceCode) {
    pm.addPass(createConvertSPMDToStableHLOPass(conversion));
    pm.addPass(createCSEPass()); // device indices and constants
  }
  if (form == Form::Manual)
    pm.addPass(createWrapManualFormPass());
  if (failed(pm.run(*module)))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isDeviceCode) {
    FailureOr<std::string> code = form == Form::PTX
                                      ? compileToPTX(*module, chip)
                                      : compileToCubin(*module, chip);
    if (failed(code))
      return failure();
    stream << *code;
  } else if (form != Form::HLO) {
    stream << *module << "\n";
    if (auto unpacked = unpackBooleanLiterals(text)) // for JAX's MLIR
      text = std::move(*unpacked);
  } else if (failed(printHLO(*module, stream))) {
    return failure();
  }
  std::string error;
  auto output = openOutputFile(outputFile, &error);
  if (!output) {
    llvm::errs() << "error: " << error << "\n"
                 << "note: fix: name a file in a folder that exists\n";
    return failure();
  }
  output->os() << text;
  output->keep();
  return success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  return failed(run());
}
