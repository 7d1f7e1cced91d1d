// What a loop must compute beyond its own block so that several trips need one
// exchange of halos: planning only, the IR stays as it is.
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_GHOSTZONES_H
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_GHOSTZONES_H

#include "dialects/SPMD/VaryingAxes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace partita {

/// Axes over which blocks of `block` indices lie side by side: index j on the
/// device whose index over the axes is i has the global position i*block + j.
struct GhostAxis {
  mlir::FlatSymbolRefAttr mesh;
  spmd::MeshAttr meshAttr;
  llvm::SmallVector<spmd::AxisRefAttr> axes;
  int64_t block = 0, shards = 0;
  /// Positions before and behind its block that one trip reads.
  int64_t low = 0, high = 0;
  /// Positions go round: those outside are those of the other end.
  bool wraps = false;
};

/// Of a tensor, by dimension: index of its ghost axis; none: -1.
using GhostDims = llvm::SmallVector<int, 4>;

/// An exchange between neighbours that becomes local: along dimension d its
/// result starts `before[d]` positions before the block and ends `behind[d]`
/// positions behind it (negative: within).
struct GhostRead {
  spmd::ExchangeOp exchange;
  /// Of its operand.
  GhostDims dims;
  llvm::SmallVector<int64_t> before, behind;
};

/// A loop whose trips can exchange halos together. Each value in `dims` is a
/// function of global positions: the same at one position on whichever device
/// computes it, so that a device can compute it beyond its block.
struct GhostZones {
  llvm::SmallVector<GhostAxis> axes;
  /// Values that are computed on block and ghost zone; also those that ops
  /// among them read as they are, with -1 everywhere.
  llvm::MapVector<mlir::Value, GhostDims> dims;
  /// Ops of the body that compute them, or read them as exchanges.
  llvm::SetVector<mlir::Operation *> ops;
  /// In the order of the body; all are in `ops`.
  llvm::SmallVector<GhostRead> reads;
  /// Carried values in `dims`, by number.
  llvm::SmallVector<unsigned> carried;
  /// Values from outside the loop in `dims`.
  llvm::SmallVector<mlir::Value> captured;
};

/// Plans ghost zones for the exchanges in the body of `loop`, as many as
/// possible; nothing if there are none. `refuse` is called with each exchange
/// that has to stay, and why.
std::optional<GhostZones> planGhostZones(
    mlir::LoopLikeOpInterface loop, const spmd::VaryingAxes &varying,
    llvm::function_ref<void(spmd::ExchangeOp, llvm::StringRef)> refuse);

} // namespace partita

#endif
