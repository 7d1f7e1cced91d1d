// partita-fuzz: random programs with random shardings, each compiled and
// compared exactly with the unsharded program.

#include "Families.h"
#include "Judge.h"
#include "mlir/IR/DialectRegistry.h"
#include "partita/Pipelines/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("partita-fuzz options");

cl::opt<uint64_t> seed("seed", cl::desc("seed of the first program"),
                       cl::init(0), cl::cat(category));
cl::opt<uint64_t> count("count", cl::desc("programs to try"), cl::init(100),
                        cl::cat(category));
cl::list<std::string> families("family",
                               cl::desc("the op families to use, by commas"),
                               cl::CommaSeparated, cl::cat(category));
cl::opt<int64_t> maxOps("max-ops", cl::desc("most ops of one program"),
                        cl::init(8), cl::cat(category));
cl::opt<std::string> pipeline(
    "partita",
    cl::desc(
        "options of the pipeline, as in partita-opt; by default they vary"),
    cl::cat(category));
cl::opt<bool> printOnly("print", cl::desc("print the programs and run nothing"),
                        cl::cat(category));
cl::opt<bool> noShrink("no-shrink", cl::desc("print failures as generated"),
                       cl::cat(category));
cl::opt<std::string> saveTo("save", cl::desc("folder for each failing program"),
                            cl::cat(category));
cl::opt<std::string> engine(
    "engine",
    cl::desc("eval: exact comparison; jit: then machine code as well, on "
             "floats"),
    cl::init("eval"), cl::cat(category));
cl::opt<unsigned> timeout("timeout", cl::desc("seconds for one program"),
                          cl::init(20), cl::cat(category));

constexpr llvm::StringLiteral kOverview =
    R"(random programs, partitioned and compared exactly

Examples:
  partita-fuzz --seed=1 --count=1000            a thousand programs
  partita-fuzz --seed=1742 --count=1            one of them again, made small
  partita-fuzz --family=scatter --count=200     ops of one family
  partita-fuzz --family=slice,pad --count=200   ops of two, in chains
  partita-fuzz --engine=jit --count=200         machine code as well
)";

/// Small values are best gathered on a real machine, so most programs are
/// planned for other prices: then ops run sharded.
std::string choosePipeline(uint64_t at) {
  if (pipeline.getNumOccurrences())
    return pipeline;
  const char *choices[] = {"uneven-io=pad", "uneven-io=pad objective=bytes",
                           "uneven-io=pad machine=free-network",
                           "uneven-io=pad machine=free-network"};
  return choices[at % 4];
}

Trial chooseTrial(uint64_t at) {
  return {choosePipeline(at), timeout, engine == "jit"};
}

/// The message with numbers and names taken out.
std::string generalize(StringRef message) {
  std::string text;
  bool quoted = false;
  for (char c : message.take_front(400)) {
    if (c == '\'' || c == '"') {
      quoted = !quoted;
      text += quoted ? "'..'" : "";
    } else if (!quoted && isdigit(c)) {
      if (text.empty() || text.back() != '#')
        text += '#';
    } else if (!quoted) {
      text += c;
    }
  }
  return StringRef(text).take_front(160).str();
}

StringRef describe(Outcome outcome) {
  switch (outcome) {
  case Outcome::Different:
    return "DIFFERENT";
  case Outcome::Crash:
    return "CRASH";
  case Outcome::Vacuous:
    return "VACUOUS";
  case Outcome::Invalid:
    return "INVALID";
  default:
    return "";
  }
}

/// Shrinks and shows a failure.
void report(MLIRContext &context, uint64_t at, std::string text,
            const Verdict &verdict) {
  llvm::outs() << describe(verdict.outcome) << " seed " << at << " ("
               << choosePipeline(at) << "): " << verdict.message << "\n";
  if (verdict.outcome == Outcome::Different ||
      verdict.outcome == Outcome::Crash)
    if (!noShrink)
      text = shrink(context, std::move(text), verdict.outcome, chooseTrial(at),
                    300);
  if (verdict.outcome != Outcome::Vacuous)
    llvm::outs() << text << "\n";
  llvm::outs().flush();
  if (saveTo.empty())
    return;
  std::error_code error = llvm::sys::fs::create_directories(saveTo);
  llvm::raw_fd_ostream file(saveTo + "/" + describe(verdict.outcome).lower() +
                                "-" + std::to_string(at) + ".mlir",
                            error);
  if (!error)
    file << "// " << StringRef(verdict.message).split('\n').first << "\n"
         << text;
}

bool isFamily(StringRef name) {
  return llvm::any_of(getFamilies(),
                      [&](const Family &known) { return name == known.name; });
}

int run() {
  if (engine != "eval" && engine != "jit") {
    llvm::errs() << "error: no engine is called '" << engine
                 << "'\nnote: fix: use eval or jit\n";
    return 1;
  }
  if (auto unknown = llvm::find_if_not(families, isFamily);
      unknown != families.end()) {
    llvm::errs() << "error: no op family is called '" << *unknown
                 << "'\nnote: fix: use one of";
    for (const Family &known : getFamilies())
      llvm::errs() << " " << known.name;
    llvm::errs() << "\n";
    return 1;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllOpModels(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  std::map<Outcome, uint64_t> counts;
  std::map<std::string, std::pair<uint64_t, uint64_t>> refusals;
  for (uint64_t at = seed; at < seed + count; ++at) {
    // Chance makes some programs that no input reaches; the next try does
    // better.
    std::string text;
    Verdict verdict{Outcome::Vacuous, ""};
    for (uint64_t attempt = 0;
         attempt < 3 && verdict.outcome == Outcome::Vacuous; ++attempt) {
      text = Generator({at, attempt, families, maxOps}).generate();
      verdict = judge(context, text, chooseTrial(at));
    }
    if (printOnly) {
      llvm::outs() << text << "\n";
      continue;
    }
    ++counts[verdict.outcome];
    if (verdict.outcome == Outcome::Refused) {
      auto &entry = refusals[generalize(verdict.message)];
      if (entry.first++ == 0)
        entry.second = at;
    } else if (verdict.outcome != Outcome::Equal) {
      report(context, at, std::move(text), verdict);
    }
  }
  if (printOnly)
    return 0;
  for (const auto &[message, entry] : refusals)
    llvm::outs() << "refused " << entry.first << " (seed " << entry.second
                 << "): " << message << "\n";
  if (uint64_t bad = counts[Outcome::Vacuous] + counts[Outcome::Invalid])
    llvm::outs() << bad << " programs were vacuous or invalid\n";
  llvm::outs() << count << " programs, " << counts[Outcome::Different]
               << " differences, " << counts[Outcome::Crash] << " crashes, "
               << counts[Outcome::Refused] << " refused\n";
  return counts[Outcome::Different] || counts[Outcome::Crash] ||
         counts[Outcome::Vacuous] || counts[Outcome::Invalid];
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  return run();
}
