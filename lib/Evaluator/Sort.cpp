// sort with any comparator, and top_k.
#include "Body.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Support/MergeSort.h"
#include <algorithm>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace partita;

/// Permutation that moves `dim` last; it is its own inverse.
static SmallVector<int64_t> moveLast(int64_t rank, int64_t dim) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[dim], permutation[rank - 1]);
  return permutation;
}

static LogicalResult evaluateSort(KernelCall &call) {
  auto op = cast<stablehlo::SortOp>(call.op);
  FailureOr<BodyProgram> program =
      BodyProgram::create(op.getComparator(), call);
  if (failed(program))
    return failure();
  int64_t rank = call.operands[0].getRank(), dim = int64_t(op.getDimension());
  dim = dim < 0 ? dim + rank : dim;
  SmallVector<int64_t> permutation =
      rank ? moveLast(rank, dim) : SmallVector<int64_t>();
  SmallVector<Tensor> inputs, results;
  for (const Tensor &operand : call.operands) {
    inputs.push_back(rank ? transpose(operand, permutation) : operand);
    results.push_back(allocateLike(inputs.back(), inputs.back().getShape()));
  }
  int64_t n = rank ? inputs[0].getShape().back() : 1;
  int64_t lines = n == 0 ? 0 : inputs[0].getNumElements() / n;
  std::vector<int64_t> order(n), scratch(n);
  SmallVector<const void *> in(2 * inputs.size());
  int64_t isLess = 0;
  for (int64_t line = 0; line < lines; ++line) {
    std::iota(order.begin(), order.end(), 0);
    auto cell = [&](const Tensor &tensor, int64_t i) {
      return static_cast<const char *>(tensor.data()) +
             (line * n + i) * getCellSize(tensor.getKind());
    };
    mergeSort(order, scratch, [&](int64_t a, int64_t b) {
      for (auto [i, input] : llvm::enumerate(inputs)) {
        in[2 * i] = cell(input, a);
        in[2 * i + 1] = cell(input, b);
      }
      program->run(in, {&isLess}, 1);
      return isLess != 0;
    });
    for (auto [input, result] : llvm::zip_equal(inputs, results)) {
      int64_t size = getCellSize(input.getKind());
      auto *to = static_cast<char *>(result.mutableData()) + line * n * size;
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(to + i * size, cell(input, order[i]), size);
    }
  }
  for (auto [i, result] : llvm::enumerate(results))
    call.results.push_back((rank ? transpose(result, permutation) : result)
                               .withType(call.getResultType(i)));
  return success();
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

/// IEEE total order as an integer: NaN lies beyond the infinity of its sign, -0
/// below 0.
static int64_t getTotalOrderKey(double x) {
  int64_t bits = llvm::bit_cast<int64_t>(x);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

/// Whether element a comes before element b: the larger one in total order.
static bool isGreater(const Tensor &tensor, int64_t a, int64_t b,
                      const Field *field) {
  switch (tensor.getKind()) {
  case CellKind::Int64:
    return isUnsignedType(tensor.getElementType())
               ? uint64_t(tensor.getAsInt(a)) > uint64_t(tensor.getAsInt(b))
               : tensor.getAsInt(a) > tensor.getAsInt(b);
  case CellKind::Field:
    return field->orderKey(tensor.cells<Field::Word>()[a]) >
           field->orderKey(tensor.cells<Field::Word>()[b]);
  default:
    return getTotalOrderKey(tensor.getAsDouble(a, field)) >
           getTotalOrderKey(tensor.getAsDouble(b, field));
  }
}

static LogicalResult evaluateTopK(KernelCall &call) {
  const Tensor &operand = call.operands[0];
  int64_t k = call.op->getAttrOfType<IntegerAttr>("k").getInt();
  int64_t n = operand.getShape().back();
  int64_t lines = n == 0 ? 0 : operand.getNumElements() / n;
  Tensor values = Tensor::allocate(call.getResultType(0), call.isField());
  Tensor indices = Tensor::allocate(call.getResultType(1), call.isField());
  int64_t size = getCellSize(operand.getKind());
  auto *from = static_cast<const char *>(operand.data());
  auto *to = static_cast<char *>(values.mutableData());
  auto *toIndex = indices.mutableCells<int64_t>();
  std::vector<int64_t> order(n);
  for (int64_t line = 0; line < lines; ++line) {
    std::iota(order.begin(), order.end(), line * n);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](int64_t a, int64_t b) {
                        if (isGreater(operand, a, b, call.field))
                          return true;
                        return !isGreater(operand, b, a, call.field) && a < b;
                      });
    for (int64_t i = 0; i < k; ++i) {
      std::memcpy(to + (line * k + i) * size, from + order[i] * size, size);
      toIndex[line * k + i] = order[i] - line * n;
    }
  }
  call.results.push_back(std::move(values));
  call.results.push_back(std::move(indices));
  return success();
}

void partita::registerSortKernels(KernelTable &table) {
  table.add("stablehlo.sort", evaluateSort);
  table.add("chlo.top_k", evaluateTopK);
}
