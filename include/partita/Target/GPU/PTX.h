// The kernels of a program as PTX and as cubin.
#ifndef PARTITA_TARGET_GPU_PTX_H
#define PARTITA_TARGET_GPU_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace partita {

/// True for chips that PTX is made for: sm_80, sm_86, sm_89, sm_90, sm_90a
bool isSupportedChip(llvm::StringRef chip);

/// PTX of all kernels of `module`, at phase *optimized*, which is lowered in
/// place; "" if there is none. `chip` is a supported one.
mlir::FailureOr<std::string> compileToPTX(mlir::ModuleOp module,
                                          llvm::StringRef chip);

/// The same through ptxas of the CUDA toolkit (CUDA_HOME, PATH, /usr/local/cuda).
mlir::FailureOr<std::string> compileToCubin(mlir::ModuleOp module,
                                            llvm::StringRef chip);

} // namespace partita

#endif
