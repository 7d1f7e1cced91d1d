// Contexts of ops in manual regions.
#include "ManualContext.h"

#include "dialects/SPMD/AxisVerification.h"

using namespace mlir;

namespace partita {

bool ManualContext::contains(spmd::AxisRefAttr axis) const {
  return llvm::any_of(axes, [&](spmd::AxisRefAttr manual) {
    return manual.getName() == axis.getName();
  });
}

ManualContexts::ManualContexts(ModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](func::CallOp call) {
    if (auto callee =
            symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr()))
      callersOf[callee].push_back(call);
  });
}

FailureOr<ManualContext> ManualContexts::lookup(Operation *op) {
  Operation *parent = op->getParentOp();
  if (!parent || isa<ModuleOp>(parent))
    return ManualContext();
  if (auto found = known.find(parent); found != known.end())
    return found->second;
  ManualContext context;
  if (auto function = dyn_cast<func::FuncOp>(parent)) {
    SmallVector<Operation *> callers = callersOf.lookup(function);
    // Ends the search in a cycle of calls; spmd-clone-callees refuses those.
    known[parent] = context;
    for (auto [index, caller] : llvm::enumerate(callers)) {
      FailureOr<ManualContext> own = lookup(caller);
      if (failed(own))
        return failure();
      bool same = index == 0 || (own->meshName == context.meshName &&
                                 own->axes == context.axes);
      if (!same) {
        InFlightDiagnostic error =
            op->emitOpError()
            << "is in @" << function.getSymName()
            << ", which is called under different manual axes";
        for (Operation *site : callers)
          error.attachNote(site->getLoc()) << "called here";
        return spmd::failWithFix(std::move(error),
                                 "run spmd-clone-callees first");
      }
      context = *own;
    }
  } else {
    FailureOr<ManualContext> outer = lookup(parent);
    if (failed(outer))
      return failure();
    context = *outer;
    if (auto manual = dyn_cast<spmd::ManualOp>(parent)) {
      context.region = manual;
      if (FlatSymbolRefAttr name = manual.getMeshName()) {
        context.meshName = name;
        context.mesh = spmd::lookupMesh(manual, name);
      }
      llvm::append_range(context.axes, manual.getManualAxes().getAxes());
      if (context.mesh)
        llvm::sort(context.axes, [&](auto a, auto b) {
          return context.mesh.getAxisIndex(a.getName()) <
                 context.mesh.getAxisIndex(b.getName());
        });
    }
  }
  known[parent] = context;
  return context;
}

} // namespace partita
