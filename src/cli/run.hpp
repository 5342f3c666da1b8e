// The command as a function: what the program `boxwood` and the page call.
#pragma once

#include "cli/host.hpp"

namespace boxwood::cli {

/// Runs a command with its words, as `main` gets them, and turns errors into one line on standard
/// error and an exit code.
int run_command(int count, char** words, Host& host);

}  // namespace boxwood::cli
