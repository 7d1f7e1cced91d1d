// reduce with any body. Reduced dimensions are reductions by the kind of the
// body; the device folds its block, whose padding is neutral, and the user's
// init enters on one device only. A body of no single kind (argmax pairs) is
// folded in two steps instead: partial results of the devices are gathered and
// folded again by the body.

#include "Families.h"
#include "ReductionKind.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;
using spmd::ReductionKind;

/// Axes over which reduced dimensions of the op's inputs are sharded.
SmallVector<spmd::AxisRefAttr> reducedAxes(stablehlo::ReduceOp op,
                                           PartitionBuilder &builder) {
  SmallVector<spmd::AxisRefAttr> axes;
  spmd::ShardingAttr sharding = builder.getSharding(op.getInputs().front());
  if (sharding)
    for (int64_t dim : op.getDimensions())
      llvm::append_range(axes, sharding.getDims()[dim].getAxes());
  return axes;
}

/// True if `value` of the body is `lhs` or `rhs`, however chosen.
bool isChoice(Value value, Value lhs, Value rhs) {
  if (value == lhs || value == rhs)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<stablehlo::SelectOp>(op))
    return isChoice(select.getOnTrue(), lhs, rhs) &&
           isChoice(select.getOnFalse(), lhs, rhs);
  if (isa_and_nonnull<stablehlo::MaxOp, stablehlo::MinOp, stablehlo::AndOp,
                      stablehlo::OrOp>(op))
    return isChoice(op->getOperand(0), lhs, rhs) &&
           isChoice(op->getOperand(1), lhs, rhs);
  return false;
}

/// True if the body gives back a value that it combines with itself, as those
/// of argmax and argmin do. Then the init may enter more than once and fill the
/// padding. What the init is says nothing: lowest int or all bits set are
/// neutral to one combiner and not to the next.
bool isIdempotent(Region &region) {
  Block &body = region.front();
  unsigned count = body.getNumArguments() / 2;
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    if (!isChoice(value, body.getArgument(index),
                  body.getArgument(count + index)))
      return false;
  return true;
}

struct ReduceModel : OpModel<ReduceModel, stablehlo::ReduceOp> {
  static constexpr StringLiteral family = "Reduction";

  bool isResizable(Operation *) const { return true; }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::ReduceOp op) {
    RuleBuilder rule(op);
    size_t count = op.getInputs().size();
    std::optional<ReductionKind> kind = matchReductionKind(op.getBody());
    SmallVector<int64_t> none(count, RuleBuilder::kNone);
    int64_t resultDim = 0;
    for (auto [index, size] :
         llvm::enumerate(shapeOf(op.getInputs().front()))) {
      int64_t dim = index;
      SmallVector<int64_t> operandDims(count, dim);
      operandDims.append(none);
      if (llvm::is_contained(op.getDimensions(), dim))
        rule.add(size, operandDims, none, FactorKind::Reduction).reducing(kind);
      else
        rule.add(size, operandDims, SmallVector<int64_t>(count, resultDim++));
    }
    for (size_t i = 0; i < count; ++i)
      rule.pad(i,
               kind ? spmd::PadTolerance::Neutral : spmd::PadTolerance::None);
    if (kind == ReductionKind::Add && count == 1 &&
        isNeutralConstant(op.getInitValues().front(), ReductionKind::Add))
      rule.linearIn(0);
    return rule.build();
  }

  static LogicalResult partitionOp(stablehlo::ReduceOp op,
                                   PartitionBuilder &builder) {
    SmallVector<spmd::AxisRefAttr> axes = reducedAxes(op, builder);
    if (axes.empty())
      return builder.partitionByRule();
    if (std::optional<ReductionKind> kind = matchReductionKind(op.getBody()))
      return partitionByKind(op, builder, *kind, axes);
    return isIdempotent(op.getBody()) ? partitionByInit(op, builder, axes)
                                      : partitionByFlag(op, builder, axes);
  }

