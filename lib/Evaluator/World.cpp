// Coordinates of devices on meshes.
#include "World.h"
#include "partita/Evaluator/Layout.h"

using namespace mlir;
using namespace partita;

World::World(World &parent, ArrayRef<unsigned> outer, Operation *region,
             spmd::MeshAttr mesh, ArrayRef<StringRef> axes)
    : numDevices(0), numReplicas(1), region(region), regionMesh(mesh) {
  for (unsigned parentDevice : outer) {
    // Axes that a region further out made manual keep their coordinates.
    SmallVector<int64_t> base(mesh.getAxes().size(), -1);
    if (parent.region) {
      SmallVector<int64_t> inherited =
          parent.getCoordinates(mesh, parentDevice);
      if (!inherited.empty())
        base = inherited;
    }
    SmallVector<SmallVector<int64_t>> points{base};
    for (auto [i, axis] : llvm::enumerate(mesh.getAxes())) {
      if (!llvm::is_contained(axes, axis.getName()))
        continue;
      SmallVector<SmallVector<int64_t>> next;
      for (const auto &point : points)
        for (int64_t c = 0; c < axis.getSize(); ++c) {
          next.push_back(point);
          next.back()[i] = c;
        }
      points = std::move(next);
    }
    for (auto &point : points) {
      coordinates.push_back(std::move(point));
      parentDevices.push_back(parentDevice);
    }
  }
  numDevices = coordinates.size();
}

SmallVector<int64_t> World::getCoordinates(spmd::MeshAttr mesh,
                                           unsigned device) const {
  if (!region)
    return getMeshCoordinates(mesh, device % getNumPartitions());
  if (mesh == regionMesh)
    return coordinates[device];
  // Another mesh of the same axes (e.g. without links).
  SmallVector<int64_t> found;
  for (spmd::MeshAxisAttr axis : mesh.getAxes()) {
    int64_t i = regionMesh.getAxisIndex(axis.getName());
    found.push_back(i < 0 || regionMesh.getAxes()[i].getSize() != axis.getSize()
                        ? -1
                        : coordinates[device][i]);
  }
  return found;
}

int64_t World::getPartition(unsigned device) const {
  if (!region)
    return device % getNumPartitions();
  int64_t position = 0;
  for (auto [axis, c] :
       llvm::zip_equal(regionMesh.getAxes(), coordinates[device]))
    position = position * axis.getSize() + std::max<int64_t>(c, 0);
  SmallVector<int64_t> order = regionMesh.getDeviceOrder();
  return order.empty() ? position : order[position];
}

int64_t World::getReplica(unsigned device) const {
  return region ? 0 : device / getNumPartitions();
}

int World::findDevice(int64_t replica, int64_t partition) const {
  if (!region)
    return replica < numReplicas && partition < getNumPartitions()
               ? int(replica * getNumPartitions() + partition)
               : -1;
  SmallVector<int64_t> wanted = getMeshCoordinates(regionMesh, partition);
  for (unsigned d = 0; d < numDevices && !wanted.empty(); ++d) {
    bool matches = true;
    for (auto [c, w] : llvm::zip_equal(coordinates[d], wanted))
      matches &= c < 0 || c == w;
    if (matches)
      return d;
  }
  return -1;
}

std::string World::describe(spmd::MeshAttr mesh, unsigned device) const {
  std::string text =
      "device " + std::to_string(region ? getPartition(device) : device);
  SmallVector<int64_t> point = getCoordinates(mesh, device);
  if (point.empty())
    return text;
  text += " (";
  bool first = true;
  for (auto [axis, c] : llvm::zip_equal(mesh.getAxes(), point)) {
    if (c < 0)
      continue;
    text +=
        (first ? "" : ", ") + axis.getName().str() + "=" + std::to_string(c);
    first = false;
  }
  return text + ")";
}
