// cpu-lower-runtime-calls: spmd.runtime_call becomes llvm.call of the flat C
// interface; the context is the first argument of every function.

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_LOWERRUNTIMECALLSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

class CallLowering {
public:
  explicit CallLowering(ModuleOp module)
      : module(module), symbols(module), b(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  void addContext(func::FuncOp function);
  void lower(spmd::RuntimeCallOp call);

private:
  void declare(StringRef callee);
  Value makeDescriptor(Location loc, ArrayRef<int64_t> words);
  Value getPointer(Location loc, Value buffer);
  Value getCallback(Location loc, Attribute body);
  Value loadElement(Location loc, Type type, Value from);
  void storeElement(Location loc, Value value, Value to);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder b;
  Type pointer;
  int64_t nextDescriptor = 0;
};

} // namespace

void CallLowering::addContext(func::FuncOp function) {
  (void)function.insertArgument(0, pointer, DictionaryAttr(),
                                function.getLoc());
  Value context = function.getArgument(0);
  function.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && !callee->hasAttr("partita.body"))
      call->insertOperands(0, context);
  });
}

void CallLowering::declare(StringRef callee) {
  if (symbols.lookup(callee))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer, pointer});
  symbols.insert(LLVM::LLVMFuncOp::create(b, module.getLoc(), callee, type));
}

Value CallLowering::makeDescriptor(Location loc, ArrayRef<int64_t> words) {
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), words.size());
  auto value = DenseIntElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(words.size())},
                            b.getI64Type()),
      words);
  std::string name = "partita_descriptor_" + std::to_string(nextDescriptor++);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    symbols.insert(LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                          LLVM::Linkage::Internal, name,
                                          value));
  }
  return LLVM::AddressOfOp::create(b, loc, pointer, name);
}

Value CallLowering::getPointer(Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  if (!type.getLayout().isIdentity()) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    Type element = type.getElementType();
    int64_t bytes = isa<ComplexType>(element)
                        ? 2 *
                              cast<ComplexType>(element)
                                  .getElementType()
                                  .getIntOrFloatBitWidth() /
                              8
                        : (element.getIntOrFloatBitWidth() + 7) / 8;
    Value size = arith::ConstantIndexOp::create(b, loc, bytes);
    Value offset = arith::MulIOp::create(b, loc, metadata.getOffset(), size);
    address = arith::AddIOp::create(b, loc, address, offset);
  }
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, loc, pointer, number);
}

/// LLVM has no complex numbers: they are two floats, one after the other.
Value CallLowering::loadElement(Location loc, Type type, Value from) {
  auto complexType = dyn_cast<ComplexType>(type);
  if (!complexType)
    return LLVM::LoadOp::create(b, loc, type, from);
  Type part = complexType.getElementType();
  Value second = LLVM::GEPOp::create(b, loc, pointer, part, from,
                                     ArrayRef<LLVM::GEPArg>{1});
  return complex::CreateOp::create(b, loc, complexType,
                                   LLVM::LoadOp::create(b, loc, part, from),
                                   LLVM::LoadOp::create(b, loc, part, second));
}

void CallLowering::storeElement(Location loc, Value value, Value to) {
  auto complexType = dyn_cast<ComplexType>(value.getType());
  if (!complexType) {
    LLVM::StoreOp::create(b, loc, value, to);
    return;
  }
  Type part = complexType.getElementType();
  Value second =
      LLVM::GEPOp::create(b, loc, pointer, part, to, ArrayRef<LLVM::GEPArg>{1});
  LLVM::StoreOp::create(b, loc, complex::ReOp::create(b, loc, part, value), to);
  LLVM::StoreOp::create(b, loc, complex::ImOp::create(b, loc, part, value),
                        second);
}

/// The body behind the ABI's signature: void(void *const *, void *const *).
Value CallLowering::getCallback(Location loc, Attribute body) {
  StringRef name = cast<FlatSymbolRefAttr>(body).getValue();
  std::string callback = (name + "_callback").str();
  if (!symbols.lookup(callback)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    auto function = symbols.lookup<func::FuncOp>(name);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer});
    auto wrapper = LLVM::LLVMFuncOp::create(b, loc, callback, type,
                                            LLVM::Linkage::Internal);
    wrapper->setAttr("partita.body", b.getUnitAttr());
    symbols.insert(wrapper);
    b.setInsertionPointToStart(wrapper.addEntryBlock(b));
    auto slot = [&](Value list, int64_t index) -> Value {
      Value at = LLVM::GEPOp::create(b, loc, pointer, pointer, list,
                                     ArrayRef<LLVM::GEPArg>{index});
      return LLVM::LoadOp::create(b, loc, pointer, at);
    };
    SmallVector<Value> arguments;
    for (auto [index, argument] : llvm::enumerate(function.getArgumentTypes()))
      arguments.push_back(
          loadElement(loc, argument, slot(wrapper.getArgument(0), index)));
    auto call = func::CallOp::create(b, loc, function, arguments);
    for (auto [index, result] : llvm::enumerate(call.getResults()))
      storeElement(loc, result, slot(wrapper.getArgument(1), index));
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }
  return LLVM::AddressOfOp::create(b, loc, pointer, callback);
}

void CallLowering::lower(spmd::RuntimeCallOp call) {
  Location loc = call.getLoc();
  declare(call.getCallee());
  SmallVector<Value> pointers;
  b.setInsertionPoint(call);
  for (ValueRange buffers :
       {ValueRange(call.getInputs()), ValueRange(call.getOutputs())})
    for (Value buffer : buffers)
      pointers.push_back(getPointer(loc, buffer));
  if (call.getBodyAttr())
    pointers.push_back(getCallback(loc, call.getBodyAttr()));
  if (Attribute second = call->getAttr("second_body"))
    pointers.push_back(getCallback(loc, second));
  // The list of pointers lives in the entry block: a loop must not grow the
  // stack.
  auto function = call->getParentOfType<func::FuncOp>();
  Value list;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    auto type = LLVM::LLVMArrayType::get(pointer, pointers.size());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                         b.getI64IntegerAttr(1));
    list = LLVM::AllocaOp::create(b, loc, pointer, type, one);
  }
  for (auto [index, value] : llvm::enumerate(pointers)) {
    Value at = LLVM::GEPOp::create(
        b, loc, pointer, pointer, list,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(b, loc, value, at);
  }
  Value descriptor = makeDescriptor(loc, call.getDescriptor());
  LLVM::CallOp::create(b, loc, TypeRange(), call.getCallee(),
                       ValueRange{function.getArgument(0), descriptor, list});
  call.erase();
}

namespace {

struct LowerRuntimeCalls : impl::LowerRuntimeCallsPassBase<LowerRuntimeCalls> {
  using LowerRuntimeCallsPassBase::LowerRuntimeCallsPassBase;

  void runOnOperation() override {
    CallLowering lowering(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr("partita.body"))
        lowering.addContext(function);
    SmallVector<spmd::RuntimeCallOp> calls;
    getOperation().walk(
        [&](spmd::RuntimeCallOp call) { calls.push_back(call); });
    for (spmd::RuntimeCallOp call : calls)
      lowering.lower(call);
    // Groups are in the descriptors now.
    for (auto mesh :
         llvm::make_early_inc_range(getOperation().getOps<spmd::MeshOp>()))
      mesh.erase();
  }
};

} // namespace
} // namespace partita
