#include "search/derived_box.hpp"

#include "base/infinity.hpp"
#include "grid/axis.hpp"
#include "grid/linear_trees.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"
#include "query/derived.hpp"
#include "query/reach.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

using Op = Derived::Op;

template <typename Number>
struct Ends {
  Number lower, upper;
};

/// The results of one operation over two ranges, as far as they are numbers.
template <typename Number>
Ends<Number> combined(Op op, Ends<Number> a, Ends<Number> b) {
  constexpr Number most = std::numeric_limits<Number>::infinity();
  const Ends<Number> anything{-most, most};
  if (op == Op::over && b.lower <= 0 && b.upper >= 0) {
    // Dividing by 0 gives no number, so divisors of one sign may be all that is left.
    if (b.lower < 0 && b.upper > 0) return anything;
    if (b.lower == 0) {
      return {a.lower >= 0 ? a.lower / b.upper : -most, a.upper <= 0 ? a.upper / b.upper : most};
    }
    return {a.upper <= 0 ? a.upper / b.lower : -most, a.lower >= 0 ? a.lower / b.lower : most};
  }
  Ends<Number> ends{most, -most};
  for (const Number x : {a.lower, a.upper}) {
    for (const Number y : {b.lower, b.upper}) {
      const Number result = calculate(op, x, y);
      if (std::isnan(result)) return anything;
      ends.lower = std::min(ends.lower, result);
      ends.upper = std::max(ends.upper, result);
    }
  }
  return ends;
}

}  // namespace

DerivedBoxes::DerivedBoxes(const Query& query, const Cuts& cuts, Precision precision)
    : query_(query),
      precision_(precision),
      largest_(precision == Precision::float32
                   ? static_cast<double>(std::numeric_limits<float>::max())
                   : std::numeric_limits<double>::max()),
      place_of_argument_(query.point.size(), 0) {
  for (const Derived& derived : query.derived) {
    if (std::isnan(query.point[derived.feature])) continue;  // and stays missing
    columns_.push_back(&derived);
    for (const Derived::Step& step : derived.steps) {
      if (step.op == Op::column) arguments_.push_back(step.feature);
    }
    std::vector<Cut> all = cuts[derived.feature];
    for (const Clause& clause : query.clauses) {
      for (const Literal& literal : clause.any_of) {
        if (literal.feature != derived.feature) continue;
        for (const double end : {literal.range.lower, literal.range.upper}) {
          const double read = as_read(end, precision) + 0.0;
          if (std::isfinite(read)) all.insert(all.end(), {{read, false}, {read, true}});
        }
      }
    }
    std::vector<double> starts;
    for (const Cut& cut : all) {
      const double start = first_value(derived, cut);
      if (std::isfinite(start)) starts.push_back(start);
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    starts_.push_back(std::move(starts));
  }
  std::sort(arguments_.begin(), arguments_.end());
  arguments_.erase(std::unique(arguments_.begin(), arguments_.end()), arguments_.end());
  for (std::size_t j = 0; j < arguments_.size(); ++j) place_of_argument_[arguments_[j]] = j;
}

/// The first value of the formula's type that the models read as one right of the cut.
double DerivedBoxes::first_value(const Derived& derived, const Cut& cut) const {
  if (derived.precision == Precision::float32) return first_right_of(cut, Precision::float32);
  const double read = first_right_of(cut, precision_);
  if (precision_ == Precision::float64 || !std::isfinite(read)) return read;
  const std::int64_t before =
      place_of(at_place(place_of(read, Precision::float32) - 1, Precision::float32));
  return at_place(first_good(before, place_of(read), [&](std::int64_t place) {
    return as_read(at_place(place), precision_) >= read;
  }));
}

bool DerivedBoxes::has_tolerance() const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const Derived* derived) {
    std::size_t open = 0;
    for (const Derived::Step& step : derived->steps) {
      const FeatureRule& rule = query_.features[step.feature];
      if (step.op == Op::column && !rule.fixed && !is_discrete(rule)) ++open;
    }
    return open > 1;
  });
}

DerivedBox DerivedBoxes::whole() const {
  DerivedBox box;
  for (const std::size_t feature : arguments_) {
    const double now = query_.point[feature];
    Interval values{now, now};
    if (!query_.features[feature].fixed) {
      const Reach reach = reach_of(query_.features[feature], now, precision_);
      if (!reach.below.empty())
        values.lower = std::min(now, std::max(reach.below.lower, -largest_));
      if (!reach.above.empty()) values.upper = std::max(now, std::min(reach.above.upper, largest_));
    }
    box.arguments.push_back(values);
  }
  for (const std::vector<double>& starts : starts_) box.results.push_back({0, starts.size() + 1});
  return box;
}

std::size_t DerivedBoxes::cell_of(std::size_t column, double value) const {
  const std::vector<double>& starts = starts_[column];
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), value) -
                                  starts.begin());
}

Interval DerivedBoxes::values_of(std::size_t column, DerivedBox::Cells cells) const {
  const std::vector<double>& starts = starts_[column];
  const Precision own = columns_[column]->precision;
  const double most =
      own == Precision::float32 ? static_cast<double>(std::numeric_limits<float>::max()) : largest_;
  Interval values{-most, most};
  if (cells.first > 0) values.lower = std::max(values.lower, starts[cells.first - 1]);
  if (cells.last <= starts.size()) {
    const double before = at_place(place_of(starts[cells.last - 1], own) - 1, own);
    values.upper = std::min(values.upper, before);
  }
  return values;
}

