// Prices of collectives, by the objective of the pipeline.

#include "CollectiveCosts.h"
#include "partita/Sharding/CollectivePrice.h"

using namespace mlir;

namespace partita {

FailureOr<CollectiveCosts>
CollectiveCosts::get(ModuleOp module, StringRef machine, StringRef objective) {
  const Machine *found = lookupMachine(machine);
  if (!found || (objective != "time" && objective != "bytes")) {
    InFlightDiagnostic diagnostic = module.emitError()
                                    << "unknown "
                                    << (found ? "objective '" + objective
                                              : "machine '" + machine)
                                    << "'";
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

CollectiveCost CollectiveCosts::getCost(CollectiveKind kind,
                                        spmd::MeshAttr mesh,
                                        ArrayRef<spmd::AxisRefAttr> axes,
                                        double operandBytes) const {
  return getCollectiveCost(kind, mesh, axes, operandBytes, model);
}

CollectiveCost CollectiveCosts::getCost(Operation *op) const {
  return getCollectiveCost(op, model);
}

double CollectiveCosts::getLatency(Operation *op) const {
  return getCollectiveLatency(op, model);
}

bool CollectiveCosts::isCheaper(const CollectiveCost &after,
                                const CollectiveCost &before) const {
  double a = model.getPrimary(after), b = model.getPrimary(before);
  if (a != b)
    return a < b;
  return model.getSecondary(after) < model.getSecondary(before);
}

} // namespace partita
