// spmd-fold-constants: integer ops on constants, computed by the evaluator.
//
// Before and after: any phase up to *propagated*.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partita/Evaluator/Evaluator.h"
#include "partita/Transforms/Fold/Passes.h"

namespace partita {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "partita/Transforms/Fold/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Results up to this size are folded whatever the operands' sizes.
constexpr int64_t kSmall = 64;

/// The type, if it is a tensor of integers of one to 64 bits with known sizes.
RankedTensorType getIntegerTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
                 isa<IntegerType>(tensor.getElementType())
             ? tensor
             : RankedTensorType();
}

/// The constants that the op reads; none unless it may be folded.
std::optional<SmallVector<DenseElementsAttr>> matchOperands(Operation *op) {
  bool isPlain = op->getNumResults() == 1 && op->getNumOperands() > 0 &&
                 op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                 !op->hasTrait<OpTrait::ConstantLike>() &&
                 !op->hasTrait<OpTrait::IsTerminator>();
  RankedTensorType result = isPlain
                                ? getIntegerTensor(op->getResult(0).getType())
                                : RankedTensorType();
  // Ops of spmd say where values are.
  if (!result || isa<spmd::SPMDDialect>(op->getDialect()))
    return std::nullopt;
  int64_t largest = kSmall;
  SmallVector<DenseElementsAttr> constants;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr value;
    RankedTensorType type = getIntegerTensor(operand.getType());
    if (!type || !matchPattern(operand, m_Constant(&value)))
      return std::nullopt;
    largest = std::max(largest, type.getNumElements());
    constants.push_back(value);
  }
  if (result.getNumElements() > largest)
    return std::nullopt;
  return constants;
}

DenseElementsAttr makeAttribute(const Tensor &tensor, RankedTensorType type) {
  SmallVector<APInt> elements;
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    elements.push_back(APInt(width, uint64_t(tensor.getAsInt(i)),
                             /*isSigned=*/false, /*implicitTrunc=*/true));
  return DenseElementsAttr::get(type, elements);
}

struct FoldConstants : impl::FoldConstantsPassBase<FoldConstants> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void fold(Operation *op) {
    auto constants = matchOperands(op);
    if (!constants)
      return;
    SmallVector<Tensor> operands, results;
    for (DenseElementsAttr constant : *constants)
      operands.push_back(Tensor::fromAttribute(constant, nullptr));
    if (failed(evaluateOp(op, operands, results)))
      return;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OpBuilder builder(op);
    Operation *constant = op->getDialect()->materializeConstant(
        builder, makeAttribute(results.front(), type), type, op->getLoc());
    if (!constant)
      return;
    if (spmd::ShardingAttr sharding = spmd::getSharding(op->getResult(0)))
      spmd::setSharding(constant->getResult(0), sharding);
    op->getResult(0).replaceAllUsesWith(constant->getResult(0));
    op->erase();
    ++numFolded;
  }

  void runOnOperation() override {
    // Bodies of reduce and the like are left alone: they have no shardings.
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        for (Operation &op : llvm::make_early_inc_range(block))
          fold(&op);
  }
};

} // namespace
} // namespace partita
