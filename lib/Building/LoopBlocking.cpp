// Blocks stablehlo.while as getStaticTripCount recognises it.

#include "partita/Building/LoopBlocking.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/IRMapping.h"
#include "partita/Building/LocalOps.h"
#include "partita/Building/TripCount.h"

using namespace mlir;

namespace partita {
namespace {

/// A loop under construction that carries `inits` and then a counter.
class CountingLoop {
public:
  CountingLoop(OpBuilder &b, Location loc, ValueRange inits) : b(b), loc(loc) {
    SmallVector<Value> operands(inits);
    operands.push_back(emitInteger(b, loc, b.getI32Type(), 0));
    loop = stablehlo::WhileOp::create(b, loc, ValueRange(operands).getTypes(),
                                      operands);
    SmallVector<Location> locations(operands.size(), loc);
    for (Region *region : {&loop.getCond(), &loop.getBody()})
      b.createBlock(region, {}, ValueRange(operands).getTypes(), locations);
  }

  Block &getBody() { return loop.getBody().front(); }
  stablehlo::WhileOp getLoop() const { return loop; }
  /// What the loop leaves of its inits.
  ValueRange getResults() { return loop.getResults().drop_back(); }

  /// Ends the body, which gives `next` for the inits, and has the loop run
  /// `trips` times; the builder is behind the loop then.
  void finish(ValueRange next, int64_t trips) {
    Block &body = getBody(), &condition = loop.getCond().front();
    b.setInsertionPointToEnd(&body);
    SmallVector<Value> returned(next);
    returned.push_back(emitSum(b, loc, body.getArguments().back(),
                               emitInteger(b, loc, b.getI32Type(), 1)));
    stablehlo::ReturnOp::create(b, loc, returned);
    b.setInsertionPointToEnd(&condition);
    Value goesOn = stablehlo::CompareOp::create(
        b, loc, RankedTensorType::get({}, b.getI1Type()),
        condition.getArguments().back(),
        emitInteger(b, loc, b.getI32Type(), trips),
        stablehlo::ComparisonDirection::LT, stablehlo::ComparisonTypeAttr());
    stablehlo::ReturnOp::create(b, loc, goesOn);
    b.setInsertionPointAfter(loop);
  }

private:
  OpBuilder &b;
  Location loc;
  stablehlo::WhileOp loop;
};

} // namespace

std::optional<BlockedLoop> blockLoop(Operation *op, int64_t trips) {
  std::optional<int64_t> total = getStaticTripCount(op);
  if (!total || trips < 1 || trips > *total ||
      *total > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  auto loop = cast<stablehlo::WhileOp>(op);
  Location loc = op->getLoc();
  OpBuilder b(op);
  int64_t blocks = *total / trips, rest = *total % trips;

  std::optional<CountingLoop> outer;
  ValueRange inits = op->getOperands();
  if (blocks > 1) {
    outer.emplace(b, loc, inits);
    inits = outer->getBody().getArguments().drop_back();
    b.setInsertionPointToEnd(&outer->getBody());
  }
  CountingLoop inner(b, loc, inits);
  Block &body = loop.getBody().front();
  IRMapping mapping;
  std::optional<CountingLoop> last;
  if (rest > 0) {
    b.setInsertionPoint(op);
    last.emplace(b, loc, op->getOperands()); // operands are set below
    b.setInsertionPointToEnd(&last->getBody());
    mapping.map(body.getArguments(),
                last->getBody().getArguments().drop_back());
    for (Operation &nested : body.without_terminator())
      b.clone(nested, mapping);
    SmallVector<Value> next;
    for (Value returned : body.getTerminator()->getOperands())
      next.push_back(mapping.lookupOrDefault(returned));
    last->finish(next, rest);
  }

  SmallVector<Value> next(body.getTerminator()->getOperands());
  body.getTerminator()->erase();
  for (auto [argument, replacement] :
       llvm::zip(body.getArguments(), inner.getBody().getArguments()))
    argument.replaceAllUsesWith(replacement);
  for (Value &value : next)
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &body)
      value = inner.getBody().getArgument(argument.getArgNumber());
  inner.getBody().getOperations().splice(inner.getBody().end(),
                                         body.getOperations());
  inner.finish(next, trips);
  ValueRange results = inner.getResults();
  if (outer) {
    outer->finish(results, blocks);
    results = outer->getResults();
  }
  if (last) {
    last->getLoop()->setOperands(0, results.size(), results);
    results = last->getResults();
  }
  op->replaceAllUsesWith(results);
  op->erase();
  Operation *outerLoop = outer ? outer->getLoop().getOperation() : nullptr;
  return BlockedLoop{inner.getLoop(), outerLoop};
}

} // namespace partita
