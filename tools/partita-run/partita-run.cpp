// partita-run: compiles a StableHLO program with shardings, runs it on the
// devices that it asks for, and compares the result with the unsharded program.

#include "Compare.h"
#include "InputValues.h"
#include "Memory.h"
#include "PrintBlocks.h"
#include "Reference.h"
#include "Report.h"
#include "mlir/Support/FileUtilities.h"
#include "partita/Pipelines/InputFile.h"
#include "partita/Pipelines/PlanSummary.h"
#include "partita/Pipelines/Registration.h"
#include "partita/Pipelines/RemarkCLOptions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include <chrono>

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("partita-run options");
RemarkCLOptions remarks(category);

cl::opt<std::string> inputFile(cl::Positional, cl::desc("<StableHLO text>"),
                               cl::init("-"), cl::cat(category));
cl::opt<std::string> engine("engine",
                            cl::desc("what runs the program on floats: jit "
                                     "(machine code, a thread per device), "
                                     "eval, gpu-emulate, or cuda; the exact "
                                     "comparison and --print take eval"),
                            cl::init("jit"), cl::cat(category));
cl::opt<std::string> referenceEngine(
    "reference",
    cl::desc("what runs the unsharded program of --compare=unsharded: eval, "
             "jit, or auto (jit where eval would take long)"),
    cl::init("auto"), cl::cat(category));
cl::opt<unsigned> repeat("repeat",
                         cl::desc("time this many runs after a first one"),
                         cl::init(1), cl::cat(category));
cl::opt<int64_t>
    memoryLimit("memory-limit",
                cl::desc("bytes that a run may take (default: what "
                         "the machine has)"),
                cl::init(0), cl::cat(category));
cl::opt<uint64_t> seed("seed", cl::desc("seed of random inputs"), cl::init(0),
                       cl::cat(category));
cl::opt<std::string> inputs("inputs",
                            cl::desc("normal, positive, or a .npz file"),
                            cl::init("normal"), cl::cat(category));
cl::opt<std::string> outputs("outputs",
                             cl::desc("write results to a .npz file"),
                             cl::cat(category));
cl::opt<std::string>
    compare("compare",
            cl::desc("none; unsharded (floats); exact (over a prime field); or "
                     "another .mlir file that gets the same inputs"),
            cl::init("none"), cl::cat(category));
cl::opt<bool> compareEach(
    "compare-each",
    cl::desc("with --compare=exact: compare after every pass that changes the "
             "program, and name the first that changes a result"),
    cl::cat(category));
cl::opt<bool>
    checkReplicated("check-replicated",
                    cl::desc("fail where replicas of a result differ"),
                    cl::cat(category));
cl::opt<std::string> printName(
    "print",
    cl::desc("print each device's block of a value: arg0, result0, a "
             "name of jax.result_info, or %7 of the optimized program"),
    cl::cat(category));
cl::opt<bool> planOnly("plan-only", cl::desc("compile and count; run nothing"),
                       cl::cat(category));
cl::opt<bool> compileOnly("compile-only",
                          cl::desc("make the machine code and see whether the "
                                   "memory suffices; run nothing"),
                          cl::cat(category));
cl::opt<std::string>
    cacheDir("cache-dir",
             cl::desc("folder that keeps machine code between runs (default: "
                      "partita in XDG_CACHE_HOME or ~/.cache)"),
             cl::init(getDefaultCacheFolder()), cl::cat(category));
cl::opt<bool> noCache("no-cache", cl::desc("keep no machine code"),
                      cl::cat(category));
cl::opt<bool> json("json", cl::desc("print one JSON object on one line"),
                   cl::cat(category));
cl::opt<std::string>
    pipeline("partita", cl::desc("options of the pipeline, as in partita-opt"),
             cl::cat(category));

constexpr llvm::StringLiteral kOverview =
    R"(partitioned runs of StableHLO programs

Examples:
  partita-run model.mlir --compare=exact          is the partition right?
  partita-run model.mlir --plan-only --json       what does it send?
  partita-run a.mlir --compare=b.mlir             same inputs, same results?
)";

/// The evaluator takes about a second for so many FLOPs at best.
constexpr double kEvaluatorFlops = 1e10;

/// What runs floats: --print is the evaluator's unless the user says otherwise.
StringRef getEngine() {
  if (!printName.empty() && engine.getNumOccurrences() == 0)
    return "eval";
  return engine;
}

/// The exact comparison is the evaluator's; floats run besides only on request.
bool runsFloats() {
  return compare != "exact" || !printName.empty() || !outputs.empty();
}

