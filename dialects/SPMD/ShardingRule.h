// The sharding rule of an op: plain data from which propagation, placement and
// the derived partition all read how the op may be split.
#ifndef PARTITA_DIALECTS_SPMD_SHARDINGRULE_H
#define PARTITA_DIALECTS_SPMD_SHARDINGRULE_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

#include "dialects/SPMD/SPMDEnums.h.inc"

namespace mlir {
class Operation;
}

namespace partita::spmd {

/// What happens when a factor is sharded.
enum class FactorKind {
  Parallel,   ///< each shard computes its part alone
  Reduction,  ///< each shard holds a partial result; see Factor::reduction
  Halo,       ///< shards read across their border (windows, shifts, pads)
  Scan,       ///< prefix computation along the factor
  Indexed,    ///< addressed by run-time indices; owner computes
  Sort,       ///< ordered along the factor
  Fft,        ///< transformed along the factor
  Replicated, ///< must be whole on every device that computes
};

/// One factor: an iteration dimension of the op.
struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::Parallel;
  /// How partials combine, for a Reduction and for a Halo along which a window
  /// is summed (a convolution's kernel). Empty for a Reduction: by the op's own
  /// body, which the op's partition applies itself (gathered partials, e.g.
  /// argmax pairs); its result is then never left unreduced.
  std::optional<ReductionKind> reduction;
  /// Directions in which propagation may pass shardings along this factor.
  PropagationDirection direction = PropagationDirection::Both;
  /// The op's partition knows how to run with this factor sharded. False: the
  /// operands are gathered along it first, with a remark. Parallel and
  /// Reduction(kind) factors are always shardable.
  bool shardable = true;
  /// Propagation treats the factor like a parallel one although its kind is
  /// another (the updated dimension of a dynamic_update_slice).
  bool passThrough = false;

  /// Shards hold parts of a sum, or of what its kind of reduction is.
  bool isReduced() const {
    return kind == FactorKind::Reduction || reduction.has_value();
  }
};

/// When propagation passes shardings through an op: the stages are described in
/// lib/Transforms/Propagation/Rationale.md.
enum class PropagationClass {
  Ordinary,    ///< parallel factors in the third stage, others in the fourth
  Elementwise, ///< each result point depends on one point per operand: first
  PassThrough, ///< reorders or regroups points (reshape, transpose): first
  Slice,       ///< slices at run-time offsets: first, but only forward
  Broadcast,   ///< backward from the third stage, forward in the last
  DataFlow,    ///< result i is operand i (optimization_barrier): first
};

/// Factors of each dimension of one tensor, major to minor. A dimension of size
/// one that nothing shards has no factor.
struct TensorMapping {
  llvm::SmallVector<llvm::SmallVector<int, 1>, 0> dims;
  /// The factor of a dimension that has exactly one; -1: it has not.
  int getOnlyFactor(int64_t dim) const {
    return dims[dim].size() == 1 ? dims[dim].front() : -1;
  }
  /// Factor indices of all dimensions in order.
  llvm::SmallVector<int> factorList() const {
    llvm::SmallVector<int> list;
    for (const auto &dim : dims)
      list.append(dim.begin(), dim.end());
    return list;
  }
};

/// What padding beyond the valid extent an op bears in one operand.
enum class PadTolerance {
  Any,     ///< garbage stays in the padding of the result
  Neutral, ///< must hold the neutral element along reduced factors
  None,    ///< the op's own partition masks or exchanges
};

struct OperandTraits {
  /// The op is linear in this operand (others fixed), so that partial sums may
  /// pass through. `jointly`: linear in all such operands together (add).
  bool linear = false;
  bool linearJointly = false;
  PadTolerance pad = PadTolerance::Any;
};

/// `base + i*step : length`: the indices along one dimension that block i reads.
struct BlockInterval {
  int64_t base = 0, step = 0, length = 0;
  bool operator==(const BlockInterval &other) const {
    return base == other.base && step == other.step && length == other.length;
  }
};

/// What a Halo factor reads along one dimension of an operand: index j of
/// dimension `readerDim` of the reader, the first result or another operand,
/// reads the indices from floor((stride * j + first) / period) to
/// floor((stride * j + last) / period).
struct HaloRead {
  unsigned operand = 0, dim = 0, readerDim = 0;
  /// The operand that reads; none: the first result.
  std::optional<unsigned> reader = std::nullopt;
  int64_t stride = 1, first = 0, last = 0, period = 1;
  /// Intervals of the reader from a multiple of this to another read alike.
  int64_t blockUnit = 1;

  /// What the indices `readers` of the reader read. `readers` begins and
  /// ends at multiples of `blockUnit`.
  BlockInterval getInterval(const BlockInterval &readers) const;
};

/// A sharded dimension of a reader: its size and that of its blocks.
struct ReaderBlocks {
  int64_t size = 0, block = 0;

  /// Intervals of the reader from multiples of `unit` to others that contain
  /// the blocks: the blocks themselves where they are such. None: as long as
  /// the whole dimension.
  std::optional<BlockInterval> getCover(int64_t unit) const;
};

/// The rule of one op. `operands` and `results` have one mapping per operand and
/// result; those that are not ranked tensors have none (no dims).
struct ShardingRule {
  // Rules are made and moved often: nothing inline that is dear to move.
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<TensorMapping, 0> operands;
  llvm::SmallVector<TensorMapping, 0> results;
  llvm::SmallVector<OperandTraits, 4> operandTraits;
  /// What sharded Halo factors read beyond their own block: emission fetches
  /// this, and placement prices it.
  llvm::SmallVector<HaloRead, 0> reads;
  /// FLOPs of the op: `flopsPerPoint` times the product of all factor sizes.
  double flopsPerPoint = 1;
  /// Elementwise-like: every tensor maps dimension i to factor i alone.
  bool isPointwise = false;
  /// Order in which propagation takes the op.
  PropagationClass propagation = PropagationClass::Ordinary;
  /// Given by the user (sdy.sharding_rule on a custom call).
  bool isCustom = false;

  int addFactor(int64_t size, FactorKind kind = FactorKind::Parallel) {
    factors.push_back(Factor{size, kind, std::nullopt,
                             PropagationDirection::Both, true});
    return static_cast<int>(factors.size()) - 1;
  }
  int addReduction(int64_t size, std::optional<ReductionKind> reduction) {
    int index = addFactor(size, FactorKind::Reduction);
    factors[index].reduction = reduction;
    return index;
  }
  /// The intervals of each dimension of operand `index` that a device needs: its
  /// own block, of the local shape `ownBlock` of a tensor of `shape`, or what
  /// covers of sharded dimensions of a reader read; none where some dimension
  /// has no cover. `getBlocks` describes the reader along `readerDim`; none: whole.
  std::optional<llvm::SmallVector<BlockInterval>> getReads(
      unsigned index, llvm::ArrayRef<int64_t> shape,
      llvm::ArrayRef<int64_t> ownBlock,
      llvm::function_ref<std::optional<ReaderBlocks>(const HaloRead &)>
          getBlocks) const;
  /// Text as an einsum: `([i, k],[k, j])->([i, j]) {i=8, k=4 add, j=16}`.
  std::string str() const;
};

} // namespace partita::spmd

#endif
