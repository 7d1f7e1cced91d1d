// Backwards from what halo exchanges read: every op on the way has to map
// positions to positions by its rule, everything else has to be equal on the
// devices whose positions are computed.

#include "GhostZones.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "partita/Building/Positions.h"

using namespace mlir;

namespace partita {

static int64_t getSize(Value value, int64_t dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

static ArrayRef<spmd::AxisRefAttr> getAxes(spmd::ShardingAttr sharding,
                                           int64_t dim) {
  return sharding.getDims()[dim].getAxes();
}

/// True if each block of the result reads at and around its own block.
static bool isHaloExchange(spmd::ExchangeOp exchange) {
  for (int64_t dim = 0, rank = exchange.getFromShape().size(); dim < rank;
       ++dim)
    if (!exchange.hasSameAxes(dim) ||
        (!getAxes(exchange.getFrom(), dim).empty() &&
         exchange.getInterval(dim).getStep() !=
             getSize(exchange.getInput(), dim)))
      return false;
  return true;
}

namespace {

class Planner {
public:
  Planner(LoopLikeOpInterface loop, Block *body,
          const spmd::VaryingAxes &varying)
      : loop(loop), body(body), varying(varying) {}

  std::optional<GhostZones>
  plan(function_ref<void(spmd::ExchangeOp, StringRef)> refuse);

private:
  void addAxes(spmd::ExchangeOp exchange);
  int findAxis(FlatSymbolRefAttr mesh, ArrayRef<spmd::AxisRefAttr> axes,
               int64_t block) const;
  GhostDims getDims(spmd::ExchangeOp exchange) const;
  GhostRead getRead(spmd::ExchangeOp exchange) const;

  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }
  bool addExchange(spmd::ExchangeOp exchange);
  bool requireRead(spmd::ExchangeOp exchange);
  bool requirePending();
  bool require(Value value, const GhostDims &dims);
  bool requireSource(Value value, const GhostDims &dims);
  bool requireByRule(Operation *op, const GhostDims &dims);
  bool checkUniform(Value value, const GhostDims &dims);
  bool measureReach();

  LoopLikeOpInterface loop;
  Block *body;
  const spmd::VaryingAxes &varying;
  GhostZones zones;
  /// Values in `zones.dims` whose sources are not required yet.
  SmallVector<Value> pending;
  std::string reason;
};

} // namespace

int Planner::findAxis(FlatSymbolRefAttr mesh, ArrayRef<spmd::AxisRefAttr> axes,
                      int64_t block) const {
  for (auto [index, axis] : llvm::enumerate(zones.axes))
    if (axis.mesh == mesh && ArrayRef(axis.axes) == axes && axis.block == block)
      return index;
  return -1;
}

void Planner::addAxes(spmd::ExchangeOp exchange) {
  spmd::ShardingAttr from = exchange.getFrom();
  spmd::MeshAttr mesh = spmd::lookupMesh(exchange, from.getMesh());
  for (int64_t dim = 0, rank = from.getDims().size(); dim < rank; ++dim) {
    int64_t block = getSize(exchange.getInput(), dim);
    auto axes = getAxes(from, dim);
    if (exchange.isOwnBlock(dim) || axes.empty() ||
        findAxis(from.getMesh(), axes, block) >= 0)
      continue;
    GhostAxis axis{from.getMesh(), mesh, SmallVector<spmd::AxisRefAttr>(axes),
                   block, from.getShardCount(dim, mesh)};
    axis.wraps = exchange.getInterval(dim).getOutside() == spmd::Outside::Wrap;
    zones.axes.push_back(std::move(axis));
  }
}

GhostDims Planner::getDims(spmd::ExchangeOp exchange) const {
  GhostDims dims;
  spmd::ShardingAttr from = exchange.getFrom();
  for (int64_t dim = 0, rank = from.getDims().size(); dim < rank; ++dim)
    dims.push_back(findAxis(from.getMesh(), getAxes(from, dim),
                            getSize(exchange.getInput(), dim)));
  return dims;
}

GhostRead Planner::getRead(spmd::ExchangeOp exchange) const {
  GhostRead read{exchange, getDims(exchange), {}, {}};
  for (int64_t dim = 0, rank = read.dims.size(); dim < rank; ++dim) {
    spmd::IntervalAttr interval = exchange.getInterval(dim);
    read.before.push_back(-interval.getBase());
    read.behind.push_back(interval.getBase() + interval.getLength() -
                          getSize(exchange.getInput(), dim));
  }
  return read;
}

/// True if `value` is equal along all ghost axes that are not among `dims`.
bool Planner::checkUniform(Value value, const GhostDims &dims) {
  for (auto [index, ghost] : llvm::enumerate(zones.axes)) {
    if (llvm::is_contained(dims, int(index)))
      continue;
    for (spmd::AxisRefAttr axis : ghost.axes)
      if (varying.get(value, axis.getName()) != spmd::Variation::Uniform)
        return fail("it depends on a value that differs between devices along "
                    "axis '" +
                    axis.getName() + "' and is not laid out over it");
  }
  return true;
}

/// Has `value` computed on the ghost zones of `dims`.
bool Planner::require(Value value, const GhostDims &dims) {
  auto isNone = [](int axis) { return axis < 0; };
  auto known = zones.dims.find(value);
  if (known != zones.dims.end())
    return known->second == dims ||
           fail("two of its readers disagree on the dimensions of a value");
  if (!checkUniform(value, dims))
    return false;
  // Recorded too where none is asked for: no other reader may ask for one.
  zones.dims.insert({value, dims});
  if (!llvm::all_of(dims, isNone))
    pending.push_back(value);
  return true;
}

/// Has the operand of `exchange` computed on ghost zones; what is outside the
/// array has to be the same for all that read along an axis.
bool Planner::requireRead(spmd::ExchangeOp exchange) {
  GhostDims dims = getDims(exchange);
  for (auto [dim, axis] : llvm::enumerate(dims))
    if (axis >= 0 && !exchange.isOwnBlock(dim) &&
        zones.axes[axis].wraps !=
            (exchange.getInterval(dim).getOutside() == spmd::Outside::Wrap))
      return fail("others read round the ends of the same dimension, or it "
                  "alone does");
  return require(exchange.getInput(), dims);
}

bool Planner::requirePending() {
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    GhostDims dims = zones.dims.lookup(value);
    if (!requireSource(value, dims))
      return false;
  }
  return true;
}