/// Where nothing but this tool reads the results, any blocks will do.
LogicalResult readOptions(PipelineOptions &options) {
  options.results = "uneven";
  return readPipelineOptions(pipeline, options);
}

FailureOr<Program> readAndCompile(MLIRContext &context,
                                  llvm::SourceMgr &sources, StringRef path) {
  OwningOpRef<ModuleOp> module = readProgram(context, sources, path);
  PipelineOptions options;
  if (!module || failed(readOptions(options)))
    return failure();
  FailureOr<Program> program =
      compileProgram(std::move(module), options, compareEach);
  bool needsCode = compileOnly || (!planOnly && runsFloats());
  if (failed(program) || getEngine() == "eval" || !needsCode)
    return program;
  CodeKind kind = engine == "jit"    ? CodeKind::CPU
                  : engine == "cuda" ? CodeKind::GPU
                                     : CodeKind::EmulatedGPU;
  if (failed(compileToMachineCode(*program, kind,
                                  noCache ? "" : StringRef(cacheDir))))
    return failure();
  return program;
}

/// Refuses values of options that nothing understands, before any work.
LogicalResult checkOptions() {
  auto refuse = [](const Twine &message, StringRef fix) -> LogicalResult {
    llvm::errs() << "error: " << message << "\n"
                 << "note: fix: " << fix << "\n";
    return failure();
  };
  if (!llvm::is_contained({"eval", "jit", "gpu-emulate", "cuda"},
                          StringRef(engine)))
    return refuse("engine '" + engine + "' is not built in",
                  "use --engine=eval, jit, gpu-emulate or cuda");
  int cards = 0;
  if (engine == "cuda" && !planOnly)
    if (std::string error = runtime::findGPUs(cards); !error.empty())
      return refuse("no GPU: " + error, runtime::getGPUFix());
  if (!llvm::is_contained({"eval", "jit", "auto"}, StringRef(referenceEngine)))
    return refuse("unknown reference '" + referenceEngine + "'",
                  "use --reference=eval, jit or auto");
  if (getEngine() != "eval" && !printName.empty())
    return refuse("--print sees values of the evaluator only",
                  "use --engine=eval with --print");
  bool isWord =
      !StringRef(compare).contains('.') && !llvm::sys::fs::exists(compare);
  if (isWord &&
      !llvm::is_contained({"none", "unsharded", "exact"}, StringRef(compare)))
    return refuse(
        "unknown comparison '" + compare + "'",
        "use --compare=none, unsharded, exact, or another .mlir file");
  if (compareEach && compare != "exact")
    return refuse("--compare-each compares over the prime field only",
                  "use --compare=exact --compare-each");
  PipelineOptions options;
  return readOptions(options);
}

/// The other program of --compare=B.mlir on the same inputs.
FailureOr<HostValues> runOther(MLIRContext &context, llvm::SourceMgr &sources,
                               Program &program, const HostValues &values) {
  FailureOr<Program> other = readAndCompile(context, sources, compare);
  if (failed(other))
    return failure();
  auto types = [](const std::vector<Port> &ports) {
    return llvm::map_to_vector(ports,
                               [](const Port &port) { return port.type; });
  };
  if (types(program.inputs) != types(other->inputs) ||
      types(program.outputs) != types(other->outputs)) {
    InFlightDiagnostic diagnostic =
        other->getImportedMain().emitError()
        << "main has another signature than that of '" << inputFile << "'";
    diagnostic.attachNote(program.getImportedMain().getLoc())
        << "which is " << program.getImportedMain().getFunctionType();
    diagnostic.attachNote() << "fix: compare programs with equal whole types";
    return diagnostic;
  }
  FloatRun run;
  return runOnFloats(*other, values, run);
}

/// The machine code of the unsharded program, if the user or its size asks for
/// it; nothing: the evaluator runs it.
FailureOr<std::optional<Program>> compileReference(Program &program) {
  if (referenceEngine == "eval" ||
      (referenceEngine == "auto" && estimateFlops(program) < kEvaluatorFlops))
    return std::optional<Program>();
  PipelineOptions options;
  if (failed(readOptions(options)))
    return failure();
  std::optional<Program> unsharded = makeUnsharded(program, options);
  if (!unsharded) {
    if (referenceEngine == "auto")
      return std::optional<Program>();
    InFlightDiagnostic diagnostic =
        program.getImportedMain().emitError()
        << "the unsharded program has no machine code: it has manual regions "
           "or collectives of its own";
    diagnostic.attachNote() << "fix: use --reference=eval";
    return failure();
  }
  if (failed(compileToMachineCode(*unsharded, CodeKind::CPU,
                                  noCache ? "" : StringRef(cacheDir))) ||
      failed(checkMemory(*unsharded, memoryLimit)))
    return failure();
  return std::optional<Program>(std::move(*unsharded));
}

