// Inputs and results of a run: random, or NumPy archives.
#ifndef PARTITA_TOOLS_RUN_INPUTVALUES_H
#define PARTITA_TOOLS_RUN_INPUTVALUES_H

#include "HostArray.h"
#include "Program.h"

namespace partita {

/// Values for the program's arguments: `spec` is normal, positive, or the path
/// of a .npz whose arrays are the arguments in order. In a field, random floats
/// are uniform residues and those of a file are embedded. Errors at main.
mlir::FailureOr<Values> makeInputValues(Program &program, llvm::StringRef spec,
                                        uint64_t seed, const Field *field);

/// The same on floats, as dense bytes.
mlir::FailureOr<HostValues> makeHostInputs(Program &program,
                                           llvm::StringRef spec, uint64_t seed);

/// Writes the results as arr_0, arr_1, ... to a .npz.
mlir::LogicalResult writeResults(Program &program, llvm::StringRef path,
                                 const HostValues &results);

} // namespace partita

#endif
