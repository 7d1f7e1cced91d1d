// Text of a convolution's dimension numbers, `[b, 0, 1, f]x[0, 1, i, o]->
// [b, 0, 1, f]`: per tensor, the role of each dimension in turn, a number
// being a spatial dimension. Numbers that name no permutation of the
// dimensions have no such form; they print as `raw` fields.
#include "dialects/StableHLO/StableHLO.h"

#include "dialects/StableHLO/AssemblyFormat.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace partita::stablehlo {

namespace {

/// Roles of one tensor's dimensions. `first` and `second` are positions of the
/// two named dimensions ('b' and 'f', or 'i' and 'o').
struct TensorRoles {
  char firstName, secondName;
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;

  /// The role of each dimension as text, or nothing if the positions are no
  /// permutation.
  std::optional<SmallVector<std::string>> toRoles() const {
    SmallVector<std::string> roles(spatial.size() + 2);
    auto assign = [&](int64_t position, std::string role) {
      if (position < 0 || position >= static_cast<int64_t>(roles.size()) ||
          !roles[position].empty())
        return false;
      roles[position] = std::move(role);
      return true;
    };
    if (!assign(first, std::string(1, firstName)) ||
        !assign(second, std::string(1, secondName)))
      return std::nullopt;
    for (auto [index, position] : llvm::enumerate(spatial))
      if (!assign(position, std::to_string(index)))
        return std::nullopt;
    return roles;
  }
};

} // namespace

static SmallVector<TensorRoles, 3> getRoles(ConvDimensionNumbersAttr numbers) {
  return {
      TensorRoles{'b', 'f', numbers.getInputBatchDimension(),
                  numbers.getInputFeatureDimension(),
                  SmallVector<int64_t>(numbers.getInputSpatialDimensions())},
      TensorRoles{'i', 'o', numbers.getKernelInputFeatureDimension(),
                  numbers.getKernelOutputFeatureDimension(),
                  SmallVector<int64_t>(numbers.getKernelSpatialDimensions())},
      TensorRoles{'b', 'f', numbers.getOutputBatchDimension(),
                  numbers.getOutputFeatureDimension(),
                  SmallVector<int64_t>(numbers.getOutputSpatialDimensions())}};
}

//===----------------------------------------------------------------------===//
// Short form
//===----------------------------------------------------------------------===//

/// Parses one role: `b`, `f`, `i`, `o`, or a spatial dimension's number, into
/// `roles`, where it stands at `position`. `spatialAt` maps number to position.
static ParseResult parseRole(AsmParser &parser, TensorRoles &roles,
                             int64_t position,
                             SmallVectorImpl<int64_t> &spatialAt) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t number = 0;
  OptionalParseResult parsedNumber = parser.parseOptionalInteger(number);
  if (parsedNumber.has_value()) {
    if (failed(*parsedNumber))
      return failure();
    if (number < 0 || number > 1024)
      return parser.emitError(loc, "spatial dimension out of range: ")
             << number;
    if (number >= static_cast<int64_t>(spatialAt.size()))
      spatialAt.resize(number + 1, -1);
    if (spatialAt[number] >= 0)
      return parser.emitError(loc, "spatial dimension given twice: ") << number;
    spatialAt[number] = position;
    return success();
  }
  for (auto [name, slot] : {std::pair(roles.firstName, &roles.first),
                            std::pair(roles.secondName, &roles.second)}) {
    if (failed(parser.parseOptionalKeyword(StringRef(&name, 1))))
      continue;
    if (*slot >= 0)
      return parser.emitError(loc, "dimension given twice: ")
             << StringRef(&name, 1);
    *slot = position;
    return success();
  }
  return parser.emitError(loc, "expected a spatial dimension's number, '")
         << StringRef(&roles.firstName, 1) << "' or '"
         << StringRef(&roles.secondName, 1) << "'";
}

static ParseResult parseRoles(AsmParser &parser, TensorRoles &roles) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> spatialAt;
  int64_t position = 0;
  auto parseOne = [&] {
    return parseRole(parser, roles, position++, spatialAt);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  for (auto [name, slot] : {std::pair(roles.firstName, roles.first),
                            std::pair(roles.secondName, roles.second)})
    if (slot < 0)
      return parser.emitError(loc, "missing dimension '")
             << StringRef(&name, 1) << "'";
  for (auto [number, at] : llvm::enumerate(spatialAt))
    if (at < 0)
      return parser.emitError(loc, "missing spatial dimension ") << number;
  roles.spatial.assign(spatialAt.begin(), spatialAt.end());
  return success();
}

