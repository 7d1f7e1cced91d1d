// fft: batch dimensions are parallel, and placement may move the axes of a
// transformed dimension to one of them. Where all dimensions are transformed
// there is none to move to beforehand; then each transformed dimension is
// transformed alone while its axes rest on another one (all-to-all there and
// back).

#include "Families.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using stablehlo::FftType;

struct FftModel : OpModel<FftModel, stablehlo::FftOp> {
  static constexpr StringLiteral family = "Fft";

  /// Number of leading dimensions that are not transformed.
  static int64_t batchRank(stablehlo::FftOp op) {
    return shapeOf(op.getOperand()).size() - op.getFftLength().size();
  }

  /// True if the axes of one transformed dimension can rest on another while it
  /// is transformed, and there is no batch to take them.
  static bool isSeparable(stablehlo::FftOp op) {
    ArrayRef<int64_t> batch =
        shapeOf(op.getOperand()).take_front(batchRank(op));
    return op.getFftLength().size() > 1 &&
           llvm::all_of(batch, [](int64_t size) { return size == 1; });
  }

  static FailureOr<spmd::ShardingRule> rule(stablehlo::FftOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    int64_t batch = batchRank(op);
    for (auto [index, size] : llvm::enumerate(shape)) {
      int64_t dim = index;
      if (dim < batch) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.addEverywhere(dim, size, spmd::FactorKind::Fft);
      if (!isSeparable(op))
        rule.whole();
      // A real transform keeps half of the last dimension.
      if (index + 1 == shape.size() && size != shapeOf(op.getResult()).back())
        rule.blocked();
    }
    return rule.linearIn(0).pad(0, spmd::PadTolerance::None).build();
  }

  static LogicalResult partitionOp(stablehlo::FftOp op,
                                   PartitionBuilder &builder) {
    int64_t batch = batchRank(op), rank = shapeOf(op.getOperand()).size();
    bool isWhole = true;
    for (int64_t dim = batch; dim < rank; ++dim)
      isWhole &= builder.getShardCount(op.getOperand(), dim) == 1 &&
                 builder.getShardCount(op.getResult(), dim) == 1;
    if (isWhole)
      return builder.partitionByRule();
    ShardedValue value = builder.get(op.getOperand());
    FftType type = op.getFftType();
    FftType inner = type == FftType::RFFT    ? FftType::FFT
                    : type == FftType::IRFFT ? FftType::IFFT
                                             : type;
    // The last dimension is the real one: first forwards, last backwards.
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(batch, rank - 1));
    if (type == FftType::RFFT)
      order.insert(order.begin(), rank - 1);
    else
      order.push_back(rank - 1);
    for (int64_t dim : order)
      if (failed(transform(builder, value, dim, op.getFftLength()[dim - batch],
                           dim == rank - 1 ? type : inner)))
        return failure();
    FailureOr<ShardedValue> moved =
        builder.reshard(value, builder.getSharding(op.getResult()));
    if (failed(moved))
      return failure();
    builder.bind(op.getResult(), moved->local);
    return success();
  }

  /// Transforms dimension `dim` of `value`, which may change layout.
  static LogicalResult transform(PartitionBuilder &builder, ShardedValue &value,
                                 int64_t dim, int64_t length, FftType type) {
    spmd::MeshAttr mesh = builder.getMesh(value.sharding);
    if (value.sharding.getShardCount(dim, mesh) > 1) {
      FailureOr<ShardedValue> moved =
          builder.reshard(value, withAxesElsewhere(value, dim));
      if (failed(moved))
        return failure();
      value = *moved;
    }
    OpBuilder &b = builder.builder();
    Location loc = builder.getLoc();
    int64_t rank = value.type.getRank();
    SmallVector<int64_t> permutation =
        llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(permutation[dim], permutation[rank - 1]);
    auto permuted = [&](Value input) -> Value {
      if (dim == rank - 1)
        return input;
      auto inputType = cast<RankedTensorType>(input.getType());
      SmallVector<int64_t> shape(inputType.getShape());
      std::swap(shape[dim], shape[rank - 1]);
      return stablehlo::TransposeOp::create(b, loc, inputType.clone(shape),
                                            input, permutation);
    };
    Value rows = permuted(value.local);
    auto rowsType = cast<RankedTensorType>(rows.getType());
    SmallVector<int64_t> shape(rowsType.getShape());
    Type element = rowsType.getElementType();
    if (type == FftType::RFFT) {
      shape.back() = length / 2 + 1;
      element = ComplexType::get(element);
    } else if (type == FftType::IRFFT) {
      shape.back() = length;
      element = cast<ComplexType>(element).getElementType();
    }
    Value transformed =
        stablehlo::FftOp::create(b, loc, RankedTensorType::get(shape, element),
                                 rows, type, ArrayRef<int64_t>{length});
    SmallVector<int64_t> whole(value.type.getShape());
    whole[dim] = shape.back();
    value = {permuted(transformed), value.sharding,
             RankedTensorType::get(whole, element), std::nullopt};
    return success();
  }

  /// The sharding with the axes of `dim` on the dimension that has the longest
  /// blocks.
  static spmd::ShardingAttr withAxesElsewhere(const ShardedValue &value,
                                              int64_t dim) {
    MLIRContext *context = value.sharding.getContext();
    ArrayRef<int64_t> local =
        cast<RankedTensorType>(value.local.getType()).getShape();
    int64_t target = dim == 0 ? 1 : 0;
    for (int64_t other = 0, rank = local.size(); other < rank; ++other)
      if (other != dim && local[other] > local[target])
        target = other;
    SmallVector<spmd::DimShardingAttr> dims(value.sharding.getDims());
    SmallVector<spmd::AxisRefAttr> axes(dims[target].getAxes());
    llvm::append_range(axes, dims[dim].getAxes());
    dims[target] = spmd::DimShardingAttr::get(context, axes, true, -1);
    dims[dim] = spmd::DimShardingAttr::get(context, {}, true, -1);
    return spmd::ShardingAttr::get(context, value.sharding.getMesh(), dims, {},
                                   {}, value.sharding.getReductionKind());
  }
};

} // namespace

void attachFftModels(MLIRContext &context) {
  stablehlo::FftOp::attachInterface<FftModel>(context);
}

} // namespace partita
