// The in-process compiler: machine code from the cache or from the lowering,
// linked into this process.

#include "Linker.h"
#include "MissingSymbols.h"
#include "ObjectCache.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "partita/Runtime/World.h"
#include "partita/Target/CPU/Donation.h"
#include "partita/Target/CPU/JIT.h"
#include "partita/Target/CPU/Passes.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace partita {

struct CompiledProgram::Impl {
  LinkedCode code;
  CompileReport report;
  /// Donated arguments: index, result, bytes.
  std::vector<std::array<size_t, 3>> donations;
  /// Devices of the last run, which keep their memory.
  std::unique_ptr<runtime::World> world;
};

CompiledProgram::CompiledProgram() : impl(std::make_unique<Impl>()) {}
CompiledProgram::~CompiledProgram() = default;

const CompileReport &CompiledProgram::getReport() const { return impl->report; }
int64_t CompiledProgram::getArenaBytes() const {
  return impl->report.arenaBytes;
}
void (*CompiledProgram::getEntry() const)(void **) { return impl->code.entry; }

std::string getDefaultCacheFolder() {
  SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return "";
  llvm::sys::path::append(path, "partita");
  return path.str().str();
}

namespace {

/// Milliseconds since it was made or read last.
class Watch {
public:
  double read() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    return ms;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

LogicalResult lower(ModuleOp module, const CompileOptions &options) {
  PassManager pm(module.getContext());
  // What the passes below make is checked by the translation that follows, and
  // not once per pass: that took longer than the passes.
  pm.enableVerifier(false);
  options.buildLowering ? options.buildLowering(pm) : buildCPULowering(pm);
  if (failed(pm.run(module)) || failed(verify(module)))
    return failure();
  if (module.lookupSymbol<LLVM::LLVMFuncOp>("main"))
    return success();
  InFlightDiagnostic diagnostic = module.emitError("the module has no main");
  diagnostic.attachNote() << "fix: name the entry function main";
  return diagnostic;
}

std::vector<std::array<size_t, 3>> findDonations(func::FuncOp main) {
  std::vector<std::array<size_t, 3>> donations;
  for (auto [i, result] : llvm::enumerate(getDonatedResults(main)))
    if (result >= 0)
      donations.push_back({i, size_t(result),
                           size_t(getValueBytes(main.getArgumentTypes()[i]))});
  return donations;
}

/// Lowers a copy of `module` and makes objects of it.
FailureOr<MachineCode> build(ModuleOp module, const CompileOptions &options,
                             const llvm::orc::JITTargetMachineBuilder &target,
                             CompileReport &report) {
  Watch watch;
  OwningOpRef<ModuleOp> lowered = module.clone();
  if (failed(lower(*lowered, options)))
    return failure();
  report.lowerMs = watch.read();
  if (failed(checkSymbols(*lowered, options.symbols)))
    return failure();
  FailureOr<MachineCode> code =
      generateMachineCode(*lowered, target, options.vectorizesLoops);
  report.generateMs = watch.read();
  return code;
}

} // namespace

FailureOr<std::unique_ptr<CompiledProgram>>
CompiledProgram::compile(ModuleOp module, const CompileOptions &options) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return module.emitError() << "cannot compile for this machine: "
                              << llvm::toString(target.takeError());
  std::unique_ptr<CompiledProgram> program(new CompiledProgram());
  CompileReport &report = program->impl->report;
  Watch watch;
  ObjectCache cache(options.cacheFolder);
  std::optional<std::string> key;
  std::optional<MachineCode> code;
  if (!options.cacheFolder.empty())
    key = computeCacheKey(module, options.lowering, *target);
  if (key)
    code = cache.load(*key);
  report.cacheMs = watch.read();
  report.isFromCache = code.has_value();
  if (!code) {
    FailureOr<MachineCode> built = build(module, options, *target, report);
    if (failed(built))
      return failure();
    code = std::move(*built);
    watch.read();
    if (key)
      cache.store(*key, *code);
    report.cacheMs += watch.read();
  }
  report.arenaBytes = code->arenaBytes;
  report.numKernels = code->numKernels;
  if (auto main = module.lookupSymbol<func::FuncOp>("main")) {
    report.peakBytes = report.arenaBytes + getBoundaryBytes(main);
    // Only the CPU's lowering uses donations.
    if (!options.buildLowering)
      program->impl->donations = findDonations(main);
  }
  std::string error =
      link(*code, *target, options.symbols, program->impl->code);
  report.linkMs = watch.read();
  if (!error.empty())
    return module.emitError() << "cannot link: " << error;
  return program;
}

std::string CompiledProgram::run(const std::vector<DevicePointers> &inputs,
                                 const std::vector<DevicePointers> &outputs) {
  if (!impl->world ||
      impl->world->getOptions().numDevices != int64_t(inputs.size())) {
    runtime::WorldOptions options;
    options.numDevices = inputs.size();
    options.arenaBytes = std::max<int64_t>(impl->report.arenaBytes, 64);
    impl->world = std::make_unique<runtime::World>(options);
  }
  runtime::World &world = *impl->world;
  if (std::string error = world.allocate(); !error.empty())
    return error;
  // A device that fails leaves its thread by longjmp: nothing that the call
  // below needs may live on that thread's stack.
  std::vector<std::vector<void *>> values(inputs.size());
  for (size_t device = 0; device < inputs.size(); ++device) {
    std::vector<void *> &list = values[device];
    list.push_back(nullptr); // the context
    llvm::append_range(list, inputs[device]);
    for (auto [argument, result, bytes] : impl->donations)
      list[1 + argument] = outputs[device][result];
    llvm::append_range(list, outputs[device]);
    list.push_back(world.getArena(device));
  }
  std::string error = world.run([&](partita_context *context) {
    int64_t device = partita_device_id(context);
    values[device][0] = context;
    for (auto [argument, result, bytes] : impl->donations)
      if (outputs[device][result] != inputs[device][argument])
        std::memcpy(outputs[device][result], inputs[device][argument], bytes);
    impl->code.entry(values[device].data());
  });
  if (!world.getAbandoned().empty()) {
    // Threads that did not stop still use the code and the buffers.
    llvm::errs() << "error: " << error << "\n";
    std::_Exit(1);
  }
  return error;
}

} // namespace partita
