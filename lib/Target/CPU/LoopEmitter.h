// Emits statements as loops on flat memory. Used by cpu-lower-to-loops.
#ifndef PARTITA_LIB_TARGET_CPU_LOOPEMITTER_H
#define PARTITA_LIB_TARGET_CPU_LOOPEMITTER_H

#include "LoopSpace.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace partita {

/// Emits a run of statements, in order, before an op that all their operands
/// dominate.
class LoopEmitter {
public:
  explicit LoopEmitter(mlir::OpBuilder &b) : b(b) {}

  void emit(llvm::MutableArrayRef<Statement> run);
  int64_t numKernels = 0, numLoops = 0;

private:
  /// A statement while it is emitted.
  struct State {
    Statement *statement;
    /// Counter of each loop that is open.
    llvm::SmallVector<mlir::Value> counters;
    /// Values of accesses that are loaded; null: load at the use.
    llvm::SmallVector<mlir::Value> loaded;
    /// Results of the reduction so far, where it is held in values.
    llvm::SmallVector<mlir::Value> accumulators;
    /// The reduction loop whose iterations the leaf repeats, and how often.
    int64_t unrolled = -1, unrollFactor = 1;
  };
  using Group = llvm::SmallVector<State *>;

  /// The element that a value is known for: root, offsets and counters.
  struct Address {
    mlir::Value root, dynamicOffset;
    int64_t offset = 0;
    llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;
    bool operator==(const Address &other) const = default;
  };
  struct Known {
    Address address;
    mlir::Value value;
    /// What stored it, while nothing has read the root since.
    mlir::Operation *store = nullptr;
  };

  void emitLevel(llvm::ArrayRef<State *> states, size_t depth);
  Group takeGroup(llvm::SmallVectorImpl<State *> &rest, size_t depth);
  bool canJoin(llvm::ArrayRef<State *> group, State *candidate, size_t depth);
  void merge(const Group &group, size_t depth);
  void emitGroup(const Group &group, size_t depth);
  void emitLoop(const Group &group, size_t depth, int64_t begin, int64_t end,
                int64_t step, bool isInnermost);
  bool emitColumns(const Group &group, size_t depth);
  void emitLeaf(State &state);
  llvm::SmallVector<mlir::Value> emitBody(State &state,
                                          llvm::ArrayRef<mlir::Value> inputs,
                                          llvm::ArrayRef<mlir::Value> outputs);
  void beginReduction(State &state);
  void endReduction(State &state);
  void forgetOutputs(State &state, size_t depth);
  void hoistLoads(const Group &group, size_t depth);

  Address getAddress(State &state, size_t access);
  mlir::Value getDynamicOffset(mlir::Value buffer);
  mlir::Value getFlat(mlir::Value root, mlir::Type element);
  llvm::SmallVector<mlir::Value> getIndices(const Address &address);
  mlir::Value load(State &state, size_t access);
  void store(State &state, size_t access, mlir::Value value);
  void noteRead(mlir::Value root);
  mlir::Value index(int64_t value);

  mlir::OpBuilder &b;
  mlir::Location loc = b.getUnknownLoc();
  llvm::SmallVector<Known> known;
  /// Views and offsets made for this run, before its first loop.
  llvm::DenseMap<mlir::Value, mlir::Value> flat, dynamicOffsets;
  mlir::Operation *front = nullptr;
};

/// The attribute of a loop whose iterations do not depend on each other.
inline constexpr llvm::StringLiteral kParallel = "partita.parallel";
/// The attribute of a loop nest that is a kernel of its own.
inline constexpr llvm::StringLiteral kKernel = "partita.kernel";

} // namespace partita

#endif
