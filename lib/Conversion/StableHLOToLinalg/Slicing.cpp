// Slices, pads, concatenation: tensor ops on subsets.

#include "LinalgEmitter.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita {
namespace {

SmallVector<OpFoldResult> asFold(OpBuilder &b, ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [&](int64_t value) -> OpFoldResult {
    return b.getIndexAttr(value);
  });
}

/// Start indices of a dynamic slice, clamped so that it lies inside.
SmallVector<OpFoldResult> clampStarts(OpBuilder &b, Location loc,
                                      ValueRange starts,
                                      ArrayRef<bool> isUnsigned,
                                      ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> sizes) {
  SmallVector<OpFoldResult> clamped;
  for (auto [index, start] : llvm::enumerate(starts)) {
    int64_t limit = shape[index] - sizes[index];
    if (limit == 0) {
      clamped.push_back(b.getIndexAttr(0));
      continue;
    }
    Value scalar = tensor::ExtractOp::create(b, loc, start, ValueRange());
    Value at = isUnsigned[index] ? Value(arith::IndexCastUIOp::create(
                                       b, loc, b.getIndexType(), scalar))
                                 : Value(arith::IndexCastOp::create(
                                       b, loc, b.getIndexType(), scalar));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value high = arith::ConstantIndexOp::create(b, loc, limit);
    at = arith::MaxSIOp::create(b, loc, at, zero);
    clamped.push_back(Value(arith::MinSIOp::create(b, loc, at, high)));
  }
  return clamped;
}

SmallVector<bool> areUnsigned(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) {
    return getElementTypeOrSelf(value.getType()).isUnsignedInteger();
  });
}

} // namespace

/// Pads of any sign and interior: the operand, cut where a pad is negative, is
/// inserted with a stride into the padding value.
static Value emitPad(OpBuilder &b, Location loc, stablehlo::PadOp pad,
                     Value operand, Value filled) {
  auto from = cast<RankedTensorType>(operand.getType());
  auto type = cast<RankedTensorType>(filled.getType());
  SmallVector<int64_t> cut, sizes, offsets, strides;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t stride = pad.getInteriorPadding()[dim] + 1;
    int64_t low = pad.getEdgePaddingLow()[dim], n = from.getDimSize(dim);
    // Element i lies at low + i * stride; those outside the result are cut.
    int64_t first = low >= 0 ? 0 : (-low + stride - 1) / stride;
    int64_t end =
        std::min(n, (type.getDimSize(dim) - low + stride - 1) / stride);
    cut.push_back(first);
    sizes.push_back(std::max<int64_t>(0, end - first));
    offsets.push_back(low + first * stride);
    strides.push_back(stride);
  }
  if (llvm::is_contained(sizes, 0))
    return filled;
  SmallVector<int64_t> ones(from.getRank(), 1);
  if (llvm::ArrayRef<int64_t>(sizes) != from.getShape())
    operand = tensor::ExtractSliceOp::create(b, loc, from.clone(sizes), operand,
                                             asFold(b, cut), asFold(b, sizes),
                                             asFold(b, ones));
  return tensor::InsertSliceOp::create(b, loc, operand, filled,
                                       asFold(b, offsets), asFold(b, sizes),
                                       asFold(b, strides));
}

LogicalResult LinalgEmitter::emitSlicing(Operation *op, bool &handled) {
  if (op->getNumResults() != 1)
    return success();
  auto type =
      dyn_cast<RankedTensorType>(convertType(op->getResult(0).getType()));
  if (!type)
    return success();
  SmallVector<int64_t> ones(type.getRank(), 1);
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case([&](stablehlo::SliceOp slice) -> Value {
            return tensor::ExtractSliceOp::create(
                b, loc, type, get(slice.getOperand()),
                asFold(b, slice.getStartIndices()), asFold(b, type.getShape()),
                asFold(b, slice.getStrides()));
          })
          .Case([&](stablehlo::PadOp pad) -> Value {
            Value filled =
                fill(extractScalar(get(pad.getPaddingValue())), type);
            return emitPad(b, loc, pad, get(pad.getOperand()), filled);
          })
          .Case([&](stablehlo::ConcatenateOp concat) -> Value {
            Value whole = empty(type);
            SmallVector<int64_t> offsets(type.getRank(), 0);
            for (Value original : concat.getInputs()) {
              Value part = get(original);
              auto partType = cast<RankedTensorType>(part.getType());
              if (partType.getNumElements() == 0)
                continue;
              whole = tensor::InsertSliceOp::create(
                  b, loc, part, whole, asFold(b, offsets),
                  asFold(b, partType.getShape()), asFold(b, ones));
              offsets[concat.getDimension()] +=
                  partType.getDimSize(concat.getDimension());
            }
            return whole;
          })
          .Case([&](stablehlo::DynamicSliceOp slice) -> Value {
            Value operand = get(slice.getOperand());
            auto from = cast<RankedTensorType>(operand.getType());
            return tensor::ExtractSliceOp::create(
                b, loc, type, operand,
                clampStarts(b, loc, get(slice.getStartIndices()),
                            areUnsigned(slice.getStartIndices()),
                            from.getShape(), type.getShape()),
                asFold(b, type.getShape()), asFold(b, ones));
          })
          .Case([&](stablehlo::DynamicUpdateSliceOp update) -> Value {
            Value part = get(update.getUpdate());
            auto partType = cast<RankedTensorType>(part.getType());
            return tensor::InsertSliceOp::create(
                b, loc, part, get(update.getOperand()),
                clampStarts(b, loc, get(update.getStartIndices()),
                            areUnsigned(update.getStartIndices()),
                            type.getShape(), partType.getShape()),
                asFold(b, partType.getShape()), asFold(b, ones));
          })
          .Default(Value());
  if (!result)
    return success();
  handled = true;
  return bind(op, result);
}

} // namespace partita
