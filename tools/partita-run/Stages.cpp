// Keeps a clone of the program after each pass that changed it.

#include "Stages.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "partita/Transforms/Partition/Passes.h"
#include "partita/Transforms/Propagation/Passes.h"
#include <optional>

using namespace mlir;

namespace partita {
namespace {

class StageKeeper : public PassInstrumentation {
public:
  StageKeeper(ModuleOp module, std::vector<Stage> &stages)
      : module(module), stages(stages),
        firstPass(createPropagateShardingsPass()->getArgument()),
        partitionPass(createPartitionPass()->getArgument()) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (pass->getArgument() == firstPass)
      last.emplace(module);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (!last || op != module)
      return;
    isPerDevice |= pass->getArgument() == partitionPass;
    OperationFingerPrint now(module);
    if (now == *last)
      return;
    last = now;
    stages.push_back({pass->getArgument().str(), module.clone(), isPerDevice});
  }

private:
  ModuleOp module;
  std::vector<Stage> &stages;
  std::string firstPass, partitionPass;
  /// None before the first pass.
  std::optional<OperationFingerPrint> last;
  bool isPerDevice = false;
};

} // namespace

void keepStages(PassManager &pm, ModuleOp module, std::vector<Stage> &stages) {
  pm.addInstrumentation(std::make_unique<StageKeeper>(module, stages));
}

} // namespace partita
