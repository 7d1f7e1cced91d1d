// spmd-mark-free-loops, spmd-free-loops: loops of different length on different
// devices run on their own.
//
// A batch of loops in one while op goes on as long as some row goes on, and
// rows that are done keep their values by selects. Partitioned along the rows,
// every trip asks all devices whether one of them goes on. The question is
// dropped where a device that is done changes nothing by going on: each value
// that the body returns is the one it got, unless the row's own condition
// holds, and nothing in the loop communicates along those axes. The first pass
// proves the former on the phase propagated, so that placement does not price
// the question; the second proves both on the phase partitioned and drops it.

#include "dialects/SPMD/FreeLoops.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/ReductionBody.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partita/Import/Passes.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_FREELOOPSPASS
#define GEN_PASS_DEF_MARKFREELOOPSPASS
#include "partita/Import/Passes.h.inc"

namespace {

/// The question that a loop asks in each trip: does a row go on, here or on
/// another device along the axes of `collective`?
struct Question {
  stablehlo::ReduceOp reduce;
  spmd::CollectiveOpInterface collective;
  /// The rows of this device.
  Value rows;
};

bool isOr(stablehlo::ReduceOp reduce) {
  return reduce && reduce.getInputs().size() == 1 &&
         cast<RankedTensorType>(reduce.getResult(0).getType()).getRank() == 0 &&
         stablehlo::matchReductionBody(reduce.getBody()) ==
             stablehlo::BodyKind::Or;
}

std::optional<Question> findQuestion(stablehlo::WhileOp loop) {
  Value predicate = loop.getCond().front().getTerminator()->getOperand(0);
  if (auto all = predicate.getDefiningOp<spmd::AllReduceOp>()) {
    auto reduce = all->getOperand(0).getDefiningOp<stablehlo::ReduceOp>();
    if (all->getNumOperands() != 1 || !isOr(reduce) ||
        all.getKind() != spmd::ReductionKind::Or)
      return std::nullopt;
    return Question{reduce, all, reduce.getInputs().front()};
  }
  auto reduce = predicate.getDefiningOp<stablehlo::ReduceOp>();
  if (!isOr(reduce))
    return std::nullopt;
  auto gather = reduce.getInputs().front().getDefiningOp<spmd::AllGatherOp>();
  if (!gather || gather->getNumOperands() != 1)
    return std::nullopt;
  return Question{reduce, gather, gather->getOperand(0)};
}

/// Proves that the body of a loop leaves everything as it is where no row of
/// the device goes on.
class FrozenLoop {
public:
  FrozenLoop(stablehlo::WhileOp loop, Value rows)
      : cond(loop.getCond().front()), body(loop.getBody().front()), rows(rows) {
  }

  bool prove() {
    // Of uneven rows, those in the padding never go on.
    if (auto select = rows.getDefiningOp<stablehlo::SelectOp>();
        select && isZero(select.getOnFalse()))
      rows = select.getOnTrue();
    Operation *terminator = body.getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
      if (!isKept(value, body.getArgument(index)))
        return false;
    return true;
  }

private:
  bool isKept(Value value, Value carried) {
    if (value == carried)
      return true;
    auto select = value.getDefiningOp<stablehlo::SelectOp>();
    return select && select.getOnFalse() == carried &&
           isFalse(select.getPred());
  }

  /// True if no element of a mask of the body is set where no row goes on.
  bool isFalse(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
      return isFalse(op->getOperand(0));
    if (isa_and_nonnull<stablehlo::AndOp>(op) &&
        (isFalse(op->getOperand(0)) || isFalse(op->getOperand(1))))
      return true;
    steps = 0;
    return isSame(mask, rows);
  }

  static bool isZero(Value value) {
    if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
      value = broadcast.getOperand();
    return matchPattern(value, m_Zero());
  }

