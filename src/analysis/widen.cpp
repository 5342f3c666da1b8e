// A box around a point in which every point has the outcome. It is widened one side at a time, some
// cells at a time: a search among the points that these cells would add finds one without the
// outcome or proves that there is none.
#include "analysis/exhausted.hpp"
#include "analysis/variables.hpp"
#include "base/infinity.hpp"
#include "grid/grid.hpp"
#include "model/arithmetic.hpp"
#include "query/neighbours.hpp"
#include "query/reach.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace boxwood {
namespace {

/// More codes of one feature than this are not tried one by one.
constexpr double most_codes = 1000;

class Widening {
 public:
  /// Throws Pace::Stopped at a limit.
  Widening(const Prepared& prepared, const Query& query, std::span<const double> point,
           Budget& budget)
      : prepared_(prepared),
        query_(query),
        budget_(budget),
        cuts_(cuts_within(budget_, prepared.ensembles())),
        precision_(common_precision(prepared.ensembles())),
        plain_(query) {
    plain_.point.assign(point.begin(), point.end());
    plain_.clauses.clear();
    plain_.max_changes.reset();
    plain_.fewest_first = false;
    plain_.norm = Norm::custom;
    plain_.requirements.clear();
    const std::vector<Interval> box = pure_box(prepared.ensembles(), point);
    wide_.region = box;
    wide_.values.resize(point.size());
    reach_.resize(point.size());
    Query alone = query;  // without rules between features
    alone.clauses.clear();
    for (const FeatureSet& set : feature_sets(query)) begin(set, box, alone);
    // A derived column keeps the interval of the first box. The columns of its formula widen only
    // while its value stays in that interval.
    plain_.derived.clear();
    for (const Derived& derived : query.derived) {
      FeatureRule& rule = plain_.features[derived.feature];
      rule.range = readable(box[derived.feature]);
      rule.fixed = std::isnan(point[derived.feature]);
    }
  }

  void widen_set(const FeatureSet& set) {
    const std::size_t d = set.columns.front();
    const double value = plain_.point[d];
    if (set.group) {
      for (std::size_t hot = 0; hot <= set.columns.size(); ++hot) try_hot(*set.group, hot);
    } else if (plain_.features[d].fixed || std::isnan(value)) {
      return;
    } else if (!wide_.values[d].empty()) {
      for (const double code : codes_[d]) try_code(d, code);
    } else if (query_.features[d].kind != FeatureKind::categorical) {
      widen_side(d, true);
      widen_side(d, false);
    }
  }

  WideRegion finish() {
    wide_.maximal = maximal_;
    wide_.stop = budget_.stop();
    return std::move(wide_);
  }

 private:
  /// A feature's interval in the first box, and how far its constraints let it change.
  void begin(const FeatureSet& set, const std::vector<Interval>& box, const Query& alone) {
    if (codes_.empty()) codes_.resize(plain_.point.size());
    for (const std::size_t d : set.columns) {
      FeatureRule& rule = plain_.features[d];
      const double value = plain_.point[d];
      rule.direction = Direction::both;
      rule.least_change = 0;
      rule.most_change = infinity;
      rule.missing_allowed = false;
      rule.changes.clear();
      rule.step = 0;  // steps and lists do not count here
      rule.allowed.clear();
      if (set.group) continue;
      if (rule.fixed || std::isnan(value)) {
        if (!std::isnan(value)) wide_.region[d] = {value, value};
        continue;
      }
      reach_[d] = admissible_part(alone, plain_.point, d, {}, precision_);
      stop_at_present_value(d);
      wide_.region[d] = intersection(box[d], reach_[d]);
      rule.range = readable(wide_.region[d]);
      if (rule.kind == FeatureKind::categorical) begin_codes(d);
    }
    if (set.group) begin_group(*set.group);
  }

  /// A whole-number feature may keep a present value that is not whole. The searches try only whole
  /// numbers, so no interval extends to such a value.
  void stop_at_present_value(std::size_t d) {
    const double now = query_.point[d], value = plain_.point[d];
    const FeatureKind kind = query_.features[d].kind;
    const bool whole = kind == FeatureKind::integer || kind == FeatureKind::ordinal;
    if (!whole || std::isnan(now) || now == value || now == std::floor(now)) return;
    if (!reach_[d].contains(now)) return;
    if (now < value) {
      reach_[d].lower = now;
      reach_[d].lower_closed = false;
    } else {
      reach_[d].upper = now;
      reach_[d].upper_closed = false;
    }
    maximal_ = false;  // the interval might extend beyond it
  }

