// What partita-run tells about a run, as text or as JSON.
#ifndef PARTITA_TOOLS_RUN_REPORT_H
#define PARTITA_TOOLS_RUN_REPORT_H

#include "Compare.h"
#include "partita/Pipelines/PlanSummary.h"

namespace partita {

struct Outcome {
  Comparison comparison;
  /// The comparison was one over the prime field.
  bool isExact = false;
  /// What ran the program, and the reference that it was compared with; "":
  /// nothing did.
  std::string engine, reference;
  PlanSummary plan;
  int64_t devices = 0;
  double compileMs = 0;
  /// All that was done on floats or in the field, unless `timedMs` tells more.
  double runMs = 0;
  /// Time of the program alone, run by run.
  std::vector<double> timedMs;
  /// Of the machine code, where there is any.
  std::optional<CompileReport> report;
};

/// One object on one line.
void printJson(llvm::raw_ostream &os, const Outcome &outcome);
void printText(llvm::raw_ostream &os, const Outcome &outcome);

} // namespace partita

#endif
