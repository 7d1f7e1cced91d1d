// Which devices have the effects of an op, from Import to partition.
#ifndef PARTITA_DIALECTS_SPMD_EFFECTS_H
#define PARTITA_DIALECTS_SPMD_EFFECTS_H

#include "llvm/ADT/StringRef.h"

namespace partita::spmd {

/// i64 attribute of an op on whole arrays: the number of the one device that
/// runs it.
constexpr llvm::StringLiteral kDevice = "spmd.device";

/// Unit attribute of an op in a region that is manual along all axes: each
/// device runs it, as the region says.
constexpr llvm::StringLiteral kEachDevice = "spmd.each_device";

} // namespace partita::spmd

#endif
