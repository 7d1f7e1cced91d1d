// Ops that are kernels of the runtime: spmd.runtime_call with the descriptor of
// partita/Runtime/ABI.h.

#include "ElementStorage.h"
#include "LinalgEmitter.h"
#include "RuntimeKernel.h"
#include "dialects/StableHLO/CustomCalls.h"

using namespace mlir;

namespace partita {

FlatSymbolRefAttr LinalgEmitter::outlineBody(Region &region, StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> inputs, results;
  for (Value argument : region.getArguments())
    inputs.push_back(convertType(getElementTypeOrSelf(argument.getType())));
  for (Value result : region.front().getTerminator()->getOperands())
    results.push_back(convertType(getElementTypeOrSelf(result.getType())));
  b.setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, results));
  function.setPrivate();
  function->setAttr("partita.body", b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock());
  FailureOr<SmallVector<Value>> values =
      emitScalarBody(b, region, function.getArguments());
  if (failed(values)) {
    function.erase();
    return nullptr;
  }
  func::ReturnOp::create(b, loc, *values);
  return FlatSymbolRefAttr::get(function.getSymNameAttr());
}

LogicalResult LinalgEmitter::emitRuntimeCall(Operation *op, bool &handled) {
  if (auto call = dyn_cast<spmd::RuntimeCallOp>(op)) {
    handled = true;
    SmallVector<Type> types =
        llvm::map_to_vector(call.getResultTypes(), convertType);
    auto copy = spmd::RuntimeCallOp::create(
        b, loc, types, call.getCalleeAttr(), get(call.getInputs()),
        llvm::map_to_vector(call.getOutputs(),
                            [&](Value output) {
                              return empty(convertTensor(output.getType()));
                            }),
        call.getDescriptorAttr(), call.getBodyAttr(),
        call.getCommunicatesAttr());
    return bind(op, copy.getResults());
  }
  auto custom = dyn_cast<stablehlo::CustomCallOp>(op);
  if (custom && stablehlo::isIdentityCall(custom)) {
    handled = true;
    return bind(op, get(op->getOperands()));
  }
  if (std::optional<RuntimeKernel> kernel = describeKernel(op)) {
    handled = true;
    return emitKernel(op, *kernel);
  }
  return success();
}

/// Elements as the kernel takes them: bytes for what is narrower, or f32.
static Type getKernelElement(Type element, NarrowFloats narrowFloats) {
  MLIRContext *context = element.getContext();
  if (isNarrowFloat(element))
    return narrowFloats == NarrowFloats::AsF32
               ? Type(Float32Type::get(context))
               : IntegerType::get(context, 8, IntegerType::Unsigned);
  if (isNarrowInteger(element))
    return IntegerType::get(context, 8,
                            cast<IntegerType>(element).getSignedness());
  return element;
}

LogicalResult LinalgEmitter::emitKernel(Operation *op,
                                        const RuntimeKernel &kernel) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!kernel.operands || llvm::is_contained(*kernel.operands, i))
      operands.push_back(op->getOperand(i));
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(ValueRange(operands).getTypes(), isTensor) ||
      !llvm::all_of(op->getResultTypes(), isTensor))
    return refuse(op);
  FailureOr<SmallVector<Value>> results =
      callKernel(op, kernel, get(operands), ValueRange(operands).getTypes(),
                 op->getResultTypes());
  return succeeded(results) ? bind(op, *results) : failure();
}

FailureOr<SmallVector<Value>>
LinalgEmitter::callKernel(Operation *op, const RuntimeKernel &kernel,
                          ValueRange operands, TypeRange operandTypes,
                          TypeRange resultTypes) {
  bool computes = kernel.narrowFloats == NarrowFloats::AsF32;
  SmallVector<Type> inputTypes, outputTypes, types;
  SmallVector<Value> inputs, outputs;
  auto toKernel = [&](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.clone(
        getKernelElement(tensor.getElementType(), kernel.narrowFloats));
  };
  for (auto [operand, type] : llvm::zip_equal(operands, operandTypes)) {
    Type element = getElementTypeOrSelf(type);
    inputTypes.push_back(toKernel(type));
    inputs.push_back(computes && isNarrowFloat(element)
                         ? recode(operand, element, b.getF32Type())
                         : operand);
  }
  for (Type type : resultTypes) {
    outputTypes.push_back(toKernel(type));
    types.push_back(convertType(outputTypes.back()));
    outputs.push_back(empty(cast<RankedTensorType>(types.back())));
  }
  RuntimeDescriptor descriptor(nextOp++, inputTypes, outputTypes);
  kernel.words(descriptor);
  if (!descriptor.isValid())
    return refuse(op);
  SmallVector<Attribute> bodies;
  for (Region *body : kernel.bodies) {
    FlatSymbolRefAttr symbol =
        outlineBody(*body, "partita_body_" + std::to_string(nextBody++));
    if (!symbol)
      return failure();
    bodies.push_back(symbol);
  }
  auto call = spmd::RuntimeCallOp::create(
      b, loc, types, b.getStringAttr(kernel.callee), inputs, outputs,
      b.getDenseI64ArrayAttr(descriptor.finish()),
      bodies.empty() ? FlatSymbolRefAttr() : cast<FlatSymbolRefAttr>(bodies[0]),
      kernel.hasEffect ? b.getUnitAttr() : UnitAttr());
  if (bodies.size() > 1)
    call->setAttr("second_body", bodies[1]);
  ++numRuntimeCalls;
  SmallVector<Value> results(call.getResults());
  for (auto [result, type] : llvm::zip_equal(results, resultTypes))
    if (computes && isNarrowFloat(getElementTypeOrSelf(type)))
      result = recode(result, b.getF32Type(), getElementTypeOrSelf(type));
  return results;
}

} // namespace partita
