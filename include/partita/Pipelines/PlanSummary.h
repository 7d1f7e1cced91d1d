// What a partitioned program communicates and holds.
#ifndef PARTITA_PIPELINES_PLANSUMMARY_H
#define PARTITA_PIPELINES_PLANSUMMARY_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace partita {

struct CollectiveCount {
  int64_t count = 0;     ///< executions, loops by their static trip count
  int64_t sentBytes = 0; ///< ring model, maximum over devices
};

struct PlanSummary {
  /// By op name without the dialect; ops that send nothing are left out.
  std::map<std::string, CollectiveCount> collectives;
  int64_t sentBytes = 0;
  /// Arguments, results and temporaries of one device at the worst moment.
  int64_t peakBytes = 0;
  /// Loops whose trip count is not static; they count once.
  int64_t unknownLoops = 0;
};

/// Reads a module at phase partitioned or later.
PlanSummary summarizePlan(mlir::ModuleOp module);

/// Devices that the module asks for: mhlo.num_partitions, or num_replicas, or
/// the largest mesh.
int64_t getDeviceCount(mlir::ModuleOp module);

} // namespace partita

#endif
