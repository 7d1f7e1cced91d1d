// Passes between bufferization and NVVM on the GPU.
#ifndef PARTITA_TARGET_GPU_PASSES
#define PARTITA_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def CollapseLoopsPass : Pass<"gpu-collapse-loops", "::mlir::ModuleOp"> {
  let summary = "Merges adjacent loops of linalg ops that walk memory as one";
  let description = [{
    Before: linalg ops on buffers. After: all are `linalg.generic`, and loops whose
    dimensions are adjacent and dense in every operand are one loop, so that a
    thread's index needs as few divisions as possible.
  }];
  let statistics = [Statistic<"numCollapsed", "collapsed", "Ops with fewer loops">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FormKernelsPass : Pass<"gpu-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes each linalg op, or group of them, one coalesced kernel";
  let description = [{
    Before: `linalg.generic` on buffers, no arena yet. After: no linalg op in a
    function that runs on the host; a `gpu.module` with one `gpu.func` for each
    group of pointwise ops over the same elements, for each other parallel op and
    for each step of a reduction; `gpu.launch_func`s in their places.

    Consecutive threads take consecutive elements of the innermost dimension. A
    reduction along the innermost dimension is one warp or one block per output,
    with shuffles; along another dimension, one thread per output, neighbours
    beside each other. Few outputs of long reductions are split into parts first.
    Blocks have at least one full warp.

    What the host would read from the device only to hand it to a kernel
    (positions of dynamic slices, initial values) is read by the kernel.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels formed">,
    Statistic<"numGrouped", "grouped", "Ops that share the kernel of another">,
    Statistic<"numElided", "elided", "Buffers that became registers">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect"];
}

def MergeKernelsPass : Pass<"gpu-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Keeps one of equal kernels";
  let description = [{
    Kernels with equal bodies, arguments and block sizes become one, so that equal
    layers of a model compile once.
  }];
  let statistics = [Statistic<"numMerged", "merged", "Kernels removed">];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def EmulateLaunchesPass : Pass<"gpu-emulate-launches", "::mlir::ModuleOp"> {
  let summary = "Runs kernels on the CPU, as loops over blocks and threads";
  let description = [{
    Each kernel becomes a function with the launch's sizes as arguments; a barrier or
    a shuffle ends the loop over a block's threads and begins the next, values that
    live across it are kept per thread. Barriers and shuffles must be at the top
    level of the kernel, shuffles in mode xor or idx over whole warps.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LowerLaunchesPass : Pass<"gpu-lower-launches", "::mlir::ModuleOp"> {
  let summary = "Host code of a GPU program: launches and accesses become calls";
  let description = [{
    Before: kernels, planned buffers. After: every launch, copy, load and store of
    device memory, and every use of a constant buffer is a call of
    `partita/Runtime/DeviceABI.h`. Runs after `cpu-lower-runtime-calls`, whose context
    it uses, and before the conversion to LLVM. The gpu.module or gpu.binary is
    removed, unless `keep-kernels`: the cubin goes beside the program.
  }];
  let options = [Option<"keepKernels", "keep-kernels", "bool", "false",
                        "Leave the gpu.module where it is">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif
