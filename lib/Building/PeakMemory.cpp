// Liveness of a program's values, weighed by the bytes that one device holds.

#include "partita/Building/PeakMemory.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace partita {
namespace {

class PeakFinder {
public:
  PeakFinder(Operation *function, LocalByteCounter getBytes)
      : symbols(SymbolTable::getNearestSymbolTable(function->getParentOp())),
        getBytes(getBytes) {}

  /// Of values that `block` defines; `visit` gets what lives at each of its
  /// ops.
  int64_t getPeak(Block &block,
                  function_ref<void(Operation *, int64_t)> visit = {});

private:
  SymbolTable symbols;
  LocalByteCounter getBytes;
};

} // namespace

/// The op until which `user` reads its operands: a started collective reads
/// them until it is done.
static Operation *getLastReader(Operation *user) {
  auto start = dyn_cast<spmd::StartOp>(user);
  return start && start.getFuture().hasOneUse()
             ? *start.getFuture().getUsers().begin()
             : user;
}

/// Liveness in program order: a value lives from its definition to its last use
/// in the block; arguments of the block are its owner's.
int64_t PeakFinder::getPeak(Block &block,
                            function_ref<void(Operation *, int64_t)> visit) {
  DenseMap<Value, Operation *> lastUse;
  for (Operation &op : block)
    for (Value result : op.getResults())
      for (Operation *user : result.getUsers()) {
        Operation *inBlock = block.findAncestorOpInBlock(*getLastReader(user));
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
    if (!isa<spmd::DoneOp>(op)) // its results are in the future's buffers
      for (Value result : op.getResults())
        results += getBytes(result);
    peak = std::max(peak, live + results + inner);
    if (visit)
      visit(&op, live + results + inner);
    for (Value result : op.getResults())
      if (!result.use_empty())
        live += getBytes(result);
    for (Value value : dying[&op])
      live -= getBytes(value);
  }
  return peak;
}

int64_t getPeakBytes(func::FuncOp main, LocalByteCounter getBytes,
                     function_ref<void(Operation *, int64_t)> visit) {
  int64_t arguments = 0;
  for (Value argument : main.getArguments())
    arguments += getBytes(argument);
  PeakFinder finder(main, getBytes);
  Block &body = main.getBody().front();
  if (!visit)
    return arguments + finder.getPeak(body);
  return arguments + finder.getPeak(body, [&](Operation *op, int64_t bytes) {
    visit(op, arguments + bytes);
  });
}

int64_t getPeakBytes(func::FuncOp main,
                     function_ref<void(Operation *, int64_t)> visit) {
  auto getBytes = [](Value value) -> int64_t {
    auto future = dyn_cast<spmd::FutureType>(value.getType());
    if (!future)
      return spmd::getByteSize(value.getType());
    int64_t bytes = 0;
    for (Type type : future.getTypes())
      bytes += spmd::getByteSize(type);
    return bytes;
  };
  return getPeakBytes(main, getBytes, visit);
}

} // namespace partita
