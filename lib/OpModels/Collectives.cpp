// The user's own collectives in manual regions, and device numbers. Types are
// those that the region sees; free axes may shard the dimensions that a
// collective leaves alone, those it changes must be whole. Partition: derived.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;

/// All dimensions of operand 0 alike in all operands and results, except those
/// for which `isChanged` holds: operands and results each have them whole.
FailureOr<spmd::ShardingRule> rowRule(Operation *op,
                                      function_ref<bool(int64_t)> isChanged) {
  RuleBuilder rule(op);
  if (op->getNumOperands() == 0)
    return rule.flops(0).build();
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> resultShape = shapeOf(op->getResult(0));
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!isChanged(dim))
      rule.addEverywhere(dim, size);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!isChanged(dim))
      continue;
    rule.addToOperands(dim, size, FactorKind::Replicated).whole();
    rule.addToResults(dim, resultShape[dim], FactorKind::Replicated).whole();
  }
  return rule.flops(0).build();
}

/// Dimensions that have axes in a list of one axis list per dimension.
auto hasAxes(ArrayAttr lists) {
  return [lists](int64_t dim) {
    return !cast<spmd::AxisListAttr>(lists[dim]).empty();
  };
}

bool changes(spmd::AllReduceOp, int64_t) { return false; }
bool changes(spmd::PermuteOp, int64_t) { return false; }
bool changes(spmd::BroadcastOp, int64_t) { return false; }
bool changes(spmd::ToUnreducedOp, int64_t) { return false; }
bool changes(spmd::AllGatherOp op, int64_t dim) {
  return hasAxes(op.getGatherAxes())(dim);
}
bool changes(spmd::AllSliceOp op, int64_t dim) {
  return hasAxes(op.getSliceAxes())(dim);
}
bool changes(spmd::ReduceScatterOp op, int64_t dim) {
  return hasAxes(op.getScatterAxes())(dim);
}
bool changes(spmd::AllToAllOp op, int64_t dim) {
  return llvm::any_of(op.getMoves().getAsRange<spmd::AllToAllParamAttr>(),
                      [&](spmd::AllToAllParamAttr move) {
                        return move.getSource() == dim ||
                               move.getTarget() == dim;
                      });
}

template <typename ConcreteOp>
struct CollectiveModel : OpModel<CollectiveModel<ConcreteOp>, ConcreteOp> {
  static constexpr StringLiteral family = "Collectives";
  static FailureOr<spmd::ShardingRule> rule(ConcreteOp op) {
    return rowRule(op, [&](int64_t dim) { return changes(op, dim); });
  }
};

/// Rows of the first dimension move; the others are alike in input and output,
/// the offsets and sizes are whole.
struct RaggedAllToAllModel
    : OpModel<RaggedAllToAllModel, spmd::RaggedAllToAllOp> {
  static constexpr StringLiteral family = "Collectives";
  static FailureOr<spmd::ShardingRule> rule(spmd::RaggedAllToAllOp op) {
    constexpr int64_t kNone = RuleBuilder::kNone;
    RuleBuilder rule(op);
    ArrayRef<int64_t> input = shapeOf(op.getInput());
    for (int64_t dim = 1, rank = input.size(); dim < rank; ++dim)
      rule.add(input[dim], {dim, dim, kNone, kNone, kNone, kNone}, dim);
    rule.add(input.front(), {0, kNone, kNone, kNone, kNone, kNone}, kNone,
             FactorKind::Replicated)
        .whole();
    rule.add(shapeOf(op.getOutput()).front(),
             {kNone, 0, kNone, kNone, kNone, kNone}, 0, FactorKind::Replicated)
        .whole();
    for (int64_t operand = 2; operand < 6; ++operand)
      for (auto [dim, size] :
           llvm::enumerate(shapeOf(op->getOperand(operand)))) {
        SmallVector<int64_t> dims(6, kNone);
        dims[operand] = dim;
        rule.add(size, dims, kNone, FactorKind::Replicated).whole();
      }
    return rule.flops(0).build();
  }
};

/// An op without operands whose result is a scalar of the device's own.
template <typename ConcreteOp>
struct DeviceNumberModel : OpModel<DeviceNumberModel<ConcreteOp>, ConcreteOp> {
  static constexpr StringLiteral family = "Collectives";
  static FailureOr<spmd::ShardingRule> rule(ConcreteOp op) {
    RuleBuilder rule(op);
    return rule.flops(0).build();
  }
};

template <typename... Ops> void attachCollectives(MLIRContext &context) {
  (Ops::template attachInterface<CollectiveModel<Ops>>(context), ...);
}

} // namespace

void attachCollectiveModels(MLIRContext &context) {
  attachCollectives<spmd::AllReduceOp, spmd::AllGatherOp, spmd::AllSliceOp,
                    spmd::ReduceScatterOp, spmd::AllToAllOp, spmd::PermuteOp,
                    spmd::BroadcastOp, spmd::ToUnreducedOp>(context);
  spmd::RaggedAllToAllOp::attachInterface<RaggedAllToAllModel>(context);
  spmd::AxisIndexOp::attachInterface<DeviceNumberModel<spmd::AxisIndexOp>>(
      context);
}

void attachProcessIdModels(MLIRContext &context) {
  stablehlo::PartitionIdOp::attachInterface<
      DeviceNumberModel<stablehlo::PartitionIdOp>>(context);
  stablehlo::ReplicaIdOp::attachInterface<
      DeviceNumberModel<stablehlo::ReplicaIdOp>>(context);
}

} // namespace partita
