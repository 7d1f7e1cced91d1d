// Operations of the spmd dialect other than the collectives: text form of the
// region ops and the checks of what stands before partition.
#include "dialects/SPMD/AttrParsing.h"
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SPMD.h"

using namespace mlir;
using namespace partita;
using namespace partita::spmd;

#include "dialects/SPMD/SPMDInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/SPMD/SPMDOps.cpp.inc"

//===----------------------------------------------------------------------===//
// ConstraintOp, ReshardOp
//===----------------------------------------------------------------------===//

static LogicalResult verifySharded(Operation *op, ShardingAttr sharding) {
  return sharding.verifyForType(op->getOperand(0).getType(),
                                lookupMesh(op, sharding.getMesh()),
                                [&]() { return op->emitOpError(); });
}

LogicalResult ConstraintOp::verify() {
  return verifySharded(*this, getSharding());
}

LogicalResult ReshardOp::verify() {
  return verifySharded(*this, getSharding());
}

int64_t ShiftOp::getLeastDistance(int64_t by, int64_t size, Outside outside) {
  if (size == 0)
    return 0;
  if (outside == Outside::Edge)
    return std::clamp(by, 1 - size, size - 1);
  by = (by % size + size) % size;
  return by > size / 2 ? by - size : by;
}

LogicalResult ShiftOp::verify() {
  int64_t rank = cast<RankedTensorType>(getInput().getType()).getRank();
  if (int64_t(getDim()) < 0 || int64_t(getDim()) >= rank)
    return failWithFix(emitOpError() << "has no dimension " << getDim()
                                     << " to move along; the rank is " << rank,
                       "dimensions are numbered from 0");
  if (getOutside() == Outside::Zero)
    return failWithFix(emitOpError() << "would move zeros in",
                       "use wrap or edge, or a pad");
  return success();
}

//===----------------------------------------------------------------------===//
// Text of region ops: `(%x, %y) ... (%a: type, ...) { ... } : types`
//===----------------------------------------------------------------------===//

/// Parses `(%a: type, ...) {region} attr-dict : (types) -> types`.
static ParseResult
parseBodyAndTypes(OpAsmParser &parser, OperationState &result,
                  ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                  SMLoc operandsLoc) {
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), operandsLoc,
                             result.operands))
    return failure();
  result.addTypes(type.getResults());
  return success();
}

static void printBodyAndTypes(OpAsmPrinter &printer, Operation *op,
                              ArrayRef<StringRef> elidedAttrs) {
  Region &body = op->getRegion(0);
  printer << " (";
  if (!body.empty())
    llvm::interleaveComma(body.getArguments(), printer,
                          [&](BlockArgument argument) {
                            printer.printRegionArgument(argument);
                          });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
  printer.printOptionalAttrDict(op->getAttrs(), elidedAttrs);
  printer << " : ";
  printer.printFunctionalType(op);
}

ParseResult ManualOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  ArrayAttr inShardings, outShardings;
  AxisListAttr manualAxes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in_shardings") || parser.parseEqual() ||
      parseShardings(parser, inShardings) ||
      parser.parseKeyword("out_shardings") || parser.parseEqual() ||
      parseShardings(parser, outShardings) ||
      parser.parseKeyword("manual_axes") || parser.parseEqual() ||
      parseAxisList(parser, manualAxes))
    return failure();
  auto &properties = result.getOrAddProperties<ManualOp::Properties>();
  properties.in_shardings = inShardings;
  properties.out_shardings = outShardings;
  properties.manual_axes = manualAxes;
  if (parseBodyAndTypes(parser, result, operands, loc))
    return failure();
  ManualOp::ensureTerminator(*result.regions.front(), parser.getBuilder(),
                             result.location);
  return success();
}

void ManualOp::print(OpAsmPrinter &printer) {
  printer << " (" << getInputs() << ") in_shardings=";
  printShardings(printer, getInShardings());
  printer << " out_shardings=";
  printShardings(printer, getOutShardings());
  printer << " manual_axes=";
  printAxisList(printer, *this, getManualAxes());
  printBodyAndTypes(printer, *this,
                    {"in_shardings", "out_shardings", "manual_axes"});
}

ParseResult StartOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parseBodyAndTypes(parser, result, operands, loc))
    return failure();
  StartOp::ensureTerminator(*result.regions.front(), parser.getBuilder(),
                            result.location);
  return success();
}

