// Constants and iota: they join nothing and take any sharding.
// Partition: a splat constant is a smaller splat, any other is made whole and
// sliced; iota adds the offset of the device's block.

#include "Families.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

FailureOr<spmd::ShardingRule> resultOnlyRule(Operation *op) {
  RuleBuilder rule(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
    rule.addEverywhere(dim, size);
  return rule.flops(0).build();
}

template <typename ConstantOp>
struct ConstantModel : OpModel<ConstantModel<ConstantOp>, ConstantOp> {
  static constexpr StringLiteral family = "Constants";
  static FailureOr<spmd::ShardingRule> rule(ConstantOp op) {
    return resultOnlyRule(op);
  }
  static LogicalResult partitionOp(ConstantOp op, PartitionBuilder &builder) {
    OpBuilder &b = builder.builder();
    Type localType = builder.getLocalType(op.getOutput());
    if (localType == op.getOutput().getType()) {
      builder.bind(op.getOutput(), builder.cloneLocal({})->getResult(0));
      return success();
    }
    if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue())) {
      auto value = splat.resizeSplat(cast<ShapedType>(localType));
      builder.bind(op.getOutput(),
                   stablehlo::ConstantOp::create(b, op.getLoc(), value));
      return success();
    }
    Value whole = stablehlo::ConstantOp::create(b, op.getLoc(), op.getValue());
    return bindSliced(builder, op.getOutput(), whole);
  }
};

struct IotaModel : OpModel<IotaModel, stablehlo::IotaOp> {
  static constexpr StringLiteral family = "Constants";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::IotaOp op) {
    return resultOnlyRule(op);
  }
  static LogicalResult partitionOp(stablehlo::IotaOp op,
                                   PartitionBuilder &builder) {
    Value result = op.getOutput();
    int64_t dim = op.getIotaDimension();
    auto localType = cast<RankedTensorType>(builder.getLocalType(result));
    if (builder.getShardCount(result, dim) == 1) {
      Operation *local = builder.cloneLocal({});
      builder.bind(result, local->getResult(0));
      return success();
    }
    Value index = builder.iota(localType.getShape(), dim,
                               builder.blockOffset(result, dim));
    builder.bind(result, builder.convert(index, localType.getElementType()));
    return success();
  }
};

} // namespace

void attachConstantModels(MLIRContext &context) {
  stablehlo::ConstantOp::attachInterface<ConstantModel<stablehlo::ConstantOp>>(
      context);
  stablehlo::IotaOp::attachInterface<IotaModel>(context);
}

void attachChloConstantModels(MLIRContext &context) {
  chlo::ConstantOp::attachInterface<ConstantModel<chlo::ConstantOp>>(context);
}

} // namespace partita
