// A question: from this point, which outcome is wanted, what may change, and what a change costs.
//
//   boxwood::Query query = boxwood::query_for(model, point);   // kinds from the model, squared L2
//   boxwood::apply(schema, query);                             // boxwood/schema.hpp, optional
//   query.requirements = {boxwood::require_class(1)};          // "granted"
//   query.features[12].fixed = true;                           // age must not change
//   boxwood::Answer answer = boxwood::explain(model, query);   // boxwood/explain.hpp
#pragma once

#include <boxwood/ensemble.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace boxwood {

/// An interval whose ends may each be closed (included) or open. The default holds every number.
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
/// The intersection of two intervals; may be empty.
Interval intersection(const Interval& a, const Interval& b);

/// The library's classifier predicts `target`.
struct ClassIs {
  std::size_t target = 0;
  /// If set: the library's probability of `target` is at least this. The predicted class is then
  /// not constrained. Needs a model with probabilities (sigmoid or softmax).
  std::optional<double> probability{};
  /// If set: `target` is predicted and its raw score exceeds every other score by at least this. In
  /// a model with one score for two classes: the score is at least this far beyond the threshold.
  std::optional<double> margin{};
  bool operator==(const ClassIs&) const = default;
};

/// The library's classifier predicts one of these classes.
struct ClassIn {
  std::vector<std::size_t> targets;
  bool operator==(const ClassIn&) const = default;
};

/// One output of `transform` (a price, for example) lies in `range`.
struct OutputIn {
  Interval range{};
  std::size_t output = 0;
  bool operator==(const OutputIn&) const = default;
};

/// One raw score, or its difference from the score `rival`, lies in `range`.
struct ScoreIn {
  Interval range{};
  std::size_t output = 0;
  std::optional<std::size_t> rival{};
  bool operator==(const ScoreIn&) const = default;
};

/// A required outcome of one ensemble. A query may have several, also for several ensembles.
struct Requirement {
  std::size_t ensemble = 0;
  std::variant<ClassIs, ClassIn, OutputIn, ScoreIn> outcome;
  bool negated = false;  ///< the outcome must not occur
  bool counted = false;  ///< may fail, as long as `Query::agree` of the counted ones hold
  bool operator==(const Requirement&) const = default;
};

/// The direction in which a feature may change.
enum class Direction : std::uint8_t { both, up, down };

/// The constraints and the cost of changing one feature.
///
/// Kinds: `continuous` takes every value that the model can represent; `integer` and `ordinal` take
/// whole numbers; `categorical` takes whole numbers (codes), and a change of category has size 1
/// unless `changes` says otherwise.
///
/// All constraints limit the values that the feature may change to. The present value is always
/// admissible, even outside `range`; use a Clause to require a value of the answer. `direction`,
/// `least_change` and `most_change` are not for categorical features and do not apply to a change
/// to or from a missing value. `range` is compared in the precision in which the models read their
/// input: in a float32 model, 0.3 means the float32 nearest to 0.3. Sizes of changes are exact.
struct FeatureRule {
  FeatureKind kind = FeatureKind::continuous;
  bool fixed = false;
  Interval range{};
  Interval domain{};              ///< all values that exist; why-not widens `range` up to here
  std::vector<double> allowed{};  ///< ascending; if not empty, the only permitted values
  double step = 0;                ///< values are multiples of this (rounded to the models'
                                  ///< precision); 0: any value
  bool missing_allowed = false;   ///< may change to missing and from missing; the size is 1
  /// categorical: the size of a change from one code (row) to another (column). Infinite: not
  /// allowed. Codes beyond the table have size 1.
  std::vector<std::vector<double>> changes{};
  Direction direction = Direction::both;
  double least_change = 0;                                       ///< the smallest permitted change
  double most_change = std::numeric_limits<double>::infinity();  ///< the largest permitted change
  double weight = 1;  ///< multiplies the cost; from 1e-30 to 1e30
  double up = 1;      ///< multiplies the weight of an increase; from 1e-30 to 1e30
  double down = 1;    ///< multiplies the weight of a decrease; neither is for categorical features
  double scale = 1;   ///< a change by this much has size 1; from 1e-30 to 1e30
  /// Quantiles of some data at equal steps, ascending. If not empty, the size of a change is the
  /// share of the data between the two values (0 to 1), and `scale` is ignored.
  std::vector<double> quantiles{};
  bool derived = false;  ///< set by add_derived: costs nothing and is not a change
  /// The outcome must also hold for every value within this distance of the answer's value: every
  /// double, as the models read it, for integer and ordinal features every whole number, inside
  /// of `domain`. Other constraints limit the answer, not these neighbours. A missing value stays
  /// missing. Not for categorical features.
  double robust = 0;
  /// categorical: the outcome must also hold for each of these codes; ascending
  std::vector<std::int32_t> robust_codes{};
  bool operator==(const FeatureRule&) const = default;
};

