// The configuration of a LAPACK call: letters as integers.

#include "dialects/StableHLO/LapackCall.h"

using namespace mlir;

namespace partita::stablehlo {

LapackOptions getLapackOptions(CustomCallOp call) {
  auto get = [&](StringRef option, char fallback) {
    for (StringRef name : {"mhlo.backend_config", "backend_config"})
      if (auto config = call->getAttrOfType<DictionaryAttr>(name))
        if (auto entry = config.getAs<IntegerAttr>(option))
          return static_cast<char>(entry.getValue().getZExtValue());
    return fallback;
  };
  auto isSet = [&](StringRef option) {
    for (StringRef name : {"mhlo.backend_config", "backend_config"})
      if (auto config = call->getAttrOfType<DictionaryAttr>(name))
        if (auto entry = config.getAs<BoolAttr>(option))
          return entry.getValue();
    return false;
  };
  LapackOptions options;
  if (call.getCallTargetName().contains("mqr")) {
    options.isLeft = isSet("left");
    options.isTransposed = isSet("transpose");
    return options;
  }
  options.isLower = get("uplo", 'L') == 'L';
  options.isLeft = get("side", 'L') == 'L';
  options.isUnit = get("diag", 'N') == 'U';
  options.isTransposed = get("trans_x", 'N') != 'N';
  options.isConjugated = get("trans_x", 'N') == 'C';
  options.wantsLeftVectors = get("compute_left", 'V') == 'V';
  options.wantsRightVectors = get("compute_right", 'V') == 'V';
  return options;
}

} // namespace partita::stablehlo
