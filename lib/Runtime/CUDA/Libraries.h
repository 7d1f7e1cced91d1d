// The three libraries of NVIDIA, opened when first needed and then kept.
#ifndef PARTITA_LIB_RUNTIME_CUDA_LIBRARIES_H
#define PARTITA_LIB_RUNTIME_CUDA_LIBRARIES_H

#include "Interface.h"
#include <string>

namespace partita::runtime::cuda {

/// A library's entry points, or why there are none.
template <typename Table> struct Library {
  Table table;
  std::string error;
};

/// The driver, initialised.
const Library<Driver> &getDriver();
const Library<Blas> &getBlas();
const Library<Nccl> &getNccl();

/// "" on success, else "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string describe(Result result, const char *call);
std::string describeStatus(Status status, const char *call);
std::string describeNccl(int result, const char *call);

} // namespace partita::runtime::cuda

/// In a function that gives an error text: leaves it if the driver's call
/// fails.
#define PARTITA_CALL(table, describer, name, ...)                              \
  do {                                                                         \
    if (int code = table.name(__VA_ARGS__))                                    \
      return describer(code, #name);                                           \
  } while (false)
#define PARTITA_CUDA(name, ...)                                                \
  PARTITA_CALL(getDriver().table, describe, name, __VA_ARGS__)
#define PARTITA_BLAS(name, ...)                                                \
  PARTITA_CALL(getBlas().table, describeStatus, name, __VA_ARGS__)
#define PARTITA_NCCL(name, ...)                                                \
  PARTITA_CALL(getNccl().table, describeNccl, name, __VA_ARGS__)

#endif