private:
  static LogicalResult partitionByKind(stablehlo::ReduceOp op,
                                       PartitionBuilder &builder,
                                       ReductionKind kind,
                                       ArrayRef<spmd::AxisRefAttr> axes) {
    SmallVector<Value> operands;
    for (Value input : op.getInputs())
      operands.push_back(builder.masked(input, op.getDimensions(), kind));
    FlatSymbolRefAttr mesh =
        builder.getSharding(op.getInputs().front()).getMesh();
    Value isFirst;
    for (Value init : op.getInitValues()) {
      Value local = builder.any(init);
      if (!isNeutralConstant(init, kind)) {
        if (!isFirst)
          isFirst = builder.isFirst(mesh, axes);
        Type elementType = getElementTypeOrSelf(local.getType());
        local = stablehlo::SelectOp::create(builder.builder(), op.getLoc(),
                                            local.getType(), isFirst, local,
                                            builder.neutral(elementType, kind));
      }
      operands.push_back(local);
    }
    Operation *local = builder.cloneLocal(operands);
    for (auto [original, result] :
         llvm::zip_equal(op->getResults(), local->getResults()))
      builder.bind(original, result);
    return success();
  }

  /// The body's fold of the partial results, gathered along a new dimension 0.
  static SmallVector<Value> gatherPartials(stablehlo::ReduceOp op,
                                           PartitionBuilder &builder,
                                           ValueRange partials,
                                           ArrayRef<spmd::AxisRefAttr> axes) {
    OpBuilder &b = builder.builder();
    spmd::ShardingAttr sharding = builder.getSharding(op.getInputs().front());
    int64_t devices = 1;
    for (spmd::AxisRefAttr axis : axes)
      devices *= axis.getSize(builder.getMesh(sharding));
    SmallVector<Value> rows;
    SmallVector<Type> gatheredTypes;
    SmallVector<Attribute> gatherAxes{
        spmd::AxisListAttr::get(builder.getContext(), axes)};
    for (Value partial : partials) {
      auto type = cast<RankedTensorType>(partial.getType());
      SmallVector<int64_t> shape{1};
      shape.append(type.getShape().begin(), type.getShape().end());
      rows.push_back(stablehlo::ReshapeOp::create(b, op.getLoc(),
                                                  type.clone(shape), partial));
      shape.front() = devices;
      gatheredTypes.push_back(type.clone(shape));
    }
    gatherAxes.resize(cast<RankedTensorType>(rows.front().getType()).getRank(),
                      spmd::AxisListAttr::get(builder.getContext(), {}));
    auto gathered = spmd::AllGatherOp::create(b, op.getLoc(), gatheredTypes,
                                              rows, sharding.getMesh(),
                                              b.getArrayAttr(gatherAxes));
    return llvm::to_vector_of<Value>(gathered.getResults());
  }

  /// The body is idempotent: the init fills the padding and enters every fold.
  static LogicalResult partitionByInit(stablehlo::ReduceOp op,
                                       PartitionBuilder &builder,
                                       ArrayRef<spmd::AxisRefAttr> axes) {
    SmallVector<Value> operands;
    for (auto [input, init] :
         llvm::zip_equal(op.getInputs(), op.getInitValues()))
      operands.push_back(
          builder.maskedWith(input, op.getDimensions(), builder.any(init)));
    for (Value init : op.getInitValues())
      operands.push_back(builder.any(init));
    Operation *local = builder.cloneLocal(operands);
    SmallVector<Value> gathered =
        gatherPartials(op, builder, local->getResults(), axes);
    SmallVector<Value> again(gathered);
    for (Value init : op.getInitValues())
      again.push_back(builder.any(init));
    auto folded = cast<stablehlo::ReduceOp>(builder.cloneLocal(again));
    folded.setDimensions({0});
    for (auto [original, result] :
         llvm::zip_equal(op->getResults(), folded->getResults()))
      builder.bind(original, result);
    return success();
  }

  /// Nothing is known of the init: every element carries a flag that says
  /// whether it counts, and the init is combined once at the end.
  static LogicalResult partitionByFlag(stablehlo::ReduceOp op,
                                       PartitionBuilder &builder,
                                       ArrayRef<spmd::AxisRefAttr> axes) {
    OpBuilder &b = builder.builder();
    SmallVector<Value> inputs, inits;
    for (Value input : op.getInputs())
      inputs.push_back(builder.any(input));
    for (Value init : op.getInitValues())
      inits.push_back(builder.any(init));
    auto localType = cast<RankedTensorType>(inputs.front().getType());
    Value counts = builder.splat(builder.scalarInt(b.getI1Type(), 1),
                                 localType.clone(b.getI1Type()));
    counts = maskFlags(op, builder, counts);
    inputs.push_back(counts);
    inits.push_back(builder.scalarInt(b.getI1Type(), 0));
    SmallVector<Value> partials =
        emitFlaggedReduce(op, builder, inputs, inits, op.getDimensions());
    SmallVector<Value> gathered = gatherPartials(op, builder, partials, axes);
    SmallVector<Value> totals =
        emitFlaggedReduce(op, builder, gathered, inits, {0});
    // Once more over one element per result, with the user's body and init.
    SmallVector<Value> operands;
    for (Value total : ArrayRef(totals).drop_back()) {
      auto type = cast<RankedTensorType>(total.getType());
      SmallVector<int64_t> shape{1};
      shape.append(type.getShape().begin(), type.getShape().end());
      operands.push_back(stablehlo::ReshapeOp::create(
          b, op.getLoc(), type.clone(shape), total));
    }
    for (Value init : op.getInitValues())
      operands.push_back(builder.any(init));
    auto folded = cast<stablehlo::ReduceOp>(builder.cloneLocal(operands));
    folded.setDimensions({0});
    for (auto [original, result] :
         llvm::zip_equal(op->getResults(), folded->getResults()))
      builder.bind(original, result);
    return success();
  }

  /// False in the padding of reduced dimensions.
  static Value maskFlags(stablehlo::ReduceOp op, PartitionBuilder &builder,
                         Value flags) {
    OpBuilder &b = builder.builder();
    auto type = cast<RankedTensorType>(flags.getType());
    Value input = op.getInputs().front();
    for (int64_t dim : op.getDimensions()) {
      if (!builder.hasPadding(input, dim))
        continue;
      Value position =
          builder.iota(type.getShape(), dim, builder.blockOffset(input, dim));
      auto indexType = cast<RankedTensorType>(position.getType());
      Value size = builder.splat(
          builder.scalarInt(b.getI32Type(), shapeOf(input)[dim]), indexType);
      Value inside = stablehlo::CompareOp::create(
          b, op.getLoc(), type, position, size,
          stablehlo::ComparisonDirectionAttr::get(
              b.getContext(), stablehlo::ComparisonDirection::LT),
          stablehlo::ComparisonTypeAttr());
      flags = stablehlo::AndOp::create(b, op.getLoc(), flags, inside);
    }
    return flags;
  }

  /// reduce whose last operand is the flag. Its body: the user's where both
  /// sides count, else the side that does.
  static SmallVector<Value> emitFlaggedReduce(stablehlo::ReduceOp op,
                                              PartitionBuilder &builder,
                                              ArrayRef<Value> inputs,
                                              ArrayRef<Value> inits,
                                              ArrayRef<int64_t> dimensions) {
    OpBuilder &b = builder.builder();
    Location loc = op.getLoc();
    SmallVector<Type> resultTypes, argumentTypes;
    for (Value input : inputs) {
      auto type = cast<RankedTensorType>(input.getType());
      SmallVector<int64_t> shape;
      for (auto [dim, size] : llvm::enumerate(type.getShape()))
        if (!llvm::is_contained(dimensions, static_cast<int64_t>(dim)))
          shape.push_back(size);
      resultTypes.push_back(type.clone(shape));
      argumentTypes.push_back(RankedTensorType::get({}, type.getElementType()));
    }
    auto reduce = stablehlo::ReduceOp::create(b, loc, resultTypes, inputs,
                                              inits, dimensions);
    size_t count = inputs.size();
    SmallVector<Type> both(argumentTypes);
    both.append(argumentTypes);
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getBody(), {}, both,
                                SmallVector<Location>(both.size(), loc));
    IRMapping mapping;
    Block &original = op.getBody().front();
    for (size_t i = 0; i + 1 < count; ++i) {
      mapping.map(original.getArgument(i), body->getArgument(i));
      mapping.map(original.getArgument(count - 1 + i),
                  body->getArgument(count + i));
    }
    for (Operation &nested : original.without_terminator()) {
      for (Value operand : nested.getOperands())
        if (operand.getParentRegion() != &op.getBody() &&
            !mapping.contains(operand) &&
            !op.getBody().isAncestor(operand.getParentRegion()))
          mapping.map(operand, builder.any(operand));
      b.clone(nested, mapping);
    }
    Value lhsCounts = body->getArgument(count - 1);
    Value rhsCounts = body->getArgument(2 * count - 1);
    SmallVector<Value> returned;
    for (size_t i = 0; i + 1 < count; ++i) {
      Value combined =
          mapping.lookupOrDefault(original.getTerminator()->getOperand(i));
      Value lhs = body->getArgument(i), rhs = body->getArgument(count + i);
      Type type = argumentTypes[i];
      Value one =
          stablehlo::SelectOp::create(b, loc, type, lhsCounts, lhs, rhs);
      Value isBoth = stablehlo::AndOp::create(b, loc, lhsCounts, rhsCounts);
      returned.push_back(
          stablehlo::SelectOp::create(b, loc, type, isBoth, combined, one));
    }
    returned.push_back(stablehlo::OrOp::create(b, loc, lhsCounts, rhsCounts));
    stablehlo::ReturnOp::create(b, loc, returned);
    return llvm::to_vector_of<Value>(reduce.getResults());
  }
};

} // namespace

void attachReductionModels(MLIRContext &context) {
  stablehlo::ReduceOp::attachInterface<ReduceModel>(context);
}

} // namespace partita
