#include "grid/linear_trees.hpp"

#include "base/infinity.hpp"
#include "grid/axis.hpp"
#include "grid/tree_maker.hpp"
#include "model/arithmetic.hpp"
#include "query/reach.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace boxwood {
namespace {

/// Sums of whole numbers below this are exact, with half a unit to spare.
constexpr double largest_whole = 0x1p51;

bool is_grouped(const Query& query, std::size_t feature) {
  return std::any_of(query.groups.begin(), query.groups.end(), [&](const OneHot& group) {
    return std::count(group.columns.begin(), group.columns.end(), feature) > 0;
  });
}

bool is_discrete(const FeatureRule& rule) {
  return rule.kind != FeatureKind::continuous || rule.step > 0 || !rule.allowed.empty();
}

bool is_limited(const Query& query, std::size_t feature, Precision precision) {
  const FeatureRule& rule = query.features[feature];
  if (!rule.allowed.empty()) return true;
  const Reach reach = reach_of(rule, query.point[feature], precision);
  return (reach.above.empty() || reach.above.upper < infinity) &&
         (reach.below.empty() || reach.below.lower > -infinity);
}

/// What one feature adds to a score, for each of its values.
struct Part {
  std::size_t feature = 0;
  std::vector<double> values;  ///< empty: by category
  std::vector<double> scores;  ///< of a value; of a category: not named, named
  std::vector<std::int32_t> codes;
};

/// Twice a bound on the rounding errors of a sum of this many terms.
double rounding_of(std::size_t terms, double size) {
  return 2 * (static_cast<double>(terms) + 4) * 0x1p-52 * size;
}

class Score {
 public:
  Score(const Query& query, const LinearCondition& condition, bool lower, const Ensemble& rules)
      : query_(query), rules_(rules), sign_(lower ? 1 : -1) {
    for (const LinearTerm& term : condition.terms) add(term);
    least_ = sign_ * (lower ? condition.range.lower : condition.range.upper);
    const double size = size_ + std::abs(least_);
    const bool closed = lower ? condition.range.lower_closed : condition.range.upper_closed;
    for (const Part& part : parts_) {
      lowest_ += *std::min_element(part.scores.begin(), part.scores.end());
    }
    if (whole_ && size < largest_whole) {
      // Half a unit less than the next whole number is the same condition, and the local search,
      // which aims a little beyond a threshold, can reach it.
      least_ = closed ? std::ceil(least_) - 0.5 : std::floor(least_) + 0.5;
    } else {
      error_ = rounding_of(condition.terms.size() + parts_.size(), size);
      least_ -= error_;
    }
  }

  /// Adds the trees of a score that is at least 0 where the condition or one of `others` holds.
  void add_to(std::span<const Literal> others, Ensemble& rules) const {
    const auto output = static_cast<std::int32_t>(rules.base.size());
    rules.base.push_back(-least_);
    for (const Part& part : parts_) rules.trees.push_back(tree_of(part, output));
    if (others.empty()) return;
    // Enough for any values of the features.
    const double bonus = std::max(0.0, std::ceil(least_ - lowest_ + 2 * error_) + 1);
    if (!is_wide(others)) {
      rules.trees.push_back(any_tree(others, output, bonus, 0, rules.input));
      return;
    }
    for (const Literal& literal : others) {
      rules.trees.push_back(any_tree(std::span(&literal, 1), output, bonus, 0, rules.input));
    }
  }

