// Text form of the spmd dialect's attributes and the directives by which ops
// print them without the `#spmd.` prefix.
#include "dialects/SPMD/AttrParsing.h"
#include "mlir/IR/DialectImplementation.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace partita;
using namespace partita::spmd;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static ParseResult parseAxisRef(AsmParser &parser, AxisRefAttr &axis) {
  std::string name;
  int64_t preSize = 0, subSize = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseLParen() || parser.parseInteger(preSize) ||
        parser.parseRParen() || parser.parseInteger(subSize))
      return failure();
    // Zeros would stand for the whole axis.
    if (preSize == 0 && subSize == 0)
      subSize = -1;
  }
  axis = AxisRefAttr::getChecked([&]() { return parser.emitError(loc); },
                                 parser.getContext(), StringRef(name), preSize,
                                 subSize);
  return success(static_cast<bool>(axis));
}

static void printAxisRef(AsmPrinter &printer, AxisRefAttr axis) {
  printer.printString(axis.getName());
  if (axis.isSubAxis())
    printer << ":(" << axis.getPreSize() << ")" << axis.getSubSize();
}

/// `"x", "y"`, then `?` if `isOpen` is given; without the braces.
static ParseResult parseAxes(AsmParser &parser,
                             SmallVectorImpl<AxisRefAttr> &axes,
                             bool *isOpen = nullptr) {
  if (parser.parseLBrace())
    return failure();
  if (succeeded(parser.parseOptionalRBrace()))
    return success();
  do {
    if (isOpen && succeeded(parser.parseOptionalQuestion())) {
      *isOpen = true;
      break;
    }
    if (parseAxisRef(parser, axes.emplace_back()))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseRBrace();
}

static void printAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes,
                      bool isOpen = false) {
  printer << "{";
  llvm::interleaveComma(axes, printer.getStream(), [&](AxisRefAttr axis) {
    printAxisRef(printer, axis);
  });
  if (isOpen)
    printer << (axes.empty() ? "?" : ", ?");
  printer << "}";
}

static ParseResult parseAxisListBody(AsmParser &parser, AxisListAttr &list) {
  SmallVector<AxisRefAttr> axes;
  SMLoc loc = parser.getCurrentLocation();
  if (parseAxes(parser, axes))
    return failure();
  list = AxisListAttr::getChecked([&]() { return parser.emitError(loc); },
                                  parser.getContext(),
                                  ArrayRef<AxisRefAttr>(axes));
  return success(static_cast<bool>(list));
}

static ParseResult parseDim(AsmParser &parser, DimShardingAttr &dim) {
  SmallVector<AxisRefAttr> axes;
  bool isOpen = false;
  if (parseAxes(parser, axes, &isOpen))
    return failure();
  int64_t priority = -1;
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword)) &&
      (!keyword.consume_front("p") || keyword.getAsInteger(10, priority) ||
       priority < 0))
    return parser.emitError(loc, "expected a priority such as p1");
  dim = DimShardingAttr::get(parser.getContext(), axes, !isOpen, priority);
  return success();
}

static void printDim(AsmPrinter &printer, DimShardingAttr dim) {
  printAxes(printer, dim.getAxes(), !dim.getIsClosed());
  if (dim.hasPriority())
    printer << "p" << dim.getPriority();
}

static ParseResult parseMeshAxis(AsmParser &parser, MeshAxisAttr &axis) {
  std::string name;
  int64_t size;
  double latency = 0, bandwidth = 0;
  if (parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("link")) &&
      (parser.parseLParen() || parser.parseFloat(latency) ||
       parser.parseComma() || parser.parseFloat(bandwidth) ||
       parser.parseRParen()))
    return failure();
  axis = MeshAxisAttr::get(parser.getContext(), name, size, latency, bandwidth);
  return success();
}

/// The shortest text that reads back as `figure`, always with a point.
static void printFigure(AsmPrinter &printer, double figure) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*e", digits, figure);
    if (std::strtod(text, nullptr) == figure)
      break;
  }
  printer << text;
}

static void printMeshAxis(AsmPrinter &printer, MeshAxisAttr axis) {
  printer.printString(axis.getName());
  printer << "=" << axis.getSize();
  if (axis.getLatency() == 0 && axis.getBandwidth() == 0)
    return;
  printer << " link(";
  printFigure(printer, axis.getLatency());
  printer << ", ";
  printFigure(printer, axis.getBandwidth());
  printer << ")";
}

static ParseResult parseIntegers(AsmParser &parser,
                                 AsmParser::Delimiter delimiter,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(delimiter, [&]() {
    return parser.parseInteger(values.emplace_back());
  });
}

