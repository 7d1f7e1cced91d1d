// Inference and verification of gather and scatter. Both relate three tensors:
// the whole (operand, inputs), the indices, and the parts (result, updates):
// dimension numbers say which dimensions of the whole are indexed, dropped or
// batched, and which dimensions of the parts run within a window.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// Dimension numbers of gather and scatter in common terms, with the names
/// that each op gives them.
struct IndexedDims {
  StringRef wholeName, windowName, droppedName, wholeBatchName, indexBatchName,
      mapName;
  ArrayRef<int64_t> window;     // dims of the parts within a window
  ArrayRef<int64_t> dropped;    // dims of the whole that parts lack
  ArrayRef<int64_t> wholeBatch; // batching dims of the whole, lacking too
  ArrayRef<int64_t> indexBatch; // the dims of the indices they match
  ArrayRef<int64_t> map;        // component of an index -> dim of the whole
  int64_t vectorDim;            // dim of the indices that holds components
};

} // namespace

static IndexedDims getDims(GatherDimensionNumbersAttr n) {
  return {"operand",
          "offset_dims",
          "collapsed_slice_dims",
          "operand_batching_dims",
          "start_indices_batching_dims",
          "start_index_map",
          n.getOffsetDims(),
          n.getCollapsedSliceDims(),
          n.getOperandBatchingDims(),
          n.getStartIndicesBatchingDims(),
          n.getStartIndexMap(),
          n.getIndexVectorDim()};
}

static IndexedDims getDims(ScatterDimensionNumbersAttr n) {
  return {"input",
          "update_window_dims",
          "inserted_window_dims",
          "input_batching_dims",
          "scatter_indices_batching_dims",
          "scatter_dims_to_operand_dims",
          n.getUpdateWindowDims(),
          n.getInsertedWindowDims(),
          n.getInputBatchingDims(),
          n.getScatterIndicesBatchingDims(),
          n.getScatterDimsToOperandDims(),
          n.getIndexVectorDim()};
}

/// Checks what holds of the dimension numbers and shapes of whole and indices.
static LogicalResult checkIndexedDims(const Reporter &at,
                                      const IndexedDims &dims,
                                      RankedTensorType whole,
                                      RankedTensorType indices) {
  int64_t rank = whole.getRank(), indexRank = indices.getRank();
  if (dims.vectorDim < 0 || dims.vectorDim > indexRank)
    return at.fail("index_vector_dim ", dims.vectorDim,
                   " is out of range for indices of rank ", indexRank);
  if (failed(checkDims(at, dims.mapName, dims.map, rank)) ||
      failed(checkDims(at, dims.droppedName, dims.dropped, rank,
                       /*ascending=*/true)) ||
      failed(checkDims(at, dims.wholeBatchName, dims.wholeBatch, rank,
                       /*ascending=*/true)) ||
      failed(checkDims(at, dims.indexBatchName, dims.indexBatch, indexRank)))
    return failure();
  int64_t components =
      dims.vectorDim == indexRank ? 1 : indices.getDimSize(dims.vectorDim);
  if (!isCompatibleSize(components, dims.map.size()))
    return at.fail(dims.mapName, " has ", dims.map.size(),
                   " entries, but an index has ", components, " components");
  for (int64_t dim : dims.wholeBatch)
    if (llvm::is_contained(dims.dropped, dim) ||
        llvm::is_contained(dims.map, dim))
      return at.fail("dimension ", dim, " is in ", dims.wholeBatchName,
                     " and in ", dims.droppedName, " or ", dims.mapName);
  if (llvm::is_contained(dims.indexBatch, dims.vectorDim))
    return at.fail("dimension ", dims.vectorDim, " is index_vector_dim and in ",
                   dims.indexBatchName);
  if (dims.wholeBatch.size() != dims.indexBatch.size())
    return at.fail(dims.wholeBatchName, " has ", dims.wholeBatch.size(),
                   " entries, but ", dims.indexBatchName, " has ",
                   dims.indexBatch.size());
  for (auto [wholeDim, indexDim] :
       llvm::zip_equal(dims.wholeBatch, dims.indexBatch))
    if (!isCompatibleSize(whole.getDimSize(wholeDim),
                          indices.getDimSize(indexDim)))
      return at.fail("batches dimension ", wholeDim, " of the ", dims.wholeName,
                     " of size ", whole.getDimSize(wholeDim),
                     " with dimension ", indexDim, " of the indices of size ",
                     indices.getDimSize(indexDim));
  size_t inWindow =
      dims.window.size() + dims.dropped.size() + dims.wholeBatch.size();
  if (inWindow != static_cast<size_t>(rank))
    return at.fail(dims.windowName, ", ", dims.droppedName, " and ",
                   dims.wholeBatchName, " have ", inWindow,
                   " entries together, but the ", dims.wholeName, " has rank ",
                   rank);
  return success();
}

