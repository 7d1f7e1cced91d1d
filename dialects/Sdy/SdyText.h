// Text forms that several attributes and ops of the sdy dialect share.
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

} // namespace partita::sdy

#endif
