// Reporting of errors by verifiers and shape inference.
#include "dialects/StableHLO/Reporter.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace partita::stablehlo {

Reporter::Reporter(Operation *op)
    : location(op->getLoc()), opName(op->getName().getStringRef()) {}

Reporter::Reporter(std::optional<Location> location, StringRef opName)
    : location(location), opName(opName) {}

void Reporter::append(llvm::raw_ostream &stream, ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    stream << "scalar";
  llvm::interleave(
      sizes, stream,
      [&](int64_t size) {
        if (ShapedType::isDynamic(size))
          stream << '?';
        else
          stream << size;
      },
      "x");
}

LogicalResult Reporter::emit(StringRef message) const {
  return emitError(*location) << "'" << opName << "' op " << message;
}

} // namespace partita::stablehlo
