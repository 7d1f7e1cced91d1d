// spmd-decompose-collective-matmuls: a gather that contractions read, or a
// contraction that a scatter sums, goes around a ring in steps, and each step
// moves while devices compute on the block of the one before ("collective
// matmul"; Wang et al., "Overlap Communication with Dependent Computation via
// Decomposition in Large Deep Learning Models", ASPLOS 2023).
//
// Before and after: phase partitioned. As many bytes are sent as before. Which
// dimension of which operand a contraction's block needs, its rule says; that
// the block is computed by the same op, its model. spmd-split-collectives puts
// the steps beside the work.

#include "CollectiveCosts.h"
#include "CollectiveRebuilding.h"
#include "CollectiveWindow.h"
#include "WorkEstimator.h"
#include "dialects/SPMD/VaryingAxes.h"
#include "partita/Building/LocalOps.h"
#include "partita/Building/Positions.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"

namespace partita {
#define GEN_PASS_DEF_DECOMPOSECOLLECTIVEMATMULSPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// The devices around which blocks go, in the order of their index over `axes`.
struct Ring {
  FlatSymbolRefAttr mesh;
  SmallVector<spmd::AxisRefAttr> axes;
  int64_t size = 1;
};

/// An op that is computed block by block along one factor.
struct CutOp {
  Operation *op;
  spmd::ShardingRule rule;
  int factor;
  /// The dimension along the factor, by operand and of the result; none: -1.
  SmallVector<int64_t> operandDims;
  int64_t resultDim;

