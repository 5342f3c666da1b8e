#include "search/derived.hpp"

#include "base/infinity.hpp"
#include "grid/grid.hpp"
#include "grid/linear_trees.hpp"
#include "model/arithmetic.hpp"
#include "search/derived_box.hpp"
#include "search/guarded.hpp"
#include "search/linear_box.hpp"
#include "search/prepared.hpp"

#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <queue>

namespace boxwood {
namespace {

struct CheapestFirst {
  bool operator()(const DerivedBox& a, const DerivedBox& b) const { return a.bound > b.bound; }
};

class DerivedSearch {
 public:
  DerivedSearch(const Prepared& prepared, const Query& query, const Options& options,
                const Cuts& cuts)
      : prepared_(prepared),
        query_(query),
        precision_(common_precision(prepared.ensembles())),
        boxes_(query, cuts, precision_),
        budget_(options, Budget::Share::nodes),
        worth_finding_(boxes_.has_tolerance() ? 1 - 3 * cost_tolerance : 1) {}

  Answer run() {
    answer_ = {};
    answer_.output_before = outputs_at(prepared_.ensembles(), query_.point);
    offer(query_.point);
    answer_.already_met = !best_.empty();
    if (best_.empty()) {
      open_.push(boxes_.whole());
      while (!open_.empty() && is_worth(open_.top().bound) && stop_ == Stop::finished) {
        const DerivedBox box = open_.top();
        open_.pop();
        look_at(box);
      }
    }
    return finished();
  }

 private:
  bool is_worth(double bound) const { return best_.empty() || bound < cost_ * worth_finding_; }

  void look_at(DerivedBox box) {
    if (!boxes_.shrink(box)) return;
    if (const Stop stop = budget_.exhausted(); stop != Stop::finished) return leave(box, stop);
    const std::optional<Query> within = query_in(box);
    if (!within) return;
    Options options = budget_.rest();
    options.ties = 1;
    const Answer found = budget_.note(explain_guarded(prepared_, *within, options, {}));
    if (found.status == Status::infeasible) return;
    box.bound = std::max(box.bound, found.lower_bound);
    if (!found.solutions.empty()) {
      const std::vector<double>& point = found.best().point;
      const bool fits = offer(point);
      if (!fits) offer_near(box, point);
      const bool too_coarse = found.stop == Stop::precision && boxes_.has_tolerance();
      if (found.status == Status::optimal || too_coarse) {
        // A point that fits closes the box if it is close to the bound of the box: where linear
        // rules were too coarse, it need not be.
        const bool close = found.status == Status::optimal || !is_worth(box.bound);
        if (fits && close) {
          closed_ = std::min(closed_, box.bound);
        } else if (!branch(box, point, fits) && fits) {
          leave(box, Stop::precision);
        }
        return;
      }
    }
    leave(box, found.stop);
  }

  /// A limit ends the search: the box stays open.
  void leave(const DerivedBox& box, Stop stop) {
    // Without a limit, numbers were too coarse for linear rules: other boxes are looked at.
    (stop == Stop::precision ? unsettled_ : left_open_) =
        std::min(stop == Stop::precision ? unsettled_ : left_open_, box.bound);
    if (stop != Stop::precision) stop_ = stop;
  }

  /// The query within a box, in which derived columns are free. Their present values do not matter,
  /// because they cost nothing. A missing one stays missing, as no rule permits it to change.
  std::optional<Query> query_in(const DerivedBox& box) const {
    Query query = query_;
    query.derived.clear();
    for (std::size_t i = 0; i < box.results.size(); ++i) {
      const std::size_t feature = boxes_.columns()[i]->feature;
      const Interval values = boxes_.values_of(i, box.results[i]);
      query.features[feature].range = {as_read(values.lower, precision_),
                                       as_read(values.upper, precision_)};
      query.point[feature] = std::clamp(query_.point[feature], values.lower, values.upper);
    }
    for (std::size_t j = 0; j < box.arguments.size(); ++j) {
      const std::size_t feature = boxes_.arguments()[j];
      const Interval& values = box.arguments[j];
      const double now = query_.point[feature];
      const Interval range{as_read(values.lower, precision_), as_read(values.upper, precision_)};
      FeatureRule& rule = query.features[feature];
      const bool holds_now = values.lower <= now && now <= values.upper;
      const Interval left = intersection(rule.range, range);
      if (left.empty() && !holds_now) return std::nullopt;
      if (left.empty() || values == Interval{now, now}) {
        rule.fixed = true;
      } else {
        rule.range = left;
      }
      if (!holds_now) query.clauses.push_back({{{.feature = feature, .range = range}}});
    }
    for (std::size_t i = 0; i < box.results.size(); ++i) add_linear(box, i, query);
    return query;
  }