ParseResult parseConvolutionDimensions(AsmParser &parser,
                                       ConvDimensionNumbersAttr &numbers) {
  TensorRoles input{'b', 'f', -1, -1, {}}, kernel{'i', 'o', -1, -1, {}},
      output{'b', 'f', -1, -1, {}};
  if (parseRoles(parser, input) || parser.parseKeyword("x") ||
      parseRoles(parser, kernel) || parser.parseArrow() ||
      parseRoles(parser, output))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial,
      kernel.first, kernel.second, kernel.spatial, output.first, output.second,
      output.spatial);
  return success();
}

//===----------------------------------------------------------------------===//
// Raw form
//===----------------------------------------------------------------------===//

static void printRaw(AsmPrinter &printer, ConvDimensionNumbersAttr n) {
  auto list = [&](StringRef name, ArrayRef<int64_t> values) {
    printer << ", " << name << " = ";
    printDimSizes(printer, values);
  };
  printer << "raw input_batch_dimension = " << n.getInputBatchDimension()
          << ", input_feature_dimension = " << n.getInputFeatureDimension();
  list("input_spatial_dimensions", n.getInputSpatialDimensions());
  printer << ", kernel_input_feature_dimension = "
          << n.getKernelInputFeatureDimension()
          << ", kernel_output_feature_dimension = "
          << n.getKernelOutputFeatureDimension();
  list("kernel_spatial_dimensions", n.getKernelSpatialDimensions());
  printer << ", output_batch_dimension = " << n.getOutputBatchDimension()
          << ", output_feature_dimension = " << n.getOutputFeatureDimension();
  list("output_spatial_dimensions", n.getOutputSpatialDimensions());
}

/// Parses the fields after `raw`, each of which may be left out (zero, empty).
static ParseResult parseRaw(AsmParser &parser,
                            ConvDimensionNumbersAttr &numbers) {
  static constexpr StringLiteral tensors[] = {"input", "kernel", "output"};
  int64_t positions[3][2] = {};
  SmallVector<int64_t> spatial[3];
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return failure();
    for (auto [t, tensor] : llvm::enumerate(tensors)) {
      StringRef role = keyword;
      if (!role.consume_front(tensor))
        continue;
      if (role == "_spatial_dimensions") {
        FailureOr<SmallVector<int64_t>> sizes = parseDimSizes(parser);
        if (failed(sizes))
          return failure();
        spatial[t] = *sizes;
        return success();
      }
      bool isKernel = t == 1;
      if (role == (isKernel ? "_input_feature_dimension" : "_batch_dimension"))
        return parser.parseInteger(positions[t][0]);
      if (role ==
          (isKernel ? "_output_feature_dimension" : "_feature_dimension"))
        return parser.parseInteger(positions[t][1]);
    }
    return parser.emitError(loc, "no such dimension number: ") << keyword;
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), positions[0][0], positions[0][1], spatial[0],
      positions[1][0], positions[1][1], spatial[1], positions[2][0],
      positions[2][1], spatial[2]);
  return success();
}

//===----------------------------------------------------------------------===//
// Attribute and directive
//===----------------------------------------------------------------------===//

/// Prints the short form; false, with nothing printed, if there is none.
static bool printShort(AsmPrinter &printer, ConvDimensionNumbersAttr numbers) {
  SmallVector<SmallVector<std::string>, 3> texts;
  for (const TensorRoles &roles : getRoles(numbers)) {
    std::optional<SmallVector<std::string>> text = roles.toRoles();
    if (!text)
      return false;
    texts.push_back(std::move(*text));
  }
  constexpr StringLiteral separators[] = {"", "x", "->"};
  for (auto [text, before] : llvm::zip_equal(texts, separators)) {
    printer << before << '[';
    llvm::interleaveComma(text, printer, [&](StringRef r) { printer << r; });
    printer << ']';
  }
  return true;
}

void printConvolutionDimensions(AsmPrinter &printer, Operation *,
                                ConvDimensionNumbersAttr numbers) {
  // Within an op there is no raw form: what cannot be printed does not verify.
  if (!printShort(printer, numbers))
    printRaw(printer, numbers);
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (!printShort(printer, *this))
    printRaw(printer, *this);
  printer << '>';
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr numbers;
  if (parser.parseLess())
    return nullptr;
  ParseResult parsed = succeeded(parser.parseOptionalKeyword("raw"))
                           ? parseRaw(parser, numbers)
                           : parseConvolutionDimensions(parser, numbers);
  if (parsed || parser.parseGreater())
    return nullptr;
  return numbers;
}

} // namespace partita::stablehlo
