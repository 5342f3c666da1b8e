#include "cli/target.hpp"

#include "cli/csv.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <cmath>

namespace boxwood::cli {
namespace {

bool asks_for_output(const TargetFlags& flags) {
  return flags.range || flags.at_least || flags.at_most;
}

double parse_end(std::string_view text, double open) {
  if (text.empty()) return open;
  double value = 0;
  if (!parse_number(text, value) || std::isnan(value)) {
    throw UsageError("--range", fmt::format("\"{}\" is not a number", text),
                     "Write A:B, or leave an end out");
  }
  return value;
}

Interval asked_interval(const TargetFlags& flags) {
  if (flags.range) return parse_range(*flags.range);
  Interval range;
  if (flags.at_least) range.lower = *flags.at_least;
  if (flags.at_most) range.upper = *flags.at_most;
  return range;
}

/// The score below which an isolation forest calls a row anomalous. The converted model stores it
/// in its objective; no value for other models.
std::optional<double> anomaly_threshold(const Ensemble& ensemble) {
  constexpr std::string_view start = "IsolationForest with offset_ ";
  double threshold = 0;
  if (ensemble.link != Link::isolation || !ensemble.objective.starts_with(start) ||
      !parse_number(std::string_view(ensemble.objective).substr(start.size()), threshold)) {
    return std::nullopt;
  }
  return threshold;
}

std::size_t asked_class(const TargetFlags& flags, const Ensemble& ensemble) {
  try {
    return ensemble.class_index(*flags.class_name);
  } catch (const Error& error) {
    throw UsageError("--class", error.reason(), error.remedy());
  }
}

}  // namespace

void add_target_flags(CLI::App& command, TargetFlags& flags) {
  const std::string group = "Outcome wanted";
  auto* class_name =
      command.add_option("--class", flags.class_name, "wanted class, by label or number")
          ->group(group);
  auto* probability = command
                          .add_option("--probability", flags.probability,
                                      "least probability of the class, from 0 to 1")
                          ->group(group);
  auto* range = command
                    .add_option("--range", flags.range,
                                "wanted output, as A:B; A or B may be omitted; (A:B] excludes A")
                    ->group(group);
  auto* at_least = command.add_option("--at-least", flags.at_least, "least output")->group(group);
  auto* at_most = command.add_option("--at-most", flags.at_most, "largest output")->group(group);
  auto* output_index =
      command
          .add_option("--output-index", flags.output_index,
                      "number of the output, counted from 0, if the model predicts several numbers")
          ->group(group);
  auto* beat = command
                   .add_option("--beat", flags.beat,
                               "rank above this row of --data, counted from 0: have a higher "
                               "score or\npredicted number")
                   ->group(group);
  command
      .add_option(
          "--want", flags.want,
          "the outcome in words, instead of the flags above; may be repeated, and then all\n"
          "must hold: \"want granted with probability >= 0.8\",\n"
          "\"want anything but refused\", \"want output >= +5%\", \"model 2: want 1\"")
      ->allow_extra_args(false)
      ->group(group)
      ->excludes(class_name)
      ->excludes(probability)
      ->excludes(range)
      ->excludes(at_least)
      ->excludes(at_most)
      ->excludes(output_index)
      ->excludes(beat);
  beat->excludes(class_name)->excludes(probability)->excludes(range);
  beat->excludes(at_least)->excludes(at_most);
  range->excludes(class_name)->excludes(at_least)->excludes(at_most);
  at_least->excludes(class_name);
  at_most->excludes(class_name);
}

Interval parse_range(std::string_view text) {
  Interval range;
  if (text.starts_with('(') || text.starts_with('[')) {
    range.lower_closed = text.front() == '[';
    text.remove_prefix(1);
  }
  if (text.ends_with(')') || text.ends_with(']')) {
    range.upper_closed = text.back() == ']';
    text.remove_suffix(1);
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const bool names_feature = text.find('=') != std::string_view::npos;
    throw UsageError("--range", fmt::format("\"{}\" is not a range", text),
                     names_feature ? "--range limits the output of the model. To limit a feature, "
                                     "write --rule \"duration in [6..10]\""
                                   : "Write A:B, such as 10:20");
  }
  range.lower = parse_end(text.substr(0, colon), range.lower);
  range.upper = parse_end(text.substr(colon + 1), range.upper);
  if (range.empty())
    throw UsageError("--range", "the range is empty", "Give the smaller end first");
  return range;
}

void check_target(const TargetFlags& flags, const Ensemble& ensemble) {
  if (!flags.want.empty()) return;  // checked when the text is read
  if (ensemble.task == Task::regression) {
    if (flags.class_name) {
      throw UsageError("--class", "the model predicts a number, not a class",
                       "Use --range, --at-least or --at-most");
    }
    if (flags.probability) {
      throw UsageError("--probability", "the model predicts a number, not a class",
                       "Use --range, --at-least or --at-most");
    }
    if (ensemble.output_count() > 1 && !flags.output_index) {
      throw UsageError(
          "", fmt::format("the model predicts {} numbers: choose one", ensemble.output_count()),
          "Use --output-index, counted from 0");
    }
    if (flags.output_index.value_or(0) >= ensemble.output_count()) {
      throw UsageError("--output-index", fmt::format("there is no output {}", *flags.output_index),
                       fmt::format("The outputs are 0 to {}", ensemble.output_count() - 1));
    }
    if (!asks_for_output(flags) && !flags.beat && !anomaly_threshold(ensemble)) {
      throw UsageError("", "the model predicts a number, and no wanted number is given",
                       "Use --range A:B, --at-least A or --at-most B, or --beat ROW");
    }
  } else if (asks_for_output(flags)) {
    if (flags.probability) {
      throw UsageError("--probability", "goes with --class, not with a range of the output");
    }
    if (ensemble.task == Task::multiclass) {
      throw UsageError(flags.range      ? "--range"
                       : flags.at_least ? "--at-least"
                                        : "--at-most",
                       "the model has several classes", "Use --class");
    }
    const Interval range = asked_interval(flags);
    if (ensemble.has_probabilities() && (range.lower > 1 || range.upper < 0)) {
      throw UsageError(flags.range       ? "--range"
                       : range.lower > 1 ? "--at-least"
                                         : "--at-most",
                       "the model has two classes: its output is a probability, from 0 to 1",
                       "Use --class, or --want \"want score >= 3\"");
    }
  } else if (ensemble.class_count() > 2 && !flags.class_name && !flags.beat) {
    std::string classes;
    for (std::size_t k = 0; k < ensemble.class_count() && k < 10; ++k) {
      classes += (k == 0 ? "" : ", ") +
                 (ensemble.classes.empty() ? std::to_string(k) : ensemble.class_name(k));
    }
    if (ensemble.class_count() > 10) classes += ", …";
    throw UsageError("", "the model has more than two classes, and no wanted class is given",
                     fmt::format("Use --class with one of: {}", classes));
  }
  if (flags.class_name) asked_class(flags, ensemble);
  if (flags.probability && !(*flags.probability >= 0 && *flags.probability <= 1)) {
    throw UsageError("--probability", "must be a number from 0 to 1");
  }
  if (flags.probability && !ensemble.has_probabilities()) {
    throw UsageError("--probability",
                     fmt::format("the model ({}) has no probabilities", ensemble.objective),
                     "Ask for the class alone");
  }
  const Interval range = asked_interval(flags);
  if (range.lower > range.upper) {
    throw UsageError("--at-least", "it is greater than --at-most", "Exchange the two numbers");
  }
  if (std::isnan(range.lower) || std::isnan(range.upper)) {
    throw UsageError(std::isnan(range.lower) ? "--at-least" : "--at-most", "must be a number");
  }
}

Requirement target_for(const TargetFlags& flags, const Ensemble& ensemble,
                       std::span<const double> point, std::span<const double> beaten) {
  if (flags.beat) return require_above(ensemble, beaten, flags.output_index.value_or(0));
  if (asks_for_output(flags)) {
    return require_output(asked_interval(flags), flags.output_index.value_or(0));
  }
  if (const auto threshold = anomaly_threshold(ensemble)) {
    const bool anomalous = ensemble.transform(ensemble.predict(point))[0] < *threshold;
    return require_output(anomalous ? Interval{.lower = *threshold}
                                    : Interval{.upper = *threshold, .upper_closed = false});
  }
  if (flags.class_name) return require_class(asked_class(flags, ensemble), flags.probability);
  const std::size_t now = ensemble.classify(ensemble.predict(point));
  return require_class(1 - now, flags.probability);
}

}  // namespace boxwood::cli
