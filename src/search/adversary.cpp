#include "search/adversary.hpp"

#include "base/infinity.hpp"
#include "grid/conditions.hpp"
#include "grid/cuts.hpp"
#include "grid/grid.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"
#include "query/neighbours.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace boxwood {
namespace {

constexpr int most_sweeps = 4;

/// The smallest number that an interval's lower end admits; a whole number if `whole`.
double first_in(const Interval& interval, bool whole, Precision precision) {
  const double first = first_right_of({interval.lower, !interval.lower_closed}, precision);
  return whole ? std::ceil(first) : first;
}
double last_in(const Interval& interval, bool whole, Precision precision) {
  const double last = last_left_of({interval.upper, interval.upper_closed}, precision);
  return whole ? std::floor(last) : last;
}

/// The rows near a point that the models can distinguish, feature by feature. Moves a row among
/// them to where a requirement is missed by most. This is a heuristic: the models decide about the
/// row.
class Descent {
 public:
  /// `near` is the query for the neighbours of a point, `ensemble` the model of its requirement,
  /// cut to them.
  Descent(const Ensemble& ensemble, const Query& near, std::span<const Ensemble> all,
          Precision precision)
      : ensemble_(ensemble),
        precision_(precision),
        trees_(near.point.size()),
        columns_(near.point.size()) {
    Query one = near;
    one.requirements.front().negated = !one.requirements.front().negated;
    conditions_ = make_conditions(all, one);
    std::vector<std::vector<double>> thresholds(near.point.size());
    for (std::uint32_t t = 0; t < ensemble.trees.size(); ++t) {
      for (const Node& node : ensemble.trees[t].nodes) {
        if (node.kind == NodeKind::leaf) continue;
        const auto feature = static_cast<std::size_t>(node.feature);
        if (trees_[feature].empty() || trees_[feature].back() != t) trees_[feature].push_back(t);
        if (node.kind != NodeKind::in_set) thresholds[feature].push_back(node.threshold);
      }
    }
    for (std::size_t d = 0; d < near.point.size(); ++d) {
      if (!trees_[d].empty()) list_values(near.features[d], thresholds[d], columns_[d]);
    }
    for (const OneHot& group : near.groups) list_columns(near, group);
  }

  void run(std::vector<double>& row) {
    if (conditions_.empty()) return;
    start(row);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const double before = least_;
      for (std::size_t d = 0; d < row.size(); ++d) {
        for (const double value : columns_[d]) try_values(row, {{d, value}});
      }
      for (const std::vector<Value>& values : groups_) try_values(row, values);
      if (!(least_ < before)) break;
    }
  }

 private:
  using Value = std::pair<std::size_t, double>;  ///< of a feature

  /// The values of one feature, one or more for each side of each split.
  void list_values(const FeatureRule& rule, std::vector<double>& thresholds,
                   std::vector<double>& values) const {
    if (rule.fixed) return;
    if (rule.kind == FeatureKind::categorical) {
      values = rule.allowed;
      return;
    }
    const Interval& range = rule.range;
    const bool whole = rule.kind != FeatureKind::continuous;
    values = {range.lower, range.upper};
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    for (const double at : thresholds) {
      // Both sides of the threshold, whether it is the last number on its left or the first beyond.
      const std::int64_t place = place_of(at, precision_);
      if (whole) values.insert(values.end(), {std::floor(at), std::ceil(at)});
      for (const std::int64_t step : {-1, 0, 1}) {
        if (!whole) values.push_back(at_place(place + step, precision_));
      }
    }
    std::erase_if(values, [&](double v) { return !range.contains(v); });
  }

  void list_columns(const Query& near, const OneHot& group) {
    for (const std::size_t hot : group.columns) {
      if (near.features[hot].range.upper < 1) continue;
      std::vector<Value>& values = groups_.emplace_back();
      for (const std::size_t column : group.columns) values.push_back({column, column == hot});
    }
    for (const std::size_t column : group.columns) columns_[column].clear();
  }

  std::uint32_t leaf_of(std::uint32_t t, const std::vector<double>& row) const {
    const Tree& tree = ensemble_.trees[t];
    const std::int32_t leaf = reach_leaf(tree, row, precision_);
    return static_cast<std::uint32_t>(tree.nodes[static_cast<std::size_t>(leaf)].value);
  }

  void start(const std::vector<double>& row) {
    leaves_.clear();
    sums_.clear();
    for (const Condition& condition : conditions_) sums_.push_back(-condition.threshold);
    for (std::uint32_t t = 0; t < ensemble_.trees.size(); ++t) {
      leaves_.push_back(leaf_of(t, row));
      for (std::size_t c = 0; c < conditions_.size(); ++c) {
        sums_[c] += conditions_[c].score(ensemble_.trees[t], leaves_[t]);
      }
    }
    least_ = *std::min_element(sums_.begin(), sums_.end());
  }