  /// A sum, difference or quotient of two continuous columns is linear but for its rounding, and
  /// linear rules bound it far better than the ends of a box. A result is at least `lower` only if
  /// the real number is more than the number before `lower`. In float32 the steps of numbers, which
  /// linear rules allow for, are larger than what is to be proven.
  void add_linear(const DerivedBox& box, std::size_t column, Query& query) const {
    const Derived& derived = *boxes_.columns()[column];
    const std::vector<Derived::Step>& steps = derived.steps;
    if (derived.precision != Precision::float64 || precision_ != Precision::float64) return;
    if (query.norm == Norm::linf || query.norm == Norm::custom) return;
    if (steps.size() != 3 || steps[2].a == steps[2].b) return;
    const Derived::Op op = steps[2].op;
    if (op == Derived::Op::least || op == Derived::Op::most) return;
    const std::size_t a = steps[steps[2].a].feature, b = steps[steps[2].b].feature;
    for (const std::size_t step : {steps[2].a, steps[2].b}) {
      const FeatureRule& rule = query.features[steps[step].feature];
      if (steps[step].op != Derived::Op::column || rule.fixed) return;
      if (is_discrete(rule) || !rule.quantiles.empty()) return;
    }
    const auto values_in = [&](std::size_t feature) -> const Interval& {
      const auto place = std::find(boxes_.arguments().begin(), boxes_.arguments().end(), feature);
      return box.arguments[static_cast<std::size_t>(place - boxes_.arguments().begin())];
    };
    if (op == Derived::Op::times) {
      return add_product({a, b}, {values_in(a), values_in(b)},
                         boxes_.values_of(column, box.results[column]), query);
    }
    const Interval& divisors = values_in(b);
    const bool quotient = op == Derived::Op::over;
    if (quotient && !(divisors.lower > 0) && !(divisors.upper < 0)) return;
    const Interval values = boxes_.values_of(column, box.results[column]);
    constexpr double large = 1e300;
    for (const bool upper : {false, true}) {
      const double end =
          upper ? std::nextafter(values.upper, infinity) : std::nextafter(values.lower, -infinity);
      if (!(std::abs(end) < large)) continue;
      const double factor = quotient ? -end : op == Derived::Op::plus ? 1 : -1;
      LinearCondition sum{{{.feature = a}}, {}};
      if (factor != 0) sum.terms.push_back({.feature = b, .coefficient = factor});
      const bool at_most = upper != (quotient && divisors.upper < 0);
      (at_most ? sum.range.upper : sum.range.lower) = quotient ? 0 : end;
      query.clauses.push_back({{}, {sum}});
    }
  }

