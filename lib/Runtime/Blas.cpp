// Loads OpenBLAS. PARTITA_BLAS names another library; empty, none is used.
#include "Blas.h"
#include "Gemm.h"
#include "partita/Runtime/World.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>

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

void partita::runtime::setBlasThreads(int count) {
  threads = count;
  // Not loaded only to be told this.
  const Blas *blas = loaded;
  if (blas && blas->setThreads)
    blas->setThreads(count);
}

bool partita::runtime::hasBlas() { return getBlas().sgemm != nullptr; }