FailureOr<HostValues> runReference(Program &program, const HostValues &values,
                                   Outcome &outcome) {
  FailureOr<std::optional<Program>> unsharded = compileReference(program);
  if (failed(unsharded))
    return failure();
  outcome.reference = *unsharded ? "jit" : "eval";
  if (*unsharded) {
    FloatRun run;
    return runOnFloats(**unsharded, values, run);
  }
  Values tensors;
  for (const HostArray &value : values)
    tensors.push_back(value.toTensor());
  FailureOr<Values> results = runUnsharded(program, tensors, nullptr);
  if (failed(results))
    return failure();
  HostValues whole;
  for (const Tensor &result : *results)
    whole.push_back(HostArray::fromTensor(result));
  return whole;
}

LogicalResult printBlocks(Program &program, BlockPrinter &printer,
                          const HostValues &values) {
  Values tensors;
  for (const HostArray &value : values)
    tensors.push_back(value.toTensor());
  if (printer.print(llvm::outs(), tensors))
    return success();
  InFlightDiagnostic diagnostic = program.getImportedMain().emitError()
                                  << "no value is called '" << printName << "'";
  diagnostic.attachNote() << "fix: use arg0, result0, a name of "
                             "jax.result_info, or a value of the optimized "
                             "program (partita-opt --partita-to=optimized)";
  return diagnostic;
}

/// Runs on floats and compares as the options ask.
LogicalResult runFloats(MLIRContext &context, llvm::SourceMgr &sources,
                        Program &program, Outcome &outcome) {
  if (program.compiled && failed(checkMemory(program, memoryLimit)))
    return failure();
  FailureOr<HostValues> values = makeHostInputs(program, inputs, seed);
  if (failed(values))
    return failure();
  std::optional<BlockPrinter> printer;
  FloatRun settings;
  settings.repeat = repeat;
  settings.checkReplicas = checkReplicated || compare != "none";
  if (!printName.empty())
    settings.observer = &printer.emplace(program, printName);
  FailureOr<HostValues> results = runOnFloats(program, *values, settings);
  if (failed(results) ||
      (printer && failed(printBlocks(program, *printer, *values))))
    return failure();
  outcome.engine = getEngine();
  outcome.timedMs = settings.milliseconds;
  if (compare != "none" && compare != "exact") {
    FailureOr<HostValues> reference =
        compare == "unsharded" ? runReference(program, *values, outcome)
                               : runOther(context, sources, program, *values);
    if (failed(reference))
      return failure();
    compareValues(program, *reference, *results, settings.faults,
                  outcome.comparison);
  } else if (checkReplicated) {
    compareValues(program, *results, *results, settings.faults,
                  outcome.comparison);
  }
  return outputs.empty() ? success() : writeResults(program, outputs, *results);
}

LogicalResult runProgram(MLIRContext &context, llvm::SourceMgr &sources,
                         Program &program, Outcome &outcome) {
  outcome.isExact = compare == "exact";
  if (outcome.isExact) {
    outcome.engine = "eval";
    if (failed(compareExactly(program, inputs, seed, outcome.comparison)))
      return failure();
  }
  return runsFloats() ? runFloats(context, sources, program, outcome)
                      : success();
}

LogicalResult run() {
  if (failed(checkOptions()))
    return failure();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllOpModels(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Locations show the source; whole functions would drown the message.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler printer(sources, &context);
  // Quiet on success: other remarks than those asked for are for partita-opt.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
    return success(!remarks.areAsked() &&
                   diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  if (failed(remarks.enable(context)))
    return failure();
  FailureOr<Program> program = readAndCompile(context, sources, inputFile);
  if (failed(program))
    return failure();
  Outcome outcome;
  outcome.devices = program->devices;
  outcome.compileMs = program->compileMs;
  outcome.plan = summarizePlan(*program->optimized);
  if (program->compiled) // what the machine code really needs
    outcome.plan.peakBytes = program->compiled->getReport().peakBytes;
  if (program->compiled)
    outcome.report = program->compiled->getReport();
  if (compileOnly && program->compiled &&
      failed(checkMemory(*program, memoryLimit)))
    return failure();
  if (!planOnly && !compileOnly) {
    auto start = std::chrono::steady_clock::now();
    if (failed(runProgram(context, sources, *program, outcome)))
      return failure();
    outcome.runMs = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  }
  if (json)
    printJson(llvm::outs(), outcome);
  else
    printText(llvm::outs(), outcome);
  return success(outcome.comparison.equal);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  return failed(run());
}
