// How verifiers and shape inference report an error: the same check serves an
// existing op (located at it, with its name) and one about to be built (silent
// when no location is given).
#ifndef PARTITA_DIALECTS_STABLEHLO_REPORTER_H
#define PARTITA_DIALECTS_STABLEHLO_REPORTER_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <type_traits>

namespace partita::stablehlo {

class Reporter {
public:
  /// Errors at `op`.
  explicit Reporter(mlir::Operation *op);
  /// Errors at `location`, if any, about an op named `opName`.
  Reporter(std::optional<mlir::Location> location, llvm::StringRef opName);

  /// Reports the concatenation of `parts`; always failure.
  template <typename... Parts>
  llvm::LogicalResult fail(Parts &&...parts) const {
    if (!location)
      return llvm::failure();
    std::string message;
    llvm::raw_string_ostream stream(message);
    (append(stream, parts), ...);
    return emit(message);
  }

private:
  template <typename Part>
  static void append(llvm::raw_ostream &stream, const Part &part) {
    if constexpr (std::is_base_of_v<mlir::Type, Part>)
      stream << '\'' << part << '\'';
    else
      stream << part;
  }
  /// Sizes print as `2x?x3`; a scalar's as `scalar`.
  static void append(llvm::raw_ostream &stream, llvm::ArrayRef<int64_t> sizes);
  llvm::LogicalResult emit(llvm::StringRef message) const;

  std::optional<mlir::Location> location;
  llvm::StringRef opName;
};

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_REPORTER_H
