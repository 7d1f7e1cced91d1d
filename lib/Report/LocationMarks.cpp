// A mark is a fused location of one part whose metadata is ["trace.<kind>", n].
#include "LocationMarks.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "partita/Report/PlanTrace.h"

using namespace mlir;

namespace partita {

static StringRef getKey(Mark mark) {
  return mark == Mark::Propagated ? "trace.propagated" : "trace.placed";
}

/// The number of a mark of any kind or of kind `key`; -1: `loc` is no such
/// mark.
static int64_t getNumber(Location loc, StringRef key = "") {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto metadata =
      fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  if (!metadata || metadata.size() != 2)
    return -1;
  auto name = dyn_cast<StringAttr>(metadata[0]);
  auto number = dyn_cast<IntegerAttr>(metadata[1]);
  if (!name || !number || !name.getValue().starts_with("trace.") ||
      (!key.empty() && name.getValue() != key))
    return -1;
  return number.getInt();
}

Location addMark(Location loc, Mark mark, unsigned number) {
  MLIRContext *context = loc.getContext();
  Builder b(context);
  return FusedLoc::get(context, {loc},
                       b.getArrayAttr({b.getStringAttr(getKey(mark)),
                                       b.getI64IntegerAttr(number)}));
}

static void collectMarks(Location loc, Mark mark,
                         SmallVectorImpl<unsigned> &found) {
  int64_t number = getNumber(loc, getKey(mark));
  if (number >= 0) {
    // What stands inside was marked before and is of the same op.
    if (!llvm::is_contained(found, unsigned(number)))
      found.push_back(unsigned(number));
    return;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      collectMarks(part, mark, found);
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    collectMarks(named.getChildLoc(), mark, found);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectMarks(call.getCallee(), mark, found);
  }
}

SmallVector<unsigned, 1> getMarks(Location loc, Mark mark) {
  SmallVector<unsigned, 1> found;
  collectMarks(loc, mark, found);
  return found;
}

Location removeMarks(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (getNumber(loc) >= 0)
      return removeMarks(fused.getLocations().front());
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(removeMarks(part));
    return FusedLoc::get(loc.getContext(), parts, fused.getMetadata());
  }
  if (auto named = dyn_cast<NameLoc>(loc))
    return NameLoc::get(named.getName(), removeMarks(named.getChildLoc()));
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return CallSiteLoc::get(removeMarks(call.getCallee()),
                            removeMarks(call.getCaller()));
  return loc;
}

void removeMarks(ModuleOp module) {
  // Many ops share a location.
  DenseMap<Attribute, Location> known;
  module.walk([&](Operation *op) {
    Location loc = op->getLoc();
    auto it = known.find(loc);
    if (it == known.end())
      it = known.try_emplace(loc, removeMarks(loc)).first;
    op->setLoc(it->second);
  });
}

std::string printLocation(Location loc) {
  loc = removeMarks(loc);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto named = loc->findInstanceOf<NameLoc>())
    os << named.getName().getValue();
  if (auto file = loc->findInstanceOf<FileLineColLoc>()) {
    StringRef path = file.getFilename().getValue();
    os << (text.empty() ? "" : " at ") << path.substr(path.rfind('/') + 1)
       << ":" << file.getLine() << ":" << file.getColumn();
  }
  return text;
}

} // namespace partita
