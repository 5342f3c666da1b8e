#include "search/adversary.hpp"

#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "grid/grid.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"
#include "query/neighbours.hpp"
#include "search/guarded.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

constexpr int most_sweeps = 4;

/// The smallest number inside of an interval's lower end; a whole number where asked.
double first_in(const Interval& interval, bool whole, Precision precision) {
  const double first = first_right_of({interval.lower, !interval.lower_closed}, precision);
  return whole ? std::ceil(first) : first;
}
double last_in(const Interval& interval, bool whole, Precision precision) {
  const double last = last_left_of({interval.upper, interval.upper_closed}, precision);
  return whole ? std::floor(last) : last;
}

}  // namespace

Adversary::Adversary(const Prepared& prepared, const Query& query, Budget& budget)
    : prepared_(prepared),
      query_(query),
      budget_(budget),
      precision_(common_precision(prepared.ensembles())),
      thresholds_(query.point.size()) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  for (const Requirement& requirement : query.requirements) {
    Query one;
    one.requirements = {requirement};
    conditions_.push_back(make_conditions(ensembles, one));
  }
  for (const Ensemble& ensemble : ensembles) {
    auto& lists = trees_.emplace_back(query.point.size());
    for (std::uint32_t t = 0; t < ensemble.trees.size(); ++t) {
      for (const Node& node : ensemble.trees[t].nodes) {
        if (node.kind == NodeKind::leaf) continue;
        const auto feature = static_cast<std::size_t>(node.feature);
        if (!has_neighbours(query.features[feature])) continue;
        if (lists[feature].empty() || lists[feature].back() != t) lists[feature].push_back(t);
        thresholds_[feature].push_back(node.threshold);
      }
    }
  }
  for (std::vector<double>& list : thresholds_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

bool Adversary::lacks(std::size_t requirement, std::span<const double> row) const {
  const Requirement& wanted = query_.requirements[requirement];
  const Ensemble& ensemble = prepared_.ensembles()[wanted.ensemble];
  return !meets(wanted, ensemble, ensemble.predict(row));
}

std::vector<double> Adversary::values_near(std::size_t feature, double value) const {
  const FeatureRule& rule = query_.features[feature];
  if (std::isnan(value)) return {};
  if (!rule.robust_codes.empty()) return {rule.robust_codes.begin(), rule.robust_codes.end()};
  const Neighbours ends = neighbours_of(rule, value, precision_);
  const bool whole = rule.kind != FeatureKind::continuous;
  std::vector<double> values{ends.lowest, ends.highest};
  const std::vector<double>& thresholds = thresholds_[feature];
  for (auto at = std::lower_bound(thresholds.begin(), thresholds.end(), ends.lowest);
       at != thresholds.end() && *at <= ends.highest; ++at) {
    // Both sides of the threshold, whether it is the last number on its left or the first beyond.
    const std::int64_t place = place_of(*at, precision_);
    for (const std::int64_t step : {-1, 0, 1}) {
      const double near = at_place(place + step, precision_);
      if (!whole) values.push_back(near);
    }
    if (whole) values.insert(values.end(), {std::floor(*at), std::ceil(*at)});
  }
  std::erase_if(values, [&](double v) { return v < ends.lowest || v > ends.highest; });
  return values;
}

void Adversary::descend(std::size_t requirement, std::span<const double> point,
                        std::vector<double>& row) {
  const std::vector<Condition>& conditions = conditions_[requirement];
  if (conditions.empty()) return;
  const std::size_t index = query_.requirements[requirement].ensemble;
  const Ensemble& ensemble = prepared_.ensembles()[index];
  const auto value_at = [&](std::uint32_t t) {
    const Tree& tree = ensemble.trees[t];
    const std::int32_t leaf = reach_leaf(tree, row, precision_);
    return static_cast<std::uint32_t>(tree.nodes[static_cast<std::size_t>(leaf)].value);
  };
  std::vector<std::uint32_t> leaves;
  std::vector<double> sums;
  for (const Condition& condition : conditions) sums.push_back(-condition.threshold);
  for (std::uint32_t t = 0; t < ensemble.trees.size(); ++t) {
    leaves.push_back(value_at(t));
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      sums[c] += conditions[c].score(ensemble.trees[t], leaves[t]);
    }
  }
  double least = *std::min_element(sums.begin(), sums.end());
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    const double before = least;
    for (std::size_t d = 0; d < point.size(); ++d) {
      const std::vector<std::uint32_t>& trees = trees_[index][d];
      if (trees.empty()) continue;
      double chosen = row[d];
      for (const double value : values_near(d, point[d])) {
        const double kept = std::exchange(row[d], value);
        std::vector<double> there = sums;
        for (const std::uint32_t t : trees) {
          const std::uint32_t leaf = value_at(t);
          if (leaf == leaves[t]) continue;
          for (std::size_t c = 0; c < conditions.size(); ++c) {
            there[c] += conditions[c].score(ensemble.trees[t], leaf) -
                        conditions[c].score(ensemble.trees[t], leaves[t]);
          }
        }
        row[d] = kept;
        const double one = *std::min_element(there.begin(), there.end());
        if (one < least) {
          least = one;
          chosen = value;
        }
      }
      if (chosen == row[d] || std::isnan(row[d])) continue;
      row[d] = chosen;
      for (const std::uint32_t t : trees) {
        const std::uint32_t leaf = value_at(t);
        for (std::size_t c = 0; c < conditions.size(); ++c) {
          sums[c] += conditions[c].score(ensemble.trees[t], leaf) -
                     conditions[c].score(ensemble.trees[t], leaves[t]);
        }
        leaves[t] = leaf;
      }
    }
    if (!(least < before)) break;
  }
}

