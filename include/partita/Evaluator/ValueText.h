// Text of whole values, with every element as MLIR prints it.
#ifndef PARTITA_EVALUATOR_VALUETEXT_H
#define PARTITA_EVALUATOR_VALUETEXT_H

#include "partita/Evaluator/Tensor.h"

namespace partita {

/// Writes `tensor`, which holds numbers and no field words, and ends the line:
/// its type and nested lists in braces, or as a dense attribute.
void printValue(const Tensor &tensor, llvm::raw_ostream &os, bool asDense);

} // namespace partita

#endif
