// A question: from this point, which outcome is wanted, what may change, and what a change costs.
//
//   boxwood::Query query = boxwood::query_for(model, point);              // cost, kinds: defaults
//   query.requirements = {boxwood::require_class(1)};             // "granted"
//   query.features[12].fixed = true;                                      // age stays
//   boxwood::Answer answer = boxwood::explain(model, query);              // boxwood/explain.hpp
#pragma once

#include <boxwood/ensemble.hpp>

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace boxwood {

/// Values between two ends, each in or out. The default is everything.
struct Interval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_closed = true;
  bool upper_closed = true;

  bool contains(double value) const {
    return (lower_closed ? value >= lower : value > lower) &&
           (upper_closed ? value <= upper : value < upper);
  }
  bool empty() const {
    return lower > upper || (lower == upper && !(lower_closed && upper_closed));
  }
  bool operator==(const Interval&) const = default;
};
/// What two intervals have in common; may be empty.
Interval intersection(const Interval& a, const Interval& b);

/// The library's classifier answers `target`. With `probability` (models with a sigmoid or softmax
/// link): the library's probability of `target` is at least that, and nothing is said about which
/// class it answers. With `margin`: it answers `target`, whose raw score leads every other one by
/// at least that (scores that overflow alike are level); of two classes with one score: which lies
/// at least that far beyond the number that decides between them.
struct ClassIs {
  std::size_t target = 0;
  std::optional<double> probability{};
  std::optional<double> margin{};
  bool operator==(const ClassIs&) const = default;
};

/// The library's classifier answers one of these.
struct ClassIn {
  std::vector<std::size_t> targets;
  bool operator==(const ClassIn&) const = default;
};

/// One output of `transform` (a price, say) lies in `range`.
struct OutputIn {
  Interval range{};
  std::size_t output = 0;
  bool operator==(const OutputIn&) const = default;
};

/// One raw score, or its lead over another one's, lies in `range`.
struct ScoreIn {
  Interval range{};
  std::size_t output = 0;
  std::optional<std::size_t> rival{};
  bool operator==(const ScoreIn&) const = default;
};

/// One demand on one ensemble: that it has this outcome, or that it has not. A query may hold
/// several, on several ensembles.
struct Requirement {
  std::size_t ensemble = 0;
  std::variant<ClassIs, ClassIn, OutputIn, ScoreIn> outcome;
  bool negated = false;
  bool operator==(const Requirement&) const = default;
};

/// Which way a feature may go.
enum class Direction : std::uint8_t { both, up, down };

/// What may happen to one feature and what it costs.
///
/// Kinds: `continuous` takes any value that the model can read; `integer` and `ordinal` whole
/// numbers; `categorical` whole numbers too, every change counting as 1 unless `changes` says
/// otherwise. The value the point has now is always admissible. `range`, `allowed`, `step`,
/// `direction`, `least_change` and `most_change` limit the values that it may change to; the last
/// three are not for categorical features and say nothing about going missing or appearing.
struct FeatureRule {
  FeatureKind kind = FeatureKind::continuous;
  bool fixed = false;
  Interval range{};
  Interval domain{};  ///< what values there are at all: no rule, so lifting `range` ends here
  std::vector<double> allowed{};  ///< rising; nothing else, unless it is empty
  double step = 0;               ///< whole multiples of this, as the model reads them; 0: any value
  bool missing_allowed = false;  ///< a value may go missing or appear, which counts as 1
  /// categorical: what going from one code (row) to another (column) counts as; infinite: not
  /// allowed. Codes beyond the table count as 1.
  std::vector<std::vector<double>> changes{};
  Direction direction = Direction::both;
  double least_change = 0;  ///< a change is at least as large as this, or there is none
  double most_change = std::numeric_limits<double>::infinity();
  double weight = 1;  ///< alpha, from 1e-30 to 1e30
  double up = 1;      ///< further factors of the weight, for a change upwards and downwards,
  double down = 1;    ///< from 1e-30 to 1e30; not for categorical features
  double scale = 1;   ///< one unit of change, in the feature's own unit; from 1e-30 to 1e30
  /// Values at equal shares of some data, from the least to the largest; where there are any, a
  /// change is measured in shares passed, from 0 to 1, and `scale` does not count.
  std::vector<double> quantiles{};
  bool operator==(const FeatureRule&) const = default;
};

/// Columns of zeros with a single 1 that stand for one categorical feature. They change together;
/// which of them is 1 counts like a category. All zeros is possible if it is so now or
/// `none_allowed`. Rules of a column hold for it (fixed, range); its weight and scale do not count.
struct OneHot {
  std::vector<std::size_t> columns;
  double weight = 1;
  bool none_allowed = false;
  bool operator==(const OneHot&) const = default;
};

