// spmd-unify-meshes: meshes over the same devices become one.
//
// Before: all that states a layout is spmd. After: shardings and manual regions
// on meshes whose axes are lists of (sub-)axes of one of them are written on
// that one, so that a value may go from a sharding on the one to a sharding on
// the other as it may between two of one mesh. A mesh of which that does not
// hold stays: values go there by a permute, where it differs in the order of
// its devices alone, or are refused (3x2 beside 2x3).

#include "AxisMatching.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "partita/Import/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_UNIFYMESHESPASS
#include "partita/Import/Passes.h.inc"

namespace {

/// What the axes of one mesh are on another: lists, major to minor.
using AxisMap = DenseMap<spmd::AxisRefAttr, AxisRefs>;

/// A mesh in use.
struct Usage {
  spmd::MeshAttr mesh;
  int64_t numShardings = 0;
  llvm::SmallSetVector<spmd::AxisRefAttr, 4> axes;
  /// Regions that are manual along axes of it.
  SmallVector<spmd::ManualOp> regions;
};

using Usages = llvm::MapVector<StringAttr, Usage>;
using AxisMaps = llvm::MapVector<StringAttr, AxisMap>;

} // namespace

/// The meshes with axes that shardings and regions of `module` are on.
static Usages collectMeshes(ModuleOp module) {
  SymbolTable symbols(module);
  Usages meshes;
  auto visit = [&](spmd::ShardingAttr sharding) {
    auto op = symbols.lookup<spmd::MeshOp>(sharding.getMesh().getAttr());
    if (!op || op.getMesh().getAxes().empty())
      return;
    Usage &usage = meshes[sharding.getMesh().getAttr()];
    usage.mesh = op.getMesh();
    ++usage.numShardings;
    for (spmd::DimShardingAttr dim : sharding.getDims())
      usage.axes.insert_range(dim.getAxes());
    usage.axes.insert_range(sharding.getReplicated());
    usage.axes.insert_range(sharding.getUnreduced());
  };
  module.walk([&](Operation *op) {
    // A walker visits an attribute once.
    AttrTypeWalker walker;
    walker.addWalk(visit);
    for (NamedAttribute attribute : op->getAttrDictionary())
      walker.walk(attribute.getValue());
    auto manual = dyn_cast<spmd::ManualOp>(op);
    FlatSymbolRefAttr name = manual ? manual.getMeshName() : nullptr;
    auto usage = name ? meshes.find(name.getAttr()) : meshes.end();
    if (usage == meshes.end())
      return;
    usage->second.regions.push_back(manual);
    usage->second.axes.insert_range(manual.getManualAxes().getAxes());
  });
  return meshes;
}

/// The list of (sub-)axes of `to` over which devices have the index that they
/// have over `axis` of `from`. Both meshes are over the same devices.
static std::optional<AxisRefs> mapAxis(spmd::AxisRefAttr axis,
                                       spmd::MeshAttr from, spmd::MeshAttr to) {
  int64_t index = from.getAxisIndex(axis.getName());
  int64_t size = axis.getSize(from);
  // Positions from one index over the axis to the next.
  int64_t stride = from.getAxisSize(axis.getName()) / (axis.getPre() * size);
  for (spmd::MeshAxisAttr minor : from.getAxes().drop_front(index + 1))
    stride *= minor.getSize();
  DenseMap<int64_t, int64_t> indexOf;
  for (auto [position, id] : llvm::enumerate(getDeviceIds(from)))
    indexOf[id] = position / stride % size;
  SmallVector<int64_t> indices =
      llvm::map_to_vector(getDeviceIds(to), [&](int64_t id) -> int64_t {
        auto found = indexOf.find(id);
        return found == indexOf.end() ? -1 : found->second;
      });
  if (llvm::is_contained(indices, -1))
    return std::nullopt;
  return matchAxisIndex(to, indices);
}

/// None where an axis in use is no list of axes of `to`, or a manual one is no
/// list of whole axes.
static std::optional<AxisMap> mapAxes(const Usage &from, spmd::MeshAttr to) {
  AxisMap map;
  // Whole on one device is whole on each: a function exported for one device is
  // called so.
  if (from.mesh.getNumDevices() == 1 && from.regions.empty())
    return map;
  if (from.mesh.getNumDevices() != to.getNumDevices())
    return std::nullopt;
  for (spmd::AxisRefAttr axis : from.axes) {
    std::optional<AxisRefs> parts = mapAxis(axis, from.mesh, to);
    if (!parts)
      return std::nullopt;
    map[axis] = *parts;
  }
  for (spmd::ManualOp region : from.regions) {
    AxisRefs parts;
    for (spmd::AxisRefAttr axis : region.getManualAxes().getAxes())
      llvm::append_range(parts, map[axis]);
    if (parts.empty() || llvm::any_of(parts, [](spmd::AxisRefAttr part) {
          return part.isSubAxis();
        }))
      return std::nullopt;
  }
  return map;
}

