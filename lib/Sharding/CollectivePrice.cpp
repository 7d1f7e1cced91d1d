// Kind, group and bytes of a collective op, handed to the cost model.
#include "partita/Sharding/CollectivePrice.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita {

FailureOr<CostModel> getCostModel(ModuleOp module, StringRef machine,
                                  StringRef objective) {
  std::optional<Machine> found =
      parseMachine(machine, [&](const Twine &problem, const Twine &fix) {
        module.emitError(problem).attachNote() << "fix: " << fix;
      });
  if (!found)
    return failure();
  if (objective != "time" && objective != "bytes") {
    InFlightDiagnostic diagnostic = module.emitError() << "unknown objective '"
                                                       << objective << "'";
    diagnostic.attachNote() << "fix: use time or bytes";
    return diagnostic;
  }
  return CostModel(std::move(*found),
                   objective == "time" ? Objective::Time : Objective::Bytes);
}

static double getBytes(TypeRange types) {
  double bytes = 0;
  for (Type type : types)
    bytes += double(spmd::getByteSize(type));
  return bytes;
}

double getOperandBytes(Operation *op) {
  return getBytes(op->getOperandTypes());
}
double getResultBytes(Operation *op) { return getBytes(op->getResultTypes()); }

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

Group getGroup(spmd::MeshAttr mesh, ArrayRef<spmd::AxisRefAttr> axes) {
  Group group;
  for (spmd::AxisRefAttr axis : axes)
    if (int64_t index = mesh.getAxisIndex(axis.getName()); index >= 0)
      group.push_back({axis.getSize(mesh), mesh.getAxes()[index].getLatency(),
                       mesh.getAxes()[index].getBandwidth()});
  return group;
}

CollectiveCost getCollectiveCost(CollectiveKind kind, spmd::MeshAttr mesh,
                                 ArrayRef<spmd::AxisRefAttr> axes,
                                 double operandBytes, const CostModel &model) {
  return model.getCost(kind, getGroup(mesh, axes), operandBytes);
}

CollectiveCost getCollectiveCost(Operation *op, const CostModel &model) {
  if (auto start = dyn_cast<spmd::StartOp>(op))
    return getCollectiveCost(&start.getBody().front().front(), model);
  std::optional<CollectiveKind> kind = getKind(op);
  auto collective = dyn_cast<spmd::CollectiveOpInterface>(op);
  spmd::MeshAttr mesh =
      kind ? spmd::lookupMesh(op, collective.getMeshName()) : spmd::MeshAttr();
  if (!mesh)
    return {};
  double sent = double(collective.getSentBytes(mesh));
  bool isLocal =
      *kind == CollectiveKind::AllSlice || *kind == CollectiveKind::ToUnreduced;
  if (sent == 0 && !isLocal)
    return {};
  return getCollectiveCost(
      *kind, mesh, collective.getCommunicationAxes(),
      *kind == CollectiveKind::Exchange ? sent : getOperandBytes(op), model);
}

double getCollectiveLatency(Operation *op, const CostModel &model) {
  std::optional<CollectiveKind> kind = getKind(op);
  auto collective = dyn_cast<spmd::CollectiveOpInterface>(op);
  spmd::MeshAttr mesh =
      kind ? spmd::lookupMesh(op, collective.getMeshName()) : spmd::MeshAttr();
  if (!mesh)
    return 0;
  return getCollectiveCost(*kind, mesh, collective.getCommunicationAxes(), 0,
                           model)
      .seconds;
}

} // namespace partita
