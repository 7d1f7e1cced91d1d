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
    if (node.rule->reads.empty() || !isHaloSharded())
      return cost;
    for (unsigned index = 0, e = node.op->getNumOperands(); index < e; ++index)
      cost += getFetches(index);
    return cost;
  }

private:
  bool isHaloSharded() const {
    for (auto [index, factor] : llvm::enumerate(node.rule->factors))
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
  double getFetches(unsigned index) {
    spmd::ShardingAttr from = label.getOperandSharding(index, node.meshName);
    // The layout whose blocks number the readers.
    SmallVector<spmd::DimShardingAttr> dims(from.getDims());
    bool isFetched = false;
    for (const spmd::HaloRead &read : node.rule->reads) {
      if (read.operand != index || !getReaderBlocks(read))
        continue;
      dims[read.dim] = getReader(read).getDims()[read.readerDim];
      isFetched = true;
    }
    if (!isFetched)
      return 0;
    RankedTensorType type = getType(node.op->getOperand(index));
    auto reads = node.rule->getReads(
        index, type.getShape(), from.getLocalType(type, node.mesh).getShape(),
        [&](const spmd::HaloRead &read) { return getReaderBlocks(read); });
    if (reads) {
      auto readers =
          spmd::ShardingAttr::get(from.getContext(), from.getMesh(), dims, {},
                                  {}, from.getReductionKind());
      return costs.getFetchCost(from, readers, type, *reads, node.manualAxes);
    }
    double cost =
        costs.getReshardCost(from, getWhole(from), type, node.manualAxes);
    if (index > 0)
      return cost;
    spmd::ShardingAttr result = label.getResultSharding(0, node.meshName);
    return cost + costs.getReshardCost(getWhole(result), result,
                                       getType(node.op->getResult(0)),
                                       node.manualAxes);
  }

  spmd::ShardingAttr getReader(const spmd::HaloRead &read) const {
    return read.reader ? label.getOperandSharding(*read.reader, node.meshName)
                       : label.getResultSharding(0, node.meshName);
  }

  /// None: that dimension of the reader is whole.
  std::optional<spmd::ReaderBlocks>
  getReaderBlocks(const spmd::HaloRead &read) const {
    spmd::ShardingAttr sharding = getReader(read);
    if (sharding.getShardCount(read.readerDim, node.mesh) == 1)
      return std::nullopt;
    Value reader =
        read.reader ? node.op->getOperand(*read.reader) : node.op->getResult(0);
    RankedTensorType type = getType(reader);
    return spmd::ReaderBlocks{
        type.getDimSize(read.readerDim),
        sharding.getLocalType(type, node.mesh).getDimSize(read.readerDim)};
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
    for (auto [index, factor] : llvm::enumerate(node.rule->factors)) {
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
