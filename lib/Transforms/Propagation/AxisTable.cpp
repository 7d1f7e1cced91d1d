// Relations between parts of mesh axes, and the table that stores lists of
// them.
#include "partita/Transforms/Propagation/AxisTable.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>
#include <memory>
#include <tuple>

namespace partita::propagation {

bool AxisRef::operator<(const AxisRef &o) const {
  return std::tie(axis, pre, size) < std::tie(o.axis, o.pre, o.size);
}

bool AxisRef::contains(const AxisRef &o) const {
  return axis == o.axis && pre <= o.pre && next() >= o.next();
}

bool AxisRef::isPrefixOf(const AxisRef &o) const {
  return o.contains(*this) && pre == o.pre;
}

bool AxisRef::overlaps(const AxisRef &o) const {
  return axis == o.axis && pre < o.next() && o.pre < next();
}

bool AxisRef::canCoexistWith(const AxisRef &o) const {
  if (axis != o.axis)
    return true;
  int64_t minPre = std::min(pre, o.pre), maxPre = std::max(pre, o.pre);
  int64_t minNext = std::min(next(), o.next());
  int64_t maxNext = std::max(next(), o.next());
  // Parts that overlap must nest on common boundaries; else the gap between
  // them must itself be a part.
  if (minNext > maxPre)
    return minNext % maxPre == 0 && maxPre % minPre == 0 &&
           maxNext % minNext == 0;
  return maxPre % minNext == 0;
}

std::optional<AxisRef> AxisRef::prefixWithout(const AxisRef &o) const {
  if (!canCoexistWith(o))
    return std::nullopt;
  if (!overlaps(o))
    return *this;
  if (pre >= o.pre)
    return std::nullopt;
  return AxisRef{axis, pre, o.pre / pre};
}

std::optional<AxisRef> AxisRef::prefixWithout(AxisSpan others) const {
  std::optional<AxisRef> result = *this;
  for (const AxisRef &other : others) {
    result = result->prefixWithout(other);
    if (!result)
      return std::nullopt;
  }
  return result;
}

int64_t getTotalSize(AxisSpan axes) {
  int64_t size = 1;
  for (const AxisRef &axis : axes)
    size *= axis.size;
  return size;
}

void appendOrMerge(AxisList &axes, AxisRef axis) {
  if (!axes.empty() && axes.back().axis == axis.axis &&
      axes.back().next() == axis.pre)
    axes.back().size *= axis.size;
  else
    axes.push_back(axis);
}

PrefixStatus getPrefixStatus(AxisSpan first, AxisSpan second) {
  if (first.size() > second.size())
    return PrefixStatus::NotAPrefix;
  if (first.empty())
    return second.empty() ? PrefixStatus::Equal : PrefixStatus::StrictPrefix;
  size_t last = first.size() - 1;
  if (!std::equal(first.begin(), first.begin() + last, second.begin()))
    return PrefixStatus::NotAPrefix;
  if (first.size() == second.size() && first[last] == second[last])
    return PrefixStatus::Equal;
  return first[last].isPrefixOf(second[last]) ? PrefixStatus::StrictPrefix
                                              : PrefixStatus::NotAPrefix;
}

AxisListTable::AxisListTable() { intern({}); }

ListId AxisListTable::intern(AxisSpan axes) {
  llvm::hash_code hash = llvm::hash_value(axes.size());
  for (const AxisRef &axis : axes)
    hash = llvm::hash_combine(hash, axis.axis, axis.pre, axis.size);
  // The two largest values are the map's own.
  auto &bucket = buckets[static_cast<uint64_t>(hash) >> 2];
  for (ListId id : bucket)
    if (lists[id] == axes)
      return id;
  AxisRef *copy = storage.Allocate<AxisRef>(axes.size());
  std::uninitialized_copy(axes.begin(), axes.end(), copy);
  bucket.push_back(lists.size());
  lists.push_back(AxisSpan(copy, axes.size()));
  return lists.size() - 1;
}

} // namespace partita::propagation