/// Sizes of the indices without the dimension of the components.
static SmallVector<int64_t> getIndexSizes(const IndexedDims &dims,
                                          RankedTensorType indices) {
  SmallVector<int64_t> sizes(indices.getShape());
  if (dims.vectorDim < indices.getRank())
    sizes.erase(sizes.begin() + dims.vectorDim);
  return sizes;
}

/// True for a dimension of the whole that the parts lack.
static bool isDropped(const IndexedDims &dims, int64_t dim) {
  return llvm::is_contained(dims.dropped, dim) ||
         llvm::is_contained(dims.wholeBatch, dim);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Checks the slice sizes, and appends those that the result has.
static LogicalResult checkSliceSizes(const Reporter &at,
                                     const IndexedDims &dims,
                                     RankedTensorType operand,
                                     ArrayRef<int64_t> sliceSizes,
                                     SmallVectorImpl<int64_t> &windowSizes) {
  if (failed(checkCount(at, "slice_sizes", sliceSizes.size(), operand.getRank(),
                        "operand dimensions")))
    return failure();
  for (auto [dim, size] : llvm::enumerate(sliceSizes)) {
    int64_t available = operand.getDimSize(dim);
    if (size < 0 || (!ShapedType::isDynamic(available) && size > available))
      return at.fail("slice_sizes has ", size, " in dimension ", dim,
                     ", where the operand has size ", available);
    if (!isDropped(dims, dim))
      windowSizes.push_back(size);
    else if (size > 1)
      return at.fail("slice_sizes has ", size, " in dimension ", dim,
                     ", which the result lacks: must be 0 or 1");
  }
  return success();
}

static LogicalResult inferTypes(GatherOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  RankedTensorType indices = tensorOf(op.getStartIndices());
  IndexedDims dims = getDims(op.getDimensionNumbers());
  SmallVector<int64_t> windowSizes;
  if (failed(checkIndexedDims(at, dims, operand, indices)) ||
      failed(
          checkSliceSizes(at, dims, operand, op.getSliceSizes(), windowSizes)))
    return failure();
  SmallVector<int64_t> indexSizes = getIndexSizes(dims, indices);
  int64_t rank = indexSizes.size() + windowSizes.size();
  if (failed(checkDims(at, "offset_dims", dims.window, rank,
                       /*ascending=*/true)))
    return failure();
  SmallVector<int64_t> sizes;
  auto nextIndex = indexSizes.begin();
  auto nextWindow = windowSizes.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(llvm::is_contained(dims.window, dim) ? *nextWindow++
                                                         : *nextIndex++);
  types.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success();
}
PARTITA_INFER_AND_VERIFY(GatherOp)

LogicalResult DynamicGatherOp::verify() {
  Reporter at(*this);
  RankedTensorType operand = getOperand().getType();
  RankedTensorType indices = getStartIndices().getType();
  IndexedDims dims = getDims(getDimensionNumbers());
  if (failed(checkIndexedDims(at, dims, operand, indices)))
    return failure();
  int64_t count = getSliceSizes().getType().getDimSize(0);
  if (!isCompatibleSize(count, operand.getRank()))
    return at.fail("slice_sizes has ", count,
                   " entries, but the operand has rank ", operand.getRank());
  int64_t rank = getIndexSizes(dims, indices).size() + dims.window.size();
  if (getType().getRank() != rank)
    return at.fail("has a result of rank ", getType().getRank(),
                   ", but its dimension numbers make rank ", rank);
  if (failed(checkDims(at, "offset_dims", dims.window, rank,
                       /*ascending=*/true)))
    return failure();
  SmallVector<int64_t> windowSizes;
  if (std::optional<SmallVector<int64_t>> sizes =
          getConstantInts(getSliceSizes()))
    return checkSliceSizes(at, dims, operand, *sizes, windowSizes);
  return success();
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// Checks one input and its updates.
static LogicalResult checkUpdates(const Reporter &at, const IndexedDims &dims,
                                  RankedTensorType input,
                                  RankedTensorType indices,
                                  RankedTensorType updates) {
  if (failed(checkIndexedDims(at, dims, input, indices)))
    return failure();
  SmallVector<int64_t> indexSizes = getIndexSizes(dims, indices);
  int64_t rank = indexSizes.size() + dims.window.size();
  if (updates.getRank() != rank)
    return at.fail("has updates of rank ", updates.getRank(),
                   ", but its dimension numbers make rank ", rank);
  if (failed(checkDims(at, "update_window_dims", dims.window, rank,
                       /*ascending=*/true)))
    return failure();
  SmallVector<int64_t> windowDims; // dims of the input, one per window dim
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!isDropped(dims, dim))
      windowDims.push_back(dim);
  size_t window = 0, index = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = updates.getDimSize(dim);
    if (llvm::is_contained(dims.window, dim)) {
      int64_t inputDim = windowDims[window++];
      int64_t available = input.getDimSize(inputDim);
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(available) &&
          size > available)
        return at.fail("has updates of size ", size, " in dimension ", dim,
                       ", but the input has size ", available, " in dimension ",
                       inputDim);
      continue;
    }
    int64_t expected = indexSizes[index++];
    if (!isCompatibleSize(size, expected))
      return at.fail("has updates of size ", size, " in dimension ", dim,
                     ", but indices of size ", expected);
  }
  return success();
}

