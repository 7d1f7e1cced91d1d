// Emits kernels for linalg.generic on buffers: pointwise groups, other parallel
// ops, and the steps of reductions.
#ifndef PARTITA_TARGET_GPU_KERNELEMITTER_H
#define PARTITA_TARGET_GPU_KERNELEMITTER_H

#include "KernelBuilder.h"

namespace partita {

/// How a body combines an element with an accumulator, and what changes
/// nothing.
struct Combiner {
  mlir::Operation *op;
  /// The element's operand number.
  unsigned element;
  mlir::TypedAttr neutral;
};

/// A reduction as the kernels see it: sizes of the loops that give an output,
/// and of those that are summed away.
struct ReductionShape {
  llvm::SmallVector<unsigned> outer, inner;
  llvm::SmallVector<int64_t> outerSizes, innerSizes;
  int64_t numOutputs = 1, numInner = 1;
  /// The innermost dimension of the largest input is reduced.
  bool isAlongRows = false;
};

class KernelEmitter {
public:
  KernelEmitter(
      mlir::gpu::GPUModuleOp kernels, unsigned &nextName,
      std::function<bool(mlir::memref::LoadOp, mlir::Operation *)> canSink)
      : kernels(kernels), nextName(nextName), canSink(std::move(canSink)) {}

  /// One thread per element, for ops of equal all-parallel loops. Values of
  /// `elided` buffers stay in registers.
  void emitPointwise(llvm::ArrayRef<mlir::linalg::GenericOp> group,
                     const llvm::DenseSet<mlir::Value> &elided);

  /// A reduction; `fill`, if any, is the op that sets the outputs' start
  /// (one per output, null where it is read from memory).
  void emitReduction(mlir::linalg::GenericOp op,
                     llvm::ArrayRef<mlir::linalg::GenericOp> fills);

  /// A kernel that is launched before `at`.
  KernelBuilder start(llvm::StringRef name, mlir::Operation *at);

  unsigned numKernels = 0;

private:
  using Values = llvm::SmallVector<mlir::Value>;

  Values emitBody(KernelBuilder &k, mlir::linalg::GenericOp op,
                  mlir::ValueRange loops, mlir::ValueRange accumulators,
                  llvm::DenseMap<mlir::Value, mlir::Value> *stored = nullptr);
  void store(KernelBuilder &k, mlir::linalg::GenericOp op,
             mlir::ValueRange loops, mlir::ValueRange values);

  // Reductions.cpp
  Values getStart(KernelBuilder &k, mlir::linalg::GenericOp op,
                  llvm::ArrayRef<mlir::linalg::GenericOp> fills,
                  mlir::ValueRange loops);
  Values getNeutral(KernelBuilder &k, llvm::ArrayRef<Combiner> combiners);
  Values combine(KernelBuilder &k, llvm::ArrayRef<Combiner> combiners,
                 mlir::ValueRange accumulators, mlir::ValueRange values);
  Values reduceRange(KernelBuilder &k, mlir::linalg::GenericOp op,
                     const ReductionShape &shape, mlir::ValueRange outer,
                     mlir::Value from, mlir::Value to, mlir::Value step,
                     mlir::ValueRange start);
  void reduceWarp(KernelBuilder &k, llvm::ArrayRef<Combiner> combiners,
                  Values &values);
  void emitThreadPerOutput(mlir::linalg::GenericOp op,
                           const ReductionShape &shape,
                           llvm::ArrayRef<mlir::linalg::GenericOp> fills);
  void emitWarpPerOutput(mlir::linalg::GenericOp op,
                         const ReductionShape &shape,
                         llvm::ArrayRef<Combiner> combiners,
                         llvm::ArrayRef<mlir::linalg::GenericOp> fills);
  void emitBlockPerOutput(mlir::linalg::GenericOp op,
                          const ReductionShape &shape,
                          llvm::ArrayRef<Combiner> combiners,
                          llvm::ArrayRef<mlir::linalg::GenericOp> fills);
  void emitParts(mlir::linalg::GenericOp op, const ReductionShape &shape,
                 llvm::ArrayRef<Combiner> combiners,
                 llvm::ArrayRef<mlir::linalg::GenericOp> fills, int64_t parts);
  void emitFirstStep(mlir::linalg::GenericOp op, const ReductionShape &shape,
                     llvm::ArrayRef<Combiner> combiners,
                     mlir::ValueRange partials, int64_t parts, int64_t length);
  Values emitBlockSum(KernelBuilder &k, mlir::linalg::GenericOp op,
                      const ReductionShape &shape,
                      llvm::ArrayRef<Combiner> combiners, mlir::Value output,
                      mlir::Value from, mlir::Value to, int64_t threads);

  mlir::gpu::GPUModuleOp kernels;
  unsigned &nextName;
  std::function<bool(mlir::memref::LoadOp, mlir::Operation *)> canSink;
};

} // namespace partita

#endif
