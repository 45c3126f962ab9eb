# What `cmake --install` lays down: the two libraries side by side, the public headers, the tool, and a package that
# another project finds with find_package(subfloor) and links as subfloor::subfloor.

include(CMakePackageConfigHelpers)

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/subfloor)
set_target_properties(libsubfloor PROPERTIES EXPORT_NAME subfloor)
target_compile_features(libsubfloor INTERFACE cxx_std_23)
install(TARGETS libsubfloor EXPORT subfloor LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET libsubfloor_compiler)   # opened at run time: nobody links it
  install(TARGETS libsubfloor_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()
install(TARGETS subfloor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/subfloor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT subfloor NAMESPACE subfloor:: FILE subfloorTargets.cmake DESTINATION ${_package})

file(WRITE ${CMAKE_BINARY_DIR}/gen/subfloorConfig.cmake.in
     "@PACKAGE_INIT@\ninclude(\${CMAKE_CURRENT_LIST_DIR}/subfloorTargets.cmake)\n")
configure_package_config_file(${CMAKE_BINARY_DIR}/gen/subfloorConfig.cmake.in
  ${CMAKE_BINARY_DIR}/gen/subfloorConfig.cmake INSTALL_DESTINATION ${_package})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gen/subfloorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gen/subfloorConfig.cmake ${CMAKE_BINARY_DIR}/gen/subfloorConfigVersion.cmake
        DESTINATION ${_package})
