// How shardings pass through one op: dimensions are seen as factors of the op's
// rule, axes pass along factors, and the result is seen as dimensions again.
// Pure: no IR.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_FACTORPROPAGATION_H
#define PARTITA_TRANSFORMS_PROPAGATION_FACTORPROPAGATION_H

#include "dialects/SPMD/ShardingRule.h"
#include "partita/Transforms/Propagation/AxisTable.h"
#include "llvm/ADT/SmallBitVector.h"

namespace partita::propagation {

using spmd::PropagationDirection;

/// A sharding rule as propagation needs it: each dimension of each tensor has
/// at least one factor. Equal rules are stored once.
struct PropagationRule {
  struct Factor {
    int64_t size = 1;
    PropagationDirection direction = PropagationDirection::Both;
    /// Takes part before factors that need communication.
    bool isPassThrough = true;
    bool operator==(const Factor &o) const {
      return size == o.size && direction == o.direction &&
             isPassThrough == o.isPassThrough;
    }
  };
  /// Factors of each dimension of one tensor, major to minor.
  using TensorDims = llvm::SmallVector<llvm::SmallVector<int, 1>, 4>;

  llvm::SmallVector<Factor, 4> factors;
  /// Operands, then results; tensors that are not ranked have no dimensions.
  llvm::SmallVector<TensorDims, 3> tensors;
  unsigned numOperands = 0;
  spmd::PropagationClass propagation = spmd::PropagationClass::Ordinary;
  /// No dimension has several factors.
  bool isSimple = true;

  bool isElementwise() const {
    return propagation == spmd::PropagationClass::Elementwise;
  }
  bool operator==(const PropagationRule &o) const {
    return numOperands == o.numOperands && propagation == o.propagation &&
           factors == o.factors && tensors == o.tensors;
  }

  /// The rule of `rule` for tensors of the given ranks: gives each dimension
  /// that has no factor one of its own.
  static PropagationRule get(const spmd::ShardingRule &rule,
                             llvm::ArrayRef<int64_t> operandRanks,
                             llvm::ArrayRef<int64_t> resultRanks);
  /// `numOperands` operands and one result of one shape, split alike.
  static PropagationRule getIdentity(llvm::ArrayRef<int64_t> shape,
                                     unsigned numOperands,
                                     spmd::PropagationClass propagation);
};

/// How one factor shards one tensor.
struct FactorAxes {
  AxisList axes;
  /// Axes of the dimension that the factor can't hold because its size and
  /// theirs have no common divisor; minor factors of the dimension stay whole.
  AxisList overflow;
  bool isPresent = false;
  bool isClosed = false;
  bool isMinorMost = false;
};

/// The sharding of one dimension.
struct DimAxes {
  AxisSpan axes;
  bool isClosed = false;
};

/// One tensor of an op, its sharding seen along the op's factors.
struct TensorFactors {
  llvm::SmallVector<FactorAxes, 4> factors;
  AxisSpan replicated;
  AxisSpan unreduced;

  /// Spreads the axes of each dimension over its factors, from the major factor
  /// on; a factor is filled before the next one gets any.
  void project(const PropagationRule &rule, unsigned tensor,
               llvm::ArrayRef<DimAxes> dims);
  /// The axes of dimension `dim`, which end at the first factor that is not
  /// sharded in full: no minor part of a dimension is sharded alone.
  AxisList getDimAxes(const PropagationRule &rule, unsigned tensor,
                      unsigned dim, bool &isClosed) const;
};

/// All tensors of an op, operands first.
struct Projection {
  llvm::SmallVector<TensorFactors, 4> tensors;
  unsigned numOperands = 0;

  llvm::ArrayRef<TensorFactors> operands() const {
    return llvm::ArrayRef(tensors).take_front(numOperands);
  }
  llvm::ArrayRef<TensorFactors> results() const {
    return llvm::ArrayRef(tensors).drop_front(numOperands);
  }
};

/// One factor of one tensor that got axes, and the tensor that had them.
struct Expansion {
  unsigned tensor;
  unsigned factor;
  int source; ///< -1 where the axes are no single tensor's
};

/// Passes axes along each factor in the allowed direction, updates `projection`
/// and returns what grew. Where an axis could go to several factors of a
/// tensor, the one whose axes the largest tensor has takes it.
llvm::SmallVector<Expansion>
propagateFactors(Projection &projection, const PropagationRule &rule,
                 llvm::ArrayRef<PropagationDirection> directions);

/// The longest list of axes that all tensors agree on for `factor`; conflicts
/// with other factors are not looked at.
AxisList getCompatibleMajorAxes(const Projection &projection, int factor,
                                PropagationDirection direction);

/// The longest major part of `axis` that no other factor of `tensor` uses.
std::optional<AxisRef>
prefixFreeOfOtherFactors(AxisRef axis, const TensorFactors &tensor, int factor);

/// The longest major part of `axis` that `factor` of `tensor` can hold after
/// axes of size `shardedSize`.
std::optional<AxisRef> prefixWithinFactor(AxisRef axis,
                                          const TensorFactors &tensor,
                                          int factor, int64_t shardedSize,
                                          int64_t factorSize);

PropagationDirection intersect(PropagationDirection a, PropagationDirection b);
PropagationDirection unite(PropagationDirection a, PropagationDirection b);

} // namespace partita::propagation

#endif