/// One-hot columns that encode one categorical feature: at most one of them is 1, the others are 0.
/// They change together, and that counts as one change of category. All columns may be 0 only if
/// they are now or `none_allowed` is set. `fixed` and `range` of a column apply; its weight and
/// scale are ignored.
struct OneHot {
  std::vector<std::size_t> columns;
  double weight = 1;
  bool none_allowed = false;
  /// The outcome must also hold with each of these columns as the one that is 1: positions in
  /// `columns`, ascending.
  std::vector<std::size_t> robust{};
  bool operator==(const OneHot&) const = default;
};

/// A condition on one feature of the answer: its value lies in `range` (if `inside`) or outside;
/// or, if `codes` is not empty, its category is one of them or not. Values and ends are compared in
/// the precision in which the models read their input. `missing` says whether a missing value
/// satisfies the condition.
struct Literal {
  std::size_t feature = 0;
  Interval range{};
  bool inside = true;
  bool missing = false;
  std::vector<std::int32_t> codes{};  ///< ascending, ≥ 0; if not empty, `range` is ignored
  bool operator==(const Literal&) const = default;
};

/// One term of a linear condition: a coefficient times a number that one feature of the answer
/// gives.
struct LinearTerm {
  enum class Of : std::uint8_t {
    value,   ///< the feature's value; not for categorical features
    change,  ///< the value minus the present value
    size,    ///< the absolute value of that
    codes    ///< 1 if the category is one of `codes`, otherwise 0
  };
  std::size_t feature = 0;
  double coefficient = 1;  ///< finite, not 0
  Of of = Of::value;
  std::vector<std::int32_t> codes{};  ///< ascending, ≥ 0; only for Of::codes
  bool operator==(const LinearTerm&) const = default;
};

/// A condition on several features: the sum of the terms lies in `range`. It is decided in exact
/// arithmetic for the numbers of the answer. It does not hold if a feature of it is missing.
struct LinearCondition {
  std::vector<LinearTerm> terms;
  Interval range{};
  bool operator==(const LinearCondition&) const = default;
};

/// At least one of these conditions holds in the answer. "If a changes then b does not decrease" is
/// the clause: a stays, or b is at least what it is now. One of several linear ones has to hold.
struct Clause {
  std::vector<Literal> any_of;
  std::vector<LinearCondition> linear{};
  bool operator==(const Clause&) const = default;
};

/// A column that is calculated from other columns of the row: the models read it, and it changes
/// only with them. Every step is calculated in `precision`, as numpy does. It is missing if one of
/// the columns is. Otherwise a row is admissible only if no divisor is 0 and the result is finite.
struct Derived {
  enum class Op : std::uint8_t { column, number, plus, minus, times, over, least, most };
  struct Step {
    Op op = Op::number;
    std::size_t feature = 0;   ///< column: a feature that is neither categorical nor derived
    double number = 0;         ///< number: itself
    std::size_t a = 0, b = 0;  ///< of all others: the steps that it combines, which stand before it
    bool operator==(const Step&) const = default;
  };
  std::size_t feature = 0;
  std::vector<Step> steps;  ///< the last one is the result
  Precision precision = Precision::float64;
  bool operator==(const Derived&) const = default;
};

