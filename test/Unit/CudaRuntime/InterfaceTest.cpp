// Our declarations of NVIDIA's interfaces against its headers, where they
// exist.
#include "gtest/gtest.h"
#include <type_traits>

#if __has_include(<cublasLt.h>) && __has_include(<cuda.h>)
// First: cuda.h maps plain names to versions, in our table too.
#include <cublasLt.h>
#include <cuda.h>

#include "../../../lib/Runtime/CUDA/Interface.h"

namespace ours = partita::runtime::cuda;

/// Passed alike: both pointers, or numbers of one size.
template <typename A, typename B>
inline constexpr bool isAlike =
    std::is_pointer_v<A> == std::is_pointer_v<B> && sizeof(A) == sizeof(B) &&
    std::is_class_v<A> == std::is_class_v<B>;

template <typename A, typename B> struct IsSameCall : std::false_type {};
template <typename RA, typename... A, typename RB, typename... B>
struct IsSameCall<RA (*)(A...), RB (*)(B...)> {
  static constexpr bool get() {
    if constexpr (sizeof...(A) == sizeof...(B))
      return isAlike<RA, RB> && (isAlike<A, B> && ...);
    else
      return false;
  }
  static constexpr bool value = get();
};

#define SAME(table, name, symbol, parameters)                                  \
  static_assert(IsSameCall<decltype(table::name), decltype(&::name)>::value);
#define SAME_DRIVER(name, symbol, parameters)                                  \
  SAME(ours::Driver, name, symbol, parameters)
#define SAME_BLAS(name, symbol, parameters)                                    \
  SAME(ours::Blas, name, symbol, parameters)
PARTITA_CUDA_FUNCTIONS(SAME_DRIVER)
PARTITA_CUBLASLT_FUNCTIONS(SAME_BLAS)

static_assert(sizeof(ours::MatmulHeuristic) ==
              sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::MatmulHeuristic, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(int(ours::kR16BF) == CUDA_R_16BF &&
              int(ours::kC64F) == CUDA_C_64F);
static_assert(int(ours::kR32F) == CUDA_R_32F && int(ours::kR64F) == CUDA_R_64F);
static_assert(int(ours::kR16F) == CUDA_R_16F && int(ours::kC32F) == CUDA_C_32F);
static_assert(int(ours::kCompute32F) == CUBLAS_COMPUTE_32F);
static_assert(int(ours::kCompute64F) == CUBLAS_COMPUTE_64F);
static_assert(ours::kDescTransA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(ours::kDescTransB == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(ours::kLayoutBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(ours::kLayoutBatchOffset ==
              CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(ours::kPreferenceWorkspaceBytes ==
              CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(ours::kPreferenceAlignmentA ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(ours::kPreferenceAlignmentA + 3 ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(sizeof(ours::DevicePointer) == sizeof(CUdeviceptr));
static_assert(ours::kComputeCapabilityMajor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(ours::kComputeCapabilityMinor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(ours::kJitErrorLogBuffer == CU_JIT_ERROR_LOG_BUFFER);
static_assert(ours::kJitErrorLogBufferBytes ==
              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(int(ours::kStreamNonBlocking) == CU_STREAM_NON_BLOCKING);
static_assert(int(ours::kEventDisableTiming) == CU_EVENT_DISABLE_TIMING);

#if __has_include(<nccl.h>)
#include <nccl.h>
#define SAME_NCCL(name, symbol, parameters)                                    \
  SAME(ours::Nccl, name, symbol, parameters)
PARTITA_NCCL_FUNCTIONS(SAME_NCCL)
static_assert(sizeof(ours::UniqueId) == sizeof(ncclUniqueId));
static_assert(int(ours::kNcclBfloat16) == ncclBfloat16 &&
              int(ours::kNcclInt8) == ncclInt8);
static_assert(int(ours::kNcclUint64) == ncclUint64 &&
              int(ours::kNcclFloat64) == ncclFloat64);
static_assert(int(ours::kNcclSum) == ncclSum && int(ours::kNcclMin) == ncclMin);
#endif

TEST(Interface, EqualsTheRealHeaders) { SUCCEED(); }
#else
TEST(Interface, EqualsTheRealHeaders) {
  GTEST_SKIP() << "no CUDA headers here";
}
#endif
