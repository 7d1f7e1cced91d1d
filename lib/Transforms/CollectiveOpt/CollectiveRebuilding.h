// Axis lists of collectives taken apart and put together, and collectives made
// anew with other operands.
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVEREBUILDING_H
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_COLLECTIVEREBUILDING_H

#include "dialects/SPMD/SPMD.h"

namespace partita {

using AxisRefs = llvm::SmallVector<spmd::AxisRefAttr>;

/// All axes of a list per dimension, in order.
AxisRefs concatenateAxes(mlir::ArrayAttr perDimension);

/// `axes` without the parts that `removed` names, which may be sub-axes of
/// them; nothing if some part of `removed` is not in `axes`.
std::optional<AxisRefs> subtractAxes(llvm::ArrayRef<spmd::AxisRefAttr> axes,
                                     llvm::ArrayRef<spmd::AxisRefAttr> removed,
                                     spmd::MeshAttr mesh);

/// True if some axis of `a` shares a part with one of `b`.
bool haveCommonPart(llvm::ArrayRef<spmd::AxisRefAttr> a,
                    llvm::ArrayRef<spmd::AxisRefAttr> b, spmd::MeshAttr mesh);

/// For each dimension the axes of `major` and then those of `minor`;
/// neighbouring sub-axes that make one are merged.
mlir::ArrayAttr joinAxisLists(mlir::ArrayAttr major, mlir::ArrayAttr minor,
                              spmd::MeshAttr mesh);

/// What is left of each list of `lists` behind its beginning in `prefixes`;
/// nothing if some list does not begin so.
std::optional<mlir::ArrayAttr> dropPrefixes(mlir::ArrayAttr lists,
                                            mlir::ArrayAttr prefixes);

/// What is left of each list before its end in `suffixes`, which may be the
/// minor part of an axis; nothing if some list does not end so.
std::optional<mlir::ArrayAttr> dropSuffixes(mlir::ArrayAttr lists,
                                            mlir::ArrayAttr suffixes,
                                            spmd::MeshAttr mesh);

bool hasNoAxes(mlir::ArrayAttr lists);

/// The dimension that has axes, if exactly one has.
std::optional<int64_t> findOnlyDim(mlir::ArrayAttr lists);

/// The same op, at the builder's place, on other operands with other result
/// types, as many as there are operands.
mlir::Operation *rebuildCollective(mlir::OpBuilder &b, mlir::Operation *op,
                                   mlir::ValueRange operands,
                                   mlir::TypeRange resultTypes);

/// Gives `to` the discardable attributes of `from` that it lacks: what users
/// wrote is carried along.
void carryAttributes(mlir::Operation *from, mlir::Operation *to);

} // namespace partita

#endif
