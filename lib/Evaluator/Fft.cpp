// fft of every kind and size, by recursion over the prime factors of the
// length. In field mode the twiddle factors come from a root of unity
// (notes/exact.md).
#include "partita/Support/Fft.h"
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include <cmath>

using namespace mlir;
using namespace partita;
using Complex = std::complex<double>;

namespace {
/// What the evaluator needs besides the transform itself.
struct FloatNumbers : FftNumbers {
  static Number conj(Number a) { return std::conj(a); }
  static Number scale(Number a, int64_t n) { return a / double(n); }
};

struct FieldNumbers {
  using Number = FieldComplex;
  using Twiddle = FieldComplex;
  const Field &f;
  Number add(Number a, Number b) const {
    return {f.add(a.re, b.re), f.add(a.im, b.im)};
  }
  Number sub(Number a, Number b) const {
    return {f.sub(a.re, b.re), f.sub(a.im, b.im)};
  }
  Number mul(Number a, Number b) const {
    return {f.sub(f.mul(a.re, b.re), f.mul(a.im, b.im)),
            f.add(f.mul(a.re, b.im), f.mul(a.im, b.re))};
  }
  Number conj(Number a) const { return {a.re, f.neg(a.im)}; }
  Number scale(Number a, int64_t n) const {
    Field::Word inverse = f.invFinite(f.fromInt(n));
    return {f.mul(a.re, inverse), f.mul(a.im, inverse)};
  }
  /// cos = (w + 1/w) / 2 and sin = (w - 1/w) / 2I for the powers w of a root.
  std::vector<Number> getTwiddles(int64_t n) const {
    Field::Word root = *f.rootOfUnity(n), inverse = f.invFinite(root);
    Field::Word half = f.invFinite(2);
    Field::Word halfI = f.mulFinite(half, f.invFinite(*f.imaginaryUnit()));
    std::vector<Number> twiddles;
    Field::Word w = 1, v = 1;
    for (int64_t k = 0; k < n; ++k) {
      twiddles.push_back({f.mulFinite(f.addFinite(w, v), half),
                          f.mulFinite(f.subFinite(v, w), halfI)});
      w = f.mulFinite(w, root);
      v = f.mulFinite(v, inverse);
    }
    return twiddles;
  }
};

} // namespace

/// Transforms the last dimension of `cells` ([lines, n]) in place.
template <typename Numbers>
static void transformLines(Numbers numbers, typename Numbers::Number *cells,
                           int64_t lines, int64_t n, bool inverse) {
  using Number = typename Numbers::Number;
  FftPlan<Numbers> plan(numbers, n);
  std::vector<Number> out(n);
  for (int64_t i = 0; i < lines; ++i) {
    Number *line = cells + i * n;
    if (inverse)
      for (int64_t k = 0; k < n; ++k)
        line[k] = numbers.conj(line[k]);
    plan.run(line, out.data());
    for (int64_t k = 0; k < n; ++k)
      line[k] = inverse ? numbers.scale(numbers.conj(out[k]), n) : out[k];
  }
}

static void transformLines(Tensor &tensor, bool inverse, const Field *field) {
  int64_t n = tensor.getShape().back();
  int64_t lines = n == 0 ? 0 : tensor.getNumElements() / n;
  if (field)
    transformLines(FieldNumbers{*field}, tensor.mutableCells<FieldComplex>(),
                   lines, n, inverse);
  else
    transformLines(FloatNumbers{}, tensor.mutableCells<Complex>(), lines, n,
                   inverse);
}

/// Along any dimension.
static Tensor transformDim(const Tensor &tensor, int64_t dim, bool inverse,
                           const Field *field) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank()));
  std::swap(permutation[dim], permutation.back());
  Tensor moved = transpose(tensor, permutation);
  transformLines(moved, inverse, field);
  return transpose(moved, permutation);
}

static Type getComplexType(Type type) {
  return isa<ComplexType>(type) ? type : ComplexType::get(type);
}

/// The operand as complex numbers, in double precision.
static Tensor toComplex(const Tensor &tensor, const Field *field) {
  if (isa<ComplexType>(tensor.getElementType()))
    return tensor;
  Tensor result = Tensor::allocate(
      RankedTensorType::get(tensor.getShape(),
                            getComplexType(tensor.getElementType())),
      field != nullptr);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    if (field)
      result.mutableCells<FieldComplex>()[i] = {tensor.cells<Field::Word>()[i],
                                                0};
    else
      result.mutableCells<Complex>()[i] = tensor.getAsDouble(i, nullptr);
  return result;
}

