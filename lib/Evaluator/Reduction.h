// What reductions, windows and collectives share.
#ifndef PARTITA_LIB_EVALUATOR_REDUCTION_H
#define PARTITA_LIB_EVALUATOR_REDUCTION_H

#include "Body.h"

namespace partita {

/// The elements converted to another type.
Tensor convertElements(const Tensor &tensor, mlir::Type elementType,
                       const Field *field);

/// Folds inputs of shape [n, line] along their first dimension, from the inits
/// (scalars), to results of shape `kept` with `line` elements.
llvm::SmallVector<Tensor> foldLeading(BodyProgram &program,
                                      llvm::ArrayRef<Tensor> inputs,
                                      llvm::ArrayRef<Tensor> inits,
                                      llvm::ArrayRef<int64_t> kept);

} // namespace partita

#endif
