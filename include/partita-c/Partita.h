/* The C API: read a program, compile it for every device, ask what it sends.
 *
 * Contexts, modules and strings are those of MLIR's C API (mlir-c/IR.h). Errors
 * are diagnostics of the context: attach a handler to see them.
 */
#ifndef PARTITA_C_PARTITA_H
#define PARTITA_C_PARTITA_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds all of Partita's dialects, and the op models by which they are split. */
MLIR_CAPI_EXPORTED void
partitaRegisterAllDialects(MlirDialectRegistry registry);

/** Makes all passes, `partita` and `partita-to` known to textual pipelines.
 *  partitaRunPipeline does not need it. */
MLIR_CAPI_EXPORTED void partitaRegisterAllPasses(void);

/** Parses the StableHLO text in the file `path`. A null module, after
 *  diagnostics, if it cannot be read; the caller owns it otherwise. */
MLIR_CAPI_EXPORTED MlirModule partitaReadProgram(MlirContext context,
                                                 MlirStringRef path);

/** Compiles `module` in place. `options` as of partita-opt --partita="...":
 *  "to=placed machine=cpu"; empty for all defaults, which end at *optimized*. */
MLIR_CAPI_EXPORTED MlirLogicalResult partitaRunPipeline(MlirModule module,
                                                        MlirStringRef options);

/** The number of devices that `module` is for. */
MLIR_CAPI_EXPORTED int64_t partitaGetDeviceCount(MlirModule module);

/** What a program communicates and holds. */
typedef struct PartitaPlan {
  void *ptr;
} PartitaPlan;

/** Summarizes a module at phase *partitioned* or later; destroy the result. */
MLIR_CAPI_EXPORTED PartitaPlan partitaPlanCreate(MlirModule module);
MLIR_CAPI_EXPORTED void partitaPlanDestroy(PartitaPlan plan);

/** Bytes that one device sends: ring model, maximum over devices. */
MLIR_CAPI_EXPORTED int64_t partitaPlanGetSentBytes(PartitaPlan plan);
/** Arguments, results and temporaries of one device at the worst moment. */
MLIR_CAPI_EXPORTED int64_t partitaPlanGetPeakBytes(PartitaPlan plan);
/** Loops whose trip count is not static: they are counted once. */
MLIR_CAPI_EXPORTED int64_t partitaPlanGetUnknownLoops(PartitaPlan plan);

/** Kinds of collectives that send something, in order of their names. */
MLIR_CAPI_EXPORTED intptr_t partitaPlanGetNumCollectives(PartitaPlan plan);
/** "all_reduce", ...; owned by `plan`. Empty where `pos` is out of range, as
 *  the counts are then 0. */
MLIR_CAPI_EXPORTED MlirStringRef partitaPlanGetCollectiveName(PartitaPlan plan,
                                                              intptr_t pos);
MLIR_CAPI_EXPORTED int64_t partitaPlanGetCollectiveCount(PartitaPlan plan,
                                                         intptr_t pos);
MLIR_CAPI_EXPORTED int64_t partitaPlanGetCollectiveSentBytes(PartitaPlan plan,
                                                             intptr_t pos);

#ifdef __cplusplus
}
#endif

#endif
