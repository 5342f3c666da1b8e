#include "search/bottleneck_rules.hpp"

#include "base/infinity.hpp"
#include "grid/linear_trees.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"
#include "search/box_rules.hpp"
#include "search/guarded.hpp"
#include "search/linear_box.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// The largest number on the way up from the present value that costs at most `cap`, or the
/// smallest one on the way down. Costs never fall on the way, so the last one is found by
/// bisection.
double last_within(const Query& query, std::size_t feature, double cap, bool up,
                   Precision precision) {
  const double now = as_read(query.point[feature], precision);
  const double most = precision == Precision::float32
                          ? static_cast<double>(std::numeric_limits<float>::max())
                          : std::numeric_limits<double>::max();
  const double sign = up ? 1 : -1;
  const std::int64_t first = place_of(sign * now, precision);
  const std::int64_t beyond = first_good(first, place_of(most, precision) + 1, [&](auto place) {
    return !(term_cost(query, feature, sign * at_place(place, precision)) <= cap);
  });
  return sign * at_place(std::max(first, beyond - 1), precision);
}

/// The category stays, or becomes one of those in the table of changes that cost at most `cap`.
std::vector<Literal> listed_codes(const Query& query, std::size_t feature, double cap) {
  std::vector<Literal> literals{stays(query, feature)};
  std::int32_t codes = 0;
  for (const std::vector<double>& sizes : query.features[feature].changes) {
    codes = std::max(codes, static_cast<std::int32_t>(sizes.size()));
  }
  Literal cheap{.feature = feature};
  for (std::int32_t code = 0; code < codes; ++code) {
    if (term_cost(query, feature, code) <= cap) cheap.codes.push_back(code);
  }
  if (!cheap.codes.empty()) literals.push_back(std::move(cheap));
  return literals;
}

/// The query for the least sum of terms, with every term at most `cap`. As capped(), but what costs
/// more is excluded by the rules of single features, and the cost is one that LinearBox can solve.
Query within_cap(const Query& query, double cap, Precision precision) {
  Query inner = query;
  inner.norm = Norm::l1;
  if (std::isinf(cap)) return inner;
  for (OneHot& group : inner.groups) {
    for (const std::size_t column : group.columns) {
      if (group.weight > cap) inner.features[column].fixed = true;
    }
  }
  const auto is_grouped = [&](std::size_t feature) {
    return std::any_of(query.groups.begin(), query.groups.end(), [&](const OneHot& group) {
      return std::count(group.columns.begin(), group.columns.end(), feature) > 0;
    });
  };
  for (std::size_t d = 0; d < inner.features.size(); ++d) {
    FeatureRule& rule = inner.features[d];
    if (rule.derived || is_grouped(d)) continue;
    if (rule.weight > cap) rule.missing_allowed = false;
    if (rule.fixed || std::isnan(query.point[d])) continue;
    if (rule.kind == FeatureKind::categorical) {
      for (std::vector<double>& sizes : rule.changes) {
        for (double& size : sizes) {
          if (rule.weight * size > cap) size = infinity;
        }
      }
      // Codes beyond the table have size 1.
      if (rule.weight > cap) inner.clauses.push_back({listed_codes(query, d, cap)});
      continue;
    }
    const Interval left = intersection(rule.range, {last_within(query, d, cap, false, precision),
                                                    last_within(query, d, cap, true, precision)});
    if (left.empty()) {
      rule.fixed = true;
    } else {
      rule.range = left;
    }
  }
  return inner;
}

/// The bisection ends where so few steps of the models' numbers could be gained.
constexpr std::int64_t steps_aimed_at = 2;

/// Bisection over caps. A cap under which there is no point is a lower bound, and a point under a
/// cap is an upper one.
class CapSearch {
 public:
  CapSearch(const Prepared& prepared, const Query& query, const Options& options,
            std::span<const double> known_solution)
      : prepared_(prepared),
        query_(query),
        known_(known_solution),
        precision_(common_precision(prepared.ensembles())),
        budget_(options, Budget::Share::nodes) {}