/// Says something about the value of one feature in the answer: that it is in `range`, or not; or
/// where there are `codes`, that its category is one of them, or not. Values and ends are compared
/// as the models read them; of a missing value `missing` says whether the statement holds.
struct Literal {
  std::size_t feature = 0;
  Interval range{};
  bool inside = true;
  bool missing = false;
  std::vector<std::int32_t> codes{};  ///< rising, none negative; where any, `range` does not count
  bool operator==(const Literal&) const = default;
};

/// At least one of these holds in the answer. "If a changes then b does not fall" is: a stays, or b
/// is at least what it is now.
struct Clause {
  std::vector<Literal> any_of;
  bool operator==(const Clause&) const = default;
};

/// The cost: the sum over features, in their order, of a term for each; for `linf` the largest
/// term. The term is the weight times the square (`squared_l2`) or the size (`l1`, `linf`) of (to -
/// from) / scale, where a change of category, of a one-hot group (at its first column), to missing
/// or from it counts as 1; for `l0` it is the weight of every feature that changes at all;
/// `mixture` takes so much of each, Query::mixture. `custom` takes any other sum of terms from
/// Query::term.
enum class Norm : std::uint8_t { squared_l2, l1, l0, linf, mixture, custom };

/// How much of each norm a mixture has; none is negative and one at least is positive.
struct Mixture {
  double squared_l2 = 0;
  double l1 = 0;
  double l0 = 0;
  bool operator==(const Mixture&) const = default;
};

/// What moving a feature from one value to another costs; either may be NaN where missing is
/// allowed. It must be 0 for no change and must never fall as `to` moves away from `from`, up or
/// down, unless the feature is categorical and its rule lists the allowed values: the search relies
/// on that and on nothing else. Infinite: not allowed. Of a one-hot group the term is asked for its
/// first column, from and to being places in OneHot::columns (their number for none).
using TermCost = std::function<double(std::size_t feature, double from, double to)>;

struct Query {
  std::vector<double> point;  ///< NaN is missing; it stays missing unless its rule says otherwise
  std::vector<Requirement> requirements;
  std::vector<FeatureRule> features;  ///< as many as the point is long
  std::vector<OneHot> groups{};       ///< no column is in two of them
  std::vector<Clause> clauses{};      ///< all of them hold in the answer
  /// No more features than this change; a one-hot group counts as one.
  std::optional<std::size_t> most_changes{};
  Norm norm = Norm::squared_l2;
  Mixture mixture{};  ///< for Norm::mixture
  TermCost term;      ///< for Norm::custom
  /// First the fewest changes, whatever they cost; of those answers the cheapest.
  bool fewest_first = false;
};

/// A query at `point` with the kinds that the model file gives and no requirement yet.
Query query_for(const Ensemble& ensemble, std::span<const double> point);

Requirement require_class(std::size_t target, std::optional<double> probability = std::nullopt);
/// Any class but this one.
Requirement require_other_class(const Ensemble& ensemble, std::size_t target);
Requirement require_output(Interval range, std::size_t output = 0);

/// Statements about a feature compared with what it is in the query's point.
Literal changes(const Query& query, std::size_t feature);
Literal stays(const Query& query, std::size_t feature);
Literal rises(const Query& query, std::size_t feature);
Literal falls(const Query& query, std::size_t feature);
/// The opposite statement.
Literal negated(Literal literal);

/// Throws Error for a query that makes no sense for these ensembles: lengths, classes and outputs
/// that do not exist, weights and scales that are not positive, ranges the wrong way round, an
/// infinite value that may change.
void validate(const Query& query, std::span<const Ensemble> ensembles);

/// What moving one feature that is in no group to a value costs.
double term_cost(const Query& query, std::size_t feature, double to);
/// What making another column of a group hot costs; `columns.size()`: none.
double group_cost(const Query& query, const OneHot& group, std::size_t to);
/// Which column of a group is 1 in a point; `columns.size()`: none. Nothing where the columns are
/// anything but zeros and at most one 1.
std::optional<std::size_t> hot_column(const OneHot& group, std::span<const double> point);
/// The cost of a point: terms added in the order of features (`linf`: the largest). Equal costs are
/// equal doubles.
double total_cost(const Query& query, std::span<const double> to);
/// The distance people know: the root of squared_l2; other costs are distances themselves.
double distance(Norm norm, double cost);

/// Whether the scores of the requirement's ensemble meet it: the library's word, no tolerance.
bool meets(const Requirement& requirement, const Ensemble& ensemble,
           std::span<const double> scores);
/// Whether a literal holds in a point whose values are read in this precision.
bool holds(const Literal& literal, std::span<const double> point, Precision precision);
/// Whether a point obeys the query's clauses and its limit on changes.
bool obeys(const Query& query, std::span<const double> point, Precision precision);
/// How many features differ between the query's point and another; a one-hot group counts as one.
std::size_t change_count(const Query& query, std::span<const double> to);
/// Whether a point meets every requirement of the query.
bool meets(const Query& query, std::span<const Ensemble> ensembles, std::span<const double> point);

}  // namespace boxwood
