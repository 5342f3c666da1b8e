// What differs between builds that share the object files of the tests: the build with the address
// sanitizer compiles the library alone and links the developer build's tests with it.
#pragma once

#include <string>

namespace boxwood_test {

/// The path of the command.
std::string command();

/// Whether a sanitizer watches the library, which then takes many times the time and memory.
bool sanitized();

}  // namespace boxwood_test
