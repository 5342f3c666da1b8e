# One interface target with the flags of all our own targets. Exact floats: never -ffast-math, and
# no contraction of a*b+c into one rounding, which would change sums from machine to machine.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #include <cfloat>
  #include <limits>
  static_assert(FLT_EVAL_METHOD == 0 && std::numeric_limits<float>::is_iec559 &&
                std::numeric_limits<double>::is_iec559);
  int main() {}" BOXWOOD_FLOATS_ARE_EXACT)
if(NOT BOXWOOD_FLOATS_ARE_EXACT)
  message(FATAL_ERROR "This compiler computes floats in another precision than their type's, or not "
    "by IEEE 754, so predictions would not be the library's. On 32-bit x86 add -msse2 -mfpmath=sse; "
    "drop -ffast-math.")
endif()

# -O3 is faster than -O2 for the fast engine alone, which src/CMakeLists.txt gives it; the rest takes a tenth
# longer to compile with it.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()

add_library(boxwood_flags INTERFACE)
# GCC's collector of garbage takes a tenth of the time of our large units, which need less than a gigabyte without it.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # megabytes
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memory_each "${memory} / ${processors}")
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_each GREATER 2000)
  target_compile_options(boxwood_flags INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(boxwood_flags INTERFACE -ffp-contract=off)
  # GCC 11 at -O3 and 12 at -O2 take two neighbouring doubles that go through float for a plain copy
  # where they make a vector of them: the rounding is lost (Arithmetic.NeighboursAreRoundedToo).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(boxwood_flags INTERFACE -fno-tree-slp-vectorize)
  endif()
  if(BOXWOOD_DEVELOPER)
    # In a unity build a variable may shadow what another file of its folder defines.
    set(shadow -Wshadow)
    if(BOXWOOD_UNITY)
      set(shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
    endif()
    target_compile_options(boxwood_flags INTERFACE
      -Wall -Wextra -Wconversion ${shadow} -Werror -Wno-error=deprecated-declarations)
    target_compile_definitions(boxwood_flags INTERFACE BOXWOOD_DEVELOPER=1 _GLIBCXX_ASSERTIONS)
  endif()
  if(BOXWOOD_SANITIZE)
    add_compile_options(-fsanitize=${BOXWOOD_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${BOXWOOD_SANITIZE})
    if(BOXWOOD_SANITIZE MATCHES "undefined")
      add_compile_options(-fno-sanitize-recover=undefined)
      # The address sanitizer finds null and object-size as well, no class has a virtual function, and no pointer
      # is cast to a type with a stricter alignment (tests/architecture_test.py). Without them it takes a quarter
      # less time to compile.
      if(BOXWOOD_SANITIZE MATCHES "address")
        add_compile_options(-fno-sanitize=null,object-size,vptr,alignment)
      endif()
    endif()
  endif()
elseif(MSVC)
  target_compile_options(boxwood_flags INTERFACE /fp:precise /utf-8)
  if(BOXWOOD_DEVELOPER)
    target_compile_options(boxwood_flags INTERFACE /W4 /WX)
    target_compile_definitions(boxwood_flags INTERFACE BOXWOOD_DEVELOPER=1)
  endif()
endif()
