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
