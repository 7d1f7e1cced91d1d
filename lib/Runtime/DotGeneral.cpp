// dot_general as batches of matrix products. Operands are read where they lie if
// their dimensions merge into rows and columns with strides, else copied first.
#include "Convert.h"
#include "Gemm.h"
#include "Numbers.h"
#include "Strided.h"
#include "WorldState.h"
#include <algorithm>

using namespace partita::runtime;

namespace {
/// An operand as a matrix for each index over the batch dimensions.
struct Operand {
  const char *data;
  std::vector<char> copy;
  Shape batch, batchStrides;
  int64_t rows = 1, columns = 1;
  int64_t rowStride = 1, columnStride = 1;
};
} // namespace

/// Merges dimensions into one loop, outermost first; false if the strides differ.
static bool merge(const Shape &dims, const Shape &shape, const Shape &strides,
                  int64_t &size, int64_t &stride) {
  size = 1;
  stride = 0;
  for (int64_t i = int64_t(dims.size()) - 1; i >= 0; --i) {
    if (shape[dims[i]] == 1)
      continue;
    if (size == 1)
      stride = strides[dims[i]];
    else if (strides[dims[i]] != stride * size)
      return false;
    size *= shape[dims[i]];
  }
  return true;
}

/// Gives loops of one step a stride that suits the other; false if no stride is 1.
static bool settleStrides(Operand &operand) {
  if (operand.rows == 1 && operand.columns == 1)
    operand.rowStride = operand.columnStride = 1;
  else if (operand.rows == 1)
    operand.rowStride = operand.columnStride == 1 ? operand.columns : 1;
  else if (operand.columns == 1)
    operand.columnStride = operand.rowStride == 1 ? operand.rows : 1;
  if (operand.columnStride == 1)
    return operand.rowStride >= operand.columns || operand.rows == 1;
  return operand.rowStride == 1 && operand.columnStride >= operand.rows;
}

static Operand makeOperand(const BufferType &type, const void *data, partita_dtype dtype,
                           const Shape &batch, const Shape &rows, const Shape &columns) {
  Operand operand;
  operand.data = static_cast<const char *>(data);
  Shape strides = getStrides(type.shape), permutation = batch;
  for (int64_t d : batch)
    operand.batch.push_back(type.shape[d]);
  if (type.dtype == dtype) {
    for (int64_t d : batch)
      operand.batchStrides.push_back(strides[d]);
    if (merge(rows, type.shape, strides, operand.rows, operand.rowStride) &&
        merge(columns, type.shape, strides, operand.columns, operand.columnStride) &&
        settleStrides(operand))
      return operand;
    operand.batchStrides.clear();
  }
  permutation.insert(permutation.end(), rows.begin(), rows.end());
  permutation.insert(permutation.end(), columns.begin(), columns.end());
  operand.rows = operand.columns = 1;
  for (int64_t d : rows)
    operand.rows *= type.shape[d];
  for (int64_t d : columns)
    operand.columns *= type.shape[d];
  int64_t count = type.getCount();
  std::vector<char> moved;
  if (!isIdentity(type.shape, permutation)) {
    moved.resize(type.getBytes());
    transpose(moved.data(), data, type.shape, permutation, getElementBytes(type.dtype));
    data = moved.data();
  }
  if (type.dtype == dtype) {
    operand.copy = std::move(moved);
  } else {
    operand.copy.resize(count * getElementBytes(dtype));
    convertArray(dtype, operand.copy.data(), type.dtype, data, count);
  }
  if (!operand.copy.empty())
    operand.data = operand.copy.data();
  operand.columnStride = 1;
  operand.rowStride = operand.columns;
  Shape shape = operand.batch;
  shape.push_back(operand.rows * operand.columns);
  operand.batchStrides = getStrides(shape);
  operand.batchStrides.pop_back();
  settleStrides(operand);
  return operand;
}

/// Dimensions in none of the two lists, ascending.
static Shape getOthers(int64_t rank, const Shape &a, const Shape &b) {
  Shape others;
  for (int64_t d = 0; d < rank; ++d)
    if (std::find(a.begin(), a.end(), d) == a.end() &&
        std::find(b.begin(), b.end(), d) == b.end())
      others.push_back(d);
  return others;
}

static bool areDims(const Shape &dims, int64_t rank) {
  return std::all_of(dims.begin(), dims.end(),
                     [&](int64_t d) { return d >= 0 && d < rank; });
}

static std::string dotGeneral(Descriptor &d, void *const *buffers) {
  Shape lhsBatch = d.nextList(), rhsBatch = d.nextList(), lhsDepth = d.nextList(),
        rhsDepth = d.nextList();
  if (!d.isValid() || d.inputs.size() != 2 || d.outputs.size() != 1)
    return "the descriptor is malformed";
  const BufferType &lhs = d.inputs[0], &rhs = d.inputs[1], &out = d.outputs[0];
  if (!areDims(lhsBatch, lhs.rank()) || !areDims(lhsDepth, lhs.rank()) ||
      !areDims(rhsBatch, rhs.rank()) || !areDims(rhsDepth, rhs.rank()) ||
      lhsBatch.size() != rhsBatch.size() || lhsDepth.size() != rhsDepth.size())
    return "the dimension numbers do not fit the operands";
  partita_dtype dtype = getWideType(out.dtype);
  Operand a = makeOperand(lhs, buffers[0], dtype, lhsBatch,
                          getOthers(lhs.rank(), lhsBatch, lhsDepth), lhsDepth);
  Operand b = makeOperand(rhs, buffers[1], dtype, rhsBatch, rhsDepth,
                          getOthers(rhs.rank(), rhsBatch, rhsDepth));
  if (a.batch != b.batch || a.columns != b.rows ||
      out.getCount() != getVolume(a.batch) * a.rows * b.columns)
    return "the sizes of the operands do not fit";
  std::vector<char> wide;
  char *to = static_cast<char *>(buffers[2]);
  if (dtype != out.dtype) {
    wide.resize(out.getCount() * getElementBytes(dtype));
    to = wide.data();
  }
  int64_t bytes = getElementBytes(dtype), at = 0;
  forEachIndex(a.batch, [&](const Shape &index) {
    int64_t aOffset = 0, bOffset = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      aOffset += index[i] * a.batchStrides[i];
      bOffset += index[i] * b.batchStrides[i];
    }
    multiplyMatrices(dtype, a.rows, b.columns, a.columns,
                     {a.data + aOffset * bytes, a.rowStride, a.columnStride},
                     {b.data + bOffset * bytes, b.rowStride, b.columnStride},
                     to + at * bytes, b.columns);
    at += a.rows * b.columns;
  });
  if (dtype != out.dtype)
    convertArray(out.dtype, buffers[2], dtype, to, out.getCount());
  return "";
}

PARTITA_KERNEL(dot_general, dotGeneral)