  /// A product is no linear function, but (a - l)(b - k) has one sign where l and k are ends of the
  /// box, so that a b is at least, or at most, k a + l b - l k. The distance of these bounds
  /// shrinks with the square of the box.
  static void add_product(std::array<std::size_t, 2> features, std::array<Interval, 2> ends,
                          const Interval& values, Query& query) {
    constexpr double large = 1e150;
    for (const Interval& one : ends) {
      if (!(std::max(std::abs(one.lower), std::abs(one.upper)) < large)) return;
    }
    const auto add = [&](double of_a, double of_b, double end, bool upper) {
      if (!(std::abs(end) < large)) return;
      LinearCondition sum;
      if (of_b != 0) sum.terms.push_back({.feature = features[0], .coefficient = of_b});
      if (of_a != 0) sum.terms.push_back({.feature = features[1], .coefficient = of_a});
      if (sum.terms.empty()) return;
      // The exact end is within half a unit of the rounded one.
      const double limit = std::nextafter(std::fma(of_a, of_b, end), upper ? infinity : -infinity);
      (upper ? sum.range.upper : sum.range.lower) = limit;
      query.clauses.push_back({{}, {sum}});
    };
    const double most = std::nextafter(values.upper, infinity);
    const double least = std::nextafter(values.lower, -infinity);
    add(ends[0].lower, ends[1].lower, most, true);
    add(ends[0].upper, ends[1].upper, most, true);
    add(ends[0].lower, ends[1].upper, least, false);
    add(ends[0].upper, ends[1].lower, least, false);
  }

  /// Sets the derived columns and keeps the point if it is the cheapest; false if it does not have
  /// the outcome or breaks a rule then.
  bool offer(std::vector<double> point) {
    set_derived(query_, point);
    for (const Derived* derived : boxes_.columns()) {
      if (!std::isfinite(as_read(point[derived->feature], precision_))) return false;
    }
    if (!obeys(query_, point, precision_)) return false;
    if (!meets(query_, prepared_.ensembles(), point)) return false;
    const double cost = total_cost(query_, point);
    const bool fewer = cost == cost_ && change_count(query_, point) < change_count(query_, best_);
    if (best_.empty() || cost < cost_ || fewer) {
      cost_ = cost;
      best_ = std::move(point);
    }
    return true;
  }

  /// Not needed for the proof: moves one argument to where the column is as the search would like.
  void offer_near(const DerivedBox& box, const std::vector<double>& point) {
    for (std::size_t j = 0; j < box.arguments.size(); ++j) {
      const Interval values = boxes_.alone(box, point, j);
      if (values.empty()) continue;
      const std::size_t feature = boxes_.arguments()[j];
      std::vector<double> near = point;
      near[feature] = std::clamp(point[feature], values.lower, values.upper);
      const double before = term_cost(query_, feature, near[feature]);
      if (before < infinity) offer(std::move(near));
    }
  }

  /// False if one choice of arguments is left. Then a column has the one cell of its value, and a
  /// point that does not fit has a column that is no number.
  bool branch(const DerivedBox& box, const std::vector<double>& point, bool fits) {
    for (std::size_t i = 0; i < box.results.size(); ++i) {
      if (branch_on_cells(box, i, point)) return true;
    }
    std::size_t widest = box.arguments.size();
    double most = -1;
    for (std::size_t j = 0; j < box.arguments.size(); ++j) {
      const Interval& values = box.arguments[j];
      if (is_single(values)) continue;
      const double effect = fits ? relative_width(values) : effect_of(values, j, point);
      if (effect > most) {
        most = effect;
        widest = j;
      }
    }
    if (widest == box.arguments.size()) return false;
    const auto [below, above] = boxes_.middle(box.arguments[widest], widest);
    DerivedBox lower = box, upper = box;
    lower.arguments[widest].upper = below;
    upper.arguments[widest].lower = above;
    open_.push(std::move(lower));
    open_.push(std::move(upper));
    return true;
  }

  static double relative_width(const Interval& values) {
    const double size = std::max(std::abs(values.lower), std::abs(values.upper));
    return values.upper / size - values.lower / size;
  }

  /// How far the values of an argument move a derived column that is not as the search would like.
  double effect_of(const Interval& values, std::size_t argument,
                   const std::vector<double>& point) const {
    double effect = 0;
    for (std::size_t i = 0; i < boxes_.columns().size(); ++i) {
      if (!boxes_.uses(i, argument)) continue;
      const Derived& derived = *boxes_.columns()[i];
      if (derived_value(derived, point) == point[derived.feature]) continue;
      std::vector<double> at = point;
      at[boxes_.arguments()[argument]] = values.lower;
      const double first = derived_value(derived, at);
      at[boxes_.arguments()[argument]] = values.upper;
      const double moved = std::abs(derived_value(derived, at) - first);
      effect = std::max(effect, std::isnan(moved) ? infinity : moved);
    }
    return effect;
  }

