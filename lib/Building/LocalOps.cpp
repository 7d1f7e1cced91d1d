// Local ops for passes that know no op.

#include "partita/Building/LocalOps.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita {

Value emitReshape(OpBuilder &b, Location loc, Value value,
                  ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return stablehlo::ReshapeOp::create(b, loc, type.clone(shape), value);
}

} // namespace partita
