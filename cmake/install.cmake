# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the command, the shared library, the public headers, a pkg-config file and a CMake
# package. Tests, mutants and benchmarks are never installed.
include(CMakePackageConfigHelpers)

file(RELATIVE_PATH steelyard_library_from_binary ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(steelyard_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${steelyard_library_from_binary}")
if(steelyard_ggml_libraries)
  set_target_properties(steelyard PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON) # ggml may lie anywhere
endif()

install(TARGETS steelyard steelyard_cli EXPORT steelyard_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/steelyard TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
# The library carries these itself; as files they are what a description of one's own begins from.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/protocols DESTINATION ${CMAKE_INSTALL_DATADIR}/steelyard)

# The installed tree may be moved: the file finds its prefix from where it lies.
file(RELATIVE_PATH steelyard_prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/steelyard.pc.in ${PROJECT_BINARY_DIR}/steelyard.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/steelyard.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(steelyard_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/steelyard)
install(EXPORT steelyard_targets FILE steelyard-config.cmake NAMESPACE steelyard:: DESTINATION ${steelyard_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/steelyard-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/steelyard-config-version.cmake DESTINATION ${steelyard_package_folder})
