// Runs blocks on a set of devices in lock step.
#ifndef PARTITA_LIB_EVALUATOR_INTERPRETER_H
#define PARTITA_LIB_EVALUATOR_INTERPRETER_H

#include "Kernels.h"
#include "World.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <map>

namespace partita {

/// Values of one function call or manual region.
struct Frame {
  explicit Frame(World &world) : world(world) {}

  World &world;
  /// One tensor per device of the world; null where the device did not run.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Tensor>> values;

  Tensor &at(mlir::Value value, unsigned device) {
    auto &row = values[value];
    if (row.empty())
      row.resize(world.getNumDevices());
    return row[device];
  }
};

/// One row of tensors (by device) per value.
using Rows = llvm::SmallVector<llvm::SmallVector<Tensor>>;

/// What programs of a test leave for each other and for its expectations.
struct Mailboxes {
  /// Sent and not yet received, by channel.
  std::map<int64_t, std::deque<llvm::SmallVector<Tensor>>> channels;
  std::deque<Tensor> infeed;
  /// Values that passed a probe, by its name.
  std::map<std::string, llvm::SmallVector<Tensor>> probes;
  /// Set while the programs of a run_parallel may wait for one another: then a
  /// receive on an empty channel says so here and fails without an error.
  bool canWait = false;
  std::optional<int64_t> waitsFor;
};

class Interpreter {
public:
  Interpreter(const EvaluatorOptions &options, EvaluationObserver *observer)
      : options(options), observer(observer) {}

  /// Calls `function` on `active`. `arguments` and `results` are rows by
  /// device.
  llvm::LogicalResult callFunction(mlir::Operation *caller,
                                   mlir::func::FuncOp function,
                                   const Rows &arguments, Rows &results,
                                   World &world,
                                   llvm::ArrayRef<unsigned> active);

  /// Binds block arguments, runs the ops, and gives the terminator's operands.
  llvm::LogicalResult runBlock(mlir::Block &block, const Rows &arguments,
                               Rows &results, Frame &frame,
                               llvm::ArrayRef<unsigned> active);

  /// The function called `name` as seen from `from`; an error there if missing.
  mlir::FailureOr<mlir::func::FuncOp> lookupFunction(mlir::Operation *from,
                                                     llvm::StringRef name);

  const Field *getField() const { return options.field.get(); }
  bool isField() const { return options.field != nullptr; }
  const EvaluatorOptions &getOptions() const { return options; }
  /// Whether the value depends on a float that is no constant.
  bool dependsOnFloat(mlir::Value value);
  Mailboxes mailboxes;

private:
  llvm::LogicalResult runOp(mlir::Operation &op, Frame &frame,
                            llvm::ArrayRef<unsigned> active);
  llvm::LogicalResult runDeviceKernel(mlir::Operation &op, DeviceKernel kernel,
                                      Frame &frame,
                                      llvm::ArrayRef<unsigned> active);
  void observe(mlir::Operation &op, Frame &frame,
               llvm::ArrayRef<unsigned> active);
  Kernel lookupKernel(mlir::Operation &op);
  /// Values of the block that nothing reads after each of its ops.
  const std::vector<llvm::SmallVector<mlir::Value, 2>> &
  getLastUses(mlir::Block &block);
  bool computeDependsOnFloat(mlir::Value value);

  const EvaluatorOptions &options;
  EvaluationObserver *observer;
  llvm::DenseMap<mlir::OperationName, Kernel> kernels;
  // A node-based map: references into it are held while it grows.
  std::map<mlir::Block *, std::vector<llvm::SmallVector<mlir::Value, 2>>>
      lastUses;
  llvm::DenseMap<mlir::Operation *, Tensor> constants;
  llvm::DenseMap<mlir::Value, bool> floatDependence;
  mlir::SymbolTableCollection symbols;
  unsigned callDepth = 0;
};

/// Rows of the operands of `op`, for group kernels.
Rows getOperandRows(mlir::Operation *op, Frame &frame);

} // namespace partita

#endif
