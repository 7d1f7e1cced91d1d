// What the kernels of one runtime call share: the call's words, and arithmetic
// on indices. Gather is in IndexKernels.cpp, the others in ScatterKernels.cpp
// and WindowKernels.cpp.
#ifndef PARTITA_TARGET_GPU_INDEXEMITTER_H
#define PARTITA_TARGET_GPU_INDEXEMITTER_H

#include "IndexKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "partita/Runtime/ABI.h"

namespace partita {

using Words = llvm::SmallVector<int64_t>;
using Values = llvm::SmallVector<mlir::Value>;

inline int64_t getProduct(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

struct BufferWords {
  int64_t dtype;
  Words shape;
  int64_t getCount() const { return getProduct(shape); }
};

/// The words of a call, as partita/Runtime/ABI.h lays them out.
class CallWords {
public:
  explicit CallWords(spmd::RuntimeCallOp call) : words(call.getDescriptor()) {
    for (int64_t i = 0; i < words[2] + words[3]; ++i) {
      int64_t dtype = next();
      (i < words[2] ? inputs : outputs).push_back({dtype, list()});
    }
  }
  int64_t next() { return words[at++]; }
  Words list() {
    Words items(words.slice(at + 1, words[at]));
    at += 1 + words[at];
    return items;
  }
  llvm::SmallVector<BufferWords> inputs, outputs;

private:
  llvm::ArrayRef<int64_t> words;
  size_t at = 4;
};

/// Dimension numbers of gather and scatter, by gather's names.
struct IndexNumbers {
  Words offsetDims, collapsed, operandBatching, indicesBatching, startMap;
  int64_t vectorDim = 0;
  explicit IndexNumbers(CallWords &words)
      : offsetDims(words.list()), collapsed(words.list()),
        operandBatching(words.list()), indicesBatching(words.list()),
        startMap(words.list()), vectorDim(words.next()) {}
};

inline bool isUnsigned(int64_t dtype) {
  return dtype == PARTITA_I1 || (dtype >= PARTITA_UI8 && dtype <= PARTITA_UI64);
}

/// Emission into one kernel.
class IndexEmitter {
public:
  IndexEmitter(KernelBuilder &k, spmd::RuntimeCallOp call) : k(k), call(call) {}

  /// The thread's number in `total`; the insertion point is where it is below.
  mlir::Value enter(int64_t total);
  int64_t getThreads(int64_t total) const {
    return std::min<int64_t>(256, (total + 31) / 32 * 32);
  }
  void leave(int64_t total) {
    int64_t threads = getThreads(total);
    k.launch((total + threads - 1) / threads, threads);
  }
  mlir::Value op(mlir::arith::AtomicRMWKind kind, mlir::Value a,
                 mlir::Value b) {
    return mlir::arith::getReductionOp(kind, k.b, k.loc, a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(k.b, k.loc, a, b);
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return mlir::arith::SubIOp::create(k.b, k.loc, a, b);
  }
  mlir::Value multiply(mlir::Value a, int64_t b) {
    return b == 1 ? a
                  : mlir::Value(
                        mlir::arith::MulIOp::create(k.b, k.loc, a, k.index(b)));
  }
  mlir::Value both(mlir::Value a, mlir::Value b) {
    return a ? mlir::Value(mlir::arith::AndIOp::create(k.b, k.loc, a, b)) : b;
  }
  mlir::Value isWithin(mlir::Value value, int64_t low, int64_t high) {
    mlir::Value above = compare(mlir::arith::CmpIPredicate::sge, value, low);
    return both(above, compare(mlir::arith::CmpIPredicate::sle, value, high));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      int64_t b) {
    return mlir::arith::CmpIOp::create(k.b, k.loc, predicate, a, k.index(b));
  }

  /// Where the slice of `batch` begins, per operand dimension (null: 0),
  /// unclamped.
  Values readStart(const IndexNumbers &numbers, mlir::Value indices,
                   const BufferWords &type, mlir::ValueRange batch,
                   int64_t operandRank);
  mlir::Value combine(int64_t kind, int64_t dtype, mlir::Value a,
                      mlir::Value b);
  void storeResult(mlir::Value value, mlir::ValueRange place) {
    mlir::memref::StoreOp::create(k.b, k.loc, value,
                                  k.importOutput(call.getOutputs()[0]), place);
  }

  KernelBuilder &k;
  spmd::RuntimeCallOp call;
};

/// Reads and steps that a kernel may make before the host's would be faster.
inline constexpr int64_t kMaxSteps = int64_t(1) << 33;

/// Whether IndexEmitter::combine knows the reduction.
bool isKnownReduction(int64_t kind, int64_t dtype);

// ScatterKernels.cpp; words are read from behind the buffers.
bool hasScatterKernel(CallWords &words);
/// Works on the output alone, which holds the operand.
void emitScatter(IndexEmitter &e);

// WindowKernels.cpp
bool hasWindowKernel(CallWords &words);
void emitReduceWindow(IndexEmitter &e);

} // namespace partita

#endif
