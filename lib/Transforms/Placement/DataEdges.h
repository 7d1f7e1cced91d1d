// Where a value enters something that has a sharding of its own: regions,
// calls, functions' results.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_DATAEDGES_H
#define PARTITA_TRANSFORMS_PLACEMENT_DATAEDGES_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/BuiltinOps.h"

namespace partita {

/// Where an operand goes.
struct EdgeTarget {
  /// In which it must arrive (null: not a tensor).
  spmd::ShardingAttr sharding;
  /// What it becomes: an argument or a result, whose sharding may be chosen.
  /// Null where the layout is given: manual regions, results of functions.
  mlir::Value value;
};
using EdgeVisitor =
    llvm::function_ref<void(mlir::OpOperand &, const EdgeTarget &)>;

/// True for ops whose operands are edges: manual regions, calls, region
/// branches.
bool isDataFlow(mlir::Operation *op);

/// By the op's rule, result i is operand i, of several that have nothing to do
/// with each other: one axis may split them in different places, which a split
/// of the op's factors can't say.
bool forwardsEach(mlir::Operation *op, const spmd::ShardingRule &rule);

/// Edges from before `op` into it.
void forEachEntryEdge(mlir::Operation *op, const mlir::SymbolTable &symbols,
                      EdgeVisitor visit);

/// Edges from `terminator` to the results, carries or function results that its
/// operands become.
void forEachExitEdge(mlir::Operation *terminator, EdgeVisitor visit);

/// Takes from the shardings of manual regions the free axes that do not divide
/// their manual shards: they mean another layout inside than outside.
void alignManualEdges(mlir::ModuleOp module);

} // namespace partita

#endif
