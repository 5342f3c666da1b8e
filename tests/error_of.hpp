// The message of the error that an action ends with.
#pragma once

#include <boxwood/error.hpp>

#include <string>

/// What the Error says that `action` throws, or `otherwise` if it throws none.
template <typename Action>
std::string error_of(const Action& action, const std::string& otherwise = "no error") {
  try {
    action();
  } catch (const boxwood::Error& error) {
    return error.what();
  }
  return otherwise;
}
