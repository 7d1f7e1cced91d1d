# Finds MLIR 22, sets the compile options and includes PartitaLinking.cmake.
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
if(NOT LLVM_ENABLE_ASSERTIONS)
  # The layout of a pass's statistics depends on it: as MLIR itself was built.
  add_compile_definitions(NDEBUG)
endif()
add_compile_options(-fno-exceptions -fvisibility-inlines-hidden -fdata-sections
                    -ffunction-sections -Wall -Wextra -Wno-unused-parameter
                    -Wno-comment)

include(PartitaLinking)
