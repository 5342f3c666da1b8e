# Third-party parts: the system's package where there is one (scripts/bootstrap.sh installs them on
# Debian and Ubuntu), a download pinned to a commit otherwise. A project that embeds Boxwood may bring
# its own targets, which are taken as they are.
#
# nlohmann_json and protozero are headers alone, and no part appears in a public header: an installed Boxwood
# needs oneTBB and fmt. fmt is used as a compiled library, because its code in every object file
# would take a tenth of the time to build.
include(FetchContent)

function(boxwood_require target package)
  if(NOT TARGET ${target})
    FetchContent_MakeAvailable(${package})
  endif()
endfunction()

FetchContent_Declare(nlohmann_json
  GIT_REPOSITORY https://github.com/nlohmann/json.git
  GIT_TAG 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03  # v3.11.3
  SYSTEM FIND_PACKAGE_ARGS 3.11 GLOBAL)
FetchContent_Declare(fmt
  GIT_REPOSITORY https://github.com/fmtlib/fmt.git
  GIT_TAG 0c9fce2ffefecfdce794e1859584e25877b7b592  # 11.0.2
  SYSTEM FIND_PACKAGE_ARGS 9 GLOBAL)
FetchContent_Declare(TBB
  GIT_REPOSITORY https://github.com/uxlfoundation/oneTBB.git
  GIT_TAG 1c4c93fc5398c4a1acb3492c02db4699f3048dea  # v2021.13.0
  SYSTEM FIND_PACKAGE_ARGS 2021 GLOBAL)
# protozero is headers alone and installs no CMake package: SOURCE_SUBDIR names a folder that is not
# there, so that a download adds nothing but its files.
FetchContent_Declare(protozero
  GIT_REPOSITORY https://github.com/mapbox/protozero.git
  GIT_TAG f379578a3f7c8162aac0ac31c2696de09a5b5f93  # v1.7.1
  SOURCE_SUBDIR headers_only)
FetchContent_Declare(CLI11
  GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
  GIT_TAG 6c7b07a878ad834957b98d0f9ce1dbe0cb204fc9  # v2.4.2
  SYSTEM FIND_PACKAGE_ARGS 2.1 GLOBAL)
FetchContent_Declare(GTest
  GIT_REPOSITORY https://github.com/google/googletest.git
  GIT_TAG b514bdc898e2951020cbdca1304b75f5950d1f59  # v1.15.2
  SYSTEM FIND_PACKAGE_ARGS 1.12 GLOBAL)

# Only for what is downloaded: oneTBB and fmt are installed with us, because an installed Boxwood
# needs them, and their own tests and warnings stay out; the others leave nothing behind.
set(TBB_TEST OFF CACHE BOOL "Build oneTBB's tests")
set(TBB_STRICT OFF CACHE BOOL "Treat oneTBB's warnings as errors")
set(FMT_INSTALL ON CACHE BOOL "Install fmt")
set(JSON_Install OFF CACHE BOOL "Install nlohmann_json")
set(CLI11_INSTALL OFF CACHE BOOL "Install CLI11")
set(INSTALL_GTEST OFF CACHE BOOL "Install googletest")

if(EMSCRIPTEN)
  include(cmake/emscripten.cmake)
endif()
boxwood_require(nlohmann_json::nlohmann_json nlohmann_json)
boxwood_require(fmt::fmt fmt)
get_target_property(BOXWOOD_FMT_IS_IMPORTED fmt::fmt IMPORTED)
if(NOT BOXWOOD_FMT_IS_IMPORTED)  # a download is a static library, which a shared one may contain
  set_target_properties(fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
if(NOT TARGET protozero::protozero)
  find_path(BOXWOOD_PROTOZERO_INCLUDE protozero/pbf_reader.hpp)
  if(NOT BOXWOOD_PROTOZERO_INCLUDE)
    FetchContent_MakeAvailable(protozero)
    set(BOXWOOD_PROTOZERO_INCLUDE ${protozero_SOURCE_DIR}/include CACHE PATH "" FORCE)
  endif()
  add_library(protozero::protozero INTERFACE IMPORTED GLOBAL)
  target_include_directories(protozero::protozero SYSTEM INTERFACE ${BOXWOOD_PROTOZERO_INCLUDE})
endif()
if(NOT BOXWOOD_STANDALONE)
  boxwood_require(TBB::tbb TBB)
endif()
if(BOXWOOD_BUILD_CLI OR BOXWOOD_BUILD_BENCH OR BOXWOOD_BUILD_PAGE)
  boxwood_require(CLI11::CLI11 CLI11)
endif()
if(BOXWOOD_BUILD_TESTS)
  boxwood_require(GTest::gtest_main GTest)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
endif()
