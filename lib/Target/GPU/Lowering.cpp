// The passes of the GPU path in order: kernels, NVVM, emulation.

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "partita/Target/CPU/Passes.h"
#include "partita/Target/GPU/Passes.h"

using namespace mlir;

namespace partita {

void registerGPULowering(DialectRegistry &registry) {
  registerCPULowering(registry);
  registry.insert<affine::AffineDialect, cf::ControlFlowDialect,
                  gpu::GPUDialect, NVVM::NVVMDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertComplexToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  NVVM::registerConvertGpuToNVVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void buildGPUKernels(OpPassManager &pm) {
  buildBufferizedLowering(pm);
  pm.addPass(createCollapseLoopsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFormKernelsPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(memref::createFoldMemRefAliasOpsPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  pm.addPass(createMergeKernelsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createPlanMemoryPass());
}

void buildNVVMConversion(OpPassManager &pm, StringRef chip) {
  GpuNVVMAttachTargetOptions target;
  target.chip = chip.str();
  target.features = "+ptx80";
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertComplexToStandardPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  ConvertGpuOpsToNVVMOpsOptions conversion;
  conversion.useBarePtrCallConv = true;
  kernels.addPass(createConvertGpuOpsToNVVMOps(conversion));
  // Functions are calls of libdevice by now; bit counts and the like are left.
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

void buildGPUEmulation(OpPassManager &pm) {
  buildGPUKernels(pm);
  pm.addPass(createEmulateLaunchesPass());
  buildRuntimeCalls(pm);
  buildLLVMConversion(pm);
}

/// The host's part; constants are buffers behind casts until the end.
static void addHostConversion(OpPassManager &pm, bool keepKernels) {
  buildRuntimeCalls(pm);
  LowerLaunchesPassOptions launches;
  launches.keepKernels = keepKernels;
  pm.addPass(createLowerLaunchesPass(launches));
  buildLLVMConversion(pm);
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void buildGPUHost(OpPassManager &pm) {
  addHostConversion(pm, /*keepKernels=*/false);
}

bool isSupportedChip(StringRef chip) {
  return llvm::is_contained({"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a"},
                            chip);
}

void buildGPULowering(OpPassManager &pm, StringRef chip) {
  buildGPUKernels(pm);
  buildNVVMConversion(pm, chip);
  addHostConversion(pm, /*keepKernels=*/true);
}

void registerGPUPipelines() {
  PassPipelineRegistration<>("partita-gpu-kernels",
                             "optimized program to kernels and launches",
                             buildGPUKernels);
  PassPipelineRegistration<>("partita-gpu-emulate",
                             "optimized program to LLVM, kernels emulated",
                             buildGPUEmulation);
  PassPipelineRegistration<>("partita-gpu-host",
                             "optimized program to the host's part, as LLVM",
                             [](OpPassManager &pm) {
                               buildGPUKernels(pm);
                               buildGPUHost(pm);
                             });
  PassPipelineRegistration<>("partita-gpu-nvvm",
                             "optimized program with kernels as NVVM for sm_90",
                             [](OpPassManager &pm) {
                               buildGPUKernels(pm);
                               buildNVVMConversion(pm, "sm_90");
                             });
}

} // namespace partita
