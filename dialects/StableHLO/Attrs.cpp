// Text and invariants of StableHLO's structured attributes. An attribute with
// dimension numbers prints as `<field = value, ...>`, fields that are empty or
// zero left out, and parses its fields in any order.
#include "dialects/StableHLO/StableHLO.h"

#include "dialects/StableHLO/AssemblyFormat.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Size lists
//===----------------------------------------------------------------------===//

ParseResult parseDimSize(AsmParser &parser, int64_t &size) {
  if (succeeded(parser.parseOptionalQuestion())) {
    size = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(size);
}

FailureOr<SmallVector<int64_t>> parseDimSizes(AsmParser &parser) {
  SmallVector<int64_t> sizes;
  auto parseOne = [&] { return parseDimSize(parser, sizes.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  return sizes;
}

void printDimSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Structs of dimension numbers
//===----------------------------------------------------------------------===//

namespace {

/// One field of a struct: a name, and either a list or an integer.
struct Field {
  Field(StringRef name, SmallVectorImpl<int64_t> &list)
      : name(name), list(&list) {}
  Field(StringRef name, int64_t &number) : name(name), number(&number) {}

  StringRef name;
  SmallVectorImpl<int64_t> *list = nullptr;
  int64_t *number = nullptr;
  bool seen = false;
};

/// Prints a struct field by field.
class StructPrinter {
public:
  explicit StructPrinter(AsmPrinter &printer) : printer(printer) {
    printer << '<';
  }
  ~StructPrinter() { printer << '>'; }

  StructPrinter &list(StringRef name, ArrayRef<int64_t> values) {
    if (!values.empty()) {
      begin(name);
      printDimSizes(printer, values);
    }
    return *this;
  }
  StructPrinter &number(StringRef name, int64_t value) {
    if (value != 0) {
      begin(name);
      printer << value;
    }
    return *this;
  }

private:
  void begin(StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  }

  AsmPrinter &printer;
  StringRef separator = "";
};

} // namespace

static ParseResult parseField(AsmParser &parser,
                              MutableArrayRef<Field> fields) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  Field *field =
      llvm::find_if(fields, [&](Field &f) { return f.name == keyword; });
  if (field == fields.end()) {
    InFlightDiagnostic error = parser.emitError(loc);
    error << "no field '" << keyword << "' here; expected one of ";
    llvm::interleaveComma(fields, error,
                          [&](Field &f) { error << '\'' << f.name << '\''; });
    return error;
  }
  if (field->seen)
    return parser.emitError(loc) << "field '" << keyword << "' given twice";
  field->seen = true;
  if (parser.parseEqual())
    return failure();
  if (field->number)
    return parser.parseInteger(*field->number);
  FailureOr<SmallVector<int64_t>> values = parseDimSizes(parser);
  if (failed(values))
    return failure();
  field->list->assign(values->begin(), values->end());
  return success();
}

/// Parses `field = value, ...` up to and including `>`.
static ParseResult parseFields(AsmParser &parser,
                               MutableArrayRef<Field> fields) {
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  while (true) {
    if (parseField(parser, fields))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
    // The public printers of older versions left a comma before the end.
    if (succeeded(parser.parseOptionalGreater()))
      return success();
  }
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter(printer)
      .list("lhs_batching_dimensions", getLhsBatchingDimensions())
      .list("rhs_batching_dimensions", getRhsBatchingDimensions())
      .list("lhs_contracting_dimensions", getLhsContractingDimensions())
      .list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  Field fields[] = {{"lhs_batching_dimensions", lhsBatching},
                    {"rhs_batching_dimensions", rhsBatching},
                    {"lhs_contracting_dimensions", lhsContracting},
                    {"rhs_contracting_dimensions", rhsContracting}};
  if (parser.parseLess() || parseFields(parser, fields))
    return nullptr;
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting,
             rhsContracting);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter(printer)
      .list("offset_dims", getOffsetDims())
      .list("collapsed_slice_dims", getCollapsedSliceDims())
      .list("operand_batching_dims", getOperandBatchingDims())
      .list("start_indices_batching_dims", getStartIndicesBatchingDims())
      .list("start_index_map", getStartIndexMap())
      .number("index_vector_dim", getIndexVectorDim());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  Field fields[] = {{"offset_dims", offset},
                    {"collapsed_slice_dims", collapsed},
                    {"operand_batching_dims", operandBatching},
                    {"start_indices_batching_dims", indicesBatching},
                    {"start_index_map", map},
                    {"index_vector_dim", vectorDim}};
  if (parser.parseLess() || parseFields(parser, fields))
    return nullptr;
  return get(parser.getContext(), offset, collapsed, operandBatching,
             indicesBatching, map, vectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter(printer)
      .list("update_window_dims", getUpdateWindowDims())
      .list("inserted_window_dims", getInsertedWindowDims())
      .list("input_batching_dims", getInputBatchingDims())
      .list("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .number("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  Field fields[] = {{"update_window_dims", window},
                    {"inserted_window_dims", inserted},
                    {"input_batching_dims", inputBatching},
                    {"scatter_indices_batching_dims", indicesBatching},
                    {"scatter_dims_to_operand_dims", map},
                    {"index_vector_dim", vectorDim}};
  if (parser.parseLess() || parseFields(parser, fields))
    return nullptr;
  return get(parser.getContext(), window, inserted, inputBatching,
             indicesBatching, map, vectorDim);
}

//===----------------------------------------------------------------------===//
// Numerics
//===----------------------------------------------------------------------===//

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (!getAtol().isZero()) {
    printer << "atol = ";
    printer.printFloat(getAtol());
    printer << ", ";
  }
  if (!getRtol().isZero()) {
    printer << "rtol = ";
    printer.printFloat(getRtol());
    printer << ", ";
  }
  if (getUlps() != 0)
    printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << getMode() << '>';
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  auto parseTolerance = [&](StringRef name, double &value) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(name)))
      return success();
    return failure(parser.parseEqual() || parser.parseFloat(value) ||
                   parser.parseComma());
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseTolerance("atol", atol) ||
      parseTolerance("rtol", rtol))
    return nullptr;
  if (succeeded(parser.parseOptionalKeyword("ulps")) &&
      (parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma()))
    return nullptr;
  if (parser.parseKeyword("mode") || parser.parseEqual() ||
      parser.parseAttribute(mode) || parser.parseGreater())
    return nullptr;
  return parser.getChecked<ResultAccuracyAttr>(loc, parser.getContext(),
                                               llvm::APFloat(atol),
                                               llvm::APFloat(rtol), ulps, mode);
}

