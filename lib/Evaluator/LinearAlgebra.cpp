// cholesky, triangular_solve and the LAPACK calls that JAX makes. On floats in
// f64; on the field, triangular_solve is exact, and factorisations, which take
// square roots, are fixed functions of the whole matrix.
#include "LinearAlgebra.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include <cmath>

using namespace mlir;
using namespace partita;
using Complex = std::complex<double>;

//===----------------------------------------------------------------------===//
// Cells as complex doubles
//===----------------------------------------------------------------------===//

std::vector<Complex> partita::readMatrix(const Tensor &tensor, int64_t begin,
                                         int64_t count) {
  std::vector<Complex> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = tensor.getKind() == CellKind::Complex
                    ? tensor.cells<Complex>()[begin + i]
                    : Complex(tensor.getAsDouble(begin + i, nullptr));
  return values;
}

void partita::writeMatrix(Tensor &tensor, int64_t begin,
                          ArrayRef<Complex> values) {
  Type element = tensor.getElementType();
  for (auto [i, value] : llvm::enumerate(values)) {
    switch (tensor.getKind()) {
    case CellKind::Float32:
      tensor.mutableCells<float>()[begin + i] =
          float(roundToType(value.real(), cast<FloatType>(element)));
      break;
    case CellKind::Float64:
      tensor.mutableCells<double>()[begin + i] = value.real();
      break;
    case CellKind::Complex:
      tensor.mutableCells<Complex>()[begin + i] =
          cast<ComplexType>(element).getElementType().isF32()
              ? Complex(float(value.real()), float(value.imag()))
              : value;
      break;
    case CellKind::Int64: // a status or a pivot
      tensor.mutableCells<int64_t>()[begin + i] = int64_t(value.real());
      break;
    default:
      break;
    }
  }
}

void partita::hashMatrices(ArrayRef<Tensor> inputs, int64_t batches,
                           StringRef name, MutableArrayRef<Tensor> results,
                           const Field &field) {
  for (int64_t b = 0; b < batches; ++b) {
    uint64_t digest = field.functionKey(name);
    for (const Tensor &input : inputs) {
      int64_t words = input.getNumBytes() / 8 / std::max<int64_t>(batches, 1);
      for (int64_t i = 0; i < words; ++i)
        digest = field.mix(digest, input.cells<uint64_t>()[b * words + i], i);
    }
    for (auto [r, result] : llvm::enumerate(results)) {
      if (result.getKind() == CellKind::Int64)
        continue; // status words stay zero
      int64_t words = result.getNumBytes() / 8 / std::max<int64_t>(batches, 1);
      for (int64_t i = 0; i < words; ++i)
        result.mutableCells<uint64_t>()[b * words + i] =
            field.hash(digest, r, i);
    }
  }
}

//===----------------------------------------------------------------------===//
// cholesky
//===----------------------------------------------------------------------===//

bool partita::factorCholesky(std::vector<Complex> &a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    Complex diagonal = a[j * n + j];
    for (int64_t k = 0; k < j; ++k)
      diagonal -= std::norm(a[j * n + k]);
    if (!(diagonal.real() > 0)) {
      std::fill(a.begin(), a.end(), Complex(NAN));
      return false;
    }
    double root = std::sqrt(diagonal.real());
    a[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      Complex sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k)
        sum -= a[i * n + k] * std::conj(a[j * n + k]);
      a[i * n + j] = sum / root;
    }
    for (int64_t i = 0; i < j; ++i)
      a[i * n + j] = 0;
  }
  return true;
}

/// Conjugate transpose.
static std::vector<Complex> adjoint(const std::vector<Complex> &a, int64_t n) {
  std::vector<Complex> result(n * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      result[j * n + i] = std::conj(a[i * n + j]);
  return result;
}

/// Zeroes the strict upper (or lower) triangle.
template <typename T> static void clearTriangle(T *a, int64_t n, bool upper) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (upper ? j > i : j < i)
        a[i * n + j] = T{};
}

