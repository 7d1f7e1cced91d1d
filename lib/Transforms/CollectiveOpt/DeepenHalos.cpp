// spmd-deepen-halos: a loop that exchanges halos in each trip exchanges deeper
// ones every few trips, and computes the neighbours' part of the trips between
// itself ("ghost zones"; Ding and He, "A Ghost Cell Expansion Method for
// Reducing Communications in Solving PDE Problems", SC 2001).
//
// Before and after: phase partitioned. Which values a device can compute beyond
// its block, GhostZones plans from rules; here that is priced and carried out.
// Positions outside the whole array hold anything, so each exchange that became
// local reads zeros there, as it did before.

#include "CollectiveCosts.h"
#include "GhostZones.h"
#include "WorkEstimator.h"
#include "dialects/StableHLO/EdgeRows.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partita/Building/LocalOps.h"
#include "partita/Building/LoopBlocking.h"
#include "partita/Building/Positions.h"
#include "partita/Building/TripCount.h"
#include "partita/Transforms/CollectiveOpt/Passes.h"

#include <map>

namespace partita {
#define GEN_PASS_DEF_DEEPENHALOSPASS
#include "partita/Transforms/CollectiveOpt/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// Most trips that share an exchange.
constexpr int64_t kMaxDepth = 1024;

RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// How deep
//===----------------------------------------------------------------------===//

/// What the trips of one loop cost with halos exchanged every so many trips.
class DepthPrice {
public:
  DepthPrice(const GhostZones &zones, const CollectiveCosts &costs,
             WorkEstimator &work, LoopLikeOpInterface loop)
      : zones(zones), costs(costs), invariant(zones.captured) {
    for (unsigned number : zones.carried) {
      BlockArgument argument = loop.getRegionIterArgs()[number];
      bool isInvariant =
          (*loop.getYieldedValuesMutable())[number].get() == argument;
      (isInvariant ? invariant : carried).push_back(argument);
    }
    for (Operation *op : zones.ops) {
      if (auto exchange = dyn_cast<spmd::ExchangeOp>(op))
        trip += costs.getCost(exchange);
      else
        seconds[getGrowth(op->getResult(0))] += work.getSeconds(op);
    }
  }

  /// Cost of the exchanges of one trip as it is.
  CollectiveCost getTrip() const { return trip; }

  /// Cost of the ghost zones of `depth` trips that no trip changes.
  CollectiveCost getOnce(int64_t depth) const {
    CollectiveCost cost;
    for (Value argument : invariant)
      cost += getWidening(argument, depth);
    return cost;
  }

  /// Cost of one exchange of deep halos for `depth` trips; the work that these
  /// do on ghost zones counts as its time.
  CollectiveCost getBlock(int64_t depth) const {
    CollectiveCost cost;
    for (Value argument : carried)
      cost += getWidening(argument, depth);
    for (const auto &[growth, own] : seconds) {
      double elements = 1;
      for (double each : growth)
        elements *= 1 + double(depth) * each;
      cost.seconds += double(depth) * own * (elements - 1);
    }
    return cost;
  }

private:
  /// By how much of its block each dimension of `value` grows per trip.
  std::vector<double> getGrowth(Value value) const {
    std::vector<double> growth;
    auto dims = zones.dims.find(value);
    if (dims == zones.dims.end())
      return growth;
    for (auto [size, axis] : llvm::zip(getType(value).getShape(), dims->second))
      if (axis >= 0 && size > 0)
        growth.push_back(double(zones.axes[axis].low + zones.axes[axis].high) /
                         double(size));
    return growth;
  }

  /// Cost of the exchanges that give a carried value its ghost zone, one axis
  /// after the other.
  CollectiveCost getWidening(Value argument, int64_t depth) const;

  const GhostZones &zones;
  const CollectiveCosts &costs;
  CollectiveCost trip;
  /// Work of one trip by how it grows: loops have many ops and few shapes.
  std::map<std::vector<double>, double> seconds;
  /// Carried values with ghost zones, as the body's arguments.
  SmallVector<Value> carried, invariant;
};

} // namespace