  /// Blocks of the factor add up; otherwise they are blocks of the result.
  bool addsUp() const { return resultDim < 0; }
};

/// The one dimension of a tensor that is along `factor` alone; -1: none is.
/// Nothing if it shares a dimension with other factors.
std::optional<int64_t> findDim(const spmd::TensorMapping &mapping, int factor) {
  int64_t found = -1;
  for (auto [dim, factors] : llvm::enumerate(mapping.dims)) {
    if (!llvm::is_contained(factors, factor))
      continue;
    if (found >= 0 || factors.size() != 1)
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// `op` in `parts` blocks of `factor`, if its rule and model allow that.
std::optional<CutOp> cut(Operation *op, spmd::ShardingRule rule, int factor,
                         int64_t parts) {
  const spmd::Factor &info = rule.factors[factor];
  bool isSum = info.kind == spmd::FactorKind::Reduction &&
               info.reduction == spmd::ReductionKind::Add;
  if (!info.shardable || info.size % parts != 0 ||
      (info.kind != spmd::FactorKind::Parallel && !isSum))
    return std::nullopt;
  CutOp result{op, std::move(rule), factor, {}, -1};
  for (const spmd::TensorMapping &mapping : result.rule.operands) {
    std::optional<int64_t> dim = findDim(mapping, factor);
    if (!dim)
      return std::nullopt;
    result.operandDims.push_back(*dim);
  }
  std::optional<int64_t> dim = findDim(result.rule.results[0], factor);
  if (!dim || (*dim < 0) != isSum)
    return std::nullopt;
  result.resultDim = *dim;
  return result;
}

/// The rule of an op with one result of integers or floats that contracts, and
/// whose blocks are computed by the op itself.
std::optional<spmd::ShardingRule> getContraction(Operation *op) {
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !shardable.hasDerivedPartition() ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isIntOrFloat())
    return std::nullopt;
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  if (failed(rule) ||
      llvm::none_of(rule->factors, [](const spmd::Factor &factor) {
        return factor.kind == spmd::FactorKind::Reduction;
      }))
    return std::nullopt;
  return std::move(*rule);
}

class Decomposer {
public:
  Decomposer(const CollectiveCosts &costs, WorkEstimator &work,
             int64_t maxBlocks, MLIRContext *context)
      : costs(costs), work(work), maxBlocks(maxBlocks), b(context) {}

  /// Before anything is decomposed: finds the readers of `gather` that compute
  /// something else on each device anyway.
  void note(spmd::AllGatherOp gather, const spmd::VaryingAxes &varying);
  bool decompose(spmd::AllGatherOp gather);
  bool decompose(spmd::ReduceScatterOp scatter);

private:
  std::optional<Ring> getRing(Operation *collective) const;
  bool differs(Operation *op, unsigned except, const Ring &ring) const;
  std::optional<std::vector<CutOp>> cutReaders(spmd::AllGatherOp gather,
                                               const Ring &ring, int64_t dim);
  Operation *findPlace(spmd::AllGatherOp gather, ArrayRef<CutOp> cuts) const;
  bool isWorth(Operation *collective, const Ring &ring, ArrayRef<CutOp> cuts,
               Operation *source, Operation *reader, double blockBytes);
  double getWork(Operation *first, Operation *last, double enough);
  Value emitBlockOf(const CutOp &cutOp, const Ring &ring, Value number,
                    Value gathered = {}, Value shard = {});
  Value emitMove(Location loc, const Ring &ring, Value value);

  const CollectiveCosts &costs;
  WorkEstimator &work;
  int64_t maxBlocks;
  OpBuilder b;
  /// Of readers of gathered values, what their operands depend on.
  DenseMap<Operation *, SmallVector<spmd::AxisVariation>> variations;
};

} // namespace

std::optional<Ring> Decomposer::getRing(Operation *collective) const {
  auto interface = cast<spmd::CollectiveOpInterface>(collective);
  Ring ring{interface.getMeshName(), interface.getCommunicationAxes()};
  spmd::MeshAttr mesh = spmd::lookupMesh(collective, ring.mesh);
  for (spmd::AxisRefAttr axis : ring.axes)
    ring.size *= axis.getSize(mesh);
  if (collective->getNumOperands() != 1 || ring.size < 2)
    return std::nullopt;
  return ring;
}

void Decomposer::note(spmd::AllGatherOp gather,
                      const spmd::VaryingAxes &varying) {
  for (Operation *user : gather->getUsers())
    if (auto [entry, isNew] = variations.try_emplace(user); isNew)
      for (Value operand : user->getOperands())
        entry->second.push_back(varying.get(operand));
}

/// True if `op` computes something else on each device of the ring, whatever
/// operand `except` is. Where it does not, blocks that add up in another order
/// on each device would make equal values differ by rounding.
bool Decomposer::differs(Operation *op, unsigned except,
                         const Ring &ring) const {
  auto known = variations.find(op);
  if (known == variations.end())
    return false;
  return llvm::all_of(ring.axes, [&](spmd::AxisRefAttr axis) {
    return !axis.isSubAxis() &&
           llvm::any_of(llvm::enumerate(known->second), [&](auto entry) {
             return entry.index() != except &&
                    entry.value().get(axis.getName()) ==
                        spmd::Variation::Varying;
           });
  });
}

/// All readers of the gathered value in blocks along its dimension `dim`.
std::optional<std::vector<CutOp>>
Decomposer::cutReaders(spmd::AllGatherOp gather, const Ring &ring,
                       int64_t dim) {
  std::vector<CutOp> cuts;
  for (OpOperand &use : gather.getResult(0).getUses()) {
    Operation *user = use.getOwner();
    bool isOther = llvm::all_of(cuts, [&](const CutOp &known) {
      return known.op != user; // a second operand of one op
    });
    if (user->getBlock() != gather->getBlock() || !isOther)
      return std::nullopt;
    std::optional<spmd::ShardingRule> rule = getContraction(user);
    if (!rule)
      return std::nullopt;
    int factor = rule->operands[use.getOperandNumber()].getOnlyFactor(dim);
    if (factor < 0)
      return std::nullopt;
    std::optional<CutOp> found = cut(user, std::move(*rule), factor, ring.size);
    if (!found)
      return std::nullopt;
    if (found->addsUp() && !differs(user, use.getOperandNumber(), ring)) {
      remark::missed(gather.getLoc(), getRemarkOptions("NotDecomposed"))
          << remark::reason("spmd.all_gather is contracted by an op whose "
                            "result is equal on all devices of the ring; "
                            "sums in another order on each would differ");
      return std::nullopt;
    }
    cuts.push_back(std::move(*found));
  }
  llvm::sort(cuts, [](const CutOp &a, const CutOp &b) {
    return a.op->isBeforeInBlock(b.op);
  });
  return cuts.empty() ? std::nullopt : std::optional(std::move(cuts));
}

/// Where all readers may stand: at the first, if the other operands of all are
/// known there.
Operation *Decomposer::findPlace(spmd::AllGatherOp gather,
                                 ArrayRef<CutOp> cuts) const {
  Operation *first = cuts.front().op;
  for (const CutOp &cutOp : cuts)
    for (Value operand : cutOp.op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && source->getBlock() == first->getBlock() &&
          !source->isBeforeInBlock(first))
        return nullptr;
    }
  return first;
}

/// Work of the ops between two of one block, nearest to `last` first, until it
/// is `enough`. `first` null: from the block's begin.
double Decomposer::getWork(Operation *first, Operation *last, double enough) {
  double seconds = 0;
  for (Operation *at = last->getPrevNode();
       at && at != first && seconds < enough; at = at->getPrevNode())
    seconds += work.getSeconds(at);
  return seconds;
}

