// Parsers and printers of the parts of StableHLO's pretty form that the
// declarative format cannot express. Included by the generated op definitions
// only; each pair is named after its `custom<...>` directive.
#ifndef PARTITA_DIALECTS_STABLEHLO_ASSEMBLYFORMAT_H
#define PARTITA_DIALECTS_STABLEHLO_ASSEMBLYFORMAT_H

#include "dialects/StableHLO/StableHLO.h"

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Prints `result` alone when all operands have its type, else the function
/// type of `op`.
void printSameTypeList(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::TypeRange operands, mlir::Type result);
mlir::ParseResult parseSameTypeList(mlir::OpAsmParser &parser,
                                    llvm::ArrayRef<mlir::Type *> operands,
                                    mlir::Type &result);

/// `SameTypes`: the last type is the result's.
template <typename... Types>
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    Types... types) {
  mlir::Type list[] = {types...};
  mlir::TypeRange range(list);
  printSameTypeList(printer, op, range.drop_back(), range.back());
}
template <typename... Types>
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, Types &...types) {
  mlir::Type *list[] = {&types...};
  llvm::ArrayRef<mlir::Type *> range(list);
  return parseSameTypeList(parser, range.drop_back(), *range.back());
}

/// `VariadicSameTypes`: the same for a variadic operand.
void printVariadicSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                            mlir::OperandRange operands, mlir::TypeRange types,
                            mlir::Type result);
mlir::ParseResult parseVariadicSameTypes(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
    llvm::SmallVectorImpl<mlir::Type> &types, mlir::Type &result);

/// `ComplexTypes`: the result's type alone when the parts' follow from it.
void printComplexTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::Type lhs, mlir::Type rhs, mlir::Type result);
mlir::ParseResult parseComplexTypes(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                    mlir::Type &rhs, mlir::Type &result);

/// `SelectTypes`: predicate and result when both branches have the result's.
void printSelectTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::Type pred, mlir::Type onTrue, mlir::Type onFalse,
                      mlir::Type result);
mlir::ParseResult parseSelectTypes(mlir::OpAsmParser &parser, mlir::Type &pred,
                                   mlir::Type &onTrue, mlir::Type &onFalse,
                                   mlir::Type &result);

/// `TupleTypes`: the tuple's type alone.
void printTupleTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::TypeRange operands, mlir::Type result);
mlir::ParseResult parseTupleTypes(mlir::OpAsmParser &parser,
                                  llvm::SmallVectorImpl<mlir::Type> &operands,
                                  mlir::Type &result);

/// `PairwiseTypes`: operand i and result i have one type.
void printPairwiseTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::TypeRange operands, mlir::TypeRange results);
mlir::ParseResult
parsePairwiseTypes(mlir::OpAsmParser &parser,
                   llvm::SmallVectorImpl<mlir::Type> &operands,
                   llvm::SmallVectorImpl<mlir::Type> &results);

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

/// `OperandsThenAttribute`: operands, each followed by a comma.
void printOperandsThenAttribute(mlir::OpAsmPrinter &printer,
                                mlir::Operation *op,
                                mlir::OperandRange operands);
mlir::ParseResult parseOperandsThenAttribute(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);

/// `SliceRanges`: `[start:limit:stride, ...]`, a stride of 1 left out.
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      llvm::ArrayRef<int64_t> starts,
                      llvm::ArrayRef<int64_t> limits,
                      llvm::ArrayRef<int64_t> strides);
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser,
                                   mlir::DenseI64ArrayAttr &starts,
                                   mlir::DenseI64ArrayAttr &limits,
                                   mlir::DenseI64ArrayAttr &strides);

/// `ExponentMantissa`: `e5m10`.
void printExponentMantissa(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser,
                                        mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);

/// `CustomCallTarget`: a string written as a symbol.
void printCustomCallTarget(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::StringAttr target);
mlir::ParseResult parseCustomCallTarget(mlir::OpAsmParser &parser,
                                        mlir::StringAttr &target);

/// `DotDimensionNumbers`: `batching_dims = [0] x [0], contracting_dims = ...`.
void printDotDimensionNumbers(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                              DotDimensionNumbersAttr numbers);
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser &parser,
                                           DotDimensionNumbersAttr &numbers);

/// `Precision` and `PrecisionAndAlgorithm`: `, precision = [...]` and
/// `, algorithm = <...>`, each optional, with its comma.
void printPrecision(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::ArrayAttr precision);
mlir::ParseResult parsePrecision(mlir::OpAsmParser &parser,
                                 mlir::ArrayAttr &precision);
void printPrecisionAndAlgorithm(mlir::OpAsmPrinter &printer,
                                mlir::Operation *op, mlir::ArrayAttr precision,
                                DotAlgorithmAttr algorithm);
mlir::ParseResult parsePrecisionAndAlgorithm(mlir::OpAsmParser &parser,
                                             mlir::ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm);

/// `ConvolutionDimensions`: `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
void printConvolutionDimensions(mlir::AsmPrinter &printer, mlir::Operation *op,
                                ConvDimensionNumbersAttr numbers);
mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser &parser,
                                             ConvDimensionNumbersAttr &numbers);

/// `WindowAttributes`: `stride = [..], pad = [[..], ..], lhs_dilate = [..],
/// rhs_dilate = [..], reverse = [..]`, each optional.
void printWindowAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser &parser,
                                        mlir::DenseI64ArrayAttr &strides,
                                        mlir::DenseIntElementsAttr &padding,
                                        mlir::DenseI64ArrayAttr &lhsDilation,
                                        mlir::DenseI64ArrayAttr &rhsDilation,
                                        mlir::DenseBoolArrayAttr &reversal);

/// A list of sizes, `[2, ?]`.
void printDimSizes(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> sizes);
mlir::FailureOr<llvm::SmallVector<int64_t>>
parseDimSizes(mlir::AsmParser &parser);

/// Parses one size: an integer or `?`.
mlir::ParseResult parseDimSize(mlir::AsmParser &parser, int64_t &size);

} // namespace partita::stablehlo

#endif // PARTITA_DIALECTS_STABLEHLO_ASSEMBLYFORMAT_H
