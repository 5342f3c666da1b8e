// Exit codes, and the error for wrong usage.
#pragma once

#include <boxwood/error.hpp>

#include <string>
#include <utility>

namespace boxwood::cli {

enum ExitCode : int { answered = 0, bad_input = 1, usage = 2, stopped = 3 };

/// A flag that is wrong or missing; the place is the flag: "--fix".
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace boxwood::cli
