// Writes outcomes.

#include "Report.h"
#include "llvm/Support/JSON.h"

namespace partita {

static double getMedian(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

static void printReport(llvm::json::OStream &os, const CompileReport &report) {
  os.attributeObject("code", [&] {
    os.attribute("from_cache", report.isFromCache);
    os.attribute("kernels", report.numKernels);
    os.attribute("arena_bytes", report.arenaBytes);
    os.attribute("cache_ms", report.cacheMs);
    os.attribute("lower_ms", report.lowerMs);
    os.attribute("generate_ms", report.generateMs);
    os.attribute("link_ms", report.linkMs);
  });
}

static void printComparison(llvm::json::OStream &os, const Outcome &outcome) {
  os.attribute("equal", outcome.comparison.equal);
  os.attribute("max_abs_diff", outcome.comparison.maxAbsDiff);
  os.attribute("nan_share", outcome.comparison.nanShare);
  if (!outcome.isExact)
    return;
  if (outcome.comparison.numStages)
    os.attribute("stages", outcome.comparison.numStages);
  os.attributeArray("vacuous", [&] {
    for (const std::string &name : outcome.comparison.vacuous)
      os.value(name);
  });
}

void printJson(llvm::raw_ostream &stream, const Outcome &outcome) {
  llvm::json::OStream os(stream);
  os.object([&] {
    if (outcome.comparison.ran)
      printComparison(os, outcome);
    if (!outcome.engine.empty())
      os.attribute("engine", outcome.engine);
    if (!outcome.reference.empty())
      os.attribute("reference", outcome.reference);
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
    os.attribute("run_ms", outcome.timedMs.empty()
                               ? outcome.runMs
                               : getMedian(outcome.timedMs));
    if (outcome.timedMs.size() > 1)
      os.attributeArray("run_ms_all", [&] {
        for (double ms : outcome.timedMs)
          os.value(ms);
      });
    if (outcome.report)
      printReport(os, *outcome.report);
  });
  stream << "\n";
}

void printText(llvm::raw_ostream &os, const Outcome &outcome) {
  if (outcome.comparison.ran) {
    os << (outcome.comparison.equal ? "equal" : "DIFFERENT") << " ("
       << (outcome.isExact ? "exact" : "floats") << ", max |difference| "
       << outcome.comparison.maxAbsDiff;
    if (outcome.comparison.numStages)
      os << ", after each of " << outcome.comparison.numStages << " passes";
    os << ")\n";
    for (const std::string &fault : outcome.comparison.faults)
      os << "  " << fault << "\n";
    for (const std::string &name : outcome.comparison.vacuous)
      os << "  vacuous: " << name << " reacts to no input\n";
  }
  os << outcome.devices << " devices, " << outcome.plan.sentBytes
     << " bytes sent per device, peak " << outcome.plan.peakBytes << " bytes";
  if (!outcome.engine.empty())
    os << ", engine " << outcome.engine;
  if (!outcome.reference.empty())
    os << " against " << outcome.reference;
  os << "\n";
  for (const auto &[kind, count] : outcome.plan.collectives)
    os << "  " << count.count << " x " << kind << ": " << count.sentBytes
       << " bytes\n";
  if (outcome.timedMs.size() > 1)
    os << "  " << outcome.timedMs.size() << " runs, median "
       << llvm::formatv("{0:f3}", getMedian(outcome.timedMs)) << " ms\n";
}

} // namespace partita
