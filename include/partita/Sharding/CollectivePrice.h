// What one collective of a per-device program costs by the cost model.
#ifndef PARTITA_SHARDING_COLLECTIVEPRICE_H
#define PARTITA_SHARDING_COLLECTIVEPRICE_H

#include "dialects/SPMD/SPMD.h"
#include "partita/Sharding/CostModel.h"

namespace partita {

/// Cost of one run of `op`, or of the collective in an spmd.start. Nothing for
/// any other op and for a collective that moves nothing.
CollectiveCost getCollectiveCost(mlir::Operation *op, const CostModel &model);

/// Cost of one over `axes` whose operands have `operandBytes` in all.
CollectiveCost getCollectiveCost(CollectiveKind kind, spmd::MeshAttr mesh,
                                 llvm::ArrayRef<spmd::AxisRefAttr> axes,
                                 double operandBytes, const CostModel &model);

/// Seconds of `op` that do not depend on its bytes: launch and hops.
double getCollectiveLatency(mlir::Operation *op, const CostModel &model);

} // namespace partita

#endif
