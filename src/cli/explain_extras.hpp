// What explain finds besides the cheapest answer: a menu of alternatives, wide regions, the rules
// that block an outcome, the path, rounder numbers.
#pragma once

#include <boxwood/analysis.hpp>
#include <boxwood/render.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace boxwood::cli {

struct ExtraFlags {
  std::optional<std::size_t> count;
  std::string apart = "features";
  std::optional<double> distance;
  bool widen = false;
  std::vector<std::string> order;
  bool why_not = false;
  bool path = false;
  std::optional<double> round;
};

void add_extra_flags(CLI::App& command, ExtraFlags& flags);

/// The flags in the terms of the model. Throws UsageError for values that do not make sense.
struct ExtrasAsked {
  std::optional<MenuOptions> menu;
  bool widen = false;
  std::vector<std::size_t> order;
  bool why_not = false;
  bool path = false;
  std::optional<double> round;
};
ExtrasAsked extras_asked(const ExtraFlags& flags, const Schema& schema);

/// The answers to a row (one, unless a menu was asked for), and what was found about each.
struct Extras {
  Menu menu;  ///< its answers are moved to `answers`
  std::vector<Answer> answers;
  std::vector<Findings> findings;
  bool limited = false;  ///< a limit or Ctrl-C left something open
};
Extras find_extras(const Prepared& prepared, const Query& query, const ExtrasAsked& asked,
                   const Options& options);

}  // namespace boxwood::cli
