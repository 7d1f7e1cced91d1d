// The text of `mhlo.sharding` attributes: parsing, and which device holds which
// tile in terms of digits of the device number.
#ifndef PARTITA_LIB_IMPORT_MHLOSHARDING_H
#define PARTITA_LIB_IMPORT_MHLOSHARDING_H

#include "MixedRadix.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace partita {

/// One parsed sharding string.
struct MhloSharding {
  enum class Kind {
    Replicated,
    Manual,  ///< per device along all axes
    Maximal, ///< on `device` alone
    Tiled,
    Unreduced,
    Unknown,
    Tuple,
  };
  /// What the trailing dimensions of a tile assignment mean.
  enum class Subgroup { Replicated, Manual, Unreduced };

  Kind kind = Kind::Unknown;
  /// Tiles per dimension, the subgroup dimensions last.
  llvm::SmallVector<int64_t> tiles;
  llvm::SmallVector<Subgroup> subgroups;
  /// Device of each tile in row-major order of `tiles`.
  llvm::SmallVector<int64_t> devices;
  int64_t device = 0;
  /// Values of one group are sharded alike (shard_as and shard_like).
  std::optional<int64_t> group;
  std::vector<MhloSharding> elements;

  bool isTiled() const { return kind == Kind::Tiled; }
  int64_t getNumDevices() const { return devices.size(); }
  /// Dimensions of the value.
  int64_t getRank() const { return tiles.size() - subgroups.size(); }
  /// Index in `tiles` of the subgroup dimension of that kind, or -1.
  int64_t getSubgroupDim(Subgroup kind) const;

  /// Digits of the device number along each entry of `tiles`, major to minor;
  /// `stride` is that in the device number. Nothing when the devices are not a
  /// rearrangement of mixed-radix digits.
  std::optional<llvm::SmallVector<llvm::SmallVector<Digit>>> getDigits() const;
};

/// Parses `{devices=[2,2]<=[4]}`, `{devices=[2,2]0,1,2,3
/// last_tile_dim_replicate}`, `{replicated}`, `{manual}`, `{maximal device=0}`,
/// tuples `{{...}, {...}}` and the like. The error says what was expected
/// where.
llvm::Expected<MhloSharding> parseMhloSharding(llvm::StringRef text);

} // namespace partita

#endif
