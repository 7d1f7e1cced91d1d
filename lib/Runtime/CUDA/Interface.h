// What we use of the CUDA driver, cuBLASLt and NCCL, declared here so that
// neither their headers nor their libraries are needed to build. Names and
// values are those of cuda.h, cublasLt.h and nccl.h; test/Unit/Runtime compares
// them with the real headers where a toolkit is installed.
#ifndef PARTITA_LIB_RUNTIME_CUDA_INTERFACE_H
#define PARTITA_LIB_RUNTIME_CUDA_INTERFACE_H

#include <cstddef>
#include <cstdint>

namespace partita::runtime::cuda {

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

using Result = int; // CUresult; 0 is success
using DeviceHandle = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

inline constexpr int kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;
inline constexpr int kJitErrorLogBuffer = 5, kJitErrorLogBufferBytes = 6;
inline constexpr unsigned kStreamNonBlocking = 1, kEventDisableTiming = 2;

// F(member, exported name, parameters)
#define PARTITA_CUDA_FUNCTIONS(F)                                              \
  F(cuInit, "cuInit", (unsigned flags))                                        \
  F(cuDriverGetVersion, "cuDriverGetVersion", (int *version))                  \
  F(cuGetErrorName, "cuGetErrorName", (Result error, const char **text))       \
  F(cuGetErrorString, "cuGetErrorString", (Result error, const char **text))   \
  F(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                        \
  F(cuDeviceGet, "cuDeviceGet", (DeviceHandle * device, int ordinal))          \
  F(cuDeviceGetName, "cuDeviceGetName",                                        \
    (char *name, int length, DeviceHandle device))                             \
  F(cuDeviceGetAttribute, "cuDeviceGetAttribute",                              \
    (int *value, int attribute, DeviceHandle device))                          \
  F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                      \
    (Context * context, DeviceHandle device))                                  \
  F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2",                 \
    (DeviceHandle device))                                                     \
  F(cuCtxSetCurrent, "cuCtxSetCurrent", (Context context))                     \
  F(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *available, size_t *total))       \
  F(cuMemAlloc, "cuMemAlloc_v2", (DevicePointer * memory, size_t bytes))       \
  F(cuMemFree, "cuMemFree_v2", (DevicePointer memory))                         \
  F(cuMemsetD8Async, "cuMemsetD8Async",                                        \
    (DevicePointer target, unsigned char value, size_t count, Stream stream))  \
  F(cuMemsetD32Async, "cuMemsetD32Async",                                      \
    (DevicePointer target, unsigned value, size_t count, Stream stream))       \
  F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                 \
    (DevicePointer target, DevicePointer source, size_t bytes, Stream stream)) \
  F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                 \
    (DevicePointer target, const void *source, size_t bytes, Stream stream))   \
  F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                 \
    (void *target, DevicePointer source, size_t bytes, Stream stream))         \
  F(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                  \
    (Module * module, const void *image, unsigned count, int *options,         \
     void **values))                                                           \
  F(cuModuleUnload, "cuModuleUnload", (Module module))                         \
  F(cuModuleGetFunction, "cuModuleGetFunction",                                \
    (Function * function, Module module, const char *name))                    \
  F(cuLaunchKernel, "cuLaunchKernel",                                          \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ,        \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     Stream stream, void **arguments, void **extra))                           \
  F(cuStreamCreate, "cuStreamCreate", (Stream * stream, unsigned flags))       \
  F(cuStreamDestroy, "cuStreamDestroy_v2", (Stream stream))                    \
  F(cuStreamSynchronize, "cuStreamSynchronize", (Stream stream))               \
  F(cuStreamWaitEvent, "cuStreamWaitEvent",                                    \
    (Stream stream, Event event, unsigned flags))                              \
  F(cuEventCreate, "cuEventCreate", (Event * event, unsigned flags))           \
  F(cuEventRecord, "cuEventRecord", (Event event, Stream stream))              \
  F(cuEventDestroy, "cuEventDestroy_v2", (Event event))

//===----------------------------------------------------------------------===//
// cuBLASLt
//===----------------------------------------------------------------------===//

using Status = int; // cublasStatus_t; 0 is success
using MatmulHandle = struct MatmulHandleTag *;
using MatmulDesc = struct MatmulDescTag *;
using MatrixLayout = struct MatrixLayoutTag *;
using MatmulPreference = struct MatmulPreferenceTag *;

struct MatmulAlgo {
  uint64_t data[8];
};

struct MatmulHeuristic {
  MatmulAlgo algo;
  size_t workspaceBytes;
  Status state;
  float waves;
  int reserved[4];
};

/// cudaDataType
enum DataType {
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kC32F = 4,
  kC64F = 5,
  kR16BF = 14
};
/// cublasComputeType_t
enum ComputeType { kCompute32F = 68, kCompute64F = 70 };
inline constexpr int kDescTransA = 3, kDescTransB = 4;
inline constexpr int kLayoutBatchCount = 5, kLayoutBatchOffset = 6;
inline constexpr int kPreferenceWorkspaceBytes = 1;
inline constexpr int kPreferenceAlignmentA = 5; // then B, C, D

#define PARTITA_CUBLASLT_FUNCTIONS(F)                                          \
  F(cublasLtCreate, "cublasLtCreate", (MatmulHandle * handle))                 \
  F(cublasLtDestroy, "cublasLtDestroy", (MatmulHandle handle))                 \
  F(cublasLtMatmulDescCreate, "cublasLtMatmulDescCreate",                      \
    (MatmulDesc * desc, ComputeType compute, DataType scale))                  \
  F(cublasLtMatmulDescDestroy, "cublasLtMatmulDescDestroy", (MatmulDesc desc)) \
  F(cublasLtMatmulDescSetAttribute, "cublasLtMatmulDescSetAttribute",          \
    (MatmulDesc desc, int attribute, const void *value, size_t bytes))         \
  F(cublasLtMatrixLayoutCreate, "cublasLtMatrixLayoutCreate",                  \
    (MatrixLayout * layout, DataType type, uint64_t rows, uint64_t columns,    \
     int64_t stride))                                                          \
  F(cublasLtMatrixLayoutDestroy, "cublasLtMatrixLayoutDestroy",                \
    (MatrixLayout layout))                                                     \
  F(cublasLtMatrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute",      \
    (MatrixLayout layout, int attribute, const void *value, size_t bytes))     \
  F(cublasLtMatmulPreferenceCreate, "cublasLtMatmulPreferenceCreate",          \
    (MatmulPreference * preference))                                           \
  F(cublasLtMatmulPreferenceDestroy, "cublasLtMatmulPreferenceDestroy",        \
    (MatmulPreference preference))                                             \
  F(cublasLtMatmulPreferenceSetAttribute,                                      \
    "cublasLtMatmulPreferenceSetAttribute",                                    \
    (MatmulPreference preference, int attribute, const void *value,            \
     size_t bytes))                                                            \
  F(cublasLtMatmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic",          \
    (MatmulHandle handle, MatmulDesc desc, MatrixLayout a, MatrixLayout b,     \
     MatrixLayout c, MatrixLayout d, MatmulPreference preference,              \
     int requested, MatmulHeuristic *found, int *count))                       \
  F(cublasLtMatmul, "cublasLtMatmul",                                          \
    (MatmulHandle handle, MatmulDesc desc, const void *alpha, const void *a,   \
     MatrixLayout aLayout, const void *b, MatrixLayout bLayout,                \
     const void *beta, const void *c, MatrixLayout cLayout, void *d,           \
     MatrixLayout dLayout, const MatmulAlgo *algo, void *workspace,            \
     size_t workspaceBytes, Stream stream))

//===----------------------------------------------------------------------===//
// NCCL
//===----------------------------------------------------------------------===//

using Communicator = struct CommunicatorTag *;

struct UniqueId {
  char internal[128];
};

/// ncclDataType_t
enum NcclType {
  kNcclInt8 = 0,
  kNcclUint8 = 1,
  kNcclInt32 = 2,
  kNcclUint32 = 3,
  kNcclInt64 = 4,
  kNcclUint64 = 5,
  kNcclFloat16 = 6,
  kNcclFloat32 = 7,
  kNcclFloat64 = 8,
  kNcclBfloat16 = 9
};
/// ncclRedOp_t
enum NcclReduction { kNcclSum = 0, kNcclProd = 1, kNcclMax = 2, kNcclMin = 3 };

#define PARTITA_NCCL_FUNCTIONS(F)                                              \
  F(ncclGetUniqueId, "ncclGetUniqueId", (UniqueId * id))                       \
  F(ncclCommInitRank, "ncclCommInitRank",                                      \
    (Communicator * communicator, int ranks, UniqueId id, int rank))           \
  F(ncclCommDestroy, "ncclCommDestroy", (Communicator communicator))           \
  F(ncclAllReduce, "ncclAllReduce",                                            \
    (const void *input, void *output, size_t count, NcclType type,             \
     NcclReduction kind, Communicator communicator, Stream stream))            \
  F(ncclReduceScatter, "ncclReduceScatter",                                    \
    (const void *input, void *output, size_t count, NcclType type,             \
     NcclReduction kind, Communicator communicator, Stream stream))            \
  F(ncclAllGather, "ncclAllGather",                                            \
    (const void *input, void *output, size_t count, NcclType type,             \
     Communicator communicator, Stream stream))                                \
  F(ncclBroadcast, "ncclBroadcast",                                            \
    (const void *input, void *output, size_t count, NcclType type, int root,   \
     Communicator communicator, Stream stream))                                \
  F(ncclSend, "ncclSend",                                                      \
    (const void *input, size_t count, NcclType type, int peer,                 \
     Communicator communicator, Stream stream))                                \
  F(ncclRecv, "ncclRecv",                                                      \
    (void *output, size_t count, NcclType type, int peer,                      \
     Communicator communicator, Stream stream))                                \
  F(ncclGroupStart, "ncclGroupStart", ())                                      \
  F(ncclGroupEnd, "ncclGroupEnd", ())

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

#define PARTITA_DECLARE(name, symbol, parameters)                              \
  int(*name) parameters = nullptr;

/// Entry points; those of a library are set once it is loaded.
struct Driver {
  PARTITA_CUDA_FUNCTIONS(PARTITA_DECLARE)
};
struct Blas {
  PARTITA_CUBLASLT_FUNCTIONS(PARTITA_DECLARE)
};
struct Nccl {
  PARTITA_NCCL_FUNCTIONS(PARTITA_DECLARE)
  const char *(*ncclGetErrorString)(int) = nullptr;
};

#undef PARTITA_DECLARE

} // namespace partita::runtime::cuda

#endif
