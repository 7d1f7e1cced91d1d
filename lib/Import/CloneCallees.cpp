// spmd-clone-callees: one private function per call site. Before: any calls
// without recursion. After: each private function has exactly one call site;
// `main` exists.
#include "dialects/SPMD/AxisVerification.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Import/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace partita {

#define GEN_PASS_DEF_CLONECALLEESPASS
#include "partita/Import/Passes.h.inc"

namespace {

/// A use of a function's symbol by an attribute of an op.
struct CallSite {
  Operation *op;
  StringAttr attribute;
  FlatSymbolRefAttr callee;
};

class CalleeCloner {
public:
  explicit CalleeCloner(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult run();

private:
  void findSites(func::FuncOp function, SmallVectorImpl<CallSite> &sites);
  LogicalResult checkNoRecursion(func::FuncOp function);
  void cloneCallees(func::FuncOp root);

  /// More functions than any program has: clones of clones doubling without
  /// end.
  static constexpr size_t maxFunctions = 1 << 16;

  ModuleOp module;
  SymbolTable symbols;
  DenseMap<Operation *, SmallVector<CallSite>> sitesOf;
  DenseSet<Operation *> finished;
  SmallVector<CallSite> path;
  DenseSet<Operation *> claimed;
  size_t numClones = 0;
};

} // namespace

/// All uses of functions in `function`, in order. Attributes nest symbols at
/// most in one array (called_computations).
void CalleeCloner::findSites(func::FuncOp function,
                             SmallVectorImpl<CallSite> &sites) {
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      sites.push_back({op, call.getCalleeAttrName(), call.getCalleeAttr()});
      return;
    }
    // Only these others name functions; calls are nearly all.
    if (!isa<stablehlo::CompositeOp, stablehlo::CustomCallOp>(op))
      return;
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      auto add = [&](Attribute value) {
        auto symbol = dyn_cast<FlatSymbolRefAttr>(value);
        if (symbol && symbols.lookup<func::FuncOp>(symbol.getAttr()))
          sites.push_back({op, attribute.getName(), symbol});
      };
      add(attribute.getValue());
      if (auto array = dyn_cast<ArrayAttr>(attribute.getValue()))
        llvm::for_each(array, add);
    }
  });
}

LogicalResult CalleeCloner::checkNoRecursion(func::FuncOp function) {
  if (finished.contains(function))
    return success();
  auto &sites = sitesOf[function];
  findSites(function, sites);
  // The map may grow while callees are visited.
  SmallVector<CallSite> ownSites = sites;
  for (const CallSite &site : ownSites) {
    auto callee = symbols.lookup<func::FuncOp>(site.callee.getAttr());
    if (!callee)
      return spmd::failWithFix(site.op->emitOpError()
                                   << "calls " << site.callee
                                   << ", which is not defined",
                               "add the function to the module");
    path.push_back(site);
    auto start = llvm::find_if(path, [&](const CallSite &on) {
      return on.op->getParentOfType<func::FuncOp>() == callee;
    });
    if (start != path.end()) {
      InFlightDiagnostic error = site.op->emitOpError()
                                 << "closes a cycle of calls: @"
                                 << callee.getSymName();
      for (const CallSite &on : llvm::make_range(start, path.end()))
        error << " -> " << on.callee;
      for (const CallSite &on : llvm::make_range(start, path.end()))
        error.attachNote(on.op->getLoc()) << "calls " << on.callee;
      return spmd::failWithFix(std::move(error),
                               "write the recursion as a loop "
                               "(stablehlo.while)");
    }
    if (failed(checkNoRecursion(callee)))
      return failure();
    path.pop_back();
  }
  finished.insert(function);
  return success();
}

static void renameCallee(const CallSite &site, FlatSymbolRefAttr callee) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr symbol) {
    return symbol == site.callee ? callee : symbol;
  });
  Attribute value = site.op->getAttr(site.attribute);
  site.op->setAttr(site.attribute, replacer.replace(value));
}

/// Gives each call site reachable from `root` a function of its own: the first
/// site keeps the original when that is private.
void CalleeCloner::cloneCallees(func::FuncOp root) {
  SmallVector<func::FuncOp> worklist = {root};
  while (!worklist.empty()) {
    func::FuncOp function = worklist.pop_back_val();
    SmallVector<CallSite> sites;
    findSites(function, sites);
    for (const CallSite &site : sites) {
      auto callee = symbols.lookup<func::FuncOp>(site.callee.getAttr());
      if (callee.isPrivate() && claimed.insert(callee).second) {
        worklist.push_back(callee);
        continue;
      }
      if (callee.isExternal())
        continue;
      if (++numClones > maxFunctions)
        return;
      auto clone = cast<func::FuncOp>(callee->clone());
      clone.setPrivate();
      // Inserting makes the name unique.
      symbols.insert(clone, ++Block::iterator(callee));
      claimed.insert(clone);
      renameCallee(site, FlatSymbolRefAttr::get(clone.getSymNameAttr()));
      worklist.push_back(clone);
    }
  }
}

LogicalResult CalleeCloner::run() {
  if (!symbols.lookup<func::FuncOp>("main")) {
    std::string names;
    for (auto function : module.getOps<func::FuncOp>())
      names += (names.empty() ? "@" : ", @") + function.getSymName().str();
    return spmd::failWithFix(
        module.emitError() << "the module has no function @main"
                           << (names.empty() ? "" : "; it has ") << names,
        "name the entry function 'main', as jax.jit(f).lower(...) does");
  }
  SmallVector<func::FuncOp> roots;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPrivate())
      roots.push_back(function);
    if (failed(checkNoRecursion(function)))
      return failure();
  }
  for (func::FuncOp root : roots)
    cloneCallees(root);
  if (numClones > maxFunctions)
    return spmd::failWithFix(module.emitError()
                                 << "calls expand to more than " << maxFunctions
                                 << " functions, one per call site",
                             "inline small functions, or call them in a loop");
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isPrivate() && !claimed.contains(function))
      symbols.erase(function);
  return success();
}

namespace {
struct CloneCallees : impl::CloneCalleesPassBase<CloneCallees> {
  void runOnOperation() override {
    if (failed(CalleeCloner(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace partita
