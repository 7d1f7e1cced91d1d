// Parsers and printers of the `custom<...>` directives: type lists that leave
// out what follows, and attributes in their short form.
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Spreads a function type over operand types and the result's.
static ParseResult assignFunctionType(OpAsmParser &parser, SMLoc loc,
                                      FunctionType type,
                                      ArrayRef<Type *> operands, Type &result) {
  if (type.getNumInputs() != operands.size())
    return parser.emitError(loc)
           << "function type has " << type.getNumInputs()
           << " inputs, the operation " << operands.size() << " operands";
  if (type.getNumResults() != 1)
    return parser.emitError(loc) << "function type has " << type.getNumResults()
                                 << " results, the operation has 1";
  for (auto [operand, input] : llvm::zip_equal(operands, type.getInputs()))
    *operand = input;
  result = type.getResult(0);
  return success();
}

void printSameTypeList(OpAsmPrinter &printer, Operation *op, TypeRange operands,
                       Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; }))
    printer << result;
  else
    printer.printFunctionalType(op);
}

ParseResult parseSameTypeList(OpAsmParser &parser, ArrayRef<Type *> operands,
                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, operands, result);
  for (Type *operand : operands)
    *operand = type;
  result = type;
  return success();
}

void printVariadicSameTypes(OpAsmPrinter &printer, Operation *op, OperandRange,
                            TypeRange types, Type result) {
  printSameTypeList(printer, op, types, result);
}

ParseResult parseVariadicSameTypes(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    SmallVectorImpl<Type> &types, Type &result) {
  types.resize(operands.size());
  SmallVector<Type *> pointers;
  for (Type &type : types)
    pointers.push_back(&type);
  return parseSameTypeList(parser, pointers, result);
}

/// The type of the parts of a complex tensor; null if it is none.
static Type getPartType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return nullptr;
  auto complex = dyn_cast<ComplexType>(tensor.getElementType());
  return complex ? tensor.clone(complex.getElementType()) : Type();
}

void printComplexTypes(OpAsmPrinter &printer, Operation *op, Type lhs, Type rhs,
                       Type result) {
  Type part = getPartType(result);
  if (lhs == part && rhs == part)
    printer << result;
  else
    printer.printFunctionalType(op);
}

ParseResult parseComplexTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, {&lhs, &rhs}, result);
  lhs = rhs = getPartType(type);
  if (!lhs)
    return parser.emitError(loc, "expected a tensor of complex elements");
  result = type;
  return success();
}

void printSelectTypes(OpAsmPrinter &printer, Operation *op, Type pred,
                      Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printer.printFunctionalType(op);
}

ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue,
                             Type &onFalse, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  if (types.size() == 1)
    if (auto function = dyn_cast<FunctionType>(types[0]))
      return assignFunctionType(parser, loc, function,
                                {&pred, &onTrue, &onFalse}, result);
  return parser.emitError(loc, "expected the predicate's and the result's type,"
                               " or a function type");
}

void printTupleTypes(OpAsmPrinter &printer, Operation *, TypeRange,
                     Type result) {
  printer << result;
}

ParseResult parseTupleTypes(OpAsmParser &parser,
                            SmallVectorImpl<Type> &operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc, "expected a tuple type");
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printPairwiseTypes(OpAsmPrinter &printer, Operation *, TypeRange operands,
                        TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult parsePairwiseTypes(OpAsmParser &parser,
                               SmallVectorImpl<Type> &operands,
                               SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

void printOperandsThenAttribute(OpAsmPrinter &printer, Operation *,
                                OperandRange operands) {
  if (operands.empty())
    return; // The comma before them serves.
  llvm::interleaveComma(operands, printer);
  printer << ',';
}

ParseResult parseOperandsThenAttribute(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) {
      // The public printer writes the comma even with no operand before it.
      if (operands.empty())
        (void)parser.parseOptionalComma();
      return success();
    }
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                      ArrayRef<int64_t> strides) {
  // Lists of unequal length do not verify, but may be printed in an error.
  size_t rank = std::min({starts.size(), limits.size(), strides.size()});
  printer << '[';
  llvm::interleaveComma(llvm::seq(rank), printer, [&](size_t dim) {
    printer << starts[dim] << ':' << limits[dim];
    if (strides[dim] != 1)
      printer << ':' << strides[dim];
  });
  printer << ']';
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseOne = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    if (failed(parser.parseOptionalColon()))
      return success();
    return parser.parseInteger(stride.back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}

void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                           IntegerAttr exponent, IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  unsigned exponentBits = 0, mantissaBits = 0;
  StringRef rest = text;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.consumeInteger(10, mantissaBits) ||
      !rest.empty() || exponentBits > 1024 || mantissaBits > 1024)
    return parser.emitError(loc, "expected a float format such as e5m10, not ")
           << text;
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printCustomCallTarget(OpAsmPrinter &printer, Operation *,
                           StringAttr target) {
  printer.printSymbolName(target);
}

ParseResult parseCustomCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                              DotDimensionNumbersAttr numbers) {
  auto printPair = [&](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    printDimSizes(printer, lhs);
    printer << " x ";
    printDimSizes(printer, rhs);
  };
  if (!numbers.getLhsBatchingDimensions().empty() ||
      !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printPair(numbers.getLhsBatchingDimensions(),
              numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printPair(numbers.getLhsContractingDimensions(),
            numbers.getRhsContractingDimensions());
}

ParseResult parseDotDimensionNumbers(OpAsmParser &parser,
                                     DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> dims[4];
  auto parsePair = [&](SmallVector<int64_t> &lhs,
                       SmallVector<int64_t> &rhs) -> ParseResult {
    FailureOr<SmallVector<int64_t>> first = parseDimSizes(parser);
    if (failed(first) || parser.parseKeyword("x"))
      return failure();
    FailureOr<SmallVector<int64_t>> second = parseDimSizes(parser);
    if (failed(second))
      return failure();
    lhs = *first;
    rhs = *second;
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parser.parseEqual() || parsePair(dims[0], dims[1]) ||
       parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") || parser.parseEqual() ||
      parsePair(dims[2], dims[3]))
    return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), dims[0], dims[1],
                                         dims[2], dims[3]);
  return success();
}

