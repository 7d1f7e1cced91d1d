// The two halves of a GPU program: kernels as PTX, which the driver compiles
// for its card, and the host's part as machine code that calls the CUDA
// runtime.

#include "partita/Target/GPU/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Target/GPU/PTX.h"
#include "partita/Target/GPU/Passes.h"

using namespace mlir;

namespace partita {

struct GPUProgram::Impl {
  std::unique_ptr<CompiledProgram> host;
  std::string image;
  std::unique_ptr<runtime::GPUWorld> world;
  int64_t numDevices = 1;
  runtime::GPUTransport transport = runtime::GPUTransport::Automatic;
  std::vector<size_t> inputBytes, outputBytes;
};

GPUProgram::GPUProgram() : impl(std::make_unique<Impl>()) {}
GPUProgram::~GPUProgram() = default;

double GPUProgram::getRunMs() const { return impl->world->getRunMs(); }
int64_t GPUProgram::getHostBytes() const { return impl->world->getHostBytes(); }
const CompileReport &GPUProgram::getReport() const {
  return impl->host->getReport();
}
const std::string &GPUProgram::getImage() const { return impl->image; }

static size_t getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  size_t bits = complex ? 2 * complex.getElementType().getIntOrFloatBitWidth()
                        : element.getIntOrFloatBitWidth();
  return tensor.getNumElements() * ((bits + 7) / 8);
}

static LogicalResult refuse(ModuleOp module, const Twine &message,
                            StringRef fix) {
  InFlightDiagnostic diagnostic = module.emitError() << message;
  diagnostic.attachNote() << "fix: " << fix;
  return diagnostic;
}

/// The chip of the first card that kernels are made for.
static std::string chooseChip() {
  return runtime::getComputeCapability() >= 90 ? "sm_90" : "sm_80";
}

FailureOr<std::unique_ptr<GPUProgram>>
GPUProgram::compile(ModuleOp module, int64_t numDevices,
                    const GPUProgramOptions &options) {
  int cards = 0;
  if (std::string error = runtime::findGPUs(cards); !error.empty())
    return refuse(module, "no GPU: " + error, runtime::getGPUFix());
  std::unique_ptr<GPUProgram> program(new GPUProgram());
  Impl &impl = *program->impl;
  impl.numDevices = numDevices;
  impl.transport = options.transport;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return refuse(module, "the module has no main",
                  "name the entry function main");
  for (Type type : main.getArgumentTypes())
    impl.inputBytes.push_back(getBytes(type));
  for (Type type : main.getResultTypes())
    impl.outputBytes.push_back(getBytes(type));

  OwningOpRef<ModuleOp> kernels = module.clone();
  FailureOr<std::string> image = compileToPTX(
      *kernels, options.chip.empty() ? chooseChip() : options.chip);
  if (failed(image))
    return failure();
  impl.image = std::move(*image);

  CompileOptions host;
  host.lowering = "gpu-host";
  host.buildLowering = [](OpPassManager &pm) {
    buildGPUKernels(pm);
    buildGPUHost(pm);
  };
  host.symbols = runtime::getGPUSymbols();
  host.cacheFolder = options.cacheFolder;
  FailureOr<std::unique_ptr<CompiledProgram>> compiled =
      CompiledProgram::compile(module, host);
  if (failed(compiled))
    return failure();
  impl.host = std::move(*compiled);
  return program;
}

std::string GPUProgram::run(const std::vector<DevicePointers> &inputs,
                            const std::vector<DevicePointers> &outputs) {
  if (!impl->world) {
    runtime::GPUOptions options;
    options.numDevices = impl->numDevices;
    options.arenaBytes = impl->host->getArenaBytes();
    options.image = impl->image;
    options.transport = impl->transport;
    impl->world = std::make_unique<runtime::GPUWorld>(std::move(options));
  }
  using Buffers = std::vector<std::vector<runtime::GPUWorld::HostBuffer>>;
  auto describe = [](const std::vector<DevicePointers> &pointers,
                     const std::vector<size_t> &bytes) {
    Buffers buffers(pointers.size());
    for (auto [list, places] : llvm::zip_equal(buffers, pointers))
      for (auto [place, size] : llvm::zip_equal(places, bytes))
        list.push_back({place, size});
    return buffers;
  };
  std::string error = impl->world->run(impl->host->getEntry(),
                                       describe(inputs, impl->inputBytes),
                                       describe(outputs, impl->outputBytes));
  if (!impl->world->getAbandoned().empty()) {
    // Threads that did not stop still use the code and the buffers.
    llvm::errs() << "error: " << error << "\n";
    std::_Exit(1);
  }
  return error;
}

} // namespace partita
