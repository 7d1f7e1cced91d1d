// reduce_window and select_and_scatter. The outer loop goes over the positions
// in the window, the inner one over all results at once.
#include "Body.h"
#include "Reduction.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"
#include <cstring>

using namespace mlir;
using namespace partita;

namespace {
/// One entry per dimension of the operand.
struct Window {
  SmallVector<int64_t> sizes, strides, baseDilations, dilations, low, high;

  int64_t getPaddedSize(int64_t d, int64_t size) const {
    int64_t dilated = size == 0 ? 0 : (size - 1) * baseDilations[d] + 1;
    return dilated + low[d] + high[d];
  }
};
} // namespace

static SmallVector<int64_t> orOnes(std::optional<ArrayRef<int64_t>> values,
                                   size_t n) {
  return values ? SmallVector<int64_t>(*values) : SmallVector<int64_t>(n, 1);
}

static void setPadding(Window &window,
                       std::optional<DenseIntElementsAttr> attr) {
  size_t rank = window.sizes.size();
  window.low.assign(rank, 0);
  window.high.assign(rank, 0);
  if (!attr)
    return;
  for (auto [i, value] : llvm::enumerate(attr->getValues<int64_t>()))
    (i % 2 ? window.high : window.low)[i / 2] = value;
}

/// The operand with holes and margins filled by the scalar.
static Tensor padToWindow(const Tensor &operand, const Tensor &fill,
                          const Window &window) {
  SmallVector<int64_t> interior, shape;
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    interior.push_back(window.baseDilations[d] - 1);
    shape.push_back(window.getPaddedSize(d, operand.getShape()[d]));
  }
  return pad(operand, fill, window.low, interior, shape);
}

/// Element at a window position of every window.
static Tensor takePosition(const Tensor &padded, ArrayRef<int64_t> position,
                           const Window &window,
                           ArrayRef<int64_t> resultShape) {
  SmallVector<int64_t> start;
  for (auto [p, dilation] : llvm::zip_equal(position, window.dilations))
    start.push_back(p * dilation);
  return slice(padded, start, resultShape, window.strides);
}

//===----------------------------------------------------------------------===//
// Cumulative windows
//===----------------------------------------------------------------------===//

/// Dimension along which the window is all elements up to (Forward) or from
/// (backward) the current one.
static std::optional<std::pair<int64_t, bool>>
getCumulativeDim(const Window &window, ArrayRef<int64_t> shape) {
  std::optional<std::pair<int64_t, bool>> found;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (window.strides[d] != 1 || window.baseDilations[d] != 1 ||
        window.dilations[d] != 1)
      return std::nullopt;
    if (window.sizes[d] == 1 && window.low[d] == 0 && window.high[d] == 0)
      continue;
    bool forward = window.low[d] == window.sizes[d] - 1 && window.high[d] == 0;
    bool backward = window.high[d] == window.sizes[d] - 1 && window.low[d] == 0;
    if (found || window.sizes[d] < shape[d] || (!forward && !backward))
      return std::nullopt;
    found = std::pair(int64_t(d), forward);
  }
  return found;
}

/// Prefix folds along a dimension, each from the one before it.
static Tensor scan(const ElementFunction &function, const Tensor &operand,
                   const Tensor &init, int64_t dim, bool forward) {
  SmallVector<int64_t> permutation{dim}, inverse(operand.getRank());
  for (int64_t d = 0; d < operand.getRank(); ++d)
    if (d != dim)
      permutation.push_back(d);
  for (auto [i, d] : llvm::enumerate(permutation))
    inverse[d] = i;
  Tensor moved = transpose(operand, permutation);
  int64_t n = moved.getShape()[0];
  int64_t line = n == 0 ? 0 : moved.getNumElements() / n;
  int64_t bytes = line * getCellSize(moved.getKind());
  auto *cells = static_cast<char *>(moved.mutableData());
  Tensor start = splat(init, {line});
  const char *previous = static_cast<const char *>(start.data());
  for (int64_t i = 0; i < n; ++i) {
    char *current = cells + (forward ? i : n - 1 - i) * bytes;
    const void *in[] = {previous, current};
    function(in, current, line);
    previous = current;
  }
  return transpose(moved, inverse);
}

