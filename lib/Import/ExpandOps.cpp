// spmd-expand-ops: ops that are defined by others become those, so that each
// later pass sees them as plain arithmetic and data movement. Before: any
// module. After: no op is left that an expansion takes; an op that none takes
// is as it was.

#include "Expansions.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_EXPANDOPSPASS
#include "partita/Import/Passes.h.inc"

//===----------------------------------------------------------------------===//
// chlo.broadcast_*
//===----------------------------------------------------------------------===//

/// `operand` broadcast to `shape`, its dimensions at the right or where `dims`
/// says.
static Value broadcastTo(OpBuilder &b, Location loc, Value operand,
                         ArrayRef<int64_t> shape,
                         std::optional<ArrayRef<int64_t>> dims) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (type.getShape() == shape)
    return operand;
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < type.getRank(); ++i)
    places.push_back(int64_t(shape.size()) - type.getRank() + i);
  // The given dimensions are those of the operand of lower rank.
  if (dims && dims->size() == places.size() && places.size() < shape.size())
    places.assign(dims->begin(), dims->end());
  return stablehlo::BroadcastInDimOp::create(b, loc, type.clone(shape), operand,
                                             places);
}

std::optional<Replacements> expandBroadcasting(Operation *op, OpBuilder &b) {
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("chlo.broadcast_") || op->getNumResults() != 1)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  std::optional<ArrayRef<int64_t>> dims;
  if (given)
    dims = given.asArrayRef();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    auto operandType = dyn_cast<RankedTensorType>(operand.getType());
    if (!operandType || !operandType.hasStaticShape())
      return std::nullopt;
    operands.push_back(
        broadcastTo(b, op->getLoc(), operand, type.getShape(), dims));
  }
  bool isChlo = name == "next_after" || name == "polygamma" || name == "zeta";
  OperationState state(op->getLoc(),
                       (isChlo ? "chlo." : "stablehlo.") + name.str());
  state.addOperands(operands);
  state.addTypes(type);
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    state.addAttribute(
        "comparison_direction",
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), *stablehlo::symbolizeComparisonDirection(
                                chlo::stringifyComparisonDirection(
                                    compare.getComparisonDirection()))));
    if (auto kind = compare.getCompareType())
      state.addAttribute(
          "compare_type",
          stablehlo::ComparisonTypeAttr::get(
              b.getContext(), *stablehlo::symbolizeComparisonType(
                                  chlo::stringifyComparisonType(*kind))));
  }
  return Replacements{b.create(state)->getResult(0)};
}

//===----------------------------------------------------------------------===//
// Calls and tuples
//===----------------------------------------------------------------------===//

std::optional<Replacements> expandComposite(Operation *op, OpBuilder &b) {
  auto composite = dyn_cast<stablehlo::CompositeOp>(op);
  if (!composite)
    return std::nullopt;
  auto call =
      func::CallOp::create(b, op->getLoc(), composite.getDecomposition(),
                           op->getResultTypes(), op->getOperands());
  return Replacements(call.getResults());
}

std::optional<Replacements> expandTupleElement(Operation *op, OpBuilder &b) {
  auto element = dyn_cast<stablehlo::GetTupleElementOp>(op);
  if (!element)
    return std::nullopt;
  auto tuple = element.getOperand().getDefiningOp<stablehlo::TupleOp>();
  if (!tuple || element.getIndex() >= tuple->getNumOperands())
    return std::nullopt;
  return Replacements{tuple->getOperand(element.getIndex())};
}

//===----------------------------------------------------------------------===//
// ApproxTopK
//===----------------------------------------------------------------------===//

/// The function that compares, if it is a block of scalar ops.
static func::FuncOp getComparator(stablehlo::CustomCallOp call) {
  auto list = call->getAttrOfType<ArrayAttr>("called_computations");
  auto symbol = list && list.size() == 1 ? dyn_cast<FlatSymbolRefAttr>(list[0])
                                         : FlatSymbolRefAttr();
  auto module = call->getParentOfType<ModuleOp>();
  auto function =
      symbol ? module.lookupSymbol<func::FuncOp>(symbol) : func::FuncOp();
  return function && llvm::hasSingleElement(function.getBody()) ? function
                                                                : nullptr;
}

