// cpu-plan-memory: one arena per device instead of allocations.
//
// Buffers are intervals on the line of ops, in program order, regions unfolded.
// A buffer lives from its allocation to the last use of anything that may alias
// it; one that escapes a loop lives through the whole loop. Largest buffers are
// placed first, each at the lowest offset that no living neighbour covers.

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kAlignment = 64;
constexpr StringLiteral kArenaBytes = "partita.arena_bytes";

int64_t alignUp(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t getElementBytes(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complexType.getElementType());
  if (isa<IndexType>(type))
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

/// Something that needs memory for a while: an allocation, or a call's arena.
struct Buffer {
  Operation *op;
  int64_t bytes, begin, end, offset = 0;
};

class FunctionPlanner {
public:
  FunctionPlanner(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols) {}

  LogicalResult plan();
  void apply();
  int64_t arenaBytes = 0, totalBytes = 0;
  size_t getNumBuffers() const { return buffers.size(); }

private:
  void number();
  LogicalResult collect();
  void place();
  void extend(Buffer &buffer, Operation *at);

  func::FuncOp function;
  SymbolTable &symbols;
  /// First and last position of each op, its regions included.
  DenseMap<Operation *, std::pair<int64_t, int64_t>> positions;
  SmallVector<Buffer> buffers;
};

} // namespace

void FunctionPlanner::number() {
  int64_t next = 0;
  std::function<void(Operation *)> visit = [&](Operation *op) {
    int64_t begin = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &nested : block)
          visit(&nested);
    positions[op] = {begin, next++};
  };
  for (Operation &op : function.getBody().front())
    visit(&op);
}

/// Extends the life of `buffer` to `at`. Where `at` is in a loop that the
/// allocation is not in, to the end of that loop; where the allocation is in a
/// loop that `at` is not in, to the whole of that loop.
void FunctionPlanner::extend(Buffer &buffer, Operation *at) {
  auto hull = [&](Operation *op) {
    buffer.begin = std::min(buffer.begin, positions[op].first);
    buffer.end = std::max(buffer.end, positions[op].second);
  };
  hull(at);
  auto loopsOutside = [&](Operation *inner, Operation *other) {
    for (Operation *parent = inner->getParentOp();
         parent && parent != function && !parent->isAncestor(other);
         parent = parent->getParentOp())
      if (isa<LoopLikeOpInterface, RegionBranchOpInterface>(parent))
        hull(parent);
  };
  loopsOutside(at, buffer.op);
  loopsOutside(buffer.op, at);
}

LogicalResult FunctionPlanner::collect() {
  BufferViewFlowAnalysis aliases(function);
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      auto bytes = callee ? callee->getAttrOfType<IntegerAttr>(kArenaBytes)
                          : IntegerAttr();
      if (bytes) {
        auto [begin, end] = positions[op];
        buffers.push_back({op, alignUp(bytes.getInt()), begin, end});
      }
      return WalkResult::advance();
    }
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape())
      return alloc.emitOpError("has a size that is not static");
    auto [begin, end] = positions[op];
    Buffer buffer{
        op,
        alignUp(type.getNumElements() * getElementBytes(type.getElementType())),
        begin, end};
    for (Value alias : aliases.resolve(alloc.getResult())) {
      if (Operation *definition = alias.getDefiningOp())
        extend(buffer, definition);
      else if (Operation *owner = alias.getParentBlock()->getParentOp();
               owner != function)
        extend(buffer, owner);
      for (Operation *user : alias.getUsers())
        extend(buffer, user);
    }
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void FunctionPlanner::place() {
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers) {
    order.push_back(&buffer);
    totalBytes += buffer.bytes;
  }
  // Of equal size: in program order, which is that of their addresses.
  llvm::sort(order, [](Buffer *a, Buffer *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  SmallVector<Buffer *> placed;
  for (Buffer *buffer : order) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (Buffer *other : placed)
      if (other->begin <= buffer->end && buffer->begin <= other->end)
        taken.push_back({other->offset, other->offset + other->bytes});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [from, to] : taken) {
      if (offset + buffer->bytes <= from)
        break;
      offset = std::max(offset, to);
    }
    buffer->offset = offset;
    arenaBytes = std::max(arenaBytes, offset + buffer->bytes);
    placed.push_back(buffer);
  }
}

LogicalResult FunctionPlanner::plan() {
  number();
  if (failed(collect()))
    return failure();
  place();
  return success();
}

void FunctionPlanner::apply() {
  OpBuilder b(function.getContext());
  Type i8 = b.getI8Type();
  auto arenaType = MemRefType::get({std::max<int64_t>(arenaBytes, 1)}, i8);
  (void)function.insertArgument(function.getNumArguments(), arenaType,
                                DictionaryAttr(), function.getLoc());
  Value arena = function.getArguments().back();
  for (const Buffer &buffer : buffers) {
    b.setInsertionPoint(buffer.op);
    Location loc = buffer.op->getLoc();
    Value offset = arith::ConstantIndexOp::create(b, loc, buffer.offset);
    auto view = [&](MemRefType type) -> Value {
      return memref::ViewOp::create(b, loc, type, arena, offset, ValueRange());
    };
    if (auto alloc = dyn_cast<memref::AllocOp>(buffer.op)) {
      alloc.getResult().replaceAllUsesWith(view(alloc.getType()));
      alloc.erase();
      continue;
    }
    auto call = cast<func::CallOp>(buffer.op);
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    call.getOperandsMutable().append(
        view(cast<MemRefType>(callee.getArgumentTypes().back())));
  }
  function->setAttr(kArenaBytes, b.getI64IntegerAttr(arenaBytes));
}

namespace {

struct PlanMemory : impl::PlanMemoryPassBase<PlanMemory> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  /// Callees before callers, so that a call knows the arena it needs.
  LogicalResult visit(func::FuncOp function, SymbolTable &symbols,
                      DenseSet<Operation *> &done) {
    if (!done.insert(function).second || function.isExternal() ||
        function->hasAttr("partita.body"))
      return success();
    WalkResult result = function.walk([&](func::CallOp call) -> WalkResult {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      return callee ? WalkResult(visit(callee, symbols, done))
                    : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    FunctionPlanner planner(function, symbols);
    if (failed(planner.plan()))
      return failure();
    planner.apply();
    numBuffers += planner.getNumBuffers();
    totalBytes += planner.totalBytes;
    if (function.getSymName() == "main")
      arenaBytes += planner.arenaBytes;
    return success();
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DenseSet<Operation *> done;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(visit(function, symbols, done)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace partita