Adversary::Finding Adversary::examine(std::span<const double> point) {
  std::vector<double> read(point.begin(), point.end());
  for (double& value : read) value = as_read(value, precision_);
  for (std::size_t r = 0; r < query_.requirements.size(); ++r) {
    std::vector<double> row = read;
    descend(r, read, row);
    if (lacks(r, row)) return {Verdict::broken, std::move(row)};
  }
  for (std::size_t r = 0; r < query_.requirements.size(); ++r) {
    Options options = budget_.rest();
    options.ties = 1;
    options.progress = {};
    const Answer answer =
        explain_guarded(prepared_, neighbour_query(query_, point, precision_, r), options, {});
    budget_.note(answer);
    if (!answer.solutions.empty()) {
      std::vector<double> row = answer.best().point;
      std::vector<double> deeper = row;
      descend(r, read, deeper);
      return {Verdict::broken, lacks(r, deeper) ? std::move(deeper) : std::move(row)};
    }
    if (answer.status != Status::infeasible) return {Verdict::unknown};
  }
  return {Verdict::robust};
}

Moves Adversary::towards(std::span<const double> neighbour) const {
  Moves moves(neighbour.size());
  const std::vector<Interval> region = pure_box(prepared_.ensembles(), neighbour);
  for (std::size_t d = 0; d < neighbour.size(); ++d) {
    const FeatureRule& rule = query_.features[d];
    if (!has_neighbours(rule) || std::isnan(neighbour[d])) continue;
    if (!rule.robust_codes.empty()) {
      const auto code = static_cast<std::int32_t>(neighbour[d]);
      if (std::binary_search(rule.robust_codes.begin(), rule.robust_codes.end(), code)) {
        moves[d] = {neighbour[d], neighbour[d]};
      }
      continue;
    }
    const Interval part = intersection(region[d], rule.domain);
    const bool whole = rule.kind != FeatureKind::continuous;
    const MoveTarget target{first_in(part, whole, precision_), last_in(part, whole, precision_)};
    if (target.low <= target.high) moves[d] = target;
  }
  return moves;
}

}  // namespace boxwood
