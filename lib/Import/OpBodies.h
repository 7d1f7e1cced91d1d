// Tells the regions that hold parts of the program from the bodies of ops such
// as reduce or sort, whose values carry no sharding.
#ifndef PARTITA_LIB_IMPORT_OPBODIES_H
#define PARTITA_LIB_IMPORT_OPBODIES_H

#include "mlir/IR/Operation.h"

namespace partita {

/// True for an op inside the body of an op that is neither a function, a module
/// nor control flow: the values there are elements, not arrays of the program.
bool isInOpBody(mlir::Operation *op);

} // namespace partita

#endif
