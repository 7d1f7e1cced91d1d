// The reference evaluator: runs a function of StableHLO, CHLO and spmd ops on
// one or N simulated devices in lock step, on floats or on a prime field.
#ifndef PARTITA_EVALUATOR_EVALUATOR_H
#define PARTITA_EVALUATOR_EVALUATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "partita/Evaluator/Field.h"
#include "partita/Evaluator/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

namespace partita {

struct EvaluatorOptions {
  /// The field to compute in; null: floats.
  std::shared_ptr<const Field> field;
  /// Trips of a loop whose predicate depends on a float, in field mode.
  int64_t maxHashedTrips = 8;
  /// Key of stablehlo.rng, which has no state of its own.
  uint64_t seed = 0;
};

/// Values of one op or function: `[value][device]`.
using DeviceValues = llvm::SmallVector<llvm::SmallVector<Tensor>>;

/// Sees the results of every op, in order of execution.
class EvaluationObserver {
public:
  virtual ~EvaluationObserver();
  /// Called after `op` on the devices `active`. `get(result, device)` is the
  /// value on one of them. Ops inside `spmd.manual` before partition run on the
  /// devices of the region (`region` is then the manual op, else null). Not
  /// called for ops in bodies of reduce, sort and the like.
  virtual void
  afterOp(mlir::Operation *op, mlir::Operation *region,
          llvm::ArrayRef<unsigned> active,
          llvm::function_ref<const Tensor &(unsigned, unsigned)> get) = 0;
};

/// Runs `function` on `numDevices` devices. `inputs[i][d]` is argument i on
/// device d; results are `[result][device]`. Device d is partition d: the one
/// that a mesh lists as d. Every fault (an op without kernel, a predicate that
/// differs between devices of one collective) is an error at the op.
///
/// Pre: the module verifies, shapes are static, inputs have the argument types.
/// One device evaluates a whole program as well, spmd.manual included, whose
/// body then runs on as many virtual devices as its manual axes have.
mlir::FailureOr<DeviceValues> evaluate(mlir::func::FuncOp function,
                                       const DeviceValues &inputs,
                                       int64_t numDevices,
                                       const EvaluatorOptions &options,
                                       EvaluationObserver *observer = nullptr);

/// The results of one op without regions, on floats. Fails without an error
/// where the op needs other devices or has no kernel.
llvm::LogicalResult evaluateOp(mlir::Operation *op,
                               llvm::ArrayRef<Tensor> operands,
                               llvm::SmallVectorImpl<Tensor> &results);

/// The field for comparing `modules` exactly: that of 2^64 - 2^32 + 1, or, if
/// two distinct float constants of the modules are equal there, of a random
/// prime.
std::shared_ptr<const Field> makeField(llvm::ArrayRef<mlir::ModuleOp> modules,
                                       uint64_t seed, bool smallNearTop);

/// What random inputs look like.
enum class InputKind {
  Normal,   ///< floats of the standard normal distribution
  Positive, ///< floats uniform in [0.5, 1.5)
};

/// A random value for an argument. Floats as `kind` says, or uniform residues
/// in field mode; integers in [0, 8), booleans either. The same seed gives the
/// same value on every machine.
Tensor makeRandomTensor(mlir::RankedTensorType type, InputKind kind,
                        uint64_t seed, const Field *field);

/// Whether the evaluator has a kernel for ops of this name.
bool hasKernel(llvm::StringRef opName);

/// FFT sizes for which the field has no root of unity: the ops in `function`'s
/// module that field mode refuses. Empty: all can be evaluated.
llvm::SmallVector<mlir::Operation *> findOpsOutsideField(mlir::ModuleOp module,
                                                         const Field &field);

} // namespace partita

#endif
