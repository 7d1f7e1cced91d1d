// Bodies of reduce, scatter, sort, map and the like, run over arrays: every
// scalar of the body becomes an array of n cells.
#ifndef PARTITA_LIB_EVALUATOR_BODY_H
#define PARTITA_LIB_EVALUATOR_BODY_H

#include "Element.h"
#include "Kernels.h"
#include "mlir/IR/Region.h"

namespace partita {

class BodyProgram {
public:
  /// Prepares the region of `call.op`; emits an error at an op in it that is
  /// not elementwise on scalars (calls and composites are inlined).
  static mlir::FailureOr<BodyProgram> create(mlir::Region &region,
                                             KernelCall &call);

  unsigned getNumInputs() const { return numInputs; }
  unsigned getNumOutputs() const { return outputs.size(); }

  /// Runs the body at n points. `in` holds an array per block argument, `out`
  /// an array per returned value; arrays of `out` may be those of `in`.
  void run(llvm::ArrayRef<const void *> in, llvm::ArrayRef<void *> out,
           int64_t n);

  /// For a body of one commutative and associative op of its two arguments:
  /// that function and the op's name without dialect ("add").
  const ElementFunction *getSimpleFunction() const {
    return simpleName.empty() ? nullptr : &steps[0].function;
  }
  llvm::StringRef getSimpleName() const { return simpleName; }
  /// The block argument that the only result is; -1 if it is computed.
  int getReturnedArgument() const {
    return outputs.size() == 1 && outputs[0] < int(numInputs) ? outputs[0] : -1;
  }

private:
  struct Step {
    ElementFunction function;
    llvm::SmallVector<int, 3> operands;
    int result;
  };
  struct Register {
    int64_t cellSize = 0;
    bool isConstant = false;
    std::vector<uint64_t> cells; // points * cellSize bytes
    void *data() { return cells.data(); }
  };
  friend class BodyBuilder;

  void reserve(int64_t points);

  static constexpr int64_t kChunk = 512;
  unsigned numInputs = 0;
  std::vector<Register> registers; // the first numInputs are the arguments
  std::vector<Step> steps;
  llvm::SmallVector<int, 2> outputs;
  std::string simpleName;
  int64_t capacity = 0;
};

} // namespace partita

#endif
