// Delta debugging over the ops of a module. Upstream's reduction-tree erases ops
// whose results are in use, which leaves little to try in SSA programs; here an op
// is replaced by values of its results' types, so that nearly every candidate is
// valid. Runs of ops are tried before single ones: half of them, a quarter, ...
//
// Before: a valid module that the script finds interesting. After: a smaller one,
// of which no single op can be simplified further.
#include "ReduceOps.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Tester.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace {

/// Zeros of `type`; null where there are none (tokens, dynamic shapes).
Value createZeros(OpBuilder &builder, Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return nullptr;
  auto zeros = dyn_cast_or_null<ElementsAttr>(builder.getZeroAttr(tensor));
  if (!zeros)
    return nullptr;
  return partita::stablehlo::ConstantOp::create(builder, loc, tensor, zeros);
}

/// Something simpler of the type of `result`: an operand of `op` or zeros.
Value getSimpler(OpBuilder &builder, OpResult result) {
  for (Value operand : result.getOwner()->getOperands())
    if (operand.getType() == result.getType())
      return operand;
  return createZeros(builder, result.getLoc(), result.getType());
}

/// Erases `op` and what was computed for it alone.
void eraseWithInputs(Operation *op) {
  SmallVector<Value> inputs(op->getOperands());
  op->erase();
  for (Value input : inputs)
    if (Operation *producer = input.getDefiningOp())
      if (isOpTriviallyDead(producer))
        eraseWithInputs(producer);
}

/// Removes `op`. False, and nothing changed, if there is no way to.
bool simplify(Operation *op, Operation *root) {
  if (op == root || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (isa<SymbolOpInterface>(op)) {
    if (!SymbolTable::symbolKnownUseEmpty(op, root))
      return false;
    op->erase();
    return true;
  }
  bool unusedConstant = op->use_empty() && op->hasTrait<OpTrait::ConstantLike>();
  if (op->hasTrait<OpTrait::ConstantLike>() && !unusedConstant)
    return false;
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (OpResult result : op->getResults()) {
    Value value = result.use_empty() ? Value(result) : getSimpler(builder, result);
    if (!value)
      return false; // zeros made so far are dead; the candidate is dropped
    values.push_back(value);
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    if (result != value)
      result.replaceAllUsesWith(value);
  eraseWithInputs(op);
  return true;
}

struct ReduceOpsPass : PassWrapper<ReduceOpsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceOpsPass)
  ReduceOpsPass() = default;
  ReduceOpsPass(const ReduceOpsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "reduce-ops"; }
  StringRef getDescription() const override {
    return "Make the module small while a script finds it interesting";
  }
  void runOnOperation() override;

  Option<std::string> script{
      *this, "test",
      llvm::cl::desc("script that gets a file and exits with 1 if it is "
                     "interesting")};
  ListOption<std::string> scriptArguments{
      *this, "test-arg", llvm::cl::desc("arguments of the script")};

private:
  LogicalResult checkScript();
  bool isInteresting(ModuleOp module);
  bool tryRange(size_t begin, size_t end);
  bool sweep();
};

} // namespace

LogicalResult ReduceOpsPass::checkScript() {
  auto fail = [&](const Twine &what, const Twine &fix) -> LogicalResult {
    InFlightDiagnostic diagnostic = emitError(getOperation().getLoc()) << what;
    diagnostic.attachNote() << "fix: " << fix;
    return failure();
  };
  if (script.empty())
    return fail("reduce-ops has no script",
                "name one: -reduce-ops='test=is-interesting.sh'");
  if (!llvm::sys::fs::can_execute(script))
    return fail("cannot run the script '" + script + "'",
                "name a file that exists and make it executable");
  if (!isInteresting(getOperation()))
    return fail("the script does not find the whole program interesting",
                "let it exit with status 1 where the fault shows, else with 0");
  return success();
}

bool ReduceOpsPass::isInteresting(ModuleOp module) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(verify(module)))
    return false;
  std::vector<std::string> arguments(scriptArguments.begin(),
                                     scriptArguments.end());
  Tester tester(script, arguments);
  return tester.isInteresting(module).first == Tester::Interestingness::True;
}

/// Ops in an order in which users come before what they use.
static SmallVector<Operation *> listOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  std::reverse(ops.begin(), ops.end());
  return ops;
}

/// Removes the ops at positions [begin, end) of listOps, if what is left is
/// interesting.
bool ReduceOpsPass::tryRange(size_t begin, size_t end) {
  ModuleOp module = getOperation();
  OwningOpRef<ModuleOp> candidate = module.clone();
  SmallVector<Operation *> ops = listOps(*candidate);
  llvm::DenseSet<Operation *> alive(ops.begin(), ops.end());
  bool changed = false;
  for (size_t i = begin; i < std::min(end, ops.size()); ++i) {
    if (!alive.contains(ops[i]) || !simplify(ops[i], *candidate))
      continue;
    changed = true;
    alive.clear(); // one removal may take others with it
    candidate->walk([&](Operation *op) { alive.insert(op); });
  }
  if (!changed || !isInteresting(*candidate))
    return false;
  module.getBodyRegion().takeBody(candidate->getBodyRegion());
  return true;
}

/// True if something could be removed.
bool ReduceOpsPass::sweep() {
  bool changed = false;
  size_t size = listOps(getOperation()).size();
  for (size_t run = size; run > 0; run /= 2)
    for (size_t begin = 0; begin < size;) {
      if (!tryRange(begin, begin + run)) {
        begin += run;
        continue;
      }
      changed = true;
      size = listOps(getOperation()).size();
    }
  return changed;
}

void ReduceOpsPass::runOnOperation() {
  if (failed(checkScript()))
    return signalPassFailure();
  while (sweep())
    ;
}

void partita::registerReduceOpsPass() { PassRegistration<ReduceOpsPass>(); }
