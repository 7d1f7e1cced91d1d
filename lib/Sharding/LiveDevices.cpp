// Numbering of the devices of one reshard.
#include "LiveDevices.h"
#include "llvm/ADT/STLExtras.h"

using namespace partita;

/// Coordinate of the part of an axis of size n, given that along the axis.
/// Narrow integers are divided faster.
template <typename IntT>
static IntT getDigit(IntT coordinate, IntT n, IntT pre, IntT size) {
  return coordinate / (n / (pre * size)) % size;
}

LiveDevices::LiveDevices(const AxisAtoms &atoms, AtomMask live, int64_t limit)
    : atoms(atoms), live(live) {
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis) {
    bool whole = atoms.getNumFactorisations(axis) > 1;
    for (AtomId atom = 0; atom < atoms.size(); ++atom) {
      if (atoms[atom].axis != axis || !(live & atomBit(atom)))
        continue;
      if (whole) {
        units.push_back({axis, 1, atoms.getMesh().axes[axis].size});
        break;
      }
      units.push_back({axis, atoms[atom].pre, atoms[atom].size});
    }
  }
  for (const Unit &unit : units)
    count *= unit.size;
  numListed = count <= limit ? count : std::min(limit, sampledDevices);
}

void LiveDevices::fillDigits() const {
  // Coprime to most counts, so that samples differ in all coordinates.
  constexpr int64_t stride = 40503;
  std::vector<int64_t> rest(numListed);
  for (int64_t i = 0; i < numListed; ++i)
    rest[i] = numListed == count   ? i
              : i + 1 == numListed ? count - 1
                                   : i * stride % count;

  digits.resize(atoms.size());
  std::vector<uint32_t> coordinates(numListed);
  for (const Unit &unit : llvm::reverse(units)) {
    for (int64_t i = 0; i < numListed; ++i) {
      coordinates[i] = uint32_t(rest[i] % unit.size);
      rest[i] /= unit.size;
    }
    for (AtomId atom = 0; atom < atoms.size(); ++atom) {
      const SubAxis &part = atoms[atom];
      if (!(live & atomBit(atom)) || unit.axis != part.axis ||
          part.pre < unit.pre || part.pre * part.size > unit.pre * unit.size)
        continue;
      digits[atom].resize(numListed);
      for (int64_t i = 0; i < numListed; ++i)
        digits[atom][i] = int32_t(getDigit(coordinates[i], uint32_t(unit.size),
                                           uint32_t(part.pre / unit.pre),
                                           uint32_t(part.size)));
    }
  }
}

void LiveDevices::getBlocks(llvm::ArrayRef<AtomId> list,
                            std::vector<int32_t> &blocks) const {
  if (digits.empty() && live)
    fillDigits();
  blocks.assign(numListed, 0);
  for (AtomId atom : list) {
    int32_t size = int32_t(atoms.getSize(atom));
    const int32_t *digit = digits[atom].data();
    for (size_t v = 0; v < blocks.size(); ++v)
      blocks[v] = blocks[v] * size + digit[v];
  }
}

int64_t LiveDevices::getNumber(int64_t position) const {
  const auto &axes = atoms.getMesh().axes;
  llvm::SmallVector<int64_t, 8> coordinates(axes.size());
  for (size_t axis = axes.size(); axis-- > 0;) {
    coordinates[axis] = position % axes[axis].size;
    position /= axes[axis].size;
  }
  int64_t number = 0;
  for (const Unit &unit : units)
    number = number * unit.size + getDigit(coordinates[unit.axis],
                                           axes[unit.axis].size, unit.pre,
                                           unit.size);
  return number;
}

int64_t LiveDevices::getDifference(int64_t source, int64_t target) const {
  int64_t difference = 0, weight = 1;
  for (size_t i = units.size(); i-- > 0;) {
    int64_t size = units[i].size;
    difference += (target % size - source % size + size) % size * weight;
    weight *= size;
    source /= size;
    target /= size;
  }
  return difference;
}
