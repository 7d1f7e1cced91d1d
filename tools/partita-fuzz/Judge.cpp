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
  compareValues(program, *want, *got,
                evaluated.faults.empty() ? compiled.faults
                                         : std::vector<ReplicaFault>(),
                comparison);
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
