// gather: batch dimensions and windows that are shown in full are parallel. An
// operand dimension of which one element is taken is a sum over the operand's
// shards: indices are clamped by the extent of the whole operand, made relative
// to the device's block, and what the device does not own gives zero. Windows
// that show a part need the dimension whole.

#include "Families.h"
#include "GatherScatterFactors.h"
#include "RuleBuilder.h"
#include "ScalarIndex.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;
using spmd::ReductionKind;

IndexingDims dimsOf(stablehlo::GatherOp op) {
  stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  return {shapeOf(op.getOperand()),
          shapeOf(op.getStartIndices()),
          shapeOf(op.getResult()),
          numbers.getOffsetDims(),
          numbers.getCollapsedSliceDims(),
          numbers.getOperandBatchingDims(),
          numbers.getStartIndicesBatchingDims(),
          numbers.getStartIndexMap(),
          numbers.getIndexVectorDim()};
}

/// An operand dimension of which the device holds a block and a slice shows one
/// element.
struct OwnedDim {
  int64_t dim, component; ///< component -1: the index is zero
};

struct GatherModel : OpModel<GatherModel, stablehlo::GatherOp> {
  static constexpr StringLiteral family = "Gather";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::GatherOp op) {
    RuleBuilder rule(op);
    ReductionKind kind =
        getElementTypeOrSelf(op.getResult().getType()).isInteger(1)
            ? ReductionKind::Or
            : ReductionKind::Add;
    IndexingDims dims = dimsOf(op);
    forEachIndexingFactor(dims, [&](const IndexingFactor &factor) {
      auto add = [&](FactorKind factorKind) -> RuleBuilder & {
        return rule.add(factor.size, {factor.operandDim, factor.indicesDim},
                        factor.slicesDim, factorKind);
      };
      switch (factor.role) {
      case IndexingRole::ExplicitBatch:
      case IndexingRole::Batch:
      case IndexingRole::FullWindow:
        add(FactorKind::Parallel);
        break;
      case IndexingRole::WindowOfOne:
        add(FactorKind::Reduction).reducing(kind);
        break;
      case IndexingRole::Collapsed:
        if (factor.size == 1)
          add(FactorKind::Replicated).whole();
        else
          add(FactorKind::Reduction).reducing(kind);
        break;
      case IndexingRole::PartialWindow:
      case IndexingRole::PartialSlice:
        add(FactorKind::Replicated).whole().blocked();
        break;
      case IndexingRole::SliceOfOne:
      case IndexingRole::IndexVector:
        add(FactorKind::Replicated).whole();
        break;
      }
    });
    return rule.linearIn(0).flops(0).build();
  }

  static LogicalResult partitionOp(stablehlo::GatherOp op,
                                   PartitionBuilder &builder) {
    Value operand = op.getOperand();
    IndexingDims dims = dimsOf(op);
    SmallVector<OwnedDim> owned;
    SmallVector<int64_t> sliceSizes(op.getSliceSizes());
    auto blockType = cast<RankedTensorType>(builder.getLocalType(operand));
    for (int64_t dim = 0, rank = blockType.getRank(); dim < rank; ++dim) {
      if (builder.getShardCount(operand, dim) == 1 ||
          llvm::is_contained(dims.operandBatchDims, dim))
        continue;
      if (sliceSizes[dim] == dims.operandShape[dim])
        sliceSizes[dim] = blockType.getDimSize(dim);
      else
        owned.push_back({dim, dims.componentOf(dim)});
    }
    Value indices = builder.any(op.getStartIndices());
    Value isOwned;
    if (!owned.empty())
      indices = localizeIndices(op, builder, dims, owned, indices, isOwned);
    auto local = cast<stablehlo::GatherOp>(
        builder.cloneLocal({builder.any(operand), indices}));
    local.setSliceSizes(sliceSizes);
    Value result = local;
    if (isOwned)
      result = selectOwned(builder, dims, isOwned, result);
    builder.bind(op.getResult(), result);
    return success();
  }

  /// Indices relative to the device's block, and for each one (in the batch
  /// dimensions of the result) whether the block holds its element.
  static Value localizeIndices(stablehlo::GatherOp op,
                               PartitionBuilder &builder,
                               const IndexingDims &dims,
                               ArrayRef<OwnedDim> owned, Value indices,
                               Value &isOwned) {
    OpBuilder &b = builder.builder();
    Value operand = op.getOperand();
    int64_t numComponents = dims.numComponents();
    SmallVector<int64_t> highs, sizes;
    Value zero = builder.scalarInt(b.getI32Type(), 0);
    SmallVector<Value> offsets(numComponents, zero);
    for (int64_t dim : dims.indexMap) {
      highs.push_back(dims.operandShape[dim] - op.getSliceSizes()[dim]);
      sizes.push_back(dims.operandShape[dim]);
    }
    Value always; // for dimensions without a component: the index is zero
    for (OwnedDim dim : owned) {
      Value offset = builder.blockOffset(operand, dim.dim);
      int64_t block = cast<RankedTensorType>(builder.getLocalType(operand))
                          .getDimSize(dim.dim);
      if (dim.component >= 0) {
        offsets[dim.component] = offset;
        sizes[dim.component] = block;
        continue;
      }
      Value local = stablehlo::SubtractOp::create(b, op.getLoc(), zero, offset);
      Value holds = withinBounds(builder, local, block);
      always = always ? stablehlo::AndOp::create(b, op.getLoc(), always, holds)
                      : holds;
    }
    isOwned = always;
    if (numComponents == 0)
      return indices;

    Value wide = widenIndex(builder, indices);
    auto type = cast<RankedTensorType>(wide.getType());
    int64_t dim = dims.indexVectorDim;
    Value clamped = stablehlo::ClampOp::create(
        b, op.getLoc(), type,
        constantAlong(builder, type, dim,
                      SmallVector<int64_t>(numComponents, 0)),
        wide, constantAlong(builder, type, dim, highs));
    Value local = stablehlo::SubtractOp::create(
        b, op.getLoc(), clamped, scalarsAlong(builder, type, dim, offsets));
    Value within =
        allAlong(builder, withinBounds(builder, local, dim, sizes), dim);
    isOwned = always
                  ? stablehlo::AndOp::create(
                        b, op.getLoc(), within,
                        builder.splat(always,
                                      cast<RankedTensorType>(within.getType())))
                  : within;
    return local;
  }

  /// Conjunction along dimension `dim`; the value itself when that is the rank.
  static Value allAlong(PartitionBuilder &builder, Value value, int64_t dim) {
    OpBuilder &b = builder.builder();
    Location loc = builder.getLoc();
    auto type = cast<RankedTensorType>(value.getType());
    if (dim == type.getRank())
      return value;
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    auto resultType = type.clone(shape);
    if (type.getDimSize(dim) == 1)
      return stablehlo::ReshapeOp::create(b, loc, resultType, value);
    Value init = builder.scalarInt(b.getI1Type(), 1);
    auto reduce = stablehlo::ReduceOp::create(
        b, loc, TypeRange{resultType}, ValueRange{value}, ValueRange{init},
        ArrayRef<int64_t>{dim});
    auto scalarType = RankedTensorType::get({}, b.getI1Type());
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getBody(), {}, {scalarType, scalarType},
                                {loc, loc});
    Value both = stablehlo::AndOp::create(b, loc, body->getArgument(0),
                                          body->getArgument(1));
    stablehlo::ReturnOp::create(b, loc, both);
    return reduce.getResult(0);
  }

  static Value selectOwned(PartitionBuilder &builder, const IndexingDims &dims,
                           Value isOwned, Value result) {
    OpBuilder &b = builder.builder();
    Location loc = builder.getLoc();
    auto type = cast<RankedTensorType>(result.getType());
    auto maskType = cast<RankedTensorType>(isOwned.getType());
    if (maskType.getRank() > 0) {
      SmallVector<int64_t> batchDims;
      for (auto [slicesDim, indicesDim] : dims.batchDims())
        batchDims.push_back(slicesDim);
      isOwned = stablehlo::BroadcastInDimOp::create(
          b, loc, type.clone(b.getI1Type()), isOwned, batchDims);
    }
    Value zero = builder.splat(builder.scalar(type.getElementType(), 0), type);
    return stablehlo::SelectOp::create(b, loc, type, isOwned, result, zero);
  }
};

} // namespace

void attachGatherModels(MLIRContext &context) {
  stablehlo::GatherOp::attachInterface<GatherModel>(context);
}

} // namespace partita
