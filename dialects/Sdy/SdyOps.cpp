// Text form and verifiers of the sdy ops.
#include "dialects/Sdy/Sdy.h"

#include "dialects/Sdy/SdyText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partita::sdy;

static ParseResult parseShardingList(OpAsmParser &parser,
                                     ShardingPerValueAttr &attribute) {
  return parseShardings(parser, attribute);
}

static void printShardingList(OpAsmPrinter &printer, Operation *,
                              ShardingPerValueAttr attribute) {
  printShardings(printer, attribute);
}

/// Parses `(%arg0: type, ...) { ... }`; the body's block prints no label.
static ParseResult parseBody(OpAsmParser &parser, Region &region) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseRegion(region, arguments))
    return failure();
  ManualComputationOp::ensureTerminator(region, parser.getBuilder(),
                                        parser.getEncodedSourceLoc(loc));
  return success();
}

static void printBody(OpAsmPrinter &printer, Operation *, Region &region) {
  printer << "(";
  if (!region.empty())
    llvm::interleaveComma(
        region.getArguments(), printer,
        [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

#define GET_OP_CLASSES
#include "dialects/Sdy/SdyOps.cpp.inc"

/// Checks the sharding that an op states for its only result.
static LogicalResult verifyOwnSharding(Operation *op, ShardingAttr sharding) {
  auto emitError = [&] { return op->emitOpError(); };
  return verifySharding(sharding, op->getResult(0).getType(), op, emitError);
}

LogicalResult ShardingConstraintOp::verify() {
  return verifyOwnSharding(*this, getSharding());
}

LogicalResult ReshardOp::verify() {
  return verifyOwnSharding(*this, getSharding());
}

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() != PropagationDirection::BOTH)
    return success();
  return refuse(emitOpError() << "allows both directions and so bars nothing",
                "allow FORWARD, BACKWARD or NONE, or remove the op");
}

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  printer.printAttribute(getValue());
}

LogicalResult ConstantOp::verify() {
  auto type = cast<ShapedType>(getType());
  ShapedType valueType = getValue().getShapedType();
  // A quantized result holds the integers of the value.
  bool isPlain =
      isa<IntegerType, FloatType, ComplexType>(type.getElementType());
  if (valueType.getShape() == type.getShape() &&
      (!isPlain || valueType.getElementType() == type.getElementType()))
    return success();
  return refuse(emitOpError() << "value has type " << Type(valueType)
                              << ", the result " << Type(type),
                "give both the same type");
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The type that the body sees for a value of `type` with `sharding`: each
/// dimension divided by its manual axes. Null, with an error, if they do not
/// divide it or do not come first. Expects a verified sharding.
static Type getManualType(Type type, ShardingAttr sharding, MeshAttr mesh,
                          ManualAxesAttr manual, EmitError emitError) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || mesh.isMaximal())
    return type;
  SmallVector<int64_t> shape;
  for (auto [i, size, dim] :
       llvm::enumerate(shaped.getShape(), sharding.getDims())) {
    int64_t shards = 1;
    AxisRefAttr freeAxis;
    std::string manualNames;
    for (AxisRefAttr axis : dim.getAxes()) {
      if (!manual.contains(axis.getName())) {
        freeAxis = axis;
        continue;
      }
      if (freeAxis) {
        (void)refuse(emitError()
                         << "dimension " << i << " has manual axis "
                         << axis.str() << " after free axis " << freeAxis.str(),
                     "put the manual axes of a dimension first");
        return {};
      }
      shards *= axis.getSize(mesh);
      manualNames += (manualNames.empty() ? "" : ", ") + axis.str();
    }
    if (!ShapedType::isDynamic(size) && size % shards != 0) {
      (void)refuse(emitError()
                       << "dimension " << i << " of size " << size
                       << " does not divide by its manual axes, of size "
                       << shards << ": {" << manualNames << "} in its spec "
                       << sharding,
                   "pad the dimension to " +
                       Twine((size + shards - 1) / shards * shards) +
                       " before the region, or leave the axis out of the spec");
      return {};
    }
    shape.push_back(ShapedType::isDynamic(size) ? size : size / shards);
  }
  return shaped.clone(shape);
}

/// Checks the values that enter (or leave) the body against those outside.
static LogicalResult verifyCrossing(ManualComputationOp op, TypeRange outside,
                                    TypeRange inside,
                                    ShardingPerValueAttr shardings,
                                    StringRef valueKind) {
  if (outside.size() != inside.size())
    return refuse(op.emitOpError()
                      << "has " << outside.size() << " " << valueKind
                      << "s, but its body has " << inside.size(),
                  "give the body one value per " + valueKind);
  for (auto [i, sharding] : llvm::enumerate(shardings.getShardings())) {
    unsigned index = i;
    auto emitError = [&]() -> InFlightDiagnostic {
      return op.emitOpError() << valueKind << " " << index << ": ";
    };
    if (i >= outside.size())
      break;
    Type local = getManualType(outside[i], sharding, sharding.getMesh(op),
                               op.getManualAxes(), emitError);
    if (!local)
      return failure();
    if (local != inside[i])
      return refuse(emitError() << "the body has type " << inside[i] << ", but "
                                << outside[i]
                                << " split along the manual axes is " << local,
                    "use the local type in the body");
  }
  return success();
}

