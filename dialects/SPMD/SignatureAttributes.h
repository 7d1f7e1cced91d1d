// Attributes of a function's arguments and results, all at once.
#ifndef PARTITA_DIALECTS_SPMD_SIGNATUREATTRIBUTES_H
#define PARTITA_DIALECTS_SPMD_SIGNATUREATTRIBUTES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace partita::spmd {

/// Changes the attributes of one argument or result of a type.
using SignatureChange =
    llvm::function_ref<void(mlir::NamedAttrList &, mlir::Type)>;

/// Changes the attributes of every argument, then of every result. One by one,
/// each change would make the list of all anew.
void changeSignatureAttributes(mlir::FunctionOpInterface function,
                               SignatureChange change);

} // namespace partita::spmd

#endif
