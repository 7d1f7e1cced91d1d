// The report as JSON. The HTML page reads the same object.
#include "partita/Report/Plan.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace partita {

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

static void printShape(llvm::json::OStream &os, StringRef key,
                       RankedTensorType type) {
  os.attributeArray(key, [&] {
    for (int64_t size : type.getShape())
      os.value(size);
  });
}

/// Per dimension the axes with their sizes.
static void printDims(llvm::json::OStream &os, StringRef key,
                      spmd::ShardingAttr sharding, spmd::MeshAttr mesh) {
  os.attributeArray(key, [&] {
    for (spmd::DimShardingAttr dim : sharding.getDims())
      os.array([&] {
        for (spmd::AxisRefAttr axis : dim.getAxes())
          os.object([&] {
            os.attribute("axis", axis.str());
            os.attribute("size", axis.getSize(mesh));
          });
      });
  });
}

static void printPort(llvm::json::OStream &os, const PlanPort &port) {
  os.object([&] {
    os.attribute("name", port.name);
    os.attribute("origin", port.origin);
    if (!port.global)
      return;
    os.attribute("global_type", print(port.global));
    os.attribute("local_type", print(port.local));
    printShape(os, "global_shape", port.global);
    printShape(os, "local_shape", port.local);
    os.attribute("bytes", spmd::getByteSize(port.local));
    os.attribute("sharding", printLayout(port.sharding));
    if (!port.sharding || !port.mesh)
      return;
    printDims(os, "dims", port.sharding, port.mesh);
  });
}

/// A value with its layouts before and after. No layout is on a mesh that the
/// plan lacks.
static void printMove(llvm::json::OStream &os, const PlanMove &move,
                      const Plan &plan) {
  os.object([&] {
    os.attribute("value", move.value);
    os.attribute("type", print(move.type));
    printShape(os, "global_shape", move.type);
    for (auto [key, sharding] : {std::pair(StringRef("from"), move.from),
                                 std::pair(StringRef("to"), move.to)})
      for (const auto &[name, mesh] : plan.meshes)
        if (sharding.getMesh().getValue() == name)
          printDims(os, key, sharding, mesh);
  });
}

static void printCollective(llvm::json::OStream &os,
                            const PlanCollective &collective,
                            const Plan &plan) {
  os.object([&] {
    os.attribute("kind", collective.kind);
    os.attribute("axes", collective.axes);
    os.attribute("types", collective.types);
    os.attribute("bytes", collective.bytes);
    os.attribute("times", collective.trips);
    os.attribute("seconds", collective.seconds);
    os.attribute("location", printLocation(collective.loc));
    os.attribute("reason", collective.reason.summary);
    os.attributeArray("causes", [&] {
      for (const std::string &cause : collective.reason.causes)
        os.value(cause);
    });
    os.attribute("removal", collective.reason.removal);
    os.attributeArray("moves", [&] {
      for (const PlanMove &move : collective.reason.moves)
        printMove(os, move, plan);
    });
  });
}

static void printPorts(llvm::json::OStream &os, StringRef key,
                       ArrayRef<PlanPort> ports) {
  os.attributeArray(key, [&] {
    for (const PlanPort &port : ports)
      printPort(os, port);
  });
}

void printJson(const Plan &plan, llvm::raw_ostream &stream) {
  llvm::json::OStream os(stream);
  os.object([&] {
    os.attribute("program", plan.name);
    os.attribute("machine", plan.machine);
    os.attribute("devices", plan.devices);
    os.attribute("sent_bytes", plan.sentBytes);
    os.attribute("seconds", plan.seconds);
    os.attribute("launches", plan.launches);
    os.attribute("peak_bytes", plan.peakBytes);
    os.attributeArray("meshes", [&] {
      for (const auto &[name, mesh] : plan.meshes)
        os.object([&, &name = name, &mesh = mesh] {
          os.attribute("name", name);
          os.attributeArray("axes", [&] {
            for (spmd::MeshAxisAttr axis : mesh.getAxes())
              os.object([&] {
                os.attribute("axis", axis.getName());
                os.attribute("size", axis.getSize());
              });
          });
        });
    });
    printPorts(os, "arguments", plan.arguments);
    printPorts(os, "results", plan.results);
    os.attributeArray("collectives", [&] {
      for (const PlanCollective &collective : plan.collectives)
        printCollective(os, collective, plan);
    });
    os.attributeArray("memory", [&] {
      for (const PlanMoment &moment : plan.memory)
        os.array([&] {
          os.value(moment.op);
          os.value(moment.location);
          os.value(moment.bytes);
        });
    });
  });
}

} // namespace partita
