# The rules by which Partita's libraries, tools and unit tests are built.

if(PARTITA_USE_PCH)
  # Object libraries own the precompiled headers, all others reuse one of them:
  # dialects that of upstream, what comes after the one with our dialects,
  # LOWERING targets the one with those to which programs are lowered. Without the
  # timestamp the header is the same bytes in each build folder, so that ccache
  # can share it.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Precompiles cmake/NAME.h.
function(partita_add_pch name)
  if(NOT PARTITA_USE_PCH)
    return()
  endif()
  add_library(partita_${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
  target_precompile_headers(partita_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${name}.h)
  set_target_properties(partita_${name} PROPERTIES PCH_INSTANTIATE_TEMPLATES ON)
  get_property(generated GLOBAL PROPERTY PARTITA_TABLEGEN_TARGETS)
  if(generated)
    add_dependencies(partita_${name} ${generated})
  endif()
endfunction()

function(partita_reuse_pch target is_lowering)
  if(NOT PARTITA_USE_PCH)
    return()
  elseif(is_lowering)
    target_precompile_headers(${target} REUSE_FROM partita_pch_lowering)
  elseif(TARGET partita_pch_dialects)
    target_precompile_headers(${target} REUSE_FROM partita_pch_dialects)
  else()
    target_precompile_headers(${target} REUSE_FROM partita_pch)
  endif()
endfunction()

# Generates the files and makes every later library wait for them.
# partita_tablegen(TARGET FILE.td OUT1 -flag1 OUT2 -flag2 ...)
function(partita_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest out flags)
    separate_arguments(flags)
    mlir_tablegen(${out} ${flags} -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include)
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY PARTITA_TABLEGEN_TARGETS ${target})
endfunction()

# partita_add_library(NAME [LOWERING] [SOURCES file...] [DEPENDS library...])
# LOWERING: most files include the dialects of pch_lowering.h.
# All *.cpp of the folder, unless SOURCES names them (generated files may be
# given besides by SOURCES_EXTRA). Dependencies are Partita libraries only.
function(partita_add_library name)
  cmake_parse_arguments(arg "NO_PCH;LOWERING" "" "SOURCES;SOURCES_EXTRA;DEPENDS" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(NOT arg_SOURCES AND NOT arg_SOURCES_EXTRA)
    add_library(${name} INTERFACE) # nothing to compile yet
    target_link_libraries(${name} INTERFACE ${arg_DEPENDS})
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES} ${arg_SOURCES_EXTRA})
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS})
  get_property(generated GLOBAL PROPERTY PARTITA_TABLEGEN_TARGETS)
  if(generated)
    add_dependencies(${name} ${generated})
  endif()
  if(NOT arg_NO_PCH)
    partita_reuse_pch(${name} "${arg_LOWERING}")
  endif()
  set_property(GLOBAL APPEND PROPERTY PARTITA_LIBRARIES ${name})
endfunction()

# partita_add_tool(NAME [LOWERING] DEPENDS library...)  An executable on the
# static MLIR.
function(partita_add_tool name)
  cmake_parse_arguments(arg "LOWERING" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} PartitaMLIRStatic)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  partita_reuse_pch(${name} "${arg_LOWERING}")
  set_property(GLOBAL APPEND PROPERTY PARTITA_TOOLS ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# partita_use_fast_malloc(NAME)  For tools that only compile: passes allocate much
# and in small pieces. Sanitizers bring an allocator of their own.
function(partita_use_fast_malloc name)
  find_package(mimalloc QUIET)
  if(mimalloc_FOUND AND NOT PARTITA_SANITIZERS AND CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(${name} PRIVATE "LINKER:--no-as-needed")
    target_link_libraries(${name} PRIVATE mimalloc)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools/LargePages.cpp)
  endif()
endfunction()

# partita_add_unit_test(NAME DEPENDS library...)  All *.cpp of the folder as one
# GoogleTest program, run by ctest and built by `check-unit`.
function(partita_add_unit_test name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} gtest gtest_main PartitaMLIRStatic)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/unit)
  partita_reuse_pch(${name} FALSE)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_property(GLOBAL APPEND PROPERTY PARTITA_UNIT_TESTS ${name})
endfunction()
