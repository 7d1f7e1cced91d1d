// Passes axes along factors and settles conflicts between factors: the factor
// whose axes come from the larger tensor takes them.
#include "FactorExpansion.h"
#include <tuple>

namespace partita::propagation {

namespace {
/// The largest tensor that has a factor's axes, the first among equals.
struct Source {
  int tensor = -1;
  int64_t size = -1;
};

class FactorPropagation {
public:
  FactorPropagation(Projection &projection, const PropagationRule &rule)
      : projection(projection), rule(rule) {}

  llvm::SmallVector<Expansion>
  run(llvm::ArrayRef<PropagationDirection> directions);

private:
  bool findAxes(llvm::ArrayRef<PropagationDirection> directions);
  void findSources();
  void orderFactors();
  AxisList getAxesFor(const TensorFactors &tensor, int factor) const;
  void stopAtResults(int factor, AxisList &axes) const;
  void expandTensor(unsigned tensor, llvm::SmallVector<Expansion> &expansions);

  Projection &projection;
  const PropagationRule &rule;
  llvm::SmallVector<AxisList, 4> axesOfFactor;
  llvm::SmallVector<Source, 4> sources;
  llvm::SmallVector<int, 8> order;
};
} // namespace

bool FactorPropagation::findAxes(
    llvm::ArrayRef<PropagationDirection> directions) {
  bool any = false;
  for (size_t factor = 0; factor < rule.factors.size(); ++factor) {
    axesOfFactor.push_back(
        getCompatibleMajorAxes(projection, factor, directions[factor]));
    any |= !axesOfFactor.back().empty();
  }
  return any;
}

void FactorPropagation::findSources() {
  sources.resize(rule.factors.size());
  for (auto [index, tensor] : llvm::enumerate(projection.tensors)) {
    int64_t size = 1;
    for (auto [factor, own] : llvm::enumerate(tensor.factors))
      if (own.isPresent)
        size *= rule.factors[factor].size;
    for (auto [factor, own] : llvm::enumerate(tensor.factors)) {
      const AxisList &axes = axesOfFactor[factor];
      if (!own.isPresent || axes.empty() || size <= sources[factor].size ||
          getPrefixStatus(axes, own.axes) == PrefixStatus::NotAPrefix)
        continue;
      sources[factor] = {static_cast<int>(index), size};
    }
  }
}

/// Larger source first; for elementwise ops the more sharded factor next; then
/// the earlier source and the earlier factor.
void FactorPropagation::orderFactors() {
  for (size_t factor = 0; factor < rule.factors.size(); ++factor)
    order.push_back(factor);
  auto key = [&](int factor) {
    int64_t sharded =
        rule.isElementwise() ? getTotalSize(axesOfFactor[factor]) : 0;
    return std::make_tuple(-sources[factor].size, -sharded,
                           sources[factor].tensor, factor);
  };
  llvm::sort(order, [&](int a, int b) { return key(a) < key(b); });
}

/// What `factor` of `tensor` may have, given what its other factors have now.
AxisList FactorPropagation::getAxesFor(const TensorFactors &tensor,
                                       int factor) const {
  const FactorAxes &own = tensor.factors[factor];
  if (!own.isPresent)
    return {};
  AxisList axes = axesOfFactor[factor];
  truncateAxes(axes, [&](AxisRef axis, int64_t shardedSize) {
    return prefixWithinFactor(axis, tensor, factor, shardedSize,
                              rule.factors[factor].size);
  });
  if (getPrefixStatus(own.axes, axes) != PrefixStatus::StrictPrefix)
    return {};
  truncateAxes(axes, [&](AxisRef axis, int64_t) {
    return prefixFreeOfOtherFactors(axis, tensor, factor);
  });
  return axes;
}

/// An operand of an elementwise op gains nothing from axes that no result can
/// have: both sides would be resharded.
void FactorPropagation::stopAtResults(int factor, AxisList &axes) const {
  if (!rule.isElementwise())
    return;
  for (const TensorFactors &result : projection.results()) {
    const FactorAxes &own = result.factors[factor];
    if (own.isPresent &&
        getPrefixStatus(own.axes, axes) == PrefixStatus::StrictPrefix)
      axes = own.axes;
  }
}

void FactorPropagation::expandTensor(unsigned index,
                                     llvm::SmallVector<Expansion> &expansions) {
  TensorFactors &tensor = projection.tensors[index];
  for (int factor : order) {
    AxisList axes = getAxesFor(tensor, factor);
    if (axes.empty())
      continue;
    if (index < projection.numOperands)
      stopAtResults(factor, axes);
    int source = sources[factor].tensor;
    if (expand(tensor, factor, axes))
      expansions.push_back({index, static_cast<unsigned>(factor),
                            source == static_cast<int>(index)
                                ? findSource(projection, factor, axes, index)
                                : source});
  }
}

llvm::SmallVector<Expansion>
FactorPropagation::run(llvm::ArrayRef<PropagationDirection> directions) {
  llvm::SmallVector<Expansion> expansions;
  if (!findAxes(directions))
    return expansions;
  findSources();
  orderFactors();
  // Results first: operands look at what they have got.
  for (unsigned i = projection.numOperands; i < projection.tensors.size(); ++i)
    expandTensor(i, expansions);
  for (unsigned i = 0; i < projection.numOperands; ++i)
    expandTensor(i, expansions);
  return expansions;
}

llvm::SmallVector<Expansion>
propagateFactors(Projection &projection, const PropagationRule &rule,
                 llvm::ArrayRef<PropagationDirection> directions) {
  return FactorPropagation(projection, rule).run(directions);
}

} // namespace partita::propagation
