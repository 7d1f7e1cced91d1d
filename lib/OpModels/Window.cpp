// reduce_window. Dimensions whose window is one element are parallel. A sharded
// window dimension fetches by interval exchange what its windows read; what
// lies outside the operand becomes the init. A running reduction (the window is
// all that comes before) is a scan instead: a local scan, then the totals of
// the shards before are gathered and added.

#include "Families.h"
#include "HaloFetch.h"
#include "ReductionKind.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;

struct ReduceWindowModel
    : OpModel<ReduceWindowModel, stablehlo::ReduceWindowOp> {
  static constexpr StringLiteral family = "Window";

  bool isResizable(Operation *) const { return true; }

  static bool isParallel(stablehlo::ReduceWindowOp op, int64_t dim) {
    return op.getWindowDimensions()[dim] == 1 &&
           getWindowEntry(op.getWindowStrides(), dim) == 1 &&
           getWindowEntry(op.getBaseDilations(), dim) == 1 &&
           getWindowPadding(op.getPadding(), dim) ==
               std::pair<int64_t, int64_t>(0, 0);
  }

  /// A running reduction along one dimension.
  struct Scan {
    int64_t dim;
    bool isReverse;
    spmd::ReductionKind kind;
  };

  /// The op as a scan: one dimension whose windows start at its first element
  /// or end at its last one, all others parallel, and an init that counts
  /// nothing.
  static std::optional<Scan> matchScan(stablehlo::ReduceWindowOp op) {
    std::optional<spmd::ReductionKind> kind = matchReductionKind(op.getBody());
    if (!kind || op.getInputs().size() != 1 ||
        !isNeutralConstant(op.getInitValues().front(), *kind))
      return std::nullopt;
    std::optional<Scan> scan;
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getResult(0)))) {
      int64_t dim = index;
      if (isParallel(op, dim))
        continue;
      auto [low, high] = getWindowPadding(op.getPadding(), dim);
      bool isForward = low == size - 1 && high == 0;
      bool isReverse = low == 0 && high == size - 1;
      if (scan || !(isForward || isReverse) ||
          op.getWindowDimensions()[dim] != size ||
          getWindowEntry(op.getWindowStrides(), dim) != 1 ||
          getWindowEntry(op.getBaseDilations(), dim) != 1 ||
          getWindowEntry(op.getWindowDilations(), dim) != 1 ||
          shapeOf(op.getInputs().front())[dim] != size)
        return std::nullopt;
      scan = Scan{dim, !isForward, *kind};
    }
    return scan;
  }

  static Windows getWindows(stablehlo::ReduceWindowOp op, int64_t dim) {
    return {getWindowPadding(op.getPadding(), dim).first,
            getWindowEntry(op.getWindowStrides(), dim),
            (op.getWindowDimensions()[dim] - 1) *
                    getWindowEntry(op.getWindowDilations(), dim) +
                1,
            getWindowEntry(op.getBaseDilations(), dim)};
  }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::ReduceWindowOp op) {
    RuleBuilder rule(op);
    bool isScan = matchScan(op).has_value();
    double windowSize = 1;
    for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult(0)))) {
      rule.addEverywhere(dim, size,
                         isParallel(op, dim) ? FactorKind::Parallel
                         : isScan            ? FactorKind::Scan
                                             : FactorKind::Halo);
      if (!isScan && !isParallel(op, dim))
        for (unsigned input = 0; input < op.getInputs().size(); ++input)
          rule.reading(getWindows(op, dim).getRead(input, dim, dim));
      windowSize *= op.getWindowDimensions()[dim];
    }
    for (size_t i = 0; i < op.getInputs().size(); ++i)
      rule.pad(i, spmd::PadTolerance::None);
    return rule.flops(windowSize).build();
  }

  static LogicalResult partitionOp(stablehlo::ReduceWindowOp op,
                                   PartitionBuilder &builder) {
    Value result = op.getResult(0);
    SmallVector<int64_t> exchanged;
    for (int64_t dim = 0, rank = shapeOf(result).size(); dim < rank; ++dim)
      if (!isParallel(op, dim) && builder.getShardCount(result, dim) > 1)
        exchanged.push_back(dim);
    if (exchanged.empty())
      return builder.partitionByRule();
    if (std::optional<Scan> scan = matchScan(op))
      return partitionScan(op, builder, *scan);

    return partitionFetched(op, builder, exchanged);
  }

  static LogicalResult partitionFetched(stablehlo::ReduceWindowOp op,
                                        PartitionBuilder &builder,
                                        ArrayRef<int64_t> exchanged) {
    Value result = op.getResult(0);
    FailureOr<spmd::ShardingRule> reads = rule(op);
    // All inputs are read alike.
    auto intervals = readIntervals(builder, *reads, 0);
    if (failed(intervals))
      return partitionWithWholeDims(
          builder, op.getInputs().size(), exchanged, exchanged,
          "because intervals at one phase of the dilation that cover its "
          "blocks are as long as the dimension");
    SmallVector<spmd::BlockInterval> computed =
        computedIntervals(builder, *reads);
    SmallVector<Value> operands;
    for (auto [input, init] :
         llvm::zip_equal(op.getInputs(), op.getInitValues()))
      operands.push_back(fetchWindows(builder, builder.get(input), *intervals,
                                      exchanged, builder.any(init)));
    for (Value init : op.getInitValues())
      operands.push_back(builder.any(init));
    auto local = cast<stablehlo::ReduceWindowOp>(builder.cloneLocal(operands));
    SmallVector<int64_t> padding;
    for (int64_t dim = 0, rank = shapeOf(result).size(); dim < rank; ++dim) {
      auto [low, high] = llvm::is_contained(exchanged, dim)
                             ? getWindows(op, dim).getLocalPadding(
                                   (*intervals)[dim], computed[dim])
                             : getWindowPadding(op.getPadding(), dim);
      padding.append({low, high});
    }
    local.setPaddingAttr(makeWindowPadding(builder, padding));
    for (auto [original, value] :
         llvm::zip_equal(op->getResults(), local->getResults())) {
      value.setType(computedType(value.getType(), computed));
      builder.bind(original, cutToBlock(builder, value, computed));
    }
    return success();
  }

  static LogicalResult partitionScan(stablehlo::ReduceWindowOp op,
                                     PartitionBuilder &builder, Scan scan) {
    OpBuilder &b = builder.builder();
    Location loc = op.getLoc();
    Value input = builder.masked(op.getInputs().front(), scan.dim, scan.kind);
    Value init = builder.any(op.getInitValues().front());
    auto type = cast<RankedTensorType>(input.getType());
    int64_t block = type.getDimSize(scan.dim);

    auto local =
        cast<stablehlo::ReduceWindowOp>(builder.cloneLocal({input, init}));
    SmallVector<int64_t> window(op.getWindowDimensions());
    SmallVector<int64_t> padding(2 * type.getRank(), 0);
    window[scan.dim] = block;
    padding[2 * scan.dim + scan.isReverse] = block - 1;
    local.setWindowDimensions(window);
    local.setPaddingAttr(makeWindowPadding(builder, padding));

    // Totals of all shards along a new dimension 0; those before are combined.
    spmd::ShardingAttr sharding = builder.getSharding(op.getResult(0));
    Value total = emitReduce(op, builder, input, init, scan.dim);
    Value totals = emitGather(builder, total, sharding, scan.dim);
    auto totalsType = cast<RankedTensorType>(totals.getType());
    Value position = builder.iota(totalsType.getShape(), 0);
    auto indexType = cast<RankedTensorType>(position.getType());
    Value own =
        builder.splat(builder.blockIndex(sharding, scan.dim), indexType);
    Value isBefore = stablehlo::CompareOp::create(
        b, loc, indexType.clone(b.getI1Type()), position, own,
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), scan.isReverse
                                ? stablehlo::ComparisonDirection::GT
                                : stablehlo::ComparisonDirection::LT),
        stablehlo::ComparisonTypeAttr());
    totals = stablehlo::SelectOp::create(b, loc, totalsType, isBefore, totals,
                                         builder.splat(init, totalsType));
    Value before = emitReduce(op, builder, totals, init, 0);
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != scan.dim)
        dims.push_back(dim);
    before = stablehlo::BroadcastInDimOp::create(b, loc, type, before, dims);
    builder.bind(op.getResult(0),
                 emitCombine(builder, scan.kind, before, local->getResult(0)));
    return success();
  }

  /// Folds dimension `dim` by the op's body.
  static Value emitReduce(stablehlo::ReduceWindowOp op,
                          PartitionBuilder &builder, Value input, Value init,
                          int64_t dim) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    auto reduce = stablehlo::ReduceOp::create(
        builder.builder(), op.getLoc(), TypeRange{type.clone(shape)},
        ValueRange{input}, ValueRange{init}, ArrayRef<int64_t>{dim});
    IRMapping mapping;
    op.getBody().cloneInto(&reduce.getBody(), mapping);
    return reduce.getResult(0);
  }

  /// The values of the devices along the axes of `dim`, along a new dimension
  /// 0.
  static Value emitGather(PartitionBuilder &builder, Value value,
                          spmd::ShardingAttr sharding, int64_t dim) {
    OpBuilder &b = builder.builder();
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape{1};
    llvm::append_range(shape, type.getShape());
    Value row = stablehlo::ReshapeOp::create(b, builder.getLoc(),
                                             type.clone(shape), value);
    shape.front() = sharding.getShardCount(dim, builder.getMesh(sharding));
    SmallVector<Attribute> axes(shape.size(),
                                spmd::AxisListAttr::get(b.getContext(), {}));
    axes.front() = spmd::AxisListAttr::get(b.getContext(),
                                           sharding.getDims()[dim].getAxes());
    return spmd::AllGatherOp::create(
               b, builder.getLoc(), TypeRange{type.clone(shape)},
               ValueRange{row}, sharding.getMesh(), b.getArrayAttr(axes))
        .getResult(0);
  }

  static Value emitCombine(PartitionBuilder &builder, spmd::ReductionKind kind,
                           Value lhs, Value rhs) {
    OpBuilder &b = builder.builder();
    Location loc = builder.getLoc();
    switch (kind) {
    case spmd::ReductionKind::Add:
      return stablehlo::AddOp::create(b, loc, lhs, rhs);
    case spmd::ReductionKind::Mul:
      return stablehlo::MulOp::create(b, loc, lhs, rhs);
    case spmd::ReductionKind::Max:
      return stablehlo::MaxOp::create(b, loc, lhs, rhs);
    case spmd::ReductionKind::Min:
      return stablehlo::MinOp::create(b, loc, lhs, rhs);
    case spmd::ReductionKind::And:
      return stablehlo::AndOp::create(b, loc, lhs, rhs);
    case spmd::ReductionKind::Or:
      return stablehlo::OrOp::create(b, loc, lhs, rhs);
    case spmd::ReductionKind::Xor:
      return stablehlo::XorOp::create(b, loc, lhs, rhs);
    }
    return lhs;
  }
};

} // namespace

void attachWindowModels(MLIRContext &context) {
  stablehlo::ReduceWindowOp::attachInterface<ReduceWindowModel>(context);
}

} // namespace partita
