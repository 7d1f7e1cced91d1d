// scatter with any body and any number of operands. A window that does not lie
// within the operand is dropped as a whole, as XLA does.
#include "Body.h"
#include "Strided.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partita;

namespace {
/// How update elements are laid over the operand.
class ScatterPlan {
public:
  ScatterPlan(stablehlo::ScatterDimensionNumbersAttr numbers,
              ArrayRef<int64_t> operandShape, ArrayRef<int64_t> updateShape,
              const Tensor &indices)
      : numbers(numbers), operandShape(operandShape), indices(indices),
        operandStrides(getStrides(operandShape)),
        indexStrides(getStrides(indices.getShape())) {
    SmallVector<int64_t> updateStrides = getStrides(updateShape);
    for (int64_t d = 0; d < int64_t(updateShape.size()); ++d)
      if (!llvm::is_contained(numbers.getUpdateWindowDims(), d)) {
        scatterShape.push_back(updateShape[d]);
        scatterStrides.push_back(updateStrides[d]);
      }
    windowSizes.assign(operandShape.size(), 1);
    unsigned next = 0;
    for (int64_t d = 0; d < int64_t(operandShape.size()); ++d) {
      if (llvm::is_contained(numbers.getInsertedWindowDims(), d) ||
          llvm::is_contained(numbers.getInputBatchingDims(), d))
        continue;
      int64_t updateDim = numbers.getUpdateWindowDims()[next++];
      windowSizes[d] = updateShape[updateDim];
      window.push_back({updateShape[updateDim], operandStrides[d],
                        updateStrides[updateDim]});
    }
    findRun();
  }

  ArrayRef<int64_t> getScatterShape() const { return scatterShape; }

  /// Calls visit(operand offset, update offset, length) for each contiguous run
  /// of the window of one scatter index.
  template <typename F>
  void visitWindow(ArrayRef<int64_t> scatterIndex, F visit) const {
    int64_t target = 0, source = 0;
    SmallVector<int64_t> start = getStart(scatterIndex);
    for (size_t d = 0; d < start.size(); ++d) {
      if (start[d] < 0 || start[d] + windowSizes[d] > operandShape[d])
        return;
      target += start[d] * operandStrides[d];
    }
    for (auto [i, stride] : llvm::zip_equal(scatterIndex, scatterStrides))
      source += i * stride;
    forEachIndex(outerShape, [&](ArrayRef<int64_t> index) {
      int64_t t = target, s = source;
      for (size_t d = 0; d < index.size(); ++d) {
        t += index[d] * window[d].operandStride;
        s += index[d] * window[d].updateStride;
      }
      visit(t, s, run);
    });
  }

private:
  struct WindowDim {
    int64_t size, operandStride, updateStride;
  };

  /// Trailing window dimensions that are contiguous on both sides are one run.
  void findRun() {
    size_t outer = window.size();
    while (outer > 0 && window[outer - 1].operandStride == run &&
           window[outer - 1].updateStride == run)
      run *= window[--outer].size;
    for (size_t d = 0; d < outer; ++d)
      outerShape.push_back(window[d].size);
  }

  SmallVector<int64_t> getStart(ArrayRef<int64_t> scatterIndex) const {
    SmallVector<int64_t> start(operandShape.size(), 0);
    int64_t vectorDim = numbers.getIndexVectorDim(), offset = 0, next = 0;
    for (int64_t d = 0; d < indices.getRank(); ++d)
      if (d != vectorDim)
        offset += scatterIndex[next++] * indexStrides[d];
    int64_t step = vectorDim < indices.getRank() ? indexStrides[vectorDim] : 0;
    bool isUnsigned = isUnsignedType(indices.getElementType());
    for (auto [i, d] : llvm::enumerate(numbers.getScatterDimsToOperandDims())) {
      int64_t value = indices.getAsInt(offset + int64_t(i) * step);
      // Far outside either way, without overflow.
      start[d] = isUnsigned && value < 0
                     ? INT64_MAX / 2
                     : std::clamp<int64_t>(value, -1, INT64_MAX / 2);
    }
    for (auto [operandDim, indexDim] :
         llvm::zip_equal(numbers.getInputBatchingDims(),
                         numbers.getScatterIndicesBatchingDims()))
      start[operandDim] =
          scatterIndex[indexDim > vectorDim ? indexDim - 1 : indexDim];
    return start;
  }

  stablehlo::ScatterDimensionNumbersAttr numbers;
  ArrayRef<int64_t> operandShape;
  const Tensor &indices;
  SmallVector<int64_t> operandStrides, indexStrides, scatterShape,
      scatterStrides;
  SmallVector<int64_t> windowSizes, outerShape;
  SmallVector<WindowDim> window;
  int64_t run = 1;
};
} // namespace

static LogicalResult evaluateScatter(KernelCall &call) {
  auto op = cast<stablehlo::ScatterOp>(call.op);
  FailureOr<BodyProgram> program =
      BodyProgram::create(op.getUpdateComputation(), call);
  if (failed(program))
    return failure();
  unsigned count = op.getInputs().size();
  const Tensor &indices = call.operands[count];
  ArrayRef<Tensor> updates = call.operands.drop_front(count + 1);
  SmallVector<Tensor> results(call.operands.take_front(count));
  ScatterPlan plan(op.getScatterDimensionNumbers(), results[0].getShape(),
                   updates[0].getShape(), indices);
  SmallVector<char *> to;
  SmallVector<const char *> from;
  SmallVector<int64_t> sizes;
  for (auto [result, update] : llvm::zip_equal(results, updates)) {
    to.push_back(static_cast<char *>(result.mutableData()));
    from.push_back(static_cast<const char *>(update.data()));
    sizes.push_back(getCellSize(result.getKind()));
  }
  SmallVector<const void *> in(2 * count);
  SmallVector<void *> out(count);
  forEachIndex(plan.getScatterShape(), [&](ArrayRef<int64_t> index) {
    plan.visitWindow(index,
                     [&](int64_t target, int64_t source, int64_t length) {
                       if (length == 0)
                         return;
                       for (unsigned i = 0; i < count; ++i) {
                         in[i] = out[i] = to[i] + target * sizes[i];
                         in[count + i] = from[i] + source * sizes[i];
                       }
                       program->run(in, out, length);
                     });
  });
  for (auto [i, result] : llvm::enumerate(results))
    call.results.push_back(result.withType(call.getResultType(i)));
  return success();
}

void partita::registerScatterKernels(KernelTable &table) {
  table.add("stablehlo.scatter", evaluateScatter);
}
