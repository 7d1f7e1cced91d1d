// chlo.ragged_dot: batches and free dimensions are parallel, contracted ones
// are sums. The ragged dimension may be sharded whatever its role: a device's
// rows are those of each group that lie in its block, so that only the group
// sizes change. Groups are whole.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;

/// What each dimension of the lhs is.
enum class Role { Batch, Contracting, Free };

Role getRole(chlo::RaggedDotDimensionNumbersAttr numbers, int64_t lhsDim) {
  if (llvm::is_contained(numbers.getLhsBatching(), lhsDim))
    return Role::Batch;
  return llvm::is_contained(numbers.getLhsContracting(), lhsDim)
             ? Role::Contracting
             : Role::Free;
}

struct RaggedDotModel : OpModel<RaggedDotModel, chlo::RaggedDotOp> {
  static constexpr StringLiteral family = "Contraction";

  /// Dimensions of the lhs that index rows of group sizes, in order; empty
  /// where all rows are alike.
  static SmallVector<int64_t> prefixDims(chlo::RaggedDotOp op) {
    SmallVector<int64_t> dims;
    if (shapeOf(op.getGroupSizes()).size() == 1)
      return dims;
    auto numbers = op.getRaggedDotDimensionNumbers();
    int64_t ragged = numbers.getLhsRagged().front();
    Role role = getRole(numbers, ragged);
    if (role != Role::Batch)
      dims.assign(numbers.getLhsBatching().begin(),
                  numbers.getLhsBatching().end());
    for (int64_t dim = 0; dim < ragged; ++dim)
      if (getRole(numbers, dim) == role)
        dims.push_back(dim);
    return dims;
  }

