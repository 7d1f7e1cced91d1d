// A program as partita-run sees it: imported for the unsharded reference,
// optimized for the run on its devices.
#ifndef PARTITA_TOOLS_RUN_PROGRAM_H
#define PARTITA_TOOLS_RUN_PROGRAM_H

#include "HostArray.h"
#include "Stages.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "partita/Evaluator/Evaluator.h"
#include "partita/Evaluator/Layout.h"
#include "partita/Pipelines/Pipelines.h"
#include "partita/Target/CPU/JIT.h"
#include "partita/Target/GPU/Program.h"

namespace partita {

/// One argument or result of main.
struct Port {
  /// Type of the whole value.
  mlir::RankedTensorType type;
  /// Null: replicated.
  spmd::ShardingAttr sharding;
  spmd::MeshAttr mesh;
  /// jax.result_info, or "argument #i", "result #i".
  std::string name;
};

struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  mlir::OwningOpRef<mlir::ModuleOp> optimized;
  /// What the passes in between made; empty unless asked for.
  std::vector<Stage> stages;
  int64_t devices = 1;
  std::vector<Port> inputs, outputs;
  double compileMs = 0;
  /// Machine code of `optimized`; null: the evaluator runs it.
  std::unique_ptr<CompiledProgram> compiled;
  /// Or kernels and host code for this machine's GPUs.
  std::unique_ptr<GPUProgram> gpu;

  mlir::func::FuncOp getImportedMain();
  mlir::func::FuncOp getOptimizedMain();
};

/// Compiles `module` (consumed), with `Program::stages` if `withStages`. Errors
/// have been reported.
mlir::FailureOr<Program>
compileProgram(mlir::OwningOpRef<mlir::ModuleOp> module,
               const PipelineOptions &options, bool withStages = false);

using Values = std::vector<Tensor>;

/// What machine code is made of: loops for the CPU, kernels for the GPU, or
/// these kernels run as loops.
enum class CodeKind { CPU, GPU, EmulatedGPU };

/// Compiles `program.optimized` to machine code, which runOnFloats then uses.
/// Errors have been reported. The code is looked for, and kept, in
/// `cacheFolder` unless that is "".
mlir::LogicalResult compileToMachineCode(Program &program, CodeKind kind,
                                         llvm::StringRef cacheFolder);

/// A program of whole arrays on one device.
mlir::FailureOr<Values> runWhole(mlir::func::FuncOp main, const Values &inputs,
                                 std::shared_ptr<const Field> field);

/// The whole program on one device.
mlir::FailureOr<Values> runUnsharded(Program &program, const Values &inputs,
                                     std::shared_ptr<const Field> field);

/// A result whose replicas differ.
struct ReplicaFault {
  unsigned output;
  ReplicaMismatch where;
};

/// `main`, the per-device program or a stage of it, on all devices, by the
/// evaluator; results assembled. Replicas that differ are listed in `faults`.
mlir::FailureOr<Values> runSharded(Program &program, mlir::func::FuncOp main,
                                   const Values &inputs,
                                   std::shared_ptr<const Field> field,
                                   std::vector<ReplicaFault> &faults,
                                   EvaluationObserver *observer = nullptr);

/// How a run on floats is made and what it tells.
struct FloatRun {
  /// 1: one run, which is timed. More: that many are timed after a first one.
  unsigned repeat = 1;
  /// Look for replicas that differ.
  bool checkReplicas = false;
  /// Sees values of the evaluator.
  EvaluationObserver *observer = nullptr;
  std::vector<ReplicaFault> faults;
  /// Time of the program alone, without splitting and assembling.
  std::vector<double> milliseconds;
};

/// The per-device program on floats: its machine code if there is any, else the
/// evaluator; results assembled.
mlir::FailureOr<HostValues>
runOnFloats(Program &program, const HostValues &inputs, FloatRun &run);

} // namespace partita

#endif
