// Named meshes for device lists; see the header.
#include "MeshSynthesis.h"

using namespace mlir;
using namespace partita::spmd;

namespace partita {

void MeshSynthesis::note(const MhloSharding &sharding) {
  for (const MhloSharding &element : sharding.elements)
    note(element);
  if (!sharding.isTiled())
    return;
  auto digits = sharding.getDigits();
  if (!digits) {
    (void)getTarget(sharding);
    return;
  }
  auto &list = borders[sharding.getNumDevices()];
  for (const auto &tile : *digits)
    for (const Digit &digit : tile) {
      list.push_back(digit.stride);
      list.push_back(digit.stride * digit.size);
    }
}

MeshSynthesis::Target MeshSynthesis::addMesh(StringRef name, MeshAttr mesh) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto op =
      MeshOp::create(builder, module.getLoc(), builder.getStringAttr(name),
                     /*sym_visibility=*/StringAttr(), mesh);
  return {FlatSymbolRefAttr::get(symbols.insert(op)), mesh};
}

static MeshAttr buildMesh(MLIRContext *context, ArrayRef<int64_t> sizes,
                          ArrayRef<int64_t> devices) {
  SmallVector<MeshAxisAttr> axes;
  for (auto [index, size] : llvm::enumerate(sizes))
    axes.push_back(MeshAxisAttr::get(context, "axis_" + std::to_string(index),
                                     size, 0.0, 0.0));
  return devices.empty() ? MeshAttr::get(context, axes, {}, {}, {})
                         : MeshAttr::getWithOrder(context, axes, devices);
}

/// Whether `border` falls between two axes, or divides one evenly.
static bool isCompatible(int64_t border, ArrayRef<int64_t> borders) {
  return llvm::all_of(borders, [&](int64_t other) {
    return border % other == 0 || other % border == 0;
  });
}

void MeshSynthesis::createMeshes(int64_t numPartitions) {
  // A mesh that the module has already serves when every border is on it.
  for (auto op : module.getOps<MeshOp>()) {
    MeshAttr mesh = op.getMesh();
    bool isInOrder = mesh.getIotaDims().empty() && mesh.getDeviceIds().empty();
    if (!mesh.getAxes().empty() && isInOrder)
      meshes.try_emplace(
          mesh.getNumDevices(),
          Target{FlatSymbolRefAttr::get(op.getSymNameAttr()), mesh});
  }
  if (borders.empty() && meshes.empty() && irregular.empty())
    borders[std::max<int64_t>(numPartitions, 1)] = {};
  for (auto &[count, list] : borders) {
    list.push_back(1);
    list.push_back(count);
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
    SmallVector<int64_t> common;
    for (int64_t border : list)
      if (isCompatible(border, list))
        common.push_back(border);
    if (auto found = meshes.find(count); found != meshes.end()) {
      SmallVector<int64_t> existing = {1};
      for (MeshAxisAttr axis : llvm::reverse(found->second.mesh.getAxes()))
        existing.push_back(existing.back() * axis.getSize());
      if (llvm::all_of(existing, [&](int64_t border) {
            return isCompatible(border, list);
          }))
        continue;
    }
    SmallVector<int64_t> sizes;
    for (size_t i = common.size(); i-- > 1;)
      sizes.push_back(common[i] / common[i - 1]);
    if (sizes.empty())
      sizes.push_back(count);
    meshes[count] = addMesh("mesh", buildMesh(context, sizes, {}));
  }
  if (auto found = meshes.find(numPartitions); found != meshes.end())
    mainMesh = found->second.name;
  else if (!meshes.empty())
    mainMesh = meshes.rbegin()->second.name;
  else
    mainMesh = irregular.front().second.name;
}

MeshSynthesis::Target MeshSynthesis::getTarget(const MhloSharding &sharding) {
  if (sharding.getDigits())
    return meshes[sharding.getNumDevices()];
  for (const auto &[known, target] : irregular)
    if (known.tiles == sharding.tiles && known.devices == sharding.devices)
      return target;
  Target target =
      addMesh("mesh", buildMesh(context, sharding.tiles, sharding.devices));
  irregular.push_back({sharding, target});
  return target;
}

