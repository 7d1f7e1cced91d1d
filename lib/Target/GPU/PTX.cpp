// PTX of a program's kernels, and cubin by ptxas.

#include "partita/Target/GPU/PTX.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "partita/Target/GPU/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace partita {
namespace {

/// Folders in which a CUDA toolkit is looked for: the one that the user names,
/// else that of ptxas on PATH and the usual place.
SmallVector<std::string> getToolkits() {
  SmallVector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv(name);
        value && !value->empty())
      return {*value};
  if (llvm::ErrorOr<std::string> tool = llvm::sys::findProgramByName("ptxas")) {
    SmallString<128> real;
    if (!llvm::sys::fs::real_path(*tool, real))
      folders.push_back(
          llvm::sys::path::parent_path(llvm::sys::path::parent_path(real))
              .str());
  }
  folders.push_back("/usr/local/cuda");
  return folders;
}

/// The toolkit's file, or "".
std::string findInToolkit(StringRef relative) {
  for (const std::string &folder : getToolkits()) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, relative);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

/// The folder of the toolkit that holds libdevice, whose exp, log and the like
/// the kernels call.
std::string findLibdevice() {
  std::string path = findInToolkit("nvvm/libdevice/libdevice.10.bc");
  for (int level = 0; level < 3 && !path.empty(); ++level)
    path = llvm::sys::path::parent_path(path).str();
  return path;
}

LogicalResult refuse(ModuleOp module, const Twine &message, StringRef fix) {
  InFlightDiagnostic diagnostic = module.emitError() << message;
  diagnostic.attachNote() << "fix: " << fix;
  return diagnostic;
}

} // namespace

FailureOr<std::string> compileToPTX(ModuleOp module, StringRef chip) {
  if (!isSupportedChip(chip))
    return refuse(module, "unknown chip '" + chip + "'",
                  "use chip=sm_80 or sm_90");
  std::string toolkit = findLibdevice();
  if (toolkit.empty())
    return refuse(module,
                  "no CUDA toolkit with nvvm/libdevice/libdevice.10.bc found",
                  "set CUDA_HOME to a CUDA toolkit");
  // Not among the lowering's registrations: it would bring LLVM's NVPTX back
  // end into every tool.
  DialectRegistry registry;
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  module.getContext()->appendDialectRegistry(registry);
  PassManager pm(module.getContext());
  bool isLowered =
      llvm::any_of(module.getOps<gpu::GPUModuleOp>(), [](auto kernels) {
        return kernels.getTargetsAttr() != nullptr;
      });
  if (!isLowered) {
    buildGPUKernels(pm);
    buildNVVMConversion(pm, chip);
  }
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = "isa";
  binary.toolkitPath = toolkit;
  pm.addPass(createGpuModuleToBinaryPass(binary));
  if (failed(pm.run(module)))
    return failure();
  std::string ptx;
  for (auto binaryOp : module.getOps<gpu::BinaryOp>())
    for (Attribute object : binaryOp.getObjects())
      ptx += cast<gpu::ObjectAttr>(object).getObject().getValue();
  // The object ends with a zero byte.
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  return ptx;
}

FailureOr<std::string> compileToCubin(ModuleOp module, StringRef chip) {
  FailureOr<std::string> ptx = compileToPTX(module, chip);
  if (failed(ptx))
    return failure();
  if (ptx->empty())
    return refuse(module, "the program has no kernel, so no cubin",
                  "use --spmd-to-ptx to see what is made of it");
  std::string ptxas = findInToolkit("bin/ptxas");
  if (ptxas.empty())
    return refuse(module, "ptxas not found",
                  "set CUDA_HOME to a CUDA toolkit, or put "
                  "its bin folder on PATH");
  SmallString<128> input, output, log;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("partita", "ptx", descriptor, input) ||
      llvm::sys::fs::createTemporaryFile("partita", "cubin", output) ||
      llvm::sys::fs::createTemporaryFile("partita", "log", log))
    return refuse(module, "cannot make temporary files",
                  "set TMPDIR to a folder "
                  "with space");
  llvm::FileRemover removers[] = {llvm::FileRemover(input),
                                  llvm::FileRemover(output),
                                  llvm::FileRemover(log)};
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << *ptx;
  }
  std::string architecture = ("-arch=" + chip).str();
  std::optional<StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, architecture, "-O3", input.str(), "-o", output.str()},
      std::nullopt, redirects);
  auto text = llvm::MemoryBuffer::getFile(status == 0 ? output : log);
  if (status != 0)
    return refuse(
        module,
        "ptxas refused the kernels: " +
            Twine(text ? (*text)->getBuffer().trim() : StringRef("no output")),
        "give a chip that this toolkit knows");
  return (*text)->getBuffer().str();
}

} // namespace partita