CollectiveCost DepthPrice::getWidening(Value argument, int64_t depth) const {
  CollectiveCost sum;
  double bytes = double(spmd::getByteSize(argument.getType()));
  for (auto [size, index] : llvm::zip(getType(argument).getShape(),
                                      zones.dims.find(argument)->second)) {
    if (index < 0 || size == 0)
      continue;
    const GhostAxis &axis = zones.axes[index];
    double both = double(depth * (axis.low + axis.high)) / double(size);
    // Between two devices each sends one side only, unless ends meet.
    double most = double(depth * std::max(axis.low, axis.high)) / double(size);
    if (both == 0)
      continue;
    sum +=
        costs.getCost(CollectiveKind::Exchange, axis.meshAttr, axis.axes,
                      (axis.shards == 2 && !axis.wraps ? most : both) * bytes);
    bytes *= 1 + both;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// Makes one loop compute on ghost zones of `depth` trips.
class Deepener {
public:
  Deepener(GhostZones &zones, int64_t depth, MLIRContext *context)
      : zones(zones), depth(depth), b(context) {}

  /// `loop` is the counted loop of which the zones were planned.
  void run(LoopLikeOpInterface loop);

private:
  int64_t getLow(int axis) const {
    return axis < 0 ? 0 : depth * zones.axes[axis].low;
  }
  int64_t getHigh(int axis) const {
    return axis < 0 ? 0 : depth * zones.axes[axis].high;
  }
  Location getReadLoc(int axis) const;
  RankedTensorType getWideType(Value value, const GhostDims &dims) const;
  bool isWideUse(OpOperand &use) const;

  void widenCarried(const BlockedLoop &blocked, unsigned number,
                    const GhostDims &dims);
  void widen(Operation *op);
  void makeLocal(GhostRead &read);
  void narrowOtherUses(Value wide, const GhostDims &dims);
  Value emitWidened(Value value, const GhostDims &dims);
  Value emitNarrowed(Location loc, Value wide, const GhostDims &dims);

  GhostZones &zones;
  int64_t depth;
  OpBuilder b;
  Operation *terminator = nullptr;
};

} // namespace

/// The first exchange that reads along `axis`: its reason is that of the deeper
/// one.
Location Deepener::getReadLoc(int axis) const {
  for (const GhostRead &read : zones.reads)
    for (auto [own, before, behind] :
         llvm::zip(read.dims, read.before, read.behind))
      if (own == axis && (before > 0 || behind > 0))
        return read.exchange->getLoc();
  return zones.reads.front().exchange->getLoc();
}

RankedTensorType Deepener::getWideType(Value value,
                                       const GhostDims &dims) const {
  SmallVector<int64_t> shape(getType(value).getShape());
  for (auto [size, axis] : llvm::zip(shape, dims))
    size += getLow(axis) + getHigh(axis);
  return getType(value).clone(shape);
}

bool Deepener::isWideUse(OpOperand &use) const {
  if (use.getOwner() == terminator)
    return llvm::is_contained(zones.carried, use.getOperandNumber());
  return zones.ops.contains(use.getOwner());
}

Value Deepener::emitNarrowed(Location loc, Value wide, const GhostDims &dims) {
  SmallVector<int64_t> lows, highs;
  for (int axis : dims) {
    lows.push_back(-getLow(axis));
    highs.push_back(-getHigh(axis));
  }
  return emitPadded(b, loc, wide, lows, highs);
}

/// Has all readers that know nothing of ghost zones read the block, which is
/// cut out at the builder's place.
void Deepener::narrowOtherUses(Value wide, const GhostDims &dims) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : wide.getUses())
    if (!isWideUse(use))
      uses.push_back(&use);
  if (uses.empty())
    return;
  Value narrow = emitNarrowed(wide.getLoc(), wide, dims);
  for (OpOperand *use : uses)
    use->set(narrow);
}