  /// The end of the axis, or the last cut if only infinity lies beyond it. No change to infinity
  /// has a finite cost, so no search tells whether it has the outcome.
  void widen_to_reach(std::size_t d, bool up) {
    Interval& interval = wide_.region[d];
    const Interval& reach = reach_[d];
    const std::vector<Cut>& cuts = cuts_[d];
    if (up) {
      interval.upper = reach.upper;
      interval.upper_closed = reach.upper_closed;
      if (cuts.empty() || std::isfinite(first_right_of(cuts.back(), precision_))) return;
      if (interval.upper < cuts.back().value) return;
      interval.upper = cuts.back().value;
      interval.upper_closed = interval.upper_closed && cuts.back().inclusive;
    } else {
      interval.lower = reach.lower;
      interval.lower_closed = reach.lower_closed;
      if (cuts.empty() || std::isfinite(last_left_of(cuts.front(), precision_))) return;
      if (interval.lower > cuts.front().value) return;
      interval.lower = cuts.front().value;
      interval.lower_closed = interval.lower_closed && !cuts.front().inclusive;
    }
  }

  /// The same numbers between ends that the models can read. The searches read the ends of a range:
  /// one at 0.3 admits the float32 nearest to it, which may lie in the next cell.
  Interval readable(const Interval& interval) const {
    Interval inside = interval;
    if (std::isfinite(interval.lower)) {
      inside.lower = first_right_of({interval.lower, !interval.lower_closed}, precision_);
      inside.lower_closed = true;
    }
    if (std::isfinite(interval.upper)) {
      inside.upper = last_left_of({interval.upper, interval.upper_closed}, precision_);
      inside.upper_closed = true;
    }
    // Around a present value that the models cannot read there may be no such number.
    return inside.lower <= inside.upper ? inside : interval;
  }

  void begin_codes(std::size_t d) {
    const FeatureRule& rule = query_.features[d];
    codes_[d] = rule.allowed;
    const double step = std::max(rule.step, 1.0);
    const bool few = (rule.range.upper - rule.range.lower) / step < most_codes;
    if (rule.allowed.empty() && few) {
      const double first = std::ceil(rule.range.lower / step) * step;
      for (double code = first; code <= rule.range.upper; code += step) codes_[d].push_back(code);
    } else if (rule.allowed.empty()) {
      maximal_ = false;  // too many to try
    }
    std::erase_if(codes_[d], [&](double code) { return !rule.range.contains(code); });
    plain_.features[d].range = {};
    plain_.features[d].step = 0;
    set_codes(d, {plain_.point[d]});
  }

  void set_codes(std::size_t d, std::vector<double> codes) {
    wide_.region[d] = {codes.front(), codes.back()};
    plain_.features[d].allowed = codes;
    wide_.values[d] = std::move(codes);
  }

  void begin_group(const OneHot& group) {
    const std::size_t hot = hot_column(group, plain_.point).value();
    wide_.values[group.columns.front()] = {static_cast<double>(hot)};
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
      const double value = k == hot ? 1 : 0;
      wide_.region[group.columns[k]] = {value, value};
    }
    apply_group(group);
  }

