// Large constants of booleans, as this MLIR and JAX's write them.
//
// MLIR prints a dense constant of more than a hundred elements as the bytes
// that it holds. LLVM 22 holds eight booleans in a byte, the first in the
// lowest bit; later versions, such as JAX's, one in each byte. Neither reads
// what the other writes.
#ifndef PARTITA_PIPELINES_BOOLEANLITERALS_H
#define PARTITA_PIPELINES_BOOLEANLITERALS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace partita {

/// `text` with literals of one boolean a byte as eight a byte. What follows a
/// literal keeps its column. None: there is no such literal.
std::optional<std::string> packBooleanLiterals(llvm::StringRef text);

/// `text` with literals of eight booleans a byte as one a byte. None: there is
/// no such literal.
std::optional<std::string> unpackBooleanLiterals(llvm::StringRef text);

} // namespace partita

#endif
