// partita-opt: reads IR, runs passes, prints IR.
#include "partita/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  partita::registerAllDialects(registry);
  partita::registerAllPasses();
  partita::registerAllOpModels(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Partita optimizer\n", registry));
}