static LogicalResult evaluateCholesky(KernelCall &call) {
  auto op = cast<stablehlo::CholeskyOp>(call.op);
  const Tensor &operand = call.operands[0];
  int64_t n = operand.getShape().back();
  int64_t batches = n == 0 ? 0 : operand.getNumElements() / (n * n);
  Tensor result = Tensor::zeros(call.getResultType(), call.isField());
  if (call.field) {
    // Only the named triangle counts.
    Tensor triangle = operand;
    for (int64_t b = 0; b < batches; ++b)
      if (triangle.getKind() == CellKind::ComplexField)
        clearTriangle(triangle.mutableCells<FieldComplex>() + b * n * n, n,
                      op.getLower());
      else
        clearTriangle(triangle.mutableCells<uint64_t>() + b * n * n, n,
                      op.getLower());
    hashMatrices({triangle}, batches, "cholesky", result, *call.field);
    for (int64_t b = 0; b < batches; ++b)
      if (result.getKind() == CellKind::ComplexField)
        clearTriangle(result.mutableCells<FieldComplex>() + b * n * n, n,
                      op.getLower());
      else
        clearTriangle(result.mutableCells<uint64_t>() + b * n * n, n,
                      op.getLower());
    call.results.push_back(std::move(result));
    return success();
  }
  for (int64_t b = 0; b < batches; ++b) {
    std::vector<Complex> a = readMatrix(operand, b * n * n, n * n);
    if (!op.getLower())
      a = adjoint(a, n);
    factorCholesky(a, n);
    writeMatrix(result, b * n * n, op.getLower() ? a : adjoint(a, n));
  }
  call.results.push_back(std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// triangular_solve
//===----------------------------------------------------------------------===//

namespace {
struct FloatOps {
  using Number = Complex;
  static Number sub(Number a, Number b) { return a - b; }
  static Number mul(Number a, Number b) { return a * b; }
  static Number div(Number a, Number b) { return a / b; }
  static Number conj(Number a) { return std::conj(a); }
};
struct FieldOps {
  using Number = FieldComplex;
  const Field &f;
  Number sub(Number a, Number b) const {
    return {f.sub(a.re, b.re), f.sub(a.im, b.im)};
  }
  Number mul(Number a, Number b) const {
    return {f.sub(f.mul(a.re, b.re), f.mul(a.im, b.im)),
            f.add(f.mul(a.re, b.im), f.mul(a.im, b.re))};
  }
  Number conj(Number a) const { return {a.re, f.neg(a.im)}; }
  Number div(Number a, Number b) const {
    Number product = mul(a, conj(b));
    Field::Word norm = f.add(f.mul(b.re, b.re), f.mul(b.im, b.im));
    return {f.div(product.re, norm), f.div(product.im, norm)};
  }
};

/// Solves op(a) x = b for the columns of b [n, m], in place.
template <typename Ops> struct Solver {
  using Number = typename Ops::Number;
  Ops ops;
  const Number *a;
  int64_t n;
  bool lower, unit, transposed, conjugated;

  Number at(int64_t i, int64_t j) const {
    Number value = transposed ? a[j * n + i] : a[i * n + j];
    return conjugated ? ops.conj(value) : value;
  }
  void solve(Number *b, int64_t m) const {
    bool forward = lower != transposed;
    for (int64_t step = 0; step < n; ++step) {
      int64_t i = forward ? step : n - 1 - step;
      for (int64_t c = 0; c < m; ++c) {
        Number sum = b[i * m + c];
        for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : n); ++k)
          sum = ops.sub(sum, ops.mul(at(i, k), b[k * m + c]));
        b[i * m + c] = unit ? sum : ops.div(sum, at(i, i));
      }
    }
  }
};
} // namespace

/// Real cells of the field as complex ones.
static std::vector<FieldComplex> readField(const Tensor &tensor, int64_t begin,
                                           int64_t count) {
  std::vector<FieldComplex> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = tensor.getKind() == CellKind::ComplexField
                    ? tensor.cells<FieldComplex>()[begin + i]
                    : FieldComplex{tensor.cells<Field::Word>()[begin + i], 0};
  return values;
}

static void writeField(Tensor &tensor, int64_t begin,
                       ArrayRef<FieldComplex> values) {
  for (auto [i, value] : llvm::enumerate(values))
    if (tensor.getKind() == CellKind::ComplexField)
      tensor.mutableCells<FieldComplex>()[begin + i] = value;
    else
      tensor.mutableCells<Field::Word>()[begin + i] = value.re;
}

static LogicalResult evaluateTriangularSolve(KernelCall &call) {
  auto op = cast<stablehlo::TriangularSolveOp>(call.op);
  const Tensor &a = call.operands[0];
  Tensor b = call.operands[1];
  int64_t rank = b.getRank(), n = a.getShape().back();
  bool left = op.getLeftSide();
  bool transposed = op.getTransposeA() == stablehlo::Transpose::TRANSPOSE ||
                    op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  bool conjugated = op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  // x op(a) = b is op(a)^T x^T = b^T.
  SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swap[rank - 1], swap[rank - 2]);
  if (!left) {
    b = transpose(b, swap);
    transposed = !transposed;
  }
  int64_t m = b.getShape().back();
  int64_t batches = n * m == 0 ? 0 : b.getNumElements() / (n * m);
  Tensor result = allocateLike(b, b.getShape());
  for (int64_t i = 0; i < batches; ++i) {
    if (call.field) {
      std::vector<FieldComplex> matrix = readField(a, i * n * n, n * n);
      std::vector<FieldComplex> x = readField(b, i * n * m, n * m);
      Solver<FieldOps>{{*call.field}, matrix.data(),        n,
                       op.getLower(), op.getUnitDiagonal(), transposed,
                       conjugated}
          .solve(x.data(), m);
      writeField(result, i * n * m, x);
      continue;
    }
    std::vector<Complex> matrix = readMatrix(a, i * n * n, n * n);
    std::vector<Complex> x = readMatrix(b, i * n * m, n * m);
    Solver<FloatOps>{
        {},         matrix.data(), n, op.getLower(), op.getUnitDiagonal(),
        transposed, conjugated}
        .solve(x.data(), m);
    writeMatrix(result, i * n * m, x);
  }
  call.results.push_back(
      (left ? result : transpose(result, swap)).withType(call.getResultType()));
  return success();
}

void partita::registerLinearAlgebraKernels(KernelTable &table) {
  table.add("stablehlo.cholesky", evaluateCholesky);
  table.add("stablehlo.triangular_solve", evaluateTriangularSolve);
}
