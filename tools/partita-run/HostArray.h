// Whole values and blocks as dense bytes in this process's memory: what machine
// code runs on. Splitting and assembling copy only what must be moved.
#ifndef PARTITA_TOOLS_RUN_HOSTARRAY_H
#define PARTITA_TOOLS_RUN_HOSTARRAY_H

#include "dialects/SPMD/SPMD.h"
#include "partita/Evaluator/Layout.h"
#include "partita/Evaluator/Tensor.h"
#include <memory>

namespace partita {

/// Bytes of one element as .npy files hold it: i1 and narrower integers take
/// one.
int64_t getElementBytes(mlir::Type elementType);
/// Bytes of a dense value.
int64_t getDenseBytes(mlir::RankedTensorType type);

/// A dense row-major value. Copies share the memory.
class HostArray {
public:
  HostArray() = default;
  /// Memory for `type`, aligned for vectors; zeros.
  static HostArray allocate(mlir::RankedTensorType type);
  static HostArray fromTensor(const Tensor &tensor);
  Tensor toTensor() const;
  /// A dense piece of this array, in its memory.
  HostArray view(mlir::RankedTensorType pieceType, int64_t offset) const;
  /// An own copy.
  HostArray copy() const;

  explicit operator bool() const { return memory != nullptr; }
  mlir::RankedTensorType getType() const { return type; }
  char *data() const { return start; }
  int64_t getNumBytes() const { return getDenseBytes(type); }

private:
  mlir::RankedTensorType type;
  std::shared_ptr<char> memory;
  char *start = nullptr;
};

using HostValues = std::vector<HostArray>;

/// How a value lies on the devices: which of them hold equal blocks, and
/// whether those can be pieces of the whole value's memory.
class BlockMap {
public:
  BlockMap(mlir::RankedTensorType whole, spmd::ShardingAttr sharding,
           spmd::MeshAttr mesh, int64_t numDevices);

  mlir::RankedTensorType getBlockType() const { return blockType; }
  /// Bytes that split() allocates.
  int64_t getSplitBytes() const;
  /// The block of every device; equal blocks are one.
  HostValues split(const HostArray &array) const;
  /// The whole value; where replicas differ, `mismatch` (if given) says where.
  HostArray assemble(llvm::ArrayRef<HostArray> blocks,
                     std::optional<ReplicaMismatch> *mismatch) const;

private:
  /// One block of the grid.
  struct Place {
    /// First element in the whole; beyond it: all padding.
    llvm::SmallVector<int64_t> start;
    /// Elements that are not padding.
    llvm::SmallVector<int64_t> valid;
    /// Lies in one piece in the whole, without padding.
    bool isContiguous = false;
  };
  Place makePlace(llvm::ArrayRef<int64_t> index) const;
  HostArray takeBlock(const HostArray &array, const Place &place) const;

  mlir::RankedTensorType whole, blockType;
  spmd::ShardingAttr sharding;
  spmd::MeshAttr mesh;
  std::vector<Place> places;
  /// Place of each device; -1: outside the mesh.
  llvm::SmallVector<int64_t> placeOf;
  /// Partial sums: what the evaluator's functions do is taken.
  bool isPartial = false;
};

} // namespace partita

#endif
