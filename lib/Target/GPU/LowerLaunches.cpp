// gpu-lower-launches: what the host does to device memory becomes calls of
// DeviceABI.h.
//
// Pointers stay what they are, only nobody but the runtime follows them:
// launches, copies, loads (predicates of loops), stores and constants are
// calls.

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "partita/Target/GPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_LOWERLAUNCHESPASS
#include "partita/Target/GPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

int64_t getElementBytes(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complexType.getElementType());
  return isa<IndexType>(type) ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

int64_t getBytes(MemRefType type) {
  return type.getNumElements() * getElementBytes(type.getElementType());
}

class HostLowering {
public:
  explicit HostLowering(ModuleOp module)
      : module(module), symbols(module), b(module.getContext()),
        converter(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  void lower(func::FuncOp function);

private:
  void call(Location loc, StringRef name, ValueRange operands,
            bool hasResult = false);
  Value number(Location loc, int64_t value);
  Value makeSlot(Location loc, Type type, int64_t count = 1);
  Value getAddress(Location loc, Value buffer, ValueRange indices);
  Value makeList(Location loc, Type element, ValueRange values);
  Value getName(Location loc, StringRef name);
  void lower(gpu::LaunchFuncOp launch);
  void lower(memref::CopyOp copy);
  void lower(memref::LoadOp load);
  void lower(memref::StoreOp store);
  void lower(memref::GetGlobalOp global);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder b;
  LLVMTypeConverter converter;
  Type pointer;
  func::FuncOp function;
  Value context, result;
  llvm::StringMap<int64_t> constants;
};

} // namespace

Value HostLowering::number(Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                  b.getI64IntegerAttr(value));
}

/// Calls a void function, or one that gives a pointer, which is `result` then.
void HostLowering::call(Location loc, StringRef name, ValueRange operands,
                        bool hasResult) {
  SmallVector<Value> all{context};
  llvm::append_range(all, operands);
  Type type =
      hasResult ? pointer : Type(LLVM::LLVMVoidType::get(b.getContext()));
  if (!symbols.lookup(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    symbols.insert(LLVM::LLVMFuncOp::create(
        b, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(
            type, llvm::to_vector(ValueRange(all).getTypes()))));
  }
  auto call = LLVM::CallOp::create(
      b, loc, hasResult ? TypeRange(type) : TypeRange(), name, all);
  result = hasResult ? call.getResult() : Value();
}

/// Host memory in the entry block: a loop must not grow the stack.
Value HostLowering::makeSlot(Location loc, Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(b, loc, pointer, type, number(loc, count));
}

Value HostLowering::getAddress(Location loc, Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  Value position;
  auto add = [&](Value value) {
    position =
        position ? arith::AddIOp::create(b, loc, position, value) : value;
  };
  if (!type.getLayout().isIdentity() || !indices.empty()) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    add(metadata.getOffset());
    for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
      add(arith::MulIOp::create(b, loc, index, stride));
    Value bytes = arith::ConstantIndexOp::create(
        b, loc, getElementBytes(type.getElementType()));
    address = arith::AddIOp::create(
        b, loc, address, arith::MulIOp::create(b, loc, position, bytes));
  }
  Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, loc, pointer, word);
}

