// Counts collectives and bytes of a partitioned program, and its peak memory.

#include "partita/Pipelines/PlanSummary.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Building/PeakMemory.h"
#include "partita/Building/TripCount.h"

using namespace mlir;

namespace partita {
namespace {

class Summarizer {
public:
  explicit Summarizer(ModuleOp module) : symbols(module) {}

  void count(Region &region, int64_t trips);
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
        auto start = dyn_cast<spmd::StartOp>(op);
        Operation &started = start ? start.getBody().front().front() : op;
        CollectiveCount &entry =
            summary.collectives[started.getName().stripDialect().str()];
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

PlanSummary summarizePlan(ModuleOp module) {
  Summarizer summarizer(module);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return summarizer.summary;
  summarizer.count(main.getBody(), 1);
  summarizer.summary.peakBytes = getPeakBytes(main);
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
