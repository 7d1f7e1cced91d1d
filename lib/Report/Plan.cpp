// Reads a plan off an optimized module.
#include "partita/Report/Plan.h"
#include "partita/Building/PeakMemory.h"
#include "partita/Building/TripCount.h"
#include "partita/Sharding/CollectivePrice.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir;

namespace partita {

std::string printSeconds(double seconds) {
  double us = seconds * 1e6;
  return us < 1e3   ? llvm::formatv("{0:f1} us", us).str()
         : us < 1e6 ? llvm::formatv("{0:f2} ms", us / 1e3).str()
                    : llvm::formatv("{0:f2} s", us / 1e6).str();
}

std::string printBytes(double bytes) {
  return bytes < 1e4   ? llvm::formatv("{0} bytes", int64_t(bytes)).str()
         : bytes < 1e6 ? llvm::formatv("{0:f1} kB", bytes / 1e3).str()
                       : llvm::formatv("{0:f2} MB", bytes / 1e6).str();
}

namespace {

class PlanReader {
public:
  PlanReader(ModuleOp module, const CostModel &model, const PlanTrace *trace,
             Plan &plan)
      : module(module), symbols(module), model(model), trace(trace),
        plan(plan) {}

  void readPorts(func::FuncOp main);
  void readCollectives(Region &region, int64_t trips);
  void readMemory(func::FuncOp main);

private:
  void addCollective(Operation *op, int64_t trips);
  PlanPort makePort(func::FuncOp main, Type type, spmd::ShardingAttr sharding,
                    TypeAttr global);
  std::string getOrigin(SlotId slot, spmd::ShardingAttr sharding,
                        bool isAnnotated);

  ModuleOp module;
  SymbolTable symbols;
  const CostModel &model;
  const PlanTrace *trace;
  Plan &plan;
};

} // namespace

static std::string printTypes(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(op->getOperandTypes(), os);
  os << " -> ";
  llvm::interleaveComma(op->getResultTypes(), os);
  return text;
}

void PlanReader::addCollective(Operation *op, int64_t trips) {
  auto collective = cast<spmd::CollectiveOpInterface>(op);
  spmd::MeshAttr mesh = spmd::lookupMesh(op, collective.getMeshName());
  int64_t bytes = mesh ? collective.getSentBytes(mesh) : 0;
  if (bytes <= 0)
    return;
  PlanCollective record{op->getName().stripDialect().str(),
                        "",
                        printTypes(op),
                        bytes,
                        trips,
                        getCollectiveCost(op, model).seconds,
                        removeMarks(op->getLoc()),
                        {}};
  for (spmd::AxisRefAttr axis : collective.getCommunicationAxes())
    record.axes += (record.axes.empty() ? "{" : ", ") + axis.str();
  record.axes += "}";
  if (auto start = dyn_cast<spmd::StartOp>(op))
    if (!start.getBody().empty() && !start.getBody().front().empty())
      record.kind =
          "start of " +
          start.getBody().front().front().getName().stripDialect().str();
  if (trace && trace->isRecorded())
    record.reason = explainCollective(op, *trace);
  plan.sentBytes += record.getBytes();
  plan.seconds += record.getSeconds();
  plan.launches += trips;
  plan.collectives.push_back(std::move(record));
}

void PlanReader::readCollectives(Region &region, int64_t trips) {
  for (Operation &op : region.getOps()) {
    if (isa<spmd::CollectiveOpInterface>(op)) {
      addCollective(&op, trips);
      continue;
    }
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        readCollectives(callee.getBody(), trips);
      continue;
    }
    int64_t inner = trips;
    if (isa<LoopLikeOpInterface>(op))
      inner *= getStaticTripCount(&op).value_or(1);
    for (Region &nested : op.getRegions())
      readCollectives(nested, inner);
  }
}

PlanPort PlanReader::makePort(func::FuncOp main, Type type,
                              spmd::ShardingAttr sharding, TypeAttr global) {
  PlanPort port;
  port.local = dyn_cast<RankedTensorType>(type);
  port.global =
      global ? dyn_cast<RankedTensorType>(global.getValue()) : port.local;
  port.sharding = sharding;
  if (sharding)
    port.mesh = spmd::lookupMesh(main, sharding.getMesh());
  return port;
}

