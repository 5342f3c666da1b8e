#include "render/advice.hpp"

#include "model/arithmetic.hpp"
#include "query/reach.hpp"
#include "render/changes.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace boxwood {
namespace {

// The share of the change, or of the interval, that may be given up for a rounder end.
constexpr double generosity = 0.05;

/// The number with the fewest digits between `end` and `end` ± slack; `end` itself if no shorter
/// one exists.
double round_end(double end, bool upwards, double slack, const Interval& interval,
                 Precision precision) {
  if (end == 0 || !std::isfinite(end) || !(slack > 0)) return end;
  for (int digits = 1; digits < 16; ++digits) {
    const double place = std::pow(10, std::floor(std::log10(std::abs(end))) - digits + 1);
    double candidate = with_digits(end, digits);
    if (candidate == end) return end;
    if (upwards ? candidate < end : candidate > end) {
      candidate += upwards ? place : -place;
      candidate = with_digits(candidate, digits);
    }
    if (std::abs(candidate - end) <= slack && interval.contains(candidate) &&
        interval.contains(as_read(candidate, precision))) {
      return candidate;
    }
  }
  return end;
}

std::string part(const Explanation& explanation, const ChangeText& change) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const std::size_t i = change.feature;
  const FeatureSchema& feature = schema.features[i];
  const bool grouped = group_of(schema, i) != nullptr;
  const bool continuous = !grouped && feature.kind == FeatureKind::continuous;
  const Solution& best = answer.best();
  Values to = findings.wide ? wide_values(ensemble, schema, query, *findings.wide, best.point, i)
                            : values_inside(ensemble, schema, query, best, i);
  const FeatureRule& rule = query.features[i];
  if (continuous && rule.allowed.empty() && rule.step == 0) {
    const std::vector<Interval>& box = findings.wide ? findings.wide->region : best.region;
    const Interval region = part_with_derived(
        query, best.point, i, admissible_part(query, best.point, i, box[i], ensemble.input), box,
        ensemble.input);
    to = interval_values(words_for(schema, query, i),
                         plain_interval(region, ensemble.input, query.point[i]), ensemble.input,
                         query.point[i]);
  }
  return fmt::format("{} to {} (now {})", change.title,
                     to.kind == Values::Kind::all ? change.then : text_of(to), change.now);
}

}  // namespace

Interval plain_interval(const Interval& interval, Precision precision, double now) {
  if (std::isnan(interval.lower) || interval.lower == interval.upper) return interval;
  double room = interval.upper - interval.lower;
  for (const double end : {interval.lower, interval.upper}) {
    if (std::isfinite(end) && std::isfinite(now)) room = std::min(room, std::abs(end - now));
  }
  if (!std::isfinite(room)) return interval;
  Interval plain = interval;
  plain.lower = round_end(interval.lower, true, generosity * room, interval, precision);
  plain.upper = round_end(interval.upper, false, generosity * room, interval, precision);
  if (plain.lower != interval.lower) plain.lower_closed = true;
  if (plain.upper != interval.upper) plain.upper_closed = true;
  return plain;
}

std::string advice(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (answer.solutions.empty() || answer.already_met) return {};
  std::vector<std::string> parts;
  for (const ChangeText& change : changes_in_words(ensemble, schema, query, answer.best())) {
    if (query.features[change.feature].derived) continue;  // it follows from other columns
    parts.push_back(part(explanation, change));
  }
  return fmt::format("Bring {}, and {}.", and_list(parts),
                     outcome_clause(wanted_by(ensemble, schema, query)));
}

}  // namespace boxwood
