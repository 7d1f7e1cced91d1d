// Replica groups and partition numbers in terms of mesh axes. Permutations are
// in PermuteMatching.cpp.
#include "AxisMatching.h"

#include "MixedRadix.h"

using namespace mlir;
using namespace partita::spmd;

namespace partita {

SmallVector<int64_t> getDeviceIds(MeshAttr mesh) {
  SmallVector<int64_t> ids = mesh.getDeviceOrder();
  if (ids.empty())
    ids = llvm::to_vector(llvm::seq<int64_t>(0, mesh.getNumDevices()));
  return ids;
}

SmallVector<int64_t> getAxisSizes(MeshAttr mesh) {
  return llvm::map_to_vector(mesh.getAxes(),
                             [](MeshAxisAttr axis) { return axis.getSize(); });
}

static AxisRefAttr getAxisRef(MeshAttr mesh, const Digit &digit) {
  MeshAxisAttr axis = mesh.getAxes()[digit.axis];
  bool whole = digit.pre == 1 && digit.size == axis.getSize();
  return AxisRefAttr::get(mesh.getContext(), axis.getName(),
                          whole ? 0 : digit.pre, whole ? 0 : digit.size);
}

/// Digits behind matchAxisIndex.
static std::optional<SmallVector<Digit>>
matchIndexDigits(MeshAttr mesh, ArrayRef<int64_t> values) {
  if (values.empty() || values[0] != 0)
    return std::nullopt;
  auto digits = decomposeIntoDigits(getAxisSizes(mesh), values);
  return digits ? orderAsMixedRadix(std::move(*digits)) : std::nullopt;
}

std::optional<AxisRefs> matchAxisIndex(MeshAttr mesh,
                                       ArrayRef<int64_t> values) {
  auto digits = matchIndexDigits(mesh, values);
  if (!digits)
    return std::nullopt;
  return llvm::map_to_vector(
      *digits, [&](const Digit &digit) { return getAxisRef(mesh, digit); });
}

/// Groups as mesh positions, or nothing when they do not cover every device of
/// the mesh exactly once.
static std::optional<DeviceGroups>
getPositions(MeshAttr mesh, const DeviceGroups &groups, std::string &reason) {
  SmallVector<int64_t> ids = getDeviceIds(mesh);
  DenseMap<int64_t, int64_t> positionOf;
  for (auto [position, id] : llvm::enumerate(ids))
    positionOf[id] = position;
  DeviceGroups positions;
  SmallVector<bool> seen(ids.size(), false);
  size_t count = 0;
  for (const auto &group : groups) {
    if (group.size() != groups.front().size()) {
      reason = "the groups have different sizes";
      return std::nullopt;
    }
    auto &row = positions.emplace_back();
    for (int64_t id : group) {
      auto found = positionOf.find(id);
      if (found == positionOf.end()) {
        reason = "device " + std::to_string(id) + " is not on the mesh";
        return std::nullopt;
      }
      if (seen[found->second]) {
        reason = "device " + std::to_string(id) + " occurs twice";
        return std::nullopt;
      }
      seen[found->second] = true;
      ++count;
      row.push_back(found->second);
    }
  }
  if (count != ids.size()) {
    size_t missing = llvm::find(seen, false) - seen.begin();
    reason = "device " + std::to_string(ids[missing]) + " is in no group";
    return std::nullopt;
  }
  return positions;
}

std::optional<AxisRefs> matchGroups(MeshAttr mesh, const DeviceGroups &groups,
                                    bool ordered, std::string &reason) {
  auto positions = getPositions(mesh, groups, reason);
  if (!positions)
    return std::nullopt;
  SmallVector<int64_t> index(mesh.getNumDevices(), 0);
  for (auto &group : *positions) {
    if (!ordered)
      llvm::sort(group);
    for (auto [member, position] : llvm::enumerate(group))
      index[position] = member;
  }
  auto digits = matchIndexDigits(mesh, index);
  reason = "they are not the instances of any list of mesh axes";
  if (!digits) {
    if (ordered && matchGroups(mesh, groups, /*ordered=*/false, reason))
      reason = "the members of a group are not in the order of the mesh axes";
    return std::nullopt;
  }

  // The rest of the coordinates must be what tells the groups apart.
  SmallVector<int64_t> sizes = getAxisSizes(mesh);
  for (const auto &group : *positions) {
    int64_t base = -1;
    for (int64_t position : group) {
      int64_t rest = position;
      for (const Digit &digit : *digits)
        rest -= getDigitAt(digit, sizes, position) *
                getPositionStride(digit, sizes);
      if (base >= 0 && rest != base)
        return std::nullopt;
      base = rest;
    }
  }
  reason.clear();
  return llvm::map_to_vector(
      *digits, [&](const Digit &digit) { return getAxisRef(mesh, digit); });
}

} // namespace partita
