// Text of stablehlo.reduce. A body of one commutative operation on the two
// arguments is named in the short form,
//   stablehlo.reduce(%x init: %c) applies stablehlo.add across
//     dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// and any other body is written out after `reducer`, its arguments paired as
// (accumulated, new).
#include "dialects/StableHLO/AssemblyFormat.h"
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::stablehlo {

/// True for an operation that the short form may name.
static bool isShortBodyOp(OperationName name) {
  Dialect *dialect = name.getDialect();
  return dialect && dialect->getNamespace() == "stablehlo" &&
         name.hasTrait<OpTrait::IsCommutative>() &&
         name.hasTrait<OpTrait::NOperands<2>::Impl>() &&
         name.hasTrait<OpTrait::OneResult>() &&
         name.hasTrait<OpTrait::ZeroRegions>();
}

/// The operation that the short form names, or null. It must carry nothing
/// that the short form does not say.
static Operation *getShortBodyOp(ReduceOp reduce) {
  Block &block = reduce.getBody().front();
  if (reduce.getInputs().size() != 1 || block.getNumArguments() != 2 ||
      block.getOperations().size() != 2)
    return nullptr;
  Operation &inner = block.front();
  auto end = dyn_cast<ReturnOp>(block.back());
  if (!end || !isShortBodyOp(inner.getName()) ||
      !inner.getDiscardableAttrDictionary().empty() ||
      !llvm::equal(inner.getOperands(), block.getArguments()) ||
      !llvm::equal(end.getResults(), inner.getResults()))
    return nullptr;
  auto scalar = RankedTensorType::get(
      {}, getElementTypeOrSelf(reduce.getInputs().front()));
  bool hasScalarTypes = inner.getResult(0).getType() == scalar &&
                        llvm::all_of(inner.getOperandTypes(),
                                     [&](Type type) { return type == scalar; });
  return hasScalarTypes ? &inner : nullptr;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  size_t count = getInputs().size();
  printer << '(';
  llvm::interleave(
      llvm::zip_equal(getInputs(), getInitValues()), printer,
      [&](auto pair) {
        printer << std::get<0>(pair) << " init: " << std::get<1>(pair);
      },
      "), (");
  printer << ')';
  Operation *inner = getShortBodyOp(*this);
  if (inner)
    printer << " applies " << inner->getName().getStringRef();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  for (size_t i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(getBody().getArgument(i));
    printer << ", ";
    printer.printRegionArgument(getBody().getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

namespace {
using UnresolvedOperand = OpAsmParser::UnresolvedOperand;
}

/// Parses `(%x init: %c), ...`, inputs before initial values.
static ParseResult parsePairs(OpAsmParser &parser,
                              SmallVectorImpl<UnresolvedOperand> &operands) {
  SmallVector<UnresolvedOperand> inits;
  auto parseOne = [&]() -> ParseResult {
    // The public form allows a reduction of nothing.
    if (failed(parser.parseOptionalLParen()))
      return success();
    return failure(parser.parseOperand(operands.emplace_back()) ||
                   parser.parseKeyword("init") || parser.parseColon() ||
                   parser.parseOperand(inits.emplace_back()) ||
                   parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  llvm::append_range(operands, inits);
  return success();
}

/// Parses `across dimensions = [...] {attributes} : type` and resolves.
static ParseResult parseSignature(OpAsmParser &parser, OperationState &result,
                                  ArrayRef<UnresolvedOperand> operands) {
  SmallVector<int64_t> dims;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  auto parseDim = [&] { return parser.parseInteger(dims.emplace_back()); };
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.getOrAddProperties<ReduceOp::Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dims);
  return success();
}

/// Parses `reducer(%a: type, %b: type) ... { body }`.
static ParseResult parseReducer(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments, second;
  auto parseArgument = [&](OpAsmParser::Argument &argument) -> ParseResult {
    std::optional<Location> loc;
    if (parser.parseArgument(argument, /*allowType=*/true) ||
        parser.parseOptionalLocationSpecifier(loc))
      return failure();
    if (loc)
      argument.sourceLoc = loc;
    return success();
  };
  if (parser.parseKeyword("reducer"))
    return failure();
  while (succeeded(parser.parseOptionalLParen()))
    if (parseArgument(arguments.emplace_back()) || parser.parseComma() ||
        parseArgument(second.emplace_back()) || parser.parseRParen())
      return failure();
  llvm::append_range(arguments, second);
  return parser.parseRegion(*result.addRegion(), arguments);
}

/// Makes the body that the short form names.
static ParseResult buildShortBody(OpAsmParser &parser, SMLoc loc,
                                  OperationName name, OperationState &result) {
  if (result.operands.size() != 2)
    return parser.emitError(loc, "'applies' folds one input, not ")
           << result.operands.size() / 2;
  Type element = getElementTypeOrSelf(result.operands.front().getType());
  if (!getElementKind(element))
    return parser.emitError(loc, "cannot fold values of type ")
           << result.operands.front().getType();
  // The whole op's location, given at its end, is that of its body too.
  std::optional<Location> bodyLoc;
  if (parser.parseOptionalLocationSpecifier(bodyLoc))
    return failure();
  if (bodyLoc)
    result.location = *bodyLoc;
  auto scalar = RankedTensorType::get({}, element);
  Block &block = result.addRegion()->emplaceBlock();
  block.addArguments({scalar, scalar}, {result.location, result.location});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState inner(result.location, name);
  inner.addOperands(block.getArguments());
  inner.addTypes(scalar);
  Operation *op = builder.create(inner);
  ReturnOp::create(builder, result.location, op->getResults());
  return success();
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  result.location = parser.getEncodedSourceLoc(loc);
  SmallVector<UnresolvedOperand> operands;
  if (parsePairs(parser, operands))
    return failure();
  if (failed(parser.parseOptionalKeyword("applies")))
    return failure(parseSignature(parser, result, operands) ||
                   parseReducer(parser, result));
  SMLoc nameLoc = parser.getCurrentLocation();
  FailureOr<OperationName> name = parser.parseCustomOperationName();
  if (failed(name))
    return failure();
  if (!isShortBodyOp(*name))
    return parser.emitError(nameLoc, "'applies' takes a commutative stablehlo "
                                     "operation on two operands, not ")
           << name->getStringRef();
  return failure(parseSignature(parser, result, operands) ||
                 buildShortBody(parser, nameLoc, *name, result));
}

} // namespace partita::stablehlo
