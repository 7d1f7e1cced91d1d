// The GPU path: kernels from linalg on buffers, their emulation, NVVM and PTX.
#ifndef PARTITA_TARGET_GPU_PASSES_H
#define PARTITA_TARGET_GPU_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace partita {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Target/GPU/Passes.h.inc"

/// Registers the dialects and interfaces that the GPU lowering needs; includes
/// those of the CPU lowering.
void registerGPULowering(mlir::DialectRegistry &registry);

/// From phase *optimized* to kernels in a gpu.module and planned buffers.
void buildGPUKernels(mlir::OpPassManager &pm);

/// After buildGPUKernels: kernels as NVVM, with the target `chip` attached.
void buildNVVMConversion(mlir::OpPassManager &pm, llvm::StringRef chip);

/// After buildGPUKernels or the serialisation of its kernels: the host's part
/// in the LLVM dialect, calling partita/Runtime/DeviceABI.h. The entry is that
/// of buildCPULowering on device pointers.
void buildGPUHost(mlir::OpPassManager &pm);

/// From phase *optimized* to kernels as NVVM for `chip` in a gpu.module, and
/// the host's part as buildGPUHost makes it.
void buildGPULowering(mlir::OpPassManager &pm, llvm::StringRef chip);

/// True for chips that kernels are made for: sm_80, sm_86, sm_89, sm_90,
/// sm_90a.
bool isSupportedChip(llvm::StringRef chip);

/// From phase *optimized* to the LLVM dialect on the CPU, kernels emulated. The
/// entry is that of buildCPULowering.
void buildGPUEmulation(mlir::OpPassManager &pm);

/// Pipelines for partita-opt: partita-gpu-kernels, partita-gpu-nvvm,
/// partita-gpu-host, partita-gpu-emulate.
void registerGPUPipelines();

} // namespace partita

#endif
