// Base of the external models that make ops shardable.
//
// A model gives the op's rule; the partition is derived from it unless the
// model overrides `partition`. A model lives in lib/OpModels/<Family>.cpp:
//
//   struct CholeskyModel : OpModel<CholeskyModel, stablehlo::CholeskyOp> {
//     static FailureOr<ShardingRule> rule(stablehlo::CholeskyOp op);
//     static constexpr StringLiteral family = "LinearAlgebra";
//   };
//   stablehlo::CholeskyOp::attachInterface<CholeskyModel>(*context);
#ifndef PARTITA_BUILDING_OPMODEL_H
#define PARTITA_BUILDING_OPMODEL_H

#include "partita/Building/PartitionBuilder.h"

namespace partita {

template <typename Derived, typename ConcreteOp>
class OpModel
    : public spmd::ShardableOpInterface::ExternalModel<Derived, ConcreteOp> {
public:
  mlir::FailureOr<spmd::ShardingRule>
  getShardingRule(mlir::Operation *op) const {
    return Derived::rule(llvm::cast<ConcreteOp>(op));
  }
  mlir::LogicalResult partition(mlir::Operation *op,
                                PartitionBuilder &builder) const {
    if constexpr (isCustom())
      return Derived::partitionOp(llvm::cast<ConcreteOp>(op), builder);
    else
      return builder.partitionByRule();
  }
  bool hasDerivedPartition(mlir::Operation *op) const { return !isCustom(); }
  /// Models whose op has sizes among its attributes, or whose partition is
  /// custom for other reasons than sizes, say otherwise.
  bool isResizable(mlir::Operation *op) const { return !isCustom(); }
  llvm::StringRef getOpModelName(mlir::Operation *op) const {
    static const std::string name =
        Derived::family.str() + (isCustom() ? " custom" : " derived");
    return name;
  }
  /// True if the model has a partition of its own: a static function
  /// `LogicalResult partitionOp(ConcreteOp, PartitionBuilder &)`.
  static constexpr bool isCustom() {
    return requires(ConcreteOp op, PartitionBuilder & builder) {
      Derived::partitionOp(op, builder);
    };
  }
};

} // namespace partita

#endif
