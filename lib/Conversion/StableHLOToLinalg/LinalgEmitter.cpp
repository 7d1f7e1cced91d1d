// The visitor: maps values, dispatches ops to their families.

#include "LinalgEmitter.h"
#include "ElementStorage.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace partita {

Type LinalgEmitter::convertType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(getStorageType(tensor.getElementType()))
                : getStorageType(type);
}

SmallVector<Value> LinalgEmitter::get(ValueRange originals) const {
  return llvm::map_to_vector(originals,
                             [&](Value value) { return get(value); });
}

LogicalResult LinalgEmitter::bind(Operation *op, ValueRange values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    mapping.map(result, value);
  return success();
}

LogicalResult LinalgEmitter::refuse(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op)) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "@" << call.getCallTargetName()
                                    << " is no routine that the runtime has";
    diagnostic.attachNote()
        << "fix: express it by StableHLO ops, e.g. as the decomposition of a "
           "stablehlo.composite, or let XLA run the program's manual form";
    return diagnostic;
  }
  InFlightDiagnostic diagnostic = op->emitOpError("has no lowering");
  diagnostic.attachNote()
      << "fix: run the program with --engine=eval, or add a "
         "lowering to lib/Conversion/StableHLOToLinalg";
  return diagnostic;
}

Value LinalgEmitter::empty(RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(),
                                 type.getElementType());
}

Value LinalgEmitter::fill(Value scalar, RankedTensorType type) {
  return linalg::FillOp::create(b, loc, ValueRange(scalar),
                                ValueRange(empty(type)))
      .getResult(0);
}

Value LinalgEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value LinalgEmitter::extractScalar(Value tensor) {
  return tensor::ExtractOp::create(b, loc, tensor, ValueRange());
}

Value LinalgEmitter::parallelGeneric(
    RankedTensorType type, ValueRange inputs, ArrayRef<AffineMap> inputMaps,
    function_ref<Value(OpBuilder &, ValueRange)> body) {
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange(type), inputs, ValueRange(empty(type)), maps, iterators,
      [&](OpBuilder &builder, Location where, ValueRange arguments) {
        Value result = body(builder, arguments.drop_back());
        linalg::YieldOp::create(builder, where, result);
      });
  return generic.getResult(0);
}

LogicalResult LinalgEmitter::emitOp(Operation *op) {
  loc = op->getLoc();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    SmallVector<Type> types =
        llvm::map_to_vector(call.getResultTypes(), convertType);
    auto local = func::CallOp::create(b, loc, call.getCallee(), types,
                                      get(call.getOperands()));
    return bind(op, local.getResults());
  }
  if (isa<func::ReturnOp>(op)) {
    func::ReturnOp::create(b, loc, get(op->getOperands()));
    return success();
  }
  if (auto map = dyn_cast<stablehlo::MapOp>(op))
    return emitMap(map);
  // A token orders effects, of which none is left.
  if (isa<stablehlo::CreateTokenOp, stablehlo::AfterAllOp>(op))
    return success();
  if (op->hasTrait<stablehlo::ElementwiseOp>() ||
      op->hasTrait<stablehlo::ScalarBroadcastElementwiseOp>())
    return emitElementwise(op);
  for (auto family :
       {&LinalgEmitter::emitShape, &LinalgEmitter::emitSlicing,
        &LinalgEmitter::emitReduction, &LinalgEmitter::emitControlFlow,
        &LinalgEmitter::emitAsync, &LinalgEmitter::emitRuntimeCall}) {
    bool handled = false;
    LogicalResult status = (this->*family)(op, handled);
    if (handled || failed(status))
      return status;
  }
  return refuse(op);
}

LogicalResult LinalgEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult LinalgEmitter::emitFunction(func::FuncOp function) {
  SmallVector<Type> inputs =
      llvm::map_to_vector(function.getArgumentTypes(), convertType);
  SmallVector<Type> results =
      llvm::map_to_vector(function.getResultTypes(), convertType);
  Region body;
  Block *entry = b.createBlock(
      &body, body.end(), inputs,
      llvm::map_to_vector(function.getArguments(), [](BlockArgument argument) {
        return argument.getLoc();
      }));
  for (auto [original, argument] :
       llvm::zip_equal(function.getArguments(), entry->getArguments()))
    mapping.map(original, argument);
  b.setInsertionPointToStart(entry);
  if (failed(emitBlock(function.getBody().front())))
    return failure();
  // Ops of the old body use each other only.
  function.getBody().front().dropAllReferences();
  function.getBody().getBlocks().clear();
  function.getBody().takeBody(body);
  function.setFunctionType(b.getFunctionType(inputs, results));
  // Layouts have said what they had to say.
  for (StringRef name : {spmd::SPMDDialect::getShardingAttrName(),
                         spmd::SPMDDialect::getGlobalTypeAttrName()}) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, name);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.removeResultAttr(i, b.getStringAttr(name));
  }
  // The caller's arguments are read only.
  if (function.isPublic())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttr(i, "bufferization.writable", b.getBoolAttr(false));
  return success();
}

} // namespace partita
