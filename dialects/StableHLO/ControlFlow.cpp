// Control flow: text of `while`, value flow of `if`, `case` and `while` for
// passes that know only the upstream interfaces, and their verifiers.
#include "dialects/StableHLO/Inference.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace partita::stablehlo {

/// A region without results; the terminator that regions get by default.
void ReturnOp::build(OpBuilder &, OperationState &) {}

//===----------------------------------------------------------------------===//
// If and case
//===----------------------------------------------------------------------===//

/// Every branch is entered with no inputs, and leaves with the op's results.
static void getBranchSuccessors(Operation *op, RegionBranchPoint point,
                                SmallVectorImpl<RegionSuccessor> &successors) {
  if (!point.isParent()) {
    successors.emplace_back(op, op->getResults());
    return;
  }
  for (Region &region : op->getRegions())
    successors.emplace_back(&region);
}

/// One invocation of branch `taken`, or at most one of each if it is unknown.
static void getBranchBounds(Operation *op, std::optional<unsigned> taken,
                            SmallVectorImpl<InvocationBounds> &bounds) {
  for (unsigned i = 0, e = op->getNumRegions(); i < e; ++i)
    bounds.emplace_back(taken == i ? 1 : 0, !taken || taken == i ? 1 : 0);
}

/// The branch that a constant predicate takes.
static std::optional<unsigned> getTakenBranch(IfOp op,
                                              ArrayRef<Attribute> operands) {
  auto pred = dyn_cast_or_null<DenseElementsAttr>(operands.front());
  if (!pred || !pred.isSplat())
    return std::nullopt;
  return pred.getSplatValue<bool>() ? 0 : 1;
}

/// The branch that a constant index takes; out of range means the last.
static std::optional<unsigned> getTakenBranch(CaseOp op,
                                              ArrayRef<Attribute> operands) {
  auto index = dyn_cast_or_null<DenseIntElementsAttr>(operands.front());
  if (!index || !index.isSplat())
    return std::nullopt;
  int64_t value = index.getSplatValue<APInt>().getSExtValue();
  int64_t last = static_cast<int64_t>(op.getBranches().size()) - 1;
  return value < 0 || value > last ? last : value;
}

template <typename OpTy>
static void getEntryBranches(OpTy op, ArrayRef<Attribute> operands,
                             SmallVectorImpl<RegionSuccessor> &successors) {
  if (std::optional<unsigned> taken = getTakenBranch(op, operands))
    successors.emplace_back(&op->getRegion(*taken));
  else
    getBranchSuccessors(op, RegionBranchPoint::parent(), successors);
}

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &successors) {
  getBranchSuccessors(*this, point, successors);
}
void IfOp::getEntrySuccessorRegions(
    ArrayRef<Attribute> operands,
    SmallVectorImpl<RegionSuccessor> &successors) {
  getEntryBranches(*this, operands, successors);
}
void IfOp::getRegionInvocationBounds(
    ArrayRef<Attribute> operands, SmallVectorImpl<InvocationBounds> &bounds) {
  getBranchBounds(*this, getTakenBranch(*this, operands), bounds);
}
bool IfOp::areTypesCompatible(Type lhs, Type rhs) {
  return areCompatibleTypes(lhs, rhs);
}

void CaseOp::getSuccessorRegions(RegionBranchPoint point,
                                 SmallVectorImpl<RegionSuccessor> &successors) {
  getBranchSuccessors(*this, point, successors);
}
void CaseOp::getEntrySuccessorRegions(
    ArrayRef<Attribute> operands,
    SmallVectorImpl<RegionSuccessor> &successors) {
  getEntryBranches(*this, operands, successors);
}
void CaseOp::getRegionInvocationBounds(
    ArrayRef<Attribute> operands, SmallVectorImpl<InvocationBounds> &bounds) {
  getBranchBounds(*this, getTakenBranch(*this, operands), bounds);
}
bool CaseOp::areTypesCompatible(Type lhs, Type rhs) {
  return areCompatibleTypes(lhs, rhs);
}

LogicalResult IfOp::verify() {
  Reporter at(*this);
  if (getPred().getType().getRank() != 0)
    return at.fail("needs a predicate of rank 0, not ", getPred().getType());
  return success(succeeded(checkRegion(at, getTrueBranch(), "the true branch",
                                       {}, getResultTypes())) &&
                 succeeded(checkRegion(at, getFalseBranch(), "the false branch",
                                       {}, getResultTypes())));
}

LogicalResult CaseOp::verify() {
  Reporter at(*this);
  if (getIndex().getType().getRank() != 0)
    return at.fail("needs an index of rank 0, not ", getIndex().getType());
  if (getBranches().empty())
    return at.fail("needs at least one branch");
  for (auto [index, branch] : llvm::enumerate(getBranches()))
    if (failed(checkRegion(at, branch, ("branch " + Twine(index)).str(), {},
                           getResultTypes())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// While: text
//===----------------------------------------------------------------------===//

/// Text is `stablehlo.while(%iterArg = %init, ...) : types attributes {...}
/// cond {...} do {...}`; both regions name their arguments alike.
void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperand()),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair);
                        });
  printer << ')';
  if (!getOperand().empty()) {
    printer << " : ";
    llvm::interleaveComma(getOperand().getTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseOne = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  if (!operands.empty() &&
      (parser.parseColon() || parser.parseTypeList(result.types)))
    return failure();
  if (parser.resolveOperands(operands, result.types, loc, result.operands))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, result.types))
    argument.type = type;
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseKeyword("cond") ||
                 parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setNameFn) {
  for (BlockArgument argument : region.getArguments())
    setNameFn(argument, "iterArg");
}

//===----------------------------------------------------------------------===//
// While: value flow
//===----------------------------------------------------------------------===//

void WhileOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  // The condition forwards nothing: the values that it saw go on unchanged, so
  // they reach body and results from where they came.
  Operation *from = point.getTerminatorPredecessorOrNull();
  if (from && from->getParentRegion() == &getCond())
    return;
  successors.emplace_back(&getCond(), getCond().getArguments());
  successors.emplace_back(&getBody(), getBody().getArguments());
  successors.emplace_back(getOperation(), getResults());
}

OperandRange WhileOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getOperand();
}

bool WhileOp::areTypesCompatible(Type lhs, Type rhs) {
  return areCompatibleTypes(lhs, rhs);
}

SmallVector<Region *> WhileOp::getLoopRegions() {
  return {&getCond(), &getBody()};
}

MutableArrayRef<OpOperand> WhileOp::getInitsMutable() {
  return getOperation()->getOpOperands();
}

Block::BlockArgListType WhileOp::getRegionIterArgs() {
  return getBody().getArguments();
}

std::optional<MutableArrayRef<OpOperand>> WhileOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}

std::optional<ResultRange> WhileOp::getLoopResults() { return getResults(); }

LogicalResult WhileOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getOperand().getTypes());
  return success();
}

LogicalResult WhileOp::verify() {
  Reporter at(*this);
  TypeRange carried = getOperand().getTypes();
  auto predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  return success(
      succeeded(checkResultTypes(at, carried, getResultTypes())) &&
      succeeded(checkRegion(at, getCond(), "the condition", carried,
                            TypeRange(Type(predicate)))) &&
      succeeded(checkRegion(at, getBody(), "the body", carried, carried)));
}

} // namespace partita::stablehlo
