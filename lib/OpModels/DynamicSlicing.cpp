// dynamic_slice and dynamic_update_slice: the owner computes.
//
// Start indices are clamped by the extent of the whole operand first, then made
// relative to the device's block. A sliced dimension of dynamic_slice is a sum
// over the operand's shards: a device gives what it owns of the slice and zero
// elsewhere. In dynamic_update_slice operand and result stay sharded and each
// device writes the part of the update that falls into its block; nothing is
// sent, so caches stay sharded.

#include "Families.h"
#include "RuleBuilder.h"
#include "ScalarIndex.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;
using spmd::ReductionKind;

/// Start indices of the window in the device's block, one i32 scalar per
/// dimension. `sharded[d]` says whether it may lie outside the block.
struct LocalWindow {
  SmallVector<Value> starts;
  SmallVector<bool> isSharded;
};

/// An original start index clamped to [0, high], as i32.
Value clampStart(PartitionBuilder &builder, Value start, int64_t high) {
  Type i32 = builder.builder().getI32Type();
  APInt constant;
  if (high == 0)
    return builder.scalarInt(i32, 0);
  if (!matchPattern(start, m_ConstantInt(&constant)))
    return clampIndex(builder, builder.any(start), high);
  bool isUnsigned = getElementTypeOrSelf(start.getType()).isUnsignedInteger();
  int64_t value = isUnsigned ? constant.getLimitedValue(high)
                             : std::min(constant.getSExtValue(), high);
  return builder.scalarInt(i32, std::max<int64_t>(value, 0));
}

/// Clamps the starts of a window of `sizes` in the whole `operand` and makes
/// them relative to the device's block.
LocalWindow localizeStarts(PartitionBuilder &builder, Value operand,
                           ValueRange starts, ArrayRef<int64_t> sizes) {
  LocalWindow window;
  ArrayRef<int64_t> shape = shapeOf(operand);
  for (auto [index, start] : llvm::enumerate(starts)) {
    int64_t dim = index;
    bool isSharded =
        sizes[dim] != shape[dim] && builder.getShardCount(operand, dim) > 1;
    Value local = clampStart(builder, start, shape[dim] - sizes[dim]);
    if (isSharded)
      local = stablehlo::SubtractOp::create(builder.builder(), builder.getLoc(),
                                            local,
                                            builder.blockOffset(operand, dim));
    window.starts.push_back(local);
    window.isSharded.push_back(isSharded);
  }
  return window;
}

Value add(PartitionBuilder &builder, Value lhs, int64_t rhs) {
  return stablehlo::AddOp::create(
      builder.builder(), builder.getLoc(), lhs,
      builder.scalarInt(builder.builder().getI32Type(), rhs));
}

Value subtract(PartitionBuilder &builder, Value lhs, Value rhs) {
  return stablehlo::SubtractOp::create(builder.builder(), builder.getLoc(), lhs,
                                       rhs);
}

Value dynamicSlice(PartitionBuilder &builder, Value operand,
                   ArrayRef<Value> starts, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(operand.getType());
  return stablehlo::DynamicSliceOp::create(builder.builder(), builder.getLoc(),
                                           type.clone(sizes), operand, starts,
                                           sizes);
}

/// `value` between `margins[d]` zeros on both sides of each dimension.
Value padBothSides(PartitionBuilder &builder, Value value,
                   ArrayRef<int64_t> margins) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape()), none(margins.size(), 0);
  for (auto [size, margin] : llvm::zip_equal(shape, margins))
    size += 2 * margin;
  return stablehlo::PadOp::create(
      builder.builder(), builder.getLoc(), type.clone(shape), value,
      builder.scalar(type.getElementType(), 0), margins, margins, none);
}

