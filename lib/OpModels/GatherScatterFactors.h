// What gather and scatter have in common: how dimensions of the operand, of the
// indices and of the slices (gather's result, scatter's updates) correspond.
#ifndef PARTITA_LIB_OPMODELS_GATHERSCATTERFACTORS_H
#define PARTITA_LIB_OPMODELS_GATHERSCATTERFACTORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace partita {

/// Role of one factor of a gather or scatter.
enum class IndexingRole {
  ExplicitBatch, ///< batching dimension of operand, indices and slices
  Batch,         ///< dimension of indices and slices
  FullWindow,    ///< dimension that every slice shows in full
  WindowOfOne,   ///< operand dimension of which a slice shows one element
  SliceOfOne,    ///< the slices' dimension of size one for such a dimension
  PartialWindow, ///< operand dimension of which a slice shows a part
  PartialSlice,  ///< the slices' dimension for such a dimension
  Collapsed,     ///< operand dimension that slices lack
  IndexVector,   ///< dimension of the indices' components
};

/// Dimension numbers of either op under one set of names.
struct IndexingDims {
  llvm::ArrayRef<int64_t> operandShape, indicesShape, slicesShape;
  llvm::ArrayRef<int64_t> offsetDims, collapsedDims;
  llvm::ArrayRef<int64_t> operandBatchDims, indicesBatchDims;
  llvm::ArrayRef<int64_t> indexMap; ///< operand dimension of each component
  int64_t indexVectorDim;

  /// Dimensions of the slices that are batch dimensions, in order, each with
  /// the dimension of the indices that it comes from.
  llvm::SmallVector<std::pair<int64_t, int64_t>> batchDims() const;
  /// Component of the index vector for operand dimension `dim`, or -1.
  int64_t componentOf(int64_t dim) const;
  int64_t numComponents() const { return indexMap.size(); }
};

/// A factor with its dimension in each of the three tensors (-1: none).
struct IndexingFactor {
  IndexingRole role;
  int64_t size, operandDim, indicesDim, slicesDim;
};

/// Calls `add` for each factor, in the order of Shardy's rules: dimensions of
/// the slices, collapsed dimensions, the index vector.
void forEachIndexingFactor(
    const IndexingDims &dims,
    llvm::function_ref<void(const IndexingFactor &)> add);

} // namespace partita

#endif
