// Tells local slices from exchanges.
#include "partita/Sharding/IntervalFetch.h"
#include "partita/Support/MathExtras.h"

using namespace partita;

spmd::BlockInterval partita::getBlockInterval(spmd::IntervalAttr interval) {
  return {interval.getBase(), interval.getStep(), interval.getLength()};
}

llvm::SmallVector<DimMove>
partita::classifyFetch(llvm::ArrayRef<int64_t> shape, spmd::ShardingAttr from,
                       spmd::ShardingAttr to, spmd::MeshAttr mesh,
                       llvm::ArrayRef<spmd::BlockInterval> intervals) {
  llvm::SmallVector<DimMove> moves;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    const spmd::BlockInterval &interval = intervals[dim];
    int64_t shards = from.getShardCount(dim, mesh);
    int64_t block = ceilDiv(size, shards);
    bool isOwn = from.getDims()[dim].getAxes() == to.getDims()[dim].getAxes() &&
                 interval.base == 0 && interval.length == block &&
                 (interval.step == block || shards == 1);
    moves.push_back(isOwn         ? DimMove::Identity
                    : shards == 1 ? DimMove::Local
                                  : DimMove::Exchange);
  }
  return moves;
}
