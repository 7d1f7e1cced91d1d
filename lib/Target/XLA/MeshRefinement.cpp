// Splits mesh axes into the parts that shardings use.

#include "MeshRefinement.h"
#include <set>

using namespace mlir;

namespace partita {

std::optional<MeshRefinement>
MeshRefinement::build(spmd::MeshAttr mesh,
                      ArrayRef<spmd::ShardingAttr> shardings) {
  MeshRefinement refinement;
  refinement.mesh = mesh;
  // Cuts of each axis: the products of sizes at which a part begins or ends.
  SmallVector<std::set<int64_t>> cuts(mesh.getAxes().size());
  for (auto [axis, set] : llvm::zip_equal(mesh.getAxes(), cuts))
    set = {1, axis.getSize()};
  auto cut = [&](ArrayRef<spmd::AxisRefAttr> axes) {
    for (spmd::AxisRefAttr axis : axes)
      if (axis.isSubAxis()) {
        auto &set = cuts[mesh.getAxisIndex(axis.getName())];
        set.insert(axis.getPre());
        set.insert(axis.getPre() * axis.getSize(mesh));
      }
  };
  for (spmd::ShardingAttr sharding : shardings) {
    for (spmd::DimShardingAttr dim : sharding.getDims())
      cut(dim.getAxes());
    cut(sharding.getUnreduced());
  }
  for (auto [axis, set] : llvm::zip_equal(mesh.getAxes(), cuts)) {
    SmallVector<Part> list;
    int64_t last = 1;
    for (int64_t cut : set) {
      if (cut % last != 0)
        return std::nullopt;
      if (cut != last)
        list.push_back({axis.getName().str(), last, cut / last});
      last = cut;
    }
    if (list.empty())
      list.push_back({axis.getName().str(), 1, 1});
    if (list.size() > 1)
      for (auto [index, part] : llvm::enumerate(list))
        part.name += "_" + std::to_string(index);
    refinement.parts.push_back(std::move(list));
  }
  return refinement;
}

sdy::MeshAttr MeshRefinement::getMesh() const {
  MLIRContext *context = mesh.getContext();
  SmallVector<sdy::MeshAxisAttr> axes;
  for (const auto &list : parts)
    for (const Part &part : list)
      axes.push_back(sdy::MeshAxisAttr::get(context, part.name, part.size));
  return sdy::MeshAttr::get(context, axes, mesh.getDeviceOrder());
}

SmallVector<StringAttr> MeshRefinement::getAxisNames() const {
  SmallVector<StringAttr> names;
  for (const auto &list : parts)
    for (const Part &part : list)
      names.push_back(StringAttr::get(mesh.getContext(), part.name));
  return names;
}

SmallVector<sdy::AxisRefAttr>
MeshRefinement::convertAxes(ArrayRef<spmd::AxisRefAttr> axes) const {
  SmallVector<sdy::AxisRefAttr> converted;
  for (spmd::AxisRefAttr axis : axes) {
    int64_t begin = axis.getPre(), end = begin * axis.getSize(mesh);
    for (const Part &part : parts[mesh.getAxisIndex(axis.getName())])
      if (part.pre >= begin && part.pre * part.size <= end)
        converted.push_back(
            sdy::AxisRefAttr::get(mesh.getContext(), part.name, 0, 0));
  }
  return converted;
}

std::optional<sdy::ReductionOp>
MeshRefinement::convertKind(spmd::ReductionKind kind) {
  switch (kind) {
  case spmd::ReductionKind::Add:
    return sdy::ReductionOp::SUM;
  case spmd::ReductionKind::Max:
    return sdy::ReductionOp::MAX;
  case spmd::ReductionKind::Min:
    return sdy::ReductionOp::MIN;
  default:
    return std::nullopt;
  }
}

sdy::ShardingAttr MeshRefinement::convert(spmd::ShardingAttr sharding,
                                          int64_t rank,
                                          FlatSymbolRefAttr meshName) const {
  MLIRContext *context = mesh.getContext();
  SmallVector<sdy::DimShardingAttr> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(sdy::DimShardingAttr::get(
        context,
        sharding ? convertAxes(sharding.getDims()[dim].getAxes())
                 : SmallVector<sdy::AxisRefAttr>(),
        /*isClosed=*/true, /*priority=*/-1));
  SmallVector<sdy::AxisRefAttr> unreduced;
  auto kind = sdy::ReductionOp::SUM;
  if (sharding) {
    unreduced = convertAxes(sharding.getUnreduced());
    kind = convertKind(sharding.getReductionKind()).value_or(kind);
  }
  return sdy::ShardingAttr::get(context, meshName, dims, {}, unreduced, kind);
}

} // namespace partita
