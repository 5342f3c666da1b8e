// Checks an answer from first principles; see boxwood/verify.hpp for what it promises.
#include <boxwood/verify.hpp>

#include "verify/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace boxwood {
namespace {

using namespace verifying;

constexpr double infinity = std::numeric_limits<double>::infinity();

bool nearly_equal(double a, double b) {
  // A number is not near infinity, though the difference is at most a share of it.
  return a == b || (std::isfinite(a) && std::isfinite(b) &&
                    std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)));
}

bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Equality in which NaN equals NaN: sums that overflow can be NaN.
bool same_values(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_value);
}

class Verifier {
 public:
  Verifier(std::span<const Ensemble> ensembles, const Query& query, const Answer& answer,
           std::size_t samples, std::uint64_t seed)
      : ensembles_(ensembles), query_(query), answer_(answer), samples_(samples), random_(seed) {
    for (const Ensemble& ensemble : ensembles) {
      if (ensemble.input == Precision::float32) precision_ = Precision::float32;
    }
  }

  Verification run() {
    check_status();
    for (std::size_t i = 0; i < answer_.solutions.size(); ++i) {
      place_ = fmt::format("solution {}", i);
      check_solution(answer_.solutions[i]);
      for (std::size_t j = 0; j < i; ++j) {
        if (same_values(answer_.solutions[i].point, answer_.solutions[j].point)) {
          fault(fmt::format("it is the same point as solution {}", j));
        }
      }
    }
    place_ = "outputs";
    check_outputs(answer_.output_before, query_.point);
    if (!answer_.solutions.empty()) {
      check_outputs(answer_.output_after, answer_.solutions.front().point);
    }
    return std::move(result_);
  }

 private:
  void fault(const std::string& words) {
    result_.faults.push_back(fmt::format("{}: {}", place_, words));
  }

  void check_status() {
    place_ = "status";
    const bool has_point = answer_.status == Status::optimal || answer_.status == Status::feasible;
    if (has_point != !answer_.solutions.empty()) {
      fault(
          fmt::format("{} with {} solutions", to_string(answer_.status), answer_.solutions.size()));
    }
    if (has_point != std::isfinite(answer_.cost)) fault("cost and status contradict each other");
    if (!(answer_.lower_bound <= answer_.cost)) fault("the lower bound exceeds the cost");
    if (answer_.status == Status::optimal && answer_.lower_bound != answer_.cost &&
        !has_tolerance()) {
      fault("the status is optimal, but the lower bound differs from the cost");
    }
    const double expected =
        query_.norm == Norm::squared_l2 ? std::sqrt(answer_.cost) : answer_.cost;
    if (!nearly_equal(expected, answer_.distance)) fault("the distance does not match the cost");
    if (answer_.already_met && answer_.cost != 0)
      fault("already_met is set, but the cost is not 0");
  }

  /// Linear rules between continuous features, or features with tens of thousands of values, leave
  /// a gap, which the answer states.
  bool has_tolerance() const {
    for (const Derived& derived : query_.derived) {
      for (const Derived::Step& step : derived.steps) {
        const FeatureRule& rule = query_.features[step.feature];
        const bool any_number = rule.kind == FeatureKind::continuous && rule.step == 0;
        if (step.op == Derived::Op::column && any_number && rule.allowed.empty()) return true;
      }
    }
    for (const Clause& clause : query_.clauses) {
      for (const LinearCondition& sum : clause.linear) {
        for (const LinearTerm& term : sum.terms) {
          const FeatureRule& rule = query_.features[term.feature];
          if (!rule.allowed.empty() || rule.fixed) continue;
          if (rule.kind == FeatureKind::categorical) continue;
          if (rule.kind == FeatureKind::continuous && rule.step == 0) return true;
          const double step = rule.step > 0 ? rule.step : 1;
          constexpr double many = 10'000;
          if (!((rule.range.upper - rule.range.lower) / step < many)) return true;
        }
      }
    }
    return false;
  }

