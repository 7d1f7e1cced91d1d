// convolution: batch, output feature and group dimensions are parallel, input
// features are a sum. A spatial dimension sharded by its windows fetches what
// they read by interval exchange; dilated inputs and kernels are whole. Group
// counts become those of the device.
//
// A spatial input dimension has two factors, the windows and the positions in a
// window; the larger one is major, for sharding follows it first.

#include "Families.h"
#include "HaloFetch.h"
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
  size_t spatial = 0;
  for (auto [lhsDim, rhsDim, resultDim] :
       llvm::zip_equal(numbers.getInputSpatialDimensions(),
                       numbers.getKernelSpatialDimensions(),
                       numbers.getOutputSpatialDimensions())) {
    bool isDilated = getWindowEntry(op.getLhsDilation(), spatial) != 1;
    int64_t windows = shapeOf(op.getResult())[resultDim];
    int64_t windowSize = shapeOf(op.getRhs())[rhsDim];
    int64_t remaining = shapeOf(op.getLhs())[lhsDim];
    auto addFactor = [&, lhsDim = lhsDim, rhsDim = rhsDim,
                      resultDim = resultDim](bool isWindow) {
      int64_t size = std::min(remaining, isWindow ? windowSize : windows);
      if (size <= 1)
        return;
      rule.add(size, {lhsDim, isWindow ? rhsDim : kNone},
               isWindow ? kNone : resultDim, FactorKind::Halo);
      if (isWindow || isDilated)
        rule.whole();
      remaining /= size;
    };
    bool isWindowMajor = windowSize > windows;
    addFactor(isWindowMajor);
    addFactor(!isWindowMajor);
    int64_t extent =
        (windowSize - 1) * getWindowEntry(op.getRhsDilation(), spatial) + 1;
    if (!isDilated)
      rule.reading(getWindowRead(
          0, lhsDim, resultDim,
          getWindowPadding(op.getPadding(), spatial).first,
          getWindowEntry(op.getWindowStrides(), spatial), extent));
    ++spatial;
  }
}

struct ConvolutionModel : OpModel<ConvolutionModel, stablehlo::ConvolutionOp> {
  static constexpr StringLiteral family = "Convolution";

  bool isResizable(Operation *) const { return true; }

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
    rule.add(
            shapeOf(op.getRhs()) [rhsIn], { lhsFeature, rhsIn }, kNone,
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
    ShardedValue input = builder.get(op.getLhs());
    input.local =
        builder.masked(op.getLhs(), numbers.getInputFeatureDimension(),
                       spmd::ReductionKind::Add);
    SmallVector<int64_t> padding = paddingOf(op);
    SmallVector<int64_t> windows = shardedWindows(op, builder, padding);
    Value lhs = input.local;
    if (!windows.empty()) {
      auto intervals = readIntervals(builder, *rule(op), 0);
      if (failed(intervals))
        return failure();
      lhs = fetchWindows(builder, input, *intervals, windows,
                         builder.scalar(input.type.getElementType(), 0));
    }
    Value rhs =
        builder.masked(op.getRhs(), numbers.getKernelInputFeatureDimension(),
                       spmd::ReductionKind::Add);
    auto local = cast<stablehlo::ConvolutionOp>(builder.cloneLocal({lhs, rhs}));
    if (!windows.empty())
      local.setPaddingAttr(DenseIntElementsAttr::get(
          RankedTensorType::get({static_cast<int64_t>(padding.size()) / 2, 2},
                                builder.builder().getI64Type()),
          padding));
    // The blocks of a grouped dimension are whole groups: legal shardings
    // divide the group factor, which is the major one.
    auto localCount = [&](int64_t groups, Value operand, int64_t dim) {
      int64_t shards = builder.getShardCount(operand, dim);
      return groups == 1 ? 1 : std::max<int64_t>(1, groups / shards);
    };
    local.setFeatureGroupCount(localCount(op.getFeatureGroupCount(),
                                          op.getLhs(),
                                          numbers.getInputFeatureDimension()));
    local.setBatchGroupCount(localCount(op.getBatchGroupCount(), op.getLhs(),
                                        numbers.getInputBatchDimension()));
    builder.bind(op.getResult(), local);
    return success();
  }

  /// Low and high padding of each spatial dimension in turn.
  static SmallVector<int64_t> paddingOf(stablehlo::ConvolutionOp op) {
    if (op.getPadding())
      return llvm::to_vector(op.getPadding()->getValues<int64_t>());
    return SmallVector<int64_t>(
        2 * op.getDimensionNumbers().getInputSpatialDimensions().size(), 0);
  }

  /// Dimensions of the input whose windows are sharded. What is fetched
  /// includes their padding, which becomes zero in `padding`.
  static SmallVector<int64_t> shardedWindows(stablehlo::ConvolutionOp op,
                                             PartitionBuilder &builder,
                                             MutableArrayRef<int64_t> padding) {
    stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    SmallVector<int64_t> windows;
    for (auto [index, resultDim] :
         llvm::enumerate(numbers.getOutputSpatialDimensions())) {
      if (builder.getShardCount(op.getResult(), resultDim) == 1)
        continue;
      windows.push_back(numbers.getInputSpatialDimensions()[index]);
      padding[2 * index] = padding[2 * index + 1] = 0;
    }
    return windows;
  }
};

} // namespace

void attachConvolutionModels(MLIRContext &context) {
  stablehlo::ConvolutionOp::attachInterface<ConvolutionModel>(context);
}

} // namespace partita
