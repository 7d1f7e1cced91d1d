// The HLO module: its header, and one computation per function and region.
//
// Before: the per-device program in StableHLO whose replica groups may name
// axes of the spmd meshes. After: text that XLA's parser reads.

#include "HLOWriter.h"
#include "dialects/SPMD/SPMD.h"
#include "partita/Target/XLA/HLOText.h"

using namespace mlir;

namespace partita {
namespace hlo {

/// Makes the values the result of the computation: alone, or as a tuple.
static void setResult(ComputationWriter &writer, ValueRange values,
                      bool single) {
  SmallVector<std::string> names = writer.get(values);
  writer.setRoot(single && values.size() == 1
                     ? names.front()
                     : writer.addTuple(values.getTypes(), names));
}

static LogicalResult checkTypes(TypeRange types, Location loc) {
  for (Type type : types) {
    if (hasShape(type))
      continue;
    InFlightDiagnostic diagnostic = emitError(loc)
                                    << "HLO text has no form for type " << type;
    diagnostic.attachNote()
        << "fix: use static shapes and the element types of "
           "XLA";
    return diagnostic;
  }
  return success();
}

/// `name` with what HLO's names may not hold replaced.
static std::string getIdentifier(StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '_' || c == '.' || c == '-' ? c : '_';
  return text;
}

/// Appends the computation under a new name, or names an equal one.
std::string ModuleWriter::share(ComputationWriter &computation,
                                StringRef symbol) {
  std::string name = getIdentifier(symbol), body = computation.getText();
  auto [entry, isNew] = shared.try_emplace(body);
  if (!isNew)
    return entry->second;
  unsigned count = names[name]++;
  entry->second = count == 0 ? name : name + "." + std::to_string(count);
  text += entry->second + " {\n" + body + "}\n\n";
  return entry->second;
}

LogicalResult ModuleWriter::writeBody(ComputationWriter &writer,
                                      Region &region) {
  Block &block = region.front();
  if (failed(checkTypes(block.getArgumentTypes(), region.getLoc())))
    return failure();
  for (BlockArgument argument : block.getArguments())
    writer.bind(argument, writer.addParameter(getShape(argument.getType()),
                                              argument.getLoc()));
  if (failed(writer.write(block)))
    return failure();
  setResult(writer, block.getTerminator()->getOperands(), /*single=*/true);
  return success();
}

FailureOr<std::string> ModuleWriter::addBody(Region &region, StringRef name) {
  ComputationWriter writer(*this);
  if (failed(writeBody(writer, region)))
    return failure();
  return share(writer, name);
}

FailureOr<std::string> ModuleWriter::addRegion(Region &region,
                                               ValueRange captures,
                                               bool returnsCaptures,
                                               bool single, StringRef name) {
  Block &block = region.front();
  ComputationWriter writer(*this);
  SmallVector<Value> values(block.getArguments());
  llvm::append_range(values, captures);
  if (failed(checkTypes(ValueRange(values).getTypes(), region.getLoc())))
    return failure();
  std::string tuple = writer.addParameter(
      getTupleShape(ValueRange(values).getTypes()), region.getLoc());
  for (auto [index, value] : llvm::enumerate(values))
    writer.bindElement(value, tuple, index);
  if (failed(writer.write(block)))
    return failure();
  SmallVector<Value> results(block.getTerminator()->getOperands());
  if (returnsCaptures)
    llvm::append_range(results, captures);
  setResult(writer, results, single);
  return share(writer, name);
}

FailureOr<std::string> ModuleWriter::addFunction(func::FuncOp function) {
  auto found = functions.find(function);
  if (found != functions.end())
    return found->second;
  FailureOr<std::string> name = addBody(function.getBody(), function.getName());
  if (succeeded(name))
    functions[function] = *name;
  return name;
}

FailureOr<std::string> ModuleWriter::addFunction(StringRef symbol,
                                                 Operation *user) {
  auto function = symbols.lookup<func::FuncOp>(symbol);
  if (function && !function.isExternal())
    return addFunction(function);
  InFlightDiagnostic diagnostic = user->emitOpError() << "calls @" << symbol
                                                      << ", which has no body";
  diagnostic.attachNote() << "fix: define the function in the module";
  return diagnostic;
}

/// ", input_output_alias=..., buffer_donor=...": what the caller lets the
/// program overwrite.
static std::string getDonations(func::FuncOp main) {
  SmallVector<std::string> aliases, donors;
  bool isTuple = main.getNumResults() != 1;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto alias = main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    std::string source = "(" + std::to_string(i) + ", {}";
    if (alias && alias.getInt() < main.getNumResults() &&
        main.getArgumentTypes()[i] == main.getResultTypes()[alias.getInt()])
      aliases.push_back(
          (isTuple ? getList({alias.getInt()}) : std::string("{}")) + ": " +
          source + ", may-alias)");
    else if (donor && donor.getValue())
      donors.push_back(source + ")");
  }
  std::string text;
  if (!aliases.empty())
    text += ", input_output_alias={ " + llvm::join(aliases, ", ") + " }";
  if (!donors.empty())
    text += ", buffer_donor={ " + llvm::join(donors, ", ") + " }";
  return text;
}

std::string ModuleWriter::getHeader(func::FuncOp main) {
  int64_t devices = 1;
  for (auto mesh : module.getOps<spmd::MeshOp>())
    devices = std::max(devices, mesh.getMesh().getNumDevices());
  if (auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions"))
    devices = std::max(devices, count.getInt());
  return "HloModule " + getIdentifier(module.getName().value_or("main")) +
         getDonations(main) + ", num_partitions=" + std::to_string(devices) +
         "\n\n";
}

LogicalResult ModuleWriter::write(llvm::raw_ostream &os) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal()) {
    InFlightDiagnostic diagnostic = module.emitError("the module has no main");
    diagnostic.attachNote() << "fix: name the entry function main";
    return diagnostic;
  }
  names["main"] = 1; // the entry's
  ComputationWriter entry(*this);
  if (failed(writeBody(entry, main.getBody())))
    return failure();
  os << getHeader(main) << text << "ENTRY main {\n" << entry.getText() << "}\n";
  return success();
}

} // namespace hlo

LogicalResult printHLO(ModuleOp module, llvm::raw_ostream &os) {
  return hlo::ModuleWriter(module).write(os);
}

} // namespace partita
