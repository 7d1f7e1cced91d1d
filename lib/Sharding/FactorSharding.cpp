// Projection of shardings to an op's factors and back.

#include "partita/Sharding/FactorSharding.h"

using namespace mlir;

namespace partita {

using spmd::AxisRefAttr;

FactorSharding::FactorSharding(const spmd::ShardingRule &rule,
                               spmd::MeshAttr mesh)
    : rule(&rule), mesh(mesh), axes(rule.factors.size()) {}

bool FactorSharding::isInUse(AxisRefAttr axis) const {
  for (const AxisList &list : axes)
    for (AxisRefAttr used : list)
      if (used.overlaps(axis, mesh))
        return true;
  return llvm::any_of(
      passing, [&](AxisRefAttr used) { return used.overlaps(axis, mesh); });
}

int64_t FactorSharding::getShardCount(int factor) const {
  int64_t count = 1;
  for (AxisRefAttr axis : axes[factor])
    count *= axis.getSize(mesh);
  return count;
}

int64_t FactorSharding::getShardCount() const {
  int64_t count = 1;
  for (int factor = 0, e = axes.size(); factor < e; ++factor)
    count *= getShardCount(factor);
  return count;
}

/// The first `size` ways of `axis`, and what is left of it.
static std::pair<AxisRefAttr, AxisRefAttr>
splitAxis(AxisRefAttr axis, int64_t size, spmd::MeshAttr mesh) {
  int64_t whole = axis.getSize(mesh), pre = axis.getPre();
  MLIRContext *context = axis.getContext();
  return {AxisRefAttr::get(context, axis.getName(), pre, size),
          AxisRefAttr::get(context, axis.getName(), pre * size, whole / size)};
}

void FactorSharding::add(const spmd::TensorMapping &mapping,
                         spmd::ShardingAttr sharding) {
  for (auto [dim, factors] : llvm::enumerate(mapping.dims)) {
    if (factors.empty())
      continue;
    SmallVector<AxisRefAttr> pending(
        llvm::reverse(sharding.getDims()[dim].getAxes()));
    for (auto [position, factor] : llvm::enumerate(factors)) {
      bool isOnly = factors.size() == 1;
      int64_t room = rule->factors[factor].size;
      AxisList list;
      while (!pending.empty() && (isOnly || room > 1)) {
        AxisRefAttr axis = pending.pop_back_val();
        int64_t size = axis.getSize(mesh);
        if (!isOnly && room % size != 0) {
          if (size % room != 0) {
            pending.clear();
            break;
          }
          auto [taken, rest] = splitAxis(axis, room, mesh);
          pending.push_back(rest);
          axis = taken;
          size = room;
        }
        list.push_back(axis);
        room /= std::max<int64_t>(size, 1);
      }
      if (!rule->factors[factor].shardable || !axes[factor].empty())
        continue;
      for (AxisRefAttr axis : list) {
        if (isInUse(axis))
          break;
        axes[factor].push_back(axis);
      }
    }
  }
}

void FactorSharding::addOperand(unsigned index, spmd::ShardingAttr sharding) {
  const spmd::TensorMapping &mapping = rule->operands[index];
  if (!mapping.dims.empty())
    add(mapping, sharding);
  if (sharding.getReductionKind() == spmd::ReductionKind::Add)
    for (AxisRefAttr axis : sharding.getUnreduced())
      if (!isInUse(axis))
        pass(index, axis);
}

void FactorSharding::addResult(unsigned index, spmd::ShardingAttr sharding) {
  if (!rule->results[index].dims.empty())
    add(rule->results[index], sharding);
}

/// The first factor of a dimension whose axes the dimension can't express;
/// none: -1.
int FactorSharding::findIllegal(ArrayRef<int> factors) const {
  if (factors.size() < 2)
    return -1;
  bool majorFull = true, isFetched = false;
  for (int factor : factors) {
    int64_t size = rule->factors[factor].size, count = getShardCount(factor);
    bool isSharded = !axes[factor].empty();
    bool isHalo = rule->factors[factor].kind == spmd::FactorKind::Halo;
    // What is fetched along a dimension follows one numbering of blocks, but
    // those may be uneven.
    if (isSharded && (!majorFull || (isHalo ? isFetched : size % count != 0)))
      return factor;
    majorFull = majorFull && count == size;
    isFetched |= isSharded && isHalo;
  }
  return -1;
}

/// Makes the axes of one dimension expressible; returns true if it changed any.
bool FactorSharding::legalizeDim(ArrayRef<int> factors) {
  bool changed = false;
  for (int factor = findIllegal(factors); factor >= 0;
       factor = findIllegal(factors)) {
    axes[factor].pop_back();
    changed = true;
  }
  return changed;
}

void FactorSharding::legalize() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto *mappings : {&rule->operands, &rule->results})
      for (const spmd::TensorMapping &mapping : *mappings)
        for (const auto &factors : mapping.dims)
          changed |= legalizeDim(factors);
  }
  if (hasShardedHalo())
    passing.clear();
}

/// What windows read of other blocks comes by an exchange, which moves values
/// and no partial sums.
bool FactorSharding::hasShardedHalo() const {
  for (auto [factor, list] : llvm::zip_equal(rule->factors, axes))
    if (factor.kind == spmd::FactorKind::Halo && !list.empty())
      return true;
  return false;
}

bool FactorSharding::isLegal() const {
  for (const auto *mappings : {&rule->operands, &rule->results})
    for (const spmd::TensorMapping &mapping : *mappings)
      for (const auto &factors : mapping.dims)
        if (findIllegal(factors) >= 0)
          return false;
  return passing.empty() || !hasShardedHalo();
}