/// Exchanges along one axis after the other, so that corners come along.
Value Deepener::emitWidened(Value value, const GhostDims &dims) {
  for (auto [dim, index] : llvm::enumerate(dims)) {
    int64_t low = getLow(index), high = getHigh(index);
    if (low == 0 && high == 0)
      continue;
    const GhostAxis &axis = zones.axes[index];
    SmallVector<int64_t> shape(getType(value).getShape());
    SmallVector<Attribute> intervals;
    SmallVector<spmd::DimShardingAttr> sharded;
    for (auto [other, size] : llvm::enumerate(shape)) {
      bool isOwn = other == dim;
      sharded.push_back(spmd::DimShardingAttr::get(
          b.getContext(),
          isOwn ? ArrayRef(axis.axes) : ArrayRef<spmd::AxisRefAttr>(),
          /*isClosed=*/true, /*priority=*/-1));
      intervals.push_back(
          isOwn ? spmd::IntervalAttr::get(
                      b.getContext(), -low, size, low + size + high,
                      axis.wraps ? spmd::Outside::Wrap : spmd::Outside::Zero)
                : spmd::IntervalAttr::get(b.getContext(), 0, size, size));
    }
    auto sharding =
        spmd::ShardingAttr::get(b.getContext(), axis.mesh.getValue(), sharded);
    SmallVector<int64_t> wideShape(shape);
    wideShape[dim] += low + high;
    shape[dim] *= axis.shards;
    value = spmd::ExchangeOp::create(b, getReadLoc(index),
                                     getType(value).clone(wideShape), value,
                                     b.getDenseI64ArrayAttr(shape), sharding,
                                     sharding, b.getArrayAttr(intervals));
  }
  return value;
}

void Deepener::widenCarried(const BlockedLoop &blocked, unsigned number,
                            const GhostDims &dims) {
  Operation *loop = blocked.inner;
  Value argument = terminator->getBlock()->getArgument(number);
  Value init = loop->getOperand(number);
  // Left alone by all trips: nothing in the outer loop changes it either.
  bool isInvariant = terminator->getOperand(number) == argument;
  bool isOnce = isInvariant && blocked.outer;
  b.setInsertionPoint(isOnce ? blocked.outer : loop);
  Value wide =
      emitWidened(isOnce ? blocked.outer->getOperand(number) : init, dims);
  loop->setOperand(number, wide);
  for (Region &region : loop->getRegions())
    region.getArgument(number).setType(wide.getType());
  b.setInsertionPointToStart(terminator->getBlock());
  narrowOtherUses(argument, dims);
  Value result = loop->getResult(number);
  result.setType(wide.getType());
  if (isInvariant)
    return result.replaceAllUsesWith(init);
  b.setInsertionPointAfter(loop);
  Value narrow = emitNarrowed(loop->getLoc(), result, dims);
  result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
}

/// Has `op`, no exchange, compute the ghost zone of its result, too.
void Deepener::widen(Operation *op) {
  Value value = op->getResult(0);
  GhostDims dims = zones.dims.lookup(value);
  RankedTensorType type = getWideType(value, dims);
  b.setInsertionPointAfter(op);
  Value leaf;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    leaf = op->getDialect()
               ->materializeConstant(b, constant.resizeSplat(type), type,
                                     op->getLoc())
               ->getResult(0);
  } else if (std::optional<Positions> positions = matchPositions(value)) {
    int axis = dims[positions->dim];
    positions->base -= getLow(axis);
    leaf = emitPositions(b, op->getLoc(), type.getShape(), *positions);
    if (axis >= 0 && zones.axes[axis].wraps)
      leaf =
          emitRoundPositions(b, op->getLoc(), leaf,
                             zones.axes[axis].block * zones.axes[axis].shards);
  }
  if (leaf) {
    value.replaceUsesWithIf(leaf,
                            [&](OpOperand &use) { return isWideUse(use); });
    return;
  }
  cast<spmd::ShardableOpInterface>(op).resizeResults(Type(type));
  narrowOtherUses(value, dims);
}

