// Elementwise ops: every op with the trait ElementwiseOp of a dialect, and
// select and clamp, whose operands may be scalars. No op is listed by name
// except where it is linear. Partition: derived; padding may hold anything.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

/// True if every number of `from`'s type is one of `to`'s: rounding a sum is
/// not summing what was rounded.
bool isWidening(Value from, Value to) {
  auto real = [](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    auto complexType = dyn_cast<ComplexType>(type);
    return dyn_cast<FloatType>(complexType ? complexType.getElementType()
                                           : type);
  };
  FloatType source = real(from), target = real(to);
  if (!source || !target)
    return false;
  const llvm::fltSemantics &narrow = source.getFloatSemantics();
  const llvm::fltSemantics &wide = target.getFloatSemantics();
  return APFloat::semanticsPrecision(narrow) <=
             APFloat::semanticsPrecision(wide) &&
         APFloat::semanticsMaxExponent(narrow) <=
             APFloat::semanticsMaxExponent(wide) &&
         APFloat::semanticsMinExponent(narrow) >=
             APFloat::semanticsMinExponent(wide);
}

/// Marks the operands in which the op is linear, over the reals.
void addLinearity(Operation *op, RuleBuilder &rule) {
  auto isFloat = [](Value value) {
    return isa<FloatType, ComplexType>(getElementTypeOrSelf(value.getType()));
  };
  bool isBoolean =
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  if (isBoolean)
    return;
  if (isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::ComplexOp>(op))
    rule.jointlyLinearIn({0, 1});
  else if (isa<stablehlo::SelectOp>(op))
    rule.jointlyLinearIn({1, 2});
  else if (isa<stablehlo::MulOp>(op))
    rule.linearIn(0).linearIn(1);
  else if (isa<stablehlo::NegOp, stablehlo::RealOp, stablehlo::ImagOp>(op))
    rule.linearIn(0);
  else if (isa<stablehlo::DivOp>(op) && isFloat(op->getResult(0)))
    rule.linearIn(0);
  else if (isa<stablehlo::ConvertOp>(op) &&
           isWidening(op->getOperand(0), op->getResult(0)))
    rule.linearIn(0);
}

/// One model for all elementwise ops of all dialects.
struct ElementwiseModel
    : spmd::ShardableOpInterface::FallbackModel<ElementwiseModel> {
  FailureOr<spmd::ShardingRule> getShardingRule(Operation *op) const {
    RuleBuilder rule(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
      rule.addEverywhere(dim, size);
    addLinearity(op, rule);
    return rule.pointwise().build();
  }
  LogicalResult partition(Operation *op, PartitionBuilder &builder) const {
    return builder.partitionByRule();
  }
  bool hasDerivedPartition(Operation *op) const { return true; }
  bool isResizable(Operation *op) const { return true; }
  void resizeResults(Operation *op, TypeRange types) const {
    op->getResult(0).setType(types.front());
  }
  StringRef getOpModelName(Operation *op) const {
    return "Elementwise derived";
  }
};

} // namespace

void attachElementwiseModels(MLIRContext &context, const char *dialectName) {
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != dialectName)
      continue;
    if (name.hasTrait<stablehlo::ElementwiseOp>() ||
        name.hasTrait<stablehlo::ScalarBroadcastElementwiseOp>())
      name.attachInterface<ElementwiseModel>();
  }
}

} // namespace partita
