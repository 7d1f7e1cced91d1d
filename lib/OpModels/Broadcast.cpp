// broadcast and broadcast_in_dim. Dimensions that the operand lacks are factors
// of the result alone; a dimension of size one that is expanded keeps a factor
// of its own. Partition: derived; broadcast's sizes become local.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;

struct BroadcastInDimModel
    : OpModel<BroadcastInDimModel, stablehlo::BroadcastInDimOp> {
  static constexpr StringLiteral family = "Broadcast";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::BroadcastInDimOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> operandShape = shapeOf(op.getOperand());
    ArrayRef<int64_t> resultShape = shapeOf(op.getResult());
    SmallVector<int64_t> sourceDims(resultShape.size(), kNone);
    for (auto [dim, resultDim] : llvm::enumerate(op.getBroadcastDimensions()))
      sourceDims[resultDim] = dim;
    for (auto [dim, size] : llvm::enumerate(resultShape)) {
      int64_t source = sourceDims[dim];
      if (source != kNone && operandShape[source] == 1 && size != 1) {
        rule.addAlone(source, kNone, 1);
        source = kNone;
      }
      rule.add(size, source, dim);
    }
    return rule.linearIn(0)
        .flops(0)
        .propagation(spmd::PropagationClass::Broadcast)
        .build();
  }
};

struct BroadcastModel : OpModel<BroadcastModel, stablehlo::BroadcastOp> {
  static constexpr StringLiteral family = "Broadcast";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::BroadcastOp op) {
    RuleBuilder rule(op);
    int64_t added = op.getBroadcastSizes().size();
    for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult()))) {
      int64_t resultDim = dim;
      rule.add(size, resultDim < added ? kNone : resultDim - added, resultDim);
    }
    return rule.linearIn(0)
        .flops(0)
        .propagation(spmd::PropagationClass::Broadcast)
        .build();
  }
  static LogicalResult partitionOp(stablehlo::BroadcastOp op,
                                   PartitionBuilder &builder) {
    auto local = cast<stablehlo::BroadcastOp>(
        builder.cloneLocal(builder.any(op.getOperand())));
    auto localType = cast<RankedTensorType>(local.getType());
    local.setBroadcastSizes(
        localType.getShape().take_front(op.getBroadcastSizes().size()));
    builder.bind(op.getResult(), local);
    return success();
  }
};

} // namespace

void attachBroadcastModels(MLIRContext &context) {
  stablehlo::BroadcastInDimOp::attachInterface<BroadcastInDimModel>(context);
  stablehlo::BroadcastOp::attachInterface<BroadcastModel>(context);
}

} // namespace partita
