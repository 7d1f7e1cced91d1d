// --print: each device's block of a value with its mesh coordinates.
#ifndef PARTITA_TOOLS_RUN_PRINTBLOCKS_H
#define PARTITA_TOOLS_RUN_PRINTBLOCKS_H

#include "Program.h"
#include "mlir/IR/AsmState.h"

namespace partita {

/// Observes a run and keeps the blocks of the values called `name`: `arg0`,
/// `result0`, a name of jax.result_info, or `%7` as in the optimized program.
class BlockPrinter : public EvaluationObserver {
public:
  BlockPrinter(Program &program, std::string name);

  void
  afterOp(mlir::Operation *op, mlir::Operation *region,
          llvm::ArrayRef<unsigned> active,
          llvm::function_ref<const Tensor &(unsigned, unsigned)> get) override;

  /// Prints what was seen, and the blocks of arguments. False if no value is
  /// called so.
  bool print(llvm::raw_ostream &os, const Values &inputs);

private:
  std::string describe(mlir::Value value);

  Program &program;
  std::string name;
  mlir::AsmState state;
  /// The result of main that is meant; -1: none.
  int64_t output = -1;
  mlir::Value wanted;
  std::map<unsigned, Tensor> blocks;
};

} // namespace partita

#endif
