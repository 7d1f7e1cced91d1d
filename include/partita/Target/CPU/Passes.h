// Passes between bufferization and LLVM on the CPU, and the lowering that they
// are part of.
#ifndef PARTITA_TARGET_CPU_PASSES_H
#define PARTITA_TARGET_CPU_PASSES_H

#include "dialects/SPMD/SPMD.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace partita {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partita/Target/CPU/Passes.h.inc"

/// Makes spmd.runtime_call bufferizable, and registers the dialects and
/// interfaces that the CPU lowering needs.
void registerCPULowering(mlir::DialectRegistry &registry);

/// From phase *optimized* to linalg on buffers with dense operands of runtime
/// calls; every target begins with it. With `useDonations` code may write donated
/// arguments, which then must be the memory of their results.
void buildBufferizedLowering(mlir::OpPassManager &pm, bool useDonations = false);

/// From linalg on planned buffers to loops and calls of the flat C interface.
void buildRuntimeCalls(mlir::OpPassManager &pm);

/// After buildRuntimeCalls: to the LLVM dialect.
void buildLLVMConversion(mlir::OpPassManager &pm);

/// From phase *optimized* to the LLVM dialect. main becomes
/// `main(context, arguments..., results..., arena)` on bare pointers. The caller
/// passes the same memory for a donated argument and for its result
/// (getDonatedResults in Donation.h); all other arguments are only read.
void buildCPULowering(mlir::OpPassManager &pm);

} // namespace partita

#endif
