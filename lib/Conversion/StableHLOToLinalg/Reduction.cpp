// stablehlo.reduce with any scalar body as a generic with reduction loops.

#include "ElementStorage.h"
#include "LinalgEmitter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace partita {

/// A stored element of type `from` as one of the wider type `to`.
static Value promote(OpBuilder &b, Location loc, Value stored, Type from,
                     Type to) {
  if (from == to)
    return stored;
  Value value = decodeElement(b, loc, stored, from);
  Type type = getComputeType(to);
  if (value.getType() != type && isa<FloatType>(type))
    value = arith::ExtFOp::create(b, loc, type, value);
  else if (value.getType() != type && isa<IntegerType>(type))
    value = from.isUnsignedInteger() || from.isInteger(1)
                ? Value(arith::ExtUIOp::create(b, loc, type, value))
                : Value(arith::ExtSIOp::create(b, loc, type, value));
  return encodeElement(b, loc, value, to);
}

LogicalResult LinalgEmitter::emitReduction(Operation *op, bool &handled) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce)
    return success();
  handled = true;
  if (isArgReduction(reduce))
    return emitArgReduction(reduce);
  SmallVector<Value> inputs = get(reduce.getInputs());
  SmallVector<Value> outputs;
  SmallVector<Type> types;
  for (auto [result, init] :
       llvm::zip_equal(op->getResults(), reduce.getInitValues())) {
    types.push_back(convertType(result.getType()));
    outputs.push_back(fill(promote(b, loc, extractScalar(get(init)),
                                   getElementTypeOrSelf(init.getType()),
                                   getElementTypeOrSelf(result.getType())),
                           cast<RankedTensorType>(types.back())));
  }
  int64_t rank = cast<RankedTensorType>(inputs.front().getType()).getRank();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  SmallVector<AffineExpr> kept;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(reduce.getDimensions(), dim))
      iterators[dim] = utils::IteratorType::reduction;
    else
      kept.push_back(getAffineDimExpr(dim, b.getContext()));
  }
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(rank));
  maps.append(outputs.size(), AffineMap::get(rank, 0, kept, b.getContext()));
  LogicalResult status = success();
  auto generic = linalg::GenericOp::create(
      b, loc, types, inputs, outputs, maps, iterators,
      [&](OpBuilder &builder, Location where, ValueRange arguments) {
        // The body takes accumulators first, then elements.
        SmallVector<Value> ordered(arguments.take_back(outputs.size()));
        for (auto [index, input] : llvm::enumerate(reduce.getInputs()))
          ordered.push_back(
              promote(builder, where, arguments[index],
                      getElementTypeOrSelf(input.getType()),
                      getElementTypeOrSelf(op->getResult(index).getType())));
        FailureOr<SmallVector<Value>> values =
            emitScalarBody(builder, reduce.getBody(), ordered);
        status = LogicalResult(values);
        linalg::YieldOp::create(builder, where,
                                succeeded(values)
                                    ? ValueRange(*values)
                                    : arguments.take_back(outputs.size()));
      });
  if (failed(status))
    return failure();
  return bind(op, generic.getResults());
}

} // namespace partita
