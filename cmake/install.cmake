# The installed package: find_package(boxwood) gives boxwood::boxwood. tests/install checks it.
include(CMakePackageConfigHelpers)

install(TARGETS boxwood EXPORT boxwood-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/boxwood ${PROJECT_BINARY_DIR}/generated/boxwood
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The page, where `make page` has built it.
if(EXISTS ${PROJECT_SOURCE_DIR}/build/page/index.html)
  install(FILES ${PROJECT_SOURCE_DIR}/build/page/index.html
    DESTINATION ${CMAKE_INSTALL_DATADIR}/boxwood RENAME page.html)
endif()
if(TARGET boxwood_cli)
  install(TARGETS boxwood_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # A shared build's command finds its library wherever the prefix is moved to.
  if(BUILD_SHARED_LIBS AND NOT APPLE)
    file(RELATIVE_PATH up /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(boxwood_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
  endif()
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/boxwood)
install(EXPORT boxwood-targets NAMESPACE boxwood:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/boxwood-config.cmake.in
  ${PROJECT_BINARY_DIR}/boxwood-config.cmake INSTALL_DESTINATION ${package})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/boxwood-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/boxwood-config.cmake
  ${PROJECT_BINARY_DIR}/boxwood-config-version.cmake DESTINATION ${package})
