#include "this_build.hpp"

#ifndef BOXWOOD_COMMAND
#define BOXWOOD_COMMAND "the command is not built"
#endif

namespace boxwood_test {

std::string command() { return BOXWOOD_COMMAND; }

bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;  // GCC
#elif defined(__has_feature)
  return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);  // clang
#else
  return false;
#endif
}

}  // namespace boxwood_test