/// Checks that the manual axes are distinct and not manual further out.
static LogicalResult verifyManualAxes(ManualComputationOp op) {
  ArrayRef<StringAttr> axes = op.getManualAxes().getAxes();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (llvm::is_contained(axes.take_front(i), axis))
      return refuse(op.emitOpError()
                        << "manual axis " << axis << " is listed twice",
                    "list each manual axis once");
    for (auto outer = op->getParentOfType<ManualComputationOp>(); outer;
         outer = outer->getParentOfType<ManualComputationOp>()) {
      if (!outer.getManualAxes().contains(axis.getValue()))
        continue;
      InFlightDiagnostic error = op.emitOpError();
      error << "axis " << axis
            << " is already manual in an enclosing sdy.manual_computation";
      error.attachNote(outer.getLoc()) << "made manual here";
      return refuse(std::move(error), "make it manual once");
    }
  }
  return success();
}

LogicalResult ManualComputationOp::verify() {
  if (failed(verifyManualAxes(*this)) ||
      failed(verifyShardings(getInShardings(), getInputs().getTypes(), *this,
                             "operand")) ||
      failed(verifyShardings(getOutShardings(), getResultTypes(), *this,
                             "result")))
    return failure();
  // All shardings with axes are on one mesh, which has the manual axes.
  SmallVector<ShardingAttr> shardings(getInShardings().getShardings());
  llvm::append_range(shardings, getOutShardings().getShardings());
  MeshAttr common;
  for (ShardingAttr sharding : shardings) {
    MeshAttr mesh = sharding.getMesh(*this);
    if (mesh.isEmpty())
      continue;
    if (common && common != mesh && !getManualAxes().getAxes().empty())
      return refuse(emitOpError() << "has shardings on different meshes, "
                                  << common << " and " << mesh,
                    "use one mesh for all operands and results");
    common = mesh;
  }
  if (common)
    for (StringAttr axis : getManualAxes().getAxes())
      if (common.getAxisIndex(axis.getValue()) < 0)
        return refuse(emitOpError() << "unknown manual axis " << axis
                                    << " on mesh " << common,
                      "name axes of the mesh");
  return verifyCrossing(*this, getInputs().getTypes(),
                        getBody().getArgumentTypes(), getInShardings(),
                        "operand");
}

LogicalResult ManualComputationOp::verifyRegions() {
  Operation *terminator = getBody().front().getTerminator();
  return verifyCrossing(*this, getResultTypes(), terminator->getOperandTypes(),
                        getOutShardings(), "result");
}

/// Checks that the body's values have the types of those outside.
static LogicalResult verifySameTypes(NamedComputationOp op, TypeRange outside,
                                     TypeRange inside, StringRef valueKind) {
  if (outside.size() != inside.size())
    return refuse(op.emitOpError()
                      << "has " << outside.size() << " " << valueKind
                      << "s, but its body has " << inside.size(),
                  "give the body one value per " + valueKind);
  for (unsigned i = 0; i < outside.size(); ++i)
    if (outside[i] != inside[i])
      return refuse(op.emitOpError()
                        << valueKind << " " << i << ": has type " << outside[i]
                        << ", but " << inside[i] << " in the body",
                    "use the same type inside and outside");
  return success();
}

LogicalResult NamedComputationOp::verify() {
  if (ShardingPerValueAttr shardings = getInShardingsAttr())
    if (failed(verifyShardings(shardings, getInputs().getTypes(), *this,
                               "operand")))
      return failure();
  if (ShardingPerValueAttr shardings = getOutShardingsAttr())
    if (failed(verifyShardings(shardings, getResultTypes(), *this, "result")))
      return failure();
  return verifySameTypes(*this, getInputs().getTypes(),
                         getBody().getArgumentTypes(), "operand");
}

LogicalResult NamedComputationOp::verifyRegions() {
  Operation *terminator = getBody().front().getTerminator();
  return verifySameTypes(*this, getResultTypes(), terminator->getOperandTypes(),
                         "result");
}

//===----------------------------------------------------------------------===//
// Data-flow edges
//===----------------------------------------------------------------------===//

/// Checks what both edge ops ask of their operand.
static LogicalResult verifyEdge(Operation *op) {
  Value operand = op->getOperand(0);
  if (!cast<ShapedType>(operand.getType()).hasStaticShape())
    return refuse(op->emitOpError()
                      << "needs a static shape, got " << operand.getType(),
                  "give every dimension a size");
  if (!operand.hasOneUse())
    return refuse(op->emitOpError() << "must be the only use of its operand",
                  "let the other uses read the edge's result");
  return success();
}

LogicalResult DataFlowEdgeOp::verify() {
  if (failed(verifyEdge(*this)))
    return failure();
  ShardingAttr sharding = getShardingAttr();
  return sharding ? verifyOwnSharding(*this, sharding) : success();
}

