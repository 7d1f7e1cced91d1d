// Text form of the sharding rule: `([i, k],[k, j])->([i, j]) {i=8, ...}`.
// Whether a rule fits its op is checked in SdyVerifier.cpp.
#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::sdy;

/// Factors 0 to 17 are the letters i to z; the next are z_1, z_2, ...
static constexpr int64_t lastLetter = 'z' - 'i';
/// No tensor has this many dimensions; keeps index arithmetic from overflow.
static constexpr int64_t maxFactors = 1 << 20;

std::string partita::sdy::getFactorSymbol(int64_t index) {
  if (index <= lastLetter)
    return std::string(1, static_cast<char>('i' + index));
  return "z_" + std::to_string(index - lastLetter);
}

/// Takes one factor symbol off the front of `text`; returns -1 if there is
/// none.
static int64_t consumeFactor(StringRef &text) {
  if (text.consume_front("z_")) {
    StringRef digits = text.take_while(llvm::isDigit);
    int64_t number = 0;
    if (digits.empty() || digits.front() == '0' ||
        !llvm::to_integer(digits, number, 10) || number > maxFactors)
      return -1;
    text = text.drop_front(digits.size());
    return lastLetter + number;
  }
  if (text.empty() || text.front() < 'i' || text.front() > 'z')
    return -1;
  int64_t index = text.front() - 'i';
  text = text.drop_front();
  return index;
}

/// Parses a word of one or more factor symbols, such as `ijz_1`.
static ParseResult parseFactors(AsmParser &parser,
                                SmallVectorImpl<int64_t> &factors) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  StringRef rest = word;
  while (!rest.empty()) {
    int64_t factor = consumeFactor(rest);
    if (factor < 0)
      return parser.emitError(loc)
             << "'" << word
             << "' is not a list of factors i to z, z_1, z_2, ...";
    factors.push_back(factor);
  }
  return success();
}

/// Parses a word of exactly one factor symbol.
static ParseResult parseFactor(AsmParser &parser, int64_t &factor) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return failure();
  if (factors.size() != 1)
    return parser.emitError(loc)
           << "expected one factor, got " << factors.size();
  factor = factors.front();
  return success();
}

static void printFactors(AsmPrinter &printer, ArrayRef<int64_t> factors) {
  for (int64_t factor : factors)
    printer << getFactorSymbol(factor);
}

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return {};
  return DimMappingAttr::get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  printFactors(printer, getFactors());
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimMappingAttr> dims;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            auto dim = DimMappingAttr::parse(parser, {});
            if (!dim)
              return failure();
            dims.push_back(llvm::cast<DimMappingAttr>(dim));
            return success();
          }))
    return {};
  return TensorMappingAttr::get(parser.getContext(), dims);
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getDims(), printer,
                        [&](DimMappingAttr dim) { dim.print(printer); });
  printer << "]";
}

/// Parses `([i, k],[k, j])`.
static ParseResult parseMappings(AsmParser &parser,
                                 SmallVectorImpl<TensorMappingAttr> &mappings) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        auto mapping = TensorMappingAttr::parse(parser, {});
        if (!mapping)
          return failure();
        mappings.push_back(llvm::cast<TensorMappingAttr>(mapping));
        return success();
      });
}

/// Parses `{i=8, j=16}`; factors must come in order without gaps.
static ParseResult parseSizes(AsmParser &parser,
                              SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        int64_t factor = 0, size = 0;
        if (parseFactor(parser, factor))
          return failure();
        int64_t expected = sizes.size();
        if (factor != expected)
          return parser.emitError(loc)
                 << "factor sizes must come in order: expected "
                 << getFactorSymbol(expected) << ", got "
                 << getFactorSymbol(factor);
        if (parser.parseEqual() || parser.parseInteger(size))
          return failure();
        sizes.push_back(size);
        return success();
      });
}

/// Parses `keyword={i, j}` if it is there.
static ParseResult parseFactorSet(AsmParser &parser, StringRef keyword,
                                  SmallVectorImpl<int64_t> &factors) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  if (parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    return parseFactor(parser, factors.emplace_back());
  });
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  bool isCustom = false;
  if (parser.parseLess() || parseMappings(parser, operands) ||
      parser.parseArrow() || parseMappings(parser, results) ||
      parseSizes(parser, sizes) ||
      parseFactorSet(parser, "reduction", reduction) ||
      parseFactorSet(parser, "need_replication", replication) ||
      parseFactorSet(parser, "permutation", permutation) ||
      parseFactorSet(parser, "blocked_propagation", blocked))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("custom"))
      return {};
    isCustom = true;
  }
  if (parser.parseGreater())
    return {};
  return OpShardingRuleAttr::get(parser.getContext(), sizes, operands, results,
                                 reduction, replication, permutation, blocked,
                                 isCustom);
}

static void printMappings(AsmPrinter &printer,
                          ArrayRef<TensorMappingAttr> mappings) {
  printer << "(";
  llvm::interleave(
      mappings, printer.getStream(),
      [&](TensorMappingAttr mapping) { mapping.print(printer); }, ", ");
  printer << ")";
}

static void printFactorSet(AsmPrinter &printer, StringRef keyword,
                           ArrayRef<int64_t> factors) {
  if (factors.empty())
    return;
  printer << " " << keyword << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) {
    printer << getFactorSymbol(factor);
  });
  printer << "}";
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printMappings(printer, getOperands());
  printer << "->";
  printMappings(printer, getResults());
  if (!getFactorSizes().empty()) {
    printer << " {";
    int64_t factor = 0;
    llvm::interleaveComma(getFactorSizes(), printer, [&](int64_t size) {
      printer << getFactorSymbol(factor++) << "=" << size;
    });
    printer << "}";
  }
  printFactorSet(printer, "reduction", getReduction());
  printFactorSet(printer, "need_replication", getNeedReplication());
  printFactorSet(printer, "permutation", getPermutation());
  printFactorSet(printer, "blocked_propagation", getBlockedPropagation());
  if (getIsCustom())
    printer << ", custom";
  printer << ">";
}
