// while, case, if, optimization_barrier and tokens. Shardings of control flow
// follow the values through the regions (RegionBranchOpInterface), so its rules
// are empty. Partition: the same op with local carries and partitioned regions;
// the predicate is a scalar and the same on all devices.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

/// No factors: shardings follow the data flow.
FailureOr<spmd::ShardingRule> emptyRule(Operation *op) {
  spmd::ShardingRule rule;
  rule.operands.resize(op->getNumOperands());
  rule.results.resize(op->getNumResults());
  rule.operandTraits.resize(op->getNumOperands());
  rule.flopsPerPoint = 0;
  return rule;
}

LogicalResult partitionRegionOp(Operation *op, PartitionBuilder &builder) {
  OpBuilder &b = builder.builder();
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(builder.any(operand));
  for (Value result : op->getResults())
    state.types.push_back(builder.getLocalType(result));
  state.attributes = op->getAttrDictionary();
  state.attributes.erase(spmd::SPMDDialect::getShardingsAttrName());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *local = b.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), local->getRegions()))
    if (failed(builder.partitionRegion(from, to)))
      return failure();
  for (auto [original, result] :
       llvm::zip_equal(op->getResults(), local->getResults()))
    builder.bind(original, result);
  return success();
}

template <typename ConcreteOp>
struct RegionOpModel : OpModel<RegionOpModel<ConcreteOp>, ConcreteOp> {
  static constexpr StringLiteral family = "ControlFlow";
  static FailureOr<spmd::ShardingRule> rule(ConcreteOp op) {
    return emptyRule(op);
  }
  static LogicalResult partitionOp(ConcreteOp op, PartitionBuilder &builder) {
    return partitionRegionOp(op, builder);
  }
};

/// Result i is operand i.
struct OptimizationBarrierModel
    : OpModel<OptimizationBarrierModel, stablehlo::OptimizationBarrierOp> {
  static constexpr StringLiteral family = "ControlFlow";
  static FailureOr<spmd::ShardingRule>
  rule(stablehlo::OptimizationBarrierOp op) {
    RuleBuilder rule(op);
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      for (auto [dim, size] : llvm::enumerate(shapeOf(operand))) {
        SmallVector<int64_t> dims(op->getNumOperands(), RuleBuilder::kNone);
        dims[index] = dim;
        rule.add(size, dims, dims);
      }
      rule.linearIn(index);
    }
    return rule.flops(0).propagation(spmd::PropagationClass::DataFlow).build();
  }
};

/// Tokens order effects and have no layout.
template <typename ConcreteOp>
struct TokenModel : OpModel<TokenModel<ConcreteOp>, ConcreteOp> {
  static constexpr StringLiteral family = "ControlFlow";
  static FailureOr<spmd::ShardingRule> rule(ConcreteOp op) {
    return emptyRule(op);
  }
};

} // namespace

void attachControlFlowModels(MLIRContext &context) {
  stablehlo::WhileOp::attachInterface<RegionOpModel<stablehlo::WhileOp>>(
      context);
  stablehlo::CaseOp::attachInterface<RegionOpModel<stablehlo::CaseOp>>(context);
  stablehlo::IfOp::attachInterface<RegionOpModel<stablehlo::IfOp>>(context);
  stablehlo::CreateTokenOp::attachInterface<
      TokenModel<stablehlo::CreateTokenOp>>(context);
  stablehlo::AfterAllOp::attachInterface<TokenModel<stablehlo::AfterAllOp>>(
      context);
  stablehlo::OptimizationBarrierOp::attachInterface<OptimizationBarrierModel>(
      context);
}

} // namespace partita
