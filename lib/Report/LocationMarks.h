// Numbers on locations, by which the trace finds ops again in later phases.
#ifndef PARTITA_REPORT_LOCATIONMARKS_H
#define PARTITA_REPORT_LOCATIONMARKS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

namespace partita {

/// Two kinds, one inside the other: of ops at phase *propagated* and *placed*.
enum class Mark { Propagated, Placed };

mlir::Location addMark(mlir::Location loc, Mark mark, unsigned number);
/// Numbers of this kind anywhere in `loc`; a pass that makes one op of several
/// fuses their locations.
llvm::SmallVector<unsigned, 1> getMarks(mlir::Location loc, Mark mark);

} // namespace partita

#endif
