// What explain finds beyond the nearest answer: a menu of ways out, wide regions, what stands in
// the way, the path, rounder numbers.
#pragma once

#include <boxwood/analysis.hpp>
#include <boxwood/render.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace boxwood::cli {

struct WaysFlags {
  std::optional<std::size_t> count;
  std::string apart = "features";
  std::optional<double> distance;
  bool widen = false;
  std::vector<std::string> order;
  bool why_not = false;
  bool path = false;
  std::optional<double> round;
};

void add_ways_flags(CLI::App& command, WaysFlags& flags);

/// The flags in the model's terms; throws UsageError for those that make no sense.
struct WaysAsked {
  std::optional<MenuOptions> menu;
  bool widen = false;
  std::vector<std::size_t> order;
  bool why_not = false;
  bool path = false;
  std::optional<double> round;
};
WaysAsked ways_asked(const WaysFlags& flags, const Schema& schema);

/// The answers to a row, one without a menu, and what was found around each.
struct Ways {
  Menu menu;  ///< its ways are moved to `answers`
  std::vector<Answer> answers;
  std::vector<Findings> findings;
  bool limited = false;  ///< a limit or Ctrl-C left something open
};
Ways find_ways(const Prepared& prepared, const Query& query, const WaysAsked& asked,
               const Options& options);

}  // namespace boxwood::cli
