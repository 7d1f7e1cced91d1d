// Passes between bufferization and LLVM on the CPU.
#ifndef PARTITA_TARGET_CPU_PASSES
#define PARTITA_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def MakeOperandsDensePass : Pass<"cpu-make-operands-dense", "::mlir::ModuleOp"> {
  let summary = "Gives runtime calls dense buffers, and copies loops or memcpy";
  let description = [{
    Before: bufferized, `spmd.runtime_call` on memrefs of any layout. After: operands
    of runtime calls are dense and row major (copied where they were not), and
    every copy that is not of one dense block is a loop nest.
  }];
  let statistics = [Statistic<"numCopies", "copies", "Operands copied">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def InlineCallsPass : Pass<"cpu-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Puts small functions where they are called";
  let description = [{
    Before: linalg on tensors. After: no call of a private function that has one call,
    or of at most 40 ops that are loops or moves; functions that nothing calls any
    more are gone.
  }];
}

def NarrowSelectsPass : Pass<"cpu-narrow-selects", "::mlir::ModuleOp"> {
  let summary = "Selects between an update and its target choose the updated part";
  let description = [{
    Before: linalg on tensors, calls inlined. After: where a select's one value is
    the other with a slice inserted, the slice alone is selected and inserted, so that
    the target can be updated in place.
  }];
  let statistics = [
    Statistic<"numNarrowed", "narrowed", "Number of selects narrowed">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def UpdateCarriesPass : Pass<"cpu-update-carries", "::mlir::ModuleOp"> {
  let summary = "Carried values that loops compute anew or update are not copied first";
  let description = [{
    Before: linalg on tensors, calls inlined, carried values copied before they are
    written back to their buffers. After: no such copy of a value that an op computes
    into a destination of its own, that branches return (`cpu-own-branch-results`), or
    that is the carried value with parts inserted.
  }];
  let statistics = [
    Statistic<"numUpdated", "updated", "Number of carried values not copied">
  ];
}

def FuseElementwisePass : Pass<"cpu-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "Fuses producers into consumers where no work is repeated";
  let description = [{
    Before: linalg on tensors. After: an elementwise op whose result has one use is
    part of its user, except where a broadcast would repeat expensive work; what is
    cheaper than memory (broadcasts, iota, conversions) is part of all users. What
    remains with several uses shares loops later (cpu-lower-to-loops).
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::affine::AffineDialect"];
}

def UseDonationsPass : Pass<"cpu-use-donations", "::mlir::ModuleOp"> {
  let summary = "Lets bufferization write donated arguments of main";
  let description = [{
    Before: linalg on tensors. After: an argument of main with `tf.aliasing_output` or
    `jax.buffer_donor`, and a result of its type, may be written, and says in
    `partita.out_parameter` which out parameter it will be.
  }];
}

def PlaceResultsPass : Pass<"cpu-place-results", "::mlir::ModuleOp"> {
  let summary = "Computes results where they belong, donated arguments included";
  let description = [{
    Before: bufferized, results copied to out parameters at the end; a donated
    argument of main says in `partita.out_parameter` which one it becomes. After: values
    are computed in out parameters where nothing forbids it, and the out parameter of
    a donated argument is that argument (the parameter is unused: the caller passes
    the same memory for both).
  }];
  let statistics = [Statistic<"numPlaced", "placed", "Copies avoided">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ApproximateMathPass : Pass<"cpu-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Functions of f32 as polynomials, bf16 through f32";
  let description = [{
    Before: scalar arith and math ops. After: exp, log, tanh, erf, expm1 and log1p of
    f32 are polynomials that vectorise; arithmetic of bf16 and functions of f16 are
    those of f32, rounded after each. f64, and functions whose polynomials are not
    accurate for all arguments (sin, cos), stay calls of the C library.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerToLoopsPass : Pass<"cpu-lower-to-loops", "::mlir::ModuleOp"> {
  let summary = "Linalg on buffers to loops that LLVM can vectorise";
  let description = [{
    Before: linalg on buffers of static shape, allocations not yet placed. After:
    loops over flat memory. Ops whose loops may be shared share them (rows of a
    softmax stay in the cache), loops that are one in memory are merged, the
    innermost loop is the one that walks memory best, transposes go in tiles,
    reductions along rows hold their accumulators in registers. Innermost loops are
    marked `partita.parallel`: no iteration depends on another through memory. Each nest
    is marked `partita.kernel`. Allocations that nothing reads any more are gone.
  }];
  let statistics = [
    Statistic<"numOps", "ops", "Linalg ops">,
    Statistic<"numKernels", "kernels", "Loop nests">,
    Statistic<"numForwarded", "forwarded", "Buffers that became values">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LowerAccessesPass : Pass<"cpu-lower-accesses", "::mlir::ModuleOp"> {
  let summary = "Loads and stores of flat memory to the LLVM dialect";
  let description = [{
    Before: loops of scf on flat buffers, some marked `partita.parallel`. After:
    `llvm.load` and `llvm.store`; a marked loop has a `llvm.loop_annotation` with an
    access group, and its accesses are in that group, so LLVM vectorises without
    comparing addresses. Truth values are bytes in memory, which it vectorises too.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PlanMemoryPass : Pass<"cpu-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Places all buffers of a device in one arena";
  let description = [{
    Before: static `memref.alloc`s; results are out parameters. After: every function
    takes its arena as last argument, buffers are views of it at offsets of 64
    bytes, and buffers that do not live at the same time share memory. A call's
    arena is a buffer of the caller. `partita.arena_bytes` on each function says
    how large its arena is.
  }];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Buffers placed">,
    Statistic<"arenaBytes", "arena-bytes", "Bytes of main's arena">,
    Statistic<"totalBytes", "total-bytes", "Bytes without sharing">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SplitDestinationsPass : Pass<"cpu-split-destinations", "::mlir::ModuleOp"> {
  let summary = "Gives each op a destination of its own";
  let description = [{
    Before: linalg on tensors, after CSE. After: every `tensor.empty`, and every
    `linalg.fill` of one, has one use. Bufferization compares all values that may
    share a buffer with each other: one empty tensor behind a thousand ops
    costs it a million comparisons, and a shared fill costs copies.
  }];
  let statistics = [
    Statistic<"numCopies", "copies", "Destinations made anew for one use">
  ];
}

def OwnBranchResultsPass : Pass<"cpu-own-branch-results", "::mlir::ModuleOp"> {
  let summary = "What a branch returns is memory of its own";
  let description = [{
    Before: linalg on tensors, after the last pass that makes equal values one.
    After: each tensor that a branch of `scf.if` returns was made in that branch,
    and is returned once; others are copied.
  }];
  let statistics = [
    Statistic<"numCopies", "copies", "Number of results of branches that are copied">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def OutlineKernelsPass : Pass<"cpu-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes loops functions, equal ones the same function";
  let description = [{
    Before: loops, or linalg, on planned buffers. After: each loop nest that only
    computes, and each linalg op with the fills of its results, is a call of a private
    function that is marked `partita.kernel` and `partita.body` (it takes neither
    context nor arena). A buffer that is not dense from its start is passed as its
    memory and an offset; numbers, and where loops begin in a buffer, are arguments
    where calls of the same function differ in them, else inside. So 100 equal
    layers compile as one.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%view : memref<4xf32>)
    linalg.generic ... ins(%arg0 : memref<4x8xf32>) outs(%view : memref<4xf32>)
    // ->
    call @partita_kernel_0(%arg0, %view) : (memref<4x8xf32>, memref<4xf32>) -> ()
    ```
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Functions made">,
                    Statistic<"numCalls", "calls", "Calls of them">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertToLLVMPass : Pass<"cpu-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "The whole program to the LLVM dialect";
  let description = [{
    Before: arith, cf, complex, func, index, llvm, math, memref and ub; no strided view
    is made, all shapes are static. After: the LLVM dialect; functions take bare
    pointers. An op of another dialect is an error.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerRuntimeCallsPass : Pass<"cpu-lower-runtime-calls", "::mlir::ModuleOp"> {
  let summary = "Turns spmd.runtime_call into calls of the flat C interface";
  let description = [{
    Every function takes the device's context as first argument. Descriptors become
    constants, bodies get a callback on pointers to scalars.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif
