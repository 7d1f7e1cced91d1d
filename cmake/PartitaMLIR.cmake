# Finds MLIR 22 and defines how Partita's executables link it.
#
# Our own libraries name no MLIR target: an executable chooses between
#   PartitaMLIRStatic   the static archives (start-up in milliseconds; tools)
#   PartitaMLIRShared   libMLIR.so + libLLVM.so (plugin, outside consumers)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Partita needs MLIR 22, found ${LLVM_PACKAGE_VERSION}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(GNUInstallDirs)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS})
add_compile_options(-fno-exceptions -fvisibility-inlines-hidden -fdata-sections
                    -ffunction-sections -Wall -Wextra -Wno-unused-parameter
                    -Wno-comment)

find_package(Threads REQUIRED)

add_library(PartitaMLIRShared INTERFACE)
target_link_libraries(PartitaMLIRShared INTERFACE MLIR LLVM)

file(GLOB mlir_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a)
list(FILTER mlir_archives EXCLUDE REGEX "libMLIRMlirOptMain|libMLIR.*Test")
file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
add_library(PartitaMLIRStatic INTERFACE)
target_link_options(PartitaMLIRStatic INTERFACE -no-pie -Wl,--gc-sections)
target_link_libraries(PartitaMLIRStatic INTERFACE
  -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group
  z -l:libzstd.so.1 Threads::Threads dl m)
