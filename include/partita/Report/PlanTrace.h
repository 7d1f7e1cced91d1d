// What a compilation decided on its way, kept for questions about its result.
//
// Propagation and placement tell it what they did. Ops are found again in later
// phases by their locations, which the trace marks with numbers: ops that
// passes replace carry their locations on. removeMarks takes the marks off
// again.
#ifndef PARTITA_REPORT_PLANTRACE_H
#define PARTITA_REPORT_PLANTRACE_H

#include "partita/Transforms/Placement/PlacementObserver.h"
#include "partita/Transforms/Propagation/PropagationObserver.h"

namespace partita {

using propagation::SlotId;

/// A value of the program as propagation saw it.
struct TracedValue {
  std::string name; ///< as `--partita-to=propagated` prints it
  SlotId slot = propagation::kNone;
};

/// An op at phase *propagated*.
struct TracedOp {
  TracedOp(std::string name, mlir::Location loc)
      : name(std::move(name)), loc(loc) {}
  std::string name;
  mlir::Location loc;
  llvm::SmallVector<SlotId, 2> operands;
  llvm::SmallVector<TracedValue, 1> results;
  /// What propagation proposed for the results; null: no ranked tensor.
  llvm::SmallVector<spmd::ShardingAttr, 1> proposed;
  /// What placement chose.
  llvm::SmallVector<spmd::ShardingAttr, 1> chosen;
  /// Cheapest first; only of ops that someone asked for.
  std::vector<SplitStrategy> strategies;
};

/// Who reads a resharded value.
struct TracedUse {
  int op = -1; ///< number of the traced op; -1: see `text`
  unsigned operand = 0;
  bool isResult = false; ///< returned by the function, as its result `operand`
  std::string function;
  std::string text;
};

/// A dimension that an op sums while it is split: why its result is partial.
struct SummedDimension {
  unsigned operand = 0, dim = 0;
  SlotId slot = propagation::kNone;
  llvm::SmallVector<spmd::AxisRefAttr, 2> axes;
};

/// An spmd.reshard at phase *placed*.
struct TracedReshard {
  spmd::ShardingAttr from, to;
  mlir::RankedTensorType type;
  TracedValue value;
  int producer = -1; ///< number of the traced op; -1: an argument
  llvm::SmallVector<SummedDimension, 2> summed;
  llvm::SmallVector<TracedUse, 2> uses;
  /// The user asked for this layout of the value.
  bool isConstraint = false;
};

/// An op at phase *placed*, from which collectives come.
struct PlacedOp {
  int op = -1; ///< number of the traced op; -1: made later
  std::string name;
  mlir::Location loc;
  std::optional<TracedReshard> reshard;
};

class PlanTrace : public PropagationObserver, public PlacementObserver {
public:
  /// Records where remarks of category `plan` are wanted, or `always`.
  explicit PlanTrace(bool always = false) : always(always) {}

  /// The value (%name) or op (name) whose strategies are wanted; empty: none.
  std::string question;

  void
  recordPropagation(mlir::ModuleOp module,
                    std::shared_ptr<propagation::PropagationRun> run) override;
  bool wantsStrategies(mlir::Operation *op) override;
  void recordStrategies(mlir::Operation *op,
                        llvm::ArrayRef<SplitStrategy> strategies) override;
  void recordPlacement(mlir::ModuleOp module) override;

  bool isRecorded() const { return run != nullptr; }
  llvm::ArrayRef<TracedOp> getOps() const { return ops; }
  llvm::ArrayRef<PlacedOp> getPlacedOps() const { return placed; }
  /// What the ops at this location of a later phase come from.
  llvm::SmallVector<unsigned, 1> getPlacedOps(mlir::Location loc) const;

  /// The value of a slot as one says it: "%arg1", "result 0 of @main".
  std::string getName(SlotId slot) const;
  mlir::Location getLoc(SlotId slot) const;
  /// Sharding that propagation gave; null if none.
  spmd::ShardingAttr getProposed(SlotId slot) const;
  /// Whose annotation gave dimension `dim` of the slot its axes: "the sharding
  /// of argument %arg1 (file:3:5)". Empty: none is known.
  std::string describeOrigin(SlotId slot, unsigned dim) const;
  /// The steps that led there, first the slot's own, as text.
  std::vector<std::string> describeSteps(SlotId slot, unsigned dim) const;
  /// Slot of a function's argument or result; kNone if there is none.
  SlotId getArgumentSlot(llvm::StringRef function, unsigned index) const;
  SlotId getResultSlot(llvm::StringRef function, unsigned index) const;
  /// True if the user wrote the sharding of a function's result.
  bool isResultAnnotated(llvm::StringRef function, unsigned index) const;

private:
  void nameSlots(mlir::ModuleOp module);
  std::string describeAnnotation(SlotId slot) const;
  TracedValue getValue(mlir::Value value) const;
  int getTracedOp(mlir::Operation *op) const;
  void recordReshard(spmd::ReshardOp reshard, PlacedOp &record) const;
  void recordSums(mlir::Operation *producer, TracedReshard &record) const;

  bool always;
  std::shared_ptr<propagation::PropagationRun> run;
  std::vector<TracedOp> ops;
  std::vector<PlacedOp> placed;
  /// By slot: its name, where it is, and the constraint on it.
  std::vector<std::string> names;
  std::vector<std::optional<mlir::Location>> locations, constraints;
  std::vector<spmd::ShardingAttr> proposed;
  std::vector<bool> isArgument;
  /// By op that propagation passed axes through, its name.
  llvm::DenseMap<propagation::NodeId, std::string> nodeNames;
  using Port = std::pair<std::string, unsigned>;
  std::map<Port, SlotId> argumentSlots, resultSlots;
  std::set<Port> proposedResults;
};

/// `loc` without the trace's marks.
mlir::Location removeMarks(mlir::Location loc);
/// All locations of the module without them.
void removeMarks(mlir::ModuleOp module);

/// "file:3:5", or the name that the frontend gave; empty if unknown.
std::string printLocation(mlir::Location loc);
/// `[{"x"}, {}] unreduced {"y"}`.
std::string printLayout(spmd::ShardingAttr sharding);

} // namespace partita

#endif
