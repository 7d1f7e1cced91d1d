// spmd-combine-collectives: one variadic collective for several small ones.
//
// Before and after: phase partitioned. Only collectives move, and only inside
// their block, so that each device still issues all of them in one order.
//
// A collective may stand anywhere behind the last op that its operands come
// from and before the first that reads its results: an interval of the block.
// Those of one kind that are stabbed by one point can be one. Stabbing at the
// first end, then at the first end of what is left, takes as few points as
// possible.

#include "CollectiveCosts.h"
#include "CollectiveRebuilding.h"
#include "CollectiveWindow.h"
#include "WorkEstimator.h"
#include "partita/Building/LocalOps.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace partita {
#define GEN_PASS_DEF_COMBINECOLLECTIVESPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// A gather or scatter along rows whose other dimensions may be anything: the
/// same on the value as a vector.
struct FlatForm {
  ArrayAttr lists; ///< of the one dimension; null: the op has no flat form
};

/// What one collective must share with another to be combined with it.
struct Key {
  OperationName name;
  Attribute properties;
  Type elementType;
  bool operator==(const Key &other) const {
    return name == other.name && properties == other.properties &&
           elementType == other.elementType;
  }
};

/// A collective and the interval in which it may stand.
struct Member {
  Operation *op;
  Operation *last = nullptr;  ///< it must stand behind this; null: anywhere
  Operation *first = nullptr; ///< it must stand before this
};

struct Limits {
  double maxBytes;
  bool wait;
};

class BlockCombiner {
public:
  BlockCombiner(const CollectiveCosts &costs, WorkEstimator &work,
                Limits limits, MLIRContext *context)
      : costs(costs), work(work), limits(limits), b(context) {}

  void run(Block &block);
  unsigned numCombined = 0, numRefused = 0;

private:
  void combine(SmallVector<Operation *> ops);
  Member getMember(Operation *op, const llvm::DenseSet<Operation *> &peers);
  SmallVector<Operation *> choose(ArrayRef<Member> members);
  /// What of one collective each choice asks for. Seconds.
  struct Price {
    double latency, transfer, operandBytes, resultBytes;
  };
  Price getPrice(Operation *op);
  bool isWorth(Operation *op, Operation *lead, unsigned others,
               const Price &whole);
  double getWorkBetween(Operation *a, Operation *b);
  void merge(ArrayRef<Member> members);
  Operation *getPlace(ArrayRef<Member> members);

  const CollectiveCosts &costs;
  WorkEstimator &work;
  Limits limits;
  OpBuilder b;
  /// Of collectives that have joined none.
  DenseMap<Operation *, Price> prices;
  /// Work of the block before each op, as it stood at first.
  DenseMap<Operation *, double> workBefore;
  /// Why an op did not join, the last time it was asked.
  struct Refusal {
    unsigned others;       ///< that it would have joined
    bool fits;             ///< into the limit of bytes
    double saved, waiting; ///< microseconds
    double operandBytes, resultBytes;
  };
  std::string describe(Operation *op, const Refusal &refusal) const;
  llvm::MapVector<Operation *, Refusal> refusals;
};

} // namespace

static ArrayAttr getLists(Operation *op) {
  if (auto gather = dyn_cast<spmd::AllGatherOp>(op))
    return gather.getGatherAxes();
  if (auto scatter = dyn_cast<spmd::ReduceScatterOp>(op))
    return scatter.getScatterAxes();
  return {};
}

/// Axes in one dimension only, all dimensions before it of size one.
static FlatForm getFlatForm(Operation *op) {
  ArrayAttr lists = getLists(op);
  if (!lists)
    return {};
  std::optional<int64_t> split = findOnlyDim(lists);
  if (!split)
    return {};
  for (Type type : op->getOperandTypes())
    for (int64_t size :
         cast<RankedTensorType>(type).getShape().take_front(*split))
      if (size != 1)
        return {};
  return {ArrayAttr::get(op->getContext(), {lists[*split]})};
}

static std::optional<Key> getKey(Operation *op) {
  if (!isa<spmd::AllGatherOp, spmd::AllReduceOp, spmd::ReduceScatterOp,
           spmd::AllToAllOp, spmd::PermuteOp>(op) ||
      isa<spmd::StartOp>(op->getParentOp()))
    return std::nullopt;
  Type elementType = getElementTypeOrSelf(op->getOperand(0).getType());
  for (Type type : op->getOperandTypes())
    if (getElementTypeOrSelf(type) != elementType)
      return std::nullopt;
  Attribute properties = op->getPropertiesAsAttribute();
  if (ArrayAttr lists = getFlatForm(op).lists) {
    SmallVector<Attribute> parts{
        cast<spmd::CollectiveOpInterface>(op).getMeshName(), lists};
    if (auto scatter = dyn_cast<spmd::ReduceScatterOp>(op))
      parts.push_back(scatter.getKindAttr());
    properties = ArrayAttr::get(op->getContext(), parts);
  }
  return Key{op->getName(), properties, elementType};
}

