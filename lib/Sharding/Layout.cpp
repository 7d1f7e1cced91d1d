// Block layouts: shard counts, local shapes, what each device holds, and the
// canonical form where an axis has several factorisations.
#include "partita/Sharding/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace partita;

AtomMask Layout::getSharded() const {
  AtomMask mask = 0;
  for (const AtomList &dim : dims)
    for (AtomId atom : dim)
      mask |= atomBit(atom);
  return mask;
}

/// Searches hash every layout that they meet, so this is a multiplication a
/// dimension.
llvm::hash_code partita::hash_value(const Layout &layout) {
  uint64_t code = layout.unreduced * 64 + uint64_t(layout.kind);
  auto mix = [&](uint64_t value) {
    code = (code ^ value) * 0x9e3779b97f4a7c15;
    code ^= code >> 32;
  };
  for (const AtomList &dim : layout.dims) {
    uint64_t packed = dim.size();
    for (AtomId atom : dim)
      packed = packed * 64 + atom;
    mix(packed);
  }
  return llvm::hash_code(code);
}

std::string Layout::str(const AxisAtoms &atoms) const {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + atoms.str(dims[i]);
  text += "]";
  if (unreduced) {
    AtomList list;
    for (AtomMask mask = unreduced; mask; mask &= mask - 1)
      list.push_back(AtomId(llvm::countr_zero(mask)));
    text += " unreduced=[" + spmd::stringifyReductionKind(kind).str() + "]" +
            atoms.str(list);
  }
  return text;
}

int64_t partita::getShardCount(const AxisAtoms &atoms, const Layout &layout,
                               size_t dim) {
  return atoms.getSize(layout.dims[dim]);
}

Shape partita::getLocalShape(const AxisAtoms &atoms, const Layout &layout,
                             llvm::ArrayRef<int64_t> shape) {
  Shape local;
  for (size_t i = 0; i < shape.size(); ++i)
    local.push_back(ceilDiv(shape[i], getShardCount(atoms, layout, i)));
  return local;
}

int64_t partita::getLocalElements(const AxisAtoms &atoms, const Layout &layout,
                                  llvm::ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    product *= ceilDiv(shape[i], getShardCount(atoms, layout, i));
  return product;
}

int64_t partita::getCoordinate(const AxisAtoms &atoms, AtomId atom,
                               int64_t device) {
  const SubAxis &part = atoms[atom];
  const auto &axes = atoms.getMesh().axes;
  for (size_t axis = axes.size() - 1; axis > part.axis; --axis)
    device /= axes[axis].size;
  int64_t size = axes[part.axis].size;
  return device % size / (size / (part.pre * part.size)) % part.size;
}

int64_t partita::getBlockIndex(const AxisAtoms &atoms,
                               llvm::ArrayRef<AtomId> list, int64_t device) {
  int64_t index = 0;
  for (AtomId atom : list)
    index = index * atoms.getSize(atom) + getCoordinate(atoms, atom, device);
  return index;
}

IndexInterval partita::getHeldInterval(const AxisAtoms &atoms,
                                       const Layout &layout, size_t dim,
                                       int64_t n, int64_t device) {
  int64_t block = ceilDiv(n, getShardCount(atoms, layout, dim));
  int64_t index = getBlockIndex(atoms, layout.dims[dim], device);
  return {std::min(index * block, n), std::min((index + 1) * block, n)};
}

int64_t partita::getLocalValidExtent(const AxisAtoms &atoms,
                                     const Layout &layout, size_t dim,
                                     int64_t n, int64_t device) {
  return getHeldInterval(atoms, layout, dim, n, device).size();
}

/// Atoms of `factorisation` that make up the sub-axis; false if it has not the
/// cuts.
static bool appendPart(const AxisAtoms &atoms, const SubAxis &part,
                       unsigned factorisation, AtomList &result) {
  int64_t reached = part.pre, end = part.pre * part.size;
  for (AtomId atom : atoms.getFactorisation(part.axis, factorisation)) {
    if (reached == end || atoms[atom].pre != reached)
      continue;
    reached *= atoms.getSize(atom);
    result.push_back(atom);
  }
  return reached == end;
}

/// `list` with its parts of `axis` in another factorisation.
static bool expressList(const AxisAtoms &atoms, llvm::ArrayRef<AtomId> list,
                        unsigned axis, unsigned index, AtomList &result) {
  for (size_t i = 0; i < list.size();) {
    if (atoms[list[i]].axis != axis) {
      result.push_back(list[i++]);
      continue;
    }
    SubAxis part = atoms[list[i++]];
    while (i < list.size() && atoms[list[i]].axis == axis &&
           atoms[list[i]].pre == part.pre * part.size)
      part.size *= atoms.getSize(list[i++]);
    if (!appendPart(atoms, part, index, result))
      return false;
  }
  return true;
}

std::optional<Layout> partita::express(const AxisAtoms &atoms,
                                       const Layout &layout, unsigned axis,
                                       unsigned index) {
  Layout result(layout.getRank());
  result.kind = layout.kind;
  for (size_t i = 0; i < layout.getRank(); ++i)
    if (!expressList(atoms, layout.dims[i], axis, index, result.dims[i]))
      return std::nullopt;
  AtomList unreduced, expressed;
  for (AtomMask mask = layout.unreduced; mask; mask &= mask - 1)
    unreduced.push_back(AtomId(llvm::countr_zero(mask)));
  llvm::sort(unreduced, [&](AtomId a, AtomId b) {
    return std::make_pair(atoms[a].axis, atoms[a].pre) <
           std::make_pair(atoms[b].axis, atoms[b].pre);
  });
  if (!expressList(atoms, unreduced, axis, index, expressed))
    return std::nullopt;
  for (AtomId atom : expressed)
    result.unreduced |= atomBit(atom);
  return result;
}

Layout partita::canonicalize(const AxisAtoms &atoms, const Layout &layout) {
  Layout result = layout;
  if (!result.unreduced)
    result.kind = spmd::ReductionKind::Add;
  if (!atoms.hasAlternatives())
    return result;
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis) {
    unsigned count = atoms.getNumFactorisations(axis);
    for (unsigned index = 0; count > 1 && index < count; ++index)
      if (auto expressed = express(atoms, result, axis, index)) {
        result = *expressed;
        break;
      }
  }
  return result;
}
