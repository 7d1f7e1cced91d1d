// Text that several files of the sdy dialect share: lists of axes and
// shardings, and the form of refusals.
#ifndef PARTITA_DIALECTS_SDY_SDYTEXT_H
#define PARTITA_DIALECTS_SDY_SDYTEXT_H

#include "dialects/Sdy/Sdy.h"

namespace partita::sdy {

/// `{"x", "y":(1)2}`
mlir::ParseResult parseAxisList(mlir::AsmParser &parser,
                                llvm::SmallVectorImpl<AxisRefAttr> &axes);
void printAxisList(mlir::AsmPrinter &printer, llvm::ArrayRef<AxisRefAttr> axes);

/// `[<@m, [...]>, ...]`
mlir::ParseResult parseShardings(mlir::AsmParser &parser,
                                 ShardingPerValueAttr &attribute);
void printShardings(mlir::AsmPrinter &printer, ShardingPerValueAttr attribute);

/// Ends a refusal: adds the note that says what to write instead. Always
/// failure.
inline mlir::LogicalResult refuse(mlir::InFlightDiagnostic &&error,
                                  const llvm::Twine &fix) {
  error.attachNote() << "fix: " << fix.str();
  return std::move(error);
}

} // namespace partita::sdy

#endif
