// What the tensors of an op agree on along one factor, and what each of them
// can take.
#include "FactorExpansion.h"
#include <numeric>

namespace partita::propagation {

PropagationDirection intersect(PropagationDirection a, PropagationDirection b) {
  return static_cast<PropagationDirection>(static_cast<int>(a) &
                                           static_cast<int>(b));
}

PropagationDirection unite(PropagationDirection a, PropagationDirection b) {
  return static_cast<PropagationDirection>(static_cast<int>(a) |
                                           static_cast<int>(b));
}
static_assert((static_cast<int>(PropagationDirection::Forward) |
               static_cast<int>(PropagationDirection::Backward)) ==
                  static_cast<int>(PropagationDirection::Both) &&
              static_cast<int>(PropagationDirection::None) == 0);

//===----------------------------------------------------------------------===//
// Agreement along one factor
//===----------------------------------------------------------------------===//

/// Joins what two tensors say of one factor. `agreed` is what was agreed so
/// far; `canExpand` tells whether `axes` may add to it, and becomes false once
/// the lists part.
static AxisList joinMajorAxes(AxisSpan agreed, AxisSpan axes, bool &canExpand) {
  AxisList result;
  while (!agreed.empty() && !axes.empty()) {
    AxisRef old = agreed.front(), other = axes.front();
    agreed = agreed.drop_front();
    axes = axes.drop_front();
    if (old == other) {
      result.push_back(other);
      continue;
    }
    // A shorter part ends its list, or what follows it conflicts: two adjacent
    // parts would have been written as one.
    if (other.isPrefixOf(old)) {
      if (!axes.empty()) {
        result.push_back(other);
        canExpand = false;
        return result;
      }
      result.push_back(old);
      continue;
    }
    if (old.isPrefixOf(other)) {
      if (!canExpand || !agreed.empty()) {
        result.push_back(old);
        canExpand = false;
        return result;
      }
      result.push_back(other);
      continue;
    }
    canExpand = false;
    return result;
  }
  result.append(agreed.begin(), agreed.end());
  if (canExpand)
    result.append(axes.begin(), axes.end());
  return result;
}

AxisList getCompatibleMajorAxes(const Projection &projection, int factor,
                                PropagationDirection direction) {
  if (direction == PropagationDirection::None)
    return {};
  llvm::ArrayRef<TensorFactors> givers = projection.operands();
  llvm::ArrayRef<TensorFactors> takers = projection.results();
  if (direction == PropagationDirection::Backward)
    std::swap(givers, takers);
  AxisList result;
  bool canExpand = true;
  auto join = [&](llvm::ArrayRef<TensorFactors> tensors) {
    for (const TensorFactors &tensor : tensors)
      if (tensor.factors[factor].isPresent)
        result = joinMajorAxes(result, tensor.factors[factor].axes, canExpand);
  };
  join(givers);
  // In one direction the takers may only object.
  if (direction != PropagationDirection::Both)
    canExpand = false;
  join(takers);
  return result;
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

std::optional<AxisRef> prefixFreeOfOtherFactors(AxisRef axis,
                                                const TensorFactors &tensor,
                                                int factor) {
  std::optional<AxisRef> result = axis;
  for (auto [i, other] : llvm::enumerate(tensor.factors)) {
    if (static_cast<int>(i) == factor || !other.isPresent)
      continue;
    result = result->prefixWithout(other.overflow);
    if (!result)
      return std::nullopt;
    result = result->prefixWithout(other.axes);
    if (!result)
      return std::nullopt;
  }
  return result;
}

std::optional<AxisRef> prefixWithinFactor(AxisRef axis,
                                          const TensorFactors &tensor,
                                          int factorIndex, int64_t shardedSize,
                                          int64_t factorSize) {
  const FactorAxes &factor = tensor.factors[factorIndex];
  std::optional<AxisRef> result = axis.prefixWithout(tensor.replicated);
  if (result)
    result = result->prefixWithout(tensor.unreduced);
  if (!result)
    return std::nullopt;
  if (llvm::any_of(factor.axes,
                   [&](const AxisRef &own) { return own.contains(*result); }))
    return result;
  if (!factor.isClosed && factor.overflow.empty()) {
    if (factor.isMinorMost)
      return result;
    if (factorSize % shardedSize == 0) {
      int64_t common =
          std::gcd<int64_t, int64_t>(factorSize / shardedSize, result->size);
      if (common == result->size)
        return result;
      if (common != 1)
        return AxisRef{result->axis, result->pre, static_cast<int32_t>(common)};
    }
  }
  // The factor can't grow, but what it has may be a major part of the axis.
  if (!factor.axes.empty() && factor.axes.back().isPrefixOf(*result))
    return factor.axes.back();
  return std::nullopt;
}

void truncateAxes(
    AxisList &axes,
    llvm::function_ref<std::optional<AxisRef>(AxisRef, int64_t)> keep) {
  int64_t shardedSize = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRef> kept = keep(axes[i], shardedSize);
    if (!kept) {
      axes.truncate(i);
      return;
    }
    if (*kept != axes[i]) {
      axes[i] = *kept;
      axes.truncate(i + 1);
      return;
    }
    shardedSize *= kept->size;
  }
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

int findSource(const Projection &projection, int factor, AxisSpan axes,
               int except) {
  for (auto [i, tensor] : llvm::enumerate(projection.tensors)) {
    const FactorAxes &own = tensor.factors[factor];
    if (static_cast<int>(i) != except && own.isPresent &&
        getPrefixStatus(axes, own.axes) != PrefixStatus::NotAPrefix)
      return i;
  }
  return -1;
}

bool expand(TensorFactors &tensor, int factor, AxisSpan axes) {
  FactorAxes &own = tensor.factors[factor];
  if (!own.isPresent ||
      getPrefixStatus(own.axes, axes) != PrefixStatus::StrictPrefix)
    return false;
  own.axes.assign(axes.begin(), axes.end());
  return true;
}

} // namespace partita::propagation