  /// Sets these values if a condition is then missed by more.
  void try_values(std::vector<double>& row, const std::vector<Value>& values) {
    std::vector<Value> kept;
    touched_.clear();
    for (const auto& [feature, value] : values) {
      kept.push_back({feature, std::exchange(row[feature], value)});
      touched_.insert(touched_.end(), trees_[feature].begin(), trees_[feature].end());
    }
    if (values.size() > 1) {
      std::sort(touched_.begin(), touched_.end());
      touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    }
    there_ = sums_;
    arrived_.clear();
    for (const std::uint32_t t : touched_) {
      arrived_.push_back(leaf_of(t, row));
      if (arrived_.back() == leaves_[t]) continue;
      for (std::size_t c = 0; c < conditions_.size(); ++c) {
        there_[c] += conditions_[c].score(ensemble_.trees[t], arrived_.back()) -
                     conditions_[c].score(ensemble_.trees[t], leaves_[t]);
      }
    }
    const double one = *std::min_element(there_.begin(), there_.end());
    if (!(one < least_)) {
      for (const auto& [feature, value] : kept) row[feature] = value;
      return;
    }
    least_ = one;
    sums_ = there_;
    for (std::size_t i = 0; i < touched_.size(); ++i) leaves_[touched_[i]] = arrived_[i];
  }

  const Ensemble& ensemble_;
  Precision precision_;
  std::vector<Condition> conditions_;
  std::vector<std::vector<std::uint32_t>> trees_;  ///< that test a feature
  std::vector<std::vector<double>> columns_;       ///< values of a feature
  std::vector<std::vector<Value>> groups_;
  std::vector<std::uint32_t> leaves_, touched_, arrived_;
  std::vector<double> sums_, there_;
  double least_ = 0;
};

}  // namespace

Adversary::Adversary(const Prepared& prepared, const Query& query, Budget& budget, Pace& pace)
    : prepared_(prepared),
      query_(query),
      budget_(budget),
      pace_(pace),
      precision_(common_precision(prepared.ensembles())) {}

bool Adversary::lacks(std::size_t requirement, std::span<const double> row) const {
  const Requirement& wanted = query_.requirements[requirement];
  const Ensemble& ensemble = prepared_.ensembles()[wanted.ensemble];
  return !meets(wanted, ensemble, ensemble.predict(row));
}

Adversary::Finding Adversary::examine(std::span<const double> point, bool inside) {
  // Models may read the present value as it was given, neighbours have it as the models read it.
  for (std::size_t r = 0; r < query_.requirements.size(); ++r) {
    if (lacks(r, point)) return {Verdict::missed, {point.begin(), point.end()}};
  }
  // Near the point the models have few leaves. The queries differ in their requirement only.
  const Query any = neighbour_query(query_, point, precision_, 0);
  const RowReach reach(any, precision_, infinity);
  std::vector<Ensemble> cut;
  for (const Ensemble& ensemble : prepared_.ensembles()) {
    cut.push_back(cut_ensemble(ensemble, reach, pace_));
  }
  for (std::size_t r = 0; r < query_.requirements.size(); ++r) {
    const Query near = neighbour_query(query_, point, precision_, r);
    std::vector<double> row = near.point;
    Descent(cut[near.requirements.front().ensemble], near, cut, precision_).run(row);
    if (lacks(r, row)) return {Verdict::broken, std::move(row)};
  }
  const Prepared small = prepare_in_place(cut);
  for (std::size_t r = 0; r < query_.requirements.size(); ++r) {
    Options options = budget_.rest();
    options.ties = 1;
    options.progress = {};
    options.examples = {};
    if (inside) options.limits.poll = nullptr;
    const Query near = neighbour_query(query_, point, precision_, r);
    const Answer answer = explain_guarded(small, near, options, {});
    budget_.note(answer);
    if (!answer.solutions.empty()) {
      std::vector<double> row = answer.best().point;
      std::vector<double> deeper = row;
      Descent(cut[near.requirements.front().ensemble], near, cut, precision_).run(deeper);
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
        moves[d] = {neighbour[d], neighbour[d], true};
      }
      continue;
    }
    const Interval part = intersection(region[d], rule.domain);
    const bool whole = rule.kind != FeatureKind::continuous;
    const MoveTarget target{first_in(part, whole, precision_), last_in(part, whole, precision_)};
    if (target.low <= target.high) moves[d] = target;
  }
  for (const OneHot& group : query_.groups) {
    const std::size_t hot = hot_column(group, neighbour).value();
    if (std::count(group.robust.begin(), group.robust.end(), hot) == 0) continue;
    for (const std::size_t column : group.columns) {
      moves[column] = {neighbour[column], neighbour[column], true};
    }
  }
  return moves;
}

}  // namespace boxwood
