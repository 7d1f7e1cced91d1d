// Elementwise ops: one linalg.generic each, which fusion then joins.

#include "LinalgEmitter.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace partita {

LogicalResult LinalgEmitter::emitElementwise(Operation *op) {
  auto type = convertTensor(op->getResult(0).getType());
  int64_t rank = type.getRank();
  // Operands of rank 0 (select's predicate, clamp's bounds) are used
  // everywhere.
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands())
    maps.push_back(cast<RankedTensorType>(operand.getType()).getRank() == rank
                       ? b.getMultiDimIdentityMap(rank)
                       : AffineMap::get(rank, 0, b.getContext()));
  bool missing = false;
  Value result =
      parallelGeneric(type, get(op->getOperands()), maps,
                      [&](OpBuilder &builder, ValueRange arguments) -> Value {
                        Value scalar = emitScalar(builder, op, arguments);
                        missing = !scalar;
                        // The generic must be whole even where the op is
                        // refused.
                        return scalar ? scalar
                                      : Value(arith::ConstantOp::create(
                                            builder, loc,
                                            cast<TypedAttr>(builder.getZeroAttr(
                                                type.getElementType()))));
                      });
  if (!missing)
    return bind(op, result);
  result.getDefiningOp()->erase();
  bool handled = false;
  LogicalResult status = emitRuntimeCall(op, handled);
  return handled || failed(status) ? status : refuse(op);
}

} // namespace partita
