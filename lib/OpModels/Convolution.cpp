// convolution: batch, output feature and group dimensions are parallel, input
// features are a sum. A spatial dimension sharded by its windows fetches what
// they read by interval exchange; kernels are whole. So are dilated inputs
// whose blocks of the result do not begin at one phase of the dilation. Group
// counts become those of the device.
//
// A spatial input dimension has two factors, the windows and the positions in a
// window; the larger one is major, for sharding follows it first.

#include "Families.h"
#include "HaloFetch.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

#include <numeric>

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;
using spmd::IntervalAttr;

/// Indices of the dilated input from the first to the last that a window of
/// spatial dimension `spatial` reads.
int64_t getExtent(stablehlo::ConvolutionOp op, size_t spatial) {
  int64_t dim = op.getDimensionNumbers().getKernelSpatialDimensions()[spatial];
  return (shapeOf(op.getRhs())[dim] - 1) *
             getWindowEntry(op.getRhsDilation(), spatial) +
         1;
}

void addSpatialFactors(stablehlo::ConvolutionOp op, RuleBuilder &rule) {
  stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  size_t spatial = 0;
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
               isWindow ? kNone : resultDim, FactorKind::Halo);
      if (isWindow)
        rule.whole();
      remaining /= size;
    };
    bool isWindowMajor = windowSize > windows;
    addFactor(isWindowMajor);
    addFactor(!isWindowMajor);
    // Of the dilated input's indices, every `dilation`-th is one of the input.
    int64_t dilation = getWindowEntry(op.getLhsDilation(), spatial);
    int64_t stride = getWindowEntry(op.getWindowStrides(), spatial);
    spmd::HaloRead read = getWindowRead(
        0, lhsDim, resultDim, getWindowPadding(op.getPadding(), spatial).first,
        stride, getExtent(op, spatial));
    read.first += dilation - 1;
    read.period = dilation;
    read.blockUnit = dilation / std::gcd(dilation, stride);
    rule.reading(read);
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
    ShardedValue input = builder.get(op.getLhs());
    input.local =
        builder.masked(op.getLhs(), numbers.getInputFeatureDimension(),
                       spmd::ReductionKind::Add);
    SmallVector<int64_t> padding = paddingOf(op), dims, resultDims;
    SmallVector<size_t> windows = getShardedWindows(op, builder);
    for (size_t spatial : windows) {
      dims.push_back(numbers.getInputSpatialDimensions()[spatial]);
      resultDims.push_back(numbers.getOutputSpatialDimensions()[spatial]);
    }
    FailureOr<SmallVector<IntervalAttr>> intervals =
        windows.empty() ? SmallVector<IntervalAttr>()
                        : readIntervals(builder, *rule(op), 0);
    bool isWhole = failed(intervals);
    if (isWhole) {
      remarkWhole(builder, input.type,
                  "because its blocks do not begin at one phase of the "
                  "dilation");
      FailureOr<ShardedValue> whole =
          builder.reshard(input, withWholeDims(input.sharding, dims));
      if (failed(whole))
        return failure();
      input.local = whole->local;
    } else if (!windows.empty()) {
      input.local =
          fetchWindows(builder, input, *intervals, dims,
                       builder.scalar(input.type.getElementType(), 0));
      for (size_t spatial : windows)
        setLocalPadding(op, builder, spatial, *intervals, padding);
    }
    Value rhs =
        builder.masked(op.getRhs(), numbers.getKernelInputFeatureDimension(),
                       spmd::ReductionKind::Add);
    auto local =
        cast<stablehlo::ConvolutionOp>(builder.cloneLocal({input.local, rhs}));
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
    if (isWhole)
      return bindPart(op, builder, local, resultDims);
    builder.bind(op.getResult(), local);
    return success();
  }

  /// The device's part of a result whose dimensions `dims` are whole.
  static LogicalResult bindPart(stablehlo::ConvolutionOp op,
                                PartitionBuilder &builder,
                                stablehlo::ConvolutionOp local,
                                ArrayRef<int64_t> dims) {
    spmd::ShardingAttr sharding = builder.getSharding(op.getResult());
    spmd::ShardingAttr whole = withWholeDims(sharding, dims);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    local.getResult().setType(
        whole.getLocalType(type, builder.getMesh(sharding)));
    return bindResharded(builder, op.getResult(), local, whole);
  }

  /// Low and high padding of each spatial dimension in turn.
  static SmallVector<int64_t> paddingOf(stablehlo::ConvolutionOp op) {
    if (op.getPadding())
      return llvm::to_vector(op.getPadding()->getValues<int64_t>());
    return SmallVector<int64_t>(
        2 * op.getDimensionNumbers().getInputSpatialDimensions().size(), 0);
  }

  /// Spatial dimensions whose windows are sharded.
  static SmallVector<size_t> getShardedWindows(stablehlo::ConvolutionOp op,
                                               PartitionBuilder &builder) {
    SmallVector<size_t> sharded;
    for (auto [index, resultDim] :
         llvm::enumerate(op.getDimensionNumbers().getOutputSpatialDimensions()))
      if (builder.getShardCount(op.getResult(), resultDim) > 1)
        sharded.push_back(index);
    return sharded;
  }

  /// Padding, negative where it cuts, with which what was fetched along spatial
  /// dimension `spatial` has the windows of the device's block.
  static void setLocalPadding(stablehlo::ConvolutionOp op,
                              PartitionBuilder &builder, size_t spatial,
                              ArrayRef<IntervalAttr> intervals,
                              MutableArrayRef<int64_t> padding) {
    stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    IntervalAttr interval =
        intervals[numbers.getInputSpatialDimensions()[spatial]];
    int64_t dilation = getWindowEntry(op.getLhsDilation(), spatial);
    auto type = cast<RankedTensorType>(builder.getLocalType(op.getResult()));
    int64_t windows =
        type.getDimSize(numbers.getOutputSpatialDimensions()[spatial]);
    int64_t read =
        (windows - 1) * getWindowEntry(op.getWindowStrides(), spatial) +
        getExtent(op, spatial);
    int64_t fetched = (interval.getLength() - 1) * dilation + 1;
    padding[2 * spatial] += interval.getBase() * dilation;
    padding[2 * spatial + 1] = read - fetched - padding[2 * spatial];
  }
};

} // namespace

void attachConvolutionModels(MLIRContext &context) {
  stablehlo::ConvolutionOp::attachInterface<ConvolutionModel>(context);
}

} // namespace partita
