// Ops that are kernels of the runtime (partita/Runtime/ABI.h).
#ifndef PARTITA_CONVERSION_STABLEHLOTOLINALG_RUNTIMEKERNEL_H
#define PARTITA_CONVERSION_STABLEHLOTOLINALG_RUNTIMEKERNEL_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "partita/Conversion/RuntimeDescriptor.h"
#include <functional>

namespace partita {

/// How a kernel takes elements that the runtime lacks.
enum class NarrowFloats {
  AsBits, ///< it moves them, or leaves them to a body
  AsF32,  ///< it computes on them
};

/// A kernel with the words behind the common part of its descriptor, and the
/// bodies that it calls back.
struct RuntimeKernel {
  llvm::StringRef callee;
  std::function<void(RuntimeDescriptor &)> words;
  llvm::SmallVector<mlir::Region *> bodies;
  NarrowFloats narrowFloats = NarrowFloats::AsF32;
  /// The operands that are passed, if not all.
  std::optional<llvm::SmallVector<unsigned>> operands = std::nullopt;
  /// It stays, in its place among collectives, though nobody reads its results.
  bool hasEffect = false;
};

/// The kernel that computes `op`, no identity call; none if there is no such kernel.
std::optional<RuntimeKernel> describeKernel(mlir::Operation *op);

} // namespace partita

#endif
