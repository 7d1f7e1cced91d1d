// What one collective of a per-device program costs by the cost model.
#ifndef PARTITA_SHARDING_COLLECTIVEPRICE_H
#define PARTITA_SHARDING_COLLECTIVEPRICE_H

#include "dialects/SPMD/SPMD.h"
#include "partita/Sharding/CostModel.h"

namespace partita {

/// Cost of one run of `op`, or of the collective in an spmd.start. Nothing for
/// any other op and for a collective that moves nothing.
CollectiveCost getCollectiveCost(mlir::Operation *op, const CostModel &model);

} // namespace partita

#endif
