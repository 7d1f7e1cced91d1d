// partita-run: compiles a StableHLO program with shardings, runs it on the
// devices that it asks for, and compares the result with the unsharded program.

#include "Compare.h"
#include "InputValues.h"
#include "PrintBlocks.h"
#include "mlir/Support/FileUtilities.h"
#include "partita/Pipelines/InputFile.h"
#include "partita/Pipelines/PlanSummary.h"
#include "partita/Pipelines/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("partita-run options");

cl::opt<std::string> inputFile(cl::Positional, cl::desc("<StableHLO text>"),
                               cl::init("-"), cl::cat(category));
cl::opt<std::string> engine("engine",
                            cl::desc("what runs the program: eval, or jit "
                                     "(machine code, a thread per device)"),
                            cl::init("eval"), cl::cat(category));
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

/// What the run found, for the report.
struct Outcome {
  Comparison comparison;
  PlanSummary plan;
  int64_t devices = 0;
  double compileMs = 0, runMs = 0;
};

void printJson(const Outcome &outcome) {
  llvm::json::OStream os(llvm::outs());
  os.object([&] {
    if (outcome.comparison.ran) {
      os.attribute("equal", outcome.comparison.equal);
      os.attribute("max_abs_diff", outcome.comparison.maxAbsDiff);
      os.attribute("nan_share", outcome.comparison.nanShare);
      if (compare == "exact")
        os.attributeArray("vacuous", [&] {
          for (const std::string &name : outcome.comparison.vacuous)
            os.value(name);
        });
    }
    os.attribute("devices", outcome.devices);
    os.attributeObject("collectives", [&] {
      for (const auto &[kind, entry] : outcome.plan.collectives)
        os.attributeArray(kind, [&, &count = entry] {
          os.value(count.count);
          os.value(count.sentBytes);
        });
    });
    os.attribute("sent_bytes", outcome.plan.sentBytes);
    os.attribute("peak_bytes", outcome.plan.peakBytes);
    os.attribute("compile_ms", outcome.compileMs);
    os.attribute("run_ms", outcome.runMs);
  });
  llvm::outs() << "\n";
}

void printText(const Outcome &outcome) {
  llvm::raw_ostream &os = llvm::outs();
  if (outcome.comparison.ran) {
    os << (outcome.comparison.equal ? "equal" : "DIFFERENT") << " ("
       << (compare == "exact" ? "exact" : "floats") << ", max |difference| "
       << outcome.comparison.maxAbsDiff << ")\n";
    for (const std::string &fault : outcome.comparison.faults)
      os << "  " << fault << "\n";
    for (const std::string &name : outcome.comparison.vacuous)
      os << "  vacuous: " << name << " reacts to no input\n";
  }
  os << outcome.devices << " devices, " << outcome.plan.sentBytes
     << " bytes sent per device, peak " << outcome.plan.peakBytes << " bytes\n";
  for (const auto &[kind, count] : outcome.plan.collectives)
    os << "  " << count.count << " x " << kind << ": " << count.sentBytes
       << " bytes\n";
}

FailureOr<Program> readAndCompile(MLIRContext &context,
                                  llvm::SourceMgr &sources, StringRef path) {
  OwningOpRef<ModuleOp> module = readProgram(context, sources, path);
  PipelineOptions options;
  if (!module || failed(readPipelineOptions(pipeline, options)))
    return failure();
  FailureOr<Program> program = compileProgram(std::move(module), options);
  if (succeeded(program) && engine != "eval" && !planOnly &&
      failed(compileToMachineCode(
          *program, engine == "jit" ? CodeKind::CPU : CodeKind::EmulatedGPU)))
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
  if (!llvm::is_contained({"eval", "jit", "gpu-emulate"}, StringRef(engine)))
    return refuse("engine '" + engine + "' is not built in",
                  "use --engine=eval, jit or gpu-emulate");
  if (engine != "eval" && !printName.empty())
    return refuse("--print sees values of the evaluator only",
                  "use --engine=eval with --print");
  bool isWord =
      !StringRef(compare).contains('.') && !llvm::sys::fs::exists(compare);
  if (isWord &&
      !llvm::is_contained({"none", "unsharded", "exact"}, StringRef(compare)))
    return refuse(
        "unknown comparison '" + compare + "'",
        "use --compare=none, unsharded, exact, or another .mlir file");
  PipelineOptions options;
  return readPipelineOptions(pipeline, options);
}

/// The other program of --compare=B.mlir on the same inputs.
FailureOr<Values> runOther(MLIRContext &context, llvm::SourceMgr &sources,
                           Program &program, const Values &values) {
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
  std::vector<ReplicaFault> replicas;
  return runSharded(*other, values, nullptr, replicas);
}

LogicalResult runProgram(MLIRContext &context, llvm::SourceMgr &sources,
                         Program &program, Outcome &outcome) {
  if (compare == "exact") {
    if (failed(compareExactly(program, inputs, seed, outcome.comparison)))
      return failure();
    if (printName.empty() && outputs.empty())
      return success();
  }
  FailureOr<Values> values =
      makeInputValues(program, inputs, seed, /*field=*/nullptr);
  if (failed(values))
    return failure();
  std::optional<BlockPrinter> printer;
  if (!printName.empty())
    printer.emplace(program, printName);
  std::vector<ReplicaFault> replicas;
  FailureOr<Values> results = runSharded(program, *values, nullptr, replicas,
                                         printer ? &*printer : nullptr);
  if (failed(results))
    return failure();
  if (printer && !printer->print(llvm::outs(), *values)) {
    InFlightDiagnostic diagnostic = program.getImportedMain().emitError()
                                    << "no value is called '" << printName
                                    << "'";
    diagnostic.attachNote() << "fix: use arg0, result0, a name of "
                               "jax.result_info, or a value of the optimized "
                               "program (partita-opt --partita-to=optimized)";
    return diagnostic;
  }
  if (compare != "none" && compare != "exact") {
    FailureOr<Values> reference =
        compare == "unsharded" ? runUnsharded(program, *values, nullptr)
                               : runOther(context, sources, program, *values);
    if (failed(reference))
      return failure();
    compareValues(program, *reference, *results, replicas, nullptr,
                  outcome.comparison);
  } else if (checkReplicated) {
    compareValues(program, *results, *results, replicas, nullptr,
                  outcome.comparison);
  }
  return outputs.empty() ? success() : writeResults(program, outputs, *results);
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
  // Quiet on success: remarks are for partita-opt.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  FailureOr<Program> program = readAndCompile(context, sources, inputFile);
  if (failed(program))
    return failure();
  Outcome outcome;
  outcome.devices = program->devices;
  outcome.compileMs = program->compileMs;
  outcome.plan = summarizePlan(*program->optimized);
  if (!planOnly) {
    auto start = std::chrono::steady_clock::now();
    if (failed(runProgram(context, sources, *program, outcome)))
      return failure();
    outcome.runMs = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  }
  if (json)
    printJson(outcome);
  else
    printText(outcome);
  return success(outcome.comparison.equal);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  return failed(run());
}
