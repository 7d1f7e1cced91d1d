// Atoms: the indivisible parts of the mesh axes. Each axis is cut into ordered
// atoms, the coarsest common refinement of all its sub-axes in use. Sub-axes
// that cannot coexist (2 then 3 of an axis of 6 against 3 then 2) put the axis
// into several factorisations; a layout uses one of them per axis. After
// build() every sub-axis that was given is a run of atoms of one factorisation.
#ifndef PARTITA_SHARDING_AXISATOMS_H
#define PARTITA_SHARDING_AXISATOMS_H

#include "partita/Sharding/Mesh.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace partita {

using AtomId = uint8_t;
using AtomMask = uint64_t;
using AtomList = llvm::SmallVector<AtomId, 4>;

constexpr AtomMask atomBit(AtomId atom) { return AtomMask(1) << atom; }

/// Part of a mesh axis of size n: reshaped to [pre, size, n/(pre*size)], the
/// middle one. The whole axis has pre = 1 and size = n.
struct SubAxis {
  unsigned axis = 0;
  int64_t pre = 1;
  int64_t size = 1;
  bool operator==(const SubAxis &other) const {
    return axis == other.axis && pre == other.pre && size == other.size;
  }
};

class AxisAtoms {
public:
  /// Cuts the axes of `mesh`. Each entry of `uses` lists the sub-axes that one
  /// sharding uses together. Axes of size one get no atom. Returns nothing when
  /// more than 64 atoms would be needed, or when a sub-axis does not divide its
  /// axis or overlaps another one of the same use in a way that no
  /// factorisation has both.
  static std::optional<AxisAtoms>
  build(const Mesh &mesh,
        llvm::ArrayRef<llvm::SmallVector<SubAxis, 4>> uses = {});

  const Mesh &getMesh() const { return mesh; }
  unsigned size() const { return atoms.size(); }
  /// The part of its axis that the atom is.
  const SubAxis &operator[](AtomId atom) const { return atoms[atom]; }
  int64_t getSize(AtomId atom) const { return atoms[atom].size; }
  /// Product of the sizes.
  int64_t getSize(llvm::ArrayRef<AtomId> list) const;
  /// Product of the sizes of the atoms in the mask.
  int64_t getSize(AtomMask mask) const;
  /// Atoms that share some part of an axis with `atom`, itself included.
  AtomMask getOverlap(AtomId atom) const { return overlaps[atom]; }
  AtomMask getOverlap(AtomMask mask) const;

  unsigned getNumFactorisations(unsigned axis) const {
    return factorisations[axis].size();
  }
  /// Atoms of factorisation `index` of the axis, major to minor.
  llvm::ArrayRef<AtomId> getFactorisation(unsigned axis, unsigned index) const {
    return factorisations[axis][index];
  }
  /// True if some axis has more than one factorisation.
  bool hasAlternatives() const { return alternatives; }

  /// The sub-axes as atoms of one factorisation per axis, the first that has
  /// all of those of this use; one list per sub-axis. Nothing when none has.
  std::optional<llvm::SmallVector<AtomList>>
  expand(llvm::ArrayRef<SubAxis> use) const;

  /// Sub-axes that the atoms make up; neighbours that join to a larger part of
  /// their axis are merged. Order is kept.
  llvm::SmallVector<SubAxis, 4> merge(llvm::ArrayRef<AtomId> list) const;

  /// "x", "x:(1)2" as in the IR.
  std::string str(AtomId atom) const;
  std::string str(llvm::ArrayRef<AtomId> list) const;

private:
  Mesh mesh;
  llvm::SmallVector<SubAxis, 8> atoms;
  llvm::SmallVector<AtomMask, 8> overlaps;
  llvm::SmallVector<llvm::SmallVector<AtomList, 1>, 4> factorisations;
  bool alternatives = false;
};

} // namespace partita

#endif