template <typename Number>
Interval DerivedBoxes::range_in(const Derived& derived,
                                const std::vector<Interval>& arguments) const {
  std::vector<Ends<Number>> ends;
  for (const Derived::Step& step : derived.steps) {
    if (step.op == Op::column) {
      const Interval& values = arguments[place_of_argument_[step.feature]];
      ends.push_back({static_cast<Number>(values.lower), static_cast<Number>(values.upper)});
    } else if (step.op == Op::number) {
      ends.push_back({static_cast<Number>(step.number), static_cast<Number>(step.number)});
    } else {
      ends.push_back(combined(step.op, ends[step.a], ends[step.b]));
    }
  }
  return {static_cast<double>(ends.back().lower), static_cast<double>(ends.back().upper)};
}

Interval DerivedBoxes::range_of(std::size_t column, const std::vector<Interval>& arguments) const {
  const Derived& derived = *columns_[column];
  return derived.precision == Precision::float32 ? range_in<float>(derived, arguments)
                                                 : range_in<double>(derived, arguments);
}

bool DerivedBoxes::meets(std::size_t column, DerivedBox::Cells cells,
                         const std::vector<Interval>& arguments) const {
  const Interval given = range_of(column, arguments), wanted = values_of(column, cells);
  return given.lower <= wanted.upper && wanted.lower <= given.upper;
}

bool DerivedBoxes::uses(std::size_t column, std::size_t argument) const {
  const std::vector<Derived::Step>& steps = columns_[column]->steps;
  return std::any_of(steps.begin(), steps.end(), [&](const Derived::Step& step) {
    return step.op == Op::column && step.feature == arguments_[argument];
  });
}

/// From both ends, leaves out values of an argument for which no value of the column results. A
/// longer stretch of arguments gives at least the same values, so the first stretch that gives some
/// is found by bisection.
bool DerivedBoxes::narrow(const DerivedBox& box, std::size_t column, std::size_t argument,
                          std::vector<Interval>& arguments) const {
  const Interval before = arguments[argument];
  const DerivedBox::Cells cells = box.results[column];
  Interval& trial = arguments[argument];
  const std::int64_t first = place_of(before.lower), last = place_of(before.upper);
  if (!meets(column, cells, arguments)) return false;
  const double lower = at_place(first_good(first, last, [&](std::int64_t place) {
    trial = {before.lower, at_place(place)};
    return meets(column, cells, arguments);
  }));
  const double upper = -at_place(first_good(-last, -place_of(lower), [&](std::int64_t place) {
    trial = {-at_place(place), before.upper};
    return meets(column, cells, arguments);
  }));
  trial = {lower, upper};
  return lower <= upper;
}

/// The present value, and the others that its rule admits.
void DerivedBoxes::keep_admissible(std::size_t argument, Interval& values) const {
  const std::size_t feature = arguments_[argument];
  const double now = query_.point[feature];
  const Axis axis(query_.features[feature], now, precision_);
  const Cut before{values.lower, false}, after{values.upper, true};
  double lower = infinity, upper = -infinity;
  for (const bool up : {false, true}) {
    if (query_.features[feature].fixed) break;
    const Interval part = axis.between(&before, &after, up);
    const double first = axis.rounded(part.lower, true), last = axis.rounded(part.upper, false);
    if (!(first <= last)) continue;
    lower = std::min(lower, first);
    upper = std::max(upper, last);
  }
  if (values.contains(now)) {
    lower = std::min(lower, now);
    upper = std::max(upper, now);
  }
  values = {lower, upper};
}

bool DerivedBoxes::shrink(DerivedBox& box) const {
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds; ++round) {
    const DerivedBox before = box;
    for (std::size_t j = 0; j < arguments_.size(); ++j) {
      keep_admissible(j, box.arguments[j]);
      if (box.arguments[j].empty()) return false;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!meets(i, box.results[i], box.arguments)) return false;
      const Interval given = range_of(i, box.arguments);
      DerivedBox::Cells& cells = box.results[i];
      cells.first = std::max(cells.first, cell_of(i, given.lower));
      cells.last = std::min(cells.last, cell_of(i, given.upper) + 1);
      if (cells.first >= cells.last) return false;
      for (std::size_t j = 0; j < arguments_.size(); ++j) {
        if (!uses(i, j) || is_single(box.arguments[j])) continue;
        if (!narrow(box, i, j, box.arguments)) return false;
      }
    }
    if (before.arguments == box.arguments && before.results == box.results) break;
  }
  return std::none_of(box.arguments.begin(), box.arguments.end(),
                      [](const Interval& values) { return values.empty(); });
}

Interval DerivedBoxes::alone(const DerivedBox& box, std::span<const double> point,
                             std::size_t argument) const {
  std::vector<Interval> at;
  for (const std::size_t feature : arguments_) at.push_back({point[feature], point[feature]});
  at[argument] = box.arguments[argument];
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (uses(i, argument) && !narrow(box, i, argument, at)) return {1, 0};
  }
  keep_admissible(argument, at[argument]);
  return at[argument];
}

std::pair<double, double> DerivedBoxes::middle(const Interval& values, std::size_t argument) const {
  double cut = values.lower / 2 + values.upper / 2;
  // Half of the numbers is a better half where the ends are of very different sizes.
  const double low = std::abs(values.lower), high = std::abs(values.upper);
  constexpr double far = 1e4;
  if (std::max(low, high) > far * std::max(1.0, std::min(low, high)) ||
      (values.lower < 0) != (values.upper < 0)) {
    cut = values.lower < 0 && values.upper > 0
              ? 0
              : at_place(place_of(values.lower) / 2 + place_of(values.upper) / 2);
  }
  if (!(cut < values.upper)) cut = values.lower;
  Interval below{values.lower, cut};
  keep_admissible(argument, below);
  if (below.empty()) below.upper = values.lower;
  return {below.upper, std::nextafter(below.upper, infinity)};
}

}  // namespace boxwood