  void check_solution(const Solution& solution) {
    if (solution.point.size() != query_.point.size() ||
        solution.region.size() != query_.point.size()) {
      fault("its length differs from the length of the query's point");
      return;
    }
    for (std::size_t d = 0; d < solution.point.size(); ++d) check_value(d, solution.point[d]);
    check_groups(solution.point);
    check_rules(solution.point);
    const double cost = cost_of(query_, solution.point);
    if (!nearly_equal(cost, answer_.cost)) {
      fault(fmt::format("it costs {}, but the answer says {}", cost, answer_.cost));
    }
    std::vector<std::vector<double>> scores;
    for (const Ensemble& ensemble : ensembles_)
      scores.push_back(scores_at(ensemble, solution.point));
    std::size_t counted = 0;
    for (std::size_t m = 0; m < query_.requirements.size(); ++m) {
      const Requirement& requirement = query_.requirements[m];
      const bool holds = outcome_holds(requirement, ensembles_[requirement.ensemble],
                                       scores[requirement.ensemble]);
      if (requirement.counted && holds) ++counted;
      if (!requirement.counted && !holds) fault(fmt::format("requirement {} is not met", m));
    }
    if (counted < query_.agree.value_or(0)) {
      fault(fmt::format("{} of the counted requirements are met, fewer than {}", counted,
                        *query_.agree));
    }
    ++result_.points_checked;
    if (query_.live > 0) check_live(solution.point);
    check_region(solution, scores);
    check_codes(solution, scores);
  }

  /// The point reaches the same leaves as the rows of a region with enough of them.
  void check_live(const std::vector<double>& point) {
    for (const LiveRegion& region : query_.live_regions->regions) {
      if (region.rows < query_.live) continue;
      bool same = true;
      for (std::size_t d = 0; d < point.size(); ++d) {
        same = same && std::isnan(point[d]) == std::isnan(region.row[d]);
      }
      for (const Ensemble& ensemble : ensembles_) {
        for (const Tree& tree : ensemble.trees) {
          same = same &&
                 leaf_at(tree, point, ensemble.input) == leaf_at(tree, region.row, ensemble.input);
        }
      }
      if (same) return;
    }
    fault(fmt::format("fewer than {} rows are in its region", query_.live));
  }

  void check_codes(const Solution& solution, const std::vector<std::vector<double>>& scores) {
    std::vector<double> probe = solution.point;
    for (std::size_t d = 0; d < solution.codes.size(); ++d) {
      for (const std::int32_t code : solution.codes[d]) {
        probe[d] = static_cast<double>(code);
        check_probe(probe, scores);
      }
      probe[d] = solution.point[d];
    }
  }

  void check_value(std::size_t d, double value) {
    const double from = query_.point[d];
    if (same_value(from, value)) return;
    const FeatureRule& rule = query_.features[d];
    if (rule.derived) return;  // check_rules calculates it
    const std::string name = fmt::format("feature \"{}\"", ensembles_.front().features[d].name);
    if (rule.fixed) fault(name + " is fixed but changed");
    if (std::isnan(from) || std::isnan(value)) {
      if (!rule.missing_allowed) fault(name + " changed from or to missing");
      if (std::isnan(value)) return;
    }
    if (!std::isfinite(value)) fault(name + " is not finite");
    if (precision_ == Precision::float32 &&
        static_cast<double>(static_cast<float>(value)) != value) {
      fault(name + " is not a number that the model can read");
    }
    if (rule.kind != FeatureKind::continuous && rule.allowed.empty() &&
        value != std::floor(value)) {
      fault(name + " is not an integer");
    }
    // A limit is a number as the models read it: 0.3 is the float32 nearest to it.
    const auto read = [&](double end) {
      return precision_ == Precision::float32 ? static_cast<double>(static_cast<float>(end)) : end;
    };
    const double lower = read(rule.range.lower), upper = read(rule.range.upper);
    const bool low = value > lower || (value == lower && rule.range.lower_closed);
    const bool high = value < upper || (value == upper && rule.range.upper_closed);
    if (!low || !high) fault(fmt::format("{} = {} lies outside its range", name, value));
    if (!std::isnan(from)) check_size_of_change(rule, name, from, value);
    const auto reads_as = [&](double admissible) {
      return (precision_ == Precision::float32 ? static_cast<double>(static_cast<float>(admissible))
                                               : admissible) == value;
    };
    const bool grouped =
        std::any_of(query_.groups.begin(), query_.groups.end(), [&](const OneHot& group) {
          return std::count(group.columns.begin(), group.columns.end(), d) > 0;
        });
    if (grouped) return;
    if (!rule.allowed.empty()) {
      if (std::none_of(rule.allowed.begin(), rule.allowed.end(), reads_as)) {
        fault(fmt::format("{} = {} is not among its allowed values", name, value));
      }
    } else if (rule.step > 0 && !reads_as(on_grid(rule.step, value))) {
      fault(fmt::format("{} = {} is not a multiple of its step", name, value));
    }
  }

