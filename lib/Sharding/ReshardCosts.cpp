// Planners of a module's meshes behind an interface of attributes.

#include "partita/Sharding/ReshardCosts.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "partita/Sharding/CollectivePrice.h"
#include "partita/Sharding/ExchangeSchedule.h"
#include "partita/Sharding/IntervalFetch.h"
#include "partita/Support/MathExtras.h"

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
  FailureOr<CostModel> model = getCostModel(module, machine, objective);
  if (failed(model))
    return failure();
  ReshardCosts costs(std::move(*model));
  for (auto mesh : module.getOps<spmd::MeshOp>())
    costs.meshes[FlatSymbolRefAttr::get(mesh.getSymNameAttr())] =
        mesh.getMesh();
  costs.findManualCallees(module);
  return std::move(costs);
}

/// A function has one call site after import, so its region is known.
void ReshardCosts::findManualCallees(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    module.walk([&](CallOpInterface call) {
      auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
      spmd::AxisListAttr axes = callee ? getManualAxes(call) : nullptr;
      if (!axes)
        return;
      auto &known = manualCallees[callee.getLeafReference()];
      changed |= known != axes;
      known = axes;
    });
  }
}

spmd::AxisListAttr ReshardCosts::getManualAxes(Operation *op) const {
  SmallVector<spmd::AxisRefAttr> axes;
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp()) {
    if (auto manual = dyn_cast<spmd::ManualOp>(at))
      llvm::append_range(axes, manual.getManualAxes().getAxes());
    if (!isa<FunctionOpInterface>(at))
      continue;
    auto name = at->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (spmd::AxisListAttr around = manualCallees.lookup(name))
      llvm::append_range(axes, around.getAxes());
    break;
  }
  return axes.empty() ? nullptr
                      : spmd::AxisListAttr::get(op->getContext(), axes);
}

/// `mesh` as a region sees it that is manual along `axes`: those have size one,
/// so that no plan can use them.
static spmd::MeshAttr withoutAxes(spmd::MeshAttr mesh,
                                  spmd::AxisListAttr axes) {
  SmallVector<spmd::MeshAxisAttr> rest;
  for (spmd::MeshAxisAttr axis : mesh.getAxes()) {
    bool isManual = llvm::any_of(axes.getAxes(), [&](spmd::AxisRefAttr manual) {
      return manual.getName() == axis.getName();
    });
    rest.push_back(isManual ? spmd::MeshAxisAttr::get(
                                  mesh.getContext(), axis.getName(), 1,
                                  axis.getLatency(), axis.getBandwidth())
                            : axis);
  }
  return spmd::MeshAttr::get(mesh.getContext(), rest, {}, {}, {});
}

spmd::MeshAttr ReshardCosts::getMesh(FlatSymbolRefAttr name) const {
  return meshes.lookup(name);
}

const Layout *
ReshardCosts::MeshPlanner::getLayout(spmd::ShardingAttr sharding) {
  auto [it, isNew] = layouts.try_emplace(sharding);
  if (!isNew)
    return it->second.get();
  // Replicated on another mesh is replicated here.
  std::optional<Layout> layout =
      sharding.namesAxes() ? partita::getLayout(planner->getAtoms(), sharding)
                           : Layout(sharding.getRank());
  if (layout)
    it->second = std::make_unique<Layout>(std::move(*layout));
  return it->second.get();
}

bool ReshardCosts::MeshPlanner::makePlanner(spmd::ShardingAttr from,
                                            spmd::ShardingAttr to,
                                            const CostModel &model) {
  for (spmd::ShardingAttr sharding : {from, to})
    if (sharding.namesAxes())
      seen.push_back(sharding);
  std::optional<AxisAtoms> atoms = buildAtoms(mesh, seen);
  if (!atoms)
    return false;
  layouts.clear();
  ReshardOptions options;
  options.machine = model.getMachine();
  options.objective = model.getObjective();
  planner = std::make_unique<ReshardPlanner>(std::move(*atoms), options);
  return getLayout(from) && getLayout(to);
}

std::optional<ReshardCosts::OnMesh>
ReshardCosts::findPlanner(spmd::ShardingAttr from, spmd::ShardingAttr to,
                          RankedTensorType type,
                          spmd::AxisListAttr manualAxes) {
  FlatSymbolRefAttr meshName = from.namesAxes() ? from.getMesh() : to.getMesh();
  if (from.namesAxes() && to.namesAxes() && from.getMesh() != to.getMesh())
    return std::nullopt;
  spmd::MeshAttr mesh = getMesh(meshName);
  if (!mesh)
    return std::nullopt;
  MeshPlanner &entry = planners[{meshName.getAsOpaquePointer(),
                                 manualAxes.getAsOpaquePointer()}];
  if (!entry.mesh)
    entry.mesh = manualAxes ? withoutAxes(mesh, manualAxes) : mesh;
  bool canSay = entry.planner && entry.getLayout(from) && entry.getLayout(to);
  if (!canSay && !entry.makePlanner(from, to, model))
    return std::nullopt;
  return OnMesh{&entry, entry.getLayout(from), entry.getLayout(to)};
}