Member BlockCombiner::getMember(Operation *op,
                                const llvm::DenseSet<Operation *> &peers) {
  Member member{op};
  Block *block = op->getBlock();
  auto isLater = [](Operation *a, Operation *b) {
    return !b || b->isBeforeInBlock(a);
  };
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!source || source->getBlock() != block)
      continue;
    // What a peer gives can't be combined with the peer: stay behind here.
    if (peers.contains(source))
      source = op;
    if (isLater(source, member.last))
      member.last = source;
  }
  member.first = findFirstReader(op);
  return member;
}

double BlockCombiner::getWorkBetween(Operation *a, Operation *b) {
  if (workBefore.empty()) {
    double sum = 0;
    for (Operation &op : *a->getBlock()) {
      workBefore[&op] = sum;
      sum += work.getSeconds(&op);
    }
  }
  return std::abs(workBefore.lookup(a) - workBefore.lookup(b));
}

BlockCombiner::Price BlockCombiner::getPrice(Operation *op) {
  auto [it, isNew] = prices.try_emplace(op);
  if (isNew) {
    double latency = costs.getLatency(op);
    it->second = {latency, costs.getCost(op).seconds - latency,
                  getOperandBytes(op), getResultBytes(op)};
  }
  return it->second;
}

/// `whole`: what `lead` and the others that join it take together.
bool BlockCombiner::isWorth(Operation *op, Operation *lead, unsigned others,
                            const Price &whole) {
  Price own = getPrice(op);
  double operandBytes = whole.operandBytes + own.operandBytes;
  double resultBytes = whole.resultBytes + own.resultBytes;
  bool fits = std::max(operandBytes, resultBytes) <= limits.maxBytes;
  double saved = own.latency;
  double waiting = 0;
  if (limits.wait && fits) {
    // The smaller part may wait for the larger, if there was work to hide it.
    waiting = std::min(own.transfer, whole.transfer);
    if (waiting > saved)
      waiting = std::min(waiting, getWorkBetween(op, lead));
  }
  if (fits && saved >= waiting)
    return true;
  refusals[op] = {others,        fits,         saved * 1e6,
                  waiting * 1e6, operandBytes, resultBytes};
  return false;
}

std::string BlockCombiner::describe(Operation *op,
                                    const Refusal &refusal) const {
  std::string reason =
      refusal.fits
          ? llvm::formatv("that would save {0:f1} us, and the smaller part "
                          "might wait {1:f1} us for the larger",
                          refusal.saved, refusal.waiting)
                .str()
          : llvm::formatv("together they have {0:f0} bytes of operands and "
                          "{1:f0} of results, the limit is {2:f0}",
                          refusal.operandBytes, refusal.resultBytes,
                          limits.maxBytes)
                .str();
  return llvm::formatv("{0} is not combined with {1} other{2}: {3}",
                       op->getName(), refusal.others,
                       refusal.others == 1 ? "" : "s", reason)
      .str();
}

/// Of those that can stand where the first interval ends, the ones that pay.
SmallVector<Operation *> BlockCombiner::choose(ArrayRef<Member> members) {
  const Member *lead = &members.front();
  for (const Member &member : members)
    if (member.first->isBeforeInBlock(lead->first))
      lead = &member;
  SmallVector<Operation *> chosen{lead->op};
  Price whole = getPrice(lead->op);
  for (const Member &member : members) {
    bool canStand = !member.last || member.last->isBeforeInBlock(lead->first);
    if (&member == lead || !canStand ||
        !isWorth(member.op, lead->op, chosen.size(), whole))
      continue;
    chosen.push_back(member.op);
    Price own = getPrice(member.op);
    whole.transfer += own.transfer;
    whole.operandBytes += own.operandBytes;
    whole.resultBytes += own.resultBytes;
  }
  return chosen;
}

/// The op before which the combined collective goes. Gathers go as late as they
/// can, all others as early: the smaller of operand and result is kept.
Operation *BlockCombiner::getPlace(ArrayRef<Member> members) {
  Operation *first = members.front().first, *last = nullptr;
  Operation *earliest = members.front().op;
  for (const Member &member : members) {
    if (member.first->isBeforeInBlock(first))
      first = member.first;
    if (member.last && (!last || last->isBeforeInBlock(member.last)))
      last = member.last;
    if (member.op->isBeforeInBlock(earliest))
      earliest = member.op;
  }
  if (isa<spmd::AllGatherOp>(members.front().op))
    return first;
  return !last || last->isBeforeInBlock(earliest) ? earliest
                                                  : last->getNextNode();
}

