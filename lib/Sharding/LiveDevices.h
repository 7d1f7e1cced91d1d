// The devices that differ in the atoms of one reshard; all other axes repeat
// them. Numbered in mixed radix over units: an atom, or a whole axis where the
// axis has several factorisations.
#ifndef PARTITA_LIB_SHARDING_LIVEDEVICES_H
#define PARTITA_LIB_SHARDING_LIVEDEVICES_H

#include "partita/Sharding/Layout.h"
#include <vector>

namespace partita {

/// Up to so many live devices the price of an uneven exchange comes from a list
/// of its transfers.
constexpr int64_t maxPricedDevices = 1024;
/// Of more, so many are looked at.
constexpr int64_t sampledDevices = 128;

class LiveDevices {
public:
  /// Tables list all devices, or, of more than `limit`, a sample: the first, the
  /// last, and others spread over the rest.
  LiveDevices(const AxisAtoms &atoms, AtomMask live, int64_t limit);

  /// Number of live devices.
  int64_t size() const { return count; }
  /// Number of those in the tables.
  int64_t getNumListed() const { return numListed; }
  bool listsAll() const { return getNumListed() == count; }
  const AxisAtoms &getAtoms() const { return atoms; }

  /// Block that each listed device holds in a dimension sharded by `list`.
  void getBlocks(llvm::ArrayRef<AtomId> list,
                 std::vector<int32_t> &blocks) const;
  /// Difference of the coordinates of two live devices, each modulo its size,
  /// as one number.
  int64_t getDifference(int64_t source, int64_t target) const;
  /// Number of the live device at a mesh position.
  int64_t getNumber(int64_t position) const;

private:
  struct Unit {
    unsigned axis;
    int64_t pre, size;
  };
  void fillDigits() const;

  const AxisAtoms &atoms;
  AtomMask live;
  int64_t count = 1, numListed = 1;
  llvm::SmallVector<Unit, 8> units;
  /// Coordinate of each listed device along each live atom; made when first
  /// asked for, which even sizes never do.
  mutable llvm::SmallVector<std::vector<int32_t>, 0> digits;
};

} // namespace partita

#endif
