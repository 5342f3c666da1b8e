# Third-party parts, all from the system's packages (scripts/bootstrap.sh installs them on Debian
# and Ubuntu). A project that embeds Boxwood may bring its own: targets that exist are taken as
# they are, and find_package can be answered by a CMake dependency provider.
#
# nlohmann_json and fmt are used header-only and never appear in a public header, so that an
# installed Boxwood needs oneTBB alone.
function(boxwood_require target package version apt)
  if(TARGET ${target})
    return()
  endif()
  find_package(${package} ${version} QUIET GLOBAL)
  if(NOT TARGET ${target})
    if(${package}_CONSIDERED_VERSIONS AND NOT ${package}_FOUND)
      set(found ", found only ${${package}_CONSIDERED_VERSIONS}")
    endif()
    message(FATAL_ERROR "Boxwood needs ${package} ${version} or newer${found}. On Debian and Ubuntu: "
      "apt-get install ${apt} (or run scripts/bootstrap.sh). Elsewhere install it and name its "
      "folder in CMAKE_PREFIX_PATH.")
  endif()
endfunction()

boxwood_require(nlohmann_json::nlohmann_json nlohmann_json 3.11 nlohmann-json3-dev)
boxwood_require(fmt::fmt-header-only fmt 9 libfmt-dev)
boxwood_require(TBB::tbb TBB 2021 libtbb-dev)
if(BOXWOOD_BUILD_CLI)
  boxwood_require(CLI11::CLI11 CLI11 2.1 libcli11-dev)
endif()
if(BOXWOOD_BUILD_TESTS)
  boxwood_require(GTest::gtest_main GTest 1.12 libgtest-dev)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
endif()
