/* usage: partita-capi-test FILE OPTIONS
 * Compiles FILE and prints its plan; diagnostics go to standard output. */
#include "mlir-c/Diagnostics.h"
#include "partita-c/Partita.h"
#include <inttypes.h>
#include <stdio.h>

static void print(MlirStringRef text, void *unused) {
  (void)unused;
  printf("%.*s", (int)text.length, text.data);
}

static MlirLogicalResult report(MlirDiagnostic diagnostic, void *unused) {
  printf("%s: ", mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError
                     ? "error" : "note");
  mlirDiagnosticPrint(diagnostic, print, unused);
  printf("\n");
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    report(mlirDiagnosticGetNote(diagnostic, i), unused);
  return mlirLogicalResultSuccess();
}

static void printPlan(MlirModule module) {
  PartitaPlan plan = partitaPlanCreate(module);
  printf("%" PRId64 " devices, %" PRId64 " bytes sent, peak %" PRId64
         ", %" PRId64 " unknown loops\n",
         partitaGetDeviceCount(module), partitaPlanGetSentBytes(plan),
         partitaPlanGetPeakBytes(plan), partitaPlanGetUnknownLoops(plan));
  intptr_t kinds = partitaPlanGetNumCollectives(plan);
  for (intptr_t i = 0; i <= kinds; ++i) { /* one past the end: empty */
    printf("%" PRId64 " x '", partitaPlanGetCollectiveCount(plan, i));
    print(partitaPlanGetCollectiveName(plan, i), NULL);
    printf("' %" PRId64 " bytes\n", partitaPlanGetCollectiveSentBytes(plan, i));
  }
  partitaPlanDestroy(plan);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  partitaRegisterAllPasses();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  partitaRegisterAllDialects(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, report, NULL, NULL);

  int status = 1;
  MlirModule module = partitaReadProgram(
      context, mlirStringRefCreateFromCString(argv[1]));
  if (!mlirModuleIsNull(module)) {
    if (mlirLogicalResultIsSuccess(partitaRunPipeline(
            module, mlirStringRefCreateFromCString(argv[2])))) {
      status = 0;
      printPlan(module);
    }
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  return status;
}
