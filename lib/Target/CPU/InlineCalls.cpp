// cpu-inline-calls: bodies of small functions, and of those with one call, go
// where they are called, so that fusion and updates in place see through them.
// JAX makes a function of each jnp.where or silu, and of the body of each scan.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

struct InlineCalls : impl::InlineCallsPassBase<InlineCalls> {
  using InlineCallsPassBase::InlineCallsPassBase;

  /// Few ops, none of which is more than loops or moves.
  static bool isSmall(func::FuncOp function) {
    constexpr size_t limit = 40;
    Block &body = function.getBody().front();
    return body.getOperations().size() <= limit &&
           llvm::all_of(body.without_terminator(), [](Operation &op) {
             return isa<linalg::LinalgOp>(op) ||
                    (op.getNumRegions() == 0 && isPure(&op));
           });
  }

  void inlineCall(func::CallOp call, func::FuncOp callee) {
    OpBuilder b(call);
    IRMapping mapping;
    Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call.getOperands());
    for (Operation &op : body.without_terminator())
      b.clone(op, mapping);
    for (auto [result, value] :
         llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }

  /// Callees first: what is small may become so by inlining, or cease to be.
  void visit(func::FuncOp function, SymbolTable &symbols,
             DenseSet<Operation *> &done) {
    if (function.isExternal() || !done.insert(function).second)
      return;
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal() || callee->hasAttr("partita.body"))
        continue;
      visit(callee, symbols, done);
      if (callee.isPrivate() && (isSmall(callee) || numCalls[callee] == 1))
        inlineCall(call, callee);
    }
  }

  /// In the module as it came.
  DenseMap<Operation *, unsigned> numCalls;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    getOperation().walk([&](func::CallOp call) {
      ++numCalls[symbols.lookup(call.getCallee())];
    });
    DenseSet<Operation *> done;
    for (auto function : getOperation().getOps<func::FuncOp>())
      visit(function, symbols, done);
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function.isPrivate() && !function->hasAttr("partita.body") &&
          SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function.erase();
  }
};

} // namespace
} // namespace partita
