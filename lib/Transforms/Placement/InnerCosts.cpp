// Prices the communication inside ops.

#include "InnerCosts.h"

using namespace mlir;

namespace partita {
namespace {

class InnerCost {
public:
  InnerCost(ReshardCosts &costs, const FlowNode &node,
            const FactorSharding &label)
      : costs(costs), node(node), label(label) {}

  double get() {
    double cost = getGathers();
    if (node.rule.reads.empty() || !isHaloSharded())
      return cost;
    spmd::ShardingAttr result = label.getResultSharding(0, node.meshName);
    SmallVector<int64_t> shards;
    for (int64_t dim = 0; dim < result.getRank(); ++dim)
      shards.push_back(result.getShardCount(dim, node.mesh));
    for (unsigned index = 0, e = node.op->getNumOperands(); index < e; ++index)
      cost += getFetches(index, result, shards);
    return cost;
  }

private:
  bool isHaloSharded() const {
    for (auto [index, factor] : llvm::enumerate(node.rule.factors))
      if (factor.kind == spmd::FactorKind::Halo &&
          !label.getAxes(index).empty())
        return true;
    return false;
  }

  RankedTensorType getType(Value value) const {
    return cast<RankedTensorType>(value.getType());
  }

  /// What operand `index` fetches; the way through whole dimensions where
  /// blocks read no one interval.
  double getFetches(unsigned index, spmd::ShardingAttr result,
                    ArrayRef<int64_t> resultShards) {
    SmallVector<int64_t> dims;
    for (const spmd::HaloRead &read : node.rule.reads)
      if (read.operand == index && resultShards[read.resultDim] > 1)
        dims.push_back(read.dim);
    if (dims.empty())
      return 0;
    RankedTensorType type = getType(node.op->getOperand(index));
    RankedTensorType resultType = getType(node.op->getResult(0));
    spmd::ShardingAttr from = label.getOperandSharding(index, node.meshName);
    auto reads = node.rule.getReads(
        index, from.getLocalType(type, node.mesh).getShape(),
        result.getLocalType(resultType, node.mesh).getShape(), resultShards);
    if (reads)
      return costs.getFetchCost(from, getReader(from, result, dims), type,
                                *reads, node.manualAxes);
    double cost =
        costs.getReshardCost(from, getWhole(from), type, node.manualAxes);
    if (index == 0)
      cost += costs.getReshardCost(getWhole(result), result, resultType,
                                   node.manualAxes);
    return cost;
  }

  /// The layout whose blocks number the readers of an operand: its own, with
  /// the axes of the result along what is read.
  spmd::ShardingAttr getReader(spmd::ShardingAttr from,
                               spmd::ShardingAttr result,
                               ArrayRef<int64_t> dims) const {
    SmallVector<spmd::DimShardingAttr> list(from.getDims());
    for (const spmd::HaloRead &read : node.rule.reads)
      if (llvm::is_contained(dims, int64_t(read.dim)))
        list[read.dim] = result.getDims()[read.resultDim];
    return spmd::ShardingAttr::get(from.getContext(), from.getMesh(), list, {},
                                   {}, from.getReductionKind());
  }

  spmd::ShardingAttr getWhole(spmd::ShardingAttr sharding) const {
    return spmd::ShardingAttr::getReplicated(
        sharding.getContext(), sharding.getMesh().getValue(),
        sharding.getRank(), /*isClosed=*/true);
  }

  /// Factors along which devices gather: the totals of a scan, one element of
  /// each block; the partial results that only the op's body can fold.
  double getGathers() {
    double cost = 0;
    for (auto [index, factor] : llvm::enumerate(node.rule.factors)) {
      bool isScan = factor.kind == spmd::FactorKind::Scan;
      bool isFolded = factor.kind == spmd::FactorKind::Reduction &&
                      factor.shardable && !factor.reduction;
      if ((!isScan && !isFolded) || label.getAxes(index).empty())
        continue;
      double bytes = 0;
      for (auto [number, value] : llvm::enumerate(node.op->getResults()))
        bytes += costs.getLocalBytes(
            label.getResultSharding(number, node.meshName), getType(value));
      if (isScan)
        bytes /= std::max<int64_t>(
            1, (factor.size + label.getShardCount(index) - 1) /
                   label.getShardCount(index));
      cost += costs.getGatherCost(label.getAxes(index), node.mesh, bytes);
    }
    return cost;
  }

  ReshardCosts &costs;
  const FlowNode &node;
  const FactorSharding &label;
};

} // namespace

double getInnerCost(ReshardCosts &costs, const FlowNode &node,
                    const FactorSharding &label) {
  return node.op ? InnerCost(costs, node, label).get() : 0;
}

} // namespace partita