void printPrecision(OpAsmPrinter &printer, Operation *, ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute attr) {
    if (auto one = dyn_cast<PrecisionAttr>(attr))
      printer << stringifyEnum(one.getValue());
    else
      printer << attr;
  });
  printer << ']';
}

/// Parses `precision = [...]`.
static ParseResult parsePrecisionList(OpAsmParser &parser,
                                      ArrayAttr &precision) {
  SmallVector<Attribute> attrs;
  auto parseOne = [&]() -> ParseResult {
    attrs.push_back(PrecisionAttr::parse(parser, {}));
    return success(attrs.back() != nullptr);
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  precision = parser.getBuilder().getArrayAttr(attrs);
  return success();
}

ParseResult parsePrecision(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") ||
                 parsePrecisionList(parser, precision));
}

void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                ArrayAttr precision,
                                DotAlgorithmAttr algorithm) {
  printPrecision(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                       ArrayAttr &precision,
                                       DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    if (!precision && succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parsePrecisionList(parser, precision))
        return failure();
      continue;
    }
    if (algorithm || failed(parser.parseOptionalKeyword("algorithm")))
      return parser.emitError(loc, "expected 'precision' or 'algorithm', each "
                                   "at most once");
    if (parser.parseEqual() ||
        parser.parseCustomAttributeWithFallback(algorithm))
      return failure();
  }
  return success();
}

void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto printField = [&](StringRef name, auto &&printValues) {
    printer << separator << name << " = [";
    printValues();
    printer << ']';
    separator = ", ";
  };
  auto printList = [&](StringRef name, DenseI64ArrayAttr list) {
    if (list)
      printField(name,
                 [&] { llvm::interleaveComma(list.asArrayRef(), printer); });
  };
  printList("stride", strides);
  if (padding)
    printField("pad", [&] {
      SmallVector<int64_t> values(padding.getValues<int64_t>());
      llvm::interleaveComma(llvm::seq<size_t>(0, values.size() / 2), printer,
                            [&](size_t dim) {
                              printer << '[' << values[2 * dim] << ", "
                                      << values[2 * dim + 1] << ']';
                            });
    });
  printList("lhs_dilate", lhsDilation);
  printList("rhs_dilate", rhsDilation);
  if (reversal)
    printField("reverse",
               [&] { llvm::interleaveComma(reversal.asArrayRef(), printer); });
}

/// Parses `[[low, high], ...]` into an Nx2 tensor.
static ParseResult parsePadding(OpAsmParser &parser,
                                DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    int64_t low, high;
    if (parser.parseLSquare() || parser.parseInteger(low) ||
        parser.parseComma() || parser.parseInteger(high) ||
        parser.parseRSquare())
      return failure();
    values.append({low, high});
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  int64_t rank = values.size() / 2;
  padding = DenseIntElementsAttr::get(
      RankedTensorType::get({rank, 2}, parser.getBuilder().getI64Type()),
      values);
  return success();
}

ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal) {
  Builder &builder = parser.getBuilder();
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&keyword))) {
    SmallVector<int64_t> values;
    auto parseOne = [&] { return parser.parseInteger(values.emplace_back()); };
    auto parseList = [&] {
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseOne);
    };
    if (parser.parseEqual())
      return failure();
    if (keyword == "pad" && !padding) {
      if (parsePadding(parser, padding))
        return failure();
    } else if (keyword == "reverse" && !reversal) {
      if (parseList())
        return failure();
      reversal = builder.getDenseBoolArrayAttr(llvm::map_to_vector(
          values, [](int64_t value) { return value != 0; }));
    } else {
      DenseI64ArrayAttr *list = keyword == "stride"       ? &strides
                                : keyword == "lhs_dilate" ? &lhsDilation
                                : keyword == "rhs_dilate" ? &rhsDilation
                                                          : nullptr;
      if (!list || *list)
        return parser.emitError(loc, "expected stride, pad, lhs_dilate, "
                                     "rhs_dilate or reverse, each at most once,"
                                     " not ")
               << keyword;
      if (parseList())
        return failure();
      *list = builder.getDenseI64ArrayAttr(values);
    }
    if (failed(parser.parseOptionalComma()))
      return success();
    loc = parser.getCurrentLocation();
  }
  return success();
}

} // namespace partita::stablehlo