void StartOp::print(OpAsmPrinter &printer) {
  printer << " (" << getInputs() << ")";
  printBodyAndTypes(printer, *this, {});
}

//===----------------------------------------------------------------------===//
// ManualOp
//===----------------------------------------------------------------------===//

OperandRange ManualOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getInputs();
}

void ManualOp::getSuccessorRegions(RegionBranchPoint point,
                                   SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody(), getBody().getArguments());
  else
    regions.emplace_back(getOperation(), getResults());
}

// The body sees shards: its types are checked against the shardings instead.
bool ManualOp::areTypesCompatible(Type, Type) { return true; }

static bool isManualAxis(AxisRefAttr axis, ArrayRef<AxisRefAttr> manualAxes) {
  return llvm::any_of(manualAxes, [&](AxisRefAttr manual) {
    return manual.getName() == axis.getName();
  });
}

Type ManualOp::getManualType(Type type, ShardingAttr sharding,
                             ArrayRef<AxisRefAttr> manualAxes, MeshAttr mesh) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, dim] : llvm::zip(shape, sharding.getDims()))
    for (AxisRefAttr axis : dim.getAxes()) {
      int64_t axisSize = axis.getSize(mesh);
      if (isManualAxis(axis, manualAxes) && axisSize > 0 &&
          !ShapedType::isDynamic(size))
        size /= axisSize;
    }
  return tensor.clone(shape);
}

FlatSymbolRefAttr ManualOp::getMeshName() {
  for (ArrayAttr list : {getInShardings(), getOutShardings()})
    if (!list.empty())
      return cast<ShardingAttr>(list[0]).getMesh();
  return {};
}

/// Checks one entry of in_shardings or out_shardings against the global type:
/// manual axes come first in each dimension and divide it.
static LogicalResult verifyManualSharding(ManualOp op, ShardingAttr sharding,
                                          Type type, MeshAttr mesh,
                                          EmitErrorFn emitError) {
  if (sharding.getMesh() != op.getMeshName())
    return failWithFix(emitError() << "is on mesh " << sharding.getMesh()
                                   << ", but others are on "
                                   << op.getMeshName(),
                       "use one mesh in one spmd.manual");
  if (failed(sharding.verifyForType(type, mesh, emitError)))
    return failure();
  ArrayRef<AxisRefAttr> manualAxes = op.getManualAxes().getAxes();
  for (auto [index, dim] : llvm::enumerate(sharding.getDims())) {
    int64_t count = 1;
    bool sawFree = false;
    for (AxisRefAttr axis : dim.getAxes()) {
      bool isManual = isManualAxis(axis, manualAxes);
      if (isManual && sawFree)
        return failWithFix(emitError() << "manual axis " << axis.str()
                                       << " follows a free axis in dimension "
                                       << index,
                           "put the manual axes first in each dimension");
      sawFree |= !isManual;
      count *= isManual ? axis.getSize(mesh) : 1;
    }
    int64_t size = cast<RankedTensorType>(type).getDimSize(index);
    if (count > 1 && size % count != 0)
      return failWithFix(emitError() << "dimension " << index << " of size "
                                     << size << " does not divide into the "
                                     << count
                                     << " shards of its manual axes: "
                                     << sharding,
                         "pad the dimension to a multiple of the shards, or "
                         "leave the axis out of the sharding");
  }
  return success();
}

