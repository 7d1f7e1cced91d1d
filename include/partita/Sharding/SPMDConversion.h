// Between spmd attributes and the plain structures of lib/Sharding.
#ifndef PARTITA_SHARDING_SPMDCONVERSION_H
#define PARTITA_SHARDING_SPMDCONVERSION_H

#include "dialects/SPMD/SPMD.h"
#include "partita/Sharding/ReshardPlanner.h"

namespace partita {

Mesh getMesh(spmd::MeshAttr mesh);

/// Atoms for all the shardings given (which are on `mesh`) and for the axis
/// lists besides. Nothing when a sub-axis does not fit the mesh, or above 64
/// atoms.
std::optional<AxisAtoms>
buildAtoms(spmd::MeshAttr mesh, llvm::ArrayRef<spmd::ShardingAttr> shardings,
           llvm::ArrayRef<spmd::AxisListAttr> lists = {});

/// Layout of the sharding (open and closed alike). Nothing when it names an
/// axis or sub-axis that `atoms` lacks.
std::optional<Layout> getLayout(const AxisAtoms &atoms,
                                spmd::ShardingAttr sharding);

/// Axes of the atoms in order, neighbours merged.
llvm::SmallVector<spmd::AxisRefAttr> getAxisRefs(mlir::MLIRContext *context,
                                                 const AxisAtoms &atoms,
                                                 llvm::ArrayRef<AtomId> list);
spmd::AxisListAttr getAxisList(mlir::MLIRContext *context,
                               const AxisAtoms &atoms,
                               llvm::ArrayRef<AtomId> list);
/// One axis list per dimension.
mlir::ArrayAttr getAxisLists(mlir::MLIRContext *context, const AxisAtoms &atoms,
                             llvm::ArrayRef<AtomList> lists);
/// Source and target axes of a permute step. Only neighbours in both lists are
/// merged, so that both name the same axes.
std::pair<spmd::AxisListAttr, spmd::AxisListAttr>
getPermuteAxes(mlir::MLIRContext *context, const AxisAtoms &atoms,
               llvm::ArrayRef<AtomId> source, llvm::ArrayRef<AtomId> target);
/// The moves of an all_to_all step.
mlir::ArrayAttr getAllToAllMoves(mlir::MLIRContext *context,
                                 const AxisAtoms &atoms,
                                 llvm::ArrayRef<AtomMove> moves);
/// The intervals of an exchange step.
mlir::ArrayAttr getIntervals(mlir::MLIRContext *context,
                             llvm::ArrayRef<ExchangeInterval> intervals);

/// Closed sharding of the layout on the mesh called `meshName`.
spmd::ShardingAttr getSharding(mlir::MLIRContext *context,
                               const AxisAtoms &atoms, const Layout &layout,
                               mlir::FlatSymbolRefAttr meshName);

} // namespace partita

#endif