bool Planner::requireSource(Value value, const GhostDims &dims) {
  bool isOutside = !loop->isAncestor(value.getParentBlock()->getParentOp());
  if (isOutside && !matchPattern(value, m_Constant())) {
    zones.captured.push_back(value);
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    zones.carried.push_back(number);
    return require((*loop.getYieldedValuesMutable())[number].get(), dims);
  }
  Operation *op = value.getDefiningOp();
  if (matchPattern(value, m_Constant())) {
    DenseElementsAttr constant;
    if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
      return fail("it depends on a constant that is not the same everywhere");
    zones.ops.insert(op);
    return true;
  }
  zones.ops.insert(op);
  if (std::optional<Positions> positions = matchPositions(value)) {
    int axis = dims[positions->dim];
    bool isGlobal = axis < 0 || (zones.axes[axis].mesh == positions->mesh &&
                                 zones.axes[axis].axes == positions->axes &&
                                 zones.axes[axis].block == positions->step);
    return isGlobal || fail("it depends on positions of another division");
  }
  if (auto exchange = dyn_cast<spmd::ExchangeOp>(op)) {
    if (!isHaloExchange(exchange) || getDims(exchange) != dims)
      return fail("it depends on an exchange of another kind");
    return requireRead(exchange);
  }
  // By its rule a collective maps positions to positions, but of other devices.
  if (isa<spmd::CollectiveOpInterface>(op))
    return fail("it depends on " + op->getName().getStringRef());
  return requireByRule(op, dims);
}

/// True if `factor` maps index j of the result to the indices from j on of its
/// operands, as far as those go: longer operands then give a longer result.
static bool isTranslationInvariant(Operation *op,
                                   const spmd::ShardingRule &rule, int factor) {
  if (rule.factors[factor].kind == spmd::FactorKind::Parallel)
    return true;
  if (rule.factors[factor].kind != spmd::FactorKind::Halo)
    return false;
  bool isRead = false;
  for (const spmd::HaloRead &read : rule.reads) {
    if (read.reader || rule.results[0].getOnlyFactor(read.readerDim) != factor)
      continue;
    isRead = true;
    if (read.stride != 1 || read.period != 1 || read.first != 0 ||
        getSize(op->getResult(0), read.readerDim) + read.last !=
            getSize(op->getOperand(read.operand), read.dim))
      return false;
  }
  return isRead;
}

