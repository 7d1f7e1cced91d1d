// sort and top_k: parallel but for the sorted dimension, which must be whole.
// Partition: derived.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

struct SortModel : OpModel<SortModel, stablehlo::SortOp> {
  static constexpr StringLiteral family = "Sort";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::SortOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
    int64_t sorted = op.getDimension();
    if (sorted < 0)
      sorted += shape.size();
    bool isOnlyDim = true;
    for (auto [dim, size] : llvm::enumerate(shape))
      isOnlyDim &= static_cast<int64_t>(dim) == sorted || size == 1;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (static_cast<int64_t>(dim) != sorted) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.addEverywhere(dim, size, spmd::FactorKind::Sort).whole();
      if (isOnlyDim)
        rule.blocked();
    }
    return rule.build();
  }
};

struct TopKModel : OpModel<TopKModel, chlo::TopKOp> {
  static constexpr StringLiteral family = "Sort";

  static FailureOr<spmd::ShardingRule> rule(chlo::TopKOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (dim + 1 < shape.size()) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.addEverywhere(dim, size, spmd::FactorKind::Sort).whole();
      if (size != shapeOf(op.getValues()).back())
        rule.blocked();
    }
    return rule.build();
  }
};

} // namespace

void attachSortModels(MLIRContext &context) {
  stablehlo::SortOp::attachInterface<SortModel>(context);
}

void attachTopKModels(MLIRContext &context) {
  chlo::TopKOp::attachInterface<TopKModel>(context);
}

} // namespace partita
