// Builds the sharding rule of one op factor by factor.
//
// Factors are numbered in the order in which they are added; propagation breaks
// ties by that order. The order is that of Shardy's published rules, so that
// propagation gives the shardings that JAX users expect.
#ifndef PARTITA_LIB_OPMODELS_RULEBUILDER_H
#define PARTITA_LIB_OPMODELS_RULEBUILDER_H

#include "dialects/SPMD/ShardingRule.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace partita {

class RuleBuilder {
public:
  /// A tensor that a factor does not index.
  static constexpr int64_t kNone = -1;

  explicit RuleBuilder(mlir::Operation *op);

  /// Adds a factor that indexes dimension `operandDims[i]` of operand i and
  /// `resultDims[i]` of result i (kNone: not at all). In a dimension that has
  /// factors already it becomes the minor one; of size one, it adds nothing
  /// there.
  RuleBuilder &add(int64_t size, llvm::ArrayRef<int64_t> operandDims,
                   llvm::ArrayRef<int64_t> resultDims,
                   spmd::FactorKind kind = spmd::FactorKind::Parallel);
  /// Adds a factor of one side alone that must be whole although propagation
  /// takes it for a parallel one.
  RuleBuilder &addAlone(llvm::ArrayRef<int64_t> operandDims,
                        llvm::ArrayRef<int64_t> resultDims, int64_t size);
  /// Adds a factor for dimension `dim` of every operand and result of rank
  /// >= 1.
  RuleBuilder &
  addEverywhere(int64_t dim, int64_t size,
                spmd::FactorKind kind = spmd::FactorKind::Parallel);
  /// Adds a factor for dimension `dim` of all operands (results) only.
  RuleBuilder &
  addToOperands(int64_t dim, int64_t size,
                spmd::FactorKind kind = spmd::FactorKind::Parallel);
  RuleBuilder &addToResults(int64_t dim, int64_t size,
                            spmd::FactorKind kind = spmd::FactorKind::Parallel);

  /// What was added last.
  /// How its partial results combine.
  RuleBuilder &reducing(std::optional<spmd::ReductionKind> kind);
  /// The partition can't run with it sharded: operands are gathered.
  RuleBuilder &whole();
  /// Propagation does not pass along it.
  RuleBuilder &blocked();
  /// Propagation treats it as parallel whatever its kind.
  RuleBuilder &passThrough();

  /// A sharded Halo factor reads this beyond its own block.
  RuleBuilder &reading(const spmd::HaloRead &read);

  RuleBuilder &flops(double perPoint);
  RuleBuilder &pad(unsigned operand, spmd::PadTolerance tolerance);
  /// Linear in the operand with the others fixed.
  RuleBuilder &linearIn(unsigned operand);
  /// Linear in the listed operands together.
  RuleBuilder &jointlyLinearIn(llvm::ArrayRef<unsigned> operands);
  RuleBuilder &propagation(spmd::PropagationClass order);
  /// Elementwise-like in mapping and in propagation.
  RuleBuilder &pointwise();

  /// The rule; every dimension that no factor indexes gets one of size one
  /// that must be whole.
  /// Fails with an error on the op if a type has a dynamic dimension.
  mlir::FailureOr<spmd::ShardingRule> build();

private:
  void map(spmd::TensorMapping &mapping, int64_t dim, int factor, int64_t size);

  mlir::Operation *op;
  spmd::ShardingRule rule;
};

/// Sizes of a tensor value; empty for a value of another type.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

} // namespace partita

#endif