static LogicalResult inferTypes(ScatterOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  if (op.getInputs().empty())
    return at.fail("needs at least one input");
  RankedTensorType indices = tensorOf(op.getScatterIndices());
  IndexedDims dims = getDims(op.getScatterDimensionNumbers());
  RankedTensorType firstInput = tensorOf(op.getInputs().front());
  RankedTensorType firstUpdates = tensorOf(op.getUpdates().front());
  for (auto [input, updates] :
       llvm::zip_equal(op.getInputs(), op.getUpdates())) {
    if (failed(checkUpdates(at, dims, tensorOf(input), indices,
                            tensorOf(updates))) ||
        failed(checkSameShape(at, "input 0", firstInput.getShape(),
                              "another input", tensorOf(input).getShape())) ||
        failed(checkSameShape(at, "updates 0", firstUpdates.getShape(),
                              "other updates", tensorOf(updates).getShape())))
      return failure();
  }
  SmallVector<Type> folded;
  Region *body = op.getRegions().empty() ? nullptr : op.getRegions().front();
  if (!body)
    return at.fail("needs an update computation");
  if (failed(checkFoldBody(at, *body, "the update computation",
                           op.getInputs().getTypes(), folded)))
    return failure();
  for (auto [index, updates, element] :
       llvm::enumerate(op.getUpdates(), folded))
    if (!isPromotable(tensorOf(updates).getElementType(), element))
      return at.fail("has updates ", index, " of element type ",
                     tensorOf(updates).getElementType(),
                     ", but its update computation works on ", element);
  for (auto [input, element] : llvm::zip_equal(op.getInputs(), folded))
    types.push_back(RankedTensorType::get(tensorOf(input).getShape(), element));
  return success();
}
PARTITA_INFER_AND_VERIFY(ScatterOp)

} // namespace partita::stablehlo
