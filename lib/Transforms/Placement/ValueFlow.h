// The graph that placement labels: what computes values, and where they go.
//
// Before: phase propagated. A node is an op with a sharding rule, or a value
// that several operands become (a loop's carry, a branch's result, an argument
// or result of a call), which behaves as an identity. Values come from a node
// or arrive in a given layout; uses want what their node chooses or a given
// layout. Reads the module, changes nothing.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_VALUEFLOW_H
#define PARTITA_TRANSFORMS_PLACEMENT_VALUEFLOW_H

#include "DataEdges.h"
#include "dialects/SPMD/RuleCache.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Sharding/FactorSharding.h"
#include "partita/Sharding/ReshardCosts.h"
#include "partita/Transforms/Propagation/ProposedLayouts.h"
#include "llvm/ADT/MapVector.h"

namespace partita {

/// What placement may choose besides the layouts inside.
struct PlacementFreedom {
  /// Layouts of main's results and arguments that no user sharded.
  bool results = false, arguments = false;
  /// Free results need not be in even blocks.
  bool unevenResults = false;
  /// Layouts that users constrained inside: constraints are hints.
  bool constraints = false;
};

struct FlowNode {
  /// Null for a value that operands become.
  mlir::Operation *op = nullptr;
  const spmd::ShardingRule *rule = nullptr;
  mlir::FlatSymbolRefAttr meshName;
  spmd::MeshAttr mesh;
  spmd::AxisListAttr manualAxes;
  /// How often it runs.
  double trips = 1;
  /// Its result must be whole sums: a result or argument of main.
  bool isSignature = false;
  /// And in even blocks.
  bool needsEvenBlocks = false;
};

/// An operand, or, for a free result of main, where that goes.
struct FlowUse {
  mlir::OpOperand *operand = nullptr;
  /// The node that wants it and the index of its operand; none: `given`.
  int node = -1;
  unsigned index = 0;
  spmd::ShardingAttr given;
  /// Where its user begins and ends, in the block of the value.
  std::pair<int64_t, int64_t> span = {};
};

struct FlowValue {
  mlir::Value value;
  mlir::RankedTensorType type;
  /// The node that gives it and the index of its result; none: `given`.
  int node = -1;
  unsigned index = 0;
  spmd::ShardingAttr given;
  spmd::AxisListAttr manualAxes;
  double trips = 1;
  /// From its definition to its last use.
  std::pair<int64_t, int64_t> span;
  llvm::SmallVector<FlowUse, 2> uses;
};

class ValueFlow {
public:
  /// An op without a model is an error at the op.
  static mlir::FailureOr<std::unique_ptr<ValueFlow>>
  collect(mlir::ModuleOp module, const ReshardCosts &costs,
          PlacementFreedom freedom);

  /// Share of the program for which the value lives.
  double getLife(const FlowValue &value) const {
    return double(value.span.second - value.span.first) /
           double(std::max<int64_t>(length, 1));
  }

  /// The rule of values of `type` that operands become, through which partial
  /// sums may pass or not.
  const spmd::ShardingRule *getIdentityRule(mlir::RankedTensorType type,
                                            bool passesPartials);

  spmd::RuleCache rules;
  std::vector<std::unique_ptr<FlowNode>> nodes;
  std::vector<FlowValue> values;
  /// Ops of the module, bodies included: what spans count.
  int64_t length = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> nodeOfOp;
  /// Values whose sharding the node's choice becomes.
  llvm::MapVector<mlir::Value, unsigned> chosenValues;
  /// Operands that are read as propagation left them: predicates, indices, what
  /// op bodies take from outside.
  std::vector<std::pair<mlir::OpOperand *, spmd::ShardingAttr>> wholeUses;
  /// Free results of functions: function, index, node.
  struct FreeResult {
    mlir::func::FuncOp function;
    unsigned index, node;
  };
  llvm::SmallVector<FreeResult> freeResults;

private:
  llvm::DenseMap<std::pair<mlir::Type, unsigned>,
                 std::unique_ptr<spmd::ShardingRule>>
      identityRules;
};

/// `sharding` as placement compares it: closed, without priorities and lists of
/// replicated axes.
spmd::ShardingAttr getPlainSharding(spmd::ShardingAttr sharding);

} // namespace partita

#endif
