// partita-reduce: makes a program that shows a fault small. A script says, by its
// exit status 1, that a candidate still shows it.
//
//   partita-reduce big.mlir -reduce-ops='test=shows-it.sh'
//   partita-reduce big.mlir -opt-reduction-pass='opt-pass=inline test=shows-it.sh'
#include "ReduceOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "partita/Pipelines/Registration.h"
#include "llvm/Support/SourceMgr.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  partita::registerAllDialects(registry);
  partita::registerAllOpModels(registry);
  partita::registerAllPasses();
  partita::registerReduceOpsPass();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources; // the default handler drops notes
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  return failed(mlir::mlirReduceMain(argc, argv, context)) ? 1 : 0;
}
