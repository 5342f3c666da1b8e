// Derived columns: their formulas in the data's own arithmetic, and what a query must be for them.
#include "query/derived.hpp"

#include "base/infinity.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

template <typename Number>
double result_of(const Derived& derived, std::span<const double> point) {
  std::vector<Number> values;
  for (const Derived::Step& step : derived.steps) {
    const auto number = [&] {
      switch (step.op) {
        case Derived::Op::column:
          return static_cast<Number>(point[step.feature]);
        case Derived::Op::number:
          return static_cast<Number>(step.number);
        default:
          return calculate(step.op, values[step.a], values[step.b]);
      }
    };
    values.push_back(number());
  }
  return static_cast<double>(values.back()) + 0.0;
}

std::string name_of(const Derived& derived, const Ensemble& ensemble) {
  return fmt::format("derived column \"{}\"", derived.feature < ensemble.features.size()
                                                  ? ensemble.features[derived.feature].name
                                                  : std::to_string(derived.feature));
}

void check_steps(const Query& query, const Derived& derived, const std::string& place) {
  if (derived.steps.empty()) throw Error(place, "the formula is empty");
  for (std::size_t i = 0; i < derived.steps.size(); ++i) {
    const Derived::Step& step = derived.steps[i];
    if (step.op == Derived::Op::number) {
      if (!std::isfinite(step.number)) throw Error(place, "a number of the formula is not finite");
      continue;
    }
    if (step.op != Derived::Op::column) {
      if (step.a >= i || step.b >= i) throw Error(place, "a step uses one that comes after it");
      continue;
    }
    if (step.feature >= query.point.size()) {
      throw Error(place, fmt::format("feature {} does not exist", step.feature));
    }
    const FeatureRule& rule = query.features[step.feature];
    if (step.feature == derived.feature) {
      throw Error(place, "its formula uses the column itself",
                  "Name the columns that it is calculated from");
    }
    if (rule.derived) {
      throw Error(place, "its formula uses another derived column",
                  "Write the formula of that column in its place");
    }
    if (rule.kind == FeatureKind::categorical) {
      throw Error(place, "its formula uses a categorical column", "Use columns of numbers");
    }
    if (rule.missing_allowed) {
      throw Error(place, "its formula uses a column that may change to or from missing",
                  "Do not permit this column to be missing");
    }
    for (const OneHot& group : query.groups) {
      if (std::count(group.columns.begin(), group.columns.end(), step.feature) == 0) continue;
      throw Error(place, "its formula uses a column of a one-hot group", "Use columns of numbers");
    }
  }
}

void check_row(const Query& query, const Derived& derived, const std::string& place) {
  const double given = query.point[derived.feature];
  const double result = derived_value(derived, query.point);
  if (given == result && std::isinf(result)) {
    throw Error(place, "its value in the row is infinite",
                "Ask about rows in which no divisor is 0, or leave out the formula");
  }
  const bool known =
      std::all_of(derived.steps.begin(), derived.steps.end(), [&](const Derived::Step& step) {
        return step.op != Derived::Op::column || !std::isnan(query.point[step.feature]);
      });
  if (known && !std::isfinite(result)) {
    throw Error(place, "in the row, a divisor of its formula is 0 or the result is too large",
                "Ask about rows in which it is a number, or leave out the formula");
  }
  // From here on, only a missing argument makes it missing, and it stays missing.
  if (given == result || (std::isnan(given) && std::isnan(result))) return;
  Derived other = derived;
  const bool single = derived.precision == Precision::float32;
  other.precision = single ? Precision::float64 : Precision::float32;
  const bool other_fits = derived_value(other, query.point) == given;
  throw Error(place, fmt::format("the row has {}, but the formula gives {}", given, result),
              other_fits ? fmt::format("Calculated in {} it gives {}: add \"in {}\" to the formula",
                                       single ? "float64" : "float32", given,
                                       single ? "float64" : "float32")
                         : "Correct the formula, or calculate the column by it, with all digits");
}

}  // namespace

double derived_value(const Derived& derived, std::span<const double> point) {
  return derived.precision == Precision::float32 ? result_of<float>(derived, point)
                                                 : result_of<double>(derived, point);
}

void set_derived(const Query& query, std::span<double> point) {
  for (const Derived& derived : query.derived) {
    point[derived.feature] = derived_value(derived, point);
  }
}

void check_derived(const Query& query, const Ensemble& ensemble) {
  for (const Derived& derived : query.derived) {
    const std::string place = name_of(derived, ensemble);
    if (derived.feature >= query.point.size() || !query.features[derived.feature].derived) {
      throw Error(place, "it was not added by add_derived");
    }
    check_steps(query, derived, place);
    check_row(query, derived, place);
    for (const Clause& clause : query.clauses) {
      for (const LinearCondition& sum : clause.linear) {
        for (const LinearTerm& term : sum.terms) {
          if (term.feature != derived.feature) continue;
          throw Error(place, "it is in a linear rule", "Write the formula in its place");
        }
      }
    }
  }
}

void add_derived(Query& query, Derived derived) {
  const std::size_t feature = derived.feature;
  if (feature >= query.features.size()) {
    throw Error("derived column", fmt::format("feature {} does not exist", feature));
  }
  FeatureRule& rule = query.features[feature];
  const std::string place = fmt::format("derived column {}", feature);
  for (const OneHot& group : query.groups) {
    if (std::count(group.columns.begin(), group.columns.end(), feature) == 0) continue;
    throw Error(place, "it is a column of a one-hot group", "Derive columns of numbers only");
  }
  if (!rule.derived && (rule.kind == FeatureKind::categorical)) {
    throw Error(place, "it is categorical", "Derive columns of numbers only");
  }
  if (rule.least_change > 0 || rule.most_change < infinity) {
    throw Error(place, "it has a smallest or largest change",
                "Write a rule about its value, or limit the columns of the formula");
  }
  const double now = query.point[feature];
  if (rule.fixed) query.clauses.push_back({{stays(query, feature)}});
  if (rule.direction != Direction::both && !std::isnan(now)) {
    query.clauses.push_back({{negated(rule.direction == Direction::up ? falls(query, feature)
                                                                      : rises(query, feature))}});
  }
  if (rule.range != Interval{}) {
    query.clauses.push_back(
        {{{.feature = feature, .range = rule.range, .missing = true}, stays(query, feature)}});
  }
  rule = {.derived = true};
  std::erase_if(query.derived, [&](const Derived& one) { return one.feature == feature; });
  query.derived.push_back(std::move(derived));
}

}  // namespace boxwood
