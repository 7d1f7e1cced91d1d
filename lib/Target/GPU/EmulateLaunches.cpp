// gpu-emulate-launches: kernels as functions on the CPU.
//
// A kernel is cut at its barriers and shuffles into segments; each is a loop
// over the threads of the block. A value that a later segment uses is kept in a
// buffer with one slot per thread; views and constants are made again. A
// shuffle is a load from the partner's slot.

#include "partita/Target/GPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_EMULATELAUNCHESPASS
#include "partita/Target/GPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

constexpr int64_t kWarp = 32;

/// Written again in each segment instead of kept.
bool isRepeated(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp>(
             op) ||
         (op->getNumResults() == 1 &&
          isa<MemRefType>(op->getResult(0).getType()) && isPure(op));
}

class KernelEmulation {
public:
  KernelEmulation(ModuleOp module, gpu::GPUFuncOp kernel)
      : module(module), kernel(kernel), b(module.getContext()) {}

  /// The function `name` of (kernel arguments, grid x y z, block x y z).
  FailureOr<func::FuncOp> build(StringRef name);

private:
  LogicalResult split();
  void findKept();
  void buildSegment(ArrayRef<Operation *> ops);
  Value get(Value value, IRMapping &local);
  Value keep(Value value);
  Value loadPartner(gpu::ShuffleOp shuffle, IRMapping &local);
  void emit(Operation *op, IRMapping &local);

  ModuleOp module;
  gpu::GPUFuncOp kernel;
  OpBuilder b;
  Location loc = UnknownLoc::get(module.getContext());
  func::FuncOp function;
  int64_t threads = 0;
  SmallVector<SmallVector<Operation *>> segments;
  DenseMap<Operation *, unsigned> segmentOf;
  DenseMap<Value, Value> buffers;
  /// Arguments and block ids, the same for all threads.
  IRMapping common;
  SmallVector<Value> threadIds;
  Value linearThread;
};

} // namespace

LogicalResult KernelEmulation::split() {
  segments.emplace_back();
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (isa<gpu::BarrierOp>(op)) {
      segments.emplace_back();
      continue;
    }
    if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
      // What a shuffle reads must be complete in all threads. Shuffles in a row
      // of finished values share a segment.
      Operation *value = shuffle.getValue().getDefiningOp();
      if (value && segmentOf.lookup(value) == segments.size() - 1)
        segments.emplace_back();
    }
    segmentOf[&op] = segments.size() - 1;
    segments.back().push_back(&op);
  }
  WalkResult nested = kernel.walk([&](Operation *op) -> WalkResult {
    auto shuffle = dyn_cast<gpu::ShuffleOp>(op);
    bool isKnown = !shuffle || shuffle.getMode() == gpu::ShuffleMode::XOR ||
                   shuffle.getMode() == gpu::ShuffleMode::IDX;
    if (isa<gpu::BarrierOp, gpu::ShuffleOp>(op) &&
        (op->getBlock() != &body || !isKnown)) {
      InFlightDiagnostic diagnostic = op->emitError(
          "cannot be emulated: a barrier or shuffle in a branch or "
          "loop, or a shuffle in mode up or down");
      diagnostic.attachNote()
          << "fix: keep barriers and shuffles at the top level of the kernel";
      return diagnostic;
    }
    return WalkResult::advance();
  });
  return failure(nested.wasInterrupted());
}

/// A slot per thread for what later segments, and all shuffles, read.
void KernelEmulation::findKept() {
  Block &body = kernel.getBody().front();
  for (auto [number, segment] : llvm::enumerate(segments)) {
    for (Operation *op : segment) {
      for (Value result : op->getResults()) {
        bool isKept = llvm::any_of(result.getUsers(), [&](Operation *user) {
          Operation *top = body.findAncestorOpInBlock(*user);
          return (isa<gpu::ShuffleOp>(user) &&
                  cast<gpu::ShuffleOp>(user).getValue() == result) ||
                 (!isa<gpu::ReturnOp>(top) && segmentOf.lookup(top) != number);
        });
        bool isShuffled = llvm::any_of(result.getUsers(), [&](Operation *user) {
          return isa<gpu::ShuffleOp>(user) &&
                 cast<gpu::ShuffleOp>(user).getValue() == result;
        });
        if (isKept && (isShuffled || !isRepeated(op)))
          buffers[result] = memref::AllocaOp::create(
              b, loc, MemRefType::get({threads}, result.getType()));
      }
    }
  }
}

Value KernelEmulation::get(Value value, IRMapping &local) {
  if (Value known = local.lookupOrNull(value))
    return known;
  if (Value known = common.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (Value buffer = buffers.lookup(value)) {
    Value loaded = memref::LoadOp::create(b, loc, buffer, linearThread);
    local.map(value, loaded);
    return loaded;
  }
  emit(op, local);
  return local.lookup(value);
}

Value KernelEmulation::loadPartner(gpu::ShuffleOp shuffle, IRMapping &local) {
  Value offset = arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                              get(shuffle.getOffset(), local));
  Value mask = arith::ConstantIndexOp::create(b, loc, kWarp - 1);
  Value lane = arith::AndIOp::create(b, loc, linearThread, mask);
  Value first = arith::SubIOp::create(b, loc, linearThread, lane);
  Value partner = shuffle.getMode() == gpu::ShuffleMode::XOR
                      ? Value(arith::XOrIOp::create(b, loc, lane, offset))
                      : Value(arith::AndIOp::create(b, loc, offset, mask));
  Value at = arith::AddIOp::create(b, loc, first, partner);
  return memref::LoadOp::create(b, loc, buffers.lookup(shuffle.getValue()), at);
}