void Deepener::makeLocal(GhostRead &read) {
  spmd::ExchangeOp exchange = read.exchange;
  Location loc = exchange.getLoc();
  bool isWide = zones.dims.contains(exchange.getResult());
  b.setInsertionPoint(exchange);
  Value source = exchange.getInput(), value = source;
  SmallVector<int64_t> lows(read.before), highs(read.behind);
  // Where dimension `dim` of what has `low` indices before the block starts.
  auto getPositions = [&](int64_t dim, int64_t low) {
    const GhostAxis &axis = zones.axes[read.dims[dim]];
    return Positions{dim, axis.mesh, axis.axes, -low, axis.block};
  };
  SmallVector<int64_t> edges;
  for (auto [dim, index] : llvm::enumerate(read.dims)) {
    bool isMoved = lows[dim] != 0 || highs[dim] != 0;
    if (!isWide) {
      lows[dim] -= getLow(index);
      highs[dim] -= getHigh(index);
    }
    if (index < 0 || !isMoved)
      continue;
    spmd::Outside outside = exchange.getInterval(dim).getOutside();
    if (outside == spmd::Outside::Edge)
      edges.push_back(dim);
    if (outside != spmd::Outside::Zero)
      continue;
    value = emitZeroOutside(b, loc, value,
                            emitPositions(b, loc, getType(value).getShape(),
                                          getPositions(dim, getLow(index))),
                            exchange.getFromShape()[dim]);
  }
  Value local = emitPadded(b, loc, value, lows, highs);
  for (int64_t dim : edges) {
    int64_t low = getLow(read.dims[dim]);
    local = stablehlo::emitEdgeRows(
        b, loc, local, source, dim,
        emitPositions(b, loc, getType(local).getShape(),
                      getPositions(dim, low + lows[dim])),
        emitOffset(b, loc, getPositions(dim, low)),
        exchange.getFromShape()[dim]);
  }
  exchange.getResult().replaceAllUsesWith(local);
  if (isWide)
    narrowOtherUses(local, read.dims);
}

void Deepener::run(LoopLikeOpInterface loop) {
  Block *planned = loop.getRegionIterArgs().front().getOwner();
  SmallVector<GhostDims> carriedDims;
  for (unsigned number : zones.carried)
    carriedDims.push_back(zones.dims.lookup(planned->getArgument(number)));
  BlockedLoop blocked = *blockLoop(loop, depth);
  auto inner = cast<LoopLikeOpInterface>(blocked.inner);
  terminator = inner.getRegionIterArgs().front().getOwner()->getTerminator();
  for (auto [number, dims] : llvm::zip(zones.carried, carriedDims))
    widenCarried(blocked, number, dims);
  for (Value value : zones.captured) {
    b.setInsertionPoint(blocked.outer ? blocked.outer : blocked.inner);
    Value wide = emitWidened(value, zones.dims.lookup(value));
    value.replaceUsesWithIf(wide,
                            [&](OpOperand &use) { return isWideUse(use); });
  }
  for (Operation *op : zones.ops)
    if (!isa<spmd::ExchangeOp>(op))
      widen(op);
  for (GhostRead &read : zones.reads)
    makeLocal(read);
  // Only now: what is planned is known by address.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*terminator->getBlock())))
    if (isOpTriviallyDead(&op) || (isa<spmd::ExchangeOp>(op) && op.use_empty()))
      op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct DeepenHalos : impl::DeepenHalosPassBase<DeepenHalos> {
  using DeepenHalosPassBase::DeepenHalosPassBase;

  void runOnOperation() override;

private:
  bool visit(LoopLikeOpInterface loop, const CollectiveCosts &costs,
             WorkEstimator &work, const spmd::VaryingAxes &varying);
  int64_t choose(const GhostZones &zones, LoopLikeOpInterface loop,
                 int64_t trips, const CollectiveCosts &costs,
                 WorkEstimator &work);
};

/// Most trips whose halos come from neighbouring blocks alone.
int64_t getMaxDepth(const GhostZones &zones, int64_t trips) {
  int64_t most = std::min(trips, kMaxDepth);
  for (const GhostAxis &axis : zones.axes)
    if (int64_t reach = std::max(axis.low, axis.high); reach > 0)
      most = std::min(most, axis.block / reach);
  return most;
}

CollectiveCost multiply(CollectiveCost cost, int64_t count) {
  cost.sentBytes *= double(count);
  cost.seconds *= double(count);
  cost.fixedSeconds *= double(count);
  cost.launches *= count;
  return cost;
}

} // namespace