  static FailureOr<spmd::ShardingRule> rule(chlo::RaggedDotOp op) {
    RuleBuilder rule(op);
    auto numbers = op.getRaggedDotDimensionNumbers();
    ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs());
    ArrayRef<int64_t> rhsShape = shapeOf(op.getRhs());
    ArrayRef<int64_t> sizesShape = shapeOf(op.getGroupSizes());
    SmallVector<int64_t> prefix = prefixDims(op);
    auto inSizes = [&](int64_t lhsDim) {
      auto *it = llvm::find(prefix, lhsDim);
      return it == prefix.end() ? kNone : int64_t(it - prefix.begin());
    };
    int64_t resultDim = 0;
    bool groupsInResult =
        numbers.getRhsGroup().empty() &&
        getRole(numbers, numbers.getLhsRagged().front()) == Role::Contracting;
    int64_t groupResult = groupsInResult ? resultDim++ : kNone;
    for (auto [lhsDim, rhsDim] :
         llvm::zip_equal(numbers.getLhsBatching(), numbers.getRhsBatching()))
      rule.add(lhsShape[lhsDim], {lhsDim, rhsDim, inSizes(lhsDim)},
               resultDim++);
    for (int64_t dim = 0, rank = lhsShape.size(); dim < rank; ++dim)
      if (getRole(numbers, dim) == Role::Free)
        rule.add(lhsShape[dim], {dim, kNone, inSizes(dim)}, resultDim++);
    for (int64_t dim = 0, rank = rhsShape.size(); dim < rank; ++dim)
      if (!llvm::is_contained(numbers.getRhsBatching(), dim) &&
          !llvm::is_contained(numbers.getRhsContracting(), dim) &&
          !llvm::is_contained(numbers.getRhsGroup(), dim))
        rule.add(rhsShape[dim], {kNone, dim, kNone}, resultDim++);
    for (auto [lhsDim, rhsDim] : llvm::zip_equal(numbers.getLhsContracting(),
                                                 numbers.getRhsContracting()))
      rule.add(lhsShape[lhsDim], {lhsDim, rhsDim, inSizes(lhsDim)}, kNone,
               FactorKind::Reduction)
          .reducing(spmd::ReductionKind::Add);
    int64_t groupDim =
        numbers.getRhsGroup().empty() ? kNone : numbers.getRhsGroup().front();
    rule.add(sizesShape.back(),
             {kNone, groupDim, int64_t(sizesShape.size()) - 1}, groupResult,
             FactorKind::Replicated)
        .whole();
    return rule.linearIn(0)
        .linearIn(1)
        .pad(0, spmd::PadTolerance::Neutral)
        .pad(1, spmd::PadTolerance::Neutral)
        .flops(2)
        .build();
  }

  static LogicalResult partitionOp(chlo::RaggedDotOp op,
                                   PartitionBuilder &builder) {
    auto numbers = op.getRaggedDotDimensionNumbers();
    int64_t ragged = numbers.getLhsRagged().front();
    Value sizes = builder.any(op.getGroupSizes());
    if (builder.getShardCount(op.getLhs(), ragged) > 1)
      sizes = emitLocalSizes(op, builder, sizes, ragged);
    Value lhs = builder.masked(op.getLhs(), numbers.getLhsContracting(),
                               spmd::ReductionKind::Add);
    Value rhs = builder.masked(op.getRhs(), numbers.getRhsContracting(),
                               spmd::ReductionKind::Add);
    builder.bind(op.getResult(),
                 builder.cloneLocal({lhs, rhs, sizes})->getResult(0));
    return success();
  }

  /// Rows of each group within the device's block: a group ends where the sizes
  /// up to it end, cut to the block.
  static Value emitLocalSizes(chlo::RaggedDotOp op, PartitionBuilder &builder,
                              Value sizes, int64_t ragged) {
    OpBuilder &b = builder.builder();
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    Type element = cast<RankedTensorType>(sizes.getType()).getElementType();
    Value given = builder.convert(sizes, i32);
    auto type = cast<RankedTensorType>(given.getType());
    Value ends = emitRunningSum(builder, given);
    Value starts = stablehlo::SubtractOp::create(b, loc, ends, given);
    int64_t block = cast<RankedTensorType>(builder.getLocalType(op.getLhs()))
                        .getDimSize(ragged);
    Value offset =
        builder.splat(builder.blockOffset(op.getLhs(), ragged), type);
    auto cut = [&](Value position) -> Value {
      Value local = stablehlo::SubtractOp::create(b, loc, position, offset);
      Value low = builder.splat(builder.scalarInt(i32, 0), type);
      Value high = builder.splat(builder.scalarInt(i32, block), type);
      return stablehlo::MinOp::create(
          b, loc, stablehlo::MaxOp::create(b, loc, local, low), high);
    };
    Value local = stablehlo::SubtractOp::create(b, loc, cut(ends), cut(starts));
    return builder.convert(local, element);
  }

  /// Sums of all entries up to each one along the last dimension.
  static Value emitRunningSum(PartitionBuilder &builder, Value values) {
    OpBuilder &b = builder.builder();
    Location loc = builder.getLoc();
    auto type = cast<RankedTensorType>(values.getType());
    int64_t last = type.getRank() - 1;
    // Entry j counts towards entry i where j <= i.
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(shape.back());
    SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, last));
    places.push_back(last + 1);
    auto square = type.clone(shape);
    Value spread =
        stablehlo::BroadcastInDimOp::create(b, loc, square, values, places);
    Value counts = stablehlo::CompareOp::create(
        b, loc, square.clone(b.getI1Type()), builder.iota(shape, last + 1),
        builder.iota(shape, last),
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), stablehlo::ComparisonDirection::LE),
        stablehlo::ComparisonTypeAttr());
    Value zero = builder.scalarInt(type.getElementType(), 0);
    Value kept = stablehlo::SelectOp::create(b, loc, square, counts, spread,
                                             builder.splat(zero, square));
    auto reduce = stablehlo::ReduceOp::create(
        b, loc, TypeRange{type}, ValueRange{kept}, ValueRange{zero},
        ArrayRef<int64_t>{last + 1});
    OpBuilder::InsertionGuard guard(b);
    Type scalar = zero.getType();
    Block *body =
        b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value sum = stablehlo::AddOp::create(b, loc, body->getArgument(0),
                                         body->getArgument(1));
    stablehlo::ReturnOp::create(b, loc, sum);
    return reduce.getResult(0);
  }
};

} // namespace

void attachRaggedDotModels(MLIRContext &context) {
  chlo::RaggedDotOp::attachInterface<RaggedDotModel>(context);
}

} // namespace partita
