# Installs what outside projects need, as component Development:
#   lib/                 the static libraries, PartitaPlugin.so
#   include/partita/     root of "partita/...", "partita-c/...", "dialects/..."
#   lib/cmake/Partita/   for find_package(Partita 0.1)
# Tools are installed where they are defined. Included after all libraries and
# tools are known and before the tests, one of which builds a consumer.
include(CMakePackageConfigHelpers)

set(partita_headers ${CMAKE_INSTALL_INCLUDEDIR}/partita)
set(partita_package ${CMAKE_INSTALL_LIBDIR}/cmake/Partita)
get_property(libraries GLOBAL PROPERTY PARTITA_LIBRARIES)
install(TARGETS PartitaSupport ${libraries} EXPORT PartitaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development
        INCLUDES DESTINATION ${partita_headers})
install(EXPORT PartitaTargets DESTINATION ${partita_package} COMPONENT Development)

# Our headers, generated ones included, and ODS for dialects built on ours.
foreach(root ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  install(DIRECTORY ${root}/include/partita ${root}/dialects
          DESTINATION ${partita_headers} COMPONENT Development
          FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.h.inc"
          PATTERN CMakeFiles EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/partita-c
        DESTINATION ${partita_headers} COMPONENT Development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/PartitaConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/PartitaConfig.cmake
  INSTALL_DESTINATION ${partita_package})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/PartitaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/PartitaConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/PartitaConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/PartitaLinking.cmake
        DESTINATION ${partita_package} COMPONENT Development)

# All that component Development installs.
add_custom_target(partita-development DEPENDS ${libraries} PartitaPlugin)
set_property(GLOBAL APPEND PROPERTY PARTITA_TOOLS partita-development)
