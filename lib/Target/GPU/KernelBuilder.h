// Builds one kernel beside the host code that it is taken from.
//
// A host value is used in the kernel by `import`: constants and cheap
// arithmetic are repeated in the kernel, views are repeated on their source,
// anything else becomes an argument. Arguments that are buffers are dense and
// of static shape, so that they pass as bare pointers.
#ifndef PARTITA_TARGET_GPU_KERNELBUILDER_H
#define PARTITA_TARGET_GPU_KERNELBUILDER_H

#include "partita/Target/GPU/Passes.h"

namespace partita {

/// The buffer that a view, however nested, shows.
mlir::Value getRoot(mlir::Value buffer);

/// False only where two roots are surely different memory.
bool mayAlias(mlir::Value rootA, mlir::Value rootB);

class KernelBuilder {
public:
  /// A new kernel at the end of `kernels`. `canSink` says whether a load of the
  /// host may move to the launch.
  KernelBuilder(mlir::gpu::GPUModuleOp kernels, llvm::StringRef name,
                mlir::Location loc, mlir::Operation *launchPoint,
                std::function<bool(mlir::memref::LoadOp)> canSink);

  /// The kernel's form of a host value; made before the kernel's own ops.
  mlir::Value import(mlir::Value value);

  /// The same for a buffer that is written: an argument of its own, so that a
  /// kernel is the same whether it works in place or not.
  mlir::Value importOutput(mlir::Value buffer);

  /// Memory of a block.
  mlir::Value addShared(int64_t count, mlir::Type element);

  mlir::Value index(int64_t value);
  /// Indices of the `linear`-th element, row major.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> sizes);
  llvm::SmallVector<mlir::Value> apply(mlir::AffineMap map,
                                       mlir::ValueRange indices);
  /// Clones `op` with `mapping`; what it uses beside is imported.
  mlir::Operation *clone(mlir::Operation &op, mlir::IRMapping &mapping);

  mlir::Value getThread() const { return thread; }
  mlir::Value getBlock() const { return block; }

  /// Ends the kernel and launches it at the launch point.
  void launch(int64_t blocks, int64_t threads);

  mlir::OpBuilder b;
  mlir::Location loc;

private:
  mlir::Value addArgument(mlir::Value value, mlir::Type type);
  mlir::Value importBuffer(mlir::Value value);
  mlir::Value importStrided(mlir::Value value);
  mlir::Value repeat(mlir::Operation *op, mlir::Value value);

  mlir::gpu::GPUFuncOp function;
  mlir::Operation *launchPoint;
  std::function<bool(mlir::memref::LoadOp)> canSink;
  mlir::Value thread, block;
  mlir::Operation *firstOp;
  llvm::SmallVector<mlir::Value> operands;
  mlir::IRMapping imported, outputs;
};

} // namespace partita

#endif
