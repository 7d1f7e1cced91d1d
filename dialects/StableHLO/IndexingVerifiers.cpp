// Inference and verification of slices and dynamic slices. Gather and scatter
// are in GatherScatterVerifiers.cpp.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::stablehlo {

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult inferTypes(SliceOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  ArrayRef<int64_t> starts = op.getStartIndices();
  ArrayRef<int64_t> limits = op.getLimitIndices();
  ArrayRef<int64_t> strides = op.getStrides();
  for (auto [name, list] :
       {std::pair("start_indices", starts), std::pair("limit_indices", limits),
        std::pair("strides", strides)})
    if (failed(checkCount(at, name, list.size(), operand.getRank(),
                          "operand dimensions")))
      return failure();
  SmallVector<int64_t> sizes;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    int64_t start = starts[dim], limit = limits[dim], stride = strides[dim];
    int64_t size = operand.getDimSize(dim);
    if (start < 0)
      return at.fail("has a negative start index ", start, " in dimension ",
                     dim);
    if (start > limit)
      return at.fail("has start index ", start, " above limit index ", limit,
                     " in dimension ", dim);
    if (!ShapedType::isDynamic(size) && limit > size)
      return at.fail("has limit index ", limit, " above size ", size,
                     " of operand dimension ", dim);
    if (stride <= 0)
      return at.fail("needs a positive stride, not ", stride, " in dimension ",
                     dim);
    sizes.push_back(llvm::divideCeil(limit - start, stride));
  }
  types.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success();
}
PARTITA_INFER_AND_VERIFY(SliceOp)

/// Fails unless there is one start index per dimension, all of one type.
static LogicalResult checkStarts(const Reporter &at, ValueRange starts,
                                 int64_t rank) {
  if (failed(checkCount(at, "start_indices", starts.size(), rank,
                        "operand dimensions")))
    return failure();
  for (auto [index, start] : llvm::enumerate(starts))
    if (start.getType() != starts.front().getType())
      return at.fail("needs start indices of one type, but index 0 has type ",
                     starts.front().getType(), " and index ", index, " type ",
                     start.getType());
  return success();
}

/// Fails unless a box of `sizes` fits into `operand`.
static LogicalResult checkBox(const Reporter &at, StringRef name,
                              ArrayRef<int64_t> sizes,
                              RankedTensorType operand) {
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t available = operand.getDimSize(dim);
    bool isKnown = !ShapedType::isDynamic(size);
    if ((isKnown && size < 0) ||
        (isKnown && !ShapedType::isDynamic(available) && size > available))
      return at.fail(name, " has size ", size, " in dimension ", dim,
                     ", where the operand has size ", available);
  }
  return success();
}

static LogicalResult inferTypes(DynamicSliceOp::Adaptor op, const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  ArrayRef<int64_t> sizes = op.getSliceSizes();
  types.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success(
      succeeded(checkStarts(at, op.getStartIndices(), operand.getRank())) &&
      succeeded(checkCount(at, "slice_sizes", sizes.size(), operand.getRank(),
                           "operand dimensions")) &&
      succeeded(checkBox(at, "the slice", sizes, operand)));
}
PARTITA_INFER_AND_VERIFY(DynamicSliceOp)

static LogicalResult inferTypes(DynamicUpdateSliceOp::Adaptor op,
                                const Reporter &at,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorOf(op.getOperand());
  RankedTensorType update = tensorOf(op.getUpdate());
  if (update.getElementType() != operand.getElementType())
    return at.fail("has an update of element type ", update.getElementType(),
                   ", but an operand of element type ",
                   operand.getElementType());
  if (update.getRank() != operand.getRank())
    return at.fail("has an update of rank ", update.getRank(),
                   ", but an operand of rank ", operand.getRank());
  types.push_back(operand);
  return success(
      succeeded(checkStarts(at, op.getStartIndices(), operand.getRank())) &&
      succeeded(checkBox(at, "the update", update.getShape(), operand)));
}
PARTITA_INFER_AND_VERIFY(DynamicUpdateSliceOp)

LogicalResult RealDynamicSliceOp::verify() {
  Reporter at(*this);
  RankedTensorType operand = getOperand().getType();
  if (operand.getElementType() != getType().getElementType())
    return at.fail("has an operand of element type ", operand.getElementType(),
                   ", but a result of element type ",
                   getType().getElementType());
  if (operand.getRank() != getType().getRank())
    return at.fail("has an operand of rank ", operand.getRank(),
                   ", but a result of rank ", getType().getRank());
  for (auto [name, list] : {std::pair("start_indices", getStartIndices()),
                            std::pair("limit_indices", getLimitIndices()),
                            std::pair("strides", getStrides())}) {
    int64_t count = tensorOf(list).getDimSize(0);
    if (!isCompatibleSize(count, operand.getRank()))
      return at.fail(name, " has ", count,
                     " entries, but the operand has rank ", operand.getRank());
  }
  return success();
}

} // namespace partita::stablehlo
