# WebAssembly: the system's header-only libraries, each by a link of its own, because the other headers
# of the same folder are for the machine that builds. Exceptions are part of every interface.
add_compile_options(-fexceptions -msimd128)
add_link_options(-fexceptions)

set(folder ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${folder})
foreach(name nlohmann fmt CLI protozero)
  find_path(BOXWOOD_${name}_FOLDER ${name} PATHS /usr/include /usr/local/include REQUIRED
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  file(CREATE_LINK ${BOXWOOD_${name}_FOLDER}/${name} ${folder}/${name} SYMBOLIC)
endforeach()
foreach(target nlohmann_json::nlohmann_json fmt::fmt CLI11::CLI11 protozero::protozero)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${folder})
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