/// How the changes of all features are combined into one cost. The size of a change is
/// |to - from| / scale; a change of category, of a one-hot group, to or from missing has size 1.
///
/// - `squared_l2`: the sum of weight * size²
/// - `l1`: the sum of weight * size
/// - `l0`: the sum of the weights of the features that change
/// - `linf`: the largest weight * size
/// - `mixture`: a weighted sum of the first three, Query::mixture
/// - `custom`: the sum of Query::term
enum class Norm : std::uint8_t { squared_l2, l1, l0, linf, mixture, custom };

/// The factor of each norm in a mixture: all ≥ 0, at least one > 0.
struct Mixture {
  double squared_l2 = 0;
  double l1 = 0;
  double l0 = 0;
  bool operator==(const Mixture&) const = default;
};

/// The default cost where the scales of features are known (Schema::scaled): L1 in units of the
/// scale, plus a small price for every feature that changes, so that few features change.
inline constexpr Mixture default_mixture{.squared_l2 = 0, .l1 = 1, .l0 = 0.1};

/// The cost of changing a feature from one value to another; NaN is missing. It must be 0 for no
/// change and must not decrease as `to` moves away from `from` in either direction. Exception: a
/// categorical feature whose rule lists the allowed values. Infinite: not allowed. For a one-hot
/// group it is called with the group's first column; `from` and `to` are then positions in
/// OneHot::columns, or their number if no column is 1.
using TermCost = std::function<double(std::size_t feature, double from, double to)>;

/// A region of the models that holds rows of some data: the box around them in which the scores of
/// every ensemble are constant, with the same values missing.
struct LiveRegion {
  std::vector<double> row;                       ///< the first of them
  std::size_t rows = 0;                          ///< how many there are
  std::vector<Interval> box;                     ///< as Solution::region
  std::vector<std::vector<std::int32_t>> codes;  ///< as Solution::codes; one for each feature
  std::vector<std::vector<double>> scores;       ///< raw scores of each model
  bool operator==(const LiveRegion&) const = default;
};
/// The regions of all rows of some data; find_live_regions (boxwood/explain.hpp) makes them.
struct LiveRegions {
  std::vector<LiveRegion> regions;
  std::size_t rows = 0;  ///< of the data
  bool operator==(const LiveRegions&) const = default;
};

struct Query {
  std::vector<double> point;  ///< NaN is missing; it stays missing unless its rule allows a change
  std::vector<Requirement> requirements;     ///< all of them must hold; see `agree`
  std::vector<FeatureRule> features;         ///< one for each value of the point
  std::vector<OneHot> groups{};              ///< a column belongs to at most one group
  std::vector<Clause> clauses{};             ///< all of them must hold
  std::vector<Derived> derived{};            ///< see add_derived
  std::optional<std::size_t> max_changes{};  ///< a one-hot group counts as one change
  /// If set: at least this many of the requirements that are `counted` must hold, for example the
  /// same outcome of 4 of 5 models. Requirements that are not counted must all hold.
  std::optional<std::size_t> agree{};
  /// If not 0: the answer's region must hold at least this many of the rows of `live_regions`.
  std::size_t live = 0;
  std::shared_ptr<const LiveRegions> live_regions{};  ///< of the same models
  Norm norm = Norm::squared_l2;
  Mixture mixture{};          ///< for Norm::mixture
  TermCost term;              ///< for Norm::custom
  bool fewest_first = false;  ///< minimise the number of changes first, then the cost
  std::string scale_name{};   ///< what all scales were measured by, for texts: "range"
  /// Internal: the search moves clauses with a linear condition here when it adds the trees that
  /// bound them. A point meets the query only if they hold. Leave it empty.
  std::vector<Clause> exact_clauses{};
};

/// A query at `point` with the kinds that the model file gives and no requirement.
Query query_for(const Ensemble& ensemble, std::span<const double> point);

Requirement require_class(std::size_t target, std::optional<double> probability = std::nullopt);
/// Any class except this one.
Requirement require_other_class(const Ensemble& ensemble, std::size_t target);
Requirement require_output(Interval range, std::size_t output = 0);
/// The answer ranks above another row: its predicted number (number `output`, if there are several)
/// is higher than that of `other`. For two classes, the raw score is compared or, if there are
/// several scores, the probability of the second class. Throws Error for a model with more classes
/// and for one that only names a class.
Requirement require_above(const Ensemble& ensemble, std::span<const double> other,
                          std::size_t output = 0);

