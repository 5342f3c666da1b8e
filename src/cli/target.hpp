// The required outcome: --class, --probability, --range, --at-least, --at-most, --beat, or --want.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace boxwood::cli {

struct TargetFlags {
  std::optional<std::string> class_name;
  std::optional<double> probability;
  std::optional<std::string> range;
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::optional<std::size_t> output_index;
  std::optional<std::size_t> beat;  ///< a row of the data that the answer must rank above
  std::vector<std::string> want;    ///< in words, instead of all others
};

void add_target_flags(CLI::App& command, TargetFlags& flags);

/// Throws UsageError if the flags do not fit the model. Needs no row.
void check_target(const TargetFlags& flags, const Ensemble& ensemble);

/// The requirements of the flags at a point. Without flags: the other class of a binary model, or
/// the other side of an isolation forest's threshold. `beaten` is the point of --beat.
Requirement target_for(const TargetFlags& flags, const Ensemble& ensemble,
                       std::span<const double> point, std::span<const double> beaten);

/// "A:B", where either end may be omitted; "(A:B]" says which ends are included.
Interval parse_range(std::string_view text);

}  // namespace boxwood::cli
