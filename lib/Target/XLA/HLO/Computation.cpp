// The instructions of one computation.

#include "HLOWriter.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace partita::hlo {

SmallVector<Value> getCaptures(ArrayRef<Region *> regions) {
  llvm::SetVector<Value> values;
  for (Region *region : regions)
    getUsedValuesDefinedAbove(*region, values);
  SmallVector<Value> captures;
  for (Value value : values)
    if (!value.getDefiningOp<stablehlo::ConstantOp>())
      captures.push_back(value);
  return captures;
}

std::string ComputationWriter::add(const Twine &shape, StringRef opcode,
                                   ArrayRef<std::string> operands,
                                   const Twine &attributes) {
  std::string name = (opcode + "." + Twine(++opcodeCounts[opcode])).str();
  std::string text = name + " = " + shape.str() + " " + opcode.str() + "(" +
                     llvm::join(operands, ", ") + ")" + attributes.str() +
                     suffix;
  instructions.push_back({name, std::move(text)});
  return name;
}

/// ", metadata=..." where the location has a name, as JAX gives.
static std::string getMetadata(Location loc) {
  auto named = loc->findInstanceOf<NameLoc>();
  if (!named)
    return "";
  return ", metadata={op_name=" + getQuoted(named.getName()) + "}";
}

std::string ComputationWriter::addParameter(const Twine &shape, Location loc) {
  unsigned index = numParameters++;
  std::string name = "arg." + std::to_string(index);
  instructions.push_back({name, name + " = " + shape.str() + " parameter(" +
                                    std::to_string(index) + ")" +
                                    getMetadata(loc)});
  return name;
}

std::string ComputationWriter::addElement(Type type, StringRef tuple,
                                          unsigned index,
                                          DenseIntElementsAttr layout) {
  return add(getShape(type, layout), "get-tuple-element", {tuple.str()},
             ", index=" + Twine(index));
}

std::string ComputationWriter::addTuple(TypeRange types,
                                        ArrayRef<std::string> names) {
  return add(getTupleShape(types), "tuple", names);
}

std::string ComputationWriter::addSplat(Type type, Attribute element) {
  auto tensor = cast<RankedTensorType>(type);
  auto scalar = RankedTensorType::get({}, tensor.getElementType());
  std::string name = add(getShape(scalar), "constant",
                         {getLiteral(DenseElementsAttr::get(scalar, element))});
  if (tensor.getRank() == 0)
    return name;
  return add(getShape(tensor), "broadcast", {name}, ", dimensions={}");
}

std::string ComputationWriter::addBroadcast(RankedTensorType type,
                                            Value operand) {
  std::string name = get(operand);
  if (cast<RankedTensorType>(operand.getType()).getRank() == type.getRank())
    return name;
  return add(getShape(type.clone(getElementTypeOrSelf(operand.getType()))),
             "broadcast", {name}, ", dimensions={}");
}

std::string ComputationWriter::get(Value value) {
  auto found = names.find(value);
  if (found != names.end())
    return found->second;
  if (auto element = elements.find(value); element != elements.end()) {
    auto [tuple, index] = element->second;
    return names[value] = addElement(value.getType(), tuple, index);
  }
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  if (!constant || failed(write(constant))) {
    outer = value;
    return "?";
  }
  return names[value];
}

SmallVector<std::string> ComputationWriter::get(ValueRange values) {
  SmallVector<std::string> result;
  for (Value value : values)
    result.push_back(get(value));
  return result;
}

static DenseIntElementsAttr getLayout(ArrayAttr layouts, unsigned index) {
  return layouts && index < layouts.size()
             ? dyn_cast<DenseIntElementsAttr>(layouts[index])
             : DenseIntElementsAttr();
}

std::string ComputationWriter::getResultShape(Operation *op,
                                              ArrayAttr layouts) {
  return op->getNumResults() == 1
             ? getShape(op->getResult(0).getType(), getLayout(layouts, 0))
             : getTupleShape(op->getResultTypes(), layouts);
}

void ComputationWriter::bindResults(Operation *op, StringRef name,
                                    ArrayAttr layouts) {
  if (op->getNumResults() == 1)
    return bind(op->getResult(0), name);
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    if (!result.use_empty())
      bind(result, addElement(result.getType(), name, index,
                              getLayout(layouts, index)));
}

void ComputationWriter::addOp(Operation *op, StringRef opcode,
                              const Twine &attributes) {
  bindResults(
      op, add(getResultShape(op), opcode, get(op->getOperands()), attributes));
}

/// A type of an operand or result that HLO lacks.
static std::optional<Type> findForeignType(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (!hasShape(type))
      return type;
  for (Type type : op->getResultTypes())
    if (!hasShape(type))
      return type;
  return std::nullopt;
}

static std::string getSuffix(Operation *op) {
  std::string suffix;
  if (auto attributes =
          op->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes")) {
    SmallVector<std::string> entries;
    for (NamedAttribute entry : attributes)
      if (auto text = dyn_cast<StringAttr>(entry.getValue()))
        entries.push_back(entry.getName().str() + "=" +
                          getQuoted(text.getValue()));
    if (!entries.empty())
      suffix = ", frontend_attributes={" + llvm::join(entries, ",") + "}";
  }
  return suffix + getMetadata(op->getLoc());
}

LogicalResult ComputationWriter::write(Operation *op) {
  if (auto type = findForeignType(op)) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "has type " << *type
                                    << ", which HLO text has no form for";
    diagnostic.attachNote()
        << "fix: use static shapes and the element types of "
           "XLA";
    return diagnostic;
  }
  std::string outerSuffix = std::exchange(suffix, getSuffix(op));
  Written written = false;
  for (auto family :
       {writeElementwise, writeDataMovement, writeIndexing, writeContraction,
        writeReduction, writeControlFlow, writeCollective, writeMath,
        writeLinearAlgebra, writeCall}) {
    written = family(*this, op);
    if (failed(written))
      return failure();
    if (*written)
      break;
  }
  suffix = std::move(outerSuffix);
  if (!*written) {
    InFlightDiagnostic diagnostic = op->emitOpError("has no HLO form here");
    diagnostic.attachNote() << "fix: use --spmd-to-manual, in which XLA itself "
                               "expands the op";
    return diagnostic;
  }
  if (outer) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("uses a value from outside the computation it is in");
    diagnostic.attachNote(outer.getLoc()) << "it is defined here";
    diagnostic.attachNote() << "fix: pass the value to the op as an operand";
    return diagnostic;
  }
  return success();
}

LogicalResult ComputationWriter::write(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!isa<stablehlo::ConstantOp>(op) && failed(write(&op)))
      return failure(); // constants are written where they are first used
  return success();
}

std::string ComputationWriter::getText() const {
  std::string text;
  for (const Instruction &instruction : instructions)
    text +=
        (instruction.name == root ? "  ROOT " : "  ") + instruction.text + "\n";
  return text;
}

} // namespace partita::hlo