Value HostLowering::makeList(Location loc, Type element, ValueRange values) {
  Value list = makeSlot(loc, element, std::max<int64_t>(values.size(), 1));
  for (auto [index, value] : llvm::enumerate(values)) {
    Value at = LLVM::GEPOp::create(
        b, loc, pointer, element, list,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(b, loc, value, at);
  }
  return list;
}

Value HostLowering::getName(Location loc, StringRef name) {
  std::string symbol = ("partita_name_" + name).str();
  if (!symbols.lookup(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    std::string text = name.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    symbols.insert(LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                          LLVM::Linkage::Internal, symbol,
                                          b.getStringAttr(text)));
  }
  return LLVM::AddressOfOp::create(b, loc, pointer, symbol);
}

void HostLowering::lower(gpu::LaunchFuncOp launch) {
  Location loc = launch.getLoc();
  b.setInsertionPoint(launch);
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  SmallVector<Value> sizes, arguments;
  for (Value size : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
    sizes.push_back(arith::IndexCastOp::create(b, loc, b.getI64Type(), size));
  for (Value operand : launch.getKernelOperands()) {
    if (isa<MemRefType>(operand.getType()))
      operand = getAddress(loc, operand, {});
    else if (isa<IndexType>(operand.getType()))
      operand = arith::IndexCastOp::create(b, loc, b.getI64Type(), operand);
    Value slot = makeSlot(loc, operand.getType());
    LLVM::StoreOp::create(b, loc, operand, slot);
    arguments.push_back(slot);
  }
  call(loc, "partita_launch",
       {getName(loc, launch.getKernelName().getValue()),
        makeList(loc, b.getI64Type(), sizes),
        makeList(loc, pointer, arguments)});
  launch.erase();
}

void HostLowering::lower(memref::CopyOp copy) {
  Location loc = copy.getLoc();
  b.setInsertionPoint(copy);
  call(loc, "partita_copy",
       {getAddress(loc, copy.getTarget(), {}),
        getAddress(loc, copy.getSource(), {}),
        number(loc, getBytes(cast<MemRefType>(copy.getSource().getType())))});
  copy.erase();
}

void HostLowering::lower(memref::LoadOp load) {
  Location loc = load.getLoc();
  b.setInsertionPoint(load);
  Type type = load.getType();
  Type word = isa<IndexType>(type) ? b.getI64Type() : type;
  Value slot = makeSlot(loc, word);
  call(loc, "partita_read",
       {slot, getAddress(loc, load.getMemRef(), load.getIndices()),
        number(loc, getElementBytes(type))});
  Value value = LLVM::LoadOp::create(b, loc, word, slot);
  if (word != type)
    value = arith::IndexCastOp::create(b, loc, type, value);
  load.replaceAllUsesWith(value);
  load.erase();
}

void HostLowering::lower(memref::StoreOp store) {
  Location loc = store.getLoc();
  b.setInsertionPoint(store);
  Value value = store.getValueToStore();
  int64_t bytes = getElementBytes(value.getType());
  if (isa<IndexType>(value.getType()))
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  Value slot = makeSlot(loc, value.getType());
  LLVM::StoreOp::create(b, loc, value, slot);
  call(loc, "partita_write",
       {getAddress(loc, store.getMemRef(), store.getIndices()), slot,
        number(loc, bytes)});
  store.erase();
}

void HostLowering::lower(memref::GetGlobalOp global) {
  Location loc = global.getLoc();
  b.setInsertionPointAfter(global);
  MemRefType type = global.getType();
  auto [it, isNew] = constants.try_emplace(global.getName(), constants.size());
  Value host = getAddress(loc, global, {});
  Operation *first = global->getNextNode();
  call(loc, "partita_constant",
       {number(loc, it->second), host, number(loc, getBytes(type))},
       /*hasResult=*/true);
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, loc, converter, type, result);
  Value device =
      UnrealizedConversionCastOp::create(b, loc, TypeRange(type), descriptor)
          .getResult(0);
  global.getResult().replaceUsesWithIf(
      device, [&](OpOperand &use) { return use.getOwner() != first; });
}

void HostLowering::lower(func::FuncOp host) {
  function = host;
  context = host.getArgument(0);
  SmallVector<Operation *> ops;
  host.walk([&](Operation *op) { ops.push_back(op); });
  // Constants first: what uses them is a call afterwards.
  for (Operation *op : ops)
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      lower(global);
  for (Operation *op : ops) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      lower(launch);
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      lower(copy);
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      lower(load);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      lower(store);
  }
}

namespace {

struct LowerLaunches : impl::LowerLaunchesPassBase<LowerLaunches> {
  using LowerLaunchesPassBase::LowerLaunchesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    HostLowering lowering(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && !function->hasAttr("partita.body"))
        lowering.lower(function);
    if (keepKernels)
      return;
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<gpu::GPUModuleOp, gpu::BinaryOp>(op))
        op.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};

} // namespace
} // namespace partita
