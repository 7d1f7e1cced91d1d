// Text form and simple queries of the sharding attributes. As in SdyAttrs.cpp,
// parsers leave checks that need the mesh or the type to SdyVerifier.cpp.
#include "dialects/Sdy/Sdy.h"

#include "dialects/Sdy/SdyText.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::sdy;

/// Parses the `p<number>` that may follow a dimension's axes.
static ParseResult parsePriority(AsmParser &parser, int64_t &priority) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  priority = -1;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  StringRef digits = keyword;
  bool leadingZero = keyword.size() > 2 && keyword[1] == '0';
  if (!digits.consume_front("p") || leadingZero ||
      !llvm::all_of(digits, llvm::isDigit) ||
      !llvm::to_integer(digits, priority, 10))
    return parser.emitError(loc)
           << "expected a priority p<number> without leading zeros, got '"
           << keyword << "'";
  return success();
}

Attribute DimShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  if (parser.parseLBrace())
    return {};
  if (failed(parser.parseOptionalRBrace())) {
    do {
      if (succeeded(parser.parseOptionalQuestion())) {
        isClosed = false;
        break;
      }
      auto axis =
          llvm::cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
      if (!axis)
        return {};
      axes.push_back(axis);
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRBrace())
      return {};
  }
  int64_t priority;
  if (parsePriority(parser, priority))
    return {};
  return DimShardingAttr::get(parser.getContext(), axes, isClosed, priority);
}

void DimShardingAttr::print(AsmPrinter &printer) const {
  printer << "{";
  llvm::interleaveComma(getAxes(), printer,
                        [&](AxisRefAttr axis) { axis.print(printer); });
  if (!getIsClosed())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << "}";
  if (hasPriority())
    printer << "p" << getPriority();
}

/// Parses `@name` or `mesh<[...]>`.
static Attribute parseMeshOrRef(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("mesh")))
    return MeshAttr::parse(parser, {});
  StringAttr name;
  if (parser.parseSymbolName(name))
    return {};
  return FlatSymbolRefAttr::get(name);
}

/// Parses `unreduced`'s value: `{axes}`, `max{axes}` or `[max]{axes}`.
static ParseResult parseUnreduced(AsmParser &parser,
                                  SmallVectorImpl<AxisRefAttr> &axes,
                                  ReductionOp &reduction) {
  bool inSquares = succeeded(parser.parseOptionalLSquare());
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    std::optional<ReductionOp> parsed = symbolizeReductionOp(keyword);
    if (!parsed)
      return parser.emitError(loc)
             << "expected sum, max or min, got '" << keyword << "'";
    reduction = *parsed;
  }
  if (inSquares && parser.parseRSquare())
    return failure();
  return parseAxisList(parser, axes);
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionOp reduction = ReductionOp::SUM;
  if (parser.parseLess())
    return {};
  Attribute mesh = parseMeshOrRef(parser);
  auto parseDim = [&]() -> ParseResult {
    auto dim = DimShardingAttr::parse(parser, {});
    if (!dim)
      return failure();
    dims.push_back(llvm::cast<DimShardingAttr>(dim));
    return success();
  };
  if (!mesh || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return {};
  // The two lists may come in either order, each at most once.
  bool sawReplicated = false, sawUnreduced = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return {};
    ParseResult result = failure();
    if (keyword == "replicated" && !std::exchange(sawReplicated, true)) {
      result = parseAxisList(parser, replicated);
    } else if (keyword == "unreduced" && !std::exchange(sawUnreduced, true)) {
      result = parseUnreduced(parser, unreduced, reduction);
    } else {
      parser.emitError(loc)
          << "expected 'replicated' or 'unreduced', each once, "
             "got '"
          << keyword << "'";
    }
    if (failed(result))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return ShardingAttr::get(parser.getContext(), mesh, dims, replicated,
                           unreduced, reduction);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", [";
  llvm::interleaveComma(getDims(), printer,
                        [&](DimShardingAttr dim) { dim.print(printer); });
  printer << "]";
  if (!getReplicated().empty()) {
    printer << ", replicated=";
    printAxisList(printer, getReplicated());
  }
  if (!getUnreduced().empty()) {
    printer << ", unreduced=";
    if (getReductionOp() != ReductionOp::SUM)
      printer << stringifyReductionOp(getReductionOp());
    printAxisList(printer, getUnreduced());
  }
  printer << ">";
}

FlatSymbolRefAttr ShardingAttr::getMeshName() const {
  return llvm::dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
}

MeshAttr ShardingAttr::getMesh(Operation *op) const {
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  FlatSymbolRefAttr name = getMeshName();
  return name ? lookupMesh(op, name.getValue()) : MeshAttr();
}

SmallVector<AxisRefAttr> ShardingAttr::getAllAxes() const {
  SmallVector<AxisRefAttr> axes;
  for (DimShardingAttr dim : getDims())
    llvm::append_range(axes, dim.getAxes());
  llvm::append_range(axes, getReplicated());
  llvm::append_range(axes, getUnreduced());
  return axes;
}

ParseResult partita::sdy::parseShardings(AsmParser &parser,
                                         ShardingPerValueAttr &attribute) {
  SmallVector<ShardingAttr> shardings;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            // Also as `#sdy.sharding<...>` or an alias of one.
            return parser.parseCustomAttributeWithFallback(
                shardings.emplace_back());
          }))
    return failure();
  attribute = ShardingPerValueAttr::get(parser.getContext(), shardings);
  return success();
}

void partita::sdy::printShardings(AsmPrinter &printer,
                                  ShardingPerValueAttr attribute) {
  printer << "[";
  llvm::interleaveComma(
      attribute.getShardings(), printer,
      [&](ShardingAttr sharding) { sharding.print(printer); });
  printer << "]";
}

Attribute ShardingPerValueAttr::parse(AsmParser &parser, Type) {
  ShardingPerValueAttr attribute;
  if (parser.parseLess() || parseShardings(parser, attribute) ||
      parser.parseGreater())
    return {};
  return attribute;
}

void ShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printShardings(printer, *this);
  printer << ">";
}
