// The random bits of one device's block, from counters of their own positions.
#ifndef PARTITA_LIB_OPMODELS_COUNTERBITS_H
#define PARTITA_LIB_OPMODELS_COUNTERBITS_H

#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/PartitionBuilder.h"

namespace partita {

/// Binds both results of `op` to values in which each device makes the bits of
/// its block alone, equal to those of the whole op. False, with nothing
/// emitted, for an algorithm or types of which the bits are not known.
bool partitionCounterBits(stablehlo::RngBitGeneratorOp op,
                          PartitionBuilder &builder);

} // namespace partita

#endif