  /// Only columns that are proven to keep the outcome may be 1.
  void apply_group(const OneHot& group) {
    const std::vector<double>& places = wide_.values[group.columns.front()];
    const auto may = [&](std::size_t place) {
      return std::count(places.begin(), places.end(), static_cast<double>(place)) > 0;
    };
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
      FeatureRule& rule = plain_.features[group.columns[k]];
      rule.fixed = false;
      rule.range = {0, may(k) ? 1.0 : 0.0};
      wide_.region[group.columns[k]] = {may(k) && places.size() == 1 ? 1.0 : 0.0,
                                        may(k) ? 1.0 : 0.0};
    }
    for (OneHot& own : plain_.groups) {
      if (own.columns == group.columns) own.none_allowed = may(group.columns.size());
    }
  }

  /// Some point of a box that fails a requirement; none if it is proven that there is none. If the
  /// search was not finished, nothing is known.
  struct Counterexample {
    bool finished = true;
    std::optional<std::vector<double>> point;
  };
  Counterexample search(Query query) {
    Counterexample found;
    query.term = no_cost;
    for (Requirement requirement : query_.requirements) {
      if (found.point) break;
      if (check_exhausted(budget_)) {
        found.finished = false;
        break;
      }
      requirement.negated = !requirement.negated;
      query.requirements = {requirement};
      Options options = budget_.rest();
      options.ties = 1;
      options.any_within = 0;
      Answer answer = explain(prepared_, query, options);
      if (!answer.solutions.empty()) {
        answer.stop = Stop::finished;  // any point was enough
        found.point = answer.best().point;
      } else if (answer.status != Status::infeasible) {
        found.finished = false;
      }
      budget_.note(answer);
    }
    found.finished = found.finished || found.point;
    if (!found.finished) maximal_ = false;
    return found;
  }

  static double no_cost(std::size_t, double, double) { return 0; }

  /// The first number beyond a side of the box that the feature may have.
  double next_beyond(std::size_t d, bool up) const {
    const Interval& interval = wide_.region[d];
    const double next = up ? first_right_of({interval.upper, interval.upper_closed}, precision_)
                           : last_left_of({interval.lower, !interval.lower_closed}, precision_);
    if (plain_.features[d].kind == FeatureKind::continuous) return next;
    return up ? std::ceil(next) : std::floor(next);
  }

  /// The box's interval of a feature, one of its sides moved out to the far end of a cell, as far
  /// as the feature may go.
  Interval side_until(std::size_t d, bool up, std::size_t cell) const {
    const std::vector<Cut>& cuts = cuts_[d];
    Interval wider = wide_.region[d];
    if (up) {
      wider.upper = cell < cuts.size() ? cuts[cell].value : infinity;
      wider.upper_closed = cell < cuts.size() && cuts[cell].inclusive;
    } else {
      wider.lower = cell > 0 ? cuts[cell - 1].value : -infinity;
      wider.lower_closed = cell > 0 && !cuts[cell - 1].inclusive;
    }
    return intersection(wider, reach_[d]);
  }

  /// Whether a side of the box is where its feature can go no further.
  bool at_end(std::size_t d, bool up) const {
    const Interval& interval = wide_.region[d];
    const Interval& reach = reach_[d];
    return up ? interval.upper == reach.upper && interval.upper_closed == reach.upper_closed
              : interval.lower == reach.lower && interval.lower_closed == reach.lower_closed;
  }

  /// Every point of the box has the outcome. So a search only has to look at the cells that one
  /// step adds: one cell at first, then more and more, and once there is a counterexample, half of
  /// the cells before it. Cells are counted outwards from the side. Those below `proven` have the
  /// outcome; `open` is the cell of the nearest counterexample, or the number of all cells. Each
  /// search looks at some cells from `proven` on and below `open`. After it, either `proven` is
  /// larger by all of them, or `open` is one of them. So the loop ends, after about twice as many
  /// searches as the logarithm of the number of cells.
  void widen_side(std::size_t d, bool up) {
    if (at_end(d, up)) return;
    const std::vector<Cut>& cuts = cuts_[d];
    const auto cell_of = [&](double value) { return cell_rank(cuts, as_read(value, precision_)); };
    double next = next_beyond(d, up);
    const auto may_be = [&] { return std::isfinite(next) && reach_[d].contains(next); };
    if (!may_be()) return widen_to_reach(d, up);
    const std::size_t first = cell_of(next);
    const std::size_t end = cell_of(up ? reach_[d].upper : reach_[d].lower);
    const auto steps_to = [&](std::size_t cell) { return up ? cell - first : first - cell; };
    const auto cell_at = [&](std::size_t steps) { return up ? first + steps : first - steps; };
    constexpr std::size_t growth = 4;
    std::size_t proven = 0, open = steps_to(end) + 1;
    bool found_one = false;
    for (std::size_t most = 1; proven < open && may_be(); most = std::min(most * growth, open)) {
      const std::size_t left = open - proven;
      const std::size_t count = std::min(most, found_one ? (left + 1) / 2 : left);
      Query query = plain_;
      query.point[d] = next;
      Interval& slab = query.features[d].range;
      slab = readable(side_until(d, up, cell_at(proven + count - 1)));
      (up ? slab.lower : slab.upper) = next;
      (up ? slab.lower_closed : slab.upper_closed) = true;
      const Counterexample found = search(std::move(query));
      if (!found.finished) return;
      if (found.point) {
        open = std::clamp(steps_to(cell_of((*found.point)[d])), proven, proven + count - 1);
        found_one = true;
      } else {
        proven += count;
        extend(d, up, cell_at(proven - 1));
        next = next_beyond(d, up);
        // No number of the feature may lie in the next cells.
        if (may_be()) proven = std::max(proven, steps_to(cell_of(next)));
      }
    }
    if (!found_one) {
      widen_to_reach(d, up);
      plain_.features[d].range = readable(wide_.region[d]);
    } else if (up ? cell_at(open) > 0 : cell_at(open) < cuts.size()) {
      extend(d, up, up ? cell_at(open) - 1 : cell_at(open) + 1);
    }
  }

  /// What was proven becomes part of the box at once.
  void extend(std::size_t d, bool up, std::size_t cell) {
    wide_.region[d] = side_until(d, up, cell);
    plain_.features[d].range = readable(wide_.region[d]);
  }

  void try_code(std::size_t d, double code) {
    std::vector<double> values = wide_.values[d];
    if (std::count(values.begin(), values.end(), code) > 0) return;
    Query query = plain_;
    query.point[d] = code;
    query.features[d].fixed = true;
    const Counterexample found = search(std::move(query));
    if (found.point || !found.finished) return;
    values.insert(std::upper_bound(values.begin(), values.end(), code), code);
    set_codes(d, std::move(values));
  }

  void try_hot(const OneHot& group, std::size_t hot) {
    std::vector<double>& places = wide_.values[group.columns.front()];
    const auto place = static_cast<double>(hot);
    if (std::count(places.begin(), places.end(), place) > 0) return;
    const bool none = hot == group.columns.size();
    if (none && !group.none_allowed && hot_column(group, query_.point) != hot) return;
    if (!may_be_hot(query_, group.columns, hot)) return;
    Query query = plain_;
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
      query.point[group.columns[k]] = k == hot ? 1 : 0;
      query.features[group.columns[k]].fixed = true;
    }
    const Counterexample found = search(std::move(query));
    if (found.point || !found.finished) return;
    places.insert(std::upper_bound(places.begin(), places.end(), place), place);
    apply_group(group);
  }

  const Prepared& prepared_;
  const Query& query_;
  Budget& budget_;
  Cuts cuts_;
  Precision precision_;
  Query plain_;  ///< all points of the box, at no cost
  std::vector<Interval> reach_;
  std::vector<std::vector<double>> codes_;
  WideRegion wide_;
  bool maximal_ = true;
};