FactorSharding::AxisList FactorSharding::joinAxes(ArrayRef<int> factors) const {
  AxisList list;
  for (int factor : factors)
    for (AxisRefAttr axis : axes[factor])
      spmd::appendAxis(list, axis, mesh);
  return list;
}

/// In mesh order, so that equal sets are equal lists.
FactorSharding::AxisList FactorSharding::joinPartials(AxisList list) const {
  auto getKey = [&](AxisRefAttr axis) {
    auto position =
        llvm::find_if(mesh.getAxes(), [&](spmd::MeshAxisAttr other) {
          return other.getName() == axis.getName();
        });
    return std::pair(position - mesh.getAxes().begin(), axis.getPre());
  };
  llvm::sort(list, [&](AxisRefAttr a, AxisRefAttr b) {
    return getKey(a) < getKey(b);
  });
  AxisList merged;
  for (AxisRefAttr axis : list)
    spmd::appendAxis(merged, axis, mesh);
  return merged;
}

bool FactorSharding::passesFrom(unsigned operand) const {
  if (passing.empty() || operand >= rule->operandTraits.size())
    return false;
  return operand == passingOperand ||
         (rule->operandTraits[passingOperand].linearJointly &&
          rule->operandTraits[operand].linearJointly);
}

FactorSharding::Partials FactorSharding::getPartials(unsigned index,
                                                     bool isResult) const {
  AxisList list;
  if (isResult || passesFrom(index))
    list = passing;
  spmd::ReductionKind kind = spmd::ReductionKind::Add;
  if (isResult)
    for (auto [factor, added] : llvm::zip_equal(rule->factors, axes))
      if (factor.reduction && !added.empty()) {
        llvm::append_range(list, added);
        kind = *factor.reduction;
      }
  return {list.empty() ? list : joinPartials(std::move(list)), kind};
}

spmd::ShardingAttr FactorSharding::makeSharding(unsigned index, bool isResult,
                                                FlatSymbolRefAttr name) const {
  MLIRContext *context = name.getContext();
  // Most dimensions are whole.
  spmd::DimShardingAttr whole;
  SmallVector<spmd::DimShardingAttr> dims;
  for (const auto &factors : getMapping(index, isResult).dims) {
    AxisList list = joinAxes(factors);
    bool isWhole = list.empty();
    dims.push_back(isWhole && whole
                       ? whole
                       : spmd::DimShardingAttr::get(context, list, true, -1));
    if (isWhole)
      whole = dims.back();
  }
  auto [partials, kind] = getPartials(index, isResult);
  return spmd::ShardingAttr::get(context, name, dims, {}, partials, kind);
}

bool FactorSharding::hasSharding(unsigned index, bool isResult,
                                 FlatSymbolRefAttr name,
                                 spmd::ShardingAttr sharding) const {
  ArrayRef<SmallVector<int, 1>> dims = getMapping(index, isResult).dims;
  if (dims.size() != size_t(sharding.getRank()))
    return false;
  auto [partials, kind] = getPartials(index, isResult);
  bool hasAxes = !partials.empty();
  for (auto [factors, dim] : llvm::zip_equal(dims, sharding.getDims())) {
    AxisList list = joinAxes(factors);
    if (ArrayRef<AxisRefAttr>(list) != dim.getAxes())
      return false;
    hasAxes |= !list.empty();
  }
  return ArrayRef<AxisRefAttr>(partials) == sharding.getUnreduced() &&
         (partials.empty() || kind == sharding.getReductionKind()) &&
         (!hasAxes || name == sharding.getMesh());
}

void FactorSharding::remove(AxisRefAttr axis) {
  auto erase = [&](AxisList &list) {
    llvm::erase_if(
        list, [&](AxisRefAttr other) { return other.overlaps(axis, mesh); });
  };
  for (AxisList &list : axes)
    erase(list);
  erase(passing);
}

void FactorSharding::insert(int factor, AxisRefAttr axis, bool isMajor) {
  axes[factor].insert(isMajor ? axes[factor].begin() : axes[factor].end(),
                      axis);
}

void FactorSharding::cut(AxisRefAttr axis, ArrayRef<AxisRefAttr> parts) {
  auto cutList = [&](AxisList &list) {
    auto it = llvm::find(list, axis);
    if (it == list.end())
      return;
    it = list.erase(it);
    list.insert(it, parts.begin(), parts.end());
  };
  for (AxisList &list : axes)
    cutList(list);
  cutList(passing);
}

bool FactorSharding::canPass(unsigned operand) const {
  if (rule->results.size() != 1 || operand >= rule->operandTraits.size())
    return false;
  const spmd::OperandTraits &traits = rule->operandTraits[operand];
  return traits.linear || traits.linearJointly;
}

bool FactorSharding::pass(unsigned operand, AxisRefAttr axis) {
  if (!canPass(operand) || (!passing.empty() && !passesFrom(operand)))
    return false;
  for (auto [factor, list] : llvm::zip_equal(rule->factors, axes))
    if (factor.reduction && *factor.reduction != spmd::ReductionKind::Add &&
        !list.empty())
      return false;
  if (passing.empty())
    passingOperand = operand;
  passing.push_back(axis);
  return true;
}

bool isSameLayout(spmd::ShardingAttr a, spmd::ShardingAttr b) {
  if (a == b)
    return true;
  bool hasAxes = a.namesAxes() || b.namesAxes();
  if (hasAxes && a.getMesh() != b.getMesh())
    return false;
  if (a.getRank() != b.getRank() || a.getUnreduced() != b.getUnreduced() ||
      (!a.getUnreduced().empty() &&
       a.getReductionKind() != b.getReductionKind()))
    return false;
  for (auto [dimA, dimB] : llvm::zip_equal(a.getDims(), b.getDims()))
    if (dimA.getAxes() != dimB.getAxes())
      return false;
  return true;
}

} // namespace partita
