// Fixture of the StableHLO dialect's unit tests: a context, and parsing.
#ifndef PARTITA_TEST_UNIT_STABLEHLO_STABLEHLOTEST_H
#define PARTITA_TEST_UNIT_STABLEHLO_STABLEHLOTEST_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace partita::stablehlo {

class StableHLOTest : public ::testing::Test {
protected:
  StableHLOTest() {
    context.loadDialect<StableHLODialect, mlir::func::FuncDialect>();
  }

  /// Parses a module, which lives until the next call.
  mlir::ModuleOp parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return *module;
  }

  /// The first op of type `OpTy` in the module.
  template <typename OpTy> OpTy find() {
    OpTy found;
    module->walk([&](OpTy op) {
      found = op;
      return mlir::WalkResult::interrupt();
    });
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace partita::stablehlo

#endif // PARTITA_TEST_UNIT_STABLEHLO_STABLEHLOTEST_H
