// dot and dot_general: operands are brought to [batch, m, k] and [batch, k, n].
#include "Element.h"
#include "Gemm.h"
#include "Kernels.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partita;
using Word = Field::Word;

//===----------------------------------------------------------------------===//
// Matrices of any element type
//===----------------------------------------------------------------------===//

static Tensor convertTo(const Tensor &tensor, Type elementType,
                        const Field *field) {
  if (tensor.getElementType() == elementType)
    return tensor;
  Tensor result = Tensor::allocate(
      RankedTensorType::get(tensor.getShape(), elementType), field != nullptr);
  const void *in[] = {tensor.data()};
  makeConvertFunction(tensor.getElementType(), elementType,
                      field)(in, result.mutableData(), tensor.getNumElements());
  return result;
}

/// Entries of rows (columns) that hold flags are computed one by one.
static void multiplyFieldWithFlags(const Word *a, const Word *b, Word *c,
                                   int64_t m, int64_t n, int64_t k,
                                   const Field &field) {
  multiplyField(a, b, c, m, n, k, field);
  std::vector<bool> rows(m), columns(n);
  bool any = false;
  for (int64_t i = 0; i < m * k; ++i)
    if (LLVM_UNLIKELY(Field::isSpecial(a[i])))
      rows[i / k] = any = true;
  for (int64_t i = 0; i < k * n; ++i)
    if (LLVM_UNLIKELY(Field::isSpecial(b[i])))
      columns[i % n] = any = true;
  if (!any)
    return;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (!rows[i] && !columns[j])
        continue;
      Word sum = 0;
      for (int64_t kk = 0; kk < k; ++kk)
        sum = field.add(sum, field.mul(a[i * k + kk], b[kk * n + j]));
      c[i * n + j] = sum;
    }
}

/// Complex products as four real ones.
template <typename Complex, typename T, typename Multiply>
static void multiplyComplex(const Complex *a, const Complex *b, Complex *c,
                            int64_t m, int64_t n, int64_t k,
                            const Multiply &multiply) {
  auto part = [](const Complex *from, int64_t count, bool imaginary) {
    std::vector<T> values(count);
    auto *cells = reinterpret_cast<const T *>(from);
    for (int64_t i = 0; i < count; ++i)
      values[i] = cells[2 * i + imaginary];
    return values;
  };
  std::vector<T> aRe = part(a, m * k, false), aIm = part(a, m * k, true);
  std::vector<T> bRe = part(b, k * n, false), bIm = part(b, k * n, true);
  std::vector<T> realReal(m * n), imagImag(m * n), realImag(m * n),
      imagReal(m * n);
  multiply(aRe.data(), bRe.data(), realReal.data());
  multiply(aIm.data(), bIm.data(), imagImag.data());
  multiply(aRe.data(), bIm.data(), realImag.data());
  multiply(aIm.data(), bRe.data(), imagReal.data());
  for (int64_t i = 0; i < m * n; ++i)
    c[i] = multiply.combine(realReal[i], imagImag[i], realImag[i], imagReal[i]);
}

namespace {
struct DoubleMultiply {
  int64_t m, n, k;
  void operator()(const double *a, const double *b, double *c) const {
    multiplyDouble(a, b, c, m, n, k);
  }
  std::complex<double> combine(double rr, double ii, double ri,
                               double ir) const {
    return {rr - ii, ri + ir};
  }
};
struct FieldMultiply {
  int64_t m, n, k;
  const Field &field;
  void operator()(const Word *a, const Word *b, Word *c) const {
    multiplyFieldWithFlags(a, b, c, m, n, k, field);
  }
  FieldComplex combine(Word rr, Word ii, Word ri, Word ir) const {
    return {field.sub(rr, ii), field.add(ri, ir)};
  }
};
} // namespace

/// One batch of c = a * b, by cell kind.
static void multiplyOne(CellKind kind, const void *a, const void *b, void *c,
                        int64_t m, int64_t n, int64_t k, const Field *field) {
  using Complex = std::complex<double>;
  switch (kind) {
  case CellKind::Float64:
    multiplyDouble(static_cast<const double *>(a),
                   static_cast<const double *>(b), static_cast<double *>(c), m,
                   n, k);
    return;
  case CellKind::Int64:
    multiplyInteger(static_cast<const int64_t *>(a),
                    static_cast<const int64_t *>(b), static_cast<int64_t *>(c),
                    m, n, k);
    return;
  case CellKind::Complex:
    multiplyComplex<Complex, double>(
        static_cast<const Complex *>(a), static_cast<const Complex *>(b),
        static_cast<Complex *>(c), m, n, k, DoubleMultiply{m, n, k});
    return;
  case CellKind::Field:
    multiplyFieldWithFlags(static_cast<const Word *>(a),
                           static_cast<const Word *>(b), static_cast<Word *>(c),
                           m, n, k, *field);
    return;
  case CellKind::ComplexField:
    multiplyComplex<FieldComplex, Word>(static_cast<const FieldComplex *>(a),
                                        static_cast<const FieldComplex *>(b),
                                        static_cast<FieldComplex *>(c), m, n, k,
                                        FieldMultiply{m, n, k, *field});
    return;
  default:
    return;
  }
}

/// f32 and narrower: sums in f64, rounded once to the result type.
static Tensor multiplyFloats(const Tensor &lhs, const Tensor &rhs,
                             Tensor result, int64_t batches, int64_t m,
                             int64_t n, int64_t k) {
  FloatFormat format(result.getElementType());
  auto *c = result.mutableCells<float>();
  std::vector<double> sums(m * n);
  for (int64_t i = 0; i < batches; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    multiplyFloat(lhs.cells<float>() + i * m * k,
                  rhs.cells<float>() + i * k * n, sums.data(), m, n, k);
    for (int64_t j = 0; j < m * n; ++j)
      c[i * m * n + j] = format.roundsNothing() ? float(sums[j])
                                                : float(format.round(sums[j]));
  }
  return result;
}