static ParseResult parseMove(AsmParser &parser, AllToAllParamAttr &move) {
  AxisListAttr axes;
  int64_t source, target;
  if (parseAxisListBody(parser, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() ||
      parser.parseInteger(target))
    return failure();
  move = AllToAllParamAttr::get(parser.getContext(), axes.getAxes(), source,
                                target);
  return success();
}

static void printMove(AsmPrinter &printer, AllToAllParamAttr move) {
  printAxes(printer, move.getAxes());
  printer << ": " << move.getSource() << " -> " << move.getTarget();
}

static ParseResult parseInterval(AsmParser &parser, IntervalAttr &interval) {
  int64_t base, step, length;
  if (parser.parseInteger(base) || parser.parsePlus() ||
      parser.parseKeyword("i") || parser.parseStar() ||
      parser.parseInteger(step) || parser.parseColon() ||
      parser.parseInteger(length))
    return failure();
  Outside outside = Outside::Zero;
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"wrap", "edge"})))
    outside = *symbolizeOutside(word);
  interval =
      IntervalAttr::get(parser.getContext(), base, step, length, outside);
  return success();
}

static void printInterval(AsmPrinter &printer, IntervalAttr interval) {
  printer << interval.getBase() << " + i*" << interval.getStep() << " : "
          << interval.getLength();
  if (interval.getOutside() != Outside::Zero)
    printer << " " << stringifyEnum(interval.getOutside());
}

/// Parses `<piece>` as the whole attribute.
template <typename AttrT>
static Attribute
parseAngled(AsmParser &parser,
            llvm::function_ref<ParseResult(AsmParser &, AttrT &)> parsePiece) {
  AttrT attr;
  if (parser.parseLess() || parsePiece(parser, attr) || parser.parseGreater())
    return {};
  return attr;
}

//===----------------------------------------------------------------------===//
// Whole attributes
//===----------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  return parseAngled<MeshAxisAttr>(parser, parseMeshAxis);
}
void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printMeshAxis(printer, *this);
  printer << ">";
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  return parseAngled<AxisRefAttr>(parser, parseAxisRef);
}
void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAxisRef(printer, *this);
  printer << ">";
}

Attribute AxisListAttr::parse(AsmParser &parser, Type) {
  return parseAngled<AxisListAttr>(parser, parseAxisListBody);
}
void AxisListAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAxes(printer, getAxes());
  printer << ">";
}

Attribute DimShardingAttr::parse(AsmParser &parser, Type) {
  return parseAngled<DimShardingAttr>(parser, parseDim);
}
void DimShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printDim(printer, *this);
  printer << ">";
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  return parseAngled<AllToAllParamAttr>(parser, parseMove);
}
void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printMove(printer, *this);
  printer << ">";
}

Attribute IntervalAttr::parse(AsmParser &parser, Type) {
  return parseAngled<IntervalAttr>(parser, parseInterval);
}
void IntervalAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printInterval(printer, *this);
  printer << ">";
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> iotaDims, iotaPerm, deviceIds;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() { return parseMeshAxis(parser, axes.emplace_back()); }))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("device_ids") || parser.parseEqual())
      return {};
    if (succeeded(parser.parseOptionalKeyword("iota"))) {
      if (parser.parseLParen() ||
          parseIntegers(parser, AsmParser::Delimiter::Square, iotaDims) ||
          parser.parseKeyword("T") ||
          parseIntegers(parser, AsmParser::Delimiter::Paren, iotaPerm) ||
          parser.parseRParen())
        return {};
    } else if (parseIntegers(parser, AsmParser::Delimiter::Square, deviceIds)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return MeshAttr::getChecked(
      [&]() { return parser.emitError(loc); }, parser.getContext(), ArrayRef<MeshAxisAttr>(axes),
      ArrayRef<int64_t>(iotaDims), ArrayRef<int64_t>(iotaPerm),
      ArrayRef<int64_t>(deviceIds));
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getAxes(), printer.getStream(), [&](MeshAxisAttr axis) {
    printMeshAxis(printer, axis);
  });
  printer << "]";
  if (!getIotaDims().empty()) {
    printer << ", device_ids=iota([" << getIotaDims() << "]T(" << getIotaPerm()
            << "))";
  } else if (!getDeviceIds().empty()) {
    printer << ", device_ids=[" << getDeviceIds() << "]";
  }
  printer << ">";
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  FlatSymbolRefAttr mesh;
  SmallVector<DimShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionKind kind = ReductionKind::Add;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(mesh) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() { return parseDim(parser, dims.emplace_back()); }))
    return {};
  bool hasReplicated = false, hasUnreduced = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keywordLoc = parser.getCurrentLocation();
    if (!hasReplicated && !hasUnreduced &&
        succeeded(parser.parseOptionalKeyword("replicated"))) {
      hasReplicated = true;
      if (parser.parseEqual() || parseAxes(parser, replicated))
        return {};
      continue;
    }
    if (hasUnreduced || failed(parser.parseOptionalKeyword("unreduced"))) {
      parser.emitError(keywordLoc, "expected 'replicated=' or 'unreduced=', "
                                   "each once and in this order");
      return {};
    }
    hasUnreduced = true;
    if (parser.parseEqual())
      return {};
    if (succeeded(parser.parseOptionalLSquare())) {
      FailureOr<ReductionKind> parsed = FieldParser<ReductionKind>::parse(parser);
      if (failed(parsed) || parser.parseRSquare())
        return {};
      kind = *parsed;
    }
    if (parseAxes(parser, unreduced))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return ShardingAttr::getChecked(
      [&]() { return parser.emitError(loc); }, parser.getContext(), mesh, ArrayRef<DimShardingAttr>(dims),
      ArrayRef<AxisRefAttr>(replicated), ArrayRef<AxisRefAttr>(unreduced),
      kind);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printAttribute(getMesh());
  printer << ", [";
  llvm::interleaveComma(getDims(), printer.getStream(),
                        [&](DimShardingAttr dim) { printDim(printer, dim); });
  printer << "]";
  if (!getReplicated().empty()) {
    printer << ", replicated=";
    printAxes(printer, getReplicated());
  }
  if (!getUnreduced().empty()) {
    printer << ", unreduced=";
    if (getReductionKind() != ReductionKind::Add)
      printer << "[" << stringifyEnum(getReductionKind()) << "]";
    printAxes(printer, getUnreduced());
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Directives of ops
//===----------------------------------------------------------------------===//

/// `[piece, piece, ...]` as an array attribute.
template <typename AttrT, typename ParseFn>
static ParseResult parseArray(AsmParser &parser, ArrayAttr &array,
                              ParseFn parsePiece) {
  SmallVector<Attribute> attrs;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
        AttrT attr;
        if (parsePiece(parser, attr))
          return failure();
        attrs.push_back(attr);
        return success();
      }))
    return failure();
  array = ArrayAttr::get(parser.getContext(), attrs);
  return success();
}

