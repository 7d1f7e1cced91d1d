// Shardings of an op's tensors seen as axes on the op's factors, and back.
#ifndef PARTITA_SHARDING_FACTORSHARDING_H
#define PARTITA_SHARDING_FACTORSHARDING_H

#include "dialects/SPMD/SPMD.h"

namespace partita {

/// Axes of each factor of one op, major to minor. An axis is on at most one
/// factor: one device computes one part of the op. Besides, partial sums over
/// some axes may pass through an op that is linear in an operand.
class FactorSharding {
public:
  using AxisList = llvm::SmallVector<spmd::AxisRefAttr, 2>;

  FactorSharding(const spmd::ShardingRule &rule, spmd::MeshAttr mesh);

  /// Adds what `sharding` says of the factors of operand (result) `index`:
  /// factors that have axes already keep them, axes in use elsewhere end the
  /// list of a factor. Factors that the op can't shard are left out, and so are
  /// tensors that the rule does not map. Sums over unreduced axes of an operand
  /// in which the op is linear pass.
  void addOperand(unsigned index, spmd::ShardingAttr sharding);
  void addResult(unsigned index, spmd::ShardingAttr sharding);

  /// Removes axes that some tensor of the rule can't express: in a dimension
  /// of several factors the axes must divide each factor, and a minor factor
  /// may be sharded only where the major ones are sharded in full.
  void legalize();

  /// The sharding that the op wants of operand `index`, or gives result
  /// `index`.
  spmd::ShardingAttr
  getOperandSharding(unsigned index, mlir::FlatSymbolRefAttr meshName) const {
    return makeSharding(index, /*isResult=*/false, meshName);
  }
  spmd::ShardingAttr getResultSharding(unsigned index,
                                       mlir::FlatSymbolRefAttr meshName) const {
    return makeSharding(index, /*isResult=*/true, meshName);
  }
  /// True if `sharding` lays operand (result) `index` out like that, as
  /// `isSameLayout` sees it. Makes no attribute.
  bool hasSharding(unsigned index, bool isResult,
                   mlir::FlatSymbolRefAttr meshName,
                   spmd::ShardingAttr sharding) const;

  const spmd::ShardingRule &getRule() const { return *rule; }
  const AxisList &getAxes(int factor) const { return axes[factor]; }
  bool passesPartials() const { return !passing.empty(); }
  /// Number of shards of one factor, and of the whole op.
  int64_t getShardCount(int factor) const;
  int64_t getShardCount() const;

  /// Takes `axis`, all its parts included, from all factors and partial sums.
  void remove(spmd::AxisRefAttr axis);
  /// Puts `axis` on `factor` as the most major or most minor one.
  void insert(int factor, spmd::AxisRefAttr axis, bool isMajor);
  /// True if sums over some axis may pass from `operand` to the one result.
  bool canPass(unsigned operand) const;
  /// Partial sums over `axis` pass from `operand` (and the operands in which
  /// the op is linear together with it) to the result. They add; an op with
  /// partial results of another kind, or that passes sums from another operand,
  /// can't.
  bool pass(unsigned operand, spmd::AxisRefAttr axis);
  /// Writes `axis` as its `parts`, major to minor, wherever it stands whole.
  void cut(spmd::AxisRefAttr axis, llvm::ArrayRef<spmd::AxisRefAttr> parts);
  /// True if every tensor of the rule can express the axes.
  bool isLegal() const;

  bool operator==(const FactorSharding &other) const {
    return axes == other.axes && passing == other.passing &&
           (passing.empty() || passingOperand == other.passingOperand);
  }

private:
  bool isInUse(spmd::AxisRefAttr axis) const;
  bool legalizeDim(llvm::ArrayRef<int> factors);
  int findIllegal(llvm::ArrayRef<int> factors) const;
  bool hasShardedHalo() const;
  void add(const spmd::TensorMapping &mapping, spmd::ShardingAttr sharding);
  bool passesFrom(unsigned operand) const;
  const spmd::TensorMapping &getMapping(unsigned index, bool isResult) const {
    return isResult ? rule->results[index] : rule->operands[index];
  }
  /// Axes of a dimension with these factors.
  AxisList joinAxes(llvm::ArrayRef<int> factors) const;
  AxisList joinPartials(AxisList list) const;
  /// Axes over which operand (result) `index` is a partial sum.
  struct Partials {
    AxisList axes;
    spmd::ReductionKind kind;
  };
  Partials getPartials(unsigned index, bool isResult) const;
  spmd::ShardingAttr makeSharding(unsigned index, bool isResult,
                                  mlir::FlatSymbolRefAttr meshName) const;

  const spmd::ShardingRule *rule; ///< never null
  spmd::MeshAttr mesh;
  llvm::SmallVector<AxisList> axes;
  /// Axes over which partial sums pass, and the operand that brings them.
  AxisList passing;
  unsigned passingOperand = 0;
};

/// True if both lay a tensor out the same way: equal axes in each dimension and
/// equal unreduced axes; open marks, priorities and replicated lists aside.
bool isSameLayout(spmd::ShardingAttr a, spmd::ShardingAttr b);

} // namespace partita

#endif