 private:
  /// Terms of one feature share a tree; categories have a tree for each term.
  void add(const LinearTerm& term) {
    if (term.of == LinearTerm::Of::codes) {
      parts_.push_back({term.feature, {}, {0, sign_ * term.coefficient}, term.codes});
      whole_ = whole_ && is_whole(term.coefficient);
      size_ += std::abs(term.coefficient);
      return;
    }
    auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) {
      return one.feature == term.feature && one.codes.empty();
    });
    if (part == parts_.end()) {
      std::vector<double> values =
          listed_values(query_, term.feature, rules_.input, rules_.features[term.feature].name);
      const std::size_t count = values.size();
      parts_.push_back({term.feature, std::move(values), std::vector<double>(count, 0.0), {}});
      part = parts_.end() - 1;
    }
    const double now = query_.point[term.feature];
    const bool from_now = term.of != LinearTerm::Of::value;
    whole_ = whole_ && is_whole(term.coefficient) && (!from_now || is_whole(now));
    double largest = 0;
    for (std::size_t i = 0; i < part->values.size(); ++i) {
      double number = part->values[i];
      whole_ = whole_ && is_whole(number);
      if (from_now) number = std::isnan(now) ? 0.0 : number - now;
      if (term.of == LinearTerm::Of::size) number = std::abs(number);
      largest = std::max(largest, std::abs(term.coefficient * number));
      part->scores[i] += sign_ * term.coefficient * number;
    }
    size_ += largest;
  }

  static bool is_whole(double value) {
    return value == std::floor(value) && std::abs(value) < largest_whole;
  }

  /// A balanced tree. Missing goes anywhere: clauses_on_missing forbids it.
  Tree tree_of(const Part& part, std::int32_t output) const {
    if (!part.codes.empty()) {
      const Literal named{.feature = part.feature, .codes = part.codes};
      return any_tree(std::span(&named, 1), output, part.scores[1], part.scores[0], rules_.input);
    }
    TreeMaker maker(output);
    struct Open {
      std::size_t at, first, last;
    };
    std::vector<Open> open{{0, 0, part.values.size()}};
    while (!open.empty()) {
      const auto [at, first, last] = open.back();
      open.pop_back();
      if (last - first == 1) {
        maker.leaf(at, part.scores[first]);
        continue;
      }
      const std::size_t middle = first + (last - first) / 2;
      const auto [left, right] = maker.split(at, NodeKind::less, part.feature,
                                             as_read(part.values[middle], rules_.input), true);
      open.push_back({left, first, middle});
      open.push_back({right, middle, last});
    }
    return maker.finish();
  }

  const Query& query_;
  const Ensemble& rules_;
  double sign_;
  std::vector<Part> parts_;
  bool whole_ = true;  // all that is added is a whole number
  double size_ = 0;    // the sum of the terms' largest absolute values
  double lowest_ = 0;  // the least sum
  double least_ = 0;   // the sum that is enough
  double error_ = 0;   // what was taken off it for rounding
};

}  // namespace

std::vector<double> listed_values(const Query& query, std::size_t feature, Precision precision,
                                  const std::string& name) {
  const FeatureRule& rule = query.features[feature];
  const double now = query.point[feature];
  std::vector<double> values;
  if (!std::isnan(now)) values.push_back(now);
  if (is_grouped(query, feature)) return {0, 1};
  if (rule.fixed || (std::isnan(now) && !rule.missing_allowed)) {
    if (values.empty()) values.push_back(0);  // it stays missing: no value counts
    return values;
  }
  const std::string place = fmt::format("feature \"{}\"", name);
  if (!is_discrete(rule)) {
    throw Error(place, "it is continuous, and linear rules need features with discrete values",
                "Give it a kind (integer) or a step");
  }
  if (!is_limited(query, feature, precision)) {
    throw Error(place, "linear rules need features whose values have limits on both sides",
                "Give it a range");
  }
  const Axis axis(rule, now, precision);
  const auto add = [&](double value) {
    values.push_back(value);
    if (values.size() <= most_linear_values) return;
    throw Error(place,
                fmt::format("it may take more than {} values, which linear rules do not support",
                            most_linear_values),
                "Give it a larger step or a narrower range");
  };
  const Cut above{as_read(now, precision), true};
  for (auto value = axis.lowest(std::isnan(now) ? nullptr : &above, nullptr); value;) {
    add(*value);
    const Cut next{*value, true};
    value = axis.lowest(&next, nullptr);
  }
  if (!std::isnan(now)) {
    const Cut below{as_read(now, precision), false};
    for (auto value = axis.highest(nullptr, &below); value;) {
      add(*value);
      const Cut next{*value, false};
      value = axis.highest(nullptr, &next);
    }
  }
  if (values.empty()) values.push_back(0);  // no number is admissible: it stays missing
  std::sort(values.begin(), values.end());
  return values;
}

std::size_t linear_sides(const LinearCondition& condition) {
  return (std::isfinite(condition.range.lower) ? 1U : 0U) +
         (std::isfinite(condition.range.upper) ? 1U : 0U);
}

void add_linear_trees(const Query& query, const Clause& clause, Ensemble& rules) {
  const LinearCondition& condition = clause.linear.front();
  if (std::isfinite(condition.range.lower)) {
    Score(query, condition, true, rules).add_to(clause.any_of, rules);
  }
  if (std::isfinite(condition.range.upper)) {
    Score(query, condition, false, rules).add_to(clause.any_of, rules);
  }
}

std::vector<Clause> clauses_on_missing(const Query& query, const Clause& clause) {
  std::vector<Clause> clauses;
  for (const LinearTerm& term : clause.linear.front().terms) {
    const bool missing_now = std::isnan(query.point[term.feature]);
    const bool from_now = term.of == LinearTerm::Of::change || term.of == LinearTerm::Of::size;
    if (!missing_now && !query.features[term.feature].missing_allowed) continue;
    Clause known{clause.any_of};
    // A change from a missing value has no size, so then nothing but the others can hold.
    if (!(missing_now && from_now)) known.any_of.push_back({.feature = term.feature});
    clauses.push_back(std::move(known));
  }
  return clauses;
}

}  // namespace boxwood