LogicalResult FuncDataFlowEdgeOp::verify() {
  if (failed(verifyEdge(*this)))
    return failure();
  auto argument = dyn_cast<BlockArgument>(getOperand());
  bool isEdge = argument ? isa<func::FuncOp>(argument.getOwner()->getParentOp())
                         : isa<func::CallOp>(getOperand().getDefiningOp());
  if (isEdge)
    return success();
  return refuse(emitOpError() << "operand is neither a function argument nor a "
                                 "result of func.call",
                "use sdy.data_flow_edge for other ops");
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Checks the op's result sharding, then the axes that it communicates over.
static LogicalResult verifyCollective(Operation *op, ShardingAttr outSharding,
                                      ArrayRef<AxisRefAttr> axes) {
  if (failed(verifyOwnSharding(op, outSharding)))
    return failure();
  auto emitError = [&] { return op->emitOpError(); };
  return verifyAxes(axes, outSharding.getMesh(op), emitError);
}

/// Same, for an op with a list of axes per dimension.
static LogicalResult verifyCollective(Operation *op, ShardingAttr outSharding,
                                      AxisListPerDimAttr axesPerDim) {
  SmallVector<AxisRefAttr> axes;
  for (AxisListAttr list : axesPerDim.getDims())
    llvm::append_range(axes, list.getAxes());
  if (failed(verifyCollective(op, outSharding, axes)))
    return failure();
  int64_t lists = axesPerDim.getDims().size();
  if (lists == outSharding.getRank())
    return success();
  return refuse(op->emitOpError() << "has axes for " << lists
                                  << " dimensions, but its result has "
                                  << outSharding.getRank(),
                "write one {...} per dimension");
}

/// Checks that no axis of `axes` still shards a dimension of the result.
static LogicalResult verifyFreed(Operation *op, ShardingAttr outSharding,
                                 ArrayRef<AxisRefAttr> axes) {
  for (auto [i, dim] : llvm::enumerate(outSharding.getDims()))
    for (AxisRefAttr used : dim.getAxes())
      for (AxisRefAttr axis : axes)
        if (used.overlaps(axis))
          return refuse(op->emitOpError() << "axis " << axis.str()
                                          << " still shards dimension " << i
                                          << " of the result",
                        "drop it from out_sharding or from the op's axes");
  return success();
}

LogicalResult AllGatherOp::verify() {
  SmallVector<AxisRefAttr> axes;
  for (AxisListAttr list : getGatheringAxes().getDims())
    llvm::append_range(axes, list.getAxes());
  if (failed(verifyCollective(*this, getOutSharding(), getGatheringAxes())))
    return failure();
  return verifyFreed(*this, getOutSharding(), axes);
}

LogicalResult AllSliceOp::verify() {
  return verifyCollective(*this, getOutSharding(), getSlicingAxes());
}

LogicalResult CollectivePermuteOp::verify() {
  return verifyOwnSharding(*this, getOutSharding());
}

LogicalResult AllReduceOp::verify() {
  ArrayRef<AxisRefAttr> axes = getReductionAxes().getAxes();
  if (failed(verifyCollective(*this, getOutSharding(), axes)))
    return failure();
  return verifyFreed(*this, getOutSharding(), axes);
}

LogicalResult ReduceScatterOp::verify() {
  return verifyCollective(*this, getOutSharding(), getReduceScatterAxes());
}

LogicalResult ShardedToUnreducedOp::verify() {
  SmallVector<AxisRefAttr> axes;
  for (AxisListAttr list : getAxes().getDims())
    llvm::append_range(axes, list.getAxes());
  if (failed(verifyCollective(*this, getOutSharding(), getAxes())))
    return failure();
  return verifyFreed(*this, getOutSharding(), axes);
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  ArrayRef<AxisRefAttr> axes = getAxes().getAxes();
  if (failed(verifyCollective(*this, getOutSharding(), axes)))
    return failure();
  if (axes.empty())
    return refuse(emitOpError() << "names no axis", "name at least one axis");
  return verifyFreed(*this, getOutSharding(), axes);
}

LogicalResult AllToAllOp::verify() {
  ArrayRef<AllToAllParamAttr> params = getParams().getParams();
  SmallVector<AxisRefAttr> axes;
  for (AllToAllParamAttr param : params)
    llvm::append_range(axes, param.getAxes());
  if (failed(verifyCollective(*this, getOutSharding(), axes)))
    return failure();
  if (params.empty())
    return refuse(emitOpError() << "moves nothing", "give at least one move");
  int64_t rank = getOutSharding().getRank();
  for (AllToAllParamAttr param : params)
    if (param.getSource() < 0 || param.getSource() >= rank ||
        param.getTarget() < 0 || param.getTarget() >= rank ||
        param.getSource() == param.getTarget())
      return refuse(emitOpError()
                        << "moves from dimension " << param.getSource()
                        << " to " << param.getTarget() << ", but the value has "
                        << rank << " dimensions",
                    "name two different dimensions of the value");
  return success();
}
