// Prices of collectives, by the objective of the pipeline.

#include "CollectiveCosts.h"

using namespace mlir;

namespace partita {

FailureOr<CollectiveCosts>
CollectiveCosts::get(ModuleOp module, StringRef machine, StringRef objective) {
  FailureOr<CostModel> model = getCostModel(module, machine, objective);
  if (failed(model))
    return failure();
  return CollectiveCosts(*model);
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
