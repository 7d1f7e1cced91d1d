// Names for values in diagnostics.
#include "ValueNames.h"

using namespace mlir;

namespace partita {

/// The name in `loc("x"(...))`, if there is one that is not a file position.
static std::string getLocationName(Location location) {
  std::string name;
  location->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner)) {
      name = named.getName().getValue().str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return name;
}

std::string describeArgument(func::FuncOp function, unsigned index) {
  std::string text = "argument " + std::to_string(index) + " of @" +
                     function.getSymName().str();
  if (function.isExternal())
    return text;
  std::string name = getLocationName(function.getArgument(index).getLoc());
  return name.empty() ? text : text + " ('" + name + "')";
}

std::string describeResult(func::FuncOp function, unsigned index) {
  std::string text =
      "result " + std::to_string(index) + " of @" + function.getSymName().str();
  auto info =
      function.getResultAttrOfType<StringAttr>(index, "jax.result_info");
  return info && !info.empty() ? text + " (" + info.getValue().str() + ")"
                               : text;
}

std::string describeValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto function = dyn_cast<func::FuncOp>(parent))
      return describeArgument(function, argument.getArgNumber());
    return "block argument " + std::to_string(argument.getArgNumber()) +
           " of " + parent->getName().getStringRef().str();
  }
  auto result = cast<OpResult>(value);
  return "result " + std::to_string(result.getResultNumber()) + " of " +
         result.getOwner()->getName().getStringRef().str();
}

std::string printDevices(int64_t count) {
  constexpr int64_t maxShown = 16;
  std::string text = "[";
  for (int64_t device = 0; device < std::min(count, maxShown); ++device)
    text += (device ? ", " : "") + std::to_string(device);
  if (count > maxShown)
    text += ", ..., " + std::to_string(count - 1);
  return text + "]";
}

std::string printSharding(spmd::ShardingAttr sharding) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << sharding;
  StringRef view = text;
  view.consume_front("#spmd.sharding");
  return view.str();
}

} // namespace partita