  /// The multiple of a step nearest to a value. A step such as 0.01 divides 1 into 100 parts: its
  /// multiples are the doubles nearest to hundredths.
  static double on_grid(double step, double value) {
    const double count = std::round(value / step), parts = std::round(1 / step);
    return parts > 1 && 1 / parts == step ? count / parts : count * step;
  }

  /// Compares the exact distance of two numbers with a size: negative, 0 or positive.
  static double compare_distance(double a, double b, double size) {
    const double high = std::max(a, b), low = std::min(a, b);
    const double distance = high - low;
    if (distance != size) return distance - size;
    // The rounded difference equals the size: the rounding error decides.
    const double back = high - distance;
    return (high - (distance + back)) + (back - low);
  }

  void check_size_of_change(const FeatureRule& rule, const std::string& name, double from,
                            double to) {
    if (rule.direction == Direction::up && to < from) fault(name + " falls but may only rise");
    if (rule.direction == Direction::down && to > from) fault(name + " rises but may only fall");
    if (compare_distance(from, to, rule.least_change) < 0) {
      fault(name + " changes by less than least_change");
    }
    if (std::isfinite(rule.most_change) && compare_distance(from, to, rule.most_change) > 0) {
      fault(name + " changes by more than most_change");
    }
  }

  void check_rules(const std::vector<double>& point) {
    for (std::size_t c = 0; c < query_.clauses.size(); ++c) {
      const std::vector<Literal>& any_of = query_.clauses[c].any_of;
      const std::vector<LinearCondition>& linear = query_.clauses[c].linear;
      const bool simple = std::any_of(any_of.begin(), any_of.end(), [&](const Literal& literal) {
        return literal_holds(literal, point[literal.feature], precision_);
      });
      if (!simple && std::none_of(linear.begin(), linear.end(), [&](const LinearCondition& sum) {
            return sum_is_within(sum, query_.point, point);
          })) {
        fault(fmt::format("clause {} does not hold", c));
      }
    }
    for (const Derived& derived : query_.derived) {
      if (follows(derived, query_.point, point)) continue;
      fault(fmt::format("derived column \"{}\" is not what its formula gives",
                        ensembles_.front().features[derived.feature].name));
    }
    if (!query_.max_changes) return;
    std::size_t changed = 0;
    std::vector<bool> counted(point.size(), false);
    for (std::size_t d = 0; d < point.size(); ++d) {
      if (counted[d] || same_value(point[d], query_.point[d])) continue;
      if (query_.features[d].derived) continue;
      ++changed;
      for (const OneHot& group : query_.groups) {
        if (std::count(group.columns.begin(), group.columns.end(), d) == 0) continue;
        for (const std::size_t column : group.columns) counted[column] = true;
      }
    }
    if (changed > *query_.max_changes) {
      fault(fmt::format("{} features change, but at most {} may", changed, *query_.max_changes));
    }
  }

  void check_groups(const std::vector<double>& point) {
    for (const OneHot& group : query_.groups) {
      std::size_t ones = 0, others = 0;
      bool changed = false;
      for (const std::size_t column : group.columns) {
        ones += point[column] == 1 ? 1U : 0U;
        others += point[column] != 1 && point[column] != 0 ? 1U : 0U;
        changed |= point[column] != query_.point[column];
      }
      const bool valid = others == 0 && (ones == 1 || (ones == 0 && group.none_allowed));
      if (changed && !valid) fault("a one-hot group must have a single 1 and otherwise zeros");
    }
  }

