// Native objects of a program: what the code generator makes, the cache keeps
// and the linker takes.
#ifndef PARTITA_TARGET_CPU_JIT_MACHINECODE_H
#define PARTITA_TARGET_CPU_JIT_MACHINECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace partita {

/// Calls main with `values`: the context, arguments, results and the arena.
inline constexpr llvm::StringLiteral kEntryName = "partita_entry";

/// Relocatable ELF objects, one of which defines kEntryName, and what the
/// caller of the entry must know.
struct MachineCode {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  int64_t arenaBytes = 0;
  int64_t numKernels = 0;
  /// Owns the bytes of `objects` that were read from the cache.
  std::unique_ptr<llvm::MemoryBuffer> file;
};

/// A part of a program that is compiled by itself.
struct CodeUnit {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Straight-line code that calls kernels: compiled fast, not well.
  bool isHost = false;
};

/// Takes `module`, in the LLVM dialect, apart: the host's code first, then the
/// functions marked `partita.body`, some to a unit. Symbols of other units
/// become declarations; nothing is left in `module`.
std::vector<CodeUnit> splitModule(mlir::ModuleOp module);

/// Compiles `module`, in the LLVM dialect with a function main, for `target`,
/// on as many threads as there are cores. Consumes the module's body.
mlir::FailureOr<MachineCode>
generateMachineCode(mlir::ModuleOp module,
                    const llvm::orc::JITTargetMachineBuilder &target,
                    bool vectorizesLoops);

} // namespace partita

#endif
