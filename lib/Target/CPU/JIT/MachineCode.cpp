// From the LLVM dialect to native objects. Kernels are optimised; the host's
// code, which only calls them, is not: on a large model it is most of the text
// and none of the time.

#include "MachineCode.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

#include <atomic>
#include <thread>

using namespace mlir;

namespace partita {
namespace {

/// A unit on its way to an object.
struct Job {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  bool isHost = false, vectorizesLoops = true;
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::string error;
};

/// void partita_entry(void **values): main(values[0], values[1], ...).
void addEntry(llvm::Module &module) {
  llvm::Function *main = module.getFunction("main");
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer},
                              /*isVarArg=*/false);
  auto *entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                       kEntryName, module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", entry));
  llvm::SmallVector<llvm::Value *> arguments;
  for (unsigned i = 0; i < main->arg_size(); ++i) {
    llvm::Value *at = b.CreateConstGEP1_64(pointer, entry->getArg(0), i);
    arguments.push_back(b.CreateLoad(main->getArg(i)->getType(), at));
  }
  b.CreateCall(main, arguments);
  b.CreateRetVoid();
}

void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine,
                     bool vectorizesLoops) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = vectorizesLoops;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

/// Folds the descriptors of memrefs away; no more.
void simplifyHost(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionAnalysisManager functions;
  llvm::PassBuilder builder(&machine);
  builder.registerFunctionAnalyses(functions);
  // EarlyCSE asks for the proxies' analyses of no other level.
  llvm::EarlyCSEPass pass(/*UseMemorySSA=*/false);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      pass.run(function, functions);
}

void compileJob(Job &job, llvm::orc::JITTargetMachineBuilder target) {
  target.setCodeGenOptLevel(job.isHost ? llvm::CodeGenOptLevel::None
                                       : llvm::CodeGenOptLevel::Default);
  auto machine = target.createTargetMachine();
  if (!machine) {
    job.error = llvm::toString(machine.takeError());
    return;
  }
  llvm::Module &module = *job.module;
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  if (job.isHost)
    simplifyHost(module, **machine);
  else
    optimizeKernels(module, **machine, job.vectorizesLoops);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  if ((*machine)->addPassesToEmitFile(emission, stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile)) {
    job.error = "the target emits no objects";
    return;
  }
  emission.run(module);
  job.object = std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), /*RequiresNullTerminator=*/false);
  job.module.reset();
  job.context.reset();
}

/// Largest first is not needed: units have like sizes, and the host's, the
/// first, is the longest.
void compileJobs(std::vector<Job> &jobs,
                 const llvm::orc::JITTargetMachineBuilder &target) {
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < jobs.size(); i = next++)
      compileJob(jobs[i], target);
  };
  size_t count = std::min<size_t>(
      jobs.size(), std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < count; ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

} // namespace

FailureOr<MachineCode>
generateMachineCode(ModuleOp module,
                    const llvm::orc::JITTargetMachineBuilder &target,
                    bool vectorizesLoops) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  MachineCode code;
  auto main = module.lookupSymbol<LLVM::LLVMFuncOp>("main");
  if (auto bytes = main->getAttrOfType<IntegerAttr>("partita.arena_bytes"))
    code.arenaBytes = bytes.getInt();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    code.numKernels += function->hasAttr("partita.kernel");
  std::vector<Job> jobs;
  for (CodeUnit &unit : splitModule(module)) {
    Job job;
    job.context = std::make_unique<llvm::LLVMContext>();
    job.module = translateModuleToLLVMIR(*unit.module, *job.context);
    if (!job.module)
      return failure(); // reported where it is
    job.isHost = unit.isHost;
    job.vectorizesLoops = vectorizesLoops;
    if (job.isHost)
      addEntry(*job.module);
    jobs.push_back(std::move(job));
  }
  compileJobs(jobs, target);
  for (Job &job : jobs) {
    if (!job.error.empty())
      return module.emitError() << "cannot compile: " << job.error;
    code.objects.push_back(std::move(job.object));
  }
  return std::move(code);
}

} // namespace partita
