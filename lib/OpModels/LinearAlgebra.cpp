// cholesky and triangular_solve: batch dimensions are parallel, matrices are
// whole. Partition: derived.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;

struct CholeskyModel : OpModel<CholeskyModel, stablehlo::CholeskyOp> {
  static constexpr StringLiteral family = "LinearAlgebra";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::CholeskyOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getA());
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (dim + 2 < shape.size())
        rule.addEverywhere(dim, size);
      else
        rule.addEverywhere(dim, size, FactorKind::Replicated).whole();
    }
    return rule.build();
  }
};

struct TriangularSolveModel
    : OpModel<TriangularSolveModel, stablehlo::TriangularSolveOp> {
  static constexpr StringLiteral family = "LinearAlgebra";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::TriangularSolveOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> aShape = shapeOf(op.getA()), bShape = shapeOf(op.getB());
    for (auto [dim, size] : llvm::enumerate(aShape.drop_back(2)))
      rule.addEverywhere(dim, size);
    int64_t row = aShape.size() - 2, column = row + 1;
    bool isTransposed = op.getTransposeA() == stablehlo::Transpose::TRANSPOSE ||
                        op.getTransposeA() == stablehlo::Transpose::ADJOINT;
    // op(a) x = b on the left side, x op(a) = b on the right: the dimension of
    // b that matches op(a)'s outer one, that of x that matches its inner one,
    // and the systems, which are independent.
    bool isLeft = op.getLeftSide();
    int64_t outer = isTransposed == isLeft ? column : row;
    int64_t inner = row + column - outer;
    int64_t systems = isLeft ? column : row, matched = isLeft ? row : column;
    auto addOuter = [&] {
      rule.add(aShape[outer], {outer, matched}, kNone, FactorKind::Replicated)
          .whole();
    };
    if (isLeft)
      addOuter();
    rule.add(bShape[systems], {kNone, systems}, systems);
    if (!isLeft)
      addOuter();
    rule.add(aShape[inner], {inner, kNone}, matched, FactorKind::Replicated)
        .whole();
    return rule.build();
  }
};

} // namespace

void attachLinearAlgebraModels(MLIRContext &context) {
  stablehlo::CholeskyOp::attachInterface<CholeskyModel>(context);
  stablehlo::TriangularSolveOp::attachInterface<TriangularSolveModel>(context);
}

} // namespace partita
