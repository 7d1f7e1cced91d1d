// For what an op can't do on shards: compute some dimensions whole on each
// device and keep the device's own block of the result.
#ifndef PARTITA_LIB_OPMODELS_WHOLEOP_H
#define PARTITA_LIB_OPMODELS_WHOLEOP_H

#include "partita/Building/PartitionBuilder.h"

namespace partita {

/// Binds `original` to the device's block of `whole`, which every device holds.
mlir::LogicalResult bindSliced(PartitionBuilder &builder, mlir::Value original,
                               mlir::Value whole);

/// Binds `original` to `local`, which is laid out as `from`, moved to its
/// layout.
mlir::LogicalResult bindResharded(PartitionBuilder &builder,
                                  mlir::Value original, mlir::Value local,
                                  spmd::ShardingAttr from);

/// `sharding` with the listed dimensions whole.
spmd::ShardingAttr withWholeDims(spmd::ShardingAttr sharding,
                                 llvm::ArrayRef<int64_t> dims);

/// Gathers dimensions `operandDims` of the first `gathered` operands, runs the
/// op on them, and slices dimensions `resultDims` of its results again. Other
/// operands are taken as they are. Emits a remark that tells `reason`.
mlir::LogicalResult partitionWithWholeDims(PartitionBuilder &builder,
                                           unsigned gathered,
                                           llvm::ArrayRef<int64_t> operandDims,
                                           llvm::ArrayRef<int64_t> resultDims,
                                           llvm::StringRef reason);

/// Remark on the visited op: what is computed whole on each device, its bytes,
/// and why.
void remarkWhole(PartitionBuilder &builder, mlir::Type type,
                 llvm::StringRef reason);

/// What device `root`, numbered over all axes of the mesh of `sharding`, holds
/// in `local`, on all devices.
mlir::Value broadcastFrom(PartitionBuilder &builder, mlir::Value local,
                          spmd::ShardingAttr sharding, int64_t root);

} // namespace partita

#endif
