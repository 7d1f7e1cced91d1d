// A promise about loops, from Import to placement.
#ifndef PARTITA_DIALECTS_SPMD_FREELOOPS_H
#define PARTITA_DIALECTS_SPMD_FREELOOPS_H

#include "llvm/ADT/StringRef.h"

namespace partita::spmd {

/// Unit attribute of a loop that goes on as long as some row goes on, while rows
/// that are done change nothing: devices need not agree when to leave it, unless
/// its body communicates.
constexpr llvm::StringLiteral kRowsRunFree = "spmd.rows_run_free";

} // namespace partita::spmd

#endif