  /// Between the cell that the search chose and the cell of the formula's value.
  bool branch_on_cells(const DerivedBox& box, std::size_t column,
                       const std::vector<double>& point) {
    const DerivedBox::Cells& cells = box.results[column];
    const Derived& derived = *boxes_.columns()[column];
    const double value = derived_value(derived, point);
    if (std::isnan(value)) return false;
    const std::size_t liked = boxes_.cell_of(column, point[derived.feature]);
    const std::size_t real = boxes_.cell_of(column, value);
    if (liked == real) return false;
    const std::size_t low = std::max(std::min(liked, real), cells.first) + 1;
    const std::size_t high = std::min(std::max(liked, real), cells.last - 1);
    if (low > high) return false;
    const std::size_t cut = low + (high - low) / 2;
    DerivedBox below = box, above = box;
    below.results[column].last = above.results[column].first = cut;
    open_.push(std::move(below));
    open_.push(std::move(above));
    return true;
  }

  Answer finished() {
    if (!open_.empty()) {
      // What is not worth looking at is closed by its bound.
      (stop_ == Stop::finished ? closed_ : left_open_) =
          std::min(stop_ == Stop::finished ? closed_ : left_open_, open_.top().bound);
    }
    const bool proven = stop_ == Stop::finished && !(unsettled_ < cost_ * worth_finding_);
    answer_.cost = cost_;
    answer_.distance = distance(query_.norm, cost_);
    answer_.lower_bound = std::min(cost_, std::min(left_open_, unsettled_));
    if (proven && !best_.empty()) answer_.lower_bound = std::min(cost_, closed_);
    answer_.stop = proven ? Stop::finished : stop_ == Stop::finished ? Stop::precision : stop_;
    answer_.more_ties = cost_ > 0 && !best_.empty();
    answer_.statistics = budget_.used();
    answer_.statistics.seconds = budget_.seconds();
    if (best_.empty()) {
      answer_.status = proven ? Status::infeasible : Status::unknown;
      if (proven) answer_.lower_bound = infinity;
      return std::move(answer_);
    }
    answer_.status = proven ? Status::optimal : Status::feasible;
    const std::span<const Ensemble> ensembles = prepared_.ensembles();
    answer_.output_after = outputs_at(ensembles, best_);
    answer_.solutions.push_back(solution_at(ensembles, best_));
    return std::move(answer_);
  }

  const Prepared& prepared_;
  const Query& query_;
  Precision precision_;
  DerivedBoxes boxes_;
  Budget budget_;
  double worth_finding_;
  std::priority_queue<DerivedBox, std::vector<DerivedBox>, CheapestFirst> open_;
  std::vector<double> best_;
  double cost_ = infinity;
  double closed_ = infinity;     // the least bound of boxes that are done
  double unsettled_ = infinity;  // of boxes that linear rules leave open
  double left_open_ = infinity;  // of boxes that a limit leaves open
  Stop stop_ = Stop::finished;
  Answer answer_;
};

}  // namespace

Answer explain_derived(const Prepared& prepared, const Query& query, const Options& options) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  const bool alike = std::all_of(ensembles.begin(), ensembles.end(), [&](const Ensemble& one) {
    return one.input == ensembles.front().input;
  });
  for (const Derived& derived : query.derived) {
    if (alike || derived.precision == Precision::float32) continue;
    throw Error("derived column",
                "the models read float32 and float64, so they read its value differently",
                "Calculate it in float32");
  }
  Watch watch(options.limits);
  try {
    const Cuts& cuts = tables_of(prepared, &watch).leaves.cuts;
    return DerivedSearch(prepared, query, options, cuts).run();
  } catch (const Pace::Stopped&) {
    return stopped_answer(prepared, query, watch);
  }
}

}  // namespace boxwood
