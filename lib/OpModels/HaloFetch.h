// What one device's block of a result reads of an operand across borders.
#ifndef PARTITA_LIB_OPMODELS_HALOFETCH_H
#define PARTITA_LIB_OPMODELS_HALOFETCH_H

#include "partita/Building/PartitionBuilder.h"

namespace partita {

/// Entry of an optional list with one number per window dimension: size, stride
/// or dilation; 1 where the op has no list.
int64_t getWindowEntry(std::optional<llvm::ArrayRef<int64_t>> list,
                       int64_t dim);
/// Padding before and after dimension `dim`; none where the op has none.
std::pair<int64_t, int64_t>
getWindowPadding(std::optional<mlir::DenseIntElementsAttr> padding,
                 int64_t dim);

/// The attribute of `padding`: low and high of each dimension in turn.
mlir::DenseIntElementsAttr makeWindowPadding(PartitionBuilder &builder,
                                             llvm::ArrayRef<int64_t> padding);

/// Windows along one dimension of an operand with `dilation - 1` holes between
/// elements: `low` padding before the first element, windows every `stride`
/// positions, from whose first to whose last there are `extent`.
struct Windows {
  int64_t low = 0, stride = 1, extent = 1, dilation = 1;

  /// What those of the reader's dimension `readerDim` read of the operand.
  spmd::HaloRead getRead(unsigned operand, int64_t dim,
                         int64_t readerDim) const;
  /// Padding, negative where it cuts, with which the fetched `interval` of the
  /// operand has the windows `computed`.
  std::pair<int64_t, int64_t>
  getLocalPadding(spmd::IntervalAttr interval,
                  const spmd::BlockInterval &computed) const;
};

/// The intervals that the device needs of operand `index` of the op, by its
/// `rule`; fails without a diagnostic where blocks have no cover.
mlir::FailureOr<llvm::SmallVector<spmd::IntervalAttr>>
readIntervals(PartitionBuilder &builder, const spmd::ShardingRule &rule,
              unsigned index);

/// The indices of the op's first result, by dimension, that are computed from
/// what `readIntervals` says: the device's block, or what covers it.
llvm::SmallVector<spmd::BlockInterval>
computedIntervals(PartitionBuilder &builder, const spmd::ShardingRule &rule);

/// A type of `type`'s elements that holds the indices `computed`.
mlir::RankedTensorType
computedType(mlir::Type type, llvm::ArrayRef<spmd::BlockInterval> computed);

/// The device's block of the op's first result out of `local`, which holds the
/// indices `computed`.
mlir::Value cutToBlock(PartitionBuilder &builder, mlir::Value local,
                       llvm::ArrayRef<spmd::BlockInterval> computed);

/// low <= index < high, element by element as i1, for indices that `getIndex`
/// emits and that are known to be at least `first` and less than `last`: only
/// the bounds that they may miss are compared. Null: all are inside.
mlir::Value emitInside(PartitionBuilder &builder,
                       llvm::function_ref<mlir::Value()> getIndex, int64_t low,
                       int64_t high, int64_t first, int64_t last);

/// 0 <= index < size for the indices that blocks of a fetched tensor of `shape`
/// hold along `dim`: those of `interval`, numbered as `sharding` numbers them.
/// Null: all are inside.
mlir::Value emitReadInside(PartitionBuilder &builder,
                           llvm::ArrayRef<int64_t> shape,
                           spmd::ShardingAttr sharding, int64_t dim,
                           spmd::IntervalAttr interval, int64_t size);

/// `a` and `b`, each of which may be null: true everywhere.
mlir::Value emitBoth(PartitionBuilder &builder, mlir::Value a, mlir::Value b);

/// The operand's elements in `intervals`, by interval exchange, with the scalar
/// `fill` outside the operand along `dims`. Operand and result have the same
/// axes.
mlir::Value fetchWindows(PartitionBuilder &builder, const ShardedValue &input,
                         llvm::ArrayRef<spmd::IntervalAttr> intervals,
                         llvm::ArrayRef<int64_t> dims, mlir::Value fill);

} // namespace partita

#endif
