// Whether a run fits into memory, told before anything is allocated.
#ifndef PARTITA_TOOLS_RUN_MEMORY_H
#define PARTITA_TOOLS_RUN_MEMORY_H

#include "Program.h"

namespace partita {

/// Bytes that this process may still allocate; `limit` of them at most (0: no
/// limit but the machine's).
int64_t getAvailableMemory(int64_t limit);

/// Fails with an error at main, which tells what needs how much, if machine
/// code of `program` does not fit into the available memory.
mlir::LogicalResult checkMemory(Program &program, int64_t limit);

} // namespace partita

#endif
