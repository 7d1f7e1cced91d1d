// The partition that follows from a rule alone: the same op on local operands,
// with the padding of reduced factors neutral.

#include "partita/Building/PartitionBuilder.h"

using namespace mlir;

namespace partita {

Operation *PartitionBuilder::cloneLocal(ValueRange localOperands) {
  // Values that a body captures from above.
  IRMapping mapping;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (auto it = values.find(operand); it != values.end())
          mapping.map(operand, it->second.local);
    });
  Operation *clone = b.clone(*op, mapping);
  // By position: one value may be two operands, in two local forms.
  clone->setOperands(localOperands);
  clone->removeAttr(spmd::SPMDDialect::getShardingsAttrName());
  for (auto [original, local] :
       llvm::zip_equal(op->getResults(), clone->getResults()))
    local.setType(getLocalType(original));
  return clone;
}

LogicalResult PartitionBuilder::partitionByRule() {
  const spmd::ShardingRule *rule =
      rules.get(cast<spmd::ShardableOpInterface>(op));
  if (!rule)
    return failure();
  SmallVector<Value> operands;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    bool needsNeutral =
        index < rule->operandTraits.size() &&
        rule->operandTraits[index].pad == spmd::PadTolerance::Neutral;
    if (!needsNeutral) {
      operands.push_back(any(operand));
      continue;
    }
    SmallVector<int64_t> dims;
    std::optional<spmd::ReductionKind> kind;
    for (auto [dim, factors] : llvm::enumerate(rule->operands[index].dims))
      for (int factor : factors)
        if (rule->factors[factor].reduction) {
          dims.push_back(dim);
          kind = rule->factors[factor].reduction;
        }
    operands.push_back(kind ? masked(operand, dims, *kind) : any(operand));
  }
  Operation *clone = cloneLocal(operands);
  for (auto [original, local] :
       llvm::zip_equal(op->getResults(), clone->getResults()))
    bind(original, local);
  return success();
}

} // namespace partita
