// gpu-form-kernels: groups linalg ops, has each group emitted as kernels, and
// puts launches in their places.
//
// Ops of one group run in one thread per element, so an op may join only if
// every buffer that the group writes is met at the thread's own element alone.

#include "IndexKernels.h"
#include "KernelEmitter.h"
#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace partita {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "partita/Target/GPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

constexpr size_t kMaxGroup = 12;

/// One use of a buffer by a linalg op.
struct Access {
  Value buffer, root;
  bool isWrite, isOwnElement;
};

SmallVector<Access> getAccesses(linalg::GenericOp op) {
  SmallVector<Access> accesses;
  unsigned inputs = op.getNumDpsInputs();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    accesses.push_back({operand.get(), getRoot(operand.get()),
                        operand.getOperandNumber() >= inputs,
                        map.isIdentity()});
  }
  // Loads inside the body, at any place.
  op.getBody()->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (isa<MemRefType>(operand.getType()))
        accesses.push_back({operand, getRoot(operand), false, false});
  });
  return accesses;
}

bool isParallel(linalg::GenericOp op) { return op.getNumReductionLoops() == 0; }

bool writesOwnElements(linalg::GenericOp op) {
  return llvm::all_of(getAccesses(op), [](const Access &access) {
    return !access.isWrite || access.isOwnElement;
  });
}

/// linalg.fill as a generic: yields its one scalar input.
bool isFill(linalg::GenericOp op) {
  return isParallel(op) && op.getNumDpsInputs() == 1 &&
         op.getNumDpsInits() == 1 &&
         !isa<MemRefType>(op.getInputs().front().getType()) &&
         op.getBody()->without_terminator().empty() &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

int64_t countElements(linalg::GenericOp op) {
  int64_t total = 1;
  for (int64_t size : op.getStaticLoopRanges())
    total *= size;
  return total;
}

/// What an op on the host does to memory: false where it surely leaves `root`.
bool mayWrite(Operation *op, Value root) {
  if (isa<gpu::LaunchFuncOp>(op))
    return false; // stands beside the linalg ops it was made from
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return llvm::any_of(getAccesses(generic), [&](const Access &access) {
      return access.isWrite && mayAlias(access.root, root);
    });
  if (auto call = dyn_cast<spmd::RuntimeCallOp>(op))
    return llvm::any_of(call.getOutputs(), [&](Value output) {
      return mayAlias(getRoot(output), root);
    });
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return mayAlias(getRoot(copy.getTarget()), root);
  return !isa<memref::AllocOp, memref::LoadOp>(op) && !isMemoryEffectFree(op);
}

bool mayTouch(Operation *op, Value root) {
  if (mayWrite(op, root))
    return true;
  if (isa<gpu::LaunchFuncOp, memref::AllocOp>(op) || isMemoryEffectFree(op))
    return false;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return llvm::any_of(getAccesses(generic), [&](const Access &access) {
      return mayAlias(access.root, root);
    });
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           mayAlias(getRoot(operand), root);
  });
}

class FunctionKernels {
public:
  FunctionKernels(gpu::GPUModuleOp kernels, unsigned &nextName)
      : emitter(kernels, nextName, [this](memref::LoadOp load, Operation *at) {
          return canSink(load, at);
        }) {}

  LogicalResult run(func::FuncOp function);

  KernelEmitter emitter;
  int64_t numGrouped = 0, numElided = 0;

private:
  LogicalResult check(linalg::LinalgOp op);
  void visit(Block &block);
  void visitCall(spmd::RuntimeCallOp call);
  bool mayJoin(linalg::GenericOp op);
  bool canSink(memref::LoadOp load, Operation *at);
  void closeGroup();
  void emitReduction(linalg::GenericOp op);
  linalg::GenericOp findFill(linalg::GenericOp op, Value output);
  bool isOnlyInGroup(Value buffer);

  SmallVector<linalg::GenericOp> group;
  SmallVector<Operation *> done;
  DenseSet<Operation *> absorbed;
};

} // namespace

LogicalResult FunctionKernels::check(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp>(op.getOperation()) ||
      !op.hasPureBufferSemantics())
    return op.emitError(
        "a linalg op that is no linalg.generic on buffers has no "
        "kernel");
  if (llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
    return op.emitError("has a size that is not static, so no kernel");
  return success();
}

bool FunctionKernels::mayJoin(linalg::GenericOp op) {
  if (group.empty())
    return true;
  if (group.size() >= kMaxGroup || !writesOwnElements(op) ||
      group.front().getStaticLoopRanges() != op.getStaticLoopRanges())
    return false;
  SmallVector<Access> own = getAccesses(op);
  for (linalg::GenericOp member : group) {
    for (const Access &a : getAccesses(member))
      for (const Access &b : own)
        if ((a.isWrite || b.isWrite) && mayAlias(a.root, b.root) &&
            !(a.buffer == b.buffer && a.isOwnElement && b.isOwnElement))
          return false;
  }
  return true;
}

/// A load moves to the launch if nothing between writes what it reads, and the
/// kernel itself does not.
bool FunctionKernels::canSink(memref::LoadOp load, Operation *at) {
  if (load->getBlock() != at->getBlock())
    return false;
  Value root = getRoot(load.getMemRef());
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    if (mayWrite(op, root))
      return false;
    if (op == at)
      return true;
  }
  return false;
}

/// True if all that is done to an allocation, also through views, is in the
/// group.
bool FunctionKernels::isOnlyInGroup(Value buffer) {
  if (!getRoot(buffer).getDefiningOp<memref::AllocOp>())
    return false;
  SmallVector<Value> views{getRoot(buffer)};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        views.append(user->result_begin(), user->result_end());
      else if (!llvm::is_contained(group, user))
        return false;
    }
  }
  return true;
}

