// Evaluates test programs: one after the other, each function on one device.

#include "Interpret.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/ToolUtilities.h"
#include "partita/Evaluator/Evaluator.h"
#include "partita/Pipelines/InputFile.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace partita;

namespace {

/// Prints values as MLIR prints their elements.
class ValuePrinter {
public:
  ValuePrinter(const Tensor &tensor, llvm::raw_ostream &os)
      : tensor(tensor), type(tensor.getTensorType()), os(os) {}

  void print(bool asDense);

private:
  Attribute getElement(int64_t index) const;
  void printElement(int64_t index);
  void printRow(unsigned dim, int64_t first, int64_t count, unsigned indent);

  const Tensor &tensor;
  RankedTensorType type;
  llvm::raw_ostream &os;
};

} // namespace

/// A number of `type` from its bytes.
static Attribute readNumber(Type type, ArrayRef<char> bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  unsigned width = type.getIntOrFloatBitWidth();
  APInt bits(64, word);
  bits = bits.trunc(width);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), bits));
  return IntegerAttr::get(type, bits);
}

Attribute ValuePrinter::getElement(int64_t index) const {
  std::vector<char> bytes = tensor.toBytes(nullptr);
  int64_t size = bytes.size() / type.getNumElements();
  ArrayRef<char> element = ArrayRef(bytes).slice(index * size, size);
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return readNumber(type.getElementType(), element);
  Type part = complex.getElementType();
  return ArrayAttr::get(type.getContext(),
                        {readNumber(part, element.take_front(size / 2)),
                         readNumber(part, element.drop_front(size / 2))});
}

void ValuePrinter::printElement(int64_t index) {
  Attribute element = getElement(index);
  auto pair = dyn_cast<ArrayAttr>(element);
  if (!pair)
    return element.print(os, /*elideType=*/true);
  os << "[";
  pair[0].print(os, /*elideType=*/true);
  os << ", ";
  pair[1].print(os, /*elideType=*/true);
  os << "]";
}

/// Elements [first, first + count), which are dimension `dim` and those below.
void ValuePrinter::printRow(unsigned dim, int64_t first, int64_t count,
                            unsigned indent) {
  int64_t size = type.getDimSize(dim);
  bool isLast = dim + 1 == type.getRank() || size == 0;
  os.indent(indent) << "[";
  for (int64_t i = 0; i < size; ++i) {
    int64_t part = count / size;
    if (isLast) {
      os << (i ? ", " : "");
      printElement(first + i);
      continue;
    }
    os << (i ? ",\n" : "\n");
    printRow(dim + 1, first + i * part, part, indent + 2);
  }
  if (!isLast)
    os << "\n", os.indent(indent);
  os << "]";
}

void ValuePrinter::print(bool asDense) {
  if (!type) {
    tensor.print(os, nullptr);
    os << "\n";
    return;
  }
  if (asDense) {
    SmallVector<Attribute> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(getElement(i));
    os << DenseElementsAttr::get(type, elements) << "\n";
    return;
  }
  os << type << " {";
  if (type.getRank() == 0) {
    printElement(0);
  } else {
    os << "\n";
    printRow(0, 0, type.getNumElements(), 2);
    os << "\n";
  }
  os << "}\n";
}

/// The values of `--args`, one per argument of main.
static FailureOr<DeviceValues> readArguments(ModuleOp module, StringRef text) {
  auto refuse = [&]() -> LogicalResult {
    llvm::errs() << "error: --args is no array of constants: '" << text
                 << "'\nnote: fix: write --args=[dense<1> : tensor<2xi32>, "
                    "...], a value per argument of main\n";
    return failure();
  };
  auto list =
      dyn_cast_or_null<ArrayAttr>(parseAttribute(text, module.getContext()));
  if (!list)
    return refuse();
  DeviceValues values;
  for (Attribute attribute : list) {
    auto elements = dyn_cast<ElementsAttr>(attribute);
    Tensor value =
        elements ? Tensor::fromAttribute(elements, nullptr) : Tensor();
    if (!value)
      return refuse();
    values.push_back({value});
  }
  return values;
}

static LogicalResult interpret(func::FuncOp function,
                               const DeviceValues &inputs,
                               const InterpretOptions &options) {
  FailureOr<DeviceValues> results =
      evaluate(function, inputs, /*numDevices=*/1, EvaluatorOptions());
  if (failed(results))
    return failure();
  for (const auto &row : *results)
    ValuePrinter(row[0], llvm::outs()).print(options.printDense);
  return success();
}

static LogicalResult interpretModule(ModuleOp module,
                                     const InterpretOptions &options) {
  if (!options.arguments.empty()) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main)
      return module.emitError("--args is for main, but the module has none");
    FailureOr<DeviceValues> inputs = readArguments(module, options.arguments);
    return succeeded(inputs) ? interpret(main, *inputs, options) : failure();
  }
  LogicalResult result = success();
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && function.getNumArguments() == 0 &&
        !function.isExternal() && failed(interpret(function, {}, options)))
      result = failure();
  return result;
}

LogicalResult partita::interpretFile(MLIRContext &context, StringRef path,
                                     const InterpretOptions &options) {
  InputFile input = openInput(path, Bytecode::Own);
  if (!input.buffer) {
    llvm::errs() << path << ":1:1: error: " << input.error << "\n"
                 << path << ":1:1: note: fix: " << input.fix << "\n";
    return failure();
  }
  auto process = [&](std::unique_ptr<llvm::MemoryBuffer> chunk,
                     llvm::raw_ostream &) -> LogicalResult {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(chunk), llvm::SMLoc());
    SourceMgrDiagnosticHandler printer(sources, &context);
    auto module = parseSourceFile<ModuleOp>(sources, &context);
    return module ? interpretModule(*module, options) : failure();
  };
  return splitAndProcessBuffer(std::move(input.buffer), process, llvm::outs(),
                               options.splitInputFile ? kDefaultSplitMarker
                                                      : StringRef());
}
