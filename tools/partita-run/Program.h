// A program as partita-run sees it: imported for the unsharded reference,
// optimized for the run on its devices.
#ifndef PARTITA_TOOLS_RUN_PROGRAM_H
#define PARTITA_TOOLS_RUN_PROGRAM_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "partita/Evaluator/Evaluator.h"
#include "partita/Evaluator/Layout.h"
#include "partita/Pipelines/Pipelines.h"
#include "partita/Target/CPU/JIT.h"

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
  int64_t devices = 1;
  std::vector<Port> inputs, outputs;
  double compileMs = 0;
  /// Machine code of `optimized`; null: the evaluator runs it.
  std::unique_ptr<CompiledProgram> compiled;

  mlir::func::FuncOp getImportedMain();
  mlir::func::FuncOp getOptimizedMain();
};

/// Compiles `module` (consumed). Errors have been reported.
mlir::FailureOr<Program>
compileProgram(mlir::OwningOpRef<mlir::ModuleOp> module,
               const PipelineOptions &options);

using Values = std::vector<Tensor>;

/// What machine code is made of: loops for the CPU, or the kernels of the GPU
/// run as loops.
enum class CodeKind { CPU, EmulatedGPU };

/// Compiles `program.optimized` to machine code, which runSharded then uses for
/// floats (the field is the evaluator's). Errors have been reported.
mlir::LogicalResult compileToMachineCode(Program &program, CodeKind kind);

/// The whole program on one device.
mlir::FailureOr<Values> runUnsharded(Program &program, const Values &inputs,
                                     std::shared_ptr<const Field> field);

/// A result whose replicas differ.
struct ReplicaFault {
  unsigned output;
  ReplicaMismatch where;
};

/// The per-device program on all devices; results assembled. Replicas that
/// differ are listed in `faults`.
mlir::FailureOr<Values> runSharded(Program &program, const Values &inputs,
                                   std::shared_ptr<const Field> field,
                                   std::vector<ReplicaFault> &faults,
                                   EvaluationObserver *observer = nullptr);

} // namespace partita

#endif
