// Between a whole tensor and its blocks on the devices of a mesh (DESIGN 4,
// block layout), and the comparison of values.
#ifndef PARTITA_EVALUATOR_LAYOUT_H
#define PARTITA_EVALUATOR_LAYOUT_H

#include "dialects/SPMD/SPMD.h"
#include "partita/Evaluator/Tensor.h"

namespace partita {

/// Coordinates of `device` on the axes of `mesh`; empty if the mesh does not
/// have it (and for a mesh without axes).
llvm::SmallVector<int64_t> getMeshCoordinates(spmd::MeshAttr mesh,
                                              int64_t device);

/// Mixed-radix index over `axes` at the given coordinates.
int64_t getAxesIndex(spmd::MeshAttr mesh,
                     llvm::ArrayRef<spmd::AxisRefAttr> axes,
                     llvm::ArrayRef<int64_t> coordinates);

/// What padding holds: NaN, or an odd bit pattern for integers.
Tensor makePoison(mlir::RankedTensorType type, bool inField);

/// The block of every device 0 .. numDevices-1. Blocks are padded with poison;
/// devices outside the mesh hold poison alone. Over unreduced axes index 0
/// holds the value and the others the neutral element. Null sharding:
/// replicated.
llvm::SmallVector<Tensor> splitTensor(const Tensor &global,
                                      spmd::ShardingAttr sharding,
                                      spmd::MeshAttr mesh, int64_t numDevices,
                                      const Field *field);

/// A place where two blocks that are declared equal differ.
struct ReplicaMismatch {
  int64_t device = 0, otherDevice = 0;
  /// Global index of the element.
  llvm::SmallVector<int64_t> index;
};

/// The whole tensor from its blocks, padding dropped; partial values are
/// combined. Where replicas differ, the first device's value is kept and
/// `mismatch`, if given, says where. NaN equals NaN.
Tensor assembleTensor(llvm::ArrayRef<Tensor> blocks,
                      mlir::RankedTensorType global,
                      spmd::ShardingAttr sharding, spmd::MeshAttr mesh,
                      const Field *field,
                      std::optional<ReplicaMismatch> *mismatch = nullptr);

/// How two values of one type differ.
struct TensorDifference {
  bool equal = true;
  /// Largest |a - b| over finite elements; 0 where not a number.
  double maxAbsDiff = 0;
  /// Largest |a| over finite elements.
  double maxAbs = 0;
  /// Elements that are NaN in `a`, as a share of all.
  double nanShare = 0;
  /// Row-major index of the first element that counts as different; -1: none.
  int64_t firstIndex = -1;
};

/// Compares as DESIGN 9 says: integers, residues and NaN positions identical;
/// floats within the tolerance of the element type times the largest |a|.
TensorDifference compareTensors(const Tensor &a, const Tensor &b,
                                const Field *field);

/// Tolerance of floats of a type: 1e-10 (f64), 1e-4 (f32), 2e-2 (narrower).
double getTolerance(mlir::Type elementType);

} // namespace partita

#endif
