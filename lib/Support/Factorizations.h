// The factorizations among LAPACK's routines.
#ifndef PARTITA_LIB_SUPPORT_FACTORIZATIONS_H
#define PARTITA_LIB_SUPPORT_FACTORIZATIONS_H

#include "MatrixFactors.h"
#include "partita/Support/Lapack.h"

namespace partita {

/// An array of one or two dimensions; one is a column.
Matrix makeMatrix(const LapackArray &array);

// The operands of both are of the number and ranks that the routine takes.

/// runLapack of potrf, syevd, getrf and gesdd; false for others.
bool runFactorization(LapackRoutine routine, bool isLower,
                      const std::vector<LapackArray> &inputs,
                      std::vector<LapackArray> &outputs);

/// runLapack of geqrf, geqp3, orgqr, ormqr, gehrd and sytrd; false for others.
bool runHouseholder(LapackRoutine routine, const LapackOptions &options,
                    const std::vector<LapackArray> &inputs,
                    std::vector<LapackArray> &outputs);

} // namespace partita

#endif