void BlockCombiner::merge(ArrayRef<Member> members) {
  Operation *lead = members.front().op;
  ArrayAttr lists = getLists(lead);
  bool flatten = llvm::any_of(members, [&](const Member &member) {
    return getLists(member.op) != lists;
  });
  b.setInsertionPoint(getPlace(members));
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  auto getFlat = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return flatten ? tensor.clone({tensor.getNumElements()}) : tensor;
  };
  for (const Member &member : members) {
    Location loc = member.op->getLoc();
    locations.push_back(loc);
    for (Value operand : member.op->getOperands())
      operands.push_back(
          emitReshape(b, loc, operand, getFlat(operand.getType()).getShape()));
    for (Type type : member.op->getResultTypes())
      types.push_back(getFlat(type));
  }
  Operation *combined = rebuildCollective(b, lead, operands, types);
  combined->setLoc(b.getFusedLoc(locations));
  if (flatten) {
    ArrayAttr flat = getFlatForm(lead).lists;
    if (auto gather = dyn_cast<spmd::AllGatherOp>(combined))
      gather.setGatherAxesAttr(flat);
    else
      cast<spmd::ReduceScatterOp>(combined).setScatterAxesAttr(flat);
  }
  unsigned next = 0;
  for (const Member &member : members)
    for (OpResult result : member.op->getResults())
      result.replaceAllUsesWith(
          emitReshape(b, member.op->getLoc(), combined->getResult(next++),
                      cast<RankedTensorType>(result.getType()).getShape()));
  remark::passed(combined->getLoc(), getRemarkOptions("Combined"))
      << remark::reason("{0} of {1} values in one launch: {2:f0} bytes of "
                        "operands, {3:f1} us saved",
                        combined->getName().getStringRef(), operands.size(),
                        getOperandBytes(combined),
                        costs.getLatency(combined) * (members.size() - 1) *
                            1e6);
  for (const Member &member : members) {
    carryAttributes(member.op, combined);
    refusals.erase(member.op);
    prices.erase(member.op);
    member.op->erase();
  }
  numCombined += members.size() - 1;
}

void BlockCombiner::combine(SmallVector<Operation *> ops) {
  llvm::DenseSet<Operation *> peers;
  SmallVector<Member> members;
  auto collect = [&] {
    peers = {ops.begin(), ops.end()};
    members.clear();
    for (Operation *op : ops)
      members.push_back(getMember(op, peers));
  };
  for (collect(); members.size() > 1;) {
    SmallVector<Operation *> chosen = choose(members);
    llvm::erase_if(
        ops, [&](Operation *op) { return llvm::is_contained(chosen, op); });
    if (chosen.size() > 1) {
      llvm::erase_if(members, [&](const Member &member) {
        return !llvm::is_contained(chosen, member.op);
      });
      merge(members);
      collect();
      continue;
    }
    // One stays alone: only what reads it may stand elsewhere now.
    Operation *alone = chosen.front();
    peers.erase(alone);
    llvm::erase_if(members,
                   [&](const Member &member) { return member.op == alone; });
    llvm::SmallPtrSet<Operation *, 4> users(alone->user_begin(),
                                            alone->user_end());
    for (Member &member : members)
      if (users.contains(member.op))
        member = getMember(member.op, peers);
  }
}

void BlockCombiner::run(Block &block) {
  SmallVector<std::pair<Key, SmallVector<Operation *>>> kinds;
  for (Operation &op : block) {
    std::optional<Key> key = getKey(&op);
    if (!key)
      continue;
    auto *it = llvm::find_if(
        kinds, [&](const auto &entry) { return entry.first == *key; });
    if (it == kinds.end())
      it = kinds.insert(kinds.end(), {*key, {}});
    it->second.push_back(&op);
  }
  workBefore.clear();
  prices.clear();
  for (auto &[key, ops] : kinds)
    combine(ops);
  for (auto &[op, refusal] : refusals)
    remark::missed(op->getLoc(), getRemarkOptions("NotCombined"))
        << remark::detail::LazyTextBuild{"Reason",
                                         [&] { return describe(op, refusal); }};
  numRefused += refusals.size();
  refusals.clear();
}

namespace {

struct CombineCollectives
    : impl::CombineCollectivesPassBase<CombineCollectives> {
  using CombineCollectivesPassBase::CombineCollectivesPassBase;

  void runOnOperation() override {
    FailureOr<CollectiveCosts> costs =
        CollectiveCosts::get(getOperation(), machine, objective);
    if (failed(costs))
      return signalPassFailure();
    WorkEstimator work(costs->getModel(), getOperation());
    BlockCombiner combiner(*costs, work, {double(maxBytes), wait},
                           &getContext());
    getOperation().walk([&](Block *block) {
      if (!isa<ModuleOp>(block->getParentOp()))
        combiner.run(*block);
    });
    numCombined += combiner.numCombined;
    numRefused += combiner.numRefused;
  }
};

} // namespace
} // namespace partita