MeshAttr MeshSynthesis::getMesh(FlatSymbolRefAttr name) {
  auto op = symbols.lookup<MeshOp>(name.getAttr());
  return op ? op.getMesh() : MeshAttr();
}

FlatSymbolRefAttr MeshSynthesis::getMeshName(const MhloSharding &sharding) {
  return sharding.isTiled() ? getTarget(sharding).name : FlatSymbolRefAttr();
}

SmallVector<AxisRefAttr>
MeshSynthesis::getAxesOfTile(const MhloSharding &sharding, unsigned tile) {
  Target target = getTarget(sharding);
  SmallVector<AxisRefAttr> refs;
  auto digits = sharding.getDigits();
  if (!digits) {
    if (sharding.tiles[tile] > 1)
      refs.push_back(AxisRefAttr::get(
          context, target.mesh.getAxes()[tile].getName(), 0, 0));
    return refs;
  }
  // Each digit covers a range of strides of the device number; so does each
  // axis. Major to minor, take what they share.
  for (const Digit &digit : (*digits)[tile]) {
    int64_t high = target.mesh.getNumDevices();
    for (MeshAxisAttr axis : target.mesh.getAxes()) {
      int64_t low = high / axis.getSize();
      int64_t from = std::max(low, digit.stride);
      int64_t to = std::min(high, digit.stride * digit.size);
      if (from < to) {
        bool whole = from == low && to == high;
        refs.push_back(AxisRefAttr::get(context, axis.getName(),
                                        whole ? 0 : high / to,
                                        whole ? 0 : to / from));
      }
      high = low;
    }
  }
  return refs;
}

SmallVector<AxisRefAttr>
MeshSynthesis::getManualAxes(const MhloSharding &sharding,
                             FlatSymbolRefAttr mesh) {
  if (sharding.kind == MhloSharding::Kind::Manual)
    return spmd::getAllAxes(getMesh(mesh));
  int64_t dim = sharding.isTiled()
                    ? sharding.getSubgroupDim(MhloSharding::Subgroup::Manual)
                    : -1;
  return dim < 0 ? SmallVector<AxisRefAttr>() : getAxesOfTile(sharding, dim);
}

ShardingAttr MeshSynthesis::convert(const MhloSharding &sharding, int64_t rank,
                                    ArrayRef<int64_t> openDims) {
  FlatSymbolRefAttr name = mainMesh;
  SmallVector<SmallVector<AxisRefAttr>> axes(rank);
  SmallVector<AxisRefAttr> unreduced;
  switch (sharding.kind) {
  case MhloSharding::Kind::Replicated:
    break;
  case MhloSharding::Kind::Maximal: {
    auto &single = singleDevices[sharding.device];
    if (!single)
      single = addMesh("maximal_mesh_" + std::to_string(sharding.device),
                       MeshAttr::get(context, {}, {}, {}, {sharding.device}))
                   .name;
    name = single;
    break;
  }
  case MhloSharding::Kind::Tiled: {
    name = getTarget(sharding).name;
    for (int64_t dim = 0; dim < std::min(rank, sharding.getRank()); ++dim)
      axes[dim] = getAxesOfTile(sharding, dim);
    int64_t dim = sharding.getSubgroupDim(MhloSharding::Subgroup::Unreduced);
    if (dim >= 0)
      unreduced = getAxesOfTile(sharding, dim);
    break;
  }
  case MhloSharding::Kind::Unreduced:
    for (MeshAxisAttr axis : getMesh(mainMesh).getAxes())
      unreduced.push_back(AxisRefAttr::get(context, axis.getName(), 0, 0));
    break;
  case MhloSharding::Kind::Manual:
  case MhloSharding::Kind::Unknown:
  case MhloSharding::Kind::Tuple:
    return {};
  }
  SmallVector<DimShardingAttr> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(DimShardingAttr::get(
        context, axes[dim], !llvm::is_contained(openDims, dim), -1));
  return ShardingAttr::get(context, name, dims, {}, unreduced,
                           ReductionKind::Add);
}

} // namespace partita
