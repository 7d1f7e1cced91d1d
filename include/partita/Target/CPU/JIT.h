// Compiles a per-device program to machine code in this process and runs it on
// devices that are threads.
#ifndef PARTITA_TARGET_CPU_JIT_H
#define PARTITA_TARGET_CPU_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/LogicalResult.h"
#include <memory>
#include <vector>

namespace partita {

/// Values of one device: dense bytes, one entry per argument or result, as .npy
/// files hold them.
using DeviceBuffers = std::vector<std::vector<char>>;

class CompiledProgram {
public:
  /// Compiles `module`, at phase *optimized*, which is lowered in place by the
  /// passes that `buildLowering` adds (null: buildCPULowering). An op without
  /// lowering is an error at the op.
  static mlir::FailureOr<std::unique_ptr<CompiledProgram>> compile(
      mlir::ModuleOp module,
      llvm::function_ref<void(mlir::OpPassManager &)> buildLowering = nullptr);
  ~CompiledProgram();

  /// Runs on one thread per entry of `inputs`; `outputs[d]` must have the
  /// results' sizes. Returns the first error, "" if none.
  std::string run(const std::vector<DeviceBuffers> &inputs,
                  std::vector<DeviceBuffers> &outputs);

  /// Memory of one device besides arguments and results.
  int64_t getArenaBytes() const;

private:
  CompiledProgram();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace partita

#endif
