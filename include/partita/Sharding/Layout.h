// Layout: how a tensor lies on the atoms of a mesh, and the arithmetic of block
// layouts. A dimension of n elements over k shards has blocks of c = ceil(n/k)
// in mixed-radix order of its atoms; block i holds [min(ic, n), min((i+1)c, n))
// and buffers have size c, the tail being padding.
#ifndef PARTITA_SHARDING_LAYOUT_H
#define PARTITA_SHARDING_LAYOUT_H

#include "dialects/SPMD/ShardingRule.h"
#include "partita/Sharding/AxisAtoms.h"
#include "partita/Support/MathExtras.h"
#include "llvm/ADT/Hashing.h"

namespace partita {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Half-open interval of indices.
struct IndexInterval {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end > begin ? end - begin : 0; }
  bool operator==(const IndexInterval &o) const {
    return begin == o.begin && end == o.end;
  }
};

/// Per dimension the atoms that shard it, major to minor, and the atoms along
/// which values are partial. All other atoms are replicated. No atom occurs
/// twice, nor two that overlap. Without unreduced atoms the kind is Add.
struct Layout {
  llvm::SmallVector<AtomList, 4> dims;
  AtomMask unreduced = 0;
  spmd::ReductionKind kind = spmd::ReductionKind::Add;

  Layout() = default;
  explicit Layout(size_t rank) : dims(rank) {}

  size_t getRank() const { return dims.size(); }
  /// Atoms that shard some dimension.
  AtomMask getSharded() const;
  /// Atoms in use: sharding or unreduced.
  AtomMask getUsed() const { return getSharded() | unreduced; }
  bool isReplicated() const { return getUsed() == 0; }

  bool operator==(const Layout &other) const {
    return unreduced == other.unreduced && kind == other.kind &&
           dims == other.dims;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const Layout &layout);
  /// `[{x}, {}] unreduced=[add]{y}`.
  std::string str(const AxisAtoms &atoms) const;
};

struct LayoutHash {
  size_t operator()(const Layout &layout) const { return hash_value(layout); }
};

/// Shards of dimension `dim`.
int64_t getShardCount(const AxisAtoms &atoms, const Layout &layout, size_t dim);

/// Buffer shape of one device.
Shape getLocalShape(const AxisAtoms &atoms, const Layout &layout,
                    llvm::ArrayRef<int64_t> shape);

/// Elements of one device's buffer.
int64_t getLocalElements(const AxisAtoms &atoms, const Layout &layout,
                         llvm::ArrayRef<int64_t> shape);

/// Coordinate of mesh position `device` (mixed radix over the mesh axes, major
/// first) along an atom.
int64_t getCoordinate(const AxisAtoms &atoms, AtomId atom, int64_t device);

/// Mixed-radix index of the device over the atoms: the block that it holds.
int64_t getBlockIndex(const AxisAtoms &atoms, llvm::ArrayRef<AtomId> list,
                      int64_t device);

/// Indices of dimension `dim` (size n) that the device holds.
IndexInterval getHeldInterval(const AxisAtoms &atoms, const Layout &layout,
                              size_t dim, int64_t n, int64_t device);

/// Elements of its buffer of dimension `dim` that are no padding.
int64_t getLocalValidExtent(const AxisAtoms &atoms, const Layout &layout,
                            size_t dim, int64_t n, int64_t device);

/// Going from k to k*m shards is aligned: ceil(n/k) = m*ceil(n/(km)).
constexpr bool isAligned(int64_t n, int64_t k, int64_t m) {
  return ceilDiv(n, k) % m == 0;
}

/// Splitting k blocks into k*m (or merging those) is local to each block: when
/// aligned, and when only the first block has elements (k = 1: pad or trim).
constexpr bool nests(int64_t n, int64_t k, int64_t m) {
  return k == 1 || n <= 1 || m == 1 || isAligned(n, k, m);
}

/// The same layout with each axis in the first factorisation that can say it;
/// equal layouts become the same value, and the kind is Add where nothing is
/// unreduced.
Layout canonicalize(const AxisAtoms &atoms, const Layout &layout);

/// The layout with `axis` expressed in factorisation `index`; nothing when that
/// has not the cuts.
std::optional<Layout> express(const AxisAtoms &atoms, const Layout &layout,
                              unsigned axis, unsigned index);

} // namespace partita

#endif
