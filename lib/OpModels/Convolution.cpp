// convolution: batch, output feature and group dimensions are parallel, input
// features are a sum. A spatial dimension sharded by its windows fetches what
// they read by interval exchange; of a dilated input whose blocks of the result
// do not begin at one phase of the dilation, more windows are computed, and
// cut. Group counts become those of the device.
//
// A spatial input dimension has two factors, the windows and the positions in a
// window; the larger one is major, for sharding follows it first. Positions are
// the larger one in the gradient of a kernel. Sharded by them, a device has a
// block of the kernel, fetches what that meets in any window, and has a part of
// the sum; a minor factor of positions is whole, as is one of a dilated input.

#include "Families.h"
#include "HaloFetch.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;
using spmd::IntervalAttr;

/// Sizes, strides and dilations along one spatial dimension.
struct SpatialDim {
  int64_t lhsDim, rhsDim, resultDim;
  int64_t windows, positions;
  int64_t stride, lhsDilation, rhsDilation, low;
  bool isReversed;

  SpatialDim(stablehlo::ConvolutionOp op, size_t spatial) {
    stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    lhsDim = numbers.getInputSpatialDimensions()[spatial];
    rhsDim = numbers.getKernelSpatialDimensions()[spatial];
    resultDim = numbers.getOutputSpatialDimensions()[spatial];
    windows = shapeOf(op.getResult())[resultDim];
    positions = shapeOf(op.getRhs())[rhsDim];
    stride = getWindowEntry(op.getWindowStrides(), spatial);
    lhsDilation = getWindowEntry(op.getLhsDilation(), spatial);
    rhsDilation = getWindowEntry(op.getRhsDilation(), spatial);
    low = getWindowPadding(op.getPadding(), spatial).first;
    isReversed = op.getWindowReversal() && (*op.getWindowReversal())[spatial];
  }

  /// Indices of the dilated input from the first to the last of which windows
  /// of so many positions consist.
  static int64_t getExtent(int64_t count, int64_t step) {
    return (count - 1) * step + 1;
  }

  /// The windows with `held` positions of the kernel.
  Windows getWindows(int64_t held) const {
    // The first block has the last positions of a reversed kernel.
    int64_t skipped = isReversed ? (positions - held) * rhsDilation : 0;
    return {low - skipped, stride, getExtent(held, rhsDilation), lhsDilation};
  }

  /// What positions of the kernel meet in all windows.
  spmd::HaloRead getReadOfPositions() const {
    int64_t shift = isReversed ? (positions - 1) * rhsDilation : 0;
    Windows meetings{low - shift, isReversed ? -rhsDilation : rhsDilation,
                     getExtent(windows, stride)};
    spmd::HaloRead read = meetings.getRead(0, lhsDim, rhsDim);
    read.reader = 1;
    return read;
  }
};

SmallVector<SpatialDim> getSpatialDims(stablehlo::ConvolutionOp op) {
  SmallVector<SpatialDim> dims;
  size_t count = op.getDimensionNumbers().getInputSpatialDimensions().size();
  for (size_t spatial = 0; spatial < count; ++spatial)
    dims.emplace_back(op, spatial);
  return dims;
}

