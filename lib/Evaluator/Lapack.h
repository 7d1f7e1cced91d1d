// The LAPACK calls that JAX makes on CPUs, on batches of matrices.
#ifndef PARTITA_LIB_EVALUATOR_LAPACK_H
#define PARTITA_LIB_EVALUATOR_LAPACK_H

#include "Kernels.h"

namespace partita {

/// Evaluates `lapack_<letter><routine>_ffi` if the routine is known and its
/// operands have the shapes it takes; else returns false and leaves no results.
bool evaluateLapackRoutine(KernelCall &call, llvm::StringRef target);

} // namespace partita

#endif