/// Of the counted requirements, keeps those that hold in the point and requires all of them. A box
/// in which they hold has enough of them. Returns whether others were dropped.
bool keep_agreeing(std::span<const Ensemble> ensembles, std::span<const double> point,
                   Query& query) {
  if (!query.agree) return false;
  query.agree.reset();
  const std::size_t before = query.requirements.size();
  std::erase_if(query.requirements, [&](const Requirement& requirement) {
    const Ensemble& ensemble = ensembles[requirement.ensemble];
    return requirement.counted && !meets(requirement, ensemble, ensemble.predict(point));
  });
  for (Requirement& requirement : query.requirements) requirement.counted = false;
  return query.requirements.size() < before;
}

}  // namespace

WideRegion find_wide_region(const Prepared& prepared, const Query& query,
                            std::span<const double> point, std::span<const std::size_t> order,
                            const Options& options) {
  validate(query, prepared.ensembles());
  if (point.size() != query.point.size() || !meets(query, prepared.ensembles(), point)) {
    throw Error("wide region", "the point does not meet the requirements",
                "Give the point of an answer");
  }
  for (const OneHot& group : query.groups) {
    if (!hot_column(group, point)) {
      throw Error("wide region", "the columns of a one-hot group are not zeros with at most one 1",
                  "Give the point of an answer");
    }
  }
  std::vector<FeatureSet> sets = feature_sets(query);
  const std::vector<FeatureSet> changed = changed_sets(query, point);
  const auto place = [&](const FeatureSet& set) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (std::count(set.columns.begin(), set.columns.end(), order[i]) > 0) return i;
    }
    const bool is_changed =
        std::any_of(changed.begin(), changed.end(),
                    [&](const FeatureSet& other) { return other.columns == set.columns; });
    return order.size() + (is_changed ? 0 : 1);
  };
  std::stable_sort(sets.begin(), sets.end(),
                   [&](const FeatureSet& a, const FeatureSet& b) { return place(a) < place(b); });
  Budget budget(options);
  try {
    // The box is about the outcome of its points, not about that of their neighbours.
    Query plain = without_robustness(query);
    plain.live = 0;
    const bool some = keep_agreeing(prepared.ensembles(), point, plain);
    Widening widening(prepared, plain, point, budget);
    for (const FeatureSet& set : sets) widening.widen_set(set);
    WideRegion region = widening.finish();
    // The box could be wider where other models agree instead.
    region.maximal = region.maximal && !some;
    return region;
  } catch (const Pace::Stopped&) {
    return {pure_box(prepared.ensembles(), point), std::vector<std::vector<double>>(point.size()),
            false, budget.stop()};
  }
}

}  // namespace boxwood
