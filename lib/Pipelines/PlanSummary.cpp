// Counts collectives and bytes of a partitioned program, and its peak memory.

#include "partita/Pipelines/PlanSummary.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Building/TripCount.h"
#include "partita/Sharding/ReshardCosts.h"

using namespace mlir;

namespace partita {
namespace {

/// Bytes of a local value.
int64_t getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  return (tensor.getNumElements() * getElementBits(tensor.getElementType()) +
          7) /
         8;
}

class Summarizer {
public:
  explicit Summarizer(ModuleOp module) : symbols(module) {}

  void count(Region &region, int64_t trips);
  int64_t getPeak(Block &block);
  PlanSummary summary;

private:
  SymbolTable symbols;
};

} // namespace

void Summarizer::count(Region &region, int64_t trips) {
  for (Operation &op : region.getOps()) {
    if (auto collective = dyn_cast<spmd::CollectiveOpInterface>(op)) {
      spmd::MeshAttr mesh = spmd::lookupMesh(&op, collective.getMeshName());
      int64_t bytes = collective.getSentBytes(mesh);
      if (bytes > 0) {
        CollectiveCount &entry =
            summary.collectives[op.getName().stripDialect().str()];
        entry.count += trips;
        entry.sentBytes += trips * bytes;
        summary.sentBytes += trips * bytes;
      }
      continue;
    }
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        count(callee.getBody(), trips);
      continue;
    }
    int64_t inner = trips;
    if (isa<LoopLikeOpInterface>(op)) {
      std::optional<int64_t> staticTrips = getStaticTripCount(&op);
      summary.unknownLoops += !staticTrips;
      inner *= staticTrips.value_or(1);
    }
    for (Region &nested : op.getRegions())
      count(nested, inner);
  }
}

/// Liveness in program order: a value lives from its definition to its last use
/// in the block; arguments of the block are its owner's.
int64_t Summarizer::getPeak(Block &block) {
  DenseMap<Value, Operation *> lastUse;
  for (Operation &op : block)
    for (Value result : op.getResults())
      for (Operation *user : result.getUsers()) {
        Operation *inBlock = block.findAncestorOpInBlock(*user);
        Operation *&last = lastUse[result];
        if (inBlock && (!last || last->isBeforeInBlock(inBlock)))
          last = inBlock;
      }
  DenseMap<Operation *, SmallVector<Value>> dying;
  for (auto [value, last] : lastUse)
    if (last)
      dying[last].push_back(value);
  int64_t live = 0, peak = 0;
  for (Operation &op : block) {
    int64_t inner = 0;
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        inner = getPeak(callee.getBody().front());
    } else if (isa<RegionBranchOpInterface>(op)) {
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          inner = std::max(inner, getPeak(nested));
    }
    int64_t results = 0;
    for (Value result : op.getResults())
      results += getBytes(result.getType());
    peak = std::max(peak, live + results + inner);
    for (Value result : op.getResults())
      if (!result.use_empty())
        live += getBytes(result.getType());
    for (Value value : dying[&op])
      live -= getBytes(value.getType());
  }
  return peak;
}

PlanSummary summarizePlan(ModuleOp module) {
  Summarizer summarizer(module);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return summarizer.summary;
  summarizer.count(main.getBody(), 1);
  int64_t arguments = 0;
  for (Type type : main.getArgumentTypes())
    arguments += getBytes(type);
  summarizer.summary.peakBytes =
      arguments + summarizer.getPeak(main.getBody().front());
  return summarizer.summary;
}

int64_t getDeviceCount(ModuleOp module) {
  for (StringRef name : {"mhlo.num_partitions", "mhlo.num_replicas"})
    if (auto count = module->getAttrOfType<IntegerAttr>(name))
      if (count.getInt() > 1)
        return count.getInt();
  int64_t devices = 1;
  for (auto mesh : module.getOps<spmd::MeshOp>())
    devices = std::max(devices, mesh.getMesh().getNumDevices());
  return devices;
}

} // namespace partita
