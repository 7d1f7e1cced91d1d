// Mesh axes as small integers: the currency of propagation. No IR.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_AXISTABLE_H
#define PARTITA_TRANSFORMS_PROPAGATION_AXISTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace partita::propagation {

/// An axis or sub-axis of one mesh. The axis of size n is seen as
/// [pre, size, n / (pre * size)] and the middle part taken, so that a whole
/// axis has pre = 1 and size = n and two equal parts have equal members.
struct AxisRef {
  int32_t axis = 0; ///< index of the axis in the mesh
  int32_t pre = 1;
  int32_t size = 1;

  int64_t next() const { return int64_t(pre) * size; }
  bool operator==(const AxisRef &o) const {
    return axis == o.axis && pre == o.pre && size == o.size;
  }
  bool operator!=(const AxisRef &o) const { return !(*this == o); }
  /// Order of the mesh: major axes first, major parts first.
  bool operator<(const AxisRef &o) const;

  /// True if all of `o` lies within this part.
  bool contains(const AxisRef &o) const;
  /// True if this is a major part of `o`, or `o` itself.
  bool isPrefixOf(const AxisRef &o) const;
  bool overlaps(const AxisRef &o) const;
  /// True if one factorisation of the axis has both parts. Parts of size 2 and
  /// 3 of an axis of size 6, each major, have none.
  bool canCoexistWith(const AxisRef &o) const;
  /// The longest major part of this that shares nothing with `o`.
  std::optional<AxisRef> prefixWithout(const AxisRef &o) const;
  /// The same for each of `others` in turn.
  std::optional<AxisRef> prefixWithout(llvm::ArrayRef<AxisRef> others) const;
};

using AxisList = llvm::SmallVector<AxisRef, 4>;
using AxisSpan = llvm::ArrayRef<AxisRef>;

/// Product of the sizes of `axes`.
int64_t getTotalSize(AxisSpan axes);

/// Appends `axis`; joins it with the last one where the two are adjacent parts
/// of one axis.
void appendOrMerge(AxisList &axes, AxisRef axis);

enum class PrefixStatus { NotAPrefix, Equal, StrictPrefix };
/// How `first` relates to `second`; the last axis of `first` may be a major
/// part of its counterpart.
PrefixStatus getPrefixStatus(AxisSpan first, AxisSpan second);

/// Id of an interned list of axes; 0 is the empty list.
using ListId = uint32_t;

/// Lists of axes, each stored once, so that equality is equality of ids.
class AxisListTable {
public:
  AxisListTable();
  ListId intern(AxisSpan axes);
  AxisSpan get(ListId id) const { return lists[id]; }
  size_t size() const { return lists.size(); }

private:
  std::vector<AxisSpan> lists;
  llvm::DenseMap<uint64_t, llvm::SmallVector<ListId, 1>> buckets;
  llvm::BumpPtrAllocator storage;
};

} // namespace partita::propagation

#endif