/// Who chose the layout of an argument or a result.
std::string PlanReader::getOrigin(SlotId slot, spmd::ShardingAttr sharding,
                                  bool isAnnotated) {
  if (!trace || !trace->isRecorded())
    return "";
  if (isAnnotated)
    return "annotated";
  if (slot == propagation::kNone || !sharding)
    return "";
  spmd::ShardingAttr proposed = trace->getProposed(slot);
  if (!proposed || proposed.getDims().size() != sharding.getDims().size())
    return "chosen by placement";
  std::string origins;
  for (unsigned dim = 0, e = sharding.getDims().size(); dim < e; ++dim) {
    if (proposed.getDims()[dim].getAxes() != sharding.getDims()[dim].getAxes())
      return "chosen by placement";
    std::string origin = trace->describeOrigin(slot, dim);
    if (!origin.empty() && !StringRef(origins).contains(origin))
      origins += (origins.empty() ? "" : " and ") + origin;
  }
  return origins;
}

void PlanReader::readPorts(func::FuncOp main) {
  constexpr StringLiteral kGlobal = "spmd.global_type";
  StringRef name = main.getName();
  bool isTraced = trace && trace->isRecorded();
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    plan.arguments.push_back(
        makePort(main, argument.getType(), spmd::getSharding(argument),
                 main.getArgAttrOfType<TypeAttr>(i, kGlobal)));
    SlotId slot =
        isTraced ? trace->getArgumentSlot(name, i) : propagation::kNone;
    PlanPort &port = plan.arguments.back();
    std::string place = printLocation(argument.getLoc());
    port.name =
        "%arg" + std::to_string(i) + (place.empty() ? "" : " (" + place + ")");
    port.origin = getOrigin(slot, port.sharding, false);
  }
  for (unsigned i = 0, e = main.getNumResults(); i < e; ++i) {
    plan.results.push_back(makePort(
        main, main.getResultTypes()[i], spmd::getResultSharding(main, i),
        main.getResultAttrOfType<TypeAttr>(i, kGlobal)));
    PlanPort &port = plan.results.back();
    port.name = "result " + std::to_string(i);
    if (auto info = main.getResultAttrOfType<StringAttr>(i, "jax.result_info"))
      port.name += " (" + info.str() + ")";
    port.origin =
        getOrigin(isTraced ? trace->getResultSlot(name, i) : propagation::kNone,
                  port.sharding, isTraced && trace->isResultAnnotated(name, i));
  }
}

void PlanReader::readMemory(func::FuncOp main) {
  plan.peakBytes = getPeakBytes(main, [&](Operation *op, int64_t bytes) {
    plan.memory.push_back({op->getName().getStringRef().str(),
                           printLocation(op->getLoc()), bytes});
  });
}

/// Longest first, else in program order.
static void sortByTime(std::vector<PlanCollective> &collectives) {
  std::vector<size_t> order(collectives.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    double first = collectives[a].getSeconds(),
           second = collectives[b].getSeconds();
    return first != second ? first > second : a < b;
  });
  std::vector<PlanCollective> sorted;
  for (size_t index : order)
    sorted.push_back(std::move(collectives[index]));
  collectives = std::move(sorted);
}

Plan describePlan(ModuleOp module, const CostModel &model,
                  const PlanTrace *trace) {
  Plan plan;
  plan.name = module.getName().value_or("").str();
  plan.machine = model.getMachine().name;
  for (auto mesh : module.getOps<spmd::MeshOp>()) {
    plan.meshes.push_back({mesh.getSymName().str(), mesh.getMesh()});
    plan.devices = std::max(plan.devices, mesh.getMesh().getNumDevices());
  }
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return plan;
  PlanReader reader(module, model, trace, plan);
  reader.readPorts(main);
  reader.readCollectives(main.getBody(), 1);
  reader.readMemory(main);
  sortByTime(plan.collectives);
  return plan;
}

} // namespace partita
