// Conversion of sdy attributes; see the header.
#include "SdyAttributes.h"

using namespace mlir;

namespace partita {

SdyAttributes::SdyAttributes(ModuleOp module)
    : module(module), context(module.getContext()), symbols(module) {}

spmd::MeshAttr SdyAttributes::convert(sdy::MeshAttr mesh) {
  SmallVector<spmd::MeshAxisAttr> axes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    axes.push_back(spmd::MeshAxisAttr::get(context, axis.getName(),
                                           axis.getSize(), 0.0, 0.0));
  return spmd::MeshAttr::getWithOrder(context, axes, mesh.getDeviceIds());
}

void SdyAttributes::convertMeshes() {
  for (auto op : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>())) {
    sdy::MeshAttr mesh = op.getMesh();
    meshes[op.getSymName()] = mesh;
    OpBuilder builder(op);
    auto converted =
        spmd::MeshOp::create(builder, op.getLoc(), op.getSymNameAttr(),
                             /*sym_visibility=*/StringAttr(), convert(mesh));
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      converted->setDiscardableAttr(attribute.getName(), attribute.getValue());
    auto name = FlatSymbolRefAttr::get(op.getSymNameAttr());
    symbolOfMesh.try_emplace(mesh, name);
    if (!mainMesh && !mesh.getAxes().empty())
      mainMesh = name;
    symbols.remove(op);
    symbols.insert(converted);
    op.erase();
  }
}

FlatSymbolRefAttr SdyAttributes::addMesh(sdy::MeshAttr mesh) {
  auto &name = symbolOfMesh[mesh];
  if (name)
    return name;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  std::string base = "mesh";
  if (mesh.isMaximal())
    base = "maximal_mesh_" + std::to_string(mesh.getDeviceIds()[0]);
  auto op = spmd::MeshOp::create(
      builder, module.getLoc(), builder.getStringAttr(base),
      /*sym_visibility=*/StringAttr(), convert(mesh));
  name = FlatSymbolRefAttr::get(symbols.insert(op));
  if (!mainMesh && !mesh.getAxes().empty())
    mainMesh = name;
  return name;
}

sdy::MeshAttr SdyAttributes::getMesh(sdy::ShardingAttr sharding) const {
  if (FlatSymbolRefAttr name = sharding.getMeshName())
    return meshes.lookup(name.getValue());
  return dyn_cast<sdy::MeshAttr>(sharding.getMeshOrRef());
}

FlatSymbolRefAttr SdyAttributes::getMeshName(sdy::ShardingAttr sharding) {
  sdy::MeshAttr mesh = getMesh(sharding);
  if (!mesh || mesh.isEmpty())
    return {};
  if (FlatSymbolRefAttr name = sharding.getMeshName())
    return name;
  return addMesh(mesh);
}

SmallVector<spmd::AxisRefAttr>
SdyAttributes::convert(ArrayRef<sdy::AxisRefAttr> axes) {
  return llvm::map_to_vector(axes, [&](sdy::AxisRefAttr axis) {
    return spmd::AxisRefAttr::get(context, axis.getName(), axis.getPreSize(),
                                  axis.getSubSize());
  });
}

static spmd::ReductionKind convertKind(sdy::ReductionOp op) {
  switch (op) {
  case sdy::ReductionOp::SUM:
    return spmd::ReductionKind::Add;
  case sdy::ReductionOp::MAX:
    return spmd::ReductionKind::Max;
  case sdy::ReductionOp::MIN:
    return spmd::ReductionKind::Min;
  }
  return spmd::ReductionKind::Add;
}

spmd::ShardingAttr SdyAttributes::convert(sdy::ShardingAttr sharding, Type type,
                                          FlatSymbolRefAttr fallbackMesh) {
  FlatSymbolRefAttr name = getMeshName(sharding);
  if (!name)
    name = fallbackMesh ? fallbackMesh : mainMesh;
  if (!name) {
    // No mesh of the module has a device; keep the empty one.
    name = sharding.getMeshName();
    if (!name)
      name = addMesh(cast<sdy::MeshAttr>(sharding.getMeshOrRef()));
  }
  SmallVector<spmd::DimShardingAttr> dims;
  for (sdy::DimShardingAttr dim : sharding.getDims())
    dims.push_back(spmd::DimShardingAttr::get(
        context, convert(dim.getAxes()), dim.getIsClosed(), dim.getPriority()));
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(type))
    if (dims.empty())
      dims.assign(tensor.getRank(), spmd::DimShardingAttr::get(
                                        context, {}, /*isClosed=*/true, -1));
  SmallVector<spmd::AxisRefAttr> unreduced = convert(sharding.getUnreduced());
  return spmd::ShardingAttr::get(
      context, name, dims, convert(sharding.getReplicated()), unreduced,
      unreduced.empty() ? spmd::ReductionKind::Add
                        : convertKind(sharding.getReductionOp()));
}

ArrayAttr SdyAttributes::convert(sdy::ShardingPerValueAttr shardings,
                                 TypeRange types,
                                 FlatSymbolRefAttr fallbackMesh) {
  SmallVector<Attribute> converted;
  for (auto [index, sharding] : llvm::enumerate(shardings.getShardings()))
    converted.push_back(convert(
        sharding, index < types.size() ? types[index] : Type(), fallbackMesh));
  return ArrayAttr::get(context, converted);
}

DictionaryAttr SdyAttributes::convert(sdy::OpShardingRuleAttr rule) {
  Builder builder(context);
  auto factors = [&](ArrayRef<int64_t> list) -> Attribute {
    return builder.getDenseI64ArrayAttr(list);
  };
  auto mappings = [&](ArrayRef<sdy::TensorMappingAttr> list) -> Attribute {
    SmallVector<Attribute> tensors;
    for (sdy::TensorMappingAttr mapping : list) {
      SmallVector<Attribute> dims;
      for (sdy::DimMappingAttr dim : mapping.getDims())
        dims.push_back(factors(dim.getFactors()));
      tensors.push_back(builder.getArrayAttr(dims));
    }
    return builder.getArrayAttr(tensors);
  };
  NamedAttrList entries;
  entries.append("factor_sizes", factors(rule.getFactorSizes()));
  entries.append("operands", mappings(rule.getOperands()));
  entries.append("results", mappings(rule.getResults()));
  entries.append("reduction", factors(rule.getReduction()));
  entries.append("need_replication", factors(rule.getNeedReplication()));
  entries.append("permutation", factors(rule.getPermutation()));
  entries.append("blocked_propagation", factors(rule.getBlockedPropagation()));
  if (rule.getIsCustom())
    entries.append("custom", builder.getUnitAttr());
  return entries.getDictionary(context);
}

} // namespace partita