template <typename AttrT, typename PrintFn>
static void printArray(AsmPrinter &printer, ArrayAttr array, PrintFn print) {
  printer << "[";
  llvm::interleaveComma(array.getAsRange<AttrT>(), printer.getStream(),
                        [&](AttrT attr) { print(printer, attr); });
  printer << "]";
}

/// Parses the word of an enumeration.
template <typename EnumT, typename AttrT>
static ParseResult parseWord(OpAsmParser &parser, AttrT &attr) {
  FailureOr<EnumT> value = FieldParser<EnumT>::parse(parser);
  if (failed(value))
    return failure();
  attr = AttrT::get(parser.getContext(), *value);
  return success();
}

ParseResult spmd::parseOutside(OpAsmParser &parser, OutsideAttr &outside) {
  return parseWord<Outside>(parser, outside);
}
void spmd::printOutside(OpAsmPrinter &printer, Operation *,
                        OutsideAttr outside) {
  printer << stringifyEnum(outside.getValue());
}

ParseResult spmd::parseKind(OpAsmParser &parser, ReductionKindAttr &kind) {
  return parseWord<ReductionKind>(parser, kind);
}
void spmd::printKind(OpAsmPrinter &printer, Operation *,
                     ReductionKindAttr kind) {
  printer << stringifyEnum(kind.getValue());
}

ParseResult spmd::parseDirection(OpAsmParser &parser,
                                 PropagationDirectionAttr &direction) {
  return parseWord<PropagationDirection>(parser, direction);
}
void spmd::printDirection(OpAsmPrinter &printer, Operation *,
                          PropagationDirectionAttr direction) {
  printer << stringifyEnum(direction.getValue());
}

ParseResult spmd::parseAxisList(OpAsmParser &parser, AxisListAttr &axes) {
  return parseAxisListBody(parser, axes);
}
void spmd::printAxisList(OpAsmPrinter &printer, Operation *,
                         AxisListAttr axes) {
  printAxes(printer, axes.getAxes());
}

ParseResult spmd::parseAxisLists(OpAsmParser &parser, ArrayAttr &lists) {
  return parseArray<AxisListAttr>(parser, lists, parseAxisListBody);
}
void spmd::printAxisLists(OpAsmPrinter &printer, Operation *, ArrayAttr lists) {
  printArray<AxisListAttr>(printer, lists, [](AsmPrinter &p, AxisListAttr axes) {
    printAxes(p, axes.getAxes());
  });
}

ParseResult spmd::parseMoves(OpAsmParser &parser, ArrayAttr &moves) {
  return parseArray<AllToAllParamAttr>(parser, moves, parseMove);
}
void spmd::printMoves(OpAsmPrinter &printer, Operation *, ArrayAttr moves) {
  printArray<AllToAllParamAttr>(printer, moves, printMove);
}

ParseResult spmd::parseIntervals(OpAsmParser &parser, ArrayAttr &intervals) {
  return parseArray<IntervalAttr>(parser, intervals, parseInterval);
}
void spmd::printIntervals(OpAsmPrinter &printer, Operation *,
                          ArrayAttr intervals) {
  printArray<IntervalAttr>(printer, intervals, printInterval);
}

ParseResult spmd::parseShardings(OpAsmParser &parser, ArrayAttr &shardings) {
  return parseArray<ShardingAttr>(
      parser, shardings, [](AsmParser &p, ShardingAttr &sharding) {
        return p.parseCustomAttributeWithFallback(sharding);
      });
}
void spmd::printShardings(OpAsmPrinter &printer, ArrayAttr shardings) {
  printArray<ShardingAttr>(
      printer, shardings,
      [](AsmPrinter &p, ShardingAttr sharding) { sharding.print(p); });
}
