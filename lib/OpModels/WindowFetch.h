// What the windows of one device's block of a result read of the operand.
#ifndef PARTITA_LIB_OPMODELS_WINDOWFETCH_H
#define PARTITA_LIB_OPMODELS_WINDOWFETCH_H

#include "partita/Building/PartitionBuilder.h"

namespace partita {

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