  /// The numbers that the model can read next to the ends of an interval, inside it.
  double innermost(double end, bool closed, double inward) const {
    if (std::isinf(end)) {
      const double largest = precision_ == Precision::float32
                                 ? static_cast<double>(std::numeric_limits<float>::max())
                                 : std::numeric_limits<double>::max();
      return end > 0 ? largest : -largest;
    }
    if (precision_ == Precision::float64) return closed ? end : std::nextafter(end, inward);
    auto value = static_cast<float>(end);
    const auto outside = [&](double v) {
      return inward > 0 ? (v < end || (v == end && !closed)) : (v > end || (v == end && !closed));
    };
    while (outside(static_cast<double>(value))) {
      value = std::nextafter(value, static_cast<float>(inward));
    }
    return static_cast<double>(value);
  }

  double pick(double low, double high) {
    const double share = std::uniform_real_distribution<double>(0, 1)(random_);
    const double value = low * (1 - share) + high * share;
    const double read =
        precision_ == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
    return std::clamp(read, low, high);
  }

  void check_region(const Solution& solution, const std::vector<std::vector<double>>& scores) {
    const std::size_t width = solution.point.size();
    std::vector<double> low(width), high(width);
    for (std::size_t d = 0; d < width; ++d) {
      const Interval& interval = solution.region[d];
      const double value = solution.point[d];
      const double read =
          precision_ == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
      if (!std::isfinite(read)) {  // missing, or a fixed value that is read as infinite
        low[d] = high[d] = value;
        continue;
      }
      low[d] = innermost(interval.lower, interval.lower_closed, infinity);
      high[d] = innermost(interval.upper, interval.upper_closed, -infinity);
      if (!(low[d] <= read && read <= high[d])) {
        fault(fmt::format("the region does not contain the point in feature \"{}\"",
                          ensembles_.front().features[d].name));
        return;
      }
    }
    // Both ends of each feature alone, all lower ends, all upper ends, then random corners and
    // points.
    std::vector<double> probe = solution.point;
    for (std::size_t d = 0; d < width; ++d) {
      for (const double end : {low[d], high[d]}) {
        probe[d] = end;
        check_probe(probe, scores);
      }
      probe[d] = solution.point[d];
    }
    check_probe(low, scores);
    check_probe(high, scores);
    for (std::size_t i = 0; i < samples_; ++i) {
      for (std::size_t d = 0; d < width; ++d) {
        if (std::isnan(low[d])) continue;
        const bool corner = i % 2 == 0;
        probe[d] = !corner ? pick(low[d], high[d]) : random_() % 2 == 0 ? low[d] : high[d];
      }
      check_probe(probe, scores);
    }
  }

  void check_probe(const std::vector<double>& probe,
                   const std::vector<std::vector<double>>& scores) {
    ++result_.points_checked;
    for (std::size_t e = 0; e < ensembles_.size(); ++e) {
      if (!same_values(scores_at(ensembles_[e], probe), scores[e])) {
        fault("a point of the region has different scores");
        return;
      }
    }
  }

  void check_outputs(const std::vector<std::vector<double>>& outputs,
                     std::span<const double> point) {
    for (std::size_t e = 0; e < ensembles_.size(); ++e) {
      if (e >= outputs.size() ||
          !same_values(outputs[e], outputs_of(ensembles_[e], scores_at(ensembles_[e], point)))) {
        fault(fmt::format("the reported outputs of model {} differ from its outputs", e));
      }
    }
  }

  std::span<const Ensemble> ensembles_;
  const Query& query_;
  const Answer& answer_;
  std::size_t samples_;
  std::mt19937_64 random_;
  Precision precision_ = Precision::float64;
  std::string place_;
  Verification result_;
};

}  // namespace

Verification verify(std::span<const Ensemble> ensembles, const Query& query, const Answer& answer,
                    std::size_t samples, std::uint64_t seed) {
  return Verifier(ensembles, query, answer, samples, seed).run();
}

Verification verify(const Ensemble& ensemble, const Query& query, const Answer& answer,
                    std::size_t samples, std::uint64_t seed) {
  return verify(std::span(&ensemble, 1), query, answer, samples, seed);
}

}  // namespace boxwood