/// The meshes that can be written on `to`.
static AxisMaps mapMeshes(const Usages &meshes, StringAttr to) {
  AxisMaps maps;
  spmd::MeshAttr mesh = meshes.find(to)->second.mesh;
  for (const auto &[name, usage] : meshes)
    if (name != to)
      if (std::optional<AxisMap> map = mapAxes(usage, mesh))
        maps.insert({name, std::move(*map)});
  return maps;
}

/// `axes` on `mesh`; parts of one axis that follow each other are joined.
static AxisRefs replaceAxes(ArrayRef<spmd::AxisRefAttr> axes,
                            const AxisMap &map, spmd::MeshAttr mesh) {
  AxisRefs replaced;
  for (spmd::AxisRefAttr axis : axes)
    for (spmd::AxisRefAttr part : map.lookup(axis))
      spmd::appendAxis(replaced, part, mesh);
  return replaced;
}

static spmd::ShardingAttr replaceMesh(spmd::ShardingAttr sharding,
                                      const AxisMap &map, StringAttr to,
                                      spmd::MeshAttr mesh) {
  SmallVector<spmd::DimShardingAttr> dims;
  for (spmd::DimShardingAttr dim : sharding.getDims())
    dims.push_back(spmd::DimShardingAttr::get(
        sharding.getContext(), replaceAxes(dim.getAxes(), map, mesh),
        dim.getIsClosed(), dim.getPriority()));
  return spmd::ShardingAttr::get(
      sharding.getContext(), FlatSymbolRefAttr::get(to), dims,
      replaceAxes(sharding.getReplicated(), map, mesh),
      replaceAxes(sharding.getUnreduced(), map, mesh),
      sharding.getReductionKind());
}

/// Writes all that is on the meshes of `maps` on mesh `to`.
static void rewrite(ModuleOp module, const Usages &meshes, const AxisMaps &maps,
                    StringAttr to) {
  spmd::MeshAttr mesh = meshes.find(to)->second.mesh;
  for (const auto &[name, map] : maps)
    for (spmd::ManualOp region : meshes.find(name)->second.regions) {
      AxisRefs axes = replaceAxes(region.getManualAxes().getAxes(), map, mesh);
      llvm::sort(axes, [&](spmd::AxisRefAttr a, spmd::AxisRefAttr b) {
        return mesh.getAxisIndex(a.getName()) < mesh.getAxisIndex(b.getName());
      });
      region.setManualAxesAttr(
          spmd::AxisListAttr::get(module.getContext(), axes));
    }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](spmd::ShardingAttr sharding) {
    auto map = maps.find(sharding.getMesh().getAttr());
    return map == maps.end() ? sharding
                             : replaceMesh(sharding, map->second, to, mesh);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true);
}

namespace {

struct UnifyMeshes : impl::UnifyMeshesPassBase<UnifyMeshes> {
  using UnifyMeshesPassBase::UnifyMeshesPassBase;

  void runOnOperation() override {
    auto hasAxes = [](spmd::MeshOp op) {
      return !op.getMesh().getAxes().empty();
    };
    if (llvm::count_if(getOperation().getOps<spmd::MeshOp>(), hasAxes) < 2)
      return;
    Usages meshes = collectMeshes(getOperation());
    // The one on which most others can be written; of several the one that the
    // program uses most, so that its axes keep their names.
    StringAttr best;
    AxisMaps bestMaps;
    int64_t mostShardings = 0;
    for (const auto &[name, usage] : meshes) {
      AxisMaps maps = mapMeshes(meshes, name);
      if (std::pair(maps.size(), usage.numShardings) <=
          std::pair(bestMaps.size(), mostShardings))
        continue;
      best = name;
      bestMaps = std::move(maps);
      mostShardings = usage.numShardings;
    }
    if (bestMaps.empty())
      return;
    rewrite(getOperation(), meshes, bestMaps, best);
    numUnified += bestMaps.size();
  }
};

} // namespace

} // namespace partita
