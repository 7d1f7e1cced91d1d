// slice, dynamic_slice, dynamic_update_slice, gather.
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partita;

static LogicalResult evaluateSlice(KernelCall &call) {
  auto op = cast<stablehlo::SliceOp>(call.op);
  call.results.push_back(slice(call.operands[0], op.getStartIndices(),
                               call.getResultType().getShape(),
                               op.getStrides()));
  return success();
}

/// The scalars as indices, clamped so that a box of `sizes` fits.
static SmallVector<int64_t> readStart(ArrayRef<Tensor> scalars,
                                      ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> start;
  for (auto [scalar, size, box] : llvm::zip_equal(scalars, shape, sizes)) {
    int64_t value = scalar.getAsInt(0);
    if (isUnsignedType(scalar.getElementType()) && value < 0)
      value = INT64_MAX; // a ui64 beyond the signed range
    start.push_back(std::clamp<int64_t>(value, 0, size - box));
  }
  return start;
}

static LogicalResult evaluateDynamicSlice(KernelCall &call) {
  auto op = cast<stablehlo::DynamicSliceOp>(call.op);
  const Tensor &operand = call.operands[0];
  SmallVector<int64_t> start = readStart(
      call.operands.drop_front(), operand.getShape(), op.getSliceSizes());
  call.results.push_back(slice(operand, start, op.getSliceSizes()));
  return success();
}

static LogicalResult evaluateDynamicUpdateSlice(KernelCall &call) {
  Tensor result = call.operands[0];
  const Tensor &update = call.operands[1];
  SmallVector<int64_t> start = readStart(call.operands.drop_front(2),
                                         result.getShape(), update.getShape());
  if (update.getNumElements())
    writeSlice(result, update, start);
  call.results.push_back(std::move(result));
  return success();
}

/// Start, limit and stride as operands; the result's shape is static.
static LogicalResult evaluateRealDynamicSlice(KernelCall &call) {
  auto read = [&](unsigned i) {
    const int64_t *cells = call.operands[i].cells<int64_t>();
    return SmallVector<int64_t>(cells,
                                cells + call.operands[i].getNumElements());
  };
  call.results.push_back(slice(call.operands[0], read(1),
                               call.getResultType().getShape(), read(3)));
  return success();
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Where the slice of each batch index starts in the operand.
static SmallVector<int64_t>
getGatherStart(stablehlo::GatherDimensionNumbersAttr numbers,
               const Tensor &indices, ArrayRef<int64_t> batch,
               ArrayRef<int64_t> operandShape, ArrayRef<int64_t> sliceSizes) {
  SmallVector<int64_t> start(operandShape.size(), 0);
  int64_t vectorDim = numbers.getIndexVectorDim();
  SmallVector<int64_t> strides = getStrides(indices.getShape());
  int64_t offset = 0, next = 0;
  for (int64_t d = 0; d < indices.getRank(); ++d)
    if (d != vectorDim)
      offset += batch[next++] * strides[d];
  int64_t step = vectorDim < indices.getRank() ? strides[vectorDim] : 0;
  for (auto [i, d] : llvm::enumerate(numbers.getStartIndexMap()))
    start[d] = std::clamp<int64_t>(indices.getAsInt(offset + int64_t(i) * step),
                                   0, operandShape[d] - sliceSizes[d]);
  for (auto [operandDim, indexDim] :
       llvm::zip_equal(numbers.getOperandBatchingDims(),
                       numbers.getStartIndicesBatchingDims()))
    start[operandDim] = batch[indexDim > vectorDim ? indexDim - 1 : indexDim];
  return start;
}

static Tensor gather(const Tensor &operand, const Tensor &indices,
                     stablehlo::GatherDimensionNumbersAttr numbers,
                     ArrayRef<int64_t> sliceSizes, RankedTensorType type,
                     bool inField) {
  Tensor result = Tensor::allocate(type, inField);
  if (result.getNumElements() == 0)
    return result;
  // Result dimensions are window (offset) or batch dimensions, in order.
  SmallVector<int64_t> resultStrides = getStrides(type.getShape());
  SmallVector<int64_t> operandStrides = getStrides(operand.getShape());
  SmallVector<int64_t> batchShape, batchStrides, toStrides, fromStrides, window;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(numbers.getOffsetDims(), d)) {
      batchShape.push_back(type.getDimSize(d));
      batchStrides.push_back(resultStrides[d]);
    }
  unsigned next = 0;
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), d) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), d))
      continue;
    window.push_back(sliceSizes[d]);
    fromStrides.push_back(operandStrides[d]);
    toStrides.push_back(resultStrides[numbers.getOffsetDims()[next++]]);
  }
  int64_t size = getCellSize(operand.getKind());
  auto *to = static_cast<char *>(result.mutableData());
  auto *from = static_cast<const char *>(operand.data());
  forEachIndex(batchShape, [&](ArrayRef<int64_t> batch) {
    SmallVector<int64_t> start =
        getGatherStart(numbers, indices, batch, operand.getShape(), sliceSizes);
    int64_t source = 0, target = 0;
    for (auto [s, stride] : llvm::zip_equal(start, operandStrides))
      source += s * stride;
    for (auto [b, stride] : llvm::zip_equal(batch, batchStrides))
      target += b * stride;
    copyStrided(to + target * size, toStrides, from + source * size,
                fromStrides, window, size);
  });
  return result;
}

static LogicalResult evaluateGather(KernelCall &call) {
  auto op = cast<stablehlo::GatherOp>(call.op);
  call.results.push_back(gather(call.operands[0], call.operands[1],
                                op.getDimensionNumbers(), op.getSliceSizes(),
                                call.getResultType(), call.isField()));
  return success();
}

static LogicalResult evaluateDynamicGather(KernelCall &call) {
  auto op = cast<stablehlo::DynamicGatherOp>(call.op);
  const Tensor &sizes = call.operands[2];
  SmallVector<int64_t> sliceSizes(
      sizes.cells<int64_t>(), sizes.cells<int64_t>() + sizes.getNumElements());
  call.results.push_back(gather(call.operands[0], call.operands[1],
                                op.getDimensionNumbers(), sliceSizes,
                                call.getResultType(), call.isField()));
  return success();
}

void partita::registerIndexingKernels(KernelTable &table) {
  table.add("stablehlo.slice", evaluateSlice);
  table.add("stablehlo.dynamic_slice", evaluateDynamicSlice);
  table.add("stablehlo.dynamic_update_slice", evaluateDynamicUpdateSlice);
  table.add("stablehlo.real_dynamic_slice", evaluateRealDynamicSlice);
  table.add("stablehlo.gather", evaluateGather);
  table.add("stablehlo.dynamic_gather", evaluateDynamicGather);
}
