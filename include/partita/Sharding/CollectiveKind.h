// The steps of reshards, as far as prices tell them apart.
#ifndef PARTITA_SHARDING_COLLECTIVEKIND_H
#define PARTITA_SHARDING_COLLECTIVEKIND_H

#include "llvm/ADT/StringRef.h"

namespace partita {

enum class CollectiveKind {
  AllSlice,
  AllGather,
  AllToAll,
  Permute,
  ReduceScatter,
  AllReduce,
  ToUnreduced,
  Exchange,
  Broadcast,
};
/// Name of the op in the spmd dialect.
llvm::StringRef stringify(CollectiveKind kind);

/// The kinds that start a collective; an exchange is rounds of permutes.
inline constexpr CollectiveKind kLaunchedKinds[] = {
    CollectiveKind::AllGather, CollectiveKind::AllToAll,
    CollectiveKind::Permute,   CollectiveKind::ReduceScatter,
    CollectiveKind::AllReduce, CollectiveKind::Broadcast,
};

} // namespace partita

#endif
