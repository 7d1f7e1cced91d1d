// Loads OpenBLAS. PARTITA_BLAS names another library; empty, none is used.
#include "Blas.h"
#include "Gemm.h"
#include "partita/Runtime/World.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <type_traits>

using namespace partita::runtime;

static std::atomic<int> threads{1};
static std::atomic<const Blas *> loaded{nullptr};

static Blas loadBlas() {
  Blas blas;
  const char *name = std::getenv("PARTITA_BLAS");
  name = name ? name : "libopenblas.so.0";
  void *library = *name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library)
    return blas;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, symbol));
    return function != nullptr;
  };
  if (!find(blas.sgemm, "cblas_sgemm") || !find(blas.dgemm, "cblas_dgemm") ||
      !find(blas.sgemv, "cblas_sgemv") || !find(blas.dgemv, "cblas_dgemv"))
    return Blas();
  if (find(blas.setThreads, "openblas_set_num_threads"))
    blas.setThreads(threads);
  return blas;
}

const Blas &partita::runtime::getBlas() {
  static const Blas blas = loadBlas();
  loaded = &blas;
  return blas;
}

/// OpenBLAS takes processors newer than itself for very old ones, at a seventh of
/// the speed, unless it is told which kernels to use. It reads the environment when
/// it is loaded, so this must come before, and before there are device threads.
static void nameProcessor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const char *name = nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    name = "SkylakeX";
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    name = "Haswell";
  if (name)
    setenv("OPENBLAS_CORETYPE", name, /*overwrite=*/0);
#endif
}

void partita::runtime::setBlasThreads(int count) {
  static std::once_flag isNamed;
  std::call_once(isNamed, nameProcessor);
  threads = count;
  // Not loaded only to be told this.
  const Blas *blas = loaded;
  if (blas && blas->setThreads)
    blas->setThreads(count);
}

int partita::runtime::getBlasThreads() { return threads; }

bool partita::runtime::hasBlas() {
  setBlasThreads(threads);
  return getBlas().sgemm != nullptr;
}
