// What propagation tells placement about signatures.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PROPOSEDLAYOUTS_H
#define PARTITA_TRANSFORMS_PROPAGATION_PROPOSEDLAYOUTS_H

#include "llvm/ADT/StringRef.h"

namespace partita {

/// Attributes of a public function, arrays of i64: its results and arguments
/// to which propagation gave a sharding that no user asked for, so that
/// placement may choose another. Gone after placement.
constexpr llvm::StringLiteral kProposedResults = "spmd.proposed_results";
constexpr llvm::StringLiteral kProposedArguments = "spmd.proposed_arguments";

} // namespace partita

#endif
