// rng_bit_generator and rng: the state is whole, the numbers take any sharding.
// Partition: of THREE_FRY and PHILOX each device makes the bits of its block
// from their counters (CounterBits.h). Of DEFAULT and other types every device
// makes all numbers and keeps its block, with a remark, so that the numbers do
// not depend on the layout. rng's state is hidden, so that device 0 makes the
// numbers for all.

#include "CounterBits.h"
#include "Families.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kNone = RuleBuilder::kNone;
using spmd::FactorKind;

struct RngBitGeneratorModel
    : OpModel<RngBitGeneratorModel, stablehlo::RngBitGeneratorOp> {
  static constexpr StringLiteral family = "Random";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::RngBitGeneratorOp op) {
    RuleBuilder rule(op);
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getInitialState()))) {
      int64_t dim = index;
      rule.add(size, dim, {dim, kNone}, FactorKind::Replicated)
          .whole()
          .blocked();
    }
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getOutput()))) {
      int64_t dim = index;
      rule.add(size, {kNone}, {kNone, dim});
    }
    return rule.build();
  }

  static LogicalResult partitionOp(stablehlo::RngBitGeneratorOp op,
                                   PartitionBuilder &builder) {
    if (builder.getLocalType(op.getOutput()) != op.getOutput().getType() &&
        partitionCounterBits(op, builder))
      return success();
    Operation *local = builder.cloneLocal(builder.any(op.getInitialState()));
    builder.bind(op.getOutputState(), local->getResult(0));
    Value bits = local->getResult(1);
    if (bits.getType() == op.getOutput().getType()) {
      builder.bind(op.getOutput(), bits);
      return success();
    }
    bits.setType(op.getOutput().getType());
    remarkWhole(builder, bits.getType(),
                "because the bits must not depend on the layout");
    return bindSliced(builder, op.getOutput(), bits);
  }
};

struct RngModel : OpModel<RngModel, stablehlo::RngOp> {
  static constexpr StringLiteral family = "Random";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::RngOp op) {
    RuleBuilder rule(op);
    SmallVector<int64_t> none(op->getNumOperands(), kNone);
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getShape()))) {
      SmallVector<int64_t> dims(none);
      dims[2] = index;
      rule.add(size, dims, {kNone}, FactorKind::Replicated).whole().blocked();
    }
    for (auto [index, size] : llvm::enumerate(shapeOf(op.getResult()))) {
      int64_t dim = index;
      rule.add(size, none, dim);
    }
    return rule.build();
  }

  static LogicalResult partitionOp(stablehlo::RngOp op,
                                   PartitionBuilder &builder) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(builder.any(operand));
    Value numbers = builder.cloneLocal(operands)->getResult(0);
    numbers.setType(op.getResult().getType());
    spmd::ShardingAttr sharding = builder.getSharding(op.getResult());
    if (sharding) {
      numbers = broadcastFrom(builder, numbers, sharding, 0);
      remarkWhole(builder, numbers.getType(),
                  "because its hidden state is that of one device");
    }
    return bindSliced(builder, op.getResult(), numbers);
  }
};

} // namespace

void attachRandomModels(MLIRContext &context) {
  stablehlo::RngBitGeneratorOp::attachInterface<RngBitGeneratorModel>(context);
  stablehlo::RngOp::attachInterface<RngModel>(context);
}

} // namespace partita
