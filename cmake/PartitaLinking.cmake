# How executables link MLIR: here and, installed, in outside projects. MLIR must
# have been found. Partita's own libraries name no MLIR target; an executable
# takes one of
#   PartitaMLIRStatic   the static archives (start-up in milliseconds; tools)
#   PartitaMLIRShared   libMLIR.so + libLLVM.so (plugin, outside consumers)
# Both hold MLIR's C API, which is in no shared library.
find_package(Threads REQUIRED)

add_library(PartitaMLIRShared INTERFACE)
target_link_libraries(PartitaMLIRShared INTERFACE
  ${LLVM_LIBRARY_DIR}/libMLIRCAPIIR.a MLIR LLVM)

file(GLOB mlir_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a)
list(FILTER mlir_archives EXCLUDE REGEX "libMLIRMlirOptMain|libMLIR.*Test")
file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
add_library(PartitaMLIRStatic INTERFACE)
target_link_options(PartitaMLIRStatic INTERFACE -no-pie -Wl,--gc-sections)
target_link_libraries(PartitaMLIRStatic INTERFACE
  -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group
  z -l:libzstd.so.1 Threads::Threads dl m)
