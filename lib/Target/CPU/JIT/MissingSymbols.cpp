// Finds calls of functions that do not exist before the linker does, while
// their locations are known.

#include "MissingSymbols.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "partita/Runtime/World.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;

namespace partita {

/// Those of `module`'s external functions that have no address.
static llvm::StringSet<> findMissing(ModuleOp module,
                                     const SymbolTableEntries &symbols) {
  llvm::StringSet<> known;
  for (const SymbolTableEntries *list : {&runtime::getSymbols(), &symbols})
    for (auto [name, address] : *list)
      known.insert(name);
  // This process's own symbols, the C library's among them.
  llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  llvm::StringSet<> missing;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = function.getSymName();
    if (function.isExternal() && !name.starts_with("llvm.") &&
        !known.contains(name) &&
        !llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name.str()))
      missing.insert(name);
  }
  return missing;
}

LogicalResult checkSymbols(ModuleOp module, const SymbolTableEntries &symbols) {
  llvm::StringSet<> missing = findMissing(module, symbols);
  if (missing.empty())
    return success();
  module.walk([&](LLVM::CallOp call) {
    StringRef callee = call.getCallee().value_or("");
    if (!missing.erase(callee))
      return;
    InFlightDiagnostic diagnostic =
        call.emitError() << "calls '" << callee
                         << "', which neither the runtime nor this process has";
    diagnostic.attachNote()
        << "fix: run it by --engine=eval, or link a library with '" << callee
        << "' into the tool";
  });
  return failure();
}

} // namespace partita
