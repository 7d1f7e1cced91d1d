// Enumerates the labels of nodes for one axis.

#include "AxisLabels.h"
#include "InnerCosts.h"

using namespace mlir;

namespace partita {

unsigned LabelEnd::addLayout(spmd::ShardingAttr sharding) {
  auto it = llvm::find(distinct, sharding);
  if (it != distinct.end())
    return it - distinct.begin();
  distinct.push_back(sharding);
  return distinct.size() - 1;
}

using ClassKey = SmallVector<int64_t, 128>;
struct ClassKeyHash {
  size_t operator()(const ClassKey &key) const {
    return llvm::hash_combine_range(key.begin(), key.end());
  }
};

/// What labels depend on of a rule, as numbers: ops that only differ in name
/// share their labels.
static ClassKey getRuleKey(const spmd::ShardingRule &rule) {
  ClassKey key;
  key.push_back(static_cast<int64_t>(rule.flopsPerPoint * 16));
  for (const spmd::Factor &factor : rule.factors)
    llvm::append_values(key, factor.size, int64_t(factor.kind),
                        factor.reduction ? int64_t(*factor.reduction) : -1,
                        int64_t(factor.shardable));
  for (const auto *mappings : {&rule.operands, &rule.results})
    for (const spmd::TensorMapping &mapping : *mappings) {
      for (const auto &dim : mapping.dims) {
        llvm::append_range(key, dim);
        key.push_back(-1);
      }
      key.push_back(-2);
    }
  for (const spmd::HaloRead &read : rule.reads)
    llvm::append_values(key, int64_t(read.operand), int64_t(read.dim),
                        int64_t(read.readerDim),
                        read.reader ? int64_t(*read.reader) : -1, read.stride,
                        read.first, read.last, read.period, read.blockUnit);
  key.push_back(-3);
  for (const spmd::OperandTraits &traits : rule.operandTraits)
    key.push_back(traits.linear * 2 + traits.linearJointly);
  return key;
}

/// What labels and their costs depend on, as numbers.
static ClassKey getClassKey(const FlowNode &node, unsigned ruleClass) {
  ClassKey key{ruleClass, node.isSignature + 2 * node.needsEvenBlocks};
  auto addPointer = [&](const void *pointer) {
    key.push_back(reinterpret_cast<intptr_t>(pointer));
  };
  addPointer(node.meshName.getAsOpaquePointer());
  addPointer(node.manualAxes.getAsOpaquePointer());
  if (node.op) {
    for (Type type : node.op->getOperandTypes())
      addPointer(type.getAsOpaquePointer());
    for (Type type : node.op->getResultTypes())
      addPointer(type.getAsOpaquePointer());
  }
  return key;
}

void LabelCache::dropCosts() { sets.clear(); }

LabelCache::LabelCache(ReshardCosts &costs, const ValueFlow &flow)
    : costs(costs), flow(flow) {
  std::unordered_map<ClassKey, unsigned, ClassKeyHash> known, knownRules;
  DenseMap<const spmd::ShardingRule *, unsigned> classOfRule;
  for (const auto &node : flow.nodes) {
    auto [it, isNew] = classOfRule.try_emplace(node->rule);
    if (isNew)
      it->second =
          knownRules.try_emplace(getRuleKey(*node->rule), knownRules.size())
              .first->second;
    classes.push_back(
        known.try_emplace(getClassKey(*node, it->second), known.size())
            .first->second);
  }
}

NodeLayouts::NodeLayouts(const FlowNode &node, const FactorSharding &label) {
  const spmd::ShardingRule &rule = *node.rule;
  for (unsigned index = 0, e = rule.results.size(); index < e; ++index)
    results.push_back(label.getResultSharding(index, node.meshName));
  // All that is as large as a pointwise result is laid out like it.
  bool isAlike = rule.isPointwise && !label.passesPartials();
  for (unsigned index = 0, e = rule.operands.size(); index < e; ++index)
    operands.push_back(isAlike && rule.operands[index].dims.size() ==
                                      rule.results[0].dims.size()
                           ? results[0]
                           : label.getOperandSharding(index, node.meshName));
}

double LabelCache::getComputeCost(const FlowNode &node,
                                  const FactorSharding &label,
                                  const NodeLayouts &layouts) const {
  if (!node.op)
    return 0;
  double work = node.rule->flopsPerPoint;
  for (auto [index, factor] : llvm::enumerate(node.rule->factors)) {
    int64_t shards = label.getShardCount(index);
    work *= (factor.size + shards - 1) / shards;
  }
  double bytes = 0;
  auto addBytes = [&](Value value, spmd::ShardingAttr sharding) {
    if (spmd::getSharding(value))
      bytes += costs.getLocalBytes(sharding,
                                   cast<RankedTensorType>(value.getType()));
  };
  for (auto [index, operand] : llvm::enumerate(node.op->getOperands()))
    addBytes(operand, layouts.operands[index]);
  for (auto [index, result] : llvm::enumerate(node.op->getResults()))
    addBytes(result, layouts.results[index]);
  return costs.getComputeCost(work, bytes);
}

void LabelCache::addLabel(LabelSet &set, const FactorSharding &label,
                          const FlowNode &node) const {
  if (llvm::is_contained(set.labels, label))
    return;
  NodeLayouts layouts(node, label);
  set.labels.push_back(label);
  set.costs.push_back(getComputeCost(node, label, layouts) +
                      getInnerCost(costs, node, label));
  for (auto [end, layout] : llvm::zip_equal(set.operands, layouts.operands))
    end.byLabel.push_back(end.addLayout(layout));
  for (auto [end, layout] : llvm::zip_equal(set.results, layouts.results))
    end.byLabel.push_back(end.addLayout(layout));
}

/// True if the op runs with the factor sharded, at a cost that is known.
static bool isPriced(const spmd::Factor &factor) {
  switch (factor.kind) {
  case spmd::FactorKind::Parallel:
  case spmd::FactorKind::Indexed:
  case spmd::FactorKind::Reduction:
  case spmd::FactorKind::Halo:
  case spmd::FactorKind::Scan:
    return factor.shardable;
  default:
    return false;
  }
}

/// What of `axis` can split a factor of `size` that has `shards` already: all
/// of it or, where it is too large, as much as fits and as much as divides.
static SmallVector<spmd::AxisRefAttr, 2> getParts(spmd::AxisRefAttr axis,
                                                  const FlowNode &node,
                                                  int64_t size,
                                                  int64_t shards) {
  int64_t whole = axis.getSize(node.mesh);
  SmallVector<spmd::AxisRefAttr, 2> parts;
  if (size >= shards * whole) {
    if (!node.needsEvenBlocks || size % (shards * whole) == 0)
      parts.push_back(axis);
    return parts;
  }
  if (node.isSignature)
    return parts;
  int64_t largest = 1, largestEven = 1;
  for (int64_t part = 2; part < whole && shards * part <= size; ++part) {
    if (whole % part != 0)
      continue;
    largest = part;
    if (size % (shards * part) == 0)
      largestEven = part;
  }
  auto add = [&](int64_t part) {
    if (part > 1)
      parts.push_back(spmd::AxisRefAttr::get(axis.getContext(), axis.getName(),
                                             axis.getPre(), part));
  };
  add(largest);
  if (largestEven != largest)
    add(largestEven);
  return parts;
}

/// Whether partial sums in `operand` may pay to be summed behind the op. One
/// that puts operands together (concatenate, pad) leaves as much to sum or
/// more, and the same number of launches where reductions are combined.
static bool isWorthPassing(const FlowNode &node, unsigned operand) {
  if (!node.op || !node.rule->operandTraits[operand].linearJointly)
    return true;
  auto getSize = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  return getSize(node.op->getResult(0)) <=
         getSize(node.op->getOperand(operand));
}

void LabelCache::makeLabels(LabelSet &set, const FlowNode &node,
                            const FactorSharding &current,
                            spmd::AxisRefAttr axis) const {
  FactorSharding base = current;
  base.remove(axis);
  if (base.isLegal())
    addLabel(set, base, node);
  for (auto [index, factor] : llvm::enumerate(node.rule->factors)) {
    if (!isPriced(factor))
      continue;
    int64_t shards = base.getShardCount(index);
    for (spmd::AxisRefAttr part : getParts(axis, node, factor.size, shards))
      for (bool isMajor : {false, true}) {
        if (isMajor && base.getAxes(index).empty())
          continue;
        FactorSharding label = base;
        label.insert(index, part, isMajor);
        if (label.isLegal())
          addLabel(set, label, node);
      }
  }
  if (node.isSignature)
    return;
  for (unsigned operand = 0, e = node.rule->operandTraits.size(); operand < e;
       ++operand) {
    FactorSharding label = base;
    if (isWorthPassing(node, operand) && label.pass(operand, axis) &&
        label.isLegal())
      addLabel(set, label, node);
  }
}

const LabelSet &LabelCache::get(unsigned number, const FactorSharding &current,
                                spmd::AxisRefAttr axis) {
  auto &known = sets[{classes[number], axis.getAsOpaquePointer()}];
  for (const LabelSet *set : known)
    if (set->labels.front() == current)
      return *set;
  const FlowNode &node = *flow.nodes[number];
  LabelSet &set = made.emplace_back();
  set.operands.resize(node.rule->operands.size());
  set.results.resize(node.rule->results.size());
  addLabel(set, current, node);
  if (axis)
    makeLabels(set, node, current, axis);
  known.push_back(&set);
  return set;
}

} // namespace partita