LogicalResult
ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           llvm::APFloat atol, llvm::APFloat rtol, int64_t ulps,
                           ResultAccuracyModeAttr mode) {
  if (!mode)
    return emitError() << "an accuracy needs a mode";
  if (mode.getValue() != ResultAccuracyMode::TOLERANCE) {
    if (!atol.isZero() || !rtol.isZero() || ulps != 0)
      return emitError() << "accuracy mode " << stringifyEnum(mode.getValue())
                         << " takes no atol, rtol or ulps";
    return success();
  }
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "tolerances of an accuracy must not be negative";
  return success();
}

LogicalResult
DotAlgorithmAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         Type lhsType, Type rhsType, Type accumulationType,
                         int64_t lhsCount, int64_t rhsCount,
                         int64_t numOperations, bool) {
  for (auto [name, type] : {std::pair("lhs_precision_type", lhsType),
                            std::pair("rhs_precision_type", rhsType),
                            std::pair("accumulation_type", accumulationType)})
    if (!isa<FloatType, IntegerType>(type))
      return emitError() << name << " of a dot algorithm must be a float or "
                         << "integer type, not " << type;
  for (auto [name, count] :
       {std::pair("lhs_component_count", lhsCount),
        std::pair("rhs_component_count", rhsCount),
        std::pair("num_primitive_operations", numOperations)})
    if (count < 1)
      return emitError() << name << " of a dot algorithm must be positive, "
                         << "not " << count;
  return success();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError() << "a future holds ranked tensors, not " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Bounds of unknown sizes
//===----------------------------------------------------------------------===//

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size())
    return emitError() << "bounds list " << getBounds().size()
                       << " dimensions, the tensor has " << shape.size();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t bound = getBounds()[dim];
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(bound))
      return emitError() << "dimension " << dim << " of known size " << size
                         << " has a bound " << bound;
  }
  return success();
}

} // namespace partita::stablehlo
