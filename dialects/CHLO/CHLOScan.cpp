// chlo.scan: text form and verifier.
#include "dialects/CHLO/CHLO.h"

#include "dialects/StableHLO/Inference.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::chlo;
using partita::stablehlo::Reporter;

/// The type of one step's slice of `type`: the scanned dimension removed.
static RankedTensorType getSliceType(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

/// Checks that inputs and outputs have the scanned dimension, all of one size.
static LogicalResult checkScanned(const Reporter &at, StringRef kind,
                                  TypeRange types, int64_t dim, int64_t &size) {
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = cast<RankedTensorType>(type);
    if (dim >= tensor.getRank())
      return at.fail(kind, " ", i, " has rank ", tensor.getRank(),
                     " and so no dimension ", dim, " to scan");
    int64_t own = tensor.getDimSize(dim);
    if (!stablehlo::isCompatibleSize(own, size))
      return at.fail(kind, " ", i, " has size ", own,
                     " along the scanned dimension ", dim, "; the others have ",
                     size);
    if (!ShapedType::isDynamic(own))
      size = own;
  }
  return success();
}

/// Checks the body's values against `outside`, of which the first `numSliced`
/// lose the scanned dimension.
static LogicalResult checkBodyTypes(const Reporter &at, StringRef kind,
                                    TypeRange outside, TypeRange body,
                                    size_t numSliced, int64_t dim) {
  if (outside.size() != body.size())
    return at.fail("body has ", body.size(), " ", kind, "s; it must have ",
                   outside.size());
  for (auto [i, type] : llvm::enumerate(outside)) {
    auto expected = cast<RankedTensorType>(type);
    if (i < numSliced)
      expected = getSliceType(expected, dim);
    if (!stablehlo::areCompatibleTypes(TypeRange(Type(expected)),
                                       TypeRange(body[i])))
      return at.fail(kind, " ", i, " of the body has type ", body[i],
                     "; it must be ", Type(expected));
  }
  return success();
}

LogicalResult ScanOp::verify() {
  Reporter at(*this);
  if (getInputs().empty() && getOutputs().empty())
    return at.fail("has neither inputs nor outputs");
  if (getInits().size() != getCarries().size())
    return at.fail("has ", getInits().size(), " inits, but ",
                   getCarries().size(), " carries as results");
  int64_t dim = getDimensionAttr().getInt();
  int64_t size = ShapedType::kDynamic;
  if (IntegerAttr given = getScanDimSizeAttr())
    size = given.getInt();
  if (failed(checkScanned(at, "input", getInputs().getTypes(), dim, size)) ||
      failed(checkScanned(at, "output", getOutputs().getTypes(), dim, size)))
    return failure();
  return checkBodyTypes(at, "argument", getOperandTypes(),
                        getBody().getArgumentTypes(), getInputs().size(), dim);
}

LogicalResult ScanOp::verifyRegions() {
  Reporter at(*this);
  Block &block = getBody().front();
  return checkBodyTypes(at, "result", getResultTypes(),
                        block.getTerminator()->getOperandTypes(),
                        getOutputs().size(), getDimensionAttr().getInt());
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t dimension = 0;
  FunctionType type;
  Region *body = result.addRegion();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body) || parser.parseColonType(type))
    return failure();
  int32_t numInputs = inputs.size(), numInits = inits.size();
  int32_t numResults = type.getNumResults();
  if (static_cast<int32_t>(type.getNumInputs()) != numInputs + numInits)
    return parser.emitError(loc)
           << "has " << numInputs + numInits << " operands, but the type has "
           << type.getNumInputs();
  if (numResults < numInits)
    return parser.emitError(loc) << "has " << numInits << " inits, but only "
                                 << numResults << " results to carry them";
  if (parser.resolveOperands(
          llvm::concat<OpAsmParser::UnresolvedOperand>(inputs, inits),
          type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  Builder &builder = parser.getBuilder();
  result.addAttribute(getDimensionAttrName(result.name),
                      builder.getI64IntegerAttr(dimension));
  result.addAttribute(getOperandSegmentSizeAttr(),
                      builder.getDenseI32ArrayAttr({numInputs, numInits}));
  result.addAttribute(
      getResultSegmentSizeAttr(),
      builder.getDenseI32ArrayAttr({numResults - numInits, numInits}));
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << "(";
  printer.printOperands(getInputs());
  printer << ") inits (";
  printer.printOperands(getInits());
  printer << ") dimension=" << getDimension();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getDimensionAttrName(), getOperandSegmentSizeAttr(),
                            getResultSegmentSizeAttr()});
  printer << " ";
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}
