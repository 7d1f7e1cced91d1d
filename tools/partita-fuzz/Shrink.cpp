// Makes a failing program small: drops results, ops and shardings, one at a
// time, as long as the verdict stays.

#include "Judge.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace partita {

static constexpr StringLiteral kSharding = "sdy.sharding";

namespace {
/// Applies the n-th simplification that a module offers.
class Simplifier {
public:
  Simplifier(ModuleOp module, unsigned wanted)
      : module(module), main(module.lookupSymbol<func::FuncOp>("main")),
        wanted(wanted) {}

  /// False if there are not that many.
  bool run() {
    bool done = dropResults() || replaceOps() || dropShardings();
    if (done)
      sweep();
    return done;
  }

private:
  bool isNext() { return count++ == wanted; }

  bool dropResults() {
    Operation *ret = main.front().getTerminator();
    if (ret->getNumOperands() < 2)
      return false;
    for (unsigned i = 0; i < ret->getNumOperands(); ++i)
      if (isNext()) {
        ret->eraseOperand(i);
        return succeeded(main.eraseResult(i));
      }
    return false;
  }

  bool replaceOps() {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (op->getNumResults() && !isa<ModuleOp>(op) &&
          isa_and_nonnull<func::FuncOp>(op->getParentOp()))
        ops.push_back(op);
    });
    // Bodies of reductions and the like stay: another combiner means another
    // fault.
    module.walk([&](Operation *op) {
      if (op->getNumResults() &&
          isa_and_nonnull<stablehlo::WhileOp, stablehlo::IfOp,
                          stablehlo::CaseOp, sdy::ManualComputationOp>(
              op->getParentOp()))
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops)) {
      // An input in place of all results.
      if (op->getBlock() == &main.front() && isNext()) {
        for (Value result : op->getResults()) {
          unsigned at = main.getNumArguments();
          if (failed(
                  main.insertArgument(at, result.getType(), {}, op->getLoc())))
            return false;
          result.replaceAllUsesWith(main.getArgument(at));
        }
        op->erase();
        return true;
      }
      for (Value result : op->getResults())
        for (Value operand : op->getOperands())
          if (operand.getType() == result.getType() && !result.use_empty() &&
              isNext()) {
            result.replaceAllUsesWith(operand);
            return true;
          }
    }
    return false;
  }

  /// Fewer axes in one sharding; null in place of none at all.
  bool simplify(Attribute attribute, Attribute &simpler) {
    auto sharding = dyn_cast_or_null<sdy::ShardingAttr>(attribute);
    if (!sharding)
      return false;
    if (isNext()) {
      simpler = nullptr;
      return true;
    }
    for (auto [index, dim] : llvm::enumerate(sharding.getDims())) {
      if ((dim.getAxes().empty() && dim.getIsClosed()) || !isNext())
        continue;
      SmallVector<sdy::DimShardingAttr> dims(sharding.getDims());
      ArrayRef<sdy::AxisRefAttr> axes = dim.getAxes();
      dims[index] = sdy::DimShardingAttr::get(
          dim.getContext(), axes.empty() ? axes : axes.drop_back(), true, -1);
      simpler = sdy::ShardingAttr::get(
          dim.getContext(), sharding.getMeshOrRef(), dims,
          sharding.getReplicated(), sharding.getUnreduced(),
          sharding.getReductionOp());
      return true;
    }
    return false;
  }

  bool dropShardings() {
    Attribute simpler;
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (simplify(main.getArgAttr(i, kSharding), simpler)) {
        simpler ? main.setArgAttr(i, kSharding, simpler)
                : (void)main.removeArgAttr(i, kSharding);
        return true;
      }
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (simplify(main.getResultAttr(i, kSharding), simpler)) {
        simpler ? main.setResultAttr(i, kSharding, simpler)
                : (void)main.removeResultAttr(
                      i, StringAttr::get(main.getContext(), kSharding));
        return true;
      }
    bool done = false;
    main.walk([&](sdy::ShardingConstraintOp op) {
      if (done || !simplify(op.getSharding(), simpler))
        return;
      if (simpler)
        op.setShardingAttr(cast<sdy::ShardingAttr>(simpler));
      else
        op->replaceAllUsesWith(ValueRange(op->getOperands()));
      done = true;
    });
    return done;
  }

  /// Erases what nothing uses.
  void sweep() {
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<Operation *> dead;
      module.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op->getNumResults() == 0 || !op->use_empty())
          return WalkResult::advance();
        dead.push_back(op);
        return WalkResult::skip(); // what it holds goes with it
      });
      for (Operation *op : dead)
        op->erase();
      changed = !dead.empty();
      for (auto function :
           llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
        if (function != main &&
            SymbolTable::symbolKnownUseEmpty(function, module)) {
          function.erase();
          changed = true;
        }
    }
    for (unsigned i = main.getNumArguments(); i-- > 0;)
      if (main.getArgument(i).use_empty() && main.getNumArguments() > 1)
        (void)main.eraseArgument(i);
  }

  ModuleOp module;
  func::FuncOp main;
  unsigned wanted, count = 0;
};
} // namespace

std::string shrink(MLIRContext &context, std::string text, Outcome outcome,
                   const Trial &trial, unsigned attempts) {
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  unsigned step = 0, sinceChange = 0;
  while (attempts > 0) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return text;
    if (!Simplifier(*module, step).run()) {
      if (sinceChange == 0 || step == 0)
        return text;
      step = sinceChange = 0;
      continue;
    }
    ++step;
    std::string simpler;
    llvm::raw_string_ostream os(simpler);
    if (failed(verify(*module)))
      continue;
    module->print(os);
    --attempts;
    if (simpler == text || judge(context, simpler, trial).outcome != outcome)
      continue;
    text = simpler;
    ++sinceChange;
    --step; // the next one has its number now
  }
  return text;
}

} // namespace partita
