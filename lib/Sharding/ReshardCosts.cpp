// Planners of a module's meshes behind an interface of attributes.

#include "partita/Sharding/ReshardCosts.h"

using namespace mlir;

namespace partita {

unsigned getElementBits(Type elementType) {
  if (auto complexType = dyn_cast<ComplexType>(elementType))
    return 2 * getElementBits(complexType.getElementType());
  if (!elementType.isIntOrFloat())
    return 64;
  return std::max(8u, elementType.getIntOrFloatBitWidth());
}

FailureOr<ReshardCosts> ReshardCosts::get(ModuleOp module, StringRef machine,
                                          StringRef objective) {
  ReshardCosts costs;
  costs.options.machine = lookupMachine(machine);
  if (!costs.options.machine) {
    InFlightDiagnostic diagnostic =
        module.emitError() << "unknown machine '" << machine << "'";
    Diagnostic &note = diagnostic.attachNote();
    note << "fix: use one of";
    for (const Machine &known : getMachines())
      note << " " << known.name;
    return diagnostic;
  }
  if (objective != "time" && objective != "bytes") {
    InFlightDiagnostic diagnostic =
        module.emitError() << "unknown objective '" << objective << "'";
    diagnostic.attachNote() << "fix: use time or bytes";
    return diagnostic;
  }
  costs.options.objective =
      objective == "time" ? Objective::Time : Objective::Bytes;
  for (auto mesh : module.getOps<spmd::MeshOp>())
    costs.planners[FlatSymbolRefAttr::get(mesh.getSymNameAttr())].mesh =
        mesh.getMesh();
  return std::move(costs);
}

spmd::MeshAttr ReshardCosts::getMesh(FlatSymbolRefAttr name) const {
  auto it = planners.find(name);
  return it == planners.end() ? nullptr : it->second.mesh;
}

static bool usesAxes(spmd::ShardingAttr sharding) {
  return sharding.hasShardedDim() || !sharding.getUnreduced().empty();
}

std::optional<std::pair<Layout, Layout>>
ReshardCosts::getLayouts(MeshPlanner &entry, spmd::ShardingAttr from,
                         spmd::ShardingAttr to) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (entry.planner) {
      const AxisAtoms &atoms = entry.planner->getAtoms();
      std::optional<Layout> a = getLayout(atoms, from), b = getLayout(atoms, to);
      if (a && b)
        return std::make_pair(std::move(*a), std::move(*b));
    }
    entry.seen.push_back(from);
    entry.seen.push_back(to);
    std::optional<AxisAtoms> atoms = buildAtoms(entry.mesh, entry.seen);
    if (!atoms)
      return std::nullopt;
    entry.planner = std::make_unique<ReshardPlanner>(std::move(*atoms), options);
  }
  return std::nullopt;
}

FailureOr<PlannedReshard> ReshardCosts::plan(spmd::ShardingAttr from,
                                             spmd::ShardingAttr to,
                                             RankedTensorType type) {
  FlatSymbolRefAttr meshName = usesAxes(from) ? from.getMesh() : to.getMesh();
  if (usesAxes(from) && usesAxes(to) && from.getMesh() != to.getMesh())
    return failure();
  auto onMesh = [&](spmd::ShardingAttr sharding) {
    return usesAxes(sharding)
               ? sharding
               : spmd::ShardingAttr::getReplicated(
                     type.getContext(), meshName.getValue(), type.getRank(),
                     /*isClosed=*/true);
  };
  auto it = planners.find(meshName);
  if (it == planners.end())
    return failure();
  MeshPlanner &entry = it->second;
  auto layouts = getLayouts(entry, onMesh(from), onMesh(to));
  if (!layouts)
    return failure();
  const ReshardPlan &plan =
      entry.planner->plan(layouts->first, layouts->second, type.getShape(),
                          getElementBits(type.getElementType()));
  return PlannedReshard{&plan, &entry.planner->getAtoms(), meshName};
}

double ReshardCosts::getReshardCost(spmd::ShardingAttr from,
                                    spmd::ShardingAttr to,
                                    RankedTensorType type) {
  if (from == to)
    return 0;
  FailureOr<PlannedReshard> planned = plan(from, to, type);
  if (failed(planned) || !planned->plan->feasible)
    return std::numeric_limits<double>::infinity();
  return options.objective == Objective::Time ? planned->plan->seconds
                                              : planned->plan->sentBytes;
}

double ReshardCosts::getLocalBytes(spmd::ShardingAttr sharding,
                                   RankedTensorType type) const {
  RankedTensorType local =
      sharding.getLocalType(type, getMesh(sharding.getMesh()));
  return double(local.getNumElements()) *
         getElementBits(type.getElementType()) / 8;
}

double ReshardCosts::getComputeCost(double flops, double bytes) const {
  double seconds = CostModel(*options.machine, options.objective)
                       .getComputeSeconds(flops, bytes);
  // Under `bytes` a second of work weighs less than a byte.
  return options.objective == Objective::Time ? seconds : seconds * 1e-3;
}

} // namespace partita
