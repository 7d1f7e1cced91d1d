// The child process of a verdict.

#include "Judge.h"
#include "../partita-run/Compare.h"
#include "../partita-run/InputValues.h"
#include "mlir/Parser/Parser.h"
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace partita {

/// `value` with about half of its floats moved to a neighbour. Zeros,
/// infinities, NaN and narrow floats stay.
static HostArray nudge(const HostArray &value, uint64_t seed) {
  Type element = value.getType().getElementType();
  if (auto pair = dyn_cast<ComplexType>(element))
    element = pair.getElementType();
  HostArray moved = value.copy();
  auto move = [&]<typename Word>(Word infinity) {
    auto *words = reinterpret_cast<Word *>(moved.data());
    for (int64_t i = 0; i < moved.getNumBytes() / int64_t(sizeof(Word)); ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      if ((words[i] & infinity) != 0 && (words[i] & infinity) != infinity)
        words[i] ^= seed >> 63;
    }
  };
  if (element.isF32())
    move(uint32_t(0x7f800000));
  else if (element.isF64())
    move(uint64_t(0x7ff0000000000000));
  return moved;
}

/// Puts `want` in place of those results of `got` that say nothing, for the
/// evaluator's own change as much when inputs change in their last bit: a sum
/// that cancels, a rounding that decides a comparison.
static LogicalResult excuseUnstable(Program &program, const HostValues &inputs,
                                    const HostValues &want, HostValues &got) {
  program.compiled.reset(); // the evaluator runs again
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    HostValues moved;
    for (const HostArray &input : inputs)
      moved.push_back(nudge(input, seed));
    FloatRun run;
    FailureOr<HostValues> results = runOnFloats(program, moved, run);
    if (failed(results))
      return failure();
    for (auto [result, expected, found] : llvm::zip_equal(*results, want, got))
      if (!compareTensors(expected.toTensor(), result.toTensor(), nullptr)
               .equal)
        found = expected;
  }
  return success();
}

/// Compares the program's machine code with the evaluator. Both run the same
/// plan, so sums have one order and only rounding tells them apart.
static LogicalResult compareMachineCode(Program &program,
                                        Comparison &comparison) {
  FailureOr<HostValues> inputs = makeHostInputs(program, "normal", 3);
  FloatRun evaluated, compiled;
  compiled.checkReplicas = true;
  if (failed(inputs))
    return failure();
  FailureOr<HostValues> want = runOnFloats(program, *inputs, evaluated);
  if (failed(want) ||
      failed(compileToMachineCode(program, CodeKind::CPU, /*cacheFolder=*/"")))
    return failure();
  FailureOr<HostValues> got = runOnFloats(program, *inputs, compiled);
  if (failed(got))
    return failure();
  // Results of which the evaluator's own replicas differ say nothing.
  auto compare = [&] {
    comparison = Comparison();
    compareValues(program, *want, *got,
                  evaluated.faults.empty() ? compiled.faults
                                           : std::vector<ReplicaFault>(),
                  comparison);
  };
  compare();
  if (comparison.equal)
    return success();
  if (failed(excuseUnstable(program, *inputs, *want, *got)))
    return failure();
  compare();
  return success();
}

/// The verdict, in the child.
static Verdict judgeHere(MLIRContext &context, StringRef text,
                         const Trial &trial) {
  Verdict verdict;
  bool hasFix = false;
  std::string errors;
  ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      hasFix |= StringRef(note.str()).starts_with("fix:");
    return success();
  });
  PipelineOptions options;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(readPipelineOptions(trial.pipeline, options)))
    return {Outcome::Invalid, errors};
  FailureOr<Program> program = compileProgram(std::move(module), options);
  if (failed(program))
    return {hasFix ? Outcome::Refused : Outcome::Crash, errors};
  Comparison comparison;
  if (failed(compareExactly(*program, "normal", 1, comparison))) {
    std::string cause = errors;
    FailureOr<Values> inputs = makeInputValues(*program, "normal", 2, nullptr);
    if (failed(inputs) || failed(runUnsharded(*program, *inputs, nullptr)))
      return {Outcome::Invalid, cause};
    return {Outcome::Different, "the partition does not run: " + cause};
  }
  if (comparison.equal && trial.runsMachineCode) {
    Comparison floats;
    if (failed(compareMachineCode(*program, floats)))
      return {hasFix ? Outcome::Refused : Outcome::Crash,
              "machine code: " + errors};
    if (!floats.equal) {
      comparison.equal = false;
      comparison.faults = std::move(floats.faults);
      comparison.faults.insert(comparison.faults.begin(),
                               "machine code on floats");
    }
  }
  for (const std::string &fault : comparison.faults)
    verdict.message += (verdict.message.empty() ? "" : "; ") + fault;
  if (!comparison.equal)
    verdict.outcome = Outcome::Different;
  else if (comparison.vacuous.size() == program->outputs.size())
    verdict.outcome = Outcome::Vacuous;
  return verdict;
}

Verdict judge(MLIRContext &context, StringRef text, const Trial &trial) {
  int ends[2];
  if (pipe(ends) != 0)
    return {Outcome::Invalid, "no pipe to a child process"};
  pid_t child = fork();
  if (child == 0) {
    for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
      signal(number, SIG_DFL);
    close(ends[0]);
    if (!freopen("/dev/null", "w", stderr))
      _exit(1);
    alarm(trial.seconds);
    Verdict verdict = judgeHere(context, text, trial);
    std::string report(1, 'A' + static_cast<char>(verdict.outcome));
    report += verdict.message.substr(0, 4000);
    bool written = write(ends[1], report.data(), report.size()) > 0;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string report;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    report.append(buffer, count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || report.empty()) {
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return {Outcome::Crash,
            number == SIGALRM
                ? "no result in " + std::to_string(trial.seconds) + " s"
                : "died of signal " + std::to_string(number)};
  }
  return {static_cast<Outcome>(report[0] - 'A'), report.substr(1)};
}

} // namespace partita
