// Checks that attributes and ops of the spmd dialect share: axes against a
// mesh, sizes of element types. Each emits one located error with a fix note.
#ifndef PARTITA_DIALECTS_SPMD_AXISVERIFICATION_H
#define PARTITA_DIALECTS_SPMD_AXISVERIFICATION_H

#include "dialects/SPMD/SPMD.h"

namespace partita::spmd {

using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Adds the note `fix: ...` to an error, emits it and fails.
mlir::LogicalResult failWithFix(mlir::InFlightDiagnostic error,
                                const llvm::Twine &fix);

/// Refuses lists in which two members share part of an axis, whatever the mesh.
mlir::LogicalResult verifyDisjoint(llvm::ArrayRef<AxisRefAttr> axes,
                                   EmitErrorFn emitError);

/// Refuses axes that `mesh` lacks, sub-axes that do not divide their axis and
/// axes that overlap.
mlir::LogicalResult verifyAxes(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                               EmitErrorFn emitError);

/// The mesh called `name` around `op`; an error on `op` when there is none.
mlir::FailureOr<MeshAttr> requireMesh(mlir::Operation *op,
                                      mlir::FlatSymbolRefAttr name);

/// Refuses a reduction kind that the element type does not have.
mlir::LogicalResult verifyReductionKind(ReductionKind kind,
                                        mlir::Type elementType,
                                        EmitErrorFn emitError);

} // namespace partita::spmd

#endif
