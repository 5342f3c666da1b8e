// Rounder numbers in place of exact ones, if outcome and rules allow it and the cost grows by
// little.
#include "analysis/variables.hpp"
#include "grid/axis.hpp"
#include "grid/grid.hpp"
#include "model/arithmetic.hpp"
#include "query/neighbours.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

bool is_admissible(const Query& query, std::size_t d, double value, Precision precision) {
  const Axis axis(query.features[d], query.point[d], precision);
  const Cut below{value, false}, above{value, true};
  const auto found =
      value > query.point[d] ? axis.lowest(&below, &above) : axis.highest(&below, &above);
  return found == value;
}

}  // namespace

std::vector<double> find_rounded(const Prepared& prepared, const Query& query,
                                 std::span<const double> point, double tolerance) {
  refuse_robust_or_live(query, "rounding");
  if (!(tolerance >= 0)) throw Error("tolerance", "must be a number ≥ 0");
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  const Precision precision = common_precision(ensembles);
  const std::vector<Interval> box = pure_box(ensembles, point);
  const double most = total_cost(query, point) * (1 + tolerance);
  std::vector<double> best(point.begin(), point.end());
  for (const FeatureSet& set : changed_sets(query, point)) {
    const std::size_t d = set.columns.front();
    if (set.group || query.features[d].kind == FeatureKind::categorical) continue;
    if (std::isnan(point[d]) || std::isnan(query.point[d])) continue;
    const double size = std::max(std::abs(point[d]), std::abs(query.point[d]));
    // From hundreds, or the magnitude of the value, down to the resolution of a float.
    const int largest = static_cast<int>(std::ceil(std::log10(std::max(size, 1e-300))));
    bool found = false;
    for (int power = largest; power > largest - 16 && !found; --power) {
      const double unit = std::pow(10.0, std::abs(power));
      const auto multiple = [&](double times) {
        return as_read(power >= 0 ? times * unit : times / unit, precision) + 0.0;
      };
      const double middle = power >= 0 ? point[d] / unit : point[d] * unit;
      double cheapest = most;
      std::vector<double> choice;
      for (const double times : {std::floor(middle), std::ceil(middle)}) {
        std::vector<double> trial = best;
        trial[d] = multiple(times);
        set_derived(query, trial);
        const bool stays =
            std::all_of(query.derived.begin(), query.derived.end(), [&](const Derived& derived) {
              const double value = trial[derived.feature];
              return std::isnan(value) || box[derived.feature].contains(as_read(value, precision));
            });
        if (!stays) continue;
        if (!box[d].contains(trial[d]) || trial[d] == query.point[d]) continue;
        if (!is_admissible(query, d, trial[d], precision)) continue;
        const double cost = total_cost(query, trial);
        if (cost > cheapest || !obeys(query, trial, precision)) continue;
        if (!meets(query, ensembles, trial)) continue;
        cheapest = cost;
        choice = std::move(trial);
      }
      if (choice.empty()) continue;
      best = std::move(choice);
      found = true;
    }
  }
  return best;
}

Answer rounded_answer(const Prepared& prepared, const Query& query, const Answer& answer,
                      double tolerance) {
  if (answer.solutions.empty()) return answer;
  Solution round = answer.best();
  round.point = find_rounded(prepared, query, round.point, tolerance);
  const bool same = std::equal(round.point.begin(), round.point.end(), answer.best().point.begin(),
                               [](double a, double b) { return a == b || std::isnan(a); });
  if (same) return answer;
  Answer result = answer;
  result.cost = total_cost(query, round.point);
  result.distance = distance(query.norm, result.cost);
  result.solutions = {std::move(round)};
  result.more_ties = false;
  // The region is the same, and with it every output. The bound of the exact answer still holds.
  if (result.cost > answer.cost) result.status = Status::feasible;
  return result;
}

}  // namespace boxwood
