// Blocks of a whole tensor, by index: the core of layouts, manual regions and
// collectives. Knows sizes and indices, not meshes.
#ifndef PARTITA_LIB_EVALUATOR_BLOCKS_H
#define PARTITA_LIB_EVALUATOR_BLOCKS_H

#include "dialects/SPMD/SPMD.h"
#include "partita/Evaluator/Layout.h"

namespace partita {

/// Block `index` of a tensor cut into `shards` pieces per dimension. Blocks
/// have ceil(size / shards) elements; the rest is filled with `fill` (a scalar;
/// null: zeros).
Tensor takeBlock(const Tensor &whole, llvm::ArrayRef<int64_t> shards,
                 llvm::ArrayRef<int64_t> index, const Tensor &fill);

/// Writes a block to its place; its padding is dropped.
void placeBlock(Tensor &whole, const Tensor &block,
                llvm::ArrayRef<int64_t> index);

/// Number of blocks per dimension, and the block of a device at `coordinates`,
/// counting the axes for which `isUsed` holds.
struct BlockIndex {
  llvm::SmallVector<int64_t> shards, index;
};
BlockIndex getBlockIndex(spmd::ShardingAttr sharding, spmd::MeshAttr mesh,
                         llvm::ArrayRef<int64_t> coordinates,
                         llvm::function_ref<bool(spmd::AxisRefAttr)> isUsed);

/// The neutral element of a reduction, as a scalar.
Tensor makeNeutral(mlir::Type elementType, spmd::ReductionKind kind,
                   const Field *field);

/// Name of the elementwise op that combines two values ("add").
llvm::StringRef getOpName(spmd::ReductionKind kind);

/// Combines two tensors of one type.
Tensor combine(const Tensor &a, const Tensor &b, spmd::ReductionKind kind,
               const Field *field);

} // namespace partita

#endif
