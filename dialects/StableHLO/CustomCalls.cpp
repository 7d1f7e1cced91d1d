// Targets that are identities, and the configuration of a LAPACK call: letters
// as integers, and booleans.

#include "dialects/StableHLO/CustomCalls.h"

using namespace mlir;

namespace partita::stablehlo {

bool isIdentityCall(CustomCallOp call) {
  return call->getNumOperands() == call->getNumResults() &&
         llvm::is_contained({"annotate_device_placement", "LayoutConstraint",
                             "MoveToDevice", "MoveToHost", "InspectSharding"},
                            call.getCallTargetName());
}

/// What the configuration says of `option`; null: nothing.
static Attribute findOption(CustomCallOp call, StringRef option) {
  for (StringRef name : {"mhlo.backend_config", "backend_config"})
    if (auto config = call->getAttrOfType<DictionaryAttr>(name))
      if (Attribute entry = config.get(option))
        return entry;
  return {};
}

LapackOptions getLapackOptions(CustomCallOp call) {
  auto getLetter = [&](StringRef option, char fallback) {
    auto entry = dyn_cast_or_null<IntegerAttr>(findOption(call, option));
    return entry ? static_cast<char>(entry.getValue().getZExtValue())
                 : fallback;
  };
  auto isSet = [&](StringRef option) {
    auto entry = dyn_cast_or_null<BoolAttr>(findOption(call, option));
    return entry && entry.getValue();
  };
  LapackOptions options;
  StringRef target = call.getCallTargetName();
  if (findLapackRoutine({target.data(), target.size()}) ==
      int64_t(LapackRoutine::Ormqr)) {
    options.isLeft = isSet("left");
    options.isTransposed = isSet("transpose");
    return options;
  }
  options.isLower = getLetter("uplo", 'L') == 'L';
  options.isLeft = getLetter("side", 'L') == 'L';
  options.isUnit = getLetter("diag", 'N') == 'U';
  options.isTransposed = getLetter("trans_x", 'N') != 'N';
  options.isConjugated = getLetter("trans_x", 'N') == 'C';
  options.wantsLeftVectors = getLetter("compute_left", 'V') == 'V';
  options.wantsRightVectors = getLetter("compute_right", 'V') == 'V';
  return options;
}

} // namespace partita::stablehlo
