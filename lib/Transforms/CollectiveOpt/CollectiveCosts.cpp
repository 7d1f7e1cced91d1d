// Prices of collectives: kind, group and bytes of each op, handed to the model.

#include "CollectiveCosts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita {

FailureOr<CollectiveCosts> CollectiveCosts::get(ModuleOp module,
                                                StringRef machine,
                                                StringRef objective) {
  const Machine *found = lookupMachine(machine);
  if (!found || (objective != "time" && objective != "bytes")) {
    InFlightDiagnostic diagnostic =
        module.emitError()
        << "unknown "
        << (found ? "objective '" + objective : "machine '" + machine) << "'";
    diagnostic.attachNote()
        << "fix: use machine tpu-v5e, h100-nvlink or cpu, objective time or "
           "bytes";
    return diagnostic;
  }
  return CollectiveCosts(CostModel(
      *found, objective == "time" ? Objective::Time : Objective::Bytes));
}

double getOperandBytes(Operation *op) {
  double bytes = 0;
  for (Type type : op->getOperandTypes())
    bytes += double(spmd::getByteSize(type));
  return bytes;
}

double getResultBytes(Operation *op) {
  double bytes = 0;
  for (Type type : op->getResultTypes())
    bytes += double(spmd::getByteSize(type));
  return bytes;
}

static std::optional<CollectiveKind> getKind(Operation *op) {
  using Kind = std::optional<CollectiveKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<spmd::AllGatherOp>([](auto) { return CollectiveKind::AllGather; })
      .Case<spmd::AllReduceOp>([](auto) { return CollectiveKind::AllReduce; })
      .Case<spmd::ReduceScatterOp>(
          [](auto) { return CollectiveKind::ReduceScatter; })
      .Case<spmd::AllToAllOp, spmd::RaggedAllToAllOp>(
          [](auto) { return CollectiveKind::AllToAll; })
      .Case<spmd::PermuteOp>([](auto) { return CollectiveKind::Permute; })
      .Case<spmd::ExchangeOp>([](auto) { return CollectiveKind::Exchange; })
      .Case<spmd::BroadcastOp>([](auto) { return CollectiveKind::Broadcast; })
      .Case<spmd::AllSliceOp>([](auto) { return CollectiveKind::AllSlice; })
      .Case<spmd::ToUnreducedOp>(
          [](auto) { return CollectiveKind::ToUnreduced; })
      .Default([](Operation *) { return Kind(); });
}

static Group getGroup(spmd::MeshAttr mesh, ArrayRef<spmd::AxisRefAttr> axes) {
  Group group;
  for (spmd::AxisRefAttr axis : axes) {
    int64_t index = mesh.getAxisIndex(axis.getName());
    if (index < 0)
      continue;
    spmd::MeshAxisAttr whole = mesh.getAxes()[index];
    group.push_back(
        {axis.getSize(mesh), whole.getLatency(), whole.getBandwidth()});
  }
  return group;
}

CollectiveCost CollectiveCosts::getCost(CollectiveKind kind,
                                        spmd::MeshAttr mesh,
                                        ArrayRef<spmd::AxisRefAttr> axes,
                                        double operandBytes) const {
  return model.getCost(kind, getGroup(mesh, axes), operandBytes);
}

CollectiveCost CollectiveCosts::getCost(Operation *op) const {
  if (auto start = dyn_cast<spmd::StartOp>(op))
    return getCost(&start.getBody().front().front());
  std::optional<CollectiveKind> kind = getKind(op);
  auto collective = dyn_cast<spmd::CollectiveOpInterface>(op);
  if (!kind || !collective)
    return {};
  spmd::MeshAttr mesh = spmd::lookupMesh(op, collective.getMeshName());
  if (!mesh)
    return {};
  double bytes = *kind == CollectiveKind::Exchange
                     ? double(collective.getSentBytes(mesh))
                     : getOperandBytes(op);
  // A permute to itself and an exchange of what is there send nothing.
  if ((*kind == CollectiveKind::Permute || *kind == CollectiveKind::Exchange) &&
      collective.getSentBytes(mesh) == 0)
    return {};
  return getCost(*kind, mesh, collective.getCommunicationAxes(), bytes);
}

double CollectiveCosts::getLatency(Operation *op) const {
  auto collective = cast<spmd::CollectiveOpInterface>(op);
  std::optional<CollectiveKind> kind = getKind(op);
  spmd::MeshAttr mesh = spmd::lookupMesh(op, collective.getMeshName());
  if (!kind || !mesh)
    return 0;
  return getCost(*kind, mesh, collective.getCommunicationAxes(), 0).seconds;
}

bool CollectiveCosts::isCheaper(const CollectiveCost &after,
                                const CollectiveCost &before) const {
  double a = model.getPrimary(after), b = model.getPrimary(before);
  if (a != b)
    return a < b;
  return model.getSecondary(after) < model.getSecondary(before);
}

} // namespace partita