void FunctionKernels::closeGroup() {
  if (group.empty())
    return;
  DenseSet<Value> elided;
  for (linalg::GenericOp op : group)
    for (Value output : op.getOutputs())
      if (isOnlyInGroup(output))
        elided.insert(output);
  // An output that is read before it is written keeps its memory.
  DenseSet<Value> written;
  for (linalg::GenericOp op : group) {
    for (OpOperand &operand : op->getOpOperands())
      if (!op.getMatchingBlockArgument(&operand).use_empty() &&
          !written.contains(operand.get()))
        elided.erase(operand.get());
    written.insert(op.getOutputs().begin(), op.getOutputs().end());
  }
  emitter.emitPointwise(group, elided);
  numElided += elided.size();
  numGrouped += group.size() - 1;
  done.append(group.begin(), group.end());
  group.clear();
}

/// The fill that sets `output` last before `op`, if nothing between touches it.
linalg::GenericOp FunctionKernels::findFill(linalg::GenericOp op,
                                            Value output) {
  Value root = getRoot(output);
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto generic = dyn_cast<linalg::GenericOp>(before);
    if (generic && isFill(generic) && writesOwnElements(generic) &&
        getRoot(generic.getOutputs().front()) == root) {
      // Through views: the fill must cover exactly this output.
      auto type = cast<MemRefType>(output.getType());
      auto filled = cast<MemRefType>(generic.getOutputs().front().getType());
      auto whole = cast<MemRefType>(root.getType());
      bool isWhole = type.getNumElements() == whole.getNumElements() &&
                     filled.getNumElements() == whole.getNumElements();
      return isWhole ? generic : linalg::GenericOp();
    }
    if (mayTouch(before, root))
      return {};
  }
  return {};
}

void FunctionKernels::emitReduction(linalg::GenericOp op) {
  SmallVector<linalg::GenericOp> fills;
  for (Value output : op.getOutputs())
    fills.push_back(findFill(op, output));
  emitter.emitReduction(op, fills);
  done.push_back(op);
}

void FunctionKernels::visit(Block &block) {
  // Fills that a reduction takes over make no kernel.
  for (Operation &op : block)
    if (auto generic = dyn_cast<linalg::GenericOp>(op);
        generic && !isParallel(generic) && countElements(generic) > 0)
      for (Value output : generic.getOutputs())
        if (linalg::GenericOp fill = findFill(generic, output))
          absorbed.insert(fill);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (absorbed.contains(generic))
        continue;
      if (countElements(generic) == 0) {
        done.push_back(generic);
        continue;
      }
      if (!isParallel(generic)) {
        closeGroup();
        emitReduction(generic);
        continue;
      }
      if (!mayJoin(generic))
        closeGroup();
      group.push_back(generic);
      if (!writesOwnElements(generic))
        closeGroup();
      continue;
    }
    if (isa<gpu::LaunchFuncOp, memref::AllocOp>(op) || isMemoryEffectFree(&op))
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value root = getRoot(load.getMemRef());
      if (llvm::none_of(group, [&](linalg::GenericOp member) {
            return mayWrite(member, root);
          }))
        continue;
    }
    closeGroup();
    if (auto call = dyn_cast<spmd::RuntimeCallOp>(op)) {
      visitCall(call);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        visit(nested);
  }
  closeGroup();
}

/// Bytes of the buffers of a call, one by one.
static int64_t countBytes(ValueRange buffers) {
  int64_t bytes = 0;
  for (Value buffer : buffers) {
    auto type = cast<MemRefType>(buffer.getType());
    Type element = type.getElementType();
    auto complex = dyn_cast<ComplexType>(element);
    int64_t bits = complex
                       ? 2 * complex.getElementType().getIntOrFloatBitWidth()
                       : element.getIntOrFloatBitWidth();
    bytes += type.getNumElements() * ((bits + 7) / 8);
  }
  return bytes;
}

void FunctionKernels::visitCall(spmd::RuntimeCallOp call) {
  if (hasKernel(call)) {
    emitIndexKernel(call,
                    [&](StringRef name) { return emitter.start(name, call); });
    done.push_back(call);
    return;
  }
  bool isOnDevice = call.getCommunicates() ||
                    call.getCallee() == "partita_dot_general" ||
                    call.getCallee() == "partita_axis_index";
  if (isOnDevice)
    return;
  remark::missed(call.getLoc(),
                 remark::RemarkOpts::name("HostKernel").category("gpu"))
      << remark::reason("{0} has no kernel for GPUs: it runs on the host, "
                        "which copies {1} "
                        "bytes from the device and {2} bytes to it each time",
                        call.getCallee().drop_front(strlen("partita_")),
                        countBytes(call->getOperands()),
                        countBytes(call.getOutputs()));
}

LogicalResult FunctionKernels::run(func::FuncOp function) {
  WalkResult checked = function.walk([&](linalg::LinalgOp op) {
    return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (checked.wasInterrupted())
    return failure();
  for (Block &block : function.getBody())
    visit(block);
  for (Operation *op : done)
    op->erase();
  for (Operation *op : absorbed)
    op->erase();
  return success();
}

namespace {

struct FormKernels : impl::FormKernelsPassBase<FormKernels> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
    unsigned nextName = 0;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr("partita.body"))
        continue;
      FunctionKernels forming(kernels, nextName);
      if (failed(forming.run(function)))
        return signalPassFailure();
      numKernels += forming.emitter.numKernels;
      numGrouped += forming.numGrouped;
      numElided += forming.numElided;
    }
  }
};

} // namespace
} // namespace partita
