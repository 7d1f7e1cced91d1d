// Groups of devices that take part in one instance of a collective.
#ifndef PARTITA_LIB_EVALUATOR_COLLECTIVES_H
#define PARTITA_LIB_EVALUATOR_COLLECTIVES_H

#include "Interpreter.h"
#include "llvm/ADT/MapVector.h"

namespace partita {

/// Members in the order of their index over the axes.
struct Group {
  llvm::SmallVector<unsigned> members;
};

struct GroupList {
  spmd::MeshAttr mesh;
  llvm::SmallVector<Group> groups;
  /// Active devices that are not part of the mesh.
  llvm::SmallVector<unsigned> outside;
};

/// Splits the active devices into groups that differ in `axes` only. An error
/// at `op` if some group is not complete.
mlir::FailureOr<GroupList> formGroups(mlir::Operation *op,
                                      mlir::FlatSymbolRefAttr meshName,
                                      llvm::ArrayRef<spmd::AxisRefAttr> axes,
                                      Frame &frame,
                                      llvm::ArrayRef<unsigned> active);

/// Devices outside the mesh get poison.
void bindOutside(mlir::Operation *op, const GroupList &list, Frame &frame,
                 bool inField);

/// The values combined in member order.
Tensor reduceMembers(llvm::ArrayRef<Tensor> values, spmd::ReductionKind kind,
                     const Field *field);

} // namespace partita

#endif
