// Maps by addresses of uniqued or otherwise lasting things.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_POINTERMAP_H
#define PARTITA_TRANSFORMS_PLACEMENT_POINTERMAP_H

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <unordered_map>

namespace partita {

using PointerList = llvm::SmallVector<const void *, 8>;
struct PointerListHash {
  size_t operator()(const PointerList &list) const {
    return llvm::hash_combine_range(list.begin(), list.end());
  }
};
template <typename T>
using PointerMap = std::unordered_map<PointerList, T, PointerListHash>;

} // namespace partita

#endif
