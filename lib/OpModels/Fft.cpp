// fft: batch dimensions are parallel, transformed ones must be whole. Placement
// moves their axes to a batch dimension; where several sharded dimensions are
// transformed, Import has made an op of each. Partition: derived.

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
    int64_t batch = shape.size() - op.getFftLength().size();
    for (auto [index, size] : llvm::enumerate(shape)) {
      int64_t dim = index;
      if (dim < batch) {
        rule.addEverywhere(dim, size);
        continue;
      }
      rule.addEverywhere(dim, size, spmd::FactorKind::Fft).whole();
      // A real transform keeps half of the last dimension.
      if (index + 1 == shape.size() && size != shapeOf(op.getResult()).back())
        rule.blocked();
    }
    return rule.linearIn(0).pad(0, spmd::PadTolerance::None).build();
  }
};

} // namespace

void attachFftModels(MLIRContext &context) {
  stablehlo::FftOp::attachInterface<FftModel>(context);
}

} // namespace partita
