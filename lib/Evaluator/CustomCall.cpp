// Custom calls whose meaning is known: annotations, and LAPACK calls of JAX.
#include "Kernels.h"
#include "LinearAlgebra.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace partita;
using Complex = std::complex<double>;

/// Rotates a Hermitian matrix in the plane (p, q) so that entry (p, q) is zero,
/// and the vectors (columns) with it.
static void rotatePlane(std::vector<Complex> &a, std::vector<Complex> &vectors,
                        int64_t n, int64_t p, int64_t q) {
  double size = std::abs(a[p * n + q]);
  if (size < 1e-300)
    return;
  Complex phase = a[p * n + q] / size; // turns the entry real
  double theta =
      0.5 * std::atan2(2 * size, a[q * n + q].real() - a[p * n + p].real());
  double c = std::cos(theta), s = std::sin(theta);
  for (int64_t k = 0; k < n; ++k)
    for (std::vector<Complex> *columns : {&a, &vectors}) {
      Complex x = (*columns)[k * n + p];
      Complex y = (*columns)[k * n + q] * std::conj(phase);
      (*columns)[k * n + p] = c * x - s * y;
      (*columns)[k * n + q] = s * x + c * y;
    }
  for (int64_t k = 0; k < n; ++k) {
    Complex x = a[p * n + k], y = a[q * n + k] * phase;
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
}

/// The factor that makes the largest entry of a column positive.
static Complex getTurn(const std::vector<Complex> &vectors, int64_t n,
                       int64_t column) {
  int64_t largest = 0;
  for (int64_t i = 0; i < n; ++i)
    if (std::abs(vectors[i * n + column]) >
        std::abs(vectors[largest * n + column]) * (1 + 1e-9))
      largest = i;
  Complex head = vectors[largest * n + column];
  return head == Complex(0) ? Complex(1) : std::conj(head) / std::abs(head);
}

/// Eigenvalues and vectors (columns) of a Hermitian matrix by Jacobi rotations,
/// ascending.
static void factorHermitian(std::vector<Complex> &a,
                            std::vector<double> &values,
                            std::vector<Complex> &vectors, int64_t n) {
  vectors.assign(n * n, 0);
  for (int64_t i = 0; i < n; ++i)
    vectors[i * n + i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        off += std::norm(a[p * n + q]);
    if (off < 1e-300)
      break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q)
        rotatePlane(a, vectors, n, p, q);
  }
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, n));
  llvm::sort(order, [&](int64_t i, int64_t j) {
    double x = a[i * n + i].real(), y = a[j * n + j].real();
    return x != y ? x < y : i < j;
  });
  std::vector<Complex> sorted(n * n);
  values.resize(n);
  for (int64_t j = 0; j < n; ++j) {
    values[j] = a[order[j] * n + order[j]].real();
    Complex turn = getTurn(vectors, n, order[j]);
    for (int64_t i = 0; i < n; ++i)
      sorted[i * n + j] = vectors[i * n + order[j]] * turn;
  }
  vectors = std::move(sorted);
}

/// 'L' or 'U' of the call's configuration.
static bool isLower(Operation *op) {
  for (StringRef name : {"mhlo.backend_config", "backend_config"})
    if (auto config = op->getAttrOfType<DictionaryAttr>(name))
      if (auto uplo = config.getAs<IntegerAttr>("uplo"))
        return uplo.getInt() == 'L';
  return true;
}

/// Copies the named triangle to the other one.
static void makeHermitian(std::vector<Complex> &a, int64_t n, bool lower) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (lower)
        a[j * n + i] = std::conj(a[i * n + j]);
      else
        a[i * n + j] = std::conj(a[j * n + i]);
}

/// potrf and syevd: a batch of matrices to results and a status per matrix.
static LogicalResult evaluateLapack(KernelCall &call, bool isCholesky) {
  const Tensor &operand = call.operands[0];
  int64_t n = operand.getShape().back();
  int64_t batches = n == 0 ? 0 : operand.getNumElements() / (n * n);
  SmallVector<Tensor> results;
  for (unsigned i = 0; i < call.op->getNumResults(); ++i)
    results.push_back(Tensor::zeros(call.getResultType(i), call.isField()));
  if (call.field) {
    hashMatrices({operand}, batches, isCholesky ? "potrf" : "syevd", results,
                 *call.field);
    llvm::append_range(call.results, results);
    return success();
  }
  bool lower = isLower(call.op);
  for (int64_t b = 0; b < batches; ++b) {
    std::vector<Complex> a = readMatrix(operand, b * n * n, n * n);
    makeHermitian(a, n, lower);
    if (isCholesky) {
      bool works = factorCholesky(a, n);
      if (!lower) {
        std::vector<Complex> upper(n * n);
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < n; ++j)
            upper[j * n + i] = std::conj(a[i * n + j]);
        a = upper;
      }
      writeMatrix(results[0], b * n * n, a);
      if (results.size() > 1 && !works)
        results[1].mutableCells<int64_t>()[b] = 1;
      continue;
    }
    std::vector<double> values;
    std::vector<Complex> vectors;
    factorHermitian(a, values, vectors, n);
    writeMatrix(results[0], b * n * n, vectors);
    if (results.size() > 1)
      writeMatrix(results[1], b * n,
                  SmallVector<Complex>(values.begin(), values.end()));
  }
  llvm::append_range(call.results, results);
  return success();
}

static LogicalResult evaluateCustomCall(KernelCall &call) {
  StringRef target = cast<stablehlo::CustomCallOp>(call.op).getCallTargetName();
  enum Kind { Unknown, Identity, Cholesky, Eigen };
  Kind kind = llvm::StringSwitch<Kind>(target)
                  .Cases({"Sharding", "annotate_device_placement",
                          "xla.sdy.FuncResultSharding", "LayoutConstraint",
                          "xla.sdy.PropagationBarrier"},
                         Identity)
                  .Cases({"lapack_spotrf_ffi", "lapack_dpotrf_ffi",
                          "lapack_cpotrf_ffi", "lapack_zpotrf_ffi"},
                         Cholesky)
                  .Cases({"lapack_ssyevd_ffi", "lapack_dsyevd_ffi",
                          "lapack_cheevd_ffi", "lapack_zheevd_ffi"},
                         Eigen)
                  .Default(Unknown);
  if (kind == Identity && call.operands.size() == call.op->getNumResults()) {
    llvm::append_range(call.results, call.operands);
    return success();
  }
  bool isMatrix =
      (kind == Cholesky || kind == Eigen) && call.operands.size() == 1 &&
      call.operands[0].getTensorType() && call.operands[0].getRank() >= 2;
  if (isMatrix)
    return evaluateLapack(call, kind == Cholesky);
  InFlightDiagnostic diag = call.op->emitError()
                            << "the evaluator does not know the custom call '@"
                            << target << "'";
  diag.attachNote()
      << "fix: express it by StableHLO ops, e.g. as the decomposition of a "
         "stablehlo.composite";
  return failure();
}

void partita::registerCustomCallKernels(KernelTable &table) {
  table.add("stablehlo.custom_call", evaluateCustomCall);
}
