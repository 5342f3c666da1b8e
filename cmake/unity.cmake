# Unity builds: the sources of one folder are compiled as one file, so that JSON, fmt and the standard
# library are parsed and instantiated once a folder. That takes a quarter of the processor time.
# Sources of one folder therefore share their unnamed namespace: a name in it must be unique there.
# The folder readers is large, and its libraries have names in common: there a unit is one library.
# While one file is edited again and again, single files compile sooner: -DBOXWOOD_UNITY=OFF.
set(unity ON)
if(BOXWOOD_DEVELOPER)
  set(unity OFF)
endif()
option(BOXWOOD_UNITY "Compile the sources of a folder together" ${unity})

# Half of the time of a build is spent on code that takes little of the time of the tests: texts, files, flags,
# JSON. Builds for tests optimise it less. CMake has no property for one unit of a unity build, but takes those
# of the file that it generates for the unit.
set(BOXWOOD_TEXT_FLAGS "" CACHE STRING "More compiler options for code that only reads and writes text, e.g. -O0")
set(BOXWOOD_TEXT_FOLDERS query render cli)
# The fuzzers run these folders alone. Coverage of the others would only cost time: to compile, and in every
# comparison of the tests.
set(BOXWOOD_FUZZED_FOLDERS base model query readers)

function(boxwood_unity target)
  if(NOT BOXWOOD_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(groups)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set(group ${folder})
    if(source MATCHES "/readers/(catboost|lightgbm|onnx|xgboost)")
      set(group "readers_${CMAKE_MATCH_1}")
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    if(group IN_LIST groups)
      continue()
    endif()
    list(APPEND groups ${group})
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx)
    if(BOXWOOD_TEXT_FLAGS AND folder IN_LIST BOXWOOD_TEXT_FOLDERS)
      set_property(SOURCE ${unit} APPEND PROPERTY COMPILE_OPTIONS ${BOXWOOD_TEXT_FLAGS})
    endif()
    if(BOXWOOD_SANITIZE MATCHES "fuzzer-no-link" AND NOT folder IN_LIST BOXWOOD_FUZZED_FOLDERS)
      set_property(SOURCE ${unit} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
