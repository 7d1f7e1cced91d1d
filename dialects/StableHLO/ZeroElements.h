// Constants of zeros for every element type.
#ifndef PARTITA_DIALECTS_STABLEHLO_ZEROELEMENTS_H
#define PARTITA_DIALECTS_STABLEHLO_ZEROELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita::stablehlo {

/// A splat of zeros; complex element types included, which upstream's
/// Builder::getZeroAttr lacks.
mlir::ElementsAttr getZeroElements(mlir::RankedTensorType type);

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_ZEROELEMENTS_H
