// Moves of rectangular pieces between row-major tensors: what transposition,
// slices, broadcasts, pads and blocks of a layout are all made of.
#ifndef PARTITA_LIB_EVALUATOR_STRIDED_H
#define PARTITA_LIB_EVALUATOR_STRIDED_H

#include "partita/Evaluator/Tensor.h"

namespace partita {

/// Row-major strides, in elements.
llvm::SmallVector<int64_t> getStrides(llvm::ArrayRef<int64_t> shape);
/// Product of the sizes.
int64_t getVolume(llvm::ArrayRef<int64_t> shape);

/// Copies a box of `shape` cells of `cellSize` bytes. Strides are in cells and
/// may be zero or negative. The two must not overlap.
void copyStrided(void *to, llvm::ArrayRef<int64_t> toStrides, const void *from,
                 llvm::ArrayRef<int64_t> fromStrides,
                 llvm::ArrayRef<int64_t> shape, int64_t cellSize);

/// Calls `visit` with each index of a box in row-major order.
template <typename F>
void forEachIndex(llvm::ArrayRef<int64_t> shape, F visit) {
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = getVolume(shape);
  for (int64_t i = 0; i < count; ++i) {
    visit(llvm::ArrayRef<int64_t>(index));
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// A tensor type of other sizes with the element type of `tensor`.
mlir::RankedTensorType getTypeOfShape(const Tensor &tensor,
                                      llvm::ArrayRef<int64_t> shape);
/// A fresh tensor of that type.
Tensor allocateLike(const Tensor &tensor, llvm::ArrayRef<int64_t> shape);

Tensor transpose(const Tensor &tensor, llvm::ArrayRef<int64_t> permutation);
/// Operand dimension i becomes dimension `dims[i]`; sizes of 1 are repeated.
Tensor broadcastInDim(const Tensor &tensor, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> dims);
/// The box of `shape` that starts at `start`, taken with `strides` (default 1).
Tensor slice(const Tensor &tensor, llvm::ArrayRef<int64_t> start,
             llvm::ArrayRef<int64_t> shape,
             llvm::ArrayRef<int64_t> strides = {});
/// Writes `piece` into `tensor` at `start`; what lies outside is dropped.
void writeSlice(Tensor &tensor, const Tensor &piece,
                llvm::ArrayRef<int64_t> start);
/// As slice, but indices outside the tensor give cells of `fill` (a scalar, or
/// null for zeros). `start` may be negative.
Tensor sliceOrFill(const Tensor &tensor, llvm::ArrayRef<int64_t> start,
                   llvm::ArrayRef<int64_t> shape, const Tensor &fill = {});
/// `count` indices from `begin` on along dimension `dim`; outside of the tensor
/// they are taken modulo its size (`wraps`) or are the nearest ones inside.
Tensor takeRows(const Tensor &tensor, int64_t dim, int64_t begin, int64_t count,
                bool wraps);
/// Every cell the same as the scalar's.
Tensor splat(const Tensor &scalar, llvm::ArrayRef<int64_t> shape);
Tensor concatenate(llvm::ArrayRef<Tensor> parts, int64_t dim);
/// Stride-wise pad as StableHLO's; amounts may be negative.
Tensor pad(const Tensor &tensor, const Tensor &value,
           llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> interior,
           llvm::ArrayRef<int64_t> shape);
/// The given dimensions in reverse order.
Tensor reverse(const Tensor &tensor, llvm::ArrayRef<int64_t> dims);
/// The same cells at another shape.
Tensor reshape(const Tensor &tensor, llvm::ArrayRef<int64_t> shape);

} // namespace partita

#endif
