// One run of propagation on a module, kept for questions about its result.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONRUN_H
#define PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONRUN_H

#include "partita/Transforms/Propagation/ModuleGraph.h"
#include "partita/Transforms/Propagation/PropagationEngine.h"
#include <memory>

namespace partita::propagation {

class PropagationRun {
public:
  /// Propagates and annotates `module`, which is at phase *imported*. Fails,
  /// with an error, where buildGraph, groups or calls do.
  static mlir::FailureOr<std::unique_ptr<PropagationRun>>
  run(mlir::ModuleOp module);

  const PropagationProvenance &getProvenance() const { return provenance; }
  const ModuleGraph &getModuleGraph() const { return *moduleGraph; }
  uint64_t getNumVisits() const { return numVisits; }
  uint64_t getNumValues() const { return moduleGraph->graph.slots.size(); }
  const std::array<uint64_t, kNumStages> &getStepsByStage() const {
    return stepsByStage;
  }

  /// Emits a remark on `value` that says its sharding, and a note for each step
  /// that led to it, back to the values that were annotated.
  void explain(mlir::Value value, mlir::AsmState &names) const;
  /// Emits a remark for each step, in the order in which they were taken.
  void explainSteps(mlir::AsmState &names) const;

private:
  explicit PropagationRun(std::unique_ptr<ModuleGraph> graph)
      : moduleGraph(std::move(graph)) {}
  std::string getName(SlotId slot, mlir::AsmState &names) const;
  std::string getAxes(SlotId slot, ListId axes) const;
  void print(const PropagationStep &step, mlir::AsmState &names,
             mlir::Diagnostic &os) const;

  std::unique_ptr<ModuleGraph> moduleGraph;
  PropagationProvenance provenance;
  uint64_t numVisits = 0;
  std::array<uint64_t, kNumStages> stepsByStage{};
  /// A value of each slot, for its name.
  mutable llvm::DenseMap<SlotId, mlir::Value> valueOf;
};

} // namespace partita::propagation

#endif
