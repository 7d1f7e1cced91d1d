// Along which manual axes a value may differ between devices: one forward
// dataflow analysis. It serves the replication check of spmd.manual and the
// proof that a predicate is the same on all devices that must agree.
#ifndef PARTITA_DIALECTS_SPMD_VARYINGAXES_H
#define PARTITA_DIALECTS_SPMD_VARYINGAXES_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Analysis/DataFlowFramework.h"

namespace partita::spmd {

/// What is known of a value along one axis, in the order of the lattice.
enum class Variation {
  Uniform, ///< equal on all devices that differ in this axis only
  /// Depends on the device's place on the axis, and no communication over the
  /// axis reached it: nothing can have made it equal.
  Varying,
  /// Depends on the place, but devices exchanged values on the way (permute,
  /// all_to_all, reduce_scatter, part of an axis); may happen to be equal.
  Exchanged,
};

/// Variation of one value along all axes; axes that are not listed are uniform.
class AxisVariation {
public:
  Variation get(llvm::StringRef axis) const;
  /// Raises `axis` to at least `variation`; true if that changed anything.
  bool raise(mlir::StringAttr axis, Variation variation);
  bool join(const AxisVariation &other);
  void erase(mlir::StringAttr axis);
  llvm::ArrayRef<std::pair<mlir::StringAttr, Variation>> getAxes() const {
    return axes;
  }

private:
  llvm::SmallVector<std::pair<mlir::StringAttr, Variation>, 2> axes;
};

/// Runs the analysis once over `top` and answers questions. Functions are seen
/// through calls inside `top`.
class VaryingAxes {
public:
  explicit VaryingAxes(mlir::Operation *top);
  ~VaryingAxes();

  /// False when the solver failed; then no answer may be relied on.
  bool isValid() const { return valid; }

  /// Variation of `value`; that of values outside `top` is uniform.
  AxisVariation get(mlir::Value value) const;
  Variation get(mlir::Value value, llvm::StringRef axis) const {
    return get(value).get(axis);
  }

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
  bool valid = false;
};

} // namespace partita::spmd

#endif