bool Planner::requireByRule(Operation *op, const GhostDims &dims) {
  StringRef name = op->getName().getStringRef();
  auto shardable = dyn_cast<spmd::ShardableOpInterface>(op);
  if (!shardable || op->getNumResults() != 1 || !isMemoryEffectFree(op))
    return fail("it depends on " + name +
                ", which has no rule for this, or effects");
  FailureOr<spmd::ShardingRule> rule = shardable.getShardingRule();
  if (failed(rule))
    return fail("it depends on " + name + ", which has no rule");
  llvm::SmallDenseMap<int, int> axisOfFactor;
  for (auto [dim, axis] : llvm::enumerate(dims)) {
    if (axis < 0)
      continue;
    int factor = rule->results[0].getOnlyFactor(dim);
    if (factor < 0 || !isTranslationInvariant(op, *rule, factor))
      return fail("it depends on " + name +
                  ", which does not map positions to positions");
    axisOfFactor[factor] = axis;
  }
  if (!shardable.isResizable())
    return fail("it depends on " + name +
                ", which is not the same op on blocks of another size");
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (!checkUniform(value, {}))
      return false;
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule->operands)) {
    GhostDims operandDims;
    for (int64_t dim = 0, rank = mapping.dims.size(); dim < rank; ++dim) {
      int axis = -1;
      for (int factor : mapping.dims[dim])
        if (auto it = axisOfFactor.find(factor); it != axisOfFactor.end())
          axis = mapping.dims[dim].size() == 1 ? it->second : -2;
      if (axis == -2)
        return fail("it depends on " + name + ", which joins dimensions");
      operandDims.push_back(axis);
    }
    if (!require(operand, operandDims))
      return false;
  }
  return true;
}

/// Tries to make `exchange` local; leaves all as it was if that fails.
bool Planner::addExchange(spmd::ExchangeOp exchange) {
  GhostZones before = zones;
  if (requireRead(exchange) && requirePending()) {
    zones.ops.insert(exchange);
    return true;
  }
  zones = std::move(before);
  pending.clear();
  return false;
}

/// How far beyond their blocks values that enter a trip are read in it:
/// backwards through the body, each exchange adds what it reads. Those that no
/// trip changes count too: what the first of several trips computes on the rest
/// of a ghost zone reads them as far from there. False if no trip changes what
/// is read.
bool Planner::measureReach() {
  using Reach = SmallVector<std::pair<int64_t, int64_t>, 2>;
  Reach none(zones.axes.size(), {0, 0});
  DenseMap<Value, Reach> reach;
  auto raise = [&](Value value, const Reach &least) {
    auto [it, isNew] = reach.try_emplace(value, none);
    for (auto [known, other] : llvm::zip(it->second, least))
      known = {std::max(known.first, other.first),
               std::max(known.second, other.second)};
  };
  for (Operation &op : llvm::reverse(*body)) {
    if (!zones.ops.contains(&op))
      continue;
    auto it = reach.find(op.getResult(0));
    Reach own = it == reach.end() ? none : it->second;
    if (auto exchange = dyn_cast<spmd::ExchangeOp>(op)) {
      GhostRead read = getRead(exchange);
      for (auto [dim, axis] : llvm::enumerate(read.dims)) {
        if (axis < 0)
          continue;
        own[axis].first += read.before[dim];
        own[axis].second += read.behind[dim];
      }
    }
    for (Value operand : op.getOperands())
      if (zones.dims.contains(operand))
        raise(operand, own);
  }
  bool isChanged = false;
  auto count = [&](Value value, bool changes) {
    for (auto [axis, own] : llvm::zip(zones.axes, reach.lookup(value))) {
      axis.low = std::max(axis.low, own.first);
      axis.high = std::max(axis.high, own.second);
      isChanged |= changes && (own.first > 0 || own.second > 0);
    }
  };
  for (unsigned number : zones.carried)
    count(body->getArgument(number),
          (*loop.getYieldedValuesMutable())[number].get() !=
              body->getArgument(number));
  for (Value value : zones.captured)
    count(value, /*changes=*/false);
  return isChanged;
}

std::optional<GhostZones>
Planner::plan(function_ref<void(spmd::ExchangeOp, StringRef)> refuse) {
  SmallVector<spmd::ExchangeOp> halos;
  for (auto exchange : body->getOps<spmd::ExchangeOp>())
    if (isHaloExchange(exchange)) {
      halos.push_back(exchange);
      addAxes(exchange);
    }
  for (spmd::ExchangeOp exchange : halos)
    if (!addExchange(exchange))
      refuse(exchange, reason);
  for (Operation &op : *body)
    if (auto exchange = dyn_cast<spmd::ExchangeOp>(op);
        exchange && zones.ops.contains(exchange))
      zones.reads.push_back(getRead(exchange));
  if (zones.reads.empty())
    return std::nullopt;
  if (measureReach())
    return std::move(zones);
  for (const GhostRead &read : zones.reads)
    refuse(read.exchange, "no trip changes what it reads");
  return std::nullopt;
}

std::optional<GhostZones>
planGhostZones(LoopLikeOpInterface loop, const spmd::VaryingAxes &varying,
               function_ref<void(spmd::ExchangeOp, StringRef)> refuse) {
  auto arguments = loop.getRegionIterArgs();
  auto yielded = loop.getYieldedValuesMutable();
  if (arguments.empty() || !yielded || yielded->size() != arguments.size())
    return std::nullopt;
  return Planner(loop, arguments.front().getOwner(), varying).plan(refuse);
}

} // namespace partita
