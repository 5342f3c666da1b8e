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

/// Sums of so many products below this as a rule may have are doubles.
constexpr double largest_product = 0x1p1000;

/// The values of a feature by cell are cut into this many parts on each side of the present value,
/// unless parts would then have less than this many values.
constexpr double most_parts = 32, values_of_a_part = 8;

/// Features with more values than this have a leaf for each cell. The problems of a search with
/// 18,000 values took milliseconds each, those with the cells of a model take microseconds.
constexpr double most_single_values = 16;

bool is_grouped(const Query& query, std::size_t feature) {
  return std::any_of(query.groups.begin(), query.groups.end(), [&](const OneHot& group) {
    return std::count(group.columns.begin(), group.columns.end(), feature) > 0;
  });
}

/// An upper bound on the number of whole numbers or steps within the limits of a feature; may be
/// infinite, or NaN if the feature has no limits.
double most_values(const Query& query, std::size_t feature) {
  const FeatureRule& rule = query.features[feature];
  if (!rule.allowed.empty()) return static_cast<double>(rule.allowed.size() + 1);
  const Reach reach = reach_of(rule, query.point[feature], Precision::float64);
  const double lower = reach.below.empty() ? query.point[feature] : reach.below.lower;
  const double upper = reach.above.empty() ? query.point[feature] : reach.above.upper;
  const double step = rule.step > 0 ? rule.step : 1;
  return (upper - lower) / step + 2;
}

/// Whether the search has to know a discrete feature's values one by one. For a largest change, the
/// costs of single values are the candidates; a custom cost is checked value by value; LinearBox
/// solves convex problems, and costs by quantile are not convex; a missing value has no nearest
/// value.
bool needs_single_values(const Query& query, std::size_t feature) {
  const FeatureRule& rule = query.features[feature];
  return query.norm == Norm::linf || query.norm == Norm::custom || !rule.quantiles.empty() ||
         rule.missing_allowed || std::isnan(query.point[feature]);
}

/// Whether there are so many of them that an exact answer would take too long.
bool has_too_many(const Query& query, std::size_t feature) {
  const double most = needs_single_values(query, feature) ? static_cast<double>(most_linear_values)
                                                          : most_exact_values;
  return query.features[feature].allowed.empty() && !(most_values(query, feature) <= most);
}

/// The values of a feature by cell between two cuts, all on one side of the present one.
struct Stretch {
  double lower = 0, upper = 0;             // lower > upper: no value
  double side = 0;                         // -1 below the present value, 1 above it
  double slope = 0, offset = 0;            // what a value adds: slope * value + offset
  double slope_size = 0, offset_size = 0;  // the sums of the absolute values that make these
  std::size_t terms = 0;                   // that were added up
};

/// What one feature adds to a score, for each of its values.
struct Part {
  std::size_t feature = 0;
  std::vector<double> values;  ///< empty: by category, or by cell
  std::vector<double> scores;  ///< of a value or a stretch; of a category: not named, named
  std::vector<std::int32_t> codes;
  std::vector<Stretch> stretches{};  ///< of a feature by cell
  std::vector<Cut> cuts{};           ///< between them
};

