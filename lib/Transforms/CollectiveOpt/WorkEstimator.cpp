// Roofline of local ops.

#include "WorkEstimator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "partita/Building/TripCount.h"

using namespace mlir;

namespace partita {

double WorkEstimator::getSeconds(Block &block) {
  double seconds = 0;
  for (Operation &op : block)
    seconds += getSeconds(&op);
  return seconds;
}

double WorkEstimator::getSeconds(Operation *op) {
  if (isa<spmd::CollectiveOpInterface, spmd::DoneOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return 0;
    auto [it, isNew] = known.try_emplace(callee, 0);
    if (!isNew)
      return it->second;
    double seconds = getSeconds(callee.getBody().front());
    return known[callee] = seconds;
  }
  if (!isa<RegionBranchOpInterface>(op))
    return getOwnSeconds(op);
  double seconds = 0;
  bool isLoop = isa<LoopLikeOpInterface>(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      seconds = isLoop ? seconds + getSeconds(block)
                       : std::max(seconds, getSeconds(block));
  return isLoop ? seconds * double(getStaticTripCount(op).value_or(1))
                : seconds;
}

double WorkEstimator::getOwnSeconds(Operation *op) {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable || op->getNumResults() == 0)
    return 0;
  // The rule refuses, with an error, what partition has refused before.
  const spmd::ShardingRule *rule = rules.get(shardable);
  return rule ? getBlockSeconds(op, *rule, -1, 1) : 0;
}

double WorkEstimator::getBlockSeconds(Operation *op,
                                      const spmd::ShardingRule &rule,
                                      int factor, int64_t parts) const {
  double flops = rule.flopsPerPoint / double(parts);
  for (const spmd::Factor &each : rule.factors)
    flops *= double(each.size);
  if (flops == 0) // moves and names: fused, or free
    return 0;
  auto getBytes = [&](TypeRange types, ArrayRef<spmd::TensorMapping> mappings) {
    double bytes = 0;
    for (auto [type, mapping] : llvm::zip(types, mappings)) {
      bool isCut = llvm::any_of(mapping.dims, [&](const auto &factors) {
        return llvm::is_contained(factors, factor);
      });
      bytes += double(spmd::getByteSize(type)) / double(isCut ? parts : 1);
    }
    return bytes;
  };
  double bytes = getBytes(op->getResultTypes(), rule.results);
  bool reduces = llvm::any_of(
      rule.factors, [](const spmd::Factor &each) { return each.isReduced(); });
  if (reduces)
    bytes += getBytes(op->getOperandTypes(), rule.operands);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return model.getComputeSeconds(flops, bytes, bits) -
         model.getMachine().kernelOverhead;
}

} // namespace partita
