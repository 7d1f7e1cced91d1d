// A plan as people read it: what is sharded how, each collective with its price
// and reason, memory over the program. Source of remarks, reports and diffs.
#ifndef PARTITA_REPORT_PLAN_H
#define PARTITA_REPORT_PLAN_H

#include "partita/Report/PlanTrace.h"
#include "partita/Sharding/CostModel.h"

namespace partita {

/// A whole value and its layouts before and after.
struct PlanMove {
  std::string value;
  mlir::RankedTensorType type;
  spmd::ShardingAttr from, to;
};

/// Why a collective exists.
struct PlanReason {
  /// What is moved, from which layout to which, for whom.
  std::string summary;
  /// Why it is in the one layout and wanted in the other, down to annotations.
  std::vector<std::string> causes;
  /// What it would take to be rid of it.
  std::string removal;
  /// The reshards that it carries out.
  llvm::SmallVector<PlanMove, 1> moves;
};

struct PlanCollective {
  std::string kind;  ///< "all_gather"
  std::string axes;  ///< `{"x", "y"}`
  std::string types; ///< of one device: operands -> results
  int64_t bytes = 0; ///< that one device sends in one run
  int64_t trips = 1;
  double seconds = 0; ///< of one run, by the cost model
  mlir::Location loc;
  PlanReason reason;

  int64_t getBytes() const { return bytes * trips; }
  double getSeconds() const { return seconds * double(trips); }
};

/// An argument or result of main.
struct PlanPort {
  std::string name;
  mlir::RankedTensorType global, local; ///< null: no ranked tensor
  spmd::ShardingAttr sharding;
  spmd::MeshAttr mesh;
  std::string origin; ///< who chose the sharding
};

/// What one device holds while an op of main runs.
struct PlanMoment {
  std::string op, location;
  int64_t bytes = 0;
};

struct Plan {
  std::string name, machine;
  int64_t devices = 1;
  std::vector<std::pair<std::string, spmd::MeshAttr>> meshes;
  std::vector<PlanPort> arguments, results;
  /// Those that send, longest time first.
  std::vector<PlanCollective> collectives;
  std::vector<PlanMoment> memory;
  int64_t sentBytes = 0, launches = 0, peakBytes = 0;
  double seconds = 0; ///< of all collectives
};

/// The plan of a module at phase *optimized*. Without a trace, or with one that
/// recorded nothing, collectives have no reasons.
Plan describePlan(mlir::ModuleOp module, const CostModel &model,
                  const PlanTrace *trace);

/// The reason of the collective `op`, at phase *partitioned* or later.
PlanReason explainCollective(mlir::Operation *op, const PlanTrace &trace);

/// "1.2 us", "340 ms".
std::string printSeconds(double seconds);
/// "1.50 MB", "512 bytes".
std::string printBytes(double bytes);

/// One JSON object.
void printJson(const Plan &plan, llvm::raw_ostream &os);
/// One HTML page that needs no other file.
void printHtml(const Plan &plan, llvm::raw_ostream &os);
/// What `b` does otherwise than `a`, in bytes.
void printDifference(const Plan &a, const Plan &b, llvm::raw_ostream &os);
/// Why the value (%name) or the ops (name) in the trace's question are split
/// as they are. Fails, and prints nothing, if there are none.
mlir::LogicalResult printExplanation(const PlanTrace &trace, const Plan &plan,
                                     bool isTime, llvm::raw_ostream &os);

} // namespace partita

#endif