/// All cuts of a feature by cell: those of the models, those of statements about the feature, and
/// those around its present value. In a box of cells every statement is then either true or false,
/// and all values lie on one side of the present value. Where models have few cuts, cells may be so
/// wide that the most that a cell adds and the least that it costs say little. Such cells are cut
/// further.
std::vector<Cut> cuts_by_cell(const Query& query, std::size_t feature, const Cuts& cuts,
                              Precision precision) {
  std::vector<Cut> all = cuts[feature];
  const double own = as_read(query.point[feature], precision) + 0.0;
  if (std::isfinite(own)) all.insert(all.end(), {{own, false}, {own, true}});
  const FeatureRule& rule = query.features[feature];
  const Reach reach = reach_of(rule, query.point[feature], precision);
  for (const Interval& side : {reach.below, reach.above}) {
    const double width = side.upper - side.lower, step = rule.step > 0 ? rule.step : 1;
    if (is_spread(query, feature) || !std::isfinite(width)) continue;
    const double parts = std::min(most_parts, width / step / values_of_a_part);
    for (double i = 1; i < parts; ++i) {
      all.push_back({as_read(side.lower + i / parts * width, precision) + 0.0, false});
    }
  }
  // The engines merge cells that no tree distinguishes, and a merged cell must be one of these
  // cells. Therefore the cuts of a statement are those of its tree.
  SplitCuts split;
  for (const Clause& clause : query.clauses) {
    for (const Literal& literal : clause.any_of) {
      if (literal.feature != feature) continue;
      const Tree tree = any_tree(std::span(&literal, 1), 0, 1, 0, precision);
      for (const Node& node : tree.nodes) {
        if (node.kind == NodeKind::leaf) continue;
        cuts_of(tree, node, split);
        all.insert(all.end(), split.cuts.begin(), split.cuts.end());
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<Stretch> stretches_of(const Query& query, std::size_t feature,
                                  const std::vector<Cut>& cuts, Precision precision) {
  const double now = query.point[feature];
  const Axis axis(query.features[feature], now, precision);
  const std::size_t own =
      std::isnan(now) ? cuts.size() + 1 : cell_rank(cuts, as_read(now, precision));
  std::vector<Stretch> stretches;
  for (std::size_t rank = 0; rank <= cuts.size(); ++rank) {
    if (rank == own) {
      stretches.push_back({now, now});
      continue;
    }
    const bool up = std::isnan(now) || rank > own;
    const Interval values = axis.between(rank > 0 ? &cuts[rank - 1] : nullptr,
                                         rank < cuts.size() ? &cuts[rank] : nullptr, up);
    stretches.push_back(
        {axis.rounded(values.lower, true), axis.rounded(values.upper, false), up ? 1.0 : -1.0});
  }
  return stretches;
}

/// Twice a bound on the rounding errors of a sum of this many terms.
double rounding_of(std::size_t terms, double size) {
  return 2 * (static_cast<double>(terms) + 4) * 0x1p-52 * size;
}

class Score {
 public:
  Score(const Query& query, const LinearCondition& condition, bool lower, const Cuts& cuts,
        const Ensemble& rules, Pace& pace)
      : query_(query), rules_(rules), pace_(pace), sign_(lower ? 1 : -1) {
    for (const LinearTerm& term : condition.terms) add(term, cuts);
    for (Part& part : parts_) score_stretches(part);
    least_ = sign_ * (lower ? condition.range.lower : condition.range.upper);
    const double size = size_ + std::abs(least_);
    if (!std::isfinite(size)) {
      throw Error("linear rule", "its terms may add up to more than a double can hold",
                  "Give smaller coefficients");
    }
    const bool closed = lower ? condition.range.lower_closed : condition.range.upper_closed;
    for (const Part& part : parts_) {
      const double lowest = *std::min_element(part.scores.begin(), part.scores.end());
      lowest_ += lowest < infinity ? lowest : 0;
    }
    if (whole_ && size < largest_whole) {
      // The condition with half a unit less than the next whole number is equivalent. The local
      // search aims a little beyond a threshold and can reach that one.
      least_ = closed ? std::ceil(least_) - 0.5 : std::floor(least_) + 0.5;
    } else {
      error_ = rounding_of(condition.terms.size() + parts_.size(), size);
      least_ -= error_;
    }
    // A stretch without a limit can add as much as is needed, whatever the other features add.
    for (Part& part : parts_) {
      const double lowest = *std::min_element(part.scores.begin(), part.scores.end());
      const double others = lowest_ - (lowest < infinity ? lowest : 0);
      const double needed = least_ - others;
      // Not less than the lowest score, because the other parts assume at least that.
      const double plenty = std::max(needed + std::abs(needed) * 0x1p-20 + 8 * error_,
                                     lowest < infinity ? lowest : 0.0);
      for (double& score : part.scores) {
        if (score == infinity) score = plenty;
      }
    }
  }

  /// Adds the trees of a score that is at least 0 where the condition or one of `others` holds.
  void add_to(std::span<const Literal> others, Ensemble& rules) const {
    const auto output = static_cast<std::int32_t>(rules.base.size());
    rules.base.push_back(-least_);
    for (const Part& part : parts_) rules.trees.push_back(tree_of(part, output));
    if (others.empty()) return;
    // This is enough whatever values the features have.
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
  void add(const LinearTerm& term, const Cuts& cuts) {
    if (term.of == LinearTerm::Of::codes) {
      parts_.push_back({term.feature, {}, {0, sign_ * term.coefficient}, term.codes});
      whole_ = whole_ && is_whole(term.coefficient);
      size_ += std::abs(term.coefficient);
      return;
    }
    auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) {
      return one.feature == term.feature && one.codes.empty();
    });
    if (is_by_cell(query_, term.feature)) {
      if (part == parts_.end()) {
        std::vector<Cut> all = cuts_by_cell(query_, term.feature, cuts, rules_.input);
        std::vector<Stretch> stretches = stretches_of(query_, term.feature, all, rules_.input);
        parts_.push_back({term.feature, {}, {}, {}, std::move(stretches), std::move(all)});
        part = parts_.end() - 1;
      }
      add_to_stretches(term, part->stretches);
      return;
    }
    if (part == parts_.end()) {
      std::vector<double> values = listed_values(query_, term.feature, rules_.input,
                                                 rules_.features[term.feature].name, pace_);
      const std::size_t count = values.size();
      parts_.push_back({term.feature, std::move(values), std::vector<double>(count, 0.0), {}});
      part = parts_.end() - 1;
    }
    const double now = query_.point[term.feature];
    const bool from_now = term.of != LinearTerm::Of::value;
    whole_ = whole_ && is_whole(term.coefficient);  // the present value is one of the values
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

  void add_to_stretches(const LinearTerm& term, std::vector<Stretch>& stretches) {
    whole_ = false;
    const double now = query_.point[term.feature];
    const bool from_now = term.of != LinearTerm::Of::value;
    if (from_now && std::isnan(now)) return;
    for (Stretch& stretch : stretches) {
      const bool turned = term.of == LinearTerm::Of::size && stretch.side < 0;
      const double factor = sign_ * (turned ? -term.coefficient : term.coefficient);
      stretch.slope += factor;
      ++stretch.terms;
      stretch.slope_size += std::abs(factor);
      if (!from_now) continue;
      stretch.offset -= factor * now;
      stretch.offset_size += std::abs(factor * now);
    }
  }

  /// What a stretch adds is linear in the value, so it is largest at an end. A stretch without a
  /// value never counts: it gets the lowest score.
  void score_stretches(Part& part) {
    if (part.stretches.empty()) return;
    double largest = 0, lowest = infinity;
    for (const Stretch& stretch : part.stretches) {
      const auto at = [&](double end) {
        if (!std::isfinite(end)) return at_infinity(stretch, end);
        const double size = stretch.slope_size * std::abs(end) + stretch.offset_size;
        // Too large for a double, or for a sum of several: it may add anything.
        if (!(size < largest_product)) return infinity;
        largest = std::max(largest, size);
        return stretch.slope * end + stretch.offset;
      };
      const bool empty = stretch.lower > stretch.upper;
      part.scores.push_back(empty ? -infinity : std::max(at(stretch.lower), at(stretch.upper)));
      if (!empty) lowest = std::min(lowest, part.scores.back());
      largest = std::max(largest, stretch.offset_size);
    }
    for (double& score : part.scores) {
      if (score == -infinity) score = lowest;
    }
    size_ += largest;
  }

  /// What a stretch adds as its value grows without end. The sum of two factors has the sign of the
  /// exact sum. That of more of them may have lost what is left where they nearly cancel out; then
  /// the stretch may add anything.
  static double at_infinity(const Stretch& stretch, double end) {
    const double unsure = stretch.terms > 2 ? rounding_of(stretch.terms, stretch.slope_size) : 0;
    if (std::abs(stretch.slope) > unsure) return stretch.slope * end;
    return stretch.terms > 2 ? infinity : stretch.offset;
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
    const bool by_cell = !part.stretches.empty();
    std::vector<Open> open{{0, 0, part.scores.size()}};
    while (!open.empty()) {
      const auto [at, first, last] = open.back();
      open.pop_back();
      pace_.work(1);
      if (last - first == 1) {
        maker.leaf(at, part.scores[first]);
        continue;
      }
      const std::size_t middle = first + (last - first) / 2;
      const Cut cut =
          by_cell ? part.cuts[middle - 1] : Cut{as_read(part.values[middle], rules_.input), false};
      const auto [left, right] = maker.split(
          at, cut.inclusive ? NodeKind::less_equal : NodeKind::less, part.feature, cut.value, true);
      open.push_back({left, first, middle});
      open.push_back({right, middle, last});
    }
    return maker.finish();
  }

  const Query& query_;
  const Ensemble& rules_;
  Pace& pace_;
  double sign_;
  std::vector<Part> parts_;
  bool whole_ = true;  // all that is added is a whole number
  double size_ = 0;    // the sum of the terms' largest absolute values
  double lowest_ = 0;  // the least sum
  double least_ = 0;   // the sum that is enough
  double error_ = 0;   // what was taken off it for rounding
};

}  // namespace

bool is_discrete(const FeatureRule& rule) {
  return rule.kind != FeatureKind::continuous || rule.step > 0 || !rule.allowed.empty();
}

bool is_spread(const Query& query, std::size_t feature) {
  const FeatureRule& rule = query.features[feature];
  const bool stays_missing = std::isnan(query.point[feature]) && !rule.missing_allowed;
  if (rule.fixed || stays_missing || is_grouped(query, feature)) return false;
  if (rule.kind == FeatureKind::categorical) return false;
  return !is_discrete(rule) || has_too_many(query, feature);
}

bool is_by_cell(const Query& query, std::size_t feature) {
  if (is_spread(query, feature)) return true;
  const FeatureRule& rule = query.features[feature];
  if (needs_single_values(query, feature) || rule.fixed || rule.kind == FeatureKind::categorical ||
      is_grouped(query, feature)) {
    return false;
  }
  return most_values(query, feature) > most_single_values;
}

bool has_linear_rules(const Query& query) {
  return std::any_of(query.clauses.begin(), query.clauses.end(),
                     [](const Clause& clause) { return !clause.linear.empty(); });
}

bool has_spread(const Query& query) {
  const auto any = [&](const std::vector<Clause>& clauses) {
    return std::any_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
      return std::any_of(clause.linear.begin(), clause.linear.end(), [&](const auto& sum) {
        return std::any_of(sum.terms.begin(), sum.terms.end(),
                           [&](const LinearTerm& term) { return is_spread(query, term.feature); });
      });
    });
  };
  return any(query.clauses) || any(query.exact_clauses);
}

void check_spread_costs(const Query& query, std::span<const Ensemble> ensembles) {
  const auto check = [&](const LinearTerm& term) {
    if (!is_spread(query, term.feature)) return;
    const std::string place =
        fmt::format("feature \"{}\"", ensembles.front().features[term.feature].name);
    const char* const remedy =
        "Give it a kind (integer) or a step, and a range; or choose another cost";
    const auto refuse = [&](const char* cost) {
      throw Error(place,
                  fmt::format("it is in a linear rule, and {} supports only features with at most "
                              "{} discrete values there",
                              cost, most_linear_values),
                  remedy);
    };
    if (query.norm == Norm::custom) refuse("a custom cost");
    if (!query.features[term.feature].quantiles.empty()) refuse("a cost by quantile");
  };
  for (const Clause& clause : query.clauses) {
    for (const LinearCondition& sum : clause.linear) {
      for (const LinearTerm& term : sum.terms) check(term);
    }
  }
}

std::vector<double> listed_values(const Query& query, std::size_t feature, Precision precision,
                                  const std::string& name, Pace& pace) {
  const FeatureRule& rule = query.features[feature];
  const double now = query.point[feature];
  std::vector<double> values;
  if (!std::isnan(now)) values.push_back(now);
  if (is_grouped(query, feature)) return {0, 1};
  if (rule.fixed || (std::isnan(now) && !rule.missing_allowed)) {
    if (values.empty()) values.push_back(0);  // it stays missing, so no value counts
    return values;
  }
  const std::string place = fmt::format("feature \"{}\"", name);
  const Axis axis(rule, now, precision);
  const auto add = [&](double value) {
    pace.work(32);  // finding the next value takes about 32 times as long as a step elsewhere
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

std::size_t most_linear_leaves(const Query& query) {
  double leaves = 0;
  for (const Clause& clause : query.clauses) {
    if (clause.linear.empty()) continue;
    const LinearCondition& condition = clause.linear.front();
    const auto sides = static_cast<double>(linear_sides(condition));
    for (const LinearTerm& term : condition.terms) {
      const bool one_by_one = term.of != LinearTerm::Of::codes &&
                              !query.features[term.feature].fixed &&
                              !is_grouped(query, term.feature) && !is_by_cell(query, term.feature);
      const double values = one_by_one ? most_values(query, term.feature) : 2;
      if (values > 0) leaves += sides * values;  // NaN where a missing value stays missing
    }
  }
  return static_cast<std::size_t>(leaves);
}

std::size_t linear_sides(const LinearCondition& condition) {
  return (std::isfinite(condition.range.lower) ? 1U : 0U) +
         (std::isfinite(condition.range.upper) ? 1U : 0U);
}

void add_linear_trees(const Query& query, const Clause& clause, const Cuts& cuts, Ensemble& rules,
                      Pace& pace) {
  const LinearCondition& condition = clause.linear.front();
  if (std::isfinite(condition.range.lower)) {
    Score(query, condition, true, cuts, rules, pace).add_to(clause.any_of, rules);
  }
  if (std::isfinite(condition.range.upper)) {
    Score(query, condition, false, cuts, rules, pace).add_to(clause.any_of, rules);
  }
}

std::vector<Clause> clauses_on_missing(const Query& query, const Clause& clause) {
  std::vector<Clause> clauses;
  for (const LinearTerm& term : clause.linear.front().terms) {
    const bool missing_now = std::isnan(query.point[term.feature]);
    const bool from_now = term.of == LinearTerm::Of::change || term.of == LinearTerm::Of::size;
    if (!missing_now && !query.features[term.feature].missing_allowed) continue;
    Clause known{clause.any_of};
    // A change from a missing value has no size. Then only the other conditions of the clause can
    // hold.
    if (!(missing_now && from_now)) known.any_of.push_back({.feature = term.feature});
    clauses.push_back(std::move(known));
  }
  return clauses;
}

}  // namespace boxwood
