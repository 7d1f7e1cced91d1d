// Correspondence of dimensions in gather and scatter. No IR.

#include "GatherScatterFactors.h"
#include "llvm/ADT/STLExtras.h"

namespace partita {

llvm::SmallVector<std::pair<int64_t, int64_t>> IndexingDims::batchDims() const {
  llvm::SmallVector<std::pair<int64_t, int64_t>> dims;
  int64_t indicesDim = 0;
  for (int64_t dim = 0, rank = slicesShape.size(); dim < rank; ++dim) {
    if (llvm::is_contained(offsetDims, dim))
      continue;
    if (indicesDim == indexVectorDim)
      ++indicesDim;
    dims.push_back({dim, indicesDim++});
  }
  return dims;
}

int64_t IndexingDims::componentOf(int64_t dim) const {
  auto it = llvm::find(indexMap, dim);
  return it == indexMap.end() ? -1 : it - indexMap.begin();
}

namespace {

using AddFn = llvm::function_ref<void(const IndexingFactor &)>;

void addWindow(const IndexingDims &dims, int64_t operandDim, int64_t slicesDim,
               AddFn add) {
  int64_t size = dims.operandShape[operandDim];
  int64_t shown = dims.slicesShape[slicesDim];
  if (size == shown) {
    add({IndexingRole::FullWindow, size, operandDim, -1, slicesDim});
    return;
  }
  bool isOne = shown == 1;
  add({isOne ? IndexingRole::WindowOfOne : IndexingRole::PartialWindow, size,
       operandDim, -1, -1});
  add({isOne ? IndexingRole::SliceOfOne : IndexingRole::PartialSlice, shown, -1,
       -1, slicesDim});
}

void addBatch(const IndexingDims &dims, int64_t indicesDim, int64_t slicesDim,
              AddFn add) {
  auto it = llvm::find(dims.indicesBatchDims, indicesDim);
  bool isExplicit = it != dims.indicesBatchDims.end();
  int64_t operandDim =
      isExplicit ? dims.operandBatchDims[it - dims.indicesBatchDims.begin()]
                 : -1;
  add({isExplicit ? IndexingRole::ExplicitBatch : IndexingRole::Batch,
       dims.slicesShape[slicesDim], operandDim, indicesDim, slicesDim});
}

} // namespace

void forEachIndexingFactor(const IndexingDims &dims, AddFn add) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> batchDims = dims.batchDims();
  auto batch = batchDims.begin();
  int64_t operandDim = 0;
  auto hasSliceDim = [&](int64_t dim) {
    return !llvm::is_contained(dims.collapsedDims, dim) &&
           !llvm::is_contained(dims.operandBatchDims, dim);
  };
  for (int64_t dim = 0, rank = dims.slicesShape.size(); dim < rank; ++dim) {
    if (!llvm::is_contained(dims.offsetDims, dim)) {
      addBatch(dims, batch->second, dim, add);
      ++batch;
      continue;
    }
    while (!hasSliceDim(operandDim))
      ++operandDim;
    addWindow(dims, operandDim++, dim, add);
  }
  for (int64_t dim : dims.collapsedDims)
    add({IndexingRole::Collapsed, dims.operandShape[dim], dim, -1, -1});
  if (dims.indexVectorDim < static_cast<int64_t>(dims.indicesShape.size()))
    add({IndexingRole::IndexVector, dims.indicesShape[dims.indexVectorDim], -1,
         dims.indexVectorDim, -1});
}

} // namespace partita
