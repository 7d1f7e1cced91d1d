// Memory of a plan before it is carried out.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_PEAKESTIMATE_H
#define PARTITA_TRANSFORMS_PLACEMENT_PEAKESTIMATE_H

#include "PlacementProblem.h"

namespace partita {

/// Bytes of one device at the point of the program where most lives: values in
/// the layouts that `problem` chose, from their definitions to their last uses,
/// and the copies that reshards make, from the first use of each to its last.
/// Nothing is fused, as in lib/Building/PeakMemory.
double estimatePeak(const ReshardCosts &costs, const ValueFlow &flow,
                    const PlacementProblem &problem);

} // namespace partita

#endif
