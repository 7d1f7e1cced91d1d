// Evaluates test programs: one after the other, each function on one device.

#include "Interpret.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/ToolUtilities.h"
#include "partita/Evaluator/Evaluator.h"
#include "partita/Evaluator/ValueText.h"
#include "partita/Pipelines/InputFile.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace partita;

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
    printValue(row[0], llvm::outs(), options.printDense);
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
