// Where an interval exchange finds its elements: shared by the emission of
// exchanges and by their price.
#ifndef PARTITA_SHARDING_INTERVALFETCH_H
#define PARTITA_SHARDING_INTERVALFETCH_H

#include "dialects/SPMD/SPMD.h"

namespace partita {

/// How one dimension of the result of an interval exchange gets its elements.
enum class DimMove {
  Identity, ///< the device's own block
  Local,    ///< a slice of the dimension, whole on each device
  Exchange, ///< elements of other devices
};

/// The interval as plain data; what stands outside is left out.
spmd::BlockInterval getBlockInterval(spmd::IntervalAttr interval);

/// For each dimension of a value of global `shape` laid out as `from`, of which
/// block i along the axes of `to` reads `intervals`.
llvm::SmallVector<DimMove>
classifyFetch(llvm::ArrayRef<int64_t> shape, spmd::ShardingAttr from,
              spmd::ShardingAttr to, spmd::MeshAttr mesh,
              llvm::ArrayRef<spmd::BlockInterval> intervals);

} // namespace partita

#endif
