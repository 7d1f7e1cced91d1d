// Peels stablehlo.while as getStaticTripCount recognises it.

#include "partita/Building/LoopPeeling.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partita/Building/TripCount.h"

using namespace mlir;

namespace partita {

std::optional<SmallVector<Operation *>> peelLastTrip(Operation *op) {
  std::optional<CountedLoop> counted = matchCountedLoop(op);
  if (!counted || counted->trips < 1)
    return std::nullopt;
  auto loop = cast<stablehlo::WhileOp>(op);
  auto compare =
      loop.getCond().front().getTerminator()->getOperand(0).getDefiningOp();
  // One step less far: the bound stays on the same side of the start.
  OpBuilder b(compare);
  auto type = cast<RankedTensorType>(compare->getOperand(1).getType());
  auto integer = cast<IntegerType>(type.getElementType());
  APInt bound(integer.getWidth(),
              static_cast<uint64_t>(counted->bound - counted->step),
              /*isSigned=*/!integer.isUnsigned(), /*implicitTrunc=*/true);
  Value nearer = stablehlo::ConstantOp::create(
      b, compare->getLoc(),
      cast<ElementsAttr>(DenseElementsAttr::get(type, bound)));
  Operation *old = compare->getOperand(1).getDefiningOp();
  compare->setOperand(1, nearer);
  if (old && isOpTriviallyDead(old))
    old->erase();

  b.setInsertionPointAfter(op);
  Block &body = loop.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), loop.getResults());
  SmallVector<Operation *> copies;
  for (Operation &nested : body.without_terminator())
    copies.push_back(b.clone(nested, mapping));
  llvm::SmallPtrSet<Operation *, 16> isCopy(copies.begin(), copies.end());
  for (auto [result, returned] :
       llvm::zip(loop.getResults(), body.getTerminator()->getOperands())) {
    Value last = mapping.lookupOrDefault(returned);
    result.replaceUsesWithIf(last, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      while (user && user->getBlock() != op->getBlock())
        user = user->getParentOp();
      return !isCopy.contains(user);
    });
  }
  return copies;
}

} // namespace partita
