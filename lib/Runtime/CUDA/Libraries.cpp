// Opens NVIDIA's libraries by name.
#include "Libraries.h"
#include <dlfcn.h>
#include <initializer_list>

using namespace partita::runtime::cuda;

namespace {
struct Entry {
  const char *symbol;
  void **address;
};
} // namespace

/// Opens the first library that exists and looks all entries up; an error text.
static std::string load(std::initializer_list<const char *> names,
                        std::initializer_list<Entry> entries) {
  void *library = nullptr;
  const char *found = nullptr;
  for (const char *name : names)
    if (!library && (library = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
      found = name;
  if (!library)
    return std::string(*names.begin()) + " not found";
  for (const Entry &entry : entries)
    if (!(*entry.address = dlsym(library, entry.symbol)))
      return std::string(found) + " is too old: it has no " + entry.symbol;
  return "";
}

#define PARTITA_ENTRY(name, symbol, parameters)                                \
  {symbol, reinterpret_cast<void **>(&library->table.name)},

const Library<Driver> &partita::runtime::cuda::getDriver() {
  // Never freed: devices may be abandoned while they still call.
  static Library<Driver> *library = [] {
    auto *library = new Library<Driver>();
    library->error =
        load({"libcuda.so.1"}, {PARTITA_CUDA_FUNCTIONS(PARTITA_ENTRY)});
    if (!library->error.empty())
      return library;
    if (Result code = library->table.cuInit(0)) {
      const char *text = nullptr;
      library->table.cuGetErrorString(code, &text);
      library->error = std::string("the driver does not start: ") +
                       (text ? text : "unknown error");
    }
    return library;
  }();
  return *library;
}

const Library<Blas> &partita::runtime::cuda::getBlas() {
  static Library<Blas> *library = [] {
    auto *library = new Library<Blas>();
    library->error =
        load({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"},
             {PARTITA_CUBLASLT_FUNCTIONS(PARTITA_ENTRY)});
    return library;
  }();
  return *library;
}

const Library<Nccl> &partita::runtime::cuda::getNccl() {
  static Library<Nccl> *library = [] {
    auto *library = new Library<Nccl>();
    library->error = load(
        {"libnccl.so.2", "libnccl.so"},
        {PARTITA_NCCL_FUNCTIONS(PARTITA_ENTRY){
            "ncclGetErrorString",
            reinterpret_cast<void **>(&library->table.ncclGetErrorString)}});
    return library;
  }();
  return *library;
}

std::string partita::runtime::cuda::describe(Result result, const char *call) {
  if (result == 0)
    return "";
  const char *name = nullptr, *text = nullptr;
  getDriver().table.cuGetErrorName(result, &name);
  getDriver().table.cuGetErrorString(result, &text);
  return std::string(call) + ": " +
         (name ? name : std::to_string(result).c_str()) + " (" +
         (text ? text : "unknown") + ")";
}

std::string partita::runtime::cuda::describeStatus(Status status,
                                                   const char *call) {
  return status
             ? std::string(call) + ": cuBLAS status " + std::to_string(status)
             : "";
}

std::string partita::runtime::cuda::describeNccl(int result, const char *call) {
  return result ? std::string(call) + ": " +
                      getNccl().table.ncclGetErrorString(result)
                : "";
}
