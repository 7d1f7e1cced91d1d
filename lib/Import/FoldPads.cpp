// slice(pad(x)) along a sharded dimension as one pad of x, with negative
// padding where the slice cuts. Both apart shift all blocks of x twice, to
// blocks of other sizes; together they shift them by the difference, and not at
// all where the slice takes off what the pad put on.

#include "Movements.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita {

/// Functions of at most so many ops are taken in.
constexpr size_t kLongestCallee = 64;

func::CallOp findCallOfPad(Value value, SymbolTable &symbols) {
  auto call = value.getDefiningOp<func::CallOp>();
  auto callee =
      call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
  if (!callee || callee.isExternal() || !callee.isPrivate() ||
      !llvm::hasSingleElement(callee.getBody()))
    return {};
  Block &body = callee.getBody().front();
  unsigned index = cast<OpResult>(value).getResultNumber();
  Value returned = body.getTerminator()->getOperand(index);
  bool isPad = body.getOperations().size() <= kLongestCallee &&
               isa_and_nonnull<stablehlo::PadOp, stablehlo::ConcatenateOp>(
                   returned.getDefiningOp());
  return isPad ? call : func::CallOp();
}

Value foldSliceOfPad(Operation *op, OpBuilder &b) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  auto pad = slice ? slice.getOperand().getDefiningOp<stablehlo::PadOp>()
                   : stablehlo::PadOp();
  if (!pad || pad->getBlock() != slice->getBlock())
    return {};
  Value input = pad.getOperand();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(input.getType()).getShape();
  ArrayRef<int64_t> padded =
      cast<RankedTensorType>(pad.getResult().getType()).getShape();
  SmallVector<int64_t> lows(pad.getEdgePaddingLow()),
      highs(pad.getEdgePaddingHigh());
  bool isSharded = false, isKept = true;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t start = slice.getStartIndices()[dim];
    int64_t limit = slice.getLimitIndices()[dim];
    int64_t stride = slice.getStrides()[dim];
    bool isCut = start != 0 || limit != padded[dim] || stride != 1;
    if (isCut && (stride != 1 || pad.getInteriorPadding()[dim] != 0))
      return {};
    if (isCut) {
      isSharded |= isDimSharded(input, dim) || isDimSharded(slice, dim);
      lows[dim] -= start;
      highs[dim] = limit - start - shape[dim] - lows[dim];
    }
    isKept &=
        lows[dim] == 0 && highs[dim] == 0 && pad.getInteriorPadding()[dim] == 0;
  }
  if (!isSharded)
    return {};
  if (isKept)
    return input;
  return withSharding(stablehlo::PadOp::create(b, slice.getLoc(),
                                               slice.getType(), input,
                                               pad.getPaddingValue(), lows,
                                               highs, pad.getInteriorPadding()),
                      spmd::getSharding(slice.getResult()));
}

} // namespace partita
