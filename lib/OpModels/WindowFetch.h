// What the windows of one device's block of a result read of the operand.
#ifndef PARTITA_LIB_OPMODELS_WINDOWFETCH_H
#define PARTITA_LIB_OPMODELS_WINDOWFETCH_H

#include "partita/Building/PartitionBuilder.h"

namespace partita {

/// Entry of an optional list with one number per window dimension: size, stride
/// or dilation; 1 where the op has no list.
int64_t getWindowEntry(std::optional<llvm::ArrayRef<int64_t>> list,
                       int64_t dim);
/// Padding before and after dimension `dim`; none where the op has none.
std::pair<int64_t, int64_t>
getWindowPadding(std::optional<mlir::DenseIntElementsAttr> padding,
                 int64_t dim);

/// Windows along one sharded dimension of an operand, whose blocks have the
/// same axes as those of the result.
struct WindowDim {
  int64_t dim;    ///< of the operand
  int64_t low;    ///< padding before the first element
  int64_t stride; ///< of the windows
  int64_t extent; ///< elements from a window's first to its last, inclusive
  int64_t block;  ///< windows of one device
};

/// The operand's elements under the device's windows along `dims`, by interval
/// exchange; outside the operand stands the scalar `fill`. Other dimensions are
/// as in `input.local`.
mlir::Value fetchWindows(PartitionBuilder &builder, const ShardedValue &input,
                         llvm::ArrayRef<WindowDim> dims, mlir::Value fill);

} // namespace partita

#endif
