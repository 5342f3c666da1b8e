// Analyses around an answer: alternatives, how far the outcome reaches, which constraints block it,
// what each change does, what more certainty costs, how robust a decision is, and maps.
//
//   const boxwood::Prepared prepared(model);
//   const boxwood::Answer answer = boxwood::explain(prepared, query);
//   boxwood::Menu menu = boxwood::find_menu(prepared, query);              // alternatives
//   boxwood::WideRegion wide =
//       boxwood::find_wide_region(prepared, query, answer.best().point);   // how far it reaches
//   boxwood::WhyNot why = boxwood::find_why_not(prepared, query);          // what blocks it
//
// Every analysis consists of exact searches. What it states is proven, unless a field says that it
// is not. The limits in Options apply to each search, except the time limit, which applies to the
// whole call.
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace boxwood {

/// How the answers of a menu differ.
///   regions    no two lie in the same region
///   features   no answer changes all the features that an earlier one changes, so that no answer
///              merely adds changes to another
///   distance   any two differ in some feature by at least MenuOptions::distance times its scale;
///              for categories, one-hot groups and missing values any difference counts
enum class Apart : std::uint8_t { regions, features, distance };

struct MenuOptions {
  std::size_t count = 3;
  Apart apart = Apart::features;
  double distance = 1;  ///< for Apart::distance
};

/// Several answers, cheapest first. Each is the cheapest that differs from all before it.
struct Menu {
  std::vector<Answer> answers;
  bool complete = false;       ///< proven: there are no further ones
  Stop stop = Stop::finished;  ///< the limit that ended the search, if one did
};
Menu find_menu(const Prepared& prepared, const Query& query, const MenuOptions& menu = {},
               const Options& options = {});

/// A box around a point in which every point has the outcome: every combination of values that the
/// models can read, and for whole-number features every whole number. The box respects fixed
/// features, ranges, directions and limits on the size of a change. It ignores clauses, steps and
/// lists of allowed numbers: the outcome holds whether they are satisfied or not.
struct WideRegion {
  std::vector<Interval> region;  ///< one interval for each feature
  /// For a categorical feature the codes that keep the outcome. For a one-hot group, at its first
  /// column, the positions of columns that may be 1; the number of columns stands for none. Empty
  /// for all other features.
  std::vector<std::vector<double>> values;
  bool maximal = false;  ///< proven: no single interval can be wider, no value can be added
  Stop stop = Stop::finished;
};
/// Widens the region of a point that meets the requirements, one feature after the other: first
/// the features in `order`, then those that the point changes, then the others.
WideRegion find_wide_region(const Prepared& prepared, const Query& query,
                            std::span<const double> point, std::span<const std::size_t> order = {},
                            const Options& options = {});

/// One constraint of a query that can be lifted.
struct Rule {
  enum class Kind : std::uint8_t {
    fixed,  ///< a constraint on one feature, as all before `clause`
    range_lower,
    range_upper,
    allowed,
    step,
    direction,
    least_change,
    most_change,
    missing,     ///< a missing value stays missing
    clause,      ///< one of Query::clauses
    max_changes  ///< Query::max_changes
  };
  Kind kind = Kind::fixed;
  std::size_t index = 0;  ///< of the feature or the clause
  bool operator==(const Rule&) const = default;
};
/// All constraints of a query that can be lifted: by feature, then clauses, then the limit on
/// changes.
std::vector<Rule> rules_of(const Query& query);
/// The query without these constraints. A lifted range still ends at the feature's domain.
Query lifted(const Query& query, std::span<const Rule> rules);

/// A constraint that, together with others, makes the query infeasible.
struct Blocker {
  Rule rule;
  Answer without;  ///< to the query without this one constraint
};

struct WhyNotOptions {
  /// The constraints that may be blockers; by default all of rules_of().
  std::optional<std::vector<Rule>> liftable{};
  /// How many sets of constraints to try in order to find a smallest set of blockers. After that,
  /// or with 0, a set is returned of which every member is needed but which may not be smallest.
  std::size_t rounds = 200;
};

/// Why a query has no answer.
struct WhyNot {
  Answer answer;  ///< to the query itself; the other fields are set only if it is infeasible
  /// Constraints that together exclude every point with the outcome. Of the constraints in this
  /// set each one is needed: without it, the others admit such a point.
  std::vector<Blocker> blockers;
  bool smallest = false;    ///< proven: no set with fewer constraints blocks the outcome
  bool impossible = false;  ///< proven: no point has the outcome even if all of them are lifted
  Stop stop = Stop::finished;
};
WhyNot find_why_not(const Prepared& prepared, const Query& query, const WhyNotOptions& why = {},
                    const Options& options = {});

/// One change of an answer.
struct PathStep {
  std::vector<std::size_t> features;         ///< one, or the columns of a one-hot group
  std::vector<double> point;                 ///< after this change and all before it
  std::vector<std::vector<double>> outputs;  ///< of every model at that point
  std::optional<Answer> without;             ///< the answer if these features must not change
};
/// Orders the changes from the query's point to `to`: at each step the change that brings the first
/// requirement closest to being met. With `resolve`, each step also has the answer `without` it;
/// otherwise nothing is searched.
std::vector<PathStep> find_path(const Prepared& prepared, const Query& query,
                                std::span<const double> to, bool resolve = true,
                                const Options& options = {});

/// How far raw scores are from meeting a requirement, in raw scores or outputs: negative if it is
/// not met; the larger the better.
double standing(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores);

/// Gives the first requirement of a query another level, and with it all counted requirements if it
/// is one of them. Throws Error if it has none.
void set_level(Query& query, double level);

struct SweepPoint {
  double level = 0;
  Answer answer;
};
/// Called for each point of a sweep; return false to stop.
using SweepVisitor = std::function<bool(const SweepPoint&)>;
/// Answers the query for several levels of its first requirement: the probability of a class, or
/// the lower end of a range of outputs or scores (the upper end if there is no lower one). Levels
/// must be ascending, for an upper end descending, so that each asks for more than the one before.
/// What is found for one level gives the search for the next its start and its lower bound.
std::vector<SweepPoint> find_sweep(const Prepared& prepared, const Query& query,
                                   std::span<const double> levels, const SweepVisitor& visit = {},
                                   const Options& options = {});

/// The price of robustness: answers the query for several multiples of its robust distances
/// (FeatureRule::robust), which must be ascending and at least 0. The level of a point is its
/// multiple. At 0 only the answer itself must have the outcome. At every other multiple it must
/// also hold for the categories in FeatureRule::robust_codes and OneHot::robust. The cost never
/// falls from one point to the next.
std::vector<SweepPoint> find_robust_sweep(const Prepared& prepared, const Query& query,
                                          std::span<const double> multiples,
                                          const SweepVisitor& visit = {},
                                          const Options& options = {});
/// The query with distances multiplied by this, as find_robust_sweep asks it.
Query with_distances(Query query, double multiple);

/// The most that a budget brings: the highest probability of a class, or the highest or lowest
/// output or score, of all admissible points that cost at most the budget.
struct Best {
  /// optimal      no admissible point within the budget reaches more than `value`
  /// feasible     the search stopped early: none reaches more than `bound`
  /// infeasible   no admissible point within the budget meets the other requirements
  /// unknown      the search stopped before it found a point within the budget
  Status status = Status::unknown;
  Stop stop = Stop::finished;
  double before = 0;  ///< at the query's point
  double value = 0;   ///< at the answer's point, in the library's arithmetic
  double bound = 0;   ///< proven: no admissible point within the budget reaches more
  /// The cheapest point that reaches `value`, as explain gives it for best_requirement().
  Answer answer;
};
/// The first requirement says what is improved, and its own level is ignored: the probability of a
/// class (the score, for a model of two classes without probabilities), or an output or score,
/// which is as high as possible if its range has a lower end, and as low as possible if it has an
/// upper end. All other requirements must be met. The budget may be infinite.
Best find_best(const Prepared& prepared, const Query& query, double budget,
               const Options& options = {});

/// One step of the curve of cost against output.
struct BestStep {
  double value = 0;
  Answer answer;  ///< the cheapest point that reaches `value`
};
struct BestCurve {
  Best best;
  /// From the cheapest admissible point to the budget; the cost rises and the value improves
  /// from step to step. Proven: no point that costs less than a step has a better value than the
  /// step before it.
  std::vector<BestStep> steps;
  bool complete = false;  ///< all steps up to the budget are there
  Stop stop = Stop::finished;
};
/// Finds every step. Calls `visit`, if it is given, for each; return false to stop.
BestCurve find_best_curve(const Prepared& prepared, const Query& query, double budget,
                          const std::function<bool(const BestStep&)>& visit = {},
                          const Options& options = {});
/// The first requirement of the query with this value as its level.
Requirement best_requirement(const Prepared& prepared, const Query& query, double value);

/// The requirement that the outcome differs from the one at `point`: another class, or for
/// regression an output that differs by more than `tolerance`. Models that predict several numbers
/// are refused.
Requirement other_outcome(const Ensemble& ensemble, std::span<const double> point,
                          double tolerance = 0);
/// Finds the nearest point where the first model has another outcome. If the answer is optimal, all
/// admissible points at a smaller distance (by the query's norm) have the same outcome. The
/// query's own requirements are ignored.
Answer find_robustness(const Prepared& prepared, const Query& query, double tolerance = 0,
                       const Options& options = {});

struct MapOptions {
  std::size_t x = 0, y = 1;  ///< the two features
  /// What the map shows. An end that is not finite is chosen so that all thresholds are shown.
  Interval x_view{}, y_view{};
  /// Without a radius, all other features keep their values. With one, they may change as the query
  /// allows, up to this distance, to meet its requirements.
  std::optional<double> radius{};
  std::size_t most_cells = 1'000'000;
};

/// A rectangle of a map. The decision of the models is the same everywhere in it.
struct MapCell {
  Interval x, y;
  std::vector<double> outputs;       ///< of the first model; empty with a radius
  std::optional<std::size_t> label;  ///< the class, for classifiers without a radius
  bool meets = false;                ///< the requirements are met; with a radius: within it
  double cost = 0;  ///< with a radius: of changing the other features; infinite beyond it
};
struct Map {
  Interval x_view, y_view;
  /// Rectangles that cover the view, except for parts that a limit left undecided. Neighbours with
  /// the same decision are merged.
  std::vector<MapCell> cells;
  Stop stop = Stop::finished;
};
/// Finds the exact decision regions over two features around the query's point. Throws Error if
/// there are more than `most_cells`.
Map find_map(const Prepared& prepared, const Query& query, const MapOptions& map,
             const Options& options = {});

/// Finds a point with rounder numbers in the region of `point` that satisfies every requirement and
/// constraint and costs at most (1 + tolerance) times as much. Each changed feature gets the
/// roundest such value; of equally round ones the cheapest. Returns `point` itself if there is no
/// rounder one.
std::vector<double> find_rounded(const Prepared& prepared, const Query& query,
                                 std::span<const double> point, double tolerance);

/// The answer with its point replaced by the one that `find_rounded` gives: `feasible`, with the
/// least cost as lower bound. The answer itself where there is no point or nothing rounder.
Answer rounded_answer(const Prepared& prepared, const Query& query, const Answer& answer,
                      double tolerance);

}  // namespace boxwood
