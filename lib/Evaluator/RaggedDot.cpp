// chlo.ragged_dot: a dot whose lhs rows fall into groups of unequal size. Each
// group is the lhs with the other rows made zero.
#include "Blocks.h"
#include "Gemm.h"
#include "Kernels.h"
#include "Strided.h"
#include "dialects/CHLO/CHLO.h"
#include <cstring>

using namespace mlir;
using namespace partita;

namespace {
/// Which rows of the lhs belong to which group.
struct RaggedRows {
  const Tensor &lhs, &groupSizes;
  int64_t raggedDim;
  /// Dimensions of the lhs that select a row of group sizes.
  SmallVector<int64_t> prefixDims;

  int64_t getNumGroups() const { return groupSizes.getShape().back(); }

  /// The lhs with only the rows of group `group`, or of all groups (-1).
  Tensor take(int64_t group) const {
    Tensor result = lhs;
    auto *cells = static_cast<char *>(result.mutableData());
    int64_t size = getCellSize(lhs.getKind()), flat = 0,
            groups = getNumGroups();
    bool isPlain = groupSizes.getRank() == 1;
    forEachIndex(lhs.getShape(), [&](ArrayRef<int64_t> index) {
      int64_t row = 0;
      for (int64_t d : prefixDims)
        row = row * lhs.getShape()[d] + index[d];
      const int64_t *sizes =
          groupSizes.cells<int64_t>() + (isPlain ? 0 : row * groups);
      int64_t begin = 0;
      for (int64_t g = 0; g < group; ++g)
        begin += sizes[g];
      int64_t end = begin + (group < 0 ? 0 : sizes[group]);
      if (group < 0)
        for (int64_t g = 0; g < groups; ++g)
          end += sizes[g];
      if (index[raggedDim] < begin || index[raggedDim] >= end)
        std::memset(cells + flat * size, 0, size);
      ++flat;
    });
    return result;
  }
};
} // namespace

/// Index `g` of a dimension, which is dropped.
static Tensor takeGroup(const Tensor &tensor, int64_t dim, int64_t g) {
  SmallVector<int64_t> start(tensor.getRank(), 0), shape(tensor.getShape());
  start[dim] = g;
  shape[dim] = 1;
  Tensor piece = slice(tensor, start, shape);
  shape.erase(shape.begin() + dim);
  return reshape(piece, shape);
}

static SmallVector<int64_t> dropDim(ArrayRef<int64_t> dims, int64_t dim) {
  SmallVector<int64_t> result;
  for (int64_t d : dims)
    result.push_back(d > dim ? d - 1 : d);
  return result;
}

static LogicalResult evaluateRaggedDot(KernelCall &call) {
  auto numbers =
      cast<chlo::RaggedDotOp>(call.op).getRaggedDotDimensionNumbers();
  const Tensor &lhs = call.operands[0], &rhs = call.operands[1];
  RankedTensorType type = call.getResultType();
  int64_t ragged = numbers.getLhsRagged()[0];
  ArrayRef<int64_t> batch = numbers.getLhsBatching();
  ArrayRef<int64_t> contracting = numbers.getLhsContracting();
  bool isBatch = llvm::is_contained(batch, ragged);
  bool isContracted = llvm::is_contained(contracting, ragged);
  RaggedRows rows{lhs, call.operands[2], ragged, {}};
  if (!isBatch)
    rows.prefixDims.assign(batch.begin(), batch.end());
  for (int64_t d = 0; d < ragged; ++d) {
    bool sameKind = isBatch        ? llvm::is_contained(batch, d)
                    : isContracted ? llvm::is_contained(contracting, d)
                                   : !llvm::is_contained(batch, d) &&
                                         !llvm::is_contained(contracting, d);
    if (sameKind)
      rows.prefixDims.push_back(d);
  }
  auto dot = [&](const Tensor &left, const Tensor &right,
                 ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> rhsContracting,
                 RankedTensorType resultType) {
    return dotGeneral(left, right, batch, rhsBatch, contracting, rhsContracting,
                      resultType, call.field);
  };
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatching();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContracting();
  if (isBatch) {
    call.results.push_back(
        dot(rows.take(-1), rhs, rhsBatch, rhsContracting, type));
    return success();
  }
  Tensor result = Tensor::zeros(type, call.isField());
  for (int64_t g = 0; g < rows.getNumGroups(); ++g) {
    if (isContracted) {
      auto one = RankedTensorType::get(type.getShape().drop_front(),
                                       type.getElementType());
      Tensor product = dot(rows.take(g), rhs, rhsBatch, rhsContracting, one);
      SmallVector<int64_t> start(type.getRank(), 0), shape(type.getShape());
      start[0] = g;
      shape[0] = 1;
      writeSlice(result, reshape(product, shape), start);
      continue;
    }
    int64_t groupDim = numbers.getRhsGroup()[0];
    Tensor product = dot(rows.take(g), takeGroup(rhs, groupDim, g),
                         dropDim(rhsBatch, groupDim),
                         dropDim(rhsContracting, groupDim), type);
    result = combine(result, product, spmd::ReductionKind::Add, call.field);
  }
  call.results.push_back(std::move(result));
  return success();
}

void partita::registerRaggedDotKernels(KernelTable &table) {
  table.add("chlo.ragged_dot", evaluateRaggedDot);
}
