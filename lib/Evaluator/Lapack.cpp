// From custom calls to MatrixFactors.h (the routines of Support/Lapack.h come
// first, in CustomCall.cpp). On the field a
// routine is a fixed function of each matrix; status words and pivots are zero.

#include "Lapack.h"
#include "LinearAlgebra.h"
#include "MatrixFactors.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita {
namespace {

/// One call, matrix by matrix.
class LapackCall {
public:
  explicit LapackCall(KernelCall &call) : call(call) {
    for (unsigned i = 0; i < call.op->getNumResults(); ++i)
      results.push_back(Tensor::zeros(call.getResultType(i), call.isField()));
  }

  /// Batch `b` of an operand whose last `rank` dimensions are one matrix (2) or
  /// vector (1, as a column).
  Matrix read(unsigned operand, int64_t b, unsigned rank = 2) const {
    const Tensor &tensor = call.operands[operand];
    Matrix matrix(dim(tensor, rank == 2 ? 2 : 1),
                  rank == 2 ? dim(tensor, 1) : 1);
    matrix.cells = readMatrix(tensor, b * matrix.rows * matrix.columns,
                              matrix.rows * matrix.columns);
    return matrix;
  }
  void write(unsigned result, int64_t b, ArrayRef<Matrix::Number> cells) {
    if (result < results.size() &&
        (b + 1) * int64_t(cells.size()) <= results[result].getNumElements())
      writeMatrix(results[result], b * cells.size(), cells);
  }
  void writeIntegers(unsigned result, int64_t b, ArrayRef<int64_t> values) {
    if (result >= results.size() ||
        (b + 1) * int64_t(values.size()) > results[result].getNumElements())
      return;
    for (auto [i, value] : llvm::enumerate(values))
      results[result].mutableCells<int64_t>()[b * values.size() + i] = value;
  }
  /// An entry of the call's configuration, by default `fallback`.
  char option(StringRef name, char fallback) const {
    auto config = call.op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
    auto entry = config ? config.getAs<IntegerAttr>(name) : IntegerAttr();
    return entry ? char(entry.getValue().getZExtValue()) : fallback;
  }
  /// Size of the `fromBack`-th dimension from the back.
  static int64_t dim(const Tensor &tensor, int64_t fromBack) {
    return tensor.getShape()[tensor.getRank() - fromBack];
  }

  KernelCall &call;
  SmallVector<Tensor> results;
};

using Routine = void (*)(LapackCall &, int64_t batch);

void runEigen(LapackCall &call, int64_t b) {
  Matrix a = call.read(0, b), right, left;
  std::vector<Matrix::Number> values;
  factorEigen(a, values, right, left);
  // A real matrix gives real and imaginary parts apart.
  bool isReal = !isa<ComplexType>(call.call.operands[0].getElementType());
  unsigned next = 0;
  call.write(next++, b, values);
  if (isReal) {
    SmallVector<Matrix::Number> parts;
    for (const Matrix::Number &value : values)
      parts.push_back(value.imag());
    call.write(next++, b, parts);
  }
  if (call.option("compute_left", 'V') == 'V')
    call.write(next, b, left.cells);
  if (call.option("compute_right", 'V') == 'V')
    call.write(next + 1, b, right.cells);
}

void runTriangular(LapackCall &call, int64_t b) {
  Matrix x = call.read(1, b);
  TriangleUse use;
  use.left = call.option("side", 'L') == 'L';
  use.lower = call.option("uplo", 'L') == 'L';
  use.unit = call.option("diag", 'N') == 'U';
  char trans = call.option("trans_x", 'N');
  use.transposed = trans != 'N';
  use.conjugated = trans == 'C';
  solveTriangular(call.read(0, b), x, use);
  call.write(0, b, x.cells);
}

void runTridiagonal(LapackCall &call, int64_t b) {
  // The first entry below the diagonal and the last one above are unused.
  std::vector<Matrix::Number> lower = call.read(0, b, 1).cells;
  std::vector<Matrix::Number> diagonal = call.read(1, b, 1).cells;
  std::vector<Matrix::Number> upper = call.read(2, b, 1).cells;
  Matrix x = call.read(3, b);
  std::rotate(lower.begin(), lower.begin() + !lower.empty(), lower.end());
  int64_t status = solveTridiagonal(lower, diagonal, upper, x);
  call.write(0, b, lower);
  call.write(1, b, diagonal);
  call.write(2, b, upper);
  call.write(3, b, x.cells);
  call.writeIntegers(4, b, status);
}

/// Operands' trailing ranks, and how a batch is computed.
struct RoutineInfo {
  Routine run = nullptr;
  SmallVector<unsigned, 4> ranks;
};

RoutineInfo lookup(StringRef routine) {
  return llvm::StringSwitch<RoutineInfo>(routine)
      .Case("geev", {runEigen, {2}})
      .Case("trsm", {runTriangular, {2, 2}})
      .Case("gtsv", {runTridiagonal, {1, 1, 1, 2}})
      .Default({});
}

} // namespace

bool evaluateLapackRoutine(KernelCall &call, StringRef target) {
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") ||
      target.empty())
    return false;
  StringRef routine = target.drop_front();
  RoutineInfo info = lookup(routine);
  if (!info.run || call.operands.size() != info.ranks.size())
    return false;
  for (auto [operand, rank] : llvm::zip_equal(call.operands, info.ranks))
    if (!operand.getTensorType() || operand.getRank() < int64_t(rank) ||
        !isa<FloatType, ComplexType>(operand.getElementType()))
      return false;
  LapackCall work(call);
  int64_t batches = 1;
  for (int64_t size : call.operands[0].getShape().drop_back(info.ranks.front()))
    batches *= size;
  if (call.field)
    hashMatrices(call.operands, batches, routine, work.results, *call.field);
  for (int64_t b = 0; b < batches && !call.field; ++b)
    info.run(work, b);
  llvm::append_range(call.results, work.results);
  return true;
}

} // namespace partita
