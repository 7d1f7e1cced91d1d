// The rewrites of spmd-simplify-collectives, by family of collective.
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVESIMPLIFIER_H
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVESIMPLIFIER_H

#include "CollectiveCosts.h"
#include "llvm/ADT/SetVector.h"

namespace partita {

/// Works off a list of collectives. Each rewrite looks at one of a single value
/// (`op`), at what its operand comes from or what reads its result, and returns
/// whether it changed anything; then `op` is gone.
class CollectiveSimplifier {
public:
  struct Counts {
    unsigned scattersFormed = 0;
    unsigned gathersCancelled = 0;
    unsigned reductionsMerged = 0;
    unsigned permutesMerged = 0;
    unsigned deadValues = 0;
  };

  CollectiveSimplifier(const CollectiveCosts &costs, mlir::MLIRContext *context)
      : costs(costs), b(context) {}

  void run(mlir::ModuleOp module);
  Counts counts;

private:
  bool simplify(mlir::Operation *op);
  bool dropDeadValues(mlir::Operation *op);

  // SimplifyGathers.cpp
  bool sliceReduction(spmd::AllSliceOp op);
  bool sliceGather(spmd::AllSliceOp op);
  bool gatherScatter(spmd::AllGatherOp op);
  bool gatherSlice(spmd::AllGatherOp op);
  bool gatherGather(spmd::AllGatherOp op);

  // SimplifyReductions.cpp
  bool reduceWhole(spmd::AllReduceOp op);
  bool reduceReduction(spmd::AllReduceOp op);
  bool scatterScatter(spmd::ReduceScatterOp op);
  bool reduceSumOnce(mlir::Operation *op);

  // SimplifyPermutes.cpp
  bool dropIdentity(spmd::PermuteOp op);
  bool permutePermuted(spmd::PermuteOp op);

  /// Whether the cost model wants the rewrite; a remark says so either way.
  bool isAccepted(mlir::Operation *op, llvm::StringRef what,
                  const CollectiveCost &before, const CollectiveCost &after);
  /// Puts `values` in the place of the op's results and erases it, and what
  /// nothing reads any more.
  void replace(mlir::Operation *op, mlir::ValueRange values);
  void eraseIfDead(mlir::Operation *op);
  void add(mlir::Operation *op);

  const CollectiveCosts &costs;
  mlir::OpBuilder b;
  llvm::SetVector<mlir::Operation *> pending;
};

/// The op that gives `value` if it is a `T` of one value on `mesh` and in the
/// same block as `user`.
template <typename T>
T getSource(mlir::Value value, mlir::Operation *user,
            mlir::FlatSymbolRefAttr mesh) {
  auto source = value.getDefiningOp<T>();
  if (!source || source->getBlock() != user->getBlock() ||
      source->getNumOperands() != 1 || source->getNumResults() != 1 ||
      source.getMeshAttr() != mesh)
    return {};
  return source;
}

} // namespace partita

#endif