/// The type in which products are summed: wide enough for operands and result.
static Type getAccumulationType(Type lhs, Type rhs, Type result) {
  if (isa<ComplexType>(result))
    return result;
  if (!isa<FloatType>(result))
    return result;
  MLIRContext *context = result.getContext();
  bool isDouble = lhs.isF64() || rhs.isF64() || result.isF64();
  return isDouble ? Type(Float64Type::get(context))
                  : Type(Float32Type::get(context));
}

Tensor partita::multiplyMatrices(const Tensor &lhs, const Tensor &rhs,
                                 Type elementType, const Field *field) {
  int64_t batches = lhs.getShape()[0], m = lhs.getShape()[1],
          k = lhs.getShape()[2], n = rhs.getShape()[2];
  Type wide = getAccumulationType(lhs.getElementType(), rhs.getElementType(),
                                  elementType);
  CellKind kind = getCellKind(wide, field);
  auto resultType = RankedTensorType::get({batches, m, n}, elementType);
  // Narrow floats share f32's cells and need no conversion; integers neither.
  auto prepare = [&](const Tensor &tensor) {
    return tensor.getKind() == kind ? tensor : convertTo(tensor, wide, field);
  };
  Tensor a = prepare(lhs), b = prepare(rhs);
  if (kind == CellKind::Float32)
    return multiplyFloats(a, b, Tensor::allocate(resultType, false), batches, m,
                          n, k);
  Tensor sums =
      Tensor::zeros(RankedTensorType::get({batches, m, n}, wide), field);
  int64_t size = getCellSize(kind);
  auto *c = static_cast<char *>(sums.mutableData());
  for (int64_t i = 0; i < batches; ++i)
    multiplyOne(kind, static_cast<const char *>(a.data()) + i * m * k * size,
                static_cast<const char *>(b.data()) + i * k * n * size,
                c + i * m * n * size, m, n, k, field);
  if (kind == CellKind::Int64)
    for (int64_t i = 0; i < sums.getNumElements(); ++i)
      sums.mutableCells<int64_t>()[i] =
          elementType.isInteger(1) ? int64_t(sums.getAsInt(i) != 0)
                                   : wrapToType(sums.getAsInt(i), elementType);
  if (kind == CellKind::Complex &&
      cast<ComplexType>(elementType).getElementType().isF32())
    return convertTo(sums.withType(RankedTensorType::get(
                         sums.getShape(), ComplexType::get(Float64Type::get(
                                              elementType.getContext())))),
                     elementType, field);
  return convertTo(sums, elementType, field);
}

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// Dimensions of a tensor of `rank` that are in neither list.
static SmallVector<int64_t> getFreeDims(int64_t rank, ArrayRef<int64_t> batch,
                                        ArrayRef<int64_t> contracting) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
      dims.push_back(d);
  return dims;
}

static int64_t getSize(const Tensor &tensor, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t d : dims)
    size *= tensor.getShape()[d];
  return size;
}

/// The tensor with three groups of dimensions made one each.
static Tensor groupDims(const Tensor &tensor, ArrayRef<int64_t> first,
                        ArrayRef<int64_t> second, ArrayRef<int64_t> third) {
  SmallVector<int64_t> order(first);
  llvm::append_range(order, second);
  llvm::append_range(order, third);
  return reshape(transpose(tensor, order),
                 {getSize(tensor, first), getSize(tensor, second),
                  getSize(tensor, third)});
}

Tensor partita::dotGeneral(const Tensor &lhs, const Tensor &rhs,
                           ArrayRef<int64_t> lhsBatch,
                           ArrayRef<int64_t> rhsBatch,
                           ArrayRef<int64_t> lhsContracting,
                           ArrayRef<int64_t> rhsContracting,
                           RankedTensorType type, const Field *field) {
  SmallVector<int64_t> lhsFree =
      getFreeDims(lhs.getRank(), lhsBatch, lhsContracting);
  SmallVector<int64_t> rhsFree =
      getFreeDims(rhs.getRank(), rhsBatch, rhsContracting);
  Tensor a = groupDims(lhs, lhsBatch, lhsFree, lhsContracting);
  Tensor b = groupDims(rhs, rhsBatch, rhsContracting, rhsFree);
  return multiplyMatrices(a, b, type.getElementType(), field).withType(type);
}

static LogicalResult evaluateDotGeneral(KernelCall &call) {
  auto numbers =
      cast<stablehlo::DotGeneralOp>(call.op).getDotDimensionNumbers();
  call.results.push_back(dotGeneral(
      call.operands[0], call.operands[1], numbers.getLhsBatchingDimensions(),
      numbers.getRhsBatchingDimensions(), numbers.getLhsContractingDimensions(),
      numbers.getRhsContractingDimensions(), call.getResultType(), call.field));
  return success();
}

static LogicalResult evaluateDot(KernelCall &call) {
  const Tensor &lhs = call.operands[0];
  call.results.push_back(dotGeneral(lhs, call.operands[1], {}, {},
                                    {lhs.getRank() - 1}, {0},
                                    call.getResultType(), call.field));
  return success();
}

void partita::registerContractionKernels(KernelTable &table) {
  table.add("stablehlo.dot_general", evaluateDotGeneral);
  table.add("stablehlo.dot", evaluateDot);
}
