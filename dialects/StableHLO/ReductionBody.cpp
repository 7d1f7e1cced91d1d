// Recognises the bodies of reductions that fold two scalars by one operation.
#include "dialects/StableHLO/ReductionBody.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::stablehlo {

StringRef stringifyBodyKind(BodyKind kind) {
  static constexpr StringLiteral names[] = {
      "add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  return names[static_cast<unsigned>(kind)];
}

/// Kind of `op` on integers or floats.
static std::optional<BodyKind> getKind(Operation *op) {
  using Kind = std::optional<BodyKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](AddOp) { return BodyKind::Add; })
      .Case([](MulOp) { return BodyKind::Mul; })
      .Case([](MaxOp) { return BodyKind::Max; })
      .Case([](MinOp) { return BodyKind::Min; })
      .Case([](AndOp) { return BodyKind::And; })
      .Case([](OrOp) { return BodyKind::Or; })
      .Case([](XorOp) { return BodyKind::Xor; })
      .Default([](Operation *) { return Kind(); });
}

/// The same operation's kind on booleans.
static BodyKind toBoolean(BodyKind kind) {
  switch (kind) {
  case BodyKind::Add:
  case BodyKind::Max:
    return BodyKind::Or;
  case BodyKind::Mul:
  case BodyKind::Min:
    return BodyKind::And;
  case BodyKind::And:
  case BodyKind::Or:
  case BodyKind::Xor:
    break;
  }
  return kind;
}

std::optional<BodyKind> matchReductionBody(Region &body, unsigned index) {
  if (!body.hasOneBlock() || body.front().empty())
    return std::nullopt;
  Block &block = body.front();
  auto end = dyn_cast<ReturnOp>(block.back());
  if (!end || index >= end.getResults().size() ||
      block.getNumArguments() != 2 * end.getResults().size())
    return std::nullopt;
  Operation *op = end.getResults()[index].getDefiningOp();
  if (!op || op->getBlock() != &block)
    return std::nullopt;
  std::optional<BodyKind> kind = getKind(op);
  if (!kind)
    return std::nullopt;
  Value first = block.getArgument(index);
  Value second = block.getArgument(index + end.getResults().size());
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  bool foldsArguments =
      (lhs == first && rhs == second) || (lhs == second && rhs == first);
  if (!foldsArguments || first.getType() != second.getType())
    return std::nullopt;
  bool isBoolean = getElementTypeOrSelf(first.getType()).isInteger(1);
  return isBoolean ? toBoolean(*kind) : *kind;
}

std::optional<BodyKind> matchReductionBody(Region &body) {
  if (!body.hasOneBlock() || body.front().getNumArguments() != 2)
    return std::nullopt;
  return matchReductionBody(body, 0);
}

} // namespace partita::stablehlo
