// Comparison of a partition with a reference.
#ifndef PARTITA_TOOLS_RUN_COMPARE_H
#define PARTITA_TOOLS_RUN_COMPARE_H

#include "Program.h"

namespace partita {

/// The outcome over all results.
struct Comparison {
  bool ran = false;
  bool equal = true;
  double maxAbsDiff = 0;
  /// Largest share of NaN in one result of the reference.
  double nanShare = 0;
  /// Results that no input changes, by name; only from the exact comparison.
  std::vector<std::string> vacuous;
  /// Stages that the exact comparison covered.
  size_t numStages = 0;
  /// What differs, for people.
  std::vector<std::string> faults;
};

/// Compares the values of one run; `field` as they were computed.
void compareValues(const Program &program, const Values &reference,
                   const Values &values,
                   const std::vector<ReplicaFault> &replicas,
                   const Field *field, Comparison &comparison);

/// The same for values as dense bytes.
void compareValues(const Program &program, const HostValues &reference,
                   const HostValues &values,
                   const std::vector<ReplicaFault> &replicas,
                   Comparison &comparison);

/// Original and partition over the prime field, on pairs of seeds (DESIGN
/// "Verification"); inputs as makeInputValues makes them of `spec`. Stages of
/// the program are compared too, up to the first that differs.
mlir::LogicalResult compareExactly(Program &program, llvm::StringRef spec,
                                   uint64_t seed, Comparison &comparison);

} // namespace partita

#endif