  Answer run() {
    Answer best = ask(infinity);
    if (best.solutions.empty()) return finished(std::move(best));
    // Between `open` and `lower_` numbers are too coarse to find a point, or to exclude one.
    double open = 0;
    while (!limited() && cost_ - open > allowed(best.best().point, steps_aimed_at)) {
      const double cap = open + (cost_ - open) / 2;
      if (!(cap > open && cap < cost_)) break;
      Answer answer = ask(cap);
      if (answer.status == Status::infeasible) lower_ = cap;
      if (answer.solutions.empty()) {
        open = cap;
      } else {
        best = std::move(answer);
      }
    }
    // The last answer found has the least sum within a cap that is not below its cost: within its
    // cost, no sum is less.
    return finished(std::move(best));
  }

 private:
  bool limited() const { return budget_.stopped() || budget_.exhausted() != Stop::finished; }

  Answer ask(double cap) {
    Options options = budget_.rest([&](const Progress&) { return std::pair{cost_, lower_}; });
    options.ties = 1;
    const bool within = !known_.empty() && total_cost(query_, known_) <= cap;
    Answer answer = explain_guarded(prepared_, within_cap(query_, cap, precision_), options,
                                    within ? known_ : std::span<const double>{});
    Answer noted = answer;
    if (noted.stop == Stop::precision) noted.stop = Stop::finished;  // no limit of the whole search
    budget_.note(noted);
    if (!answer.solutions.empty()) {
      cost_ = std::min(cost_, total_cost(query_, answer.best().point));
    }
    return answer;
  }

  /// How much more than the lower bound an answer may cost, as for other costs (LinearBox).
  double allowed(const std::vector<double>& point, std::int64_t most_steps) const {
    double steps = 0;
    for (std::size_t d = 0; d < point.size(); ++d) {
      const double x = point[d], now = query_.point[d];
      if (x == now || std::isnan(x) || std::isnan(now) || !is_in_rule(d)) continue;
      const std::int64_t away = x > now ? most_steps : -most_steps;
      const double farther = at_place(place_of(x, precision_) + away, precision_);
      const double more = term_cost(query_, d, farther) - term_cost(query_, d, x);
      if (std::isfinite(more)) steps = std::max(steps, more);
    }
    return cost_ * cost_tolerance + steps;
  }

  bool is_in_rule(std::size_t feature) const {
    return !is_discrete(query_.features[feature]) &&
           std::any_of(query_.clauses.begin(), query_.clauses.end(), [&](const Clause& clause) {
             return std::any_of(
                 clause.linear.begin(), clause.linear.end(), [&](const LinearCondition& sum) {
                   return std::any_of(
                       sum.terms.begin(), sum.terms.end(),
                       [&](const LinearTerm& term) { return term.feature == feature; });
                 });
           });
  }

  Answer finished(Answer answer) {
    answer.statistics = budget_.used();
    if (answer.solutions.empty()) {  // the first search has found nothing
      if (answer.status != Status::infeasible) answer.lower_bound = 0;  // it was one on the sum
      return answer;
    }
    const std::vector<double>& point = answer.best().point;
    answer.cost = answer.distance = total_cost(query_, point);
    answer.lower_bound = std::min(lower_, answer.cost);
    answer.more_ties = answer.cost > 0;
    const bool proven = answer.cost - answer.lower_bound <= allowed(point, steps_allowed);
    answer.status = proven ? Status::optimal : Status::feasible;
    answer.stop = proven              ? Stop::finished
                  : budget_.stopped() ? budget_.stop()
                                      : budget_.exhausted();
    if (!proven && answer.stop == Stop::finished) answer.stop = Stop::precision;
    if (proven) answer.statistics.open_nodes = 0;
    return answer;
  }

  const Prepared& prepared_;
  const Query& query_;
  std::span<const double> known_;
  Precision precision_;
  Budget budget_;
  double cost_ = infinity;  // of the best point
  double lower_ = 0;        // no point costs less
};

}  // namespace

Answer explain_bottleneck_under_rules(const Prepared& prepared, const Query& query,
                                      const Options& options,
                                      std::span<const double> known_solution) {
  return CapSearch(prepared, query, options, known_solution).run();
}

}  // namespace boxwood
