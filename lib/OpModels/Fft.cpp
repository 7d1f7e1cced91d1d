// fft: batch dimensions are parallel, transformed ones whole. Partition:
// derived.

#include "Families.h"
#include "RuleBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

struct FftModel : OpModel<FftModel, stablehlo::FftOp> {
  static constexpr StringLiteral family = "Fft";
  static FailureOr<spmd::ShardingRule> rule(stablehlo::FftOp op) {
    RuleBuilder rule(op);
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    size_t batch = shape.size() - op.getFftLength().size();
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (dim < batch) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.addEverywhere(dim, size, spmd::FactorKind::Fft).whole();
      // A real transform keeps half of the last dimension.
      if (dim + 1 == shape.size() && size != shapeOf(op.getResult()).back())
        rule.blocked();
    }
    return rule.linearIn(0).build();
  }
};

} // namespace

void attachFftModels(MLIRContext &context) {
  stablehlo::FftOp::attachInterface<FftModel>(context);
}

} // namespace partita
