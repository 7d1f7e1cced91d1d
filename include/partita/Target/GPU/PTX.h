// The kernels of a program as PTX and as cubin.
#ifndef PARTITA_TARGET_GPU_PTX_H
#define PARTITA_TARGET_GPU_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace partita {

/// PTX of all kernels of `module`, which is at phase *optimized* and lowered in
/// place for `chip`, a supported one, or is *lowered* for target nvptx already;
/// "" if there is none.
mlir::FailureOr<std::string> compileToPTX(mlir::ModuleOp module,
                                          llvm::StringRef chip);

/// The same through ptxas of the CUDA toolkit (CUDA_HOME, PATH,
/// /usr/local/cuda).
mlir::FailureOr<std::string> compileToCubin(mlir::ModuleOp module,
                                            llvm::StringRef chip);

} // namespace partita

#endif
