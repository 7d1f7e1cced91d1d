// Process groups of StableHLO collectives. Groups named by mesh axes are those
// of the devices that differ in these axes only, major axis first.
#include "dialects/StableHLO/ReplicaGroups.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::stablehlo {

/// The part of a device's position in the mesh that an axis reference reads:
/// (position / below) % size.
namespace {
struct Digit {
  int64_t below;
  int64_t size;
};
} // namespace

/// The digit that `ref` reads, or nothing if the mesh has no such axis.
static std::optional<Digit> getDigit(MeshAttr mesh, AxisRefAttr ref) {
  int64_t below = 1;
  for (MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    if (axis.getName() != ref.getName()) {
      below *= axis.getSize();
      continue;
    }
    SubAxisInfoAttr part = ref.getSubAxisInfo();
    if (!part)
      return Digit{below, axis.getSize()};
    int64_t above = part.getPreSize() * part.getSize();
    if (part.getPreSize() <= 0 || part.getSize() <= 0 ||
        axis.getSize() % above != 0)
      return std::nullopt;
    return Digit{below * (axis.getSize() / above), part.getSize()};
  }
  return std::nullopt;
}

/// Digits that the axes of `groups` read, in order.
static std::optional<SmallVector<Digit>>
getDigits(ReplicaGroupMeshAxesAttr groups, MeshAttr mesh) {
  SmallVector<Digit> digits;
  for (Attribute attr : groups.getAxes()) {
    auto ref = dyn_cast<AxisRefAttr>(attr);
    std::optional<Digit> digit = ref ? getDigit(mesh, ref) : std::nullopt;
    if (!digit)
      return std::nullopt;
    digits.push_back(*digit);
  }
  return digits;
}

static std::optional<ReplicaGroups>
expandMeshAxes(ReplicaGroupMeshAxesAttr groups) {
  auto mesh = dyn_cast<MeshAttr>(groups.getMesh());
  if (!mesh)
    return std::nullopt;
  std::optional<SmallVector<Digit>> digits = getDigits(groups, mesh);
  int64_t devices = 1;
  for (MeshAxisAttr axis : mesh.getAxes())
    devices *= axis.getSize();
  SmallVector<int64_t> ids;
  if (DenseIntElementsAttr given = mesh.getDeviceIds())
    for (const APInt &id : given.getValues<APInt>())
      ids.push_back(id.getSExtValue());
  else
    llvm::append_range(ids, llvm::seq<int64_t>(0, devices));
  if (!digits || static_cast<int64_t>(ids.size()) != devices)
    return std::nullopt;
  int64_t groupSize = 1;
  for (Digit digit : *digits)
    groupSize *= digit.size;
  ReplicaGroups result;
  for (int64_t base = 0; base < devices; ++base) {
    auto isFirst = [&](Digit digit) {
      return (base / digit.below) % digit.size == 0;
    };
    if (!llvm::all_of(*digits, isFirst))
      continue; // In the group of the device whose digits are all zero.
    SmallVector<int64_t> &group = result.emplace_back();
    for (int64_t member = 0; member < groupSize; ++member) {
      int64_t position = base, rest = member;
      for (Digit digit : llvm::reverse(*digits)) {
        position += (rest % digit.size) * digit.below;
        rest /= digit.size;
      }
      if (position >= devices)
        return std::nullopt; // Two references overlap.
      group.push_back(ids[position]);
    }
  }
  return result;
}

std::optional<ReplicaGroups> getReplicaGroups(Attribute replicaGroups) {
  if (auto axes = dyn_cast<ReplicaGroupMeshAxesAttr>(replicaGroups))
    return expandMeshAxes(axes);
  auto rows = dyn_cast<DenseIntElementsAttr>(replicaGroups);
  if (!rows || rows.getType().getRank() != 2)
    return std::nullopt;
  int64_t width = rows.getType().getDimSize(1);
  ReplicaGroups result;
  for (auto [index, id] : llvm::enumerate(rows.getValues<APInt>())) {
    if (static_cast<int64_t>(index) % width == 0)
      result.emplace_back();
    if (!id.isNegative()) // -1 fills up a group smaller than others.
      result.back().push_back(id.getSExtValue());
  }
  return result;
}

std::optional<int64_t> getReplicaGroupSize(Attribute replicaGroups) {
  std::optional<ReplicaGroups> groups = getReplicaGroups(replicaGroups);
  if (!groups || groups->empty())
    return std::nullopt;
  int64_t size = groups->front().size();
  for (const SmallVector<int64_t> &group : *groups)
    if (static_cast<int64_t>(group.size()) != size)
      return std::nullopt;
  return size;
}

} // namespace partita::stablehlo
