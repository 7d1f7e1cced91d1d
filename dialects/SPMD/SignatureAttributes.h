// Attributes of a function's arguments and results, all at once.
#ifndef PARTITA_DIALECTS_SPMD_SIGNATUREATTRIBUTES_H
#define PARTITA_DIALECTS_SPMD_SIGNATUREATTRIBUTES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace partita::spmd {

/// Changes the attributes of one argument or result, given by its index.
using SignatureChange =
    llvm::function_ref<void(unsigned, mlir::NamedAttrList &)>;

/// Changes the attributes of every argument and of every result. One by one,
/// each change would make the list of all anew.
void changeSignatureAttributes(mlir::FunctionOpInterface function,
                               SignatureChange changeArgument,
                               SignatureChange changeResult);

} // namespace partita::spmd

#endif
