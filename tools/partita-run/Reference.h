// What a partition is compared with: the unsharded program on floats.
#ifndef PARTITA_TOOLS_RUN_REFERENCE_H
#define PARTITA_TOOLS_RUN_REFERENCE_H

#include "Program.h"

namespace partita {

/// FLOPs of the whole program, loops by their static trip count.
double estimateFlops(Program &program);

/// The unsharded program, ready to be compiled to machine code for one device;
/// nothing if it has per-device parts (manual regions, collectives).
std::optional<Program> makeUnsharded(Program &program,
                                     const PipelineOptions &options);

} // namespace partita

#endif
