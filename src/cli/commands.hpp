// The commands. Each adds its flags to the program and returns what to run when it is chosen. The
// host outlives them.
#pragma once

#include "cli/host.hpp"

#include <CLI/CLI.hpp>

#include <functional>

namespace boxwood::cli {

/// Does the work and returns an exit code; throws Error for bad input.
using Run = std::function<int()>;

struct Command {
  CLI::App* app;
  Run run;
};

Command add_inspect(CLI::App& program, Host& host);
Command add_predict(CLI::App& program, Host& host);
Command add_explain(CLI::App& program, Host& host);
Command add_robustness(CLI::App& program, Host& host);
Command add_best(CLI::App& program, Host& host);
Command add_reasons(CLI::App& program, Host& host);
Command add_sweep(CLI::App& program, Host& host);
Command add_map(CLI::App& program, Host& host);
Command add_regions(CLI::App& program, Host& host);
Command add_page(CLI::App& program, Host& host);

}  // namespace boxwood::cli
