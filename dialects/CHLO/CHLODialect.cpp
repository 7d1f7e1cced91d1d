// Registration of the chlo dialect, its attributes' text form, and constants.
#include "dialects/CHLO/CHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::chlo;

#include "dialects/CHLO/CHLODialect.cpp.inc"
#include "dialects/CHLO/CHLOEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/CHLO/CHLOAttrs.cpp.inc"

void CHLODialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/CHLO/CHLOOps.cpp.inc"
      >();
}

void CHLODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/CHLO/CHLOAttrs.cpp.inc"
      >();
}

Operation *CHLODialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

//===----------------------------------------------------------------------===//
// RaggedDotDimensionNumbersAttr
//===----------------------------------------------------------------------===//

/// Names of the lists in the order of the parameters.
static constexpr StringLiteral raggedDotFields[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions",
    "lhs_contracting_dimensions", "rhs_contracting_dimensions",
    "lhs_ragged_dimensions",      "rhs_group_dimensions"};

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  constexpr size_t numFields = std::size(raggedDotFields);
  SmallVector<int64_t> fields[numFields];
  bool seen[numFields] = {};
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    const auto *it = llvm::find(raggedDotFields, keyword);
    size_t index = it - std::begin(raggedDotFields);
    if (index == numFields || std::exchange(seen[index], true)) {
      InFlightDiagnostic error =
          parser.emitError(loc)
          << "'" << keyword << "' is unknown or repeated; expected one of: ";
      llvm::interleaveComma(raggedDotFields, error);
      return error;
    }
    return failure(
        parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(fields[index].emplace_back());
        }));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return get(parser.getContext(), fields[0], fields[1], fields[2], fields[3],
             fields[4], fields[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  ArrayRef<int64_t> fields[] = {getLhsBatching(),    getRhsBatching(),
                                getLhsContracting(), getRhsContracting(),
                                getLhsRagged(),      getRhsGroup()};
  StringRef separator = "";
  printer << "<";
  for (auto [name, dims] : llvm::zip_equal(raggedDotFields, fields)) {
    if (dims.empty())
      continue;
    printer << separator << name << " = [";
    llvm::interleaveComma(dims, printer);
    printer << "]";
    separator = ", ";
  }
  printer << ">";
}
