// Builds the lists of attributes once per function.
#include "dialects/SPMD/SignatureAttributes.h"

using namespace mlir;

void partita::spmd::changeSignatureAttributes(FunctionOpInterface function,
                                              SignatureChange change) {
  auto changeAll = [&](ArrayRef<Type> types, auto get) {
    SmallVector<DictionaryAttr> changed;
    for (auto [index, type] : llvm::enumerate(types)) {
      NamedAttrList attributes{DictionaryAttr(get(index))};
      change(attributes, type);
      changed.push_back(attributes.getDictionary(function.getContext()));
    }
    return changed;
  };
  function.setAllArgAttrs(
      changeAll(function.getArgumentTypes(), [&](unsigned index) {
        return function.getArgAttrDict(index);
      }));
  function.setAllResultAttrs(
      changeAll(function.getResultTypes(), [&](unsigned index) {
        return function.getResultAttrDict(index);
      }));
}
