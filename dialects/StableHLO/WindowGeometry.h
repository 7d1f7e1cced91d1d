// Sizes of windows that move across a tensor: what reduce_window,
// select_and_scatter and convolution have in common.
#ifndef PARTITA_DIALECTS_STABLEHLO_WINDOWGEOMETRY_H
#define PARTITA_DIALECTS_STABLEHLO_WINDOWGEOMETRY_H

#include "dialects/StableHLO/Reporter.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace partita::stablehlo {

/// One dimension of a window.
struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t paddingLow = 0;
  int64_t paddingHigh = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
  bool reversed = false;
};

/// A size spread out by `dilation`: 1 + (size - 1) * dilation, or 0.
int64_t dilateSize(int64_t size, int64_t dilation);

/// Number of positions of `window` on a base of size `base`; unknown if the
/// base or the window is.
int64_t countPositions(int64_t base, const WindowDim &window);

/// Windows from an op's optional attributes, one per entry of `sizes`. Fails
/// if a list has another length, or a value is out of range. Messages
/// use the public names of the attributes.
mlir::FailureOr<llvm::SmallVector<WindowDim>>
getWindow(const Reporter &at, llvm::ArrayRef<int64_t> sizes,
          std::optional<llvm::ArrayRef<int64_t>> strides,
          std::optional<mlir::DenseIntElementsAttr> padding,
          std::optional<llvm::ArrayRef<int64_t>> baseDilations,
          std::optional<llvm::ArrayRef<int64_t>> windowDilations,
          std::optional<llvm::ArrayRef<bool>> reversal = std::nullopt);

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_WINDOWGEOMETRY_H
