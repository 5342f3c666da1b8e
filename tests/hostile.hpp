// What the tests of hostile model files share.
#pragma once

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "error_of.hpp"
#include "fixture_files.hpp"

#include <string>
#include <string_view>

/// The message of the Error, or an empty text when the bytes were read. Anything else escapes and
/// fails the test.
inline std::string complaint(std::string_view bytes) {
  return error_of([&] { boxwood::read_model_bytes(bytes, "m"); }, {});
}
