// spmd-merge-functions: private functions with equal bodies become one.
//
// Import clones a callee per call site; clones that were partitioned the same
// way differ in name only. Callees are merged before their callers are
// compared, so whole equal call trees collapse.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Transforms/Partition/Passes.h"

namespace partita {
#define GEN_PASS_DEF_MERGEFUNCTIONSPASS
#include "partita/Transforms/Partition/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

/// The attributes that two functions must share besides type and body.
DictionaryAttr attributesWithoutName(func::FuncOp function) {
  NamedAttrList attributes(function->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(function.getContext());
}

bool areEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         attributesWithoutName(a) == attributesWithoutName(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

llvm::hash_code hashFunction(func::FuncOp function) {
  llvm::hash_code hash = llvm::hash_combine(function.getFunctionType(),
                                            attributesWithoutName(function));
  function.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(),
                              op->getDiscardableAttrDictionary(),
                              op->getResultTypes());
  });
  return hash;
}

struct MergeFunctions : impl::MergeFunctionsPassBase<MergeFunctions> {
  using MergeFunctionsPassBase::MergeFunctionsPassBase;

  /// One round over the module; true if something was merged.
  bool mergeOnce(ModuleOp module) {
    llvm::DenseMap<llvm::hash_code, SmallVector<func::FuncOp>> kept;
    llvm::StringMap<StringAttr> renamed;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!function.isPrivate() || function.isExternal())
        continue;
      SmallVector<func::FuncOp> &peers = kept[hashFunction(function)];
      auto twin = llvm::find_if(
          peers, [&](func::FuncOp peer) { return areEqual(peer, function); });
      if (twin == peers.end()) {
        peers.push_back(function);
        continue;
      }
      renamed[function.getSymName()] = twin->getSymNameAttr();
      function.erase();
      ++numMerged;
    }
    if (renamed.empty())
      return false;
    module.walk([&](func::CallOp call) {
      if (auto it = renamed.find(call.getCallee()); it != renamed.end())
        call.setCalleeAttr(FlatSymbolRefAttr::get(it->second));
    });
    return true;
  }

  void runOnOperation() override {
    while (mergeOnce(getOperation())) {
    }
  }
};

} // namespace
} // namespace partita
