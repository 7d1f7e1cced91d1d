// cpu-approximate-math: functions of f32 as polynomials, and narrow floats
// through f32, so that loops of them vectorise.

#include "FloatFunctions.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// log(x) for tiny x as log(x * 2^25) - 25 log 2: the polynomial knows normal
/// numbers only.
struct ScaleLog : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || op->hasAttr("partita.normal"))
      return failure();
    Location loc = op.getLoc();
    auto number = [&](double value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getF32FloatAttr(value));
    };
    Value x = op.getOperand();
    Value isTiny = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, x, number(0x1p-126));
    Value scaled = arith::MulFOp::create(rewriter, loc, x, number(0x1p25));
    Value safe = arith::SelectOp::create(rewriter, loc, isTiny, scaled, x);
    auto log = math::LogOp::create(rewriter, loc, safe);
    log->setAttr("partita.normal", rewriter.getUnitAttr());
    Value shift = arith::SelectOp::create(
        rewriter, loc, isTiny, number(17.328679513998633), number(0));
    Value result = arith::SubFOp::create(rewriter, loc, log, shift);
    Value isNegative = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, x, number(0));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNegative,
                                                 number(kInvalid), result);
    return success();
  }
};

/// Arithmetic of bf16, and functions of f16, through f32: rounded after each
/// op.
struct WidenNarrowFloats : RewritePattern {
  explicit WidenNarrowFloats(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isMath = isa<math::MathDialect>(op->getDialect());
    if ((!isMath && !isa<arith::ArithDialect>(op->getDialect())) ||
        op->getNumRegions() != 0 || op->getNumResults() != 1 ||
        isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp, arith::BitcastOp,
            arith::ConstantOp>(op))
      return failure();
    auto isNarrow = [&](Type type) {
      return type.isBF16() || (isMath && type.isF16());
    };
    Type result = op->getResult(0).getType();
    if (!isNarrow(result) && llvm::none_of(op->getOperandTypes(), isNarrow))
      return failure();
    Type wide = rewriter.getF32Type();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isNarrow(operand.getType())
                             ? Value(arith::ExtFOp::create(
                                   rewriter, op->getLoc(), wide, operand))
                             : operand);
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(isNarrow(result) ? wide : result);
    state.addAttributes(op->getAttrs());
    Value value = rewriter.create(state)->getResult(0);
    if (isNarrow(result))
      value = arith::TruncFOp::create(rewriter, op->getLoc(), result, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct ApproximateMath : impl::ApproximateMathPassBase<ApproximateMath> {
  using ApproximateMathPassBase::ApproximateMathPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    {
      RewritePatternSet patterns(context);
      patterns.add<ScaleLog, WidenNarrowFloats>(context);
      if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
        return signalPassFailure();
    }
    RewritePatternSet patterns(context);
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.exp", "math.log", "math.tanh",
                                 "math.erf", "math.erfc", "math.expm1",
                                 "math.log1p"},
                                name);
    });
    populateFloatFunctionPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace partita
