// Finds the mesh axes that replica groups, permutations and functions of the
// partition number stand for.
#ifndef PARTITA_LIB_IMPORT_AXISMATCHING_H
#define PARTITA_LIB_IMPORT_AXISMATCHING_H

#include "dialects/SPMD/SPMD.h"

namespace partita {

using AxisRefs = llvm::SmallVector<spmd::AxisRefAttr>;
using DeviceGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// Device ids of the mesh positions, the identity included.
llvm::SmallVector<int64_t> getDeviceIds(spmd::MeshAttr mesh);

/// Sizes of the axes of `mesh`.
llvm::SmallVector<int64_t> getAxisSizes(spmd::MeshAttr mesh);

/// The (sub-)axes, major to minor, over which the mixed-radix index of mesh
/// position p is `values[p]`; nothing when there are none. All zeros: no axes.
std::optional<AxisRefs> matchAxisIndex(spmd::MeshAttr mesh,
                                       llvm::ArrayRef<int64_t> values);

/// Axes whose instances are `groups` of device ids. With `ordered`, member k of
/// each group is the device with index k over the axes; without, the members
/// count as a set. On failure `reason` says what does not fit.
std::optional<AxisRefs> matchGroups(spmd::MeshAttr mesh,
                                    const DeviceGroups &groups, bool ordered,
                                    std::string &reason);

/// A permutation of devices in terms of mesh axes: one of spmd.permute's three
/// maps over `axes`. No axes: every device keeps its own value.
struct PermuteMatch {
  AxisRefs axes;
  llvm::SmallVector<int64_t> pairs;
  AxisRefs targetAxes;
  llvm::SmallVector<int64_t> shift;
  bool wrap = false;
};

/// Expresses (source, target) pairs of device ids over the fewest axes of
/// `mesh`: those along which something moves; where devices that differ
/// elsewhere do different things, the `preferred` axes (the manual ones), else
/// all. On failure `reason` says why.
std::optional<PermuteMatch>
matchPermute(spmd::MeshAttr mesh,
             llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs,
             llvm::ArrayRef<spmd::AxisRefAttr> preferred, std::string &reason);

} // namespace partita

#endif