/// Compares what is waited for now with ring steps of which each runs beside
/// one block's work. Other ops between `source` and `reader` could hide the
/// collective as it is; `blockBytes` are written again where blocks meet.
bool Decomposer::isWorth(Operation *collective, const Ring &ring,
                         ArrayRef<CutOp> cuts, Operation *source,
                         Operation *reader, double blockBytes) {
  if (int64_t(cuts.size()) * ring.size > maxBlocks)
    return false;
  spmd::MeshAttr mesh = spmd::lookupMesh(collective, ring.mesh);
  double shardBytes =
      std::min(getOperandBytes(collective), getResultBytes(collective));
  CollectiveCost move =
      costs.getCost(CollectiveKind::Permute, mesh, ring.axes, shardBytes);
  CollectiveCost whole = costs.getCost(collective);
  double kernel = costs.getModel().getMachine().kernelOverhead;
  double before =
      std::max(0.0, whole.seconds - getWork(source, reader, whole.seconds));
  double step = costs.getModel().getComputeSeconds(0, 2 * blockBytes);
  for (const CutOp &cutOp : cuts) {
    before += work.getSeconds(cutOp.op) + kernel;
    step +=
        work.getBlockSeconds(cutOp.op, cutOp.rule, cutOp.factor, ring.size) +
        kernel;
  }
  double moves = double(ring.size - 1);
  double after = moves * std::max(step, move.seconds) + step;
  bool isBetter =
      costs.isCheaper({whole.sentBytes, after}, {whole.sentBytes, before});
  auto say = [&](auto &&remark) {
    remark << remark::reason(
        "{0} as {1} steps of a ring, each beside one block of {2} "
        "contractions: {3:f1} us, {4:f1} at once",
        collective->getName().getStringRef(), ring.size - 1, cuts.size(),
        after * 1e6, before * 1e6);
  };
  Location loc = collective->getLoc();
  if (isBetter)
    say(remark::passed(loc, getRemarkOptions("Decomposed")));
  else
    say(remark::missed(loc, getRemarkOptions("NotDecomposed")));
  return isBetter;
}

/// To the device before: after k moves, one holds what the k-th after it held.
Value Decomposer::emitMove(Location loc, const Ring &ring, Value value) {
  SmallVector<int64_t> pairs;
  for (int64_t source = 0; source < ring.size; ++source)
    llvm::append_values(pairs, source, (source + ring.size - 1) % ring.size);
  return spmd::PermuteOp::create(
             b, loc, TypeRange(value.getType()), ValueRange(value), ring.mesh,
             spmd::AxisListAttr::get(b.getContext(), ring.axes),
             b.getDenseI64ArrayAttr(pairs), spmd::AxisListAttr(),
             DenseI64ArrayAttr(), UnitAttr())
      .getResult(0);
}

/// Block `number` of the op; `shard` is that block of the operand `gathered`.
Value Decomposer::emitBlockOf(const CutOp &cutOp, const Ring &ring,
                              Value number, Value gathered, Value shard) {
  Operation *op = cutOp.op;
  int64_t size = cutOp.rule.factors[cutOp.factor].size / ring.size;
  SmallVector<Value> operands;
  for (auto [operand, dim] :
       llvm::zip_equal(op->getOperands(), cutOp.operandDims)) {
    if (operand == gathered)
      operands.push_back(shard);
    else if (dim < 0)
      operands.push_back(operand);
    else
      operands.push_back(
          emitBlock(b, op->getLoc(), operand, dim, size, number));
  }
  Operation *block = b.clone(*op);
  block->setOperands(operands);
  if (!cutOp.addsUp()) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[cutOp.resultDim] = size;
    block->getResult(0).setType(type.clone(shape));
  }
  return block->getResult(0);
}

