// Gives every value a sharding.
// Before: phase imported. After: phase propagated, see Passes.td.
// Leaves to placement: where values are resharded, and whether the interior
// shardings are kept.
#include "mlir/IR/AsmState.h"
#include "partita/Transforms/Propagation/Passes.h"
#include "partita/Transforms/Propagation/PropagationObserver.h"
#include "partita/Transforms/Propagation/ProposedLayouts.h"

using namespace mlir;

namespace partita {
#define GEN_PASS_DEF_PROPAGATESHARDINGSPASS
#include "partita/Transforms/Propagation/Passes.h.inc"

namespace {

struct PropagateShardings
    : impl::PropagateShardingsPassBase<PropagateShardings> {
  using PropagateShardingsPassBase::PropagateShardingsPassBase;
  explicit PropagateShardings(std::shared_ptr<PropagationObserver> observer)
      : observer(std::move(observer)) {}

  void runOnOperation() override {
    markProposedLayouts();
    auto run = propagation::PropagationRun::run(getOperation());
    if (failed(run))
      return signalPassFailure();
    numValues += (*run)->getNumValues();
    numVisits += (*run)->getNumVisits();
    const auto &steps = (*run)->getStepsByStage();
    numFirst += steps[0];
    numSecond += steps[1];
    numThird += steps[2];
    numFourth += steps[3];
    numFifth += steps[4];
    if (!explain.empty())
      explainValues(**run);
    if (observer)
      observer->recordPropagation(getOperation(), std::move(*run));
  }

  /// Notes what of public signatures no user sharded, for placement.
  void markProposedLayouts() {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic())
        continue;
      SmallVector<int64_t> results, arguments;
      for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
        if (!spmd::getResultSharding(function, i))
          results.push_back(i);
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        if (!spmd::getSharding(function.getArgument(i)))
          arguments.push_back(i);
      auto mark = [&](StringRef name, ArrayRef<int64_t> proposed) {
        if (!proposed.empty())
          function->setAttr(name,
                            DenseI64ArrayAttr::get(&getContext(), proposed));
      };
      mark(kProposedResults, results);
      mark(kProposedArguments, arguments);
    }
  }

  void explainValues(const propagation::PropagationRun &run) {
    AsmState names(getOperation());
    if (explain == "steps")
      return run.explainSteps(names);
    auto visit = [&](Value value) {
      std::string name;
      llvm::raw_string_ostream os(name);
      value.printAsOperand(os, names);
      if (explain == "all" || explain == name)
        run.explain(value, names);
    };
    for (Operation *op : run.getModuleGraph().ops) {
      if (auto function = dyn_cast<func::FuncOp>(op))
        llvm::for_each(function.getArguments(), visit);
      else
        llvm::for_each(op->getResults(), visit);
    }
  }

  std::shared_ptr<PropagationObserver> observer;
};

} // namespace

std::unique_ptr<Pass>
createPropagateShardingsPass(std::shared_ptr<PropagationObserver> observer) {
  return std::make_unique<PropagateShardings>(std::move(observer));
}

} // namespace partita
