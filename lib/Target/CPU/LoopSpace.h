// One linalg op on buffers as loops and linear addresses: what
// cpu-lower-to-loops reasons about and emits.
#ifndef PARTITA_LIB_TARGET_CPU_LOOPSPACE_H
#define PARTITA_LIB_TARGET_CPU_LOOPSPACE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace partita {

/// An operand: the elements `offset + sum of coefficient * loop` of `root`,
/// where every loop of the statement has a coefficient (Loop::coefficients).
struct Access {
  /// The operand; a scalar if it is no memref.
  mlir::Value buffer;
  /// What `buffer` is a view of: addresses count from its first element.
  mlir::Value root;
  int64_t offset = 0;
  /// `buffer` has an offset known at run time only, besides `offset`.
  bool hasDynamicOffset = false;
  bool isWritten = false;
  /// Per dimension of the linalg op.
  llvm::SmallVector<int64_t> coefficients;
};

/// A loop of a statement, outermost first in Statement::loops.
struct Loop {
  int64_t size = 1;
  bool isReduction = false;
  /// Per access.
  llvm::SmallVector<int64_t> coefficients;
  /// The op's dimension that it counts, and the step in it; none after merging.
  int64_t dimension = -1, step = 1;
};

struct Statement {
  mlir::linalg::GenericOp op;
  /// Inputs, then outputs.
  llvm::SmallVector<Access> accesses;
  /// What the body reads besides, anywhere (getBodyReads).
  llvm::SmallVector<mlir::Value, 0> bodyReads;
  llvm::SmallVector<Loop> loops;
  /// The first loop that is a reduction.
  size_t firstReduction = kNone;
  static constexpr size_t kNone = ~size_t(0);
  /// No parallel loop is inside a reduction: accumulators are values.
  bool isInRegisters = true;
  /// LLVM can make vectors of the body.
  bool isVectorizable = true;

  unsigned getNumInputs() { return op.getNumDpsInputs(); }
};

/// The statement of `op`, its loops in the order that suits memory; nothing if
/// shapes or addresses are not static and linear.
std::optional<Statement> analyze(mlir::linalg::GenericOp op);

/// The value that `buffer` is a view of, whole or in part, and from whose
/// address its offsets count.
mlir::Value getAddressBase(mlir::Value buffer);

/// Roots of the buffers that the body of `op` reads at indices of its own, as
/// gathers do.
llvm::SmallVector<mlir::Value, 0> getBodyReads(mlir::linalg::GenericOp op);

/// Whether two roots may share memory.
bool mayShareMemory(mlir::Value a, mlir::Value b);

/// Whether the two must keep their order whatever loops they share.
bool conflict(Statement &a, Statement &b);

/// Whether loops 0 .. depth of both can be one: `b` after `a` in each
/// iteration, no iteration needing another one.
bool canShareLoops(Statement &a, Statement &b, size_t depth);

/// Whether both touch memory of the same root in loop `depth`.
bool touchSameMemory(Statement &a, Statement &b, size_t depth);

/// Whether loops `depth` and `depth + 1` walk memory as one.
bool areMergeable(Statement &statement, size_t depth);

/// Makes them one.
void mergeLoops(Statement &statement, size_t depth);

} // namespace partita

#endif