bool Decomposer::decompose(spmd::AllGatherOp gather) {
  std::optional<int64_t> dim = findOnlyDim(gather.getGatherAxes());
  std::optional<Ring> ring = getRing(gather);
  if (!dim || !ring)
    return false;
  std::optional<std::vector<CutOp>> cuts = cutReaders(gather, *ring, *dim);
  Operation *place = cuts ? findPlace(gather, *cuts) : nullptr;
  if (!place)
    return false;
  Value shard = gather.getOperand(0), whole = gather.getResult(0);
  double blockBytes = 0;
  for (const CutOp &cutOp : *cuts)
    blockBytes +=
        getResultBytes(cutOp.op) / double(cutOp.addsUp() ? 1 : ring->size);
  if (!isWorth(gather, *ring, *cuts, findLastSource(gather), place, blockBytes))
    return false;
  b.setInsertionPoint(place);
  Location loc = gather.getLoc();
  Value index = emitAxisIndex(b, loc, ring->mesh, ring->axes);
  SmallVector<Value> results(cuts->size());
  for (int64_t step = 0; step < ring->size; ++step) {
    bool isLast = step + 1 == ring->size;
    Value next = isLast ? shard : emitMove(loc, *ring, shard);
    Value number = emitRotated(b, loc, index, step, ring->size);
    for (auto [cutOp, result] : llvm::zip_equal(*cuts, results)) {
      Location of = cutOp.op->getLoc();
      Value block = emitBlockOf(cutOp, *ring, number, whole, shard);
      if (cutOp.addsUp()) {
        result = result ? emitSum(b, of, result, block) : block;
        continue;
      }
      if (!result)
        result = emitZeros(
            b, of, cast<RankedTensorType>(cutOp.op->getResult(0).getType()));
      result = emitBlockUpdate(b, of, result, block, cutOp.resultDim, number);
    }
    shard = next;
  }
  for (auto [cutOp, result] : llvm::zip_equal(*cuts, results)) {
    cutOp.op->replaceAllUsesWith(ValueRange(result));
    // Another op may come to lie at its address.
    variations.erase(cutOp.op);
    cutOp.op->erase();
  }
  gather.erase();
  return true;
}

bool Decomposer::decompose(spmd::ReduceScatterOp scatter) {
  std::optional<int64_t> dim = findOnlyDim(scatter.getScatterAxes());
  std::optional<Ring> ring = getRing(scatter);
  Operation *source = scatter->getOperand(0).getDefiningOp();
  if (!dim || !ring || scatter.getKind() != spmd::ReductionKind::Add ||
      !source || source->getBlock() != scatter->getBlock() ||
      !source->hasOneUse())
    return false;
  std::optional<spmd::ShardingRule> rule = getContraction(source);
  int factor = rule ? rule->results[0].getOnlyFactor(*dim) : -1;
  if (factor < 0)
    return false;
  std::optional<CutOp> cutOp =
      cut(source, std::move(*rule), factor, ring->size);
  if (!cutOp || !isWorth(scatter, *ring, *cutOp, source,
                         findFirstReader(scatter), getResultBytes(scatter)))
    return false;
  b.setInsertionPoint(source);
  Location loc = scatter.getLoc();
  Value index = emitAxisIndex(b, loc, ring->mesh, ring->axes);
  Value sum;
  for (int64_t step = 0; step < ring->size; ++step) {
    Value moved = sum ? emitMove(loc, *ring, sum) : sum;
    Value number = emitRotated(b, loc, index, step + 1, ring->size);
    Value block = emitBlockOf(*cutOp, *ring, number);
    sum = moved ? emitSum(b, loc, moved, block) : block;
  }
  scatter->replaceAllUsesWith(ValueRange(sum));
  scatter.erase();
  source->erase();
  return true;
}

namespace {

struct DecomposeCollectiveMatmuls
    : impl::DecomposeCollectiveMatmulsPassBase<DecomposeCollectiveMatmuls> {
  using DecomposeCollectiveMatmulsPassBase::DecomposeCollectiveMatmulsPassBase;

  void runOnOperation() override {
    FailureOr<CollectiveCosts> costs =
        CollectiveCosts::get(getOperation(), machine, objective);
    if (failed(costs))
      return signalPassFailure();
    WorkEstimator work(costs->getModel(), getOperation());
    Decomposer decomposer(*costs, work, maxBlocks, &getContext());
    SmallVector<spmd::AllGatherOp> gathers;
    SmallVector<spmd::ReduceScatterOp> scatters;
    getOperation().walk([&](Operation *op) {
      if (auto gather = dyn_cast<spmd::AllGatherOp>(op))
        gathers.push_back(gather);
      else if (auto scatter = dyn_cast<spmd::ReduceScatterOp>(op))
        scatters.push_back(scatter);
    });
    spmd::VaryingAxes varying(getOperation());
    for (spmd::AllGatherOp gather : gathers)
      if (varying.isValid())
        decomposer.note(gather, varying);
    for (spmd::AllGatherOp gather : gathers)
      numGathers += decomposer.decompose(gather);
    for (spmd::ReduceScatterOp scatter : scatters)
      numScatters += decomposer.decompose(scatter);
  }
};

} // namespace
} // namespace partita
