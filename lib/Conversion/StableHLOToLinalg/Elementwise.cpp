// Elementwise ops: one linalg.generic each, which fusion then joins.

#include "ElementStorage.h"
#include "LinalgEmitter.h"
#include "RuntimeKernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace partita {

/// Where an operand's elements lie for an element of the result: scalars are
/// repeated, and operands of chlo.broadcast_* along `broadcast_dimensions` or,
/// without them, by their trailing dimensions.
static AffineMap getOperandMap(Operation *op, RankedTensorType operand,
                               RankedTensorType result) {
  MLIRContext *context = op->getContext();
  int64_t rank = result.getRank();
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    dims.push_back(dim + rank - operand.getRank());
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  if (given && static_cast<int64_t>(given.size()) == operand.getRank())
    dims.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  SmallVector<AffineExpr> exprs;
  for (auto [index, dim] : llvm::enumerate(dims))
    exprs.push_back(operand.getDimSize(index) == result.getDimSize(dim)
                        ? getAffineDimExpr(dim, context)
                        : getAffineConstantExpr(0, context));
  return AffineMap::get(rank, 0, exprs, context);
}

Value LinalgEmitter::emitElementwise(Operation *op, ValueRange operands,
                                     RankedTensorType type) {
  SmallVector<AffineMap> maps;
  for (Value operand : operands)
    maps.push_back(
        getOperandMap(op, cast<RankedTensorType>(operand.getType()), type));
  bool missing = false;
  Value result = parallelGeneric(
      type, operands, maps,
      [&](OpBuilder &builder, ValueRange arguments) -> Value {
        Value scalar = emitScalar(builder, op, arguments);
        missing = !scalar;
        // The generic must be whole even where the op is refused.
        return scalar ? scalar : makeZero(builder, loc, type.getElementType());
      });
  if (!missing)
    return result;
  result.getDefiningOp()->erase();
  return Value();
}

Value LinalgEmitter::recode(Value tensor, Type from, Type to) {
  if (from == to)
    return tensor;
  auto type =
      cast<RankedTensorType>(tensor.getType()).clone(getStorageType(to));
  return parallelGeneric(
      type, tensor, b.getMultiDimIdentityMap(type.getRank()),
      [&](OpBuilder &builder, ValueRange arguments) {
        return encodeElement(
            builder, loc, decodeElement(builder, loc, arguments[0], from), to);
      });
}

LogicalResult LinalgEmitter::emitElementwise(Operation *op) {
  auto type = convertTensor(op->getResult(0).getType());
  if (Value result = emitElementwise(op, get(op->getOperands()), type))
    return bind(op, result);
  bool handled = false;
  LogicalResult status = emitRuntimeCall(op, handled);
  return handled || failed(status) ? status : refuse(op);
}

/// An op of a map's body on tensors of the shape of `whole`.
FailureOr<Value> LinalgEmitter::emitMapped(Operation *op,
                                           RankedTensorType whole) {
  auto spread = [&](Type scalar) {
    return whole.clone(getElementTypeOrSelf(scalar));
  };
  auto type = convertTensor(spread(op->getResult(0).getType()));
  if (Value result = emitElementwise(op, get(op->getOperands()), type))
    return result;
  std::optional<RuntimeKernel> kernel = describeKernel(op);
  if (!kernel || !op->hasTrait<stablehlo::ElementwiseOp>())
    return refuse(op);
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Value operand : op->getOperands()) {
    types.push_back(spread(operand.getType()));
    operands.push_back(repeat(get(operand), convertTensor(types.back())));
  }
  FailureOr<SmallVector<Value>> results = callKernel(
      op, *kernel, operands, types, spread(op->getResult(0).getType()));
  if (failed(results))
    return failure();
  return results->front();
}

Value LinalgEmitter::repeat(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return parallelGeneric(
      type, value, AffineMap::get(type.getRank(), 0, b.getContext()),
      [](OpBuilder &, ValueRange arguments) { return arguments[0]; });
}

/// Each op of the body on whole tensors: a map is a chain of elementwise ops.
LogicalResult LinalgEmitter::emitMap(stablehlo::MapOp map) {
  auto whole = cast<RankedTensorType>(map->getResult(0).getType());
  Block &block = map.getComputation().front();
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), map.getInputs()))
    mapping.map(argument, get(operand));
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (op.getNumOperands() == 0 || op.getNumResults() != 1) {
      if (failed(emitOp(&op))) // a constant, which stays a scalar
        return failure();
      continue;
    }
    FailureOr<Value> result = emitMapped(&op, whole);
    if (failed(result))
      return failure();
    mapping.map(op.getResult(0), *result);
  }
  loc = map.getLoc();
  Value result = get(block.getTerminator()->getOperand(0));
  return bind(map, repeat(result, convertTensor(whole)));
}

} // namespace partita
