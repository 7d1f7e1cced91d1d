// spmd-sink-readers: what reads a collective's result waits until it is needed.
//
// Before and after: phase partitioned. An op that depends on a collective of
// its block and has no effects is moved to just before the first op that reads
// it, if that holds no more bytes on the way than before. The interval in which
// the collective may stand, or be under way, grows by that.

#include "CollectiveCosts.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"

namespace partita {
#define GEN_PASS_DEF_SINKREADERSPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Where an op of the block stands or will: before the op that was at `anchor`;
/// of several there, by rank. Ops that stay have the highest.
struct Place {
  int64_t anchor;
  int64_t rank = std::numeric_limits<int64_t>::max();
  bool operator<(const Place &other) const {
    return std::tie(anchor, rank) < std::tie(other.anchor, other.rank);
  }
};

class BlockSinker {
public:
  explicit BlockSinker(Block &block) : block(block) {}

  void run();
  unsigned numSunk = 0;

private:
  bool isMovable(Operation *op) const {
    return op->getNumRegions() == 0 && op->getNumResults() > 0 &&
           !op->hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(op) &&
           !isa<spmd::CollectiveOpInterface>(op);
  }
  std::optional<Place> getFirstReader(Operation *op) const;
  bool isLastReader(Operation *op, Value value) const;
  /// Producers that go along: nothing else reads them and they are larger than
  /// what they are made from (constants, broadcasts).
  void findCompanions(Operation *op, SmallVectorImpl<Operation *> &found) const;
  void sink(Operation *op);
  void moveTo(Operation *op, int64_t anchor) {
    places[op] = {anchor, nextRank--};
    moved.push_back(op);
  }

  Block &block;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, Place> places;
  /// In the order in which they were moved, each before those moved earlier.
  SmallVector<Operation *> moved;
  int64_t nextRank = 0;
};

} // namespace

std::optional<Place> BlockSinker::getFirstReader(Operation *op) const {
  std::optional<Place> first;
  for (Operation *user : op->getUsers()) {
    auto it = places.find(block.findAncestorOpInBlock(*user));
    if (it == places.end())
      return std::nullopt;
    if (!first || it->second < *first)
      first = it->second;
  }
  return first;
}

bool BlockSinker::isLastReader(Operation *op, Value value) const {
  Place own = places.lookup(op);
  return llvm::none_of(value.getUsers(), [&](Operation *user) {
    auto it = places.find(block.findAncestorOpInBlock(*user));
    return it == places.end() || own < it->second;
  });
}

void BlockSinker::findCompanions(Operation *op,
                                 SmallVectorImpl<Operation *> &found) const {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (source && source->getBlock() == &block && source->hasOneUse() &&
        source->getNumResults() == 1 && isMovable(source) &&
        getOperandBytes(source) < getResultBytes(source))
      found.push_back(source);
  }
}

void BlockSinker::sink(Operation *op) {
  std::optional<Place> reader = getFirstReader(op);
  Place own = places.lookup(op);
  if (!reader || reader->anchor <= own.anchor + 1)
    return;
  SmallVector<Operation *> companions;
  findCompanions(op, companions);
  // Bytes that live on until the reader instead of the result.
  double held = 0;
  llvm::SmallDenseSet<Value> counted;
  auto count = [&](Operation *reading) {
    for (Value operand : reading->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && source->getBlock() == &block &&
          !llvm::is_contained(companions, source) &&
          isLastReader(reading, operand) && counted.insert(operand).second)
        held += double(spmd::getByteSize(operand.getType()));
    }
  };
  count(op);
  for (Operation *companion : companions)
    count(companion);
  if (held > getResultBytes(op))
    return;
  moveTo(op, reader->anchor);
  for (Operation *companion : companions)
    moveTo(companion, reader->anchor);
  ++numSunk;
}

void BlockSinker::run() {
  llvm::DenseSet<Operation *> dependent;
  SmallVector<Operation *> candidates;
  for (Operation &op : block) {
    places[&op] = {int64_t(ops.size())};
    ops.push_back(&op);
    if (isa<spmd::CollectiveOpInterface>(op)) {
      dependent.insert(&op);
      continue;
    }
    if (!isMovable(&op) || llvm::none_of(op.getOperands(), [&](Value operand) {
          Operation *source = operand.getDefiningOp();
          return source && dependent.contains(source);
        }))
      continue;
    dependent.insert(&op);
    candidates.push_back(&op);
  }
  // Readers first: where they stand is then settled.
  for (Operation *op : llvm::reverse(candidates))
    sink(op);
  for (Operation *op : llvm::reverse(moved))
    op->moveBefore(ops[places.lookup(op).anchor]);
}

namespace {

struct SinkReaders : impl::SinkReadersPassBase<SinkReaders> {
  using SinkReadersPassBase::SinkReadersPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Block *block) {
      if (isa<ModuleOp>(block->getParentOp()))
        return;
      BlockSinker sinker(*block);
      sinker.run();
      numSunk += sinker.numSunk;
    });
  }
};

} // namespace
} // namespace partita
