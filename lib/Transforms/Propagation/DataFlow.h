// Where values flow without an op between them: calls, loops, branches, manual
// regions. Knows interfaces of upstream and ops of spmd only.
#ifndef PARTITA_LIB_TRANSFORMS_PROPAGATION_DATAFLOW_H
#define PARTITA_LIB_TRANSFORMS_PROPAGATION_DATAFLOW_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::propagation {

/// Functions of a module and who calls them. Import has made one private
/// function per call site.
class CallTree {
public:
  /// Fails, with an error, if a function is called twice or calls itself.
  static mlir::FailureOr<CallTree> build(mlir::ModuleOp module);

  /// Functions that nothing in the module calls, in the order of the module.
  llvm::ArrayRef<mlir::func::FuncOp> getRoots() const { return roots; }
  bool isRoot(mlir::func::FuncOp function) const {
    return !callOf.contains(function);
  }
  /// The callee; null when it has no body.
  mlir::func::FuncOp getCallee(mlir::func::CallOp call) const {
    return calleeOf.lookup(call);
  }
  mlir::func::CallOp getCall(mlir::func::FuncOp function) const {
    return callOf.lookup(function);
  }

private:
  mlir::LogicalResult checkRecursion() const;

  llvm::SmallVector<mlir::func::FuncOp> roots;
  llvm::DenseMap<mlir::Operation *, mlir::func::FuncOp> calleeOf;
  llvm::DenseMap<mlir::Operation *, mlir::func::CallOp> callOf;
};

/// True for an op whose regions compute its results from values around it: a
/// loop, a branch, a manual region. The bodies of all other ops (reducers,
/// comparators) carry no shardings.
bool isRegionFlow(mlir::Operation *op);

/// True for an op that hands operand i on as result i (optimization_barrier).
bool isForwarding(mlir::Operation *op);

/// The terminator whose operands are the values that a loop carries around;
/// null when the loop carries none.
mlir::Operation *getLoopTerminator(mlir::Operation *loop);

/// The value that holds the sharding of `value`: an argument of a loop's region
/// is sharded like the loop's result. Other values hold their own.
mlir::Value getShardingOwner(mlir::Value value);

/// True if `value` only names what flows into it: a result or region argument
/// of a call, loop, branch, manual region or forwarding op.
bool isFlowTarget(mlir::Value value, const CallTree &calls);

/// Result `index` of a call is sharded as its annotation says, else as the
/// callee's result; null when neither is annotated.
spmd::ShardingAttr getCallResultSharding(mlir::func::CallOp call,
                                         unsigned index, const CallTree &calls);

} // namespace partita::propagation

#endif
