// dot and dot_general: batching and free dimensions are parallel, contracted
// ones are sums. Partition: derived; padding of contracted dimensions is zero
// in both operands, for zero times garbage may be NaN.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;
using spmd::ReductionKind;

/// Partial products of booleans combine by `or`, as their sum does.
ReductionKind sumKind(Value result) {
  return getElementTypeOrSelf(result.getType()).isInteger(1)
             ? ReductionKind::Or
             : ReductionKind::Add;
}

FailureOr<spmd::ShardingRule> finish(RuleBuilder &rule) {
  return rule.linearIn(0)
      .linearIn(1)
      .pad(0, spmd::PadTolerance::Neutral)
      .pad(1, spmd::PadTolerance::Neutral)
      .flops(2)
      .build();
}

struct DotGeneralModel : OpModel<DotGeneralModel, stablehlo::DotGeneralOp> {
  static constexpr StringLiteral family = "Contraction";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::DotGeneralOp op) {
    RuleBuilder rule(op);
    stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
    ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
    ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
    ArrayRef<int64_t> lhsContract = numbers.getLhsContractingDimensions();
    ArrayRef<int64_t> rhsContract = numbers.getRhsContractingDimensions();
    ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs());
    ArrayRef<int64_t> rhsShape = shapeOf(op.getRhs());

    int64_t resultDim = 0;
    for (auto [lhsDim, rhsDim] : llvm::zip_equal(lhsBatch, rhsBatch))
      rule.add(lhsShape[lhsDim], {lhsDim, rhsDim}, resultDim++);
    for (auto [dim, size] : llvm::enumerate(lhsShape)) {
      int64_t lhsDim = dim;
      if (!llvm::is_contained(lhsBatch, lhsDim) &&
          !llvm::is_contained(lhsContract, lhsDim))
        rule.add(size, {lhsDim, kNone}, resultDim++);
    }
    for (auto [dim, size] : llvm::enumerate(rhsShape)) {
      int64_t rhsDim = dim;
      if (!llvm::is_contained(rhsBatch, rhsDim) &&
          !llvm::is_contained(rhsContract, rhsDim))
        rule.add(size, {kNone, rhsDim}, resultDim++);
    }
    for (auto [lhsDim, rhsDim] : llvm::zip_equal(lhsContract, rhsContract))
      rule.add(lhsShape[lhsDim], {lhsDim, rhsDim}, kNone, FactorKind::Reduction)
          .reducing(sumKind(op.getResult()));
    return finish(rule);
  }
};

struct DotModel : OpModel<DotModel, stablehlo::DotOp> {
  static constexpr StringLiteral family = "Contraction";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::DotOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs());
    ArrayRef<int64_t> rhsShape = shapeOf(op.getRhs());
    bool isLhsMatrix = lhsShape.size() == 2, isRhsMatrix = rhsShape.size() == 2;
    int64_t resultDim = 0;
    if (isLhsMatrix)
      rule.add(lhsShape[0], {0, kNone}, resultDim++);
    if (isRhsMatrix)
      rule.add(rhsShape[1], {kNone, 1}, resultDim++);
    rule.add(rhsShape[0], {isLhsMatrix ? 1 : 0, 0}, kNone,
             FactorKind::Reduction)
        .reducing(sumKind(op.getResult()));
    return finish(rule);
  }
};

} // namespace

void attachContractionModels(MLIRContext &context) {
  stablehlo::DotGeneralOp::attachInterface<DotGeneralModel>(context);
  stablehlo::DotOp::attachInterface<DotModel>(context);
}

} // namespace partita
