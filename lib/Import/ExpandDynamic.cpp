// Ops with shapes and sizes as operands, where the types or constants say them:
// their static forms.

#include "Expansions.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace partita {
namespace {

/// The numbers of a constant tensor of integers.
std::optional<SmallVector<int64_t>> matchNumbers(Value value) {
  DenseIntElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  bool isUnsigned = attribute.getElementType().isUnsignedInteger();
  SmallVector<int64_t> numbers;
  for (const APInt &number : attribute.getValues<APInt>()) {
    if (number.getSignificantBits() > 63)
      return std::nullopt;
    numbers.push_back(isUnsigned ? int64_t(number.getZExtValue())
                                 : number.getSExtValue());
  }
  return numbers;
}

/// The result's type where all of its sizes are known.
RankedTensorType staticResult(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

bool isStatic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

Value emitPad(stablehlo::DynamicPadOp op, OpBuilder &b, RankedTensorType type) {
  auto low = matchNumbers(op.getEdgePaddingLow());
  auto high = matchNumbers(op.getEdgePaddingHigh());
  auto interior = matchNumbers(op.getInteriorPadding());
  if (!low || !high || !interior || !isStatic(op.getOperand()))
    return {};
  return stablehlo::PadOp::create(b, op.getLoc(), type, op.getOperand(),
                                  op.getPaddingValue(), *low, *high, *interior);
}

Value emitSlice(stablehlo::RealDynamicSliceOp op, OpBuilder &b,
                RankedTensorType type) {
  auto starts = matchNumbers(op.getStartIndices());
  auto limits = matchNumbers(op.getLimitIndices());
  auto strides = matchNumbers(op.getStrides());
  if (!starts || !limits || !strides || !isStatic(op.getOperand()))
    return {};
  return stablehlo::SliceOp::create(b, op.getLoc(), type, op.getOperand(),
                                    *starts, *limits, *strides);
}

Value emitGather(stablehlo::DynamicGatherOp op, OpBuilder &b,
                 RankedTensorType type) {
  auto sizes = matchNumbers(op.getSliceSizes());
  if (!sizes || !isStatic(op.getOperand()) || !isStatic(op.getStartIndices()))
    return {};
  return stablehlo::GatherOp::create(
             b, op.getLoc(), type, op.getOperand(), op.getStartIndices(),
             op.getDimensionNumbers(), b.getDenseI64ArrayAttr(*sizes),
             op.getIndicesAreSortedAttr())
      ->getResult(0);
}

Value emitConvolution(stablehlo::DynamicConvOp op, OpBuilder &b,
                      RankedTensorType type) {
  auto padding = matchNumbers(op.getPadding());
  if (!padding || !isStatic(op.getLhs()) || !isStatic(op.getRhs()))
    return {};
  auto paddingType = RankedTensorType::get(
      {static_cast<int64_t>(padding->size()) / 2, 2}, b.getI64Type());
  OperationState state(op.getLoc(),
                       stablehlo::ConvolutionOp::getOperationName());
  state.addOperands({op.getLhs(), op.getRhs()});
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  state.addAttribute("padding",
                     DenseIntElementsAttr::get(paddingType, *padding));
  return b.create(state)->getResult(0);
}

} // namespace

std::optional<Replacements> expandDynamicOp(Operation *op, OpBuilder &b) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  RankedTensorType type = staticResult(op);
  if (auto size = dyn_cast<stablehlo::GetDimensionSizeOp>(op)) {
    auto operand = dyn_cast<RankedTensorType>(size.getOperand().getType());
    if (!operand || operand.isDynamicDim(size.getDimension()))
      return std::nullopt;
    int32_t known = operand.getDimSize(size.getDimension());
    return Replacements{stablehlo::ConstantOp::create(
        b, op->getLoc(),
        DenseElementsAttr::get(RankedTensorType::get({}, b.getI32Type()),
                               known))};
  }
  if (!type)
    return std::nullopt;
  Value value;
  if (auto iota = dyn_cast<stablehlo::DynamicIotaOp>(op))
    value = stablehlo::IotaOp::create(b, op->getLoc(), type,
                                      iota.getIotaDimension());
  else if (auto reshape = dyn_cast<stablehlo::DynamicReshapeOp>(op)) {
    if (isStatic(reshape.getOperand()))
      value = stablehlo::ReshapeOp::create(b, op->getLoc(), type,
                                           reshape.getOperand());
  } else if (auto broadcast =
                 dyn_cast<stablehlo::DynamicBroadcastInDimOp>(op)) {
    if (isStatic(broadcast.getOperand()))
      value = stablehlo::BroadcastInDimOp::create(
          b, op->getLoc(), type, broadcast.getOperand(),
          broadcast.getBroadcastDimensions());
  } else if (auto pad = dyn_cast<stablehlo::DynamicPadOp>(op))
    value = emitPad(pad, b, type);
  else if (auto slice = dyn_cast<stablehlo::RealDynamicSliceOp>(op))
    value = emitSlice(slice, b, type);
  else if (auto gather = dyn_cast<stablehlo::DynamicGatherOp>(op))
    value = emitGather(gather, b, type);
  else if (auto convolution = dyn_cast<stablehlo::DynamicConvOp>(op))
    value = emitConvolution(convolution, b, type);
  else if (auto set = dyn_cast<stablehlo::SetDimensionSizeOp>(op)) {
    // The whole dimension, said once more.
    auto size = matchNumbers(set.getSize());
    if (size && size->size() == 1 && set.getOperand().getType() == type &&
        size->front() == type.getDimSize(set.getDimension()))
      value = set.getOperand();
  }
  if (!value)
    return std::nullopt;
  return Replacements{value};
}

} // namespace partita
