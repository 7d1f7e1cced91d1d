// The devices that differ in the atoms of one reshard; all other axes repeat
// them. Numbered in mixed radix over units: an atom, or a whole axis where the
// axis has several factorisations.
#ifndef PARTITA_LIB_SHARDING_LIVEDEVICES_H
#define PARTITA_LIB_SHARDING_LIVEDEVICES_H

#include "partita/Sharding/Layout.h"
#include <vector>

namespace partita {

class LiveDevices {
public:
  /// Above `limit` devices no tables are made and isEnumerable() is false.
  LiveDevices(const AxisAtoms &atoms, AtomMask live, int64_t limit = 4096);

  bool isEnumerable() const { return enumerable; }
  int64_t size() const { return count; }
  AtomMask getLive() const { return live; }
  const AxisAtoms &getAtoms() const { return atoms; }

  /// Block that each live device holds in a dimension sharded by `list`.
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
  const AxisAtoms &atoms;
  AtomMask live;
  int64_t count = 1;
  bool enumerable = true;
  llvm::SmallVector<Unit, 8> units;
  /// Coordinate of each live device along each live atom.
  llvm::SmallVector<std::vector<int32_t>, 0> digits;
};

} // namespace partita

#endif
