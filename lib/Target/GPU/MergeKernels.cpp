// gpu-merge-kernels: equal kernels are one kernel.

#include "partita/Target/GPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "partita/Target/GPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// The kernel's text without its name and locations.
std::string getText(gpu::GPUFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope().printGenericOpForm());
  std::string name = "\"" + kernel.getName().str() + "\"";
  size_t at = text.find("sym_name = " + name);
  if (at != std::string::npos)
    text.erase(at, ("sym_name = " + name).size());
  return text;
}

struct MergeKernels : impl::MergeKernelsPassBase<MergeKernels> {
  using MergeKernelsPassBase::MergeKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<gpu::GPUFuncOp> first;
    DenseMap<StringAttr, StringAttr> kept;
    for (auto kernels :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
      for (auto kernel :
           llvm::make_early_inc_range(kernels.getOps<gpu::GPUFuncOp>())) {
        auto [it, isNew] = first.try_emplace(getText(kernel), kernel);
        if (isNew)
          continue;
        kept[kernel.getNameAttr()] = it->second.getNameAttr();
        kernel.erase();
        ++numMerged;
      }
      if (kernels.getOps<gpu::GPUFuncOp>().empty())
        kernels.erase();
    }
    module.walk([&](gpu::LaunchFuncOp launch) {
      if (StringAttr name = kept.lookup(launch.getKernelName()))
        launch.setKernelAttr(SymbolRefAttr::get(
            launch.getKernelModuleName(), {FlatSymbolRefAttr::get(name)}));
    });
  }
};

} // namespace
} // namespace partita