/// Conditions that compare a feature with its value in the query's point.
Literal changes(const Query& query, std::size_t feature);
Literal stays(const Query& query, std::size_t feature);
Literal rises(const Query& query, std::size_t feature);
Literal falls(const Query& query, std::size_t feature);
/// The opposite condition.
Literal negated(Literal literal);

/// Makes a feature a derived column. Its rules (fixed, range and direction) become clauses; its
/// kind, step and cost are not used. Throws Error if its rule limits the size of a change.
void add_derived(Query& query, Derived derived);
/// The result of the formula in a point.
double derived_value(const Derived& derived, std::span<const double> point);
/// Sets all derived columns of a point.
void set_derived(const Query& query, std::span<double> point);

/// The query as one line of JSON, for tests and diagnosis. Equivalent questions give the
/// same text. Fields with their default value are omitted; a custom cost is only named.
std::string to_json(const Query& query);

/// Throws Error if the query is invalid for these ensembles: wrong lengths, unknown classes or
/// outputs, weights and scales out of range, empty ranges, an infinite value that may change.
void validate(const Query& query, std::span<const Ensemble> ensembles);

/// The cost of changing one feature to a value; the feature must not be in a group.
double term_cost(const Query& query, std::size_t feature, double to);
/// The cost of setting another column of a group to 1; `columns.size()` means none.
double group_cost(const Query& query, const OneHot& group, std::size_t to);
/// The position of the column that is 1; `columns.size()` if all are 0. No value if the columns are
/// not one-hot in this point.
std::optional<std::size_t> hot_column(const OneHot& group, std::span<const double> point);
/// The cost of a point. Terms are added in the order of the features, so that equal costs are equal
/// doubles.
double total_cost(const Query& query, std::span<const double> to);
/// The square root of the cost for `squared_l2`; the cost itself for all other norms.
double distance(Norm norm, double cost);

/// Whether the outcome must hold for neighbours of the answer too (FeatureRule::robust).
bool is_robust(const Query& query);
/// The query for neighbours of `point` that refute its robustness, because they do not meet one of
/// the requirements. If this query is infeasible for each requirement, the point is robust.
Query neighbour_query(const Query& query, std::span<const double> point, Precision precision,
                      std::size_t requirement);

/// Whether the scores of the requirement's ensemble satisfy it, as the library decides.
bool meets(const Requirement& requirement, const Ensemble& ensemble,
           std::span<const double> scores);
/// Whether a condition holds in a point whose values are read in this precision.
bool holds(const Literal& literal, std::span<const double> point, Precision precision);
/// Whether a linear condition holds in a point, in exact arithmetic. `from` is the query's point.
bool holds(const LinearCondition& condition, std::span<const double> from,
           std::span<const double> point);
/// Whether a clause holds in a point; `from` is the query's point.
bool holds(const Clause& clause, std::span<const double> from, std::span<const double> point,
           Precision precision);
/// Whether a point satisfies all clauses and `max_changes`.
bool obeys(const Query& query, std::span<const double> point, Precision precision);
/// The number of features that differ from the query's point; a one-hot group counts as one.
std::size_t change_count(const Query& query, std::span<const double> to);
/// The number of rows of `live_regions` in the region of a point, such as that of an answer, whose
/// values are numbers of the models' precision.
std::size_t rows_around(const Query& query, std::span<const double> point);
/// The number of counted requirements that hold in a point.
std::size_t agreeing(const Query& query, std::span<const Ensemble> ensembles,
                     std::span<const double> point);
/// Whether a point satisfies the requirements of the query, as many as must hold, and
/// `exact_clauses`.
bool meets(const Query& query, std::span<const Ensemble> ensembles, std::span<const double> point);
/// The same where the scores of every ensemble in the point are known.
bool meets(const Query& query, std::span<const Ensemble> ensembles, std::span<const double> point,
           std::span<const std::vector<double>> scores);

}  // namespace boxwood
