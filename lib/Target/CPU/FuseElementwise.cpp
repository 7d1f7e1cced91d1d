// cpu-fuse-elementwise: producers into consumers where that costs no work.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Instructions per element, roughly.
int64_t getWork(linalg::LinalgOp op) {
  int64_t work = 0;
  op.getBlock()->walk([&](Operation *nested) {
    if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp>(nested))
      return;
    bool isLong =
        isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
            arith::RemSIOp, arith::RemUIOp>(nested) ||
        (isa<math::MathDialect>(nested->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp>(
             nested));
    work += isLong ? 8 : 1;
  });
  return work;
}

int64_t countIterations(linalg::LinalgOp op) {
  int64_t count = 1;
  for (int64_t size : op.getStaticLoopRanges())
    count *= size;
  return count;
}

bool mayFuse(OpOperand *use) {
  constexpr int64_t mostOperands = 24, mostWork = 400;
  auto producer = use->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(use->getOwner());
  if (!producer || !consumer)
    return false;
  // One that reads its outputs would read them in each of the consumer's loops.
  if (llvm::any_of(producer.getDpsInitsMutable(), [&](OpOperand &init) {
        return producer.payloadUsesValueFromOperand(&init);
      }))
    return false;
  int64_t work = getWork(producer);
  if (producer->getNumOperands() + consumer->getNumOperands() > mostOperands ||
      work + getWork(consumer) > mostWork)
    return false;
  // Truth by broadcasting, a conversion, a comparison: cheaper than memory.
  constexpr int64_t cheap = 1, repeatable = 4;
  bool isRepeated = countIterations(consumer) > countIterations(producer);
  if (producer->hasOneUse())
    return !isRepeated || work <= repeatable;
  return work <= cheap && producer.getNumDpsInputs() <= 1;
}

struct FuseElementwise : impl::FuseElementwisePassBase<FuseElementwise> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, mayFuse);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    GreedyRewriteConfig config;
    // Producers are looked at when their consumers are.
    config.setUseTopDownTraversal(true);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace partita