  /// True if a value of the body is computed like one of the condition.
  bool isSame(Value inBody, Value inCond) {
    if (++steps > kMaxSteps)
      return false;
    if (inBody == inCond)
      return true;
    if (auto argument = dyn_cast<BlockArgument>(inCond))
      return argument.getOwner() == &cond &&
             inBody == body.getArgument(argument.getArgNumber());
    Operation *a = inBody.getDefiningOp(), *b = inCond.getDefiningOp();
    if (!a || !b || a->getName() != b->getName() || a->getNumRegions() ||
        !isMemoryEffectFree(a) || getAttributes(a) != getAttributes(b) ||
        a->getNumOperands() != b->getNumOperands() ||
        inBody.getType() != inCond.getType() ||
        cast<OpResult>(inBody).getResultNumber() !=
            cast<OpResult>(inCond).getResultNumber())
      return false;
    for (auto [x, y] : llvm::zip_equal(a->getOperands(), b->getOperands()))
      if (!isSame(x, y))
        return false;
    return true;
  }

  /// But for layouts, in which the two may differ.
  static DictionaryAttr getAttributes(Operation *op) {
    NamedAttrList list(op->getAttrDictionary());
    list.erase(spmd::SPMDDialect::getShardingsAttrName());
    return list.getDictionary(op->getContext());
  }

  static constexpr unsigned kMaxSteps = 256;
  Block &cond, &body;
  Value rows;
  unsigned steps = 0;
};

struct MarkFreeLoopsPass : impl::MarkFreeLoopsPassBase<MarkFreeLoopsPass> {
  void runOnOperation() override {
    getOperation().walk([&](stablehlo::WhileOp loop) {
      auto reduce = loop.getCond()
                        .front()
                        .getTerminator()
                        ->getOperand(0)
                        .getDefiningOp<stablehlo::ReduceOp>();
      if (isOr(reduce) && FrozenLoop(loop, reduce.getInputs().front()).prove())
        loop->setAttr(spmd::kRowsRunFree, UnitAttr::get(&getContext()));
    });
  }
};

struct FreeLoopsPass : impl::FreeLoopsPassBase<FreeLoopsPass> {
  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    getOperation().walk([&](stablehlo::WhileOp loop) { visit(loop); });
  }

  void visit(stablehlo::WhileOp loop) {
    loop->removeAttr(spmd::kRowsRunFree);
    std::optional<Question> question = findQuestion(loop);
    if (!question || question->collective->getParentOp() != loop ||
        !FrozenLoop(loop, question->rows).prove())
      return;
    SmallVector<spmd::AxisRefAttr> axes =
        question->collective.getCommunicationAxes();
    if (!isQuiet(loop.getCond(), axes, question->collective) ||
        !isQuiet(loop.getBody(), axes, nullptr))
      return;
    remark::passed(loop.getLoc(),
                   remark::RemarkOpts::name("FreeLoop").category("partition"))
        << remark::reason("each device leaves the loop when its own rows are "
                          "done");
    question->reduce.getInputsMutable().assign(question->rows);
    if (isa<spmd::AllReduceOp>(question->collective))
      question->collective->getResult(0).replaceAllUsesWith(
          question->reduce.getResult(0));
    question->collective->erase();
    ++numFreed;
  }

  /// True if the region has no effect, and no communication along `axes` but
  /// the one to be dropped.
  bool isQuiet(Region &region, ArrayRef<spmd::AxisRefAttr> axes,
               Operation *dropped) {
    WalkResult result = region.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
        return WalkResult(success(callee && !callee.isExternal() &&
                                  isQuiet(callee.getBody(), axes, dropped)));
      }
      auto collective = dyn_cast<spmd::CollectiveOpInterface>(op);
      if (op == dropped)
        return WalkResult::advance();
      if (collective)
        return WalkResult(
            success(!overlaps(collective.getCommunicationAxes(), axes)));
      bool isPlain = op->hasTrait<OpTrait::IsTerminator>() ||
                     op->getNumRegions() > 0 || isMemoryEffectFree(op);
      return WalkResult(success(isPlain));
    });
    return !result.wasInterrupted();
  }

  static bool overlaps(ArrayRef<spmd::AxisRefAttr> a,
                       ArrayRef<spmd::AxisRefAttr> b) {
    return llvm::any_of(a, [&](spmd::AxisRefAttr axis) {
      return llvm::any_of(b, [&](spmd::AxisRefAttr other) {
        return axis.getName() == other.getName();
      });
    });
  }

  SymbolTable *symbols = nullptr;
};

} // namespace

} // namespace partita
