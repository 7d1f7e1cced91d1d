// Shardings of an op's tensors seen as axes on the op's factors, and back.
#ifndef PARTITA_SHARDING_FACTORSHARDING_H
#define PARTITA_SHARDING_FACTORSHARDING_H

#include "dialects/SPMD/SPMD.h"

namespace partita {

/// Axes of each factor of one op, major to minor. An axis is on at most one
/// factor: one device computes one part of the op.
class FactorSharding {
public:
  using AxisList = llvm::SmallVector<spmd::AxisRefAttr, 2>;

  FactorSharding(const spmd::ShardingRule &rule, spmd::MeshAttr mesh);

  /// Adds what `sharding` says of the factors of `mapping`: factors that have
  /// axes already keep them, axes in use elsewhere end the list of a factor.
  /// Factors that the op can't shard are left out.
  void add(spmd::ShardingAttr sharding, const spmd::TensorMapping &mapping);

  /// Appends to `factor` the axes of `sharding` on dimensions that the op can't
  /// shard, where they are not in use yet.
  void addMoved(spmd::ShardingAttr sharding, const spmd::TensorMapping &mapping,
                int factor);

  /// Removes axes that some tensor of the rule can't express: in a dimension
  /// of several factors the axes must divide each factor, and a minor factor may
  /// be sharded only where the major ones are sharded in full.
  void legalize();

  /// The sharding that a tensor with `mapping` has; unreduced axes are those of
  /// reduction factors when `isResult`.
  spmd::ShardingAttr getSharding(const spmd::TensorMapping &mapping,
                                 mlir::FlatSymbolRefAttr meshName,
                                 bool isResult) const;

  const AxisList &getAxes(int factor) const { return axes[factor]; }
  /// Number of shards of one factor, and of the whole op.
  int64_t getShardCount(int factor) const;
  int64_t getShardCount() const;

  bool operator==(const FactorSharding &other) const {
    return axes == other.axes;
  }

private:
  bool isInUse(spmd::AxisRefAttr axis) const;
  bool legalizeDim(llvm::ArrayRef<int> factors);

  const spmd::ShardingRule &rule;
  spmd::MeshAttr mesh;
  llvm::SmallVector<AxisList> axes;
};

/// True if both lay a tensor out the same way: equal axes in each dimension and
/// equal unreduced axes; open marks, priorities and replicated lists aside.
bool isSameLayout(spmd::ShardingAttr a, spmd::ShardingAttr b);

} // namespace partita

#endif
