// Sizes of windows that move across a tensor.
#include "dialects/StableHLO/WindowGeometry.h"

#include "dialects/StableHLO/Inference.h"

using namespace mlir;

namespace partita::stablehlo {

int64_t dilateSize(int64_t size, int64_t dilation) {
  if (ShapedType::isDynamic(size))
    return size;
  return size == 0 ? 0 : 1 + (size - 1) * dilation;
}

int64_t countPositions(int64_t base, const WindowDim &window) {
  if (ShapedType::isDynamic(base) || ShapedType::isDynamic(window.size))
    return ShapedType::kDynamic;
  int64_t padded = window.paddingLow + dilateSize(base, window.baseDilation) +
                   window.paddingHigh;
  int64_t extent = dilateSize(window.size, window.windowDilation);
  if (padded <= 0 || extent > padded)
    return 0;
  return 1 + (padded - extent) / window.stride;
}

/// Copies an optional list of positive numbers into a field of each window.
static LogicalResult setField(const Reporter &at, StringRef name,
                              std::optional<ArrayRef<int64_t>> list,
                              int64_t WindowDim::*field,
                              MutableArrayRef<WindowDim> window) {
  if (!list)
    return success();
  if (failed(checkCount(at, name, list->size(), window.size(),
                        "window dimensions")))
    return failure();
  for (auto [dim, value] : llvm::enumerate(*list)) {
    if (value <= 0)
      return at.fail(name, " must be positive, but is ", value,
                     " in window dimension ", dim);
    window[dim].*field = value;
  }
  return success();
}

static LogicalResult setPadding(const Reporter &at,
                                std::optional<DenseIntElementsAttr> padding,
                                MutableArrayRef<WindowDim> window) {
  if (!padding || !*padding)
    return success();
  ShapedType type = padding->getType();
  int64_t rank = window.size();
  if (type.getRank() != 2 || type.getDimSize(0) != rank ||
      type.getDimSize(1) != 2)
    return at.fail("padding has shape ", type.getShape(), ", but ", rank,
                   " window dimensions take shape ", rank, "x2");
  SmallVector<int64_t> values(padding->getValues<int64_t>());
  for (int64_t dim = 0; dim < rank; ++dim) {
    window[dim].paddingLow = values[2 * dim];
    window[dim].paddingHigh = values[2 * dim + 1];
  }
  return success();
}

FailureOr<SmallVector<WindowDim>>
getWindow(const Reporter &at, ArrayRef<int64_t> sizes,
          std::optional<ArrayRef<int64_t>> strides,
          std::optional<DenseIntElementsAttr> padding,
          std::optional<ArrayRef<int64_t>> baseDilations,
          std::optional<ArrayRef<int64_t>> windowDilations,
          std::optional<ArrayRef<bool>> reversal) {
  SmallVector<WindowDim> window(sizes.size());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!ShapedType::isDynamic(size) && size <= 0)
      return at.fail("needs a window of positive size, not ", size,
                     " in window dimension ", dim);
    window[dim].size = size;
  }
  if (failed(setField(at, "strides", strides, &WindowDim::stride, window)) ||
      failed(setField(at, "base dilation", baseDilations,
                      &WindowDim::baseDilation, window)) ||
      failed(setField(at, "window dilation", windowDilations,
                      &WindowDim::windowDilation, window)) ||
      failed(setPadding(at, padding, window)))
    return failure();
  if (reversal) {
    if (failed(checkCount(at, "window_reversal", reversal->size(),
                          window.size(), "window dimensions")))
      return failure();
    for (auto [dim, reversed] : llvm::enumerate(*reversal))
      window[dim].reversed = reversed;
  }
  return window;
}

} // namespace partita::stablehlo
