// spmd-check-meshes: meshes fit the machine, and all shardings are on the
// devices of the signature. Before and after: the same module.
#include "ValueNames.h"
#include "dialects/SPMD/AxisVerification.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_CHECKMESHESPASS
#include "partita/Import/Passes.h.inc"

namespace {

/// A sharding and where it was found.
struct Place {
  spmd::ShardingAttr sharding;
  Location location;
  /// Says where, for an error: most are never asked.
  std::function<std::string()> describe;
};

class MeshChecker {
public:
  explicit MeshChecker(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult run();

private:
  LogicalResult checkMachine();
  LogicalResult check(const Place &place);
  LogicalResult checkSignature(func::FuncOp function);
  LogicalResult checkOp(Operation *op);

  /// Number of devices of a mesh; the devices are those from 0. None for an
  /// unknown mesh and one that may differ.
  std::optional<int64_t> getDeviceCount(FlatSymbolRefAttr mesh);

  ModuleOp module;
  SymbolTable symbols;
  std::optional<Place> reference;
};

} // namespace

std::optional<int64_t> MeshChecker::getDeviceCount(FlatSymbolRefAttr name) {
  auto op = symbols.lookup<spmd::MeshOp>(name.getAttr());
  // A single device runs callbacks; an empty mesh has no devices.
  if (!op || op.getMesh().getAxes().empty())
    return std::nullopt;
  return op.getMesh().getNumDevices();
}

LogicalResult MeshChecker::check(const Place &place) {
  std::optional<int64_t> devices = getDeviceCount(place.sharding.getMesh());
  if (!devices)
    return success();
  if (!reference) {
    reference = place;
    return success();
  }
  int64_t expected = *getDeviceCount(reference->sharding.getMesh());
  if (expected == *devices)
    return success();
  InFlightDiagnostic error = emitError(place.location)
                             << place.describe() << " is on mesh "
                             << place.sharding.getMesh() << ", devices "
                             << printDevices(*devices) << ", but "
                             << reference->describe() << " is on mesh "
                             << reference->sharding.getMesh() << ", devices "
                             << printDevices(expected);
  error.attachNote(reference->location)
      << reference->describe() << " is laid out as "
      << printSharding(reference->sharding);
  for (FlatSymbolRefAttr name :
       {place.sharding.getMesh(), reference->sharding.getMesh()})
    if (auto mesh = symbols.lookup<spmd::MeshOp>(name.getAttr()))
      error.attachNote(mesh.getLoc()) << "mesh " << name << " is defined here";
  return spmd::failWithFix(std::move(error),
                           "use meshes over the same devices throughout, or "
                           "replicate over the devices that are left out");
}

LogicalResult MeshChecker::checkMachine() {
  auto getCount = [&](StringRef name) -> int64_t {
    auto attribute = module->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  int64_t replicas = getCount("mhlo.num_replicas");
  if (replicas > 1)
    return spmd::failWithFix(module.emitError()
                                 << "the module asks for " << replicas
                                 << " replicas (mhlo.num_replicas)",
                             "lower with jax.shard_map or jit, which use "
                             "partitions instead of replicas");
  int64_t partitions = getCount("mhlo.num_partitions");
  for (auto op : module.getOps<spmd::MeshOp>()) {
    spmd::MeshAttr mesh = op.getMesh();
    int64_t count = mesh.getNumDevices();
    if (partitions > 0 && count > partitions)
      return spmd::failWithFix(
          op.emitOpError() << "@" << op.getSymName() << " = " << mesh << " has "
                           << count << " devices, but the machine has "
                           << partitions << " (mhlo.num_partitions)",
          "make the mesh no larger than the machine, or lower for " +
              std::to_string(count) + " devices");
    if (partitions > 0 && mesh.isMaximal() &&
        mesh.getDeviceIds()[0] >= partitions)
      return spmd::failWithFix(
          op.emitOpError() << "@" << op.getSymName() << " is device "
                           << mesh.getDeviceIds()[0] << ", but the machine has "
                           << partitions << " devices (mhlo.num_partitions)",
          "name a device from 0 to " + std::to_string(partitions - 1));
  }
  return success();
}

LogicalResult MeshChecker::checkSignature(func::FuncOp function) {
  StringRef name = spmd::SPMDDialect::getShardingAttrName();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto sharding = function.getArgAttrOfType<spmd::ShardingAttr>(i, name))
      if (failed(
              check({sharding,
                     function.isExternal() ? function.getLoc()
                                           : function.getArgument(i).getLoc(),
                     [=] { return describeArgument(function, i); }})))
        return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto sharding = spmd::getResultSharding(function, i))
      if (failed(check({sharding, function.getLoc(),
                        [=] { return describeResult(function, i); }})))
        return failure();
  return success();
}

LogicalResult MeshChecker::checkOp(Operation *op) {
  SmallVector<spmd::ShardingAttr> shardings;
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    if (auto sharding = dyn_cast<spmd::ShardingAttr>(attribute.getValue()))
      shardings.push_back(sharding);
    else if (auto list = dyn_cast<ArrayAttr>(attribute.getValue()))
      for (Attribute entry : list)
        if (auto sharding = dyn_cast<spmd::ShardingAttr>(entry))
          shardings.push_back(sharding);
  }
  for (spmd::ShardingAttr sharding : shardings)
    if (failed(check({sharding, op->getLoc(), [=] {
                        return "this " + op->getName().getStringRef().str();
                      }})))
      return failure();
  return success();
}

LogicalResult MeshChecker::run() {
  if (failed(checkMachine()))
    return failure();
  // What @main says comes first: the rest is compared with it.
  if (auto main = symbols.lookup<func::FuncOp>("main"))
    if (failed(checkSignature(main)))
      return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(checkSignature(function)))
      return failure();
  WalkResult result = module.walk([&](Operation *op) {
    return isa<func::FuncOp>(op) || succeeded(checkOp(op))
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct CheckMeshes : impl::CheckMeshesPassBase<CheckMeshes> {
  void runOnOperation() override {
    if (failed(MeshChecker(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace partita
