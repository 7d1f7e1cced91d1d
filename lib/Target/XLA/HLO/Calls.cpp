// Calls of functions of the module and of foreign ones.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::hlo {

static Written writeFunctionCall(ComputationWriter &writer, Operation *op,
                                 StringRef callee) {
  FailureOr<std::string> name = writer.getModule().addFunction(callee, op);
  if (failed(name))
    return failure();
  writer.addOp(op, "call", ", to_apply=" + *name);
  return true;
}

/// The configuration of a typed call is in an attribute of its own.
static std::string getConfig(stablehlo::CustomCallOp op, bool &isTyped) {
  Attribute config = op.getBackendConfigAttr();
  if (auto typed = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config"))
    config = typed;
  isTyped = isa_and_nonnull<DictionaryAttr>(config);
  if (!config)
    return "";
  std::string text;
  if (auto string = dyn_cast<StringAttr>(config))
    text = string.getValue().str();
  else
    llvm::raw_string_ostream(text) << config;
  return text.empty() ? "" : ", backend_config=" + getQuoted(text);
}

static std::string getVersion(stablehlo::CustomCallOp op, bool isTyped) {
  using Version = stablehlo::CustomCallApiVersion;
  if (isTyped)
    return ", api_version=API_VERSION_TYPED_FFI";
  if (op.getApiVersion() == Version::API_VERSION_ORIGINAL ||
      op.getApiVersion() == Version::API_VERSION_UNSPECIFIED)
    return "";
  return (", api_version=" +
          stablehlo::stringifyCustomCallApiVersion(op.getApiVersion()))
      .str();
}

static std::string getAliases(stablehlo::CustomCallOp op) {
  SmallVector<std::string> aliases;
  for (auto alias : op.getOutputOperandAliases()
                        .getAsRange<stablehlo::OutputOperandAliasAttr>())
    aliases.push_back(getList(alias.getOutputTupleIndices()) + ": (" +
                      std::to_string(alias.getOperandIndex()) + ", " +
                      getList(alias.getOperandTupleIndices()) + ")");
  return aliases.empty() ? ""
                         : ", output_to_operand_aliasing={" +
                               llvm::join(aliases, ", ") + "}";
}

static Written writeCustomCall(ComputationWriter &writer,
                               stablehlo::CustomCallOp op) {
  std::string attributes =
      ", custom_call_target=" + getQuoted(op.getCallTargetName());
  std::optional<ArrayAttr> operandLayouts = op.getOperandLayouts();
  if (operandLayouts) {
    std::string shapes =
        getTupleShape(op.getInputs().getTypes(), *operandLayouts);
    attributes += ", operand_layout_constraints={" +
                  StringRef(shapes).drop_front().drop_back().str() + "}";
  }
  if (op.getHasSideEffect())
    attributes += ", custom_call_has_side_effect=true";
  attributes += getAliases(op);
  SmallVector<std::string> called;
  for (auto symbol :
       op.getCalledComputations().getAsRange<FlatSymbolRefAttr>()) {
    FailureOr<std::string> name =
        writer.getModule().addFunction(symbol.getValue(), op);
    if (failed(name))
      return failure();
    called.push_back(*name);
  }
  if (!called.empty())
    attributes += ", called_computations={" + llvm::join(called, ", ") + "}";
  bool isTyped = false;
  std::string config = getConfig(op, isTyped);
  attributes += getVersion(op, isTyped) + config;
  ArrayAttr layouts = operandLayouts
                          ? op.getResultLayouts().value_or(ArrayAttr())
                          : ArrayAttr();
  writer.bindResults(op,
                     writer.add(ComputationWriter::getResultShape(op, layouts),
                                "custom-call", writer.get(op.getInputs()),
                                attributes),
                     layouts);
  return true;
}

Written writeCall(ComputationWriter &writer, Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return writeFunctionCall(writer, op, call.getCallee());
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
    return writeFunctionCall(writer, op, composite.getDecomposition());
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return writeCustomCall(writer, call);
  return false;
}

} // namespace partita::hlo
