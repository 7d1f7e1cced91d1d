// Ops that move elements by static distances: slice, pad, concatenate, reverse.
// A dimension that an op changes is one halo factor of operand and result: both
// are sharded by the same axes and each device fetches, by interval exchange,
// the part of the operand that its block of the result shows. Other dimensions
// are parallel.

#include "Families.h"
#include "HaloFetch.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;
using spmd::IntervalAttr;

/// Local size of dimension `dim` of `value`.
int64_t localSize(PartitionBuilder &builder, Value value, int64_t dim) {
  return cast<RankedTensorType>(builder.getLocalType(value)).getDimSize(dim);
}

/// Fetches the intervals of `operand`; blocks are those of `result`.
Value fetch(PartitionBuilder &builder, Value operand, Value result,
            ArrayRef<IntervalAttr> intervals) {
  return builder.exchange(builder.get(operand), builder.getSharding(result),
                          intervals);
}

/// low <= position < high along `dim` of the device's block of `result`; null
/// if that holds of all positions.
Value emitWithin(PartitionBuilder &builder, Value result, int64_t dim,
                 int64_t low, int64_t high) {
  auto localType = cast<RankedTensorType>(builder.getLocalType(result));
  auto getPosition = [&]() {
    return builder.iota(localType.getShape(), dim,
                        builder.blockOffset(result, dim));
  };
  return emitInside(builder, getPosition, low, high, 0, shapeOf(result)[dim]);
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

struct SliceModel : OpModel<SliceModel, stablehlo::SliceOp> {
  static constexpr StringLiteral family = "Shifting";

  static bool isWholeDim(stablehlo::SliceOp op, int64_t dim) {
    return shapeOf(op.getOperand())[dim] == shapeOf(op.getResult())[dim];
  }

  static void addDim(stablehlo::SliceOp op, RuleBuilder &rule, size_t dim,
                     int64_t size) {
    if (isWholeDim(op, dim)) {
      rule.addEverywhere(dim, size);
      return;
    }
    int64_t start = op.getStartIndices()[dim];
    unsigned place = dim;
    rule.addEverywhere(dim, size, FactorKind::Halo)
        .reading({.dim = place,
                  .readerDim = place,
                  .stride = op.getStrides()[dim],
                  .first = start,
                  .last = start});
  }

  bool isResizable(Operation *) const { return true; }
  void resizeResults(Operation *op, TypeRange types) const {
    auto slice = cast<stablehlo::SliceOp>(op);
    auto type = cast<RankedTensorType>(types.front());
    SmallVector<int64_t> limits(slice.getLimitIndices());
    for (auto [dim, limit] : llvm::enumerate(limits))
      if (shapeOf(slice)[dim] != type.getDimSize(dim))
        limit = slice.getStartIndices()[dim] + type.getDimSize(dim);
    slice.setLimitIndices(limits);
    slice.getResult().setType(type);
  }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::SliceOp op) {
    RuleBuilder rule(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op.getOperand())))
      addDim(op, rule, dim, size);
    return rule.linearIn(0).pad(0, spmd::PadTolerance::None).flops(0).build();
  }

  static LogicalResult partitionOp(stablehlo::SliceOp op,
                                   PartitionBuilder &builder) {
    Value operand = op.getOperand(), result = op.getResult();
    FailureOr<SmallVector<IntervalAttr>> intervals =
        readIntervals(builder, *rule(op), 0);
    if (failed(intervals))
      return failure();
    SmallVector<int64_t> starts, limits, strides;
    for (int64_t dim = 0, rank = intervals->size(); dim < rank; ++dim) {
      int64_t block = localSize(builder, result, dim);
      int64_t stride = op.getStrides()[dim];
      if (isWholeDim(op, dim)) {
        starts.push_back(0);
        limits.push_back(block);
        strides.push_back(1);
      } else if (builder.getShardCount(result, dim) == 1) {
        starts.push_back(op.getStartIndices()[dim]);
        limits.push_back(op.getLimitIndices()[dim]);
        strides.push_back(stride);
      } else {
        starts.push_back(0);
        limits.push_back((*intervals)[dim].getLength());
        strides.push_back(stride);
      }
    }
    Value local = fetch(builder, operand, result, *intervals);
    if (local.getType() != builder.getLocalType(result) ||
        llvm::any_of(starts, [](int64_t start) { return start != 0; }))
      local = stablehlo::SliceOp::create(builder.builder(), op.getLoc(),
                                         builder.getLocalType(result), local,
                                         starts, limits, strides);
    builder.bind(result, local);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

struct PadModel : OpModel<PadModel, stablehlo::PadOp> {
  static constexpr StringLiteral family = "Shifting";

  bool isResizable(Operation *) const { return true; }

  static bool isUnchanged(stablehlo::PadOp op, int64_t dim) {
    return op.getEdgePaddingLow()[dim] == 0 &&
           op.getEdgePaddingHigh()[dim] == 0 &&
           (op.getInteriorPadding()[dim] == 0 ||
            shapeOf(op.getOperand())[dim] <= 1);
  }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::PadOp op) {
    RuleBuilder rule(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
      bool isKept = isUnchanged(op, dim);
      rule.addEverywhere(dim, size,
                         isKept ? FactorKind::Parallel : FactorKind::Halo);
      if (size == shapeOf(op.getResult())[dim])
        rule.passThrough();
      if (isKept)
        continue;
      rule.reading(getWindows(op, dim).getRead(0, dim, dim));
    }
    return rule.jointlyLinearIn({0, 1})
        .pad(0, spmd::PadTolerance::None)
        .flops(0)
        .build();
  }

  /// How the device makes one dimension of its block of the result.
  struct LocalPad {
    int64_t low = 0, high = 0;
    /// Set if elements outside the operand must be replaced afterwards.
    bool isExchanged = false;
  };

  /// A result element is a window of one position of the operand with holes.
  static Windows getWindows(stablehlo::PadOp op, int64_t dim) {
    return {.low = op.getEdgePaddingLow()[dim],
            .dilation = op.getInteriorPadding()[dim] + 1};
  }

  static LogicalResult partitionWhole(stablehlo::PadOp op,
                                      PartitionBuilder &builder) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0, rank = shapeOf(op.getResult()).size(); dim < rank;
         ++dim)
      if (!isUnchanged(op, dim))
        dims.push_back(dim);
    return partitionWithWholeDims(
        builder, 1, dims, dims,
        "because intervals at multiples of the interior padding's period that "
        "cover its blocks are as long as the dimension");
  }

  static LogicalResult partitionOp(stablehlo::PadOp op,
                                   PartitionBuilder &builder) {
    OpBuilder &b = builder.builder();
    Value operand = op.getOperand(), result = op.getResult();
    auto localType = cast<RankedTensorType>(builder.getLocalType(result));
    if (localType.getNumElements() == 0) {
      builder.bind(result,
                   builder.splat(builder.any(op.getPaddingValue()), localType));
      return success();
    }
    FailureOr<spmd::ShardingRule> reads = rule(op);
    FailureOr<SmallVector<IntervalAttr>> intervals =
        readIntervals(builder, *reads, 0);
    if (failed(intervals))
      return partitionWhole(op, builder);
    SmallVector<spmd::BlockInterval> computed =
        computedIntervals(builder, *reads);
    SmallVector<LocalPad> pads(intervals->size());
    for (int64_t dim = 0, rank = pads.size(); dim < rank; ++dim) {
      if (isUnchanged(op, dim))
        continue;
      if (builder.getShardCount(result, dim) == 1) {
        pads[dim].low = op.getEdgePaddingLow()[dim];
        pads[dim].high = op.getEdgePaddingHigh()[dim];
      } else {
        auto [low, high] = getWindows(op, dim).getLocalPadding(
            (*intervals)[dim], computed[dim]);
        pads[dim] = {low, high, /*isExchanged=*/true};
      }
    }

    Value local = fetch(builder, operand, result, *intervals);
    Value fill = builder.any(op.getPaddingValue());
    SmallVector<int64_t> lows, highs;
    for (const LocalPad &pad : pads) {
      lows.push_back(pad.low);
      highs.push_back(pad.high);
    }
    RankedTensorType paddedType = computedType(localType, computed);
    auto isZero = [](int64_t size) { return size == 0; };
    if (local.getType() != paddedType || !llvm::all_of(lows, isZero) ||
        !llvm::all_of(highs, isZero))
      local = stablehlo::PadOp::create(b, op.getLoc(), paddedType, local, fill,
                                       lows, highs, op.getInteriorPadding());
    local = cutToBlock(builder, local, computed);
    Value inside;
    for (auto [dim, pad] : llvm::enumerate(pads)) {
      if (!pad.isExchanged)
        continue;
      int64_t size = shapeOf(operand)[dim];
      int64_t extent =
          size == 0 ? 0 : (size - 1) * (op.getInteriorPadding()[dim] + 1) + 1;
      int64_t low = op.getEdgePaddingLow()[dim];
      inside = emitBoth(builder, inside,
                        emitWithin(builder, result, dim, low, low + extent));
    }
    if (inside)
      local =
          stablehlo::SelectOp::create(b, op.getLoc(), localType, inside, local,
                                      builder.splat(fill, localType));
    builder.bind(result, local);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// concatenate
//===----------------------------------------------------------------------===//

struct ConcatenateModel : OpModel<ConcatenateModel, stablehlo::ConcatenateOp> {
  static constexpr StringLiteral family = "Shifting";

  bool isResizable(Operation *) const { return true; }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::ConcatenateOp op) {
    RuleBuilder rule(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult())))
      rule.addEverywhere(dim, size,
                         dim == op.getDimension() && op.getInputs().size() > 1
                             ? FactorKind::Halo
                             : FactorKind::Parallel);
    int64_t end = 0;
    unsigned dim = op.getDimension();
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      rule.pad(index, spmd::PadTolerance::None).jointlyLinearIn(index);
      // The first element of the result would be this one of the input.
      int64_t first = -end;
      end += shapeOf(input)[dim];
      if (op.getInputs().size() > 1)
        rule.reading({.operand = unsigned(index),
                      .dim = dim,
                      .readerDim = dim,
                      .first = first,
                      .last = first});
    }
    return rule.flops(0).build();
  }

  static LogicalResult partitionOp(stablehlo::ConcatenateOp op,
                                   PartitionBuilder &builder) {
    OpBuilder &b = builder.builder();
    Value result = op.getResult();
    int64_t dim = op.getDimension();
    if (op.getInputs().size() == 1 || builder.getShardCount(result, dim) == 1)
      return builder.partitionByRule();
    auto localType = cast<RankedTensorType>(builder.getLocalType(result));
    FailureOr<spmd::ShardingRule> reads = rule(op);
    Value local;
    int64_t end = 0;
    SmallVector<int64_t> ends;
    for (Value input : op.getInputs())
      ends.push_back(end += shapeOf(input)[dim]);
    // From the last input to the first: what lies before an input's end is its.
    for (unsigned index = ends.size(); index-- > 0;) {
      Value input = op.getInputs()[index];
      if (shapeOf(input)[dim] == 0)
        continue;
      FailureOr<SmallVector<IntervalAttr>> intervals =
          readIntervals(builder, *reads, index);
      if (failed(intervals))
        return failure();
      Value part = fetch(builder, input, result, *intervals);
      Value within =
          local ? emitWithin(builder, result, dim, 0, ends[index]) : Value();
      // Only empty inputs come after one that ends where the result does.
      local = within ? stablehlo::SelectOp::create(b, op.getLoc(), localType,
                                                   within, part, local)
                           .getResult()
                     : part;
    }
    builder.bind(
        result,
        local ? local
              : builder.splat(builder.scalar(localType.getElementType(), 0),
                              localType));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// reverse
//===----------------------------------------------------------------------===//

struct ReverseModel : OpModel<ReverseModel, stablehlo::ReverseOp> {
  static constexpr StringLiteral family = "Shifting";

  bool isResizable(Operation *) const { return true; }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::ReverseOp op) {
    RuleBuilder rule(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult()))) {
      if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim))) {
        rule.addEverywhere(dim, size);
        continue;
      }
      unsigned place = dim;
      rule.addEverywhere(dim, size, FactorKind::Halo)
          .reading({.dim = place,
                    .readerDim = place,
                    .stride = -1,
                    .first = size - 1,
                    .last = size - 1});
    }
    return rule.linearIn(0).pad(0, spmd::PadTolerance::None).flops(0).build();
  }

  static LogicalResult partitionOp(stablehlo::ReverseOp op,
                                   PartitionBuilder &builder) {
    Value operand = op.getOperand(), result = op.getResult();
    FailureOr<SmallVector<IntervalAttr>> intervals =
        readIntervals(builder, *rule(op), 0);
    if (failed(intervals))
      return failure();
    builder.bind(result, stablehlo::ReverseOp::create(
                             builder.builder(), op.getLoc(),
                             builder.getLocalType(result),
                             fetch(builder, operand, result, *intervals),
                             op.getDimensions()));
    return success();
  }
};

} // namespace

void attachShiftingModels(MLIRContext &context) {
  stablehlo::SliceOp::attachInterface<SliceModel>(context);
  stablehlo::PadOp::attachInterface<PadModel>(context);
  stablehlo::ConcatenateOp::attachInterface<ConcatenateModel>(context);
  stablehlo::ReverseOp::attachInterface<ReverseModel>(context);
}

} // namespace partita