FailureOr<PlannedReshard> ReshardCosts::plan(spmd::ShardingAttr from,
                                             spmd::ShardingAttr to,
                                             RankedTensorType type,
                                             spmd::AxisListAttr manualAxes) {
  std::optional<OnMesh> found = findPlanner(from, to, type, manualAxes);
  if (!found)
    return failure();
  ReshardPlanner &planner = *found->entry->planner;
  const ReshardPlan &plan =
      planner.plan(*found->from, *found->to, type.getShape(),
                   getElementBits(type.getElementType()));
  return PlannedReshard{&plan, &planner.getAtoms(),
                        from.namesAxes() ? from.getMesh() : to.getMesh()};
}

const ReshardPlanner::Price &
ReshardCosts::price(spmd::ShardingAttr from, spmd::ShardingAttr to,
                    RankedTensorType type, spmd::AxisListAttr manualAxes) {
  ReshardKey key{{from.getAsOpaquePointer(), to.getAsOpaquePointer()},
                 {type.getAsOpaquePointer(), manualAxes.getAsOpaquePointer()}};
  auto [it, isNew] = reshardCosts.try_emplace(key);
  if (!isNew)
    return it->second;
  double none = std::numeric_limits<double>::infinity();
  it->second = {none, none, 0, false};
  std::optional<OnMesh> found = findPlanner(from, to, type, manualAxes);
  if (!found)
    return it->second;
  ReshardPlanner::Price price =
      found->entry->planner->price(*found->from, *found->to, type.getShape(),
                                   getElementBits(type.getElementType()));
  if (price.feasible)
    it->second = price;
  return it->second;
}

double ReshardCosts::getReshardCost(spmd::ShardingAttr from,
                                    spmd::ShardingAttr to,
                                    RankedTensorType type,
                                    spmd::AxisListAttr manualAxes) {
  if (from == to)
    return 0;
  return getByObjective(price(from, to, type, manualAxes));
}

double ReshardCosts::getFetchCost(spmd::ShardingAttr from,
                                  spmd::ShardingAttr to, RankedTensorType type,
                                  ArrayRef<spmd::BlockInterval> intervals,
                                  spmd::AxisListAttr manualAxes) {
  if (!from.namesAxes())
    return 0;
  SmallVector<DimMove> moves = classifyFetch(
      type.getShape(), from, to, getMesh(from.getMesh()), intervals);
  if (!llvm::is_contained(moves, DimMove::Exchange))
    return 0;
  std::optional<OnMesh> found = findPlanner(from, to, type, manualAxes);
  if (!found)
    return std::numeric_limits<double>::infinity();
  ReshardPlanner &planner = *found->entry->planner;
  CollectiveCost cost = priceExchange(
      planner.getAtoms(), planner.getCostModel(), *found->from, *found->to,
      type.getShape(), intervals, getElementBits(type.getElementType()),
      /*countsResult=*/false);
  return getByObjective(cost);
}

double ReshardCosts::getGatherCost(ArrayRef<spmd::AxisRefAttr> axes,
                                   spmd::MeshAttr mesh, double bytes) const {
  CollectiveCost cost =
      getCollectiveCost(CollectiveKind::AllGather, mesh, axes, bytes, model);
  return getByObjective(cost);
}

double ReshardCosts::getLocalBytes(spmd::ShardingAttr sharding,
                                   RankedTensorType type) const {
  // Without making the local type: this is asked for every label.
  spmd::MeshAttr mesh = getMesh(sharding.getMesh());
  double elements = 1;
  for (auto [size, dim] :
       llvm::zip_equal(type.getShape(), sharding.getDims())) {
    int64_t count = std::max<int64_t>(1, dim.getShardCount(mesh));
    elements *= double(ceilDiv(size, count));
  }
  return elements * getElementBits(type.getElementType()) / 8;
}

double ReshardCosts::getComputeCost(double flops, double bytes) const {
  double seconds = model.getComputeSeconds(flops, bytes);
  // Under `bytes` a second of work weighs less than a byte.
  return counted == Objective::Time ? seconds : seconds * 1e-3;
}

} // namespace partita
