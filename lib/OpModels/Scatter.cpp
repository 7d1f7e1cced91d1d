// scatter: batching dimensions and windows that are updated in full are
// parallel. An input dimension of which an update touches one element stays
// sharded: indices are made relative to the device's block and those of other
// blocks fall outside, where scatter drops them. Dimensions of the indices are
// reductions by the kind of the body: each device applies its updates, the
// inputs enter on one device only.

#include "Families.h"
#include "GatherScatterFactors.h"
#include "ReductionKind.h"
#include "RuleBuilder.h"
#include "ScalarIndex.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;

IndexingDims dimsOf(stablehlo::ScatterOp op) {
  stablehlo::ScatterDimensionNumbersAttr numbers =
      op.getScatterDimensionNumbers();
  return {shapeOf(op.getInputs().front()),
          shapeOf(op.getScatterIndices()),
          shapeOf(op.getUpdates().front()),
          numbers.getUpdateWindowDims(),
          numbers.getInsertedWindowDims(),
          numbers.getInputBatchingDims(),
          numbers.getScatterIndicesBatchingDims(),
          numbers.getScatterDimsToOperandDims(),
          numbers.getIndexVectorDim()};
}

struct ScatterModel : OpModel<ScatterModel, stablehlo::ScatterOp> {
  static constexpr StringLiteral family = "Scatter";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::ScatterOp op) {
    RuleBuilder rule(op);
    IndexingDims dims = dimsOf(op);
    size_t count = op.getInputs().size();
    std::optional<spmd::ReductionKind> kind =
        matchReductionKind(op.getUpdateComputation());
    forEachIndexingFactor(dims, [&](const IndexingFactor &factor) {
      SmallVector<int64_t> operandDims(count, factor.operandDim);
      SmallVector<int64_t> resultDims(operandDims);
      operandDims.push_back(factor.indicesDim);
      operandDims.append(count, factor.slicesDim);
      auto add = [&](FactorKind factorKind) -> RuleBuilder & {
        return rule.add(factor.size, operandDims, resultDims, factorKind);
      };
      bool isIndexed = dims.componentOf(factor.operandDim) >= 0;
      switch (factor.role) {
      case IndexingRole::ExplicitBatch:
        add(FactorKind::Parallel);
        break;
      case IndexingRole::Batch:
        // Padding in the indices is dropped by an index out of bounds, so there
        // must be an index.
        if (kind && dims.numComponents() > 0)
          add(FactorKind::Reduction).reducing(kind);
        else
          add(FactorKind::Replicated).whole();
        break;
      case IndexingRole::FullWindow:
        // Offset by an index, a full window would leave its block.
        if (isIndexed && factor.size > 1)
          add(FactorKind::Replicated).passThrough().whole();
        else
          add(FactorKind::Parallel);
        break;
      case IndexingRole::WindowOfOne:
        add(FactorKind::Indexed);
        if (!isIndexed)
          rule.whole();
        break;
      case IndexingRole::Collapsed:
        add(FactorKind::Indexed).passThrough();
        if (!isIndexed)
          rule.whole();
        break;
      case IndexingRole::PartialWindow:
      case IndexingRole::PartialSlice:
      case IndexingRole::SliceOfOne:
      case IndexingRole::IndexVector:
        add(FactorKind::Replicated).whole();
        break;
      }
    });
    return rule.flops(1).build();
  }

  static LogicalResult partitionOp(stablehlo::ScatterOp op,
                                   PartitionBuilder &builder) {
    IndexingDims dims = dimsOf(op);
    size_t count = op.getInputs().size();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(builder.any(operand));
    spmd::ShardingAttr resultSharding = builder.getSharding(op.getResult(0));
    if (resultSharding && !resultSharding.getUnreduced().empty())
      for (size_t i = 0; i < count; ++i)
        operands[i] = onFirstDevice(op, builder, operands[i], resultSharding);
    operands[count] = localizeIndices(op, builder, dims, operands[count]);
    auto local = cast<stablehlo::ScatterOp>(builder.cloneLocal(operands));
    if (operands[count] != builder.any(op.getScatterIndices())) {
      // Indices out of bounds may now be equal and out of order.
      local.setIndicesAreSorted(false);
      local.setUniqueIndices(false);
    }
    for (auto [original, result] :
         llvm::zip_equal(op->getResults(), local->getResults()))
      builder.bind(original, result);
    return success();
  }

  /// The input on the device that is first along the unreduced axes, neutral on
  /// the others.
  static Value onFirstDevice(stablehlo::ScatterOp op, PartitionBuilder &builder,
                             Value input, spmd::ShardingAttr sharding) {
    auto type = cast<RankedTensorType>(input.getType());
    Value isFirst =
        builder.isFirst(sharding.getMesh(), sharding.getUnreduced());
    Value neutral = builder.splat(
        builder.neutral(type.getElementType(), sharding.getReductionKind()),
        type);
    return stablehlo::SelectOp::create(builder.builder(), op.getLoc(), type,
                                       isFirst, input, neutral);
  }

  /// Indices relative to the device's block of the inputs; those in the padding
  /// of the indices lie out of bounds of every dimension.
  static Value localizeIndices(stablehlo::ScatterOp op,
                               PartitionBuilder &builder,
                               const IndexingDims &dims, Value indices) {
    OpBuilder &b = builder.builder();
    Value input = op.getInputs().front(), original = op.getScatterIndices();
    SmallVector<Value> offsets(dims.numComponents());
    bool isSharded = false;
    for (auto [component, dim] : llvm::enumerate(dims.indexMap)) {
      isSharded |= builder.getShardCount(input, dim) > 1;
      offsets[component] = builder.getShardCount(input, dim) > 1
                               ? builder.blockOffset(input, dim)
                               : builder.scalarInt(b.getI32Type(), 0);
    }
    SmallVector<int64_t> paddedDims;
    for (int64_t dim = 0, rank = dims.indicesShape.size(); dim < rank; ++dim)
      if (dim != dims.indexVectorDim && builder.hasPadding(original, dim) &&
          !llvm::is_contained(dims.indicesBatchDims, dim))
        paddedDims.push_back(dim);
    if (!isSharded && paddedDims.empty())
      return indices;
    Value wide = widenIndex(builder, indices);
    auto type = cast<RankedTensorType>(wide.getType());
    if (isSharded)
      wide = stablehlo::SubtractOp::create(
          b, op.getLoc(), wide,
          scalarsAlong(builder, type, dims.indexVectorDim, offsets));
    // Far below zero: no window reaches back in.
    constexpr int64_t kOutside = -(int64_t(1) << 30);
    for (int64_t dim : paddedDims) {
      Value position = builder.iota(type.getShape(), dim,
                                    builder.blockOffset(original, dim));
      Value valid = withinBounds(builder, position, dims.indicesShape[dim]);
      wide = stablehlo::SelectOp::create(
          b, op.getLoc(), type, valid, wide,
          builder.splat(builder.scalarInt(type.getElementType(), kOutside),
                        type));
    }
    return wide;
  }
};

} // namespace

void attachScatterModels(MLIRContext &context) {
  stablehlo::ScatterOp::attachInterface<ScatterModel>(context);
}

} // namespace partita
