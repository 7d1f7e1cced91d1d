// The LAPACK routines that JAX calls, on one matrix each. Double precision.
#ifndef PARTITA_SUPPORT_LAPACK_H
#define PARTITA_SUPPORT_LAPACK_H

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

namespace partita {

/// Values of one matrix, vector or number, row major. Status words are numbers
/// as well.
struct LapackArray {
  std::vector<int64_t> shape;
  std::vector<std::complex<double>> values;
};

enum class LapackRoutine : int64_t {
  Potrf = 0, ///< Cholesky: matrix -> factor, status
  Syevd = 1, ///< Hermitian eigenvalues: matrix -> vectors, values, status
  Getrf = 2, ///< LU: matrix -> factors, pivots from 1, status
  Geqrf = 3, ///< QR: matrix -> reflectors, scales
  Orgqr = 4, ///< reflectors, scales -> the orthogonal matrix
  Gesdd = 5, ///< SVD: matrix -> matrix, values, u, vt, status
};

/// The routine of a custom call's target such as lapack_spotrf_ffi; -1 if it is
/// not known.
int64_t findLapackRoutine(std::string_view target);
/// How many dimensions of operand or result `index` are no batch.
int64_t getLapackRank(LapackRoutine routine, bool isResult, int64_t index);

/// Reads `inputs` and fills `outputs`, whose shapes are given. `isLower` says
/// which triangle potrf and syevd read. False if the shapes do not fit.
bool runLapack(LapackRoutine routine, bool isLower,
               const std::vector<LapackArray> &inputs,
               std::vector<LapackArray> &outputs);

} // namespace partita

#endif
