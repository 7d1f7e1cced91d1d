// The in-process compiler: lowers, translates to LLVM IR, optimises for this
// machine, and calls main on every device.

#include "partita/Target/CPU/JIT.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "partita/Runtime/World.h"
#include "partita/Target/CPU/Passes.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdlib>

using namespace mlir;

namespace partita {

struct CompiledProgram::Impl {
  std::unique_ptr<ExecutionEngine> engine;
  void (*main)(void **) = nullptr;
  int64_t arenaBytes = 0;
};

CompiledProgram::CompiledProgram() : impl(std::make_unique<Impl>()) {}
CompiledProgram::~CompiledProgram() = default;

int64_t CompiledProgram::getArenaBytes() const { return impl->arenaBytes; }

/// Turns an LLVM error into one at the module.
static LogicalResult report(ModuleOp module, llvm::Error error) {
  return module.emitError()
         << "cannot compile: " << llvm::toString(std::move(error));
}

static LogicalResult
lowerModule(ModuleOp module, int64_t &arenaBytes,
            llvm::function_ref<void(OpPassManager &)> buildLowering) {
  PassManager pm(module.getContext());
  buildLowering ? buildLowering(pm) : buildCPULowering(pm);
  if (failed(pm.run(module)))
    return failure();
  auto main = module.lookupSymbol<LLVM::LLVMFuncOp>("main");
  if (!main) {
    InFlightDiagnostic diagnostic = module.emitError("the module has no main");
    diagnostic.attachNote() << "fix: name the entry function main";
    return diagnostic;
  }
  if (auto bytes = main->getAttrOfType<IntegerAttr>("partita.arena_bytes"))
    arenaBytes = bytes.getInt();
  return success();
}

FailureOr<std::unique_ptr<CompiledProgram>> CompiledProgram::compile(
    ModuleOp module, llvm::function_ref<void(OpPassManager &)> buildLowering) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::unique_ptr<CompiledProgram> program(new CompiledProgram());
  if (failed(lowerModule(module, program->impl->arenaBytes, buildLowering)))
    return failure();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return report(module, target.takeError());
  auto machine = target->createTargetMachine();
  if (!machine)
    return report(module, machine.takeError());
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(3, 0, machine->get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return report(module, engine.takeError());
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    for (auto [name, address] : runtime::getSymbols())
      symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                 llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  auto main = (*engine)->lookupPacked("main");
  if (!main)
    return report(module, main.takeError());
  program->impl->main = *main;
  program->impl->engine = std::move(*engine);
  return program;
}

std::string CompiledProgram::run(const std::vector<DeviceBuffers> &inputs,
                                 std::vector<DeviceBuffers> &outputs) {
  runtime::WorldOptions options;
  options.numDevices = inputs.size();
  options.arenaBytes = std::max<int64_t>(impl->arenaBytes, 64);
  runtime::World world(options);
  if (std::string error = world.allocate(); !error.empty())
    return error;
  // A device that fails leaves its thread by longjmp: nothing that the call
  // below needs may live on that thread's stack.
  std::vector<std::vector<void *>> values(inputs.size()),
      arguments(inputs.size());
  for (size_t device = 0; device < inputs.size(); ++device) {
    std::vector<void *> &list = values[device];
    list.push_back(nullptr); // the context
    for (const std::vector<char> &buffer : inputs[device])
      list.push_back(const_cast<char *>(buffer.data()));
    for (std::vector<char> &buffer : outputs[device])
      list.push_back(buffer.data());
    list.push_back(world.getArena(device));
    // The packed entry takes a pointer to each argument.
    for (void *&value : list)
      arguments[device].push_back(&value);
  }
  std::string error = world.run([&](partita_context *context) {
    int64_t device = partita_device_id(context);
    values[device][0] = context;
    impl->main(arguments[device].data());
  });
  if (!world.getAbandoned().empty()) {
    // Threads that did not stop still use the code and the buffers.
    llvm::errs() << "error: " << error << "\n";
    std::_Exit(1);
  }
  return error;
}

} // namespace partita
