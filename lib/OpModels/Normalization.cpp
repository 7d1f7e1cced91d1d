// batch_norm_inference: parallel; the vectors follow the feature dimension.
// Partition: derived. (The training forms reduce by a mean over the batch,
// which no local op of theirs gives; programs lower them to plain reductions.)

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

struct BatchNormInferenceModel
    : OpModel<BatchNormInferenceModel, stablehlo::BatchNormInferenceOp> {
  static constexpr StringLiteral family = "Normalization";
  static FailureOr<spmd::ShardingRule>
  rule(stablehlo::BatchNormInferenceOp op) {
    RuleBuilder rule(op);
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
      int64_t dim = index;
      int64_t vectorDim =
          index == op.getFeatureIndex() ? 0 : RuleBuilder::kNone;
      rule.add(size, {dim, vectorDim, vectorDim, vectorDim, vectorDim}, dim);
    }
    return rule.build();
  }
};

} // namespace

void attachNormalizationModels(MLIRContext &context) {
  stablehlo::BatchNormInferenceOp::attachInterface<BatchNormInferenceModel>(
      context);
}

} // namespace partita
