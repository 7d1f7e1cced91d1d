// Reads what the system has, and adds up what a run needs.

#include "Memory.h"
#include "HostArray.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace partita {

/// The first number after `key` in a file of the system; -1 if there is none.
static int64_t readNumber(const char *path, StringRef key) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  if (!buffer)
    return -1;
  StringRef text = (*buffer)->getBuffer();
  size_t at = text.find(key);
  int64_t number;
  if (at == StringRef::npos ||
      text.substr(at + key.size()).ltrim().consumeInteger(10, number))
    return -1;
  return number;
}

int64_t getAvailableMemory(int64_t limit) {
  int64_t available = limit > 0 ? limit : INT64_MAX;
  int64_t system = readNumber("/proc/meminfo", "MemAvailable:");
  if (system >= 0)
    available = std::min(available, system * 1024);
  int64_t group = readNumber("/sys/fs/cgroup/memory.max", "");
  if (group >= 0) {
    int64_t used = readNumber("/sys/fs/cgroup/memory.stat", "anon ");
    available = std::min(available, group - std::max<int64_t>(0, used));
  }
  return available;
}

namespace {
struct MemoryNeed {
  int64_t inputs = 0, blocks = 0, results = 0, arenas = 0;
  int64_t getTotal() const { return inputs + blocks + results + arenas; }
};
} // namespace

static MemoryNeed computeNeed(Program &program) {
  MemoryNeed need;
  for (const Port &port : program.inputs) {
    BlockMap map(port.type, port.sharding, port.mesh, program.devices);
    need.inputs += getDenseBytes(port.type);
    need.blocks += map.getSplitBytes();
  }
  for (const Port &port : program.outputs) {
    BlockMap map(port.type, port.sharding, port.mesh, program.devices);
    need.results += program.devices * getDenseBytes(map.getBlockType());
    if (map.getBlockType() != port.type)
      need.results += getDenseBytes(port.type);
  }
  if (program.compiled)
    need.arenas = program.devices * program.compiled->getArenaBytes();
  return need;
}

LogicalResult checkMemory(Program &program, int64_t limit) {
  MemoryNeed need = computeNeed(program);
  int64_t available = getAvailableMemory(limit);
  if (need.getTotal() <= available)
    return success();
  InFlightDiagnostic diagnostic = program.getImportedMain().emitError()
                                  << "memory does not suffice: the run needs "
                                  << need.getTotal() << " bytes, " << available
                                  << " are available";
  diagnostic.attachNote() << need.inputs << " bytes of arguments, "
                          << need.blocks << " of their blocks, " << need.results
                          << " of results, " << need.arenas
                          << " of temporaries of " << program.devices
                          << " devices";
  diagnostic.attachNote()
      << "fix: run it at a smaller size or where there is more memory"
      << (limit > 0 ? ", or raise --memory-limit" : "");
  return diagnostic;
}

} // namespace partita