/// Padding adds further inits; the scan has one, which is the same if it is
/// neutral.
static bool isNeutral(const ElementFunction &function, const Tensor &init) {
  Tensor twice = allocateLike(init, {});
  const void *in[] = {init.data(), init.data()};
  function(in, twice.mutableData(), 1);
  return std::memcmp(twice.data(), init.data(), init.getNumBytes()) == 0;
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

static SmallVector<Tensor> reduceWindow(BodyProgram &program,
                                        ArrayRef<Tensor> inputs,
                                        ArrayRef<Tensor> inits,
                                        const Window &window,
                                        ArrayRef<int64_t> resultShape) {
  if (const ElementFunction *function = program.getSimpleFunction())
    if (auto cumulative = getCumulativeDim(window, inputs[0].getShape()))
      if (isNeutral(*function, inits[0]))
        return {scan(*function, inputs[0], inits[0], cumulative->first,
                     cumulative->second)};
  SmallVector<Tensor> padded, results;
  for (auto [input, init] : llvm::zip_equal(inputs, inits)) {
    padded.push_back(padToWindow(input, init, window));
    results.push_back(splat(init, resultShape));
  }
  int64_t count = results[0].getNumElements();
  forEachIndex(window.sizes, [&](ArrayRef<int64_t> position) {
    SmallVector<Tensor> taken;
    SmallVector<void *> out;
    for (const Tensor &tensor : padded)
      taken.push_back(takePosition(tensor, position, window, resultShape));
    for (Tensor &result : results)
      out.push_back(result.mutableData());
    SmallVector<const void *> in(out.begin(), out.end());
    for (const Tensor &tensor : taken)
      in.push_back(tensor.data());
    if (count)
      program.run(in, out, count);
  });
  return results;
}

static LogicalResult evaluateReduceWindow(KernelCall &call) {
  auto op = cast<stablehlo::ReduceWindowOp>(call.op);
  FailureOr<BodyProgram> program = BodyProgram::create(op.getBody(), call);
  if (failed(program))
    return failure();
  Window window;
  window.sizes.assign(op.getWindowDimensions().begin(),
                      op.getWindowDimensions().end());
  size_t rank = window.sizes.size();
  window.strides = orOnes(op.getWindowStrides(), rank);
  window.baseDilations = orOnes(op.getBaseDilations(), rank);
  window.dilations = orOnes(op.getWindowDilations(), rank);
  setPadding(window, op.getPadding());
  unsigned count = op.getInputs().size();
  SmallVector<Tensor> inputs, inits;
  for (unsigned i = 0; i < count; ++i) {
    Type element = getElementTypeOrSelf(op.getBody().getArgument(i).getType());
    inputs.push_back(convertElements(call.operands[i], element, call.field));
    inits.push_back(
        convertElements(call.operands[count + i], element, call.field));
  }
  SmallVector<Tensor> results = reduceWindow(*program, inputs, inits, window,
                                             call.getResultType().getShape());
  for (auto [i, result] : llvm::enumerate(results)) {
    RankedTensorType type = call.getResultType(i);
    call.results.push_back(
        convertElements(result, type.getElementType(), call.field)
            .withType(type));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

/// Flat operand index that each window selects; -1 for a window of padding
/// only.
static std::vector<int64_t> selectIndices(BodyProgram &select,
                                          const Tensor &operand,
                                          const Window &window,
                                          ArrayRef<int64_t> sourceShape) {
  auto indexType = RankedTensorType::get(
      operand.getShape(), IntegerType::get(operand.getType().getContext(), 64));
  // Flat indices, shifted by one: padding is 0.
  Tensor indices = Tensor::allocate(indexType, false);
  for (int64_t i = 0; i < indices.getNumElements(); ++i)
    indices.mutableCells<int64_t>()[i] = i + 1;
  Tensor none = Tensor::zeros(
      RankedTensorType::get({}, indexType.getElementType()), false);
  Tensor zero = allocateLike(operand, {});
  std::memset(zero.mutableData(), 0, zero.getNumBytes());
  Tensor paddedIndices = padToWindow(indices, none, window);
  Tensor padded = padToWindow(operand, zero, window);
  int64_t count = getVolume(sourceShape), size = getCellSize(operand.getKind());
  Tensor best = splat(zero, sourceShape);
  std::vector<int64_t> bestIndex(count, 0), keep(count);
  forEachIndex(window.sizes, [&](ArrayRef<int64_t> position) {
    Tensor value = takePosition(padded, position, window, sourceShape);
    Tensor index = takePosition(paddedIndices, position, window, sourceShape);
    if (count)
      select.run({best.data(), value.data()}, {keep.data()}, count);
    auto *to = static_cast<char *>(best.mutableData());
    for (int64_t i = 0; i < count; ++i) {
      if (index.getAsInt(i) == 0 || (bestIndex[i] != 0 && keep[i]))
        continue;
      bestIndex[i] = index.getAsInt(i);
      std::memcpy(to + i * size,
                  static_cast<const char *>(value.data()) + i * size, size);
    }
  });
  for (int64_t &index : bestIndex)
    --index;
  return bestIndex;
}

static LogicalResult evaluateSelectAndScatter(KernelCall &call) {
  auto op = cast<stablehlo::SelectAndScatterOp>(call.op);
  FailureOr<BodyProgram> select = BodyProgram::create(op.getSelect(), call);
  FailureOr<BodyProgram> scatter = BodyProgram::create(op.getScatter(), call);
  if (failed(select) || failed(scatter))
    return failure();
  const Tensor &operand = call.operands[0], &source = call.operands[1];
  size_t rank = operand.getRank();
  Window window;
  window.sizes = orOnes(op.getWindowDimensions(), rank);
  window.strides = orOnes(op.getWindowStrides(), rank);
  window.baseDilations.assign(rank, 1);
  window.dilations.assign(rank, 1);
  setPadding(window, op.getPadding());
  std::vector<int64_t> indices =
      selectIndices(*select, operand, window, source.getShape());
  Tensor result = splat(call.operands[2], operand.getShape());
  auto *to = static_cast<char *>(result.mutableData());
  auto *from = static_cast<const char *>(source.data());
  int64_t size = getCellSize(result.getKind());
  for (int64_t i = 0; i < source.getNumElements(); ++i) {
    if (indices[i] < 0)
      continue;
    char *cell = to + indices[i] * size;
    scatter->run({cell, from + i * size}, {cell}, 1);
  }
  call.results.push_back(result.withType(call.getResultType()));
  return success();
}

void partita::registerWindowKernels(KernelTable &table) {
  table.add("stablehlo.reduce_window", evaluateReduceWindow);
  table.add("stablehlo.select_and_scatter", evaluateSelectAndScatter);
}
