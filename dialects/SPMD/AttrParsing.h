// Directives by which ops of the spmd dialect parse and print attributes in
// their short form: axes as `{"x"}`, lists of them as `[{"x"}, {}]`.
#ifndef PARTITA_DIALECTS_SPMD_ATTRPARSING_H
#define PARTITA_DIALECTS_SPMD_ATTRPARSING_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/OpImplementation.h"

namespace partita::spmd {

mlir::ParseResult parseKind(mlir::OpAsmParser &parser, ReductionKindAttr &kind);
void printKind(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               ReductionKindAttr kind);

mlir::ParseResult parseOutside(mlir::OpAsmParser &parser,
                               OutsideAttr &outside);
void printOutside(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  OutsideAttr outside);

mlir::ParseResult parseDirection(mlir::OpAsmParser &parser,
                                 PropagationDirectionAttr &direction);
void printDirection(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    PropagationDirectionAttr direction);

mlir::ParseResult parseAxisList(mlir::OpAsmParser &parser, AxisListAttr &axes);
void printAxisList(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   AxisListAttr axes);

mlir::ParseResult parseAxisLists(mlir::OpAsmParser &parser,
                                 mlir::ArrayAttr &lists);
void printAxisLists(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::ArrayAttr lists);

mlir::ParseResult parseMoves(mlir::OpAsmParser &parser, mlir::ArrayAttr &moves);
void printMoves(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr moves);

mlir::ParseResult parseIntervals(mlir::OpAsmParser &parser,
                                 mlir::ArrayAttr &intervals);
void printIntervals(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::ArrayAttr intervals);

mlir::ParseResult parseShardings(mlir::OpAsmParser &parser,
                                 mlir::ArrayAttr &shardings);
void printShardings(mlir::OpAsmPrinter &printer, mlir::ArrayAttr shardings);

} // namespace partita::spmd

#endif