/// The depth that the cost model finds cheapest; 1: none is cheaper.
int64_t DeepenHalos::choose(const GhostZones &zones, LoopLikeOpInterface loop,
                            int64_t trips, const CollectiveCosts &costs,
                            WorkEstimator &work) {
  int64_t most = getMaxDepth(zones, trips);
  DepthPrice price(zones, costs, work, loop);
  if (depth > 0)
    return depth <= most ? depth : 1;
  CollectiveCost before = multiply(price.getTrip(), trips), least = before;
  double allowed = before.sentBytes * (1 + double(byteSlack) / 100);
  int64_t best = 1;
  for (int64_t each = 2; each <= most; ++each) {
    CollectiveCost cost = multiply(price.getBlock(each), trips / each);
    cost += multiply(price.getTrip(), trips % each) + price.getOnce(each);
    if (cost.sentBytes > allowed || !costs.isCheaper(cost, least))
      continue;
    least = cost;
    best = each;
  }
  Location loc = zones.reads.front().exchange->getLoc();
  if (best > 1)
    remark::passed(loc, getRemarkOptions("Deepened")) << remark::reason(
        "{0} exchanges in each of {1} trips, {2:f0} bytes and {3:f1} us; "
        "every {4} trips {5:f0} bytes and {6:f1} us, with the work that is "
        "done twice",
        zones.reads.size(), trips, before.sentBytes, before.seconds * 1e6, best,
        least.sentBytes, least.seconds * 1e6);
  else
    remark::missed(loc, getRemarkOptions("NotDeepened")) << remark::reason(
        "{0} exchanges in each of {1} trips take {2:f1} us and {3:f0} "
        "bytes in all; ghost zones of 2 to {4} trips are not cheaper at "
        "{5} percent more bytes",
        zones.reads.size(), trips, before.seconds * 1e6, before.sentBytes, most,
        int64_t(byteSlack));
  return best;
}

/// True if the loop was changed.
bool DeepenHalos::visit(LoopLikeOpInterface loop, const CollectiveCosts &costs,
                        WorkEstimator &work, const spmd::VaryingAxes &varying) {
  auto refuse = [&](spmd::ExchangeOp exchange, StringRef why) {
    ++numRefused;
    remark::missed(exchange.getLoc(), getRemarkOptions("NotDeepened"))
        << remark::reason("{0} stays in each trip: {1}",
                          exchange->getName().getStringRef(), why);
  };
  std::optional<GhostZones> zones = planGhostZones(loop, varying, refuse);
  if (!zones)
    return false;
  // The new loops count in 32 bits.
  std::optional<int64_t> trips = getStaticTripCount(loop);
  if (!trips || *trips > std::numeric_limits<int32_t>::max()) {
    refuse(zones->reads.front().exchange,
           "the trips of the loop are not known, or too many");
    return false;
  }
  int64_t best = choose(*zones, loop, *trips, costs, work);
  if (best < 2)
    return false;
  ++numLoops;
  numExchanges += zones->reads.size();
  Deepener(*zones, best, &getContext()).run(loop);
  return true;
}

void DeepenHalos::runOnOperation() {
  if (depth == 1)
    return;
  FailureOr<CollectiveCosts> costs =
      CollectiveCosts::get(getOperation(), machine, objective);
  if (failed(costs))
    return signalPassFailure();
  llvm::SetVector<Operation *> loops;
  getOperation().walk([&](spmd::ExchangeOp exchange) {
    if (isa<LoopLikeOpInterface>(exchange->getParentOp()))
      loops.insert(exchange->getParentOp());
  });
  if (loops.empty())
    return;
  WorkEstimator work(costs->getModel(), getOperation());
  // Anew after each change: new values are unknown to it.
  std::optional<spmd::VaryingAxes> varying;
  for (Operation *loop : loops) {
    if (!varying)
      varying.emplace(getOperation());
    if (varying->isValid() &&
        visit(cast<LoopLikeOpInterface>(loop), *costs, work, *varying))
      varying.reset();
  }
}

} // namespace partita
