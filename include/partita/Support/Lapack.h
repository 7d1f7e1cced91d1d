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
  /// Eigenvalues: matrix -> values, left vectors, right vectors, status
  Geev = 6,
  /// The same of a real matrix: two results, real and imaginary parts, for the
  /// values
  RealGeev = 7,
  Trsm = 8, ///< triangle, right sides -> solutions
  /// Three diagonals, right sides -> the diagonals of U, solutions, status
  Gtsv = 9,
  /// reflectors, scales, matrix -> it times the orthogonal matrix
  Ormqr = 10,
  /// QR with column pivots: matrix, pivots from 1 or 0 -> reflectors, pivots,
  /// scales
  Geqp3 = 11,
  Gehrd = 12, ///< Hessenberg form: matrix -> form, scales, status
  /// Tridiagonal form: Hermitian matrix -> reflectors, diagonal, the one beside
  /// it, scales, status
  Sytrd = 13,
};

/// What a call's configuration says; by default what LAPACK's callers mostly
/// say.
struct LapackOptions {
  /// The triangle that potrf, syevd, trsm and sytrd read.
  bool isLower = true;
  // trsm: op(a) x = b rather than x op(a) = b; ones on the diagonal; op. ormqr:
  // q on the left; its adjoint.
  bool isLeft = true, isUnit = false, isTransposed = false,
       isConjugated = false;
  // geev.
  bool wantsLeftVectors = true, wantsRightVectors = true;

  /// As one number, and back.
  int64_t pack() const;
  static LapackOptions unpack(int64_t bits);
};

/// The routine of a custom call's target such as lapack_spotrf_ffi; -1 if it is
/// not known.
int64_t findLapackRoutine(std::string_view target);
/// The routine's name, the same for all types of numbers.
std::string_view getLapackName(LapackRoutine routine);
/// How many dimensions of operand or result `index` are no batch.
int64_t getLapackRank(LapackRoutine routine, bool isResult, int64_t index);

/// Reads `inputs` and fills `outputs`, whose shapes are given. False if the
/// shapes do not fit.
bool runLapack(LapackRoutine routine, const LapackOptions &options,
               const std::vector<LapackArray> &inputs,
               std::vector<LapackArray> &outputs);

} // namespace partita

#endif
