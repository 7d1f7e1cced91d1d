// The builder through which an op emits its local form (DESIGN "Partition").
//
// Before: the program is placed: every ranked value has a closed sharding and
// every op's operands and results agree with its sharding rule. After: each
// result of the visited op is bound to a local value. A model never reads a raw
// local value without saying which padding it tolerates: `any`, `masked` or
// `maskedWith`.
#ifndef PARTITA_BUILDING_PARTITIONBUILDER_H
#define PARTITA_BUILDING_PARTITIONBUILDER_H

#include "dialects/SPMD/RuleCache.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace partita {
class ReshardEmitter;

/// A whole value as one device holds it.
struct ShardedValue {
  mlir::Value local;
  /// Closed; null for values that are not ranked tensors (tokens).
  spmd::ShardingAttr sharding;
  /// Type of the whole value (inside a manual region: as the region sees it).
  mlir::RankedTensorType type;
  /// Padding beyond the valid extent holds the neutral element of this kind;
  /// none: garbage.
  std::optional<spmd::ReductionKind> pad;
};

class PartitionBuilder {
public:
  /// Emits into `builder`'s insertion point; `emitter` plans and emits
  /// reshards.
  PartitionBuilder(mlir::OpBuilder &builder, ReshardEmitter &emitter);

  mlir::OpBuilder &builder() { return b; }
  mlir::MLIRContext *getContext() { return b.getContext(); }

  /// The op being partitioned, and its location.
  mlir::Operation *getOp() const { return op; }
  mlir::Location getLoc() const { return op->getLoc(); }

  //===--- Original values ------------------------------------------------===//

  /// Everything known of an original value that was bound before.
  const ShardedValue &get(mlir::Value original) const;
  /// Sharding that placement gave to an original operand or result.
  spmd::ShardingAttr getSharding(mlir::Value original) const;
  /// Mesh of a sharding.
  spmd::MeshAttr getMesh(spmd::ShardingAttr sharding) const;
  /// Local buffer type of an original operand or result (its own type for
  /// tokens and for values of the manual region's full local view).
  mlir::Type getLocalType(mlir::Value original) const;
  /// Number of shards of dimension `dim`.
  int64_t getShardCount(mlir::Value original, int64_t dim) const;
  /// True if some device's buffer of `original` has padding in `dim`.
  bool hasPadding(mlir::Value original, int64_t dim) const;

  //===--- Reading operands -----------------------------------------------===//

  /// The local value, whatever its padding holds.
  mlir::Value any(mlir::Value original) const { return get(original).local; }
  /// The local value with the neutral element of `kind` in the padding of
  /// `dims`.
  mlir::Value masked(mlir::Value original, llvm::ArrayRef<int64_t> dims,
                     spmd::ReductionKind kind);
  /// The local value with the scalar tensor `fill` in the padding of `dims`.
  mlir::Value maskedWith(mlir::Value original, llvm::ArrayRef<int64_t> dims,
                         mlir::Value fill);

  //===--- Positions ------------------------------------------------------===//

  /// tensor<i32>: index of the device's block of `dim` (0 when it is whole).
  mlir::Value blockIndex(spmd::ShardingAttr sharding, int64_t dim);
  /// tensor<i32>: mixed-radix index of the device over `axes`.
  mlir::Value axisIndex(mlir::FlatSymbolRefAttr mesh,
                        llvm::ArrayRef<spmd::AxisRefAttr> axes);
  /// tensor<i32>: global index of the first element of the device's block.
  mlir::Value blockOffset(mlir::Value original, int64_t dim);
  /// tensor<i1>: the device has index 0 along all of `axes` (the one that
  /// contributes what must be counted once).
  mlir::Value isFirst(mlir::FlatSymbolRefAttr mesh,
                      llvm::ArrayRef<spmd::AxisRefAttr> axes);

  //===--- Small emissions ------------------------------------------------===//

  /// Scalar tensor constant `value` of integer or float element type.
  mlir::Value scalar(mlir::Type elementType, double value);
  mlir::Value scalarInt(mlir::Type elementType, int64_t value);
  /// Scalar neutral element of `kind`.
  mlir::Value neutral(mlir::Type elementType, spmd::ReductionKind kind);
  /// `scalar` broadcast to `type`.
  mlir::Value splat(mlir::Value scalar, mlir::RankedTensorType type);
  /// tensor of `shape` with i32 elements: the index along `dim`, plus the
  /// scalar `offset` when given.
  mlir::Value iota(llvm::ArrayRef<int64_t> shape, int64_t dim,
                   mlir::Value offset = {});
  /// Converts the element type (integers and indices of dynamic ops).
  mlir::Value convert(mlir::Value value, mlir::Type elementType);
  /// min(max(value, low), high) on scalars of one integer type.
  mlir::Value clampScalar(mlir::Value value, int64_t low, int64_t high);

  /// Interval exchange: result shard i along dimension d, numbered by
  /// `to`'s axes of d, holds the indices `intervals[d]` of the whole value.
  /// Elements outside the whole value are garbage. Emits local slices where
  /// every device holds what it needs, else one spmd.exchange.
  mlir::Value exchange(const ShardedValue &input, spmd::ShardingAttr to,
                       llvm::ArrayRef<spmd::IntervalAttr> intervals);
  /// Reshards to `to` by the planned collectives.
  mlir::FailureOr<ShardedValue> reshard(const ShardedValue &input,
                                        spmd::ShardingAttr to);

  //===--- Results --------------------------------------------------------===//

  /// Binds an original result (or block argument) to its local value.
  void bind(mlir::Value original, mlir::Value local,
            std::optional<spmd::ReductionKind> pad = std::nullopt);
  /// Binds an original value to a local value laid out as `value` says.
  void bindAs(mlir::Value original, const ShardedValue &value);
  /// Clones the op with the given local operands; result types are local.
  mlir::Operation *cloneLocal(mlir::ValueRange localOperands);
  /// The derived partition: the same op on local operands, padding of reduced
  /// factors masked by their kind; results bound. Bodies are cloned unchanged.
  mlir::LogicalResult partitionByRule();

  /// Partitions `from` (a region of the visited op, values bound by the caller
  /// or by block arguments bound here) into the empty region `to`. Arguments
  /// get the local types of `from`'s arguments.
  mlir::LogicalResult partitionRegion(mlir::Region &from, mlir::Region &to);
  /// Partitions the body of `function` into the empty region `to`.
  mlir::LogicalResult partitionFunctionBody(mlir::func::FuncOp function,
                                            mlir::Region &to);
  /// Partitions the ops of `block` except its terminator at the insertion
  /// point.
  mlir::LogicalResult partitionOps(mlir::Block &block);

  /// A located error on the visited op.
  mlir::InFlightDiagnostic refuse();

private:
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult dispatch();
  mlir::LogicalResult visitManual(spmd::ManualOp manual);
  mlir::LogicalResult visitTerminator(mlir::Operation *op);

  mlir::OpBuilder &b;
  ReshardEmitter &emitter;
  mlir::Operation *op = nullptr;
  llvm::DenseMap<mlir::Value, ShardedValue> values;
  spmd::RuleCache rules;
};

} // namespace partita

#endif
