// Thin conversions between spmd attributes and plain structures.
#include "partita/Sharding/SPMDConversion.h"

using namespace mlir;
using namespace partita;

Mesh partita::getMesh(spmd::MeshAttr mesh) {
  Mesh result;
  for (spmd::MeshAxisAttr axis : mesh.getAxes())
    result.axes.push_back({axis.getName().str(), axis.getSize(),
                           axis.getLatency(), axis.getBandwidth()});
  result.deviceOrder = mesh.getDeviceOrder();
  return result;
}

using SubAxisList = SmallVector<SubAxis, 4>;

/// Appends the sub-axes; false if the mesh lacks an axis.
static bool appendSubAxes(const Mesh &mesh, ArrayRef<spmd::AxisRefAttr> axes,
                          SubAxisList &result) {
  for (spmd::AxisRefAttr axis : axes) {
    int index = mesh.getAxisIndex(axis.getName());
    if (index < 0)
      return false;
    result.push_back({unsigned(index), axis.getPre(),
                      axis.isSubAxis() ? axis.getSubSize()
                                       : mesh.axes[index].size});
  }
  return true;
}

std::optional<AxisAtoms>
partita::buildAtoms(spmd::MeshAttr meshAttr,
                    ArrayRef<spmd::ShardingAttr> shardings,
                    ArrayRef<spmd::AxisListAttr> lists) {
  Mesh mesh = ::partita::getMesh(meshAttr);
  std::vector<SubAxisList> uses;
  for (spmd::ShardingAttr sharding : shardings) {
    SubAxisList use;
    for (spmd::DimShardingAttr dim : sharding.getDims())
      if (!appendSubAxes(mesh, dim.getAxes(), use))
        return std::nullopt;
    if (!appendSubAxes(mesh, sharding.getUnreduced(), use))
      return std::nullopt;
    uses.push_back(std::move(use));
  }
  for (spmd::AxisListAttr list : lists) {
    SubAxisList use;
    if (!appendSubAxes(mesh, list.getAxes(), use))
      return std::nullopt;
    uses.push_back(std::move(use));
  }
  return AxisAtoms::build(mesh, uses);
}

std::optional<Layout> partita::getLayout(const AxisAtoms &atoms,
                                         spmd::ShardingAttr sharding) {
  SubAxisList use;
  for (spmd::DimShardingAttr dim : sharding.getDims())
    if (!appendSubAxes(atoms.getMesh(), dim.getAxes(), use))
      return std::nullopt;
  if (!appendSubAxes(atoms.getMesh(), sharding.getUnreduced(), use))
    return std::nullopt;
  auto expanded = atoms.expand(use);
  if (!expanded)
    return std::nullopt;
  Layout layout(sharding.getDims().size());
  size_t next = 0;
  for (auto [dim, list] : llvm::zip(sharding.getDims(), layout.dims))
    for (size_t i = 0; i < dim.getAxes().size(); ++i)
      list.append((*expanded)[next++]);
  for (; next < expanded->size(); ++next)
    for (AtomId atom : (*expanded)[next])
      layout.unreduced |= atomBit(atom);
  layout.kind = sharding.getReductionKind();
  return canonicalize(atoms, layout);
}

static spmd::AxisRefAttr getAxisRef(MLIRContext *context, const Mesh &mesh,
                                    const SubAxis &part) {
  const MeshAxis &axis = mesh.axes[part.axis];
  bool isWhole = part.size == axis.size;
  return spmd::AxisRefAttr::get(context, axis.name, isWhole ? 0 : part.pre,
                                isWhole ? 0 : part.size);
}

SmallVector<spmd::AxisRefAttr> partita::getAxisRefs(MLIRContext *context,
                                                    const AxisAtoms &atoms,
                                                    ArrayRef<AtomId> list) {
  SmallVector<spmd::AxisRefAttr> result;
  for (const SubAxis &part : atoms.merge(list))
    result.push_back(getAxisRef(context, atoms.getMesh(), part));
  return result;
}

std::pair<spmd::AxisListAttr, spmd::AxisListAttr>
partita::getPermuteAxes(MLIRContext *context, const AxisAtoms &atoms,
                        ArrayRef<AtomId> source, ArrayRef<AtomId> target) {
  auto follows = [](ArrayRef<AtomId> list, AtomId first, AtomId second) {
    for (size_t i = 1; i < list.size(); ++i)
      if (list[i - 1] == first && list[i] == second)
        return true;
    return false;
  };
  auto getRefs = [&](ArrayRef<AtomId> list, ArrayRef<AtomId> other) {
    SmallVector<spmd::AxisRefAttr> refs;
    for (size_t begin = 0; begin < list.size();) {
      size_t end = begin + 1;
      while (end < list.size() && follows(other, list[end - 1], list[end]) &&
             atoms.merge(list.slice(begin, end + 1 - begin)).size() == 1)
        ++end;
      refs.push_back(getAxisRef(
          context, atoms.getMesh(),
          atoms.merge(list.slice(begin, end - begin)).front()));
      begin = end;
    }
    return spmd::AxisListAttr::get(context, refs);
  };
  return {getRefs(source, target), getRefs(target, source)};
}

spmd::AxisListAttr partita::getAxisList(MLIRContext *context,
                                        const AxisAtoms &atoms,
                                        ArrayRef<AtomId> list) {
  return spmd::AxisListAttr::get(context, getAxisRefs(context, atoms, list));
}

ArrayAttr partita::getAxisLists(MLIRContext *context, const AxisAtoms &atoms,
                                ArrayRef<AtomList> lists) {
  SmallVector<Attribute> result;
  for (const AtomList &list : lists)
    result.push_back(getAxisList(context, atoms, list));
  return ArrayAttr::get(context, result);
}

ArrayAttr partita::getAllToAllMoves(MLIRContext *context,
                                    const AxisAtoms &atoms,
                                    ArrayRef<AtomMove> moves) {
  SmallVector<Attribute> result;
  for (const AtomMove &move : moves)
    result.push_back(spmd::AllToAllParamAttr::get(
        context, getAxisRefs(context, atoms, move.atoms), int64_t(move.source),
        int64_t(move.target)));
  return ArrayAttr::get(context, result);
}

ArrayAttr partita::getIntervals(MLIRContext *context,
                                ArrayRef<ExchangeInterval> intervals) {
  SmallVector<Attribute> result;
  for (const ExchangeInterval &interval : intervals)
    result.push_back(spmd::IntervalAttr::get(context, interval.base,
                                             interval.step, interval.length));
  return ArrayAttr::get(context, result);
}

spmd::ShardingAttr partita::getSharding(MLIRContext *context,
                                        const AxisAtoms &atoms,
                                        const Layout &layout,
                                        FlatSymbolRefAttr meshName) {
  SmallVector<spmd::DimShardingAttr> dims;
  for (const AtomList &list : layout.dims)
    dims.push_back(spmd::DimShardingAttr::get(
        context, getAxisRefs(context, atoms, list), /*isClosed=*/true,
        /*priority=*/-1));
  AtomList unreduced;
  for (AtomMask mask = layout.unreduced; mask; mask &= mask - 1)
    unreduced.push_back(AtomId(llvm::countr_zero(mask)));
  llvm::sort(unreduced, [&](AtomId a, AtomId b) {
    return std::make_pair(atoms[a].axis, atoms[a].pre) <
           std::make_pair(atoms[b].axis, atoms[b].pre);
  });
  return spmd::ShardingAttr::get(context, meshName, dims,
                                 ArrayRef<spmd::AxisRefAttr>(),
                                 getAxisRefs(context, atoms, unreduced),
                                 layout.kind);
}
