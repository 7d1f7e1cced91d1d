// The custom calls by which JAX states layouts without the sdy dialect.
#ifndef PARTITA_LIB_IMPORT_SHARDINGCALLS_H
#define PARTITA_LIB_IMPORT_SHARDINGCALLS_H

#include "MeshSynthesis.h"
#include "dialects/StableHLO/StableHLO.h"

namespace partita {

/// Name of the attribute with a sharding string.
constexpr llvm::StringLiteral mhloShardingName = "mhlo.sharding";

/// Parsed strings by op; an op without an entry has none.
using MhloShardings = llvm::DenseMap<mlir::Operation *, MhloSharding>;

bool isShardingCall(mlir::Operation *op);    // @Sharding
bool isFullToShardCall(mlir::Operation *op); // @SPMDFullToShardShape
bool isShardToFullCall(mlir::Operation *op); // @SPMDShardToFullShape

/// Dimensions that `unspecified_dims=[...]` of the call leaves to propagation.
llvm::SmallVector<int64_t> getOpenDims(stablehlo::CustomCallOp call);

/// Turns what lies between @SPMDFullToShardShape and @SPMDShardToFullShape
/// calls, in every block of `module`, into spmd.manual. Entries of ops that go
/// are removed from `shardings`. Emits an error where no region can be formed.
mlir::LogicalResult formManualRegions(mlir::ModuleOp module,
                                      MeshSynthesis &meshes,
                                      MhloShardings &shardings);

} // namespace partita

#endif
