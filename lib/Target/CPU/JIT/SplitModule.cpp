// Takes a lowered program apart, so that its parts are compiled on several
// threads and the host's code without optimisation.

#include "MachineCode.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace partita {
namespace {

/// Small enough to keep all cores busy, large enough to pay for a pass manager.
constexpr size_t kFunctionsPerUnit = 24;

class Splitter {
public:
  explicit Splitter(ModuleOp module) : module(module), symbols(module) {}

  std::vector<CodeUnit> split();

private:
  /// Calls `visit` with each symbol of this module that `op` refers to.
  void forEachReference(Operation *op, function_ref<void(Operation *)> visit);
  void moveKernels();
  void makePublic(Operation *op);
  void declareForeign(ModuleOp unit);
  ModuleOp addUnit(bool isHost);

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<Operation *> all;
  std::vector<CodeUnit> units;
};

} // namespace

void Splitter::forEachReference(Operation *op,
                                function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *nested) {
    StringRef name;
    if (auto call = dyn_cast<LLVM::CallOp>(nested))
      name = call.getCallee().value_or("");
    else if (auto address = dyn_cast<LLVM::AddressOfOp>(nested))
      name = address.getGlobalName();
    if (name.empty())
      return;
    auto it = all.find(name);
    if (it != all.end())
      visit(it->second);
  });
}

ModuleOp Splitter::addUnit(bool isHost) {
  CodeUnit unit;
  unit.module = ModuleOp::create(module.getLoc());
  unit.isHost = isHost;
  units.push_back(std::move(unit));
  return *units.back().module;
}

/// What is in another unit is found by name.
void Splitter::makePublic(Operation *op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
    function.setLinkage(LLVM::Linkage::External);
    SymbolTable::setSymbolVisibility(op, SymbolTable::Visibility::Public);
  } else if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
    global.setLinkage(LLVM::Linkage::External);
  }
}

/// Moves marked functions to units of their own; those that refer to each other
/// stay together, so that callbacks inline what they wrap.
void Splitter::moveKernels() {
  llvm::EquivalenceClasses<Operation *> groups;
  SmallVector<Operation *> marked;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("partita.body") && !function.isExternal()) {
      marked.push_back(function);
      groups.insert(function);
    }
  for (Operation *function : marked)
    forEachReference(function, [&](Operation *other) {
      if (groups.contains(other))
        groups.unionSets(function, other);
    });
  llvm::SmallPtrSet<Operation *, 16> moved;
  ModuleOp unit;
  size_t inUnit = 0;
  for (Operation *function : marked) {
    if (moved.contains(function))
      continue;
    if (!unit || inUnit >= kFunctionsPerUnit) {
      unit = addUnit(/*isHost=*/false);
      inUnit = 0;
    }
    for (Operation *member : marked)
      if (groups.isEquivalent(member, function) &&
          moved.insert(member).second) {
        member->moveBefore(unit.getBody(), unit.getBody()->end());
        ++inUnit;
      }
  }
}

void Splitter::declareForeign(ModuleOp unit) {
  SetVector<Operation *> foreign;
  for (Operation &op : *unit.getBody())
    forEachReference(&op, [&](Operation *other) {
      if (other->getParentOp() != unit)
        foreign.insert(other);
    });
  OpBuilder b = OpBuilder::atBlockBegin(unit.getBody());
  for (Operation *op : foreign) {
    Operation *declaration = b.insert(op->cloneWithoutRegions());
    if (auto global = dyn_cast<LLVM::GlobalOp>(declaration))
      global.removeValueAttr();
  }
}

std::vector<CodeUnit> Splitter::split() {
  for (Operation &op : *module.getBody()) {
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      all[symbol.getName()] = &op;
    makePublic(&op);
  }
  ModuleOp host = addUnit(/*isHost=*/true);
  moveKernels();
  host.getBody()->getOperations().splice(host.getBody()->end(),
                                         module.getBody()->getOperations());
  for (CodeUnit &unit : units)
    declareForeign(*unit.module);
  return std::move(units);
}

std::vector<CodeUnit> splitModule(ModuleOp module) {
  return Splitter(module).split();
}

} // namespace partita
