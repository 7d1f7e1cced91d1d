// How ops find their kernels. A kernel of a device sees one device's operands;
// a kernel of a group sees the interpreter and all active devices.
#ifndef PARTITA_LIB_EVALUATOR_KERNELS_H
#define PARTITA_LIB_EVALUATOR_KERNELS_H

#include "mlir/IR/Operation.h"
#include "partita/Evaluator/Evaluator.h"
#include "llvm/ADT/StringMap.h"

namespace partita {

class Interpreter;
struct Frame;

/// One op on one device.
struct KernelCall {
  mlir::Operation *op;
  llvm::ArrayRef<Tensor> operands;
  llvm::SmallVectorImpl<Tensor> &results;
  /// Null: float mode.
  const Field *field;
  const EvaluatorOptions &options;
  /// The scalar that an op body reads from outside itself.
  llvm::function_ref<Tensor(mlir::Value)> capture;

  bool isField() const { return field != nullptr; }
  mlir::RankedTensorType getResultType(unsigned i = 0) const {
    return llvm::cast<mlir::RankedTensorType>(op->getResult(i).getType());
  }
};

/// Pre: the op verifies, shapes are static. Post: one result per op result, or
/// an error was emitted. The results depend on operands, captures and op alone.
using DeviceKernel = llvm::LogicalResult (*)(KernelCall &call);

/// Binds the results of `op` in the frame for all `active` devices.
using GroupKernel = llvm::LogicalResult (*)(Interpreter &interpreter,
                                            mlir::Operation *op, Frame &frame,
                                            llvm::ArrayRef<unsigned> active);

struct Kernel {
  DeviceKernel device = nullptr;
  GroupKernel group = nullptr;
  explicit operator bool() const { return device || group; }
};

class KernelTable {
public:
  /// The table of all kernels.
  static const KernelTable &get();

  void add(llvm::StringRef opName, DeviceKernel kernel) {
    kernels[opName].device = kernel;
  }
  void add(llvm::StringRef opName, GroupKernel kernel) {
    kernels[opName].group = kernel;
  }
  /// All elementwise ops of a dialect ("stablehlo.").
  void addFamily(llvm::StringRef dialect, DeviceKernel elementwise) {
    families[dialect] = elementwise;
  }
  Kernel lookup(llvm::StringRef opName) const;

private:
  llvm::StringMap<Kernel> kernels;
  llvm::StringMap<DeviceKernel> families;
};

void registerElementwiseKernels(KernelTable &table);
void registerShapeKernels(KernelTable &table);
void registerIndexingKernels(KernelTable &table);
void registerContractionKernels(KernelTable &table);
void registerRaggedDotKernels(KernelTable &table);
void registerConvolutionKernels(KernelTable &table);
void registerReductionKernels(KernelTable &table);
void registerWindowKernels(KernelTable &table);
void registerScatterKernels(KernelTable &table);
void registerSortKernels(KernelTable &table);
void registerRandomKernels(KernelTable &table);
void registerFftKernels(KernelTable &table);
void registerLinearAlgebraKernels(KernelTable &table);
void registerNormalizationKernels(KernelTable &table);
void registerControlFlowKernels(KernelTable &table);
void registerManualKernels(KernelTable &table);
void registerCollectiveKernels(KernelTable &table);
void registerReplicaGroupKernels(KernelTable &table);
void registerCustomCallKernels(KernelTable &table);
void registerCheckKernels(KernelTable &table);
void registerChannelKernels(KernelTable &table);

} // namespace partita

#endif