void addSpatialFactors(stablehlo::ConvolutionOp op, RuleBuilder &rule) {
  SmallVector<SpatialDim> spatialDims = getSpatialDims(op);
  bool isDilated = llvm::any_of(
      spatialDims, [](const SpatialDim &dim) { return dim.lhsDilation > 1; });
  for (const SpatialDim &dim : spatialDims) {
    int64_t remaining = shapeOf(op.getLhs())[dim.lhsDim];
    auto addFactor = [&](int64_t count, int64_t rhsDim, int64_t resultDim) {
      int64_t size = std::min(remaining, count);
      if (size <= 1)
        return false;
      rule.add(size, {dim.lhsDim, rhsDim}, resultDim, FactorKind::Halo);
      remaining /= size;
      return true;
    };
    bool isPositionsMajor = dim.positions > dim.windows;
    if (isPositionsMajor && addFactor(dim.positions, dim.rhsDim, kNone)) {
      if (isDilated)
        rule.whole();
      else
        rule.reducing(spmd::ReductionKind::Add)
            .reading(dim.getReadOfPositions());
    }
    addFactor(dim.windows, kNone, dim.resultDim);
    if (!isPositionsMajor && addFactor(dim.positions, dim.rhsDim, kNone))
      rule.whole();
    rule.reading(
        dim.getWindows(dim.positions).getRead(0, dim.lhsDim, dim.resultDim));
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
    int64_t inSize = shapeOf(op.getRhs())[rhsIn];
    rule.add(inSize, {lhsFeature, rhsIn}, kNone, FactorKind::Reduction)
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
    SmallVector<int64_t> summed = {numbers.getKernelInputFeatureDimension()};
    SmallVector<SpatialDim> spatialDims = getSpatialDims(op);
    for (const SpatialDim &dim : spatialDims) {
      bool areWindowsSharded =
          builder.getShardCount(op.getResult(), dim.resultDim) > 1;
      bool isKernelSharded = builder.getShardCount(op.getRhs(), dim.rhsDim) > 1;
      if (areWindowsSharded)
        resultDims.push_back(dim.resultDim);
      if (isKernelSharded)
        summed.push_back(dim.rhsDim);
      if (areWindowsSharded || isKernelSharded)
        dims.push_back(dim.lhsDim);
    }
    FailureOr<spmd::ShardingRule> reads = rule(op);
    FailureOr<SmallVector<IntervalAttr>> intervals =
        readIntervals(builder, *reads, 0);
    SmallVector<spmd::BlockInterval> computed =
        computedIntervals(builder, *reads);
    bool isWhole = failed(intervals);
    if (isWhole) {
      remarkWhole(builder, input.type,
                  "because intervals at one phase of the dilation that cover "
                  "its blocks are as long as the dimension");
      FailureOr<ShardedValue> whole =
          builder.reshard(input, withWholeDims(input.sharding, dims));
      if (failed(whole))
        return failure();
      input.local = whole->local;
    } else if (!dims.empty()) {
      input.local =
          fetchWindows(builder, input, *intervals, dims,
                       builder.scalar(input.type.getElementType(), 0));
      auto kernelType =
          cast<RankedTensorType>(builder.getLocalType(op.getRhs()));
      for (auto [spatial, dim] : llvm::enumerate(spatialDims))
        if (llvm::is_contained(dims, dim.lhsDim))
          std::tie(padding[2 * spatial], padding[2 * spatial + 1]) =
              dim.getWindows(kernelType.getDimSize(dim.rhsDim))
                  .getLocalPadding((*intervals)[dim.lhsDim],
                                   computed[dim.resultDim]);
    }
    Value rhs = builder.masked(op.getRhs(), summed, spmd::ReductionKind::Add);
    auto local =
        cast<stablehlo::ConvolutionOp>(builder.cloneLocal({input.local, rhs}));
    if (!dims.empty())
      local.setPaddingAttr(makeWindowPadding(builder, padding));
    setLocalGroups(op, builder, local);
    if (isWhole)
      return bindPart(op, builder, local, resultDims);
    local.getResult().setType(computedType(local.getType(), computed));
    builder.bind(op.getResult(), cutToBlock(builder, local, computed));
    return success();
  }

  /// The blocks of a grouped dimension are whole groups: legal shardings divide
  /// the group factor, which is the major one.
  static void setLocalGroups(stablehlo::ConvolutionOp op,
                             PartitionBuilder &builder,
                             stablehlo::ConvolutionOp local) {
    stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    auto localCount = [&](int64_t groups, Value operand, int64_t dim) {
      int64_t shards = builder.getShardCount(operand, dim);
      return groups == 1 ? 1 : std::max<int64_t>(1, groups / shards);
    };
    local.setFeatureGroupCount(localCount(op.getFeatureGroupCount(),
                                          op.getLhs(),
                                          numbers.getInputFeatureDimension()));
    local.setBatchGroupCount(localCount(op.getBatchGroupCount(), op.getLhs(),
                                        numbers.getInputBatchDimension()));
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
};

} // namespace

void attachConvolutionModels(MLIRContext &context) {
  stablehlo::ConvolutionOp::attachInterface<ConvolutionModel>(context);
}

} // namespace partita
