// Fixture: parses a module, evaluates its @main, and collects diagnostics.
#ifndef PARTITA_TEST_UNIT_EVALUATOR_EVALUATORTEST_H
#define PARTITA_TEST_UNIT_EVALUATOR_EVALUATORTEST_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "partita/Evaluator/Evaluator.h"
#include "partita/Evaluator/Layout.h"
#include "gtest/gtest.h"

namespace partita {

class EvaluatorTest : public ::testing::Test {
protected:
  EvaluatorTest();

  /// Parses a module; adds a failure and returns null if that fails.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);
  /// Evaluates @main of the text; inputs are rows by device.
  mlir::FailureOr<DeviceValues> run(llvm::StringRef text,
                                    const DeviceValues &inputs = {},
                                    int64_t numDevices = 1);
  /// Expects that @main, which has no arguments and holds check ops, succeeds.
  void expectPasses(llvm::StringRef text);
  /// Expects an error that contains `message`; @main has no arguments.
  void expectError(llvm::StringRef text, llvm::StringRef message,
                   int64_t numDevices = 1);
  /// Result `i` on a device as text, e.g. "tensor<2xi32> [1 2]".
  std::string print(const Tensor &tensor);
  /// A tensor from MLIR text, e.g. "dense<[1, 2]> : tensor<2xi32>".
  Tensor tensor(llvm::StringRef text);

  mlir::MLIRContext context;
  EvaluatorOptions options;
  std::string diagnostics;
};

} // namespace partita

#endif
