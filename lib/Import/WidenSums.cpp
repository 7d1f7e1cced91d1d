// spmd-widen-sums: partial sums of dots and convolutions are kept in f32.
//
// A dot with a bf16 result sums in f32 and rounds once. Sharded along a
// contracted dimension it would round each partial sum and then their sum,
// which is another number. So such an op is given an f32 result and a convert
// before placement; the reduction then comes between the two. Before: phase
// propagated. After: the same; an op whose contracted dimensions no operand
// shards is as it was, and one whose result the user wants in parts: each part
// is then a number of the narrow type.

#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_WIDENSUMSPASS
#include "partita/Import/Passes.h.inc"

static bool isInParts(Value value) {
  spmd::ShardingAttr sharding = spmd::getSharding(value);
  return sharding && !sharding.getUnreduced().empty();
}

/// True if a contracted dimension of some operand is sharded.
static bool sumsOverShards(Operation *op) {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable)
    return false;
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  if (failed(rule))
    return false;
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule->operands)) {
    spmd::ShardingAttr sharding = spmd::getSharding(operand);
    if (!sharding || !isa<RankedTensorType>(operand.getType()))
      continue;
    for (auto [dim, factors] : llvm::zip(sharding.getDims(), mapping.dims))
      for (int factor : factors)
        if (!dim.getAxes().empty() && rule->factors[factor].isReduced())
          return true;
  }
  return false;
}

static void remarkRounding(Operation *op, FloatType element) {
  std::string name;
  llvm::raw_string_ostream(name) << element;
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("RoundedInParts").category("placement"))
      << remark::reason("each device rounds its part of the sum to {0}: the "
                        "result is to stay in parts",
                        name);
}

static void widen(Operation *op) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  result.setType(type.clone(b.getF32Type()));
  auto convert = stablehlo::ConvertOp::create(b, op->getLoc(), type, result);
  StringRef name = spmd::SPMDDialect::getShardingsAttrName();
  if (Attribute shardings = op->getAttr(name))
    convert->setAttr(name, shardings);
  result.replaceAllUsesExcept(convert, convert);
}

namespace {

struct WidenSumsPass : impl::WidenSumsPassBase<WidenSumsPass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (!isa<stablehlo::DotGeneralOp, stablehlo::DotOp,
               stablehlo::ConvolutionOp>(op))
        return;
      auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      auto element =
          type ? dyn_cast<FloatType>(type.getElementType()) : nullptr;
      if (!element || element.getWidth() >= 32 || !sumsOverShards(op))
        return;
      if (isInParts(op->getResult(0)))
        return remarkRounding(op, element);
      widen(op);
      ++numWidened;
    });
  }
};

} // namespace

} // namespace partita
