// Recognises the bodies of reductions that fold two scalars by one operation.
#ifndef PARTITA_DIALECTS_STABLEHLO_REDUCTIONBODY_H
#define PARTITA_DIALECTS_STABLEHLO_REDUCTIONBODY_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace partita::stablehlo {

/// Operation by which a body folds its two arguments.
enum class BodyKind { Add, Mul, Max, Min, And, Or, Xor };

/// Name of `kind` as in StableHLO text without the dialect: `add`, `multiply`,
/// `maximum`, ...
llvm::StringRef stringifyBodyKind(BodyKind kind);

/// Kind of a body that takes two scalars of one type, and returns one operation
/// on the two, in either order. Of booleans, where sum and maximum are `or`,
/// product and minimum are `and`, the kind is And, Or or Xor. Nothing for any
/// other body, also one that works in another element type.
std::optional<BodyKind> matchReductionBody(mlir::Region &body);

/// As above for result `index` of a body that folds several values at once:
/// arguments i and i + n fold to result i. Nothing if result `index` depends on
/// anything but its own two arguments.
std::optional<BodyKind> matchReductionBody(mlir::Region &body, unsigned index);

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_REDUCTIONBODY_H