LogicalResult ManualOp::verify() {
  if (getInShardings().size() != getInputs().size())
    return failWithFix(emitOpError() << "has " << getInShardings().size()
                                     << " in_shardings for "
                                     << getInputs().size() << " operands",
                       "write one sharding per operand");
  if (getOutShardings().size() != getNumResults())
    return failWithFix(emitOpError() << "has " << getOutShardings().size()
                                     << " out_shardings for "
                                     << getNumResults() << " results",
                       "write one sharding per result");
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return failWithFix(emitOpError() << "body has " << body.getNumArguments()
                                     << " arguments for " << getInputs().size()
                                     << " operands",
                       "give the body one argument per operand");
  // Before the region interface compares the counts with a less clear message.
  auto terminator =
      body.empty() ? ReturnOp() : dyn_cast<ReturnOp>(body.back());
  if (terminator && terminator.getResults().size() != getNumResults())
    return failWithFix(emitOpError() << "body returns "
                                     << terminator.getResults().size()
                                     << " values for " << getNumResults()
                                     << " results",
                       "return one value per result");
  FlatSymbolRefAttr meshName = getMeshName();
  if (!meshName)
    return success();
  FailureOr<MeshAttr> mesh = requireMesh(*this, meshName);
  if (failed(mesh))
    return failure();
  ArrayRef<AxisRefAttr> manualAxes = getManualAxes().getAxes();
  auto emitError = [&]() { return emitOpError() << "manual_axes: "; };
  if (failed(verifyAxes(manualAxes, *mesh, emitError)))
    return failure();
  for (AxisRefAttr axis : manualAxes)
    if (axis.isSubAxis())
      return failWithFix(emitError() << "sub-axis " << axis.str()
                                     << " cannot be manual",
                         "make the whole axis \"" + axis.getName() +
                             "\" manual");
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    auto sharding = cast<ShardingAttr>(getInShardings()[index]);
    if (failed(verifyManualSharding(
            *this, sharding, input.getType(), *mesh, [&, number = index]() {
              return emitOpError() << "in_shardings[" << number << "]: ";
            })))
      return failure();
    Type expected = getManualType(input.getType(), sharding, manualAxes, *mesh);
    if (body.getArgument(index).getType() != expected)
      return failWithFix(emitOpError()
                             << "body argument " << index << " has type "
                             << body.getArgument(index).getType() << ", but "
                             << input.getType() << " as " << sharding
                             << " enters as " << expected,
                         "use the type of the shard along the manual axes");
  }
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (failed(verifyManualSharding(
            *this, cast<ShardingAttr>(getOutShardings()[index]), type, *mesh,
            [&, number = index]() {
              return emitOpError() << "out_shardings[" << number << "]: ";
            })))
      return failure();
  return success();
}

LogicalResult ManualOp::verifyRegions() {
  // `verify` has seen that the counts agree.
  Operation *terminator = getBody().front().getTerminator();
  MeshAttr mesh = lookupMesh(*this, getMeshName());
  for (auto [index, type] : llvm::enumerate(getResultTypes())) {
    Type expected =
        getManualType(type, cast<ShardingAttr>(getOutShardings()[index]),
                      getManualAxes().getAxes(), mesh);
    if (terminator->getOperand(index).getType() != expected)
      return failWithFix(emitOpError()
                             << "body returns "
                             << terminator->getOperand(index).getType()
                             << " as result " << index << ", but " << type
                             << " as " << getOutShardings()[index]
                             << " leaves as " << expected,
                         "use the type of the shard along the manual axes");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// StartOp, DoneOp
//===----------------------------------------------------------------------===//

LogicalResult StartOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes())
    return failWithFix(emitOpError()
                           << "body arguments have types ("
                           << body.getArgumentTypes() << "), operands ("
                           << getInputs().getTypes() << ")",
                       "give the body one argument of the same type per "
                       "operand");
  return success();
}

LogicalResult StartOp::verifyRegions() {
  Block &body = getBody().front();
  Operation *collective = &body.front();
  if (body.getOperations().size() != 2 ||
      !isa<CollectiveOpInterface>(collective) || isa<StartOp>(collective))
    return failWithFix(emitOpError() << "body is not one collective",
                       "start each collective on its own");
  if (collective->getOperands() != body.getArguments() ||
      body.getTerminator()->getOperands() != collective->getResults())
    return failWithFix(emitOpError()
                           << "body does not pass its arguments to the "
                              "collective and return its results, in order",
                       "use each argument and result once, in order");
  if (getFuture().getType().getTypes() !=
      ArrayRef<Type>(llvm::to_vector(collective->getResultTypes())))
    return failWithFix(emitOpError() << "gives " << getFuture().getType()
                                     << ", but the collective gives ("
                                     << collective->getResultTypes() << ")",
                       "list the collective's result types in the future");
  return success();
}

LogicalResult DoneOp::verify() {
  if (getFuture().getType().getTypes() !=
      ArrayRef<Type>(llvm::to_vector(getResultTypes())))
    return failWithFix(emitOpError() << "gives (" << getResultTypes()
                                     << "), but waits for "
                                     << getFuture().getType(),
                       "give the types that the future lists");
  return success();
}