/// The whole last dimension of length n from its first half, by symmetry:
/// element n - k, at mirrored indices of the other transformed dimensions, is
/// the conjugate. Those were transformed back already, so only the last
/// dimension is mirrored.
static Tensor mirrorLast(const Tensor &half, int64_t n, const Field *field) {
  SmallVector<int64_t> shape(half.getShape());
  int64_t kept = shape.back();
  shape.back() = n;
  Tensor whole = allocateLike(half, shape);
  int64_t lines = n == 0 ? 0 : whole.getNumElements() / n;
  for (int64_t i = 0; i < lines; ++i)
    for (int64_t k = 0; k < n; ++k) {
      bool isMirrored = k >= kept;
      int64_t from = i * kept + (isMirrored ? n - k : k);
      if (field) {
        FieldComplex value = half.cells<FieldComplex>()[from];
        // The imaginary parts of elements 0 and n/2 do not count.
        if (k == 0 || 2 * k == n)
          value.im = 0;
        whole.mutableCells<FieldComplex>()[i * n + k] =
            isMirrored ? FieldNumbers{*field}.conj(value) : value;
        continue;
      }
      Complex value = half.cells<Complex>()[from];
      if (k == 0 || 2 * k == n)
        value.imag(0);
      whole.mutableCells<Complex>()[i * n + k] =
          isMirrored ? std::conj(value) : value;
    }
  return whole;
}

/// Rounds, or takes real parts, as the result type says.
static Tensor finish(const Tensor &tensor, RankedTensorType type,
                     const Field *field) {
  Tensor result = Tensor::allocate(type, field != nullptr);
  bool isReal = isa<FloatType>(type.getElementType());
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    if (field) {
      FieldComplex value = tensor.cells<FieldComplex>()[i];
      if (isReal)
        result.mutableCells<Field::Word>()[i] = value.re;
      else
        result.mutableCells<FieldComplex>()[i] = value;
      continue;
    }
    Complex value = tensor.cells<Complex>()[i];
    if (result.getKind() == CellKind::Float32)
      result.mutableCells<float>()[i] = float(value.real());
    else if (result.getKind() == CellKind::Float64)
      result.mutableCells<double>()[i] = value.real();
    else if (cast<ComplexType>(type.getElementType()).getElementType().isF32())
      result.mutableCells<Complex>()[i] = {float(value.real()),
                                           float(value.imag())};
    else
      result.mutableCells<Complex>()[i] = value;
  }
  return result;
}

/// The first length for which the field has no root of unity; 0 if none.
static int64_t findRootless(ArrayRef<int64_t> lengths, const Field &field) {
  for (int64_t n : lengths)
    if (n > 0 && !field.rootOfUnity(n))
      return n;
  return 0;
}

static LogicalResult evaluateFft(KernelCall &call) {
  auto op = cast<stablehlo::FftOp>(call.op);
  ArrayRef<int64_t> lengths = op.getFftLength();
  if (call.field)
    if (int64_t n = findRootless(lengths, *call.field)) {
      InFlightDiagnostic diag =
          call.op->emitError()
          << "an exact fft of length " << n
          << " does not exist: the field has no root of unity of "
             "this order";
      diag.attachNote() << "fix: compare this program on floats";
      return failure();
    }
  auto type = op.getFftType();
  bool isInverse =
      type == stablehlo::FftType::IFFT || type == stablehlo::FftType::IRFFT;
  bool fromHalf = type == stablehlo::FftType::IRFFT;
  Tensor tensor = toComplex(call.operands[0], call.field);
  int64_t rank = tensor.getRank(), count = lengths.size();
  if (tensor.getNumElements() == 0) {
    call.results.push_back(Tensor::zeros(call.getResultType(), call.isField()));
    return success();
  }
  // The last dimension goes first for real operands, last for real results.
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq(rank - count, rank));
  if (!fromHalf)
    std::reverse(dims.begin(), dims.end());
  for (int64_t dim : dims) {
    if (fromHalf && dim == rank - 1)
      tensor = mirrorLast(tensor, lengths.back(), call.field);
    tensor = transformDim(tensor, dim, isInverse, call.field);
    if (type == stablehlo::FftType::RFFT && dim == rank - 1) {
      SmallVector<int64_t> shape(tensor.getShape()), start(rank, 0);
      shape.back() = lengths.back() / 2 + 1;
      tensor = slice(tensor, start, shape);
    }
  }
  call.results.push_back(finish(tensor, call.getResultType(), call.field));
  return success();
}

SmallVector<Operation *> partita::findOpsOutsideField(ModuleOp module,
                                                      const Field &field) {
  SmallVector<Operation *> ops;
  module.walk([&](stablehlo::FftOp op) {
    if (findRootless(op.getFftLength(), field))
      ops.push_back(op);
  });
  return ops;
}

void partita::registerFftKernels(KernelTable &table) {
  table.add("stablehlo.fft", evaluateFft);
}
