// Compiles a per-device program to machine code in this process and runs it on
// devices that are threads.
#ifndef PARTITA_TARGET_CPU_JIT_H
#define PARTITA_TARGET_CPU_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/LogicalResult.h"
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace partita {

/// Where the values of one device lie: dense, row major, one entry per argument
/// or result, elements as .npy files hold them.
using DevicePointers = std::vector<void *>;

/// Names and addresses that compiled code may call.
using SymbolTableEntries = std::vector<std::pair<const char *, void *>>;

struct CompileOptions {
  /// Adds the passes from *optimized* to the LLVM dialect; null:
  /// buildCPULowering.
  std::function<void(mlir::OpPassManager &)> buildLowering;
  /// A name for what `buildLowering` does, its options included: programs that
  /// are lowered in different ways are different in the cache.
  std::string lowering = "cpu";
  /// LLVM vectorises loops.
  bool vectorizesLoops = true;
  /// Functions besides the runtime's and this process's.
  SymbolTableEntries symbols;
  /// Where machine code is kept between runs; "": nowhere.
  std::string cacheFolder;
};

/// $XDG_CACHE_HOME/partita, else ~/.cache/partita; "" without a home.
std::string getDefaultCacheFolder();

/// What compilation did, and where its time went.
struct CompileReport {
  bool isFromCache = false;
  /// Memory of one device besides arguments and results.
  int64_t arenaBytes = 0;
  /// All memory of one device: arguments, results and arena; a donated argument
  /// and its result are one.
  int64_t peakBytes = 0;
  /// Functions made of linalg ops; equal ones count once.
  int64_t numKernels = 0;
  /// Hash of the program, reading and writing of the cache.
  double cacheMs = 0;
  /// Passes; LLVM; linking.
  double lowerMs = 0, generateMs = 0, linkMs = 0;
};

class CompiledProgram {
public:
  /// Compiles `module`, at phase *optimized*, of which a copy is lowered,
  /// unless the cache has its code. An op without lowering is an error at the
  /// op, a function that nobody has is one at its call.
  static mlir::FailureOr<std::unique_ptr<CompiledProgram>>
  compile(mlir::ModuleOp module, const CompileOptions &options = {});
  ~CompiledProgram();

  /// Runs on one thread per entry of `inputs`. Arguments are only read, so that
  /// devices may share them: code works on a donated argument (Donation.h) in
  /// its result's memory, to which it is copied first, unless the caller passes
  /// the same memory for both. Returns the first error, "" if none. Arenas are
  /// kept for the next run.
  std::string run(const std::vector<DevicePointers> &inputs,
                  const std::vector<DevicePointers> &outputs);

  /// Memory of one device besides arguments and results.
  int64_t getArenaBytes() const;
  const CompileReport &getReport() const;

  /// The code itself, for whoever runs it otherwise: takes the values of main,
  /// the context first, the arena last.
  void (*getEntry() const)(void **);

private:
  CompiledProgram();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace partita

#endif
