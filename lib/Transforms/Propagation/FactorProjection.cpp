// Rules in the form that propagation uses, and the way between dimensions and
// factors.
#include "partita/Transforms/Propagation/FactorPropagation.h"
#include <numeric>

namespace partita::propagation {

//===----------------------------------------------------------------------===//
// PropagationRule
//===----------------------------------------------------------------------===//

static PropagationRule::TensorDims getDims(PropagationRule &rule,
                                           const spmd::TensorMapping &mapping,
                                           int64_t rank) {
  PropagationRule::TensorDims dims(rank);
  for (int64_t i = 0; i < rank; ++i) {
    if (i < static_cast<int64_t>(mapping.dims.size()))
      dims[i].assign(mapping.dims[i].begin(), mapping.dims[i].end());
    if (dims[i].empty()) {
      // What shards this dimension still keeps its axes from other factors.
      dims[i].push_back(rule.factors.size());
      rule.factors.push_back({});
    }
    rule.isSimple &= dims[i].size() == 1;
  }
  return dims;
}

PropagationRule PropagationRule::get(const spmd::ShardingRule &rule,
                                     llvm::ArrayRef<int64_t> operandRanks,
                                     llvm::ArrayRef<int64_t> resultRanks) {
  PropagationRule result;
  result.propagation = rule.propagation;
  result.numOperands = operandRanks.size();
  for (const spmd::Factor &factor : rule.factors)
    result.factors.push_back(
        {factor.size, factor.direction,
         factor.kind == spmd::FactorKind::Parallel || factor.passThrough});
  static const spmd::TensorMapping none;
  for (auto [i, rank] : llvm::enumerate(operandRanks))
    result.tensors.push_back(getDims(
        result, i < rule.operands.size() ? rule.operands[i] : none, rank));
  for (auto [i, rank] : llvm::enumerate(resultRanks))
    result.tensors.push_back(getDims(
        result, i < rule.results.size() ? rule.results[i] : none, rank));
  return result;
}

PropagationRule
PropagationRule::getIdentity(llvm::ArrayRef<int64_t> shape,
                             unsigned numOperands,
                             spmd::PropagationClass propagation) {
  PropagationRule rule;
  rule.propagation = propagation;
  rule.numOperands = numOperands;
  TensorDims dims;
  for (auto [i, size] : llvm::enumerate(shape)) {
    rule.factors.push_back({size, PropagationDirection::Both, true});
    dims.push_back({static_cast<int>(i)});
  }
  rule.tensors.assign(numOperands + 1, dims);
  return rule;
}

//===----------------------------------------------------------------------===//
// TensorFactors
//===----------------------------------------------------------------------===//

namespace {
/// The axes of a dimension that no factor has taken yet; the first may be what
/// is left of an axis.
class AxisCursor {
public:
  explicit AxisCursor(AxisSpan axes) : axes(axes) {
    if (!axes.empty())
      current = axes.front();
  }
  bool atEnd() const { return axes.empty(); }
  int64_t size() const { return current.size; }

  /// Takes a part of size `size`, a divisor of the size left.
  AxisRef take(int64_t size) {
    AxisRef taken{current.axis, current.pre, static_cast<int32_t>(size)};
    if (size == current.size) {
      axes = axes.drop_front();
      if (!axes.empty())
        current = axes.front();
    } else {
      current = {current.axis, static_cast<int32_t>(taken.next()),
                 static_cast<int32_t>(current.size / size)};
    }
    return taken;
  }
  void takeRest(AxisList &list) {
    while (!atEnd())
      appendOrMerge(list, take(current.size));
  }

private:
  AxisSpan axes;
  AxisRef current;
};
} // namespace

/// Spreads `dim` over `dimFactors`.
static void projectDim(TensorFactors &tensor, const PropagationRule &rule,
                       llvm::ArrayRef<int> dimFactors, const DimAxes &dim) {
  AxisCursor cursor(dim.axes);
  bool hasOverflow = false;
  for (int index : dimFactors) {
    FactorAxes &factor = tensor.factors[index];
    factor.isPresent = true;
    factor.isMinorMost = index == dimFactors.back();
    if (hasOverflow) {
      factor.isClosed = true;
      return;
    }
    factor.isClosed = dim.isClosed;
    // The minor-most factor may be sharded unevenly.
    if (factor.isMinorMost) {
      cursor.takeRest(factor.axes);
      return;
    }
    int64_t left = rule.factors[index].size;
    while (!cursor.atEnd()) {
      int64_t common = std::gcd(left, cursor.size());
      if (common == 1 && cursor.size() != 1)
        break;
      left /= common;
      factor.axes.push_back(cursor.take(common));
    }
    if (left > 1 && !cursor.atEnd()) {
      hasOverflow = true;
      cursor.takeRest(factor.overflow);
    }
  }
}

void TensorFactors::project(const PropagationRule &rule, unsigned tensor,
                            llvm::ArrayRef<DimAxes> dims) {
  factors.clear();
  factors.resize(rule.factors.size());
  for (auto [i, dimFactors] : llvm::enumerate(rule.tensors[tensor]))
    projectDim(*this, rule, dimFactors, i < dims.size() ? dims[i] : DimAxes());
}

static int64_t appendAxes(AxisList &list, AxisSpan axes) {
  for (auto [i, axis] : llvm::enumerate(axes)) {
    // Two factors may hold adjacent parts of one axis.
    if (i == 0)
      appendOrMerge(list, axis);
    else
      list.push_back(axis);
  }
  return getTotalSize(axes);
}

AxisList TensorFactors::getDimAxes(const PropagationRule &rule, unsigned tensor,
                                   unsigned dim, bool &isClosed) const {
  AxisList list;
  isClosed = false;
  for (int index : rule.tensors[tensor][dim]) {
    const FactorAxes &factor = factors[index];
    isClosed |= factor.isClosed;
    int64_t sharded = appendAxes(list, factor.axes);
    if (!factor.overflow.empty()) {
      appendAxes(list, factor.overflow);
      break;
    }
    if (sharded < rule.factors[index].size)
      break;
  }
  return list;
}

} // namespace partita::propagation
