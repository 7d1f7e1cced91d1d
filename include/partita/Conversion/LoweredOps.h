// Which ops the lowering to linalg knows, for the table of op support.
#ifndef PARTITA_CONVERSION_LOWEREDOPS_H
#define PARTITA_CONVERSION_LOWEREDOPS_H

#include "mlir/IR/OperationSupport.h"

namespace partita {

enum class LoweredAs {
  Nothing,    ///< refused
  Loops,      ///< linalg, scf or tensor ops: CPU and GPU
  Collective, ///< a call of the runtime on CPU, of NCCL on GPU
  Product,    ///< a call of the runtime on CPU, of cuBLASLt on GPU
  Kernel,     ///< a kernel of the runtime: CPU alone
};

/// How ops of this name are lowered, for the element types that all engines
/// have. Ops that import expands or phases before *optimized* replace count as
/// nothing.
LoweredAs getLowering(mlir::RegisteredOperationName name);

} // namespace partita

#endif
