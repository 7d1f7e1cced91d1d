#include "dialects/SPMD/SignatureAttributes.h"

using namespace mlir;

void partita::spmd::changeSignatureAttributes(FunctionOpInterface function,
                                              SignatureChange changeArgument,
                                              SignatureChange changeResult) {
  MLIRContext *context = function.getContext();
  auto change = [&](unsigned count, auto get, SignatureChange changeOne) {
    SmallVector<DictionaryAttr> changed;
    for (unsigned index = 0; index < count; ++index) {
      NamedAttrList attributes{DictionaryAttr(get(index))};
      changeOne(index, attributes);
      changed.push_back(attributes.getDictionary(context));
    }
    return changed;
  };
  function.setAllArgAttrs(change(
      function.getNumArguments(),
      [&](unsigned index) { return function.getArgAttrDict(index); },
      changeArgument));
  function.setAllResultAttrs(change(
      function.getNumResults(),
      [&](unsigned index) { return function.getResultAttrDict(index); },
      changeResult));
}