/// The window of `sizes` at `shifts` of `value` between `margins` zeros; a null
/// shift leaves its dimension as it is.
Value moveWindow(PartitionBuilder &builder, Value value,
                 ArrayRef<int64_t> margins, ArrayRef<Value> shifts,
                 ArrayRef<int64_t> sizes) {
  if (llvm::none_of(shifts, [](Value shift) { return bool(shift); }))
    return value;
  SmallVector<Value> starts(shifts);
  for (Value &start : starts)
    if (!start)
      start = builder.scalarInt(builder.builder().getI32Type(), 0);
  return dynamicSlice(builder, padBothSides(builder, value, margins), starts,
                      sizes);
}

/// Conjunction of two masks of one type; `lhs` may be null.
Value both(PartitionBuilder &builder, Value lhs, Value rhs) {
  return lhs ? stablehlo::AndOp::create(builder.builder(), builder.getLoc(),
                                        lhs, rhs)
                   .getResult()
             : rhs;
}

//===----------------------------------------------------------------------===//
// dynamic_slice
//===----------------------------------------------------------------------===//

struct DynamicSliceModel
    : OpModel<DynamicSliceModel, stablehlo::DynamicSliceOp> {
  static constexpr StringLiteral family = "DynamicSlicing";

  bool isResizable(Operation *) const { return true; }
  void resizeResults(Operation *op, TypeRange types) const {
    auto slice = cast<stablehlo::DynamicSliceOp>(op);
    auto type = cast<RankedTensorType>(types.front());
    slice.setSliceSizes(type.getShape());
    slice.getResult().setType(type);
  }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::DynamicSliceOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> resultShape = shapeOf(op.getResult());
    bool isBoolean =
        getElementTypeOrSelf(op.getResult().getType()).isInteger(1);
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
      int64_t dim = index;
      if (size == resultShape[dim]) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.add(size, dim, kNone, FactorKind::Reduction)
          .reducing(isBoolean ? ReductionKind::Or : ReductionKind::Add)
          .blocked();
      rule.add(resultShape[dim], kNone, dim, FactorKind::Replicated)
          .whole()
          .blocked();
    }
    return rule.linearIn(0)
        .pad(0, spmd::PadTolerance::None)
        .flops(0)
        .propagation(spmd::PropagationClass::Slice)
        .build();
  }

  static LogicalResult partitionOp(stablehlo::DynamicSliceOp op,
                                   PartitionBuilder &builder) {
    Value operand = op.getOperand(), result = op.getResult();
    Value block = builder.any(operand);
    ArrayRef<int64_t> blockShape = shapeOf(block);
    LocalWindow window = localizeStarts(builder, operand, op.getStartIndices(),
                                        op.getSliceSizes());
    // The part of the block that can overlap the window, then that part moved
    // to where the window shows it, between zeros. A window of one element is
    // in the block or not.
    SmallVector<Value> partStarts, shifts;
    SmallVector<int64_t> partSizes, sizes, margins;
    Value isOwned;
    for (auto [dim, start] : llvm::enumerate(window.starts)) {
      bool isWhole = op.getSliceSizes()[dim] == shapeOf(operand)[dim];
      int64_t size = isWhole ? blockShape[dim] : op.getSliceSizes()[dim];
      int64_t part = std::min(size, blockShape[dim]);
      Value partStart = start, shift;
      if (window.isSharded[dim])
        partStart = builder.clampScalar(start, 0, blockShape[dim] - part);
      if (window.isSharded[dim] && size > 1)
        shift = builder.clampScalar(
            add(builder, subtract(builder, start, partStart), size), 0,
            part + size);
      else if (window.isSharded[dim])
        isOwned = both(builder, isOwned,
                       withinBounds(builder, start, blockShape[dim]));
      partStarts.push_back(partStart);
      partSizes.push_back(part);
      shifts.push_back(shift);
      sizes.push_back(size);
      margins.push_back(shift ? size : 0);
    }
    Value local =
        moveWindow(builder, dynamicSlice(builder, block, partStarts, partSizes),
                   margins, shifts, sizes);
    if (isOwned) {
      auto type = cast<RankedTensorType>(local.getType());
      local = stablehlo::SelectOp::create(
          builder.builder(), op.getLoc(), type, isOwned, local,
          builder.splat(builder.scalar(type.getElementType(), 0), type));
    }
    builder.bind(result, local);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// dynamic_update_slice
//===----------------------------------------------------------------------===//

struct DynamicUpdateSliceModel
    : OpModel<DynamicUpdateSliceModel, stablehlo::DynamicUpdateSliceOp> {
  static constexpr StringLiteral family = "DynamicSlicing";

  bool isResizable(Operation *) const { return true; }

  static FailureOr<spmd::ShardingRule>
  rule(stablehlo::DynamicUpdateSliceOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> updateShape = shapeOf(op.getUpdate());
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
      int64_t dim = index;
      if (size == updateShape[dim]) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.add(size, {dim, kNone}, dim, FactorKind::Indexed).passThrough();
      rule.add(updateShape[dim], {kNone, dim}, kNone, FactorKind::Replicated)
          .whole();
    }
    return rule.jointlyLinearIn({0, 1})
        .flops(0)
        .propagation(spmd::PropagationClass::Slice)
        .build();
  }

  static LogicalResult partitionOp(stablehlo::DynamicUpdateSliceOp op,
                                   PartitionBuilder &builder) {
    Value operand = op.getOperand();
    Value block = builder.any(operand), update = builder.any(op.getUpdate());
    LocalWindow window = localizeStarts(builder, operand, op.getStartIndices(),
                                        shapeOf(op.getUpdate()));
    SmallVector<Value> starts(window.starts);
    if (llvm::is_contained(window.isSharded, true))
      update = emitVisiblePart(builder, block, update, window, starts);
    builder.bind(op.getResult(), stablehlo::DynamicUpdateSliceOp::create(
                                     builder.builder(), op.getLoc(),
                                     block.getType(), block, update, starts));
    return success();
  }

  /// The update to write into the device's block: where the window leaves the
  /// block, the block's own elements. `starts` become starts within the block.
  static Value emitVisiblePart(PartitionBuilder &builder, Value block,
                               Value update, const LocalWindow &window,
                               SmallVectorImpl<Value> &starts) {
    ArrayRef<int64_t> blockShape = shapeOf(block),
                      updateShape = shapeOf(update);
    SmallVector<int64_t> sizes, margins;
    SmallVector<Value> shifts, distances(starts.size());
    Value isVisible; // of the dimensions in which the update is one element
    for (auto [dim, start] : llvm::enumerate(window.starts)) {
      int64_t size = std::min(updateShape[dim], blockShape[dim]);
      Value shift;
      if (window.isSharded[dim]) {
        starts[dim] = builder.clampScalar(start, 0, blockShape[dim] - size);
        if (updateShape[dim] == 1) {
          isVisible = both(builder, isVisible,
                           withinBounds(builder, start, blockShape[dim]));
        } else {
          distances[dim] = subtract(builder, starts[dim], start);
          shift = builder.clampScalar(add(builder, distances[dim], size), 0,
                                      updateShape[dim] + size);
        }
      }
      sizes.push_back(size);
      margins.push_back(shift ? size : 0);
      shifts.push_back(shift);
    }
    Value moved = moveWindow(builder, update, margins, shifts, sizes);
    Value old = dynamicSlice(builder, block, starts, sizes);
    auto maskType = RankedTensorType::get(sizes, builder.builder().getI1Type());
    Value mask;
    for (auto [dim, distance] : llvm::enumerate(distances))
      if (distance)
        mask = both(builder, mask,
                    withinBounds(builder, builder.iota(sizes, dim, distance),
                                 updateShape[dim]));
    if (isVisible)
      mask = mask ? both(builder, mask, builder.splat(isVisible, maskType))
                  : isVisible;
    return stablehlo::SelectOp::create(builder.builder(), builder.getLoc(),
                                       moved.getType(), mask, moved, old);
  }
};

} // namespace

void attachDynamicSlicingModels(MLIRContext &context) {
  stablehlo::DynamicSliceOp::attachInterface<DynamicSliceModel>(context);
  stablehlo::DynamicUpdateSliceOp::attachInterface<DynamicUpdateSliceModel>(
      context);
}

} // namespace partita
