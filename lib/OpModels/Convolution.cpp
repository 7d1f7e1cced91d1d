// convolution: batch, output feature and group dimensions are parallel, input
// features are a sum; spatial dimensions are computed whole. Partition: derived;
// group counts become those of the device.
//
// A spatial input dimension has two factors, the windows and the positions in a
// window; the larger one is major, for sharding follows it first.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;

void addSpatialFactors(stablehlo::ConvolutionOp op, RuleBuilder &rule) {
  stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  for (auto [lhsDim, rhsDim, resultDim] :
       llvm::zip_equal(numbers.getInputSpatialDimensions(),
                       numbers.getKernelSpatialDimensions(),
                       numbers.getOutputSpatialDimensions())) {
    int64_t windows = shapeOf(op.getResult())[resultDim];
    int64_t windowSize = shapeOf(op.getRhs())[rhsDim];
    int64_t remaining = shapeOf(op.getLhs())[lhsDim];
    auto addFactor = [&, lhsDim = lhsDim, rhsDim = rhsDim,
                      resultDim = resultDim](bool isWindow) {
      int64_t size = std::min(remaining, isWindow ? windowSize : windows);
      if (size <= 1)
        return;
      rule.add(size, {lhsDim, isWindow ? rhsDim : kNone},
               isWindow ? kNone : resultDim, FactorKind::Halo)
          .whole();
      remaining /= size;
    };
    bool isWindowMajor = windowSize > windows;
    addFactor(isWindowMajor);
    addFactor(!isWindowMajor);
  }
}

struct ConvolutionModel : OpModel<ConvolutionModel, stablehlo::ConvolutionOp> {
  static constexpr StringLiteral family = "Convolution";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::ConvolutionOp op) {
    RuleBuilder rule(op);
    stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    int64_t lhsBatch = numbers.getInputBatchDimension();
    int64_t lhsFeature = numbers.getInputFeatureDimension();
    int64_t rhsIn = numbers.getKernelInputFeatureDimension();
    int64_t rhsOut = numbers.getKernelOutputFeatureDimension();
    int64_t resultBatch = numbers.getOutputBatchDimension();
    int64_t resultFeature = numbers.getOutputFeatureDimension();
    int64_t batchGroups = op.getBatchGroupCount();
    int64_t featureGroups = op.getFeatureGroupCount();
    ArrayRef<int64_t> resultShape = shapeOf(op.getResult());

    if (batchGroups > 1)
      rule.add(batchGroups, {lhsBatch, rhsOut}, resultFeature);
    rule.add(resultShape[resultBatch], {lhsBatch, kNone}, resultBatch);
    addSpatialFactors(op, rule);
    if (featureGroups > 1)
      rule.add(featureGroups, {lhsFeature, rhsOut}, resultFeature);
    rule.add(shapeOf(op.getRhs())[rhsIn], {lhsFeature, rhsIn}, kNone,
             FactorKind::Reduction)
        .reducing(spmd::ReductionKind::Add);
    int64_t perGroup =
        resultShape[resultFeature] / (batchGroups * featureGroups);
    if (perGroup > 1)
      rule.add(perGroup, {kNone, rhsOut}, resultFeature);
    return rule.linearIn(0)
        .linearIn(1)
        .pad(0, spmd::PadTolerance::Neutral)
        .pad(1, spmd::PadTolerance::Neutral)
        .flops(2)
        .build();
  }

  static LogicalResult partitionOp(stablehlo::ConvolutionOp op,
                                   PartitionBuilder &builder) {
    stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    Value lhs = builder.masked(op.getLhs(), numbers.getInputFeatureDimension(),
                               spmd::ReductionKind::Add);
    Value rhs =
        builder.masked(op.getRhs(), numbers.getKernelInputFeatureDimension(),
                       spmd::ReductionKind::Add);
    auto local =
        cast<stablehlo::ConvolutionOp>(builder.cloneLocal({lhs, rhs}));
    // The blocks of a grouped dimension are whole groups: legal shardings divide
    // the group factor, which is the major one.
    auto localCount = [&](int64_t groups, Value operand, int64_t dim) {
      int64_t shards = builder.getShardCount(operand, dim);
      return groups == 1 ? 1 : std::max<int64_t>(1, groups / shards);
    };
    local.setFeatureGroupCount(localCount(op.getFeatureGroupCount(), op.getLhs(),
                                          numbers.getInputFeatureDimension()));
    local.setBatchGroupCount(localCount(op.getBatchGroupCount(), op.getLhs(),
                                        numbers.getInputBatchDimension()));
    builder.bind(op.getResult(), local);
    return success();
  }
};

} // namespace

void attachConvolutionModels(MLIRContext &context) {
  stablehlo::ConvolutionOp::attachInterface<ConvolutionModel>(context);
}

} // namespace partita