/// Emits one op for the current thread, its operands first.
void KernelEmulation::emit(Operation *op, IRMapping &local) {
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    local.map(shuffle.getShuffleResult(), loadPartner(shuffle, local));
    local.map(shuffle.getValid(),
              arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1));
  } else if (auto id = dyn_cast<gpu::ThreadIdOp>(op)) {
    local.map(id.getResult(), threadIds[static_cast<int>(id.getDimension())]);
  } else {
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          if (Value known = get(operand, local))
            local.map(operand, known);
    });
    b.clone(*op, local);
  }
  for (Value result : op->getResults())
    if (Value buffer = buffers.lookup(result))
      memref::StoreOp::create(b, loc, local.lookup(result), buffer,
                              linearThread);
}

void KernelEmulation::buildSegment(ArrayRef<Operation *> ops) {
  OpBuilder::InsertionGuard guard(b);
  unsigned first = kernel.getNumArguments();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  threadIds.assign(3, Value());
  for (int axis : {2, 1, 0}) {
    auto loop = scf::ForOp::create(b, loc, zero,
                                   function.getArgument(first + 3 + axis), one);
    threadIds[axis] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  linearThread = threadIds[2];
  for (int axis : {1, 0}) {
    linearThread = arith::MulIOp::create(
        b, loc, linearThread, function.getArgument(first + 3 + axis));
    linearThread = arith::AddIOp::create(b, loc, linearThread, threadIds[axis]);
  }
  IRMapping local;
  for (Operation *op : ops)
    emit(op, local);
}

FailureOr<func::FuncOp> KernelEmulation::build(StringRef name) {
  loc = kernel.getLoc();
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError(
        "cannot be emulated: control flow is not structured");
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return kernel.emitError("cannot be emulated: no known_block_size");
  threads = int64_t((*block)[0]) * (*block)[1] * (*block)[2];
  if (failed(split()))
    return failure();
  unsigned arguments = kernel.getNumArguments();
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.append(6, b.getIndexType());
  b.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  function.setPrivate();
  // A body: it takes neither context nor arena.
  function->setAttr("partita.body", b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock());
  for (unsigned i = 0; i < arguments; ++i)
    common.map(kernel.getArgument(i), function.getArgument(i));
  for (BlockArgument shared : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(shared.getType());
    common.map(
        shared,
        memref::AllocaOp::create(
            b, loc, MemRefType::get(type.getShape(), type.getElementType())));
  }
  findKept();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Operation *outermost = nullptr;
  SmallVector<Value> blockIds(3);
  for (int axis : {2, 1, 0}) {
    auto loop = scf::ForOp::create(b, loc, zero,
                                   function.getArgument(arguments + axis), one);
    outermost = outermost ? outermost : loop;
    blockIds[axis] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      common.map(id.getResult(), blockIds[static_cast<int>(id.getDimension())]);
    else if (auto size = dyn_cast<gpu::GridDimOp>(op))
      common.map(size.getResult(),
                 function.getArgument(arguments +
                                      static_cast<int>(size.getDimension())));
    else if (auto size = dyn_cast<gpu::BlockDimOp>(op))
      common.map(size.getResult(),
                 function.getArgument(arguments + 3 +
                                      static_cast<int>(size.getDimension())));
  });
  for (SmallVector<Operation *> &segment : segments) {
    llvm::erase_if(segment, [&](Operation *op) {
      return op->getNumResults() == 1 && common.contains(op->getResult(0));
    });
    buildSegment(segment);
  }
  b.setInsertionPointAfter(outermost);
  func::ReturnOp::create(b, loc);
  return function;
}

namespace {

struct EmulateLaunches : impl::EmulateLaunchesPassBase<EmulateLaunches> {
  using EmulateLaunchesPassBase::EmulateLaunchesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    DenseMap<Operation *, func::FuncOp> functions;
    for (auto kernels : module.getOps<gpu::GPUModuleOp>())
      for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
        std::string name = "emulated_" + kernel.getName().str();
        FailureOr<func::FuncOp> function =
            KernelEmulation(module, kernel).build(name);
        if (failed(function))
          return signalPassFailure();
        functions[kernel] = *function;
      }
    SmallVector<gpu::LaunchFuncOp> launches;
    module.walk([&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    for (gpu::LaunchFuncOp launch : launches) {
      OpBuilder b(launch);
      SmallVector<Value> operands(launch.getKernelOperands());
      gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
      gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
      operands.append({grid.x, grid.y, grid.z, block.x, block.y, block.z});
      auto kernel = symbols.lookupSymbolIn(module, launch.getKernelAttr());
      func::CallOp::create(b, launch.getLoc(), functions.lookup(kernel),
                           operands);
      launch.erase();
    }
    for (auto kernels :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      kernels.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};

} // namespace
} // namespace partita
