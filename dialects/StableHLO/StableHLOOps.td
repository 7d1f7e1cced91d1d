//===- StableHLOOps.td - all op families ----------------------------------===//

#ifndef PARTITA_DIALECTS_STABLEHLO_OPS_TD
#define PARTITA_DIALECTS_STABLEHLO_OPS_TD

include "dialects/StableHLO/CallOps.td"
include "dialects/StableHLO/CollectiveOps.td"
include "dialects/StableHLO/ContractionOps.td"
include "dialects/StableHLO/ControlFlowOps.td"
include "dialects/StableHLO/ElementwiseOps.td"
include "dialects/StableHLO/IndexingOps.td"
include "dialects/StableHLO/LinearAlgebraOps.td"
include "dialects/StableHLO/RandomOps.td"
include "dialects/StableHLO/ReductionOps.td"
include "dialects/StableHLO/ShapeOps.td"

#endif // PARTITA_DIALECTS_STABLEHLO_OPS_TD
