// Axis lists and collectives, taken apart and put together.

#include "CollectiveRebuilding.h"

using namespace mlir;

namespace partita {

using spmd::AxisListAttr;
using spmd::AxisRefAttr;

AxisRefs concatenateAxes(ArrayAttr perDimension) {
  AxisRefs axes;
  for (auto list : perDimension.getAsRange<AxisListAttr>())
    llvm::append_range(axes, list.getAxes());
  return axes;
}

/// The part of axis `name` that starts behind `pre` and has `size`; the whole
/// axis where it is that.
static AxisRefAttr getPart(AxisRefAttr like, int64_t pre, int64_t size,
                           spmd::MeshAttr mesh) {
  bool isWhole = pre == 1 && size == mesh.getAxisSize(like.getName());
  return AxisRefAttr::get(like.getContext(), like.getName(), isWhole ? 0 : pre,
                          isWhole ? 0 : size);
}

/// Replaces axes[index] by what `part` leaves of it; false if `part` is no
/// part.
static bool cutOut(AxisRefs &axes, unsigned index, AxisRefAttr part,
                   spmd::MeshAttr mesh) {
  AxisRefAttr axis = axes[index];
  if (axis.getName() != part.getName())
    return false;
  int64_t begin = axis.getPre(), end = begin * axis.getSize(mesh);
  int64_t partBegin = part.getPre(), partEnd = partBegin * part.getSize(mesh);
  if (partBegin % begin != 0 || end % partEnd != 0)
    return false;
  AxisRefs rest;
  if (partBegin > begin)
    rest.push_back(getPart(axis, begin, partBegin / begin, mesh));
  if (end > partEnd)
    rest.push_back(getPart(axis, partEnd, end / partEnd, mesh));
  axes.erase(axes.begin() + index);
  axes.insert(axes.begin() + index, rest.begin(), rest.end());
  return true;
}

std::optional<AxisRefs> subtractAxes(ArrayRef<AxisRefAttr> axes,
                                     ArrayRef<AxisRefAttr> removed,
                                     spmd::MeshAttr mesh) {
  AxisRefs rest(axes);
  for (AxisRefAttr part : removed) {
    bool found = false;
    for (unsigned i = 0; i < rest.size() && !found; ++i)
      found = cutOut(rest, i, part, mesh);
    if (!found)
      return std::nullopt;
  }
  return rest;
}

bool haveCommonPart(ArrayRef<AxisRefAttr> a, ArrayRef<AxisRefAttr> b,
                    spmd::MeshAttr mesh) {
  return llvm::any_of(a, [&](AxisRefAttr axis) {
    return llvm::any_of(
        b, [&](AxisRefAttr other) { return axis.overlaps(other, mesh); });
  });
}

/// Appends `axis`, as one with the last where that is its major neighbour.
static void appendMerged(AxisRefs &axes, AxisRefAttr axis,
                         spmd::MeshAttr mesh) {
  if (!axes.empty()) {
    AxisRefAttr last = axes.back();
    int64_t size = last.getSize(mesh);
    if (last.getName() == axis.getName() &&
        last.getPre() * size == axis.getPre()) {
      axes.back() =
          getPart(axis, last.getPre(), size * axis.getSize(mesh), mesh);
      return;
    }
  }
  axes.push_back(axis);
}

ArrayAttr joinAxisLists(ArrayAttr major, ArrayAttr minor, spmd::MeshAttr mesh) {
  SmallVector<Attribute> joined;
  for (auto [first, second] : llvm::zip(major.getAsRange<AxisListAttr>(),
                                        minor.getAsRange<AxisListAttr>())) {
    AxisRefs axes(first.getAxes());
    for (AxisRefAttr axis : second.getAxes())
      appendMerged(axes, axis, mesh);
    joined.push_back(AxisListAttr::get(major.getContext(), axes));
  }
  return ArrayAttr::get(major.getContext(), joined);
}

std::optional<ArrayAttr> dropPrefixes(ArrayAttr lists, ArrayAttr prefixes) {
  if (lists.size() != prefixes.size())
    return std::nullopt;
  SmallVector<Attribute> rest;
  for (auto [list, prefix] : llvm::zip(lists.getAsRange<AxisListAttr>(),
                                       prefixes.getAsRange<AxisListAttr>())) {
    ArrayRef<AxisRefAttr> axes = list.getAxes(), begin = prefix.getAxes();
    if (begin.size() > axes.size() || axes.take_front(begin.size()) != begin)
      return std::nullopt;
    rest.push_back(
        AxisListAttr::get(lists.getContext(), axes.drop_front(begin.size())));
  }
  return ArrayAttr::get(lists.getContext(), rest);
}

std::optional<ArrayAttr> dropSuffixes(ArrayAttr lists, ArrayAttr suffixes,
                                      spmd::MeshAttr mesh) {
  if (lists.size() != suffixes.size())
    return std::nullopt;
  SmallVector<Attribute> rest;
  for (auto [list, suffix] : llvm::zip(lists.getAsRange<AxisListAttr>(),
                                       suffixes.getAsRange<AxisListAttr>())) {
    AxisRefs axes(list.getAxes());
    for (AxisRefAttr part : llvm::reverse(suffix.getAxes())) {
      if (axes.empty())
        return std::nullopt;
      int64_t end = part.getPre() * part.getSize(mesh);
      bool isMinor = axes.back().getPre() * axes.back().getSize(mesh) == end;
      if (!isMinor || !cutOut(axes, axes.size() - 1, part, mesh))
        return std::nullopt;
    }
    rest.push_back(AxisListAttr::get(lists.getContext(), axes));
  }
  return ArrayAttr::get(lists.getContext(), rest);
}

bool hasNoAxes(ArrayAttr lists) {
  return llvm::all_of(lists.getAsRange<AxisListAttr>(),
                      [](AxisListAttr list) { return list.empty(); });
}

std::optional<int64_t> findOnlyDim(ArrayAttr lists) {
  std::optional<int64_t> found;
  for (auto [dim, list] : llvm::enumerate(lists.getAsRange<AxisListAttr>())) {
    if (list.empty())
      continue;
    if (found)
      return std::nullopt;
    found = dim;
  }
  return found;
}

Operation *rebuildCollective(OpBuilder &b, Operation *op, ValueRange operands,
                             TypeRange resultTypes) {
  Operation *built = Operation::create(
      op->getLoc(), op->getName(), resultTypes, operands,
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      BlockRange(), /*numRegions=*/0);
  return b.insert(built);
}

void carryAttributes(Operation *from, Operation *to) {
  for (NamedAttribute attribute : from->getDiscardableAttrs())
    if (!to->getDiscardableAttr(attribute.getName()))
      to->setDiscardableAttr(attribute.getName(), attribute.getValue());
}

} // namespace partita