std::optional<Replacements> expandApproxTopK(Operation *op, OpBuilder &b) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call || call.getCallTargetName() != "ApproxTopK")
    return std::nullopt;
  func::FuncOp comparator = getComparator(call);
  auto config = call->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  auto dimAttr = config ? config.getAs<IntegerAttr>("reduction_dim") : nullptr;
  unsigned count = op->getNumResults();
  if (!comparator || !dimAttr || op->getNumOperands() != 2 * count ||
      comparator.getNumArguments() != 2 * count)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  int64_t dim = dimAttr.getInt();
  if (!type || !resultType || !type.hasStaticShape() || dim < 0 ||
      dim >= type.getRank() || resultType.getRank() != type.getRank() ||
      resultType.getDimSize(dim) > type.getDimSize(dim))
    return std::nullopt;
  // All values in order, of which the first are taken: the exact answer is one
  // of the answers that the call may give.
  auto inputs = op->getOperands().take_front(count);
  OperationState state(op->getLoc(), stablehlo::SortOp::getOperationName());
  state.addOperands(inputs);
  state.addTypes(inputs.getTypes());
  state.addAttribute("dimension", b.getI64IntegerAttr(dim));
  state.addAttribute("is_stable", b.getBoolAttr(true));
  IRMapping mapping;
  comparator.getBody().cloneInto(state.addRegion(), mapping);
  Operation *sort = b.create(state);
  Operation *terminator = sort->getRegion(0).front().getTerminator();
  if (!isa<stablehlo::ReturnOp>(terminator)) {
    OpBuilder inner(terminator);
    stablehlo::ReturnOp::create(inner, terminator->getLoc(),
                                terminator->getOperands());
    terminator->erase();
  }
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  Replacements results;
  for (auto [sorted, result] :
       llvm::zip_equal(sort->getResults(), op->getResults()))
    results.push_back(
        stablehlo::SliceOp::create(b, op->getLoc(), result.getType(), sorted,
                                   starts, resultType.getShape(), strides));
  return results;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct ExpandOpsPass : impl::ExpandOpsPassBase<ExpandOpsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<stablehlo::StableHLODialect, chlo::CHLODialect>(
              op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      expand(op);
    eraseComparators();
    eraseTuples();
  }

  /// Tuples have no uses left where all their elements were taken; the last
  /// first, for an earlier one may be an element of it.
  void eraseTuples() {
    SmallVector<stablehlo::TupleOp> tuples;
    getOperation().walk(
        [&](stablehlo::TupleOp tuple) { tuples.push_back(tuple); });
    for (stablehlo::TupleOp tuple : llvm::reverse(tuples))
      if (tuple->use_empty())
        tuple->erase();
  }

  /// Functions of bare scalar ops, which only custom calls could name.
  void eraseComparators() {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && function.getName() != "main" &&
          isa<stablehlo::ReturnOp>(function.getBody().back().getTerminator()) &&
          SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function.erase();
  }

  void expand(Operation *op) {
    OpBuilder b(op);
    for (auto *expansion :
         {expandDynamicOp, expandNormalization, expandEinsum,
          expandBroadcasting, expandIndexSelect, expandComposite,
          expandApproxTopK, expandScan, expandTupleElement}) {
      std::optional<Replacements> values = expansion(op, b);
      if (!values)
        continue;
      moveAttributes(op, *values);
      op->replaceAllUsesWith(*values);
      op->erase();
      ++numExpanded;
      return;
    }
  }

  /// What the user wrote on the op goes to the ops that make its results now.
  static void moveAttributes(Operation *op, ValueRange values) {
    StringRef shardingsName = spmd::SPMDDialect::getShardingsAttrName();
    auto shardings = op->getAttrOfType<ArrayAttr>(shardingsName);
    for (auto [index, value] : llvm::enumerate(values)) {
      Operation *made = value.getDefiningOp();
      if (!made || !made->isBeforeInBlock(op) ||
          llvm::is_contained(op->getOperands(), value))
        continue;
      bool isWhole = made->getNumResults() == op->getNumResults();
      if (shardings && (isWhole || made->getNumResults() == 1) &&
          index < shardings.size())
        made->setAttr(shardingsName,
                      isWhole
                          ? shardings
                          : ArrayAttr::get(op->getContext(), shardings[index]));
      for (NamedAttribute attribute : op->getDiscardableAttrs())
        if (attribute.getName() != shardingsName &&
            !made->hasAttr(attribute.getName()) &&
            !attribute.getName().getValue().contains("backend_config"))
          made->setDiscardableAttr(attribute.getName(), attribute.getValue());
    }
  }
};

} // namespace

} // namespace partita
