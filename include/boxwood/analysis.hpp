// Questions around the nearest answer: other ways out, how far the outcome reaches, what stands in
// the way, what each change does, what more certainty costs, how robust a decision is, and maps.
// Each is made of exact searches; what is said is proven unless it says otherwise.
//
//   const boxwood::Prepared prepared(model);
//   boxwood::Menu menu = boxwood::find_menu(prepared, query);              // the ways out
//   boxwood::WideRegion wide = boxwood::widen(prepared, query, answer.best().point);
//   boxwood::WhyNot why = boxwood::find_why_not(prepared, query);          // what blocks it
//
// Options and their limits hold for each search; the time limit for all of a call together.
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

/// How the answers of a menu differ. `regions`: no two lie in the same region. `features`: each
/// leaves something as it is that each one before changes, so that none merely adds to another.
/// `distance`: any two differ in some feature by at least MenuOptions::distance times its scale; of
/// categories, groups and missing values any difference will do.
enum class Apart : std::uint8_t { regions, features, distance };

struct MenuOptions {
  std::size_t count = 3;
  Apart apart = Apart::features;
  double distance = 1;
};

/// Several ways out, each the cheapest that differs from all before it.
struct Menu {
  std::vector<Answer> ways;
  bool complete = false;       ///< proven: there is no further one
  Stop stop = Stop::finished;  ///< why there are no more, if neither that nor the count
};
Menu find_menu(const Prepared& prepared, const Query& query, const MenuOptions& menu = {},
               const Options& options = {});

/// A box around a point in which every value of every feature, as the models read it, in any
/// combination, has the outcome; of features that are whole numbers every whole number. Rules about
/// several features, steps and lists do not count here: it holds whether they are obeyed or not.
/// Fixed features keep their value, and no interval reaches beyond the range of its feature, its
/// direction or the size of its change.
struct WideRegion {
  std::vector<Interval> region;
  /// Of a categorical feature the codes that will do, of a one-hot group (at its first column) the
  /// places of columns that may be hot, their number for none; empty for other features.
  std::vector<std::vector<double>> values;
  bool maximal = false;  ///< proven: no single interval can be wider, no value added
  Stop stop = Stop::finished;
};
/// Grows the region of a point that meets the requirements, one feature after the other: those of
/// `order` first, then those that the point changes, then the others.
WideRegion widen(const Prepared& prepared, const Query& query, std::span<const double> point,
                 std::span<const std::size_t> order = {}, const Options& options = {});

/// One rule of a query that can be lifted.
struct Rule {
  enum class Kind : std::uint8_t {
    fixed,  ///< of a feature, as all until `missing`
    range_lower,
    range_upper,
    allowed,
    step,
    direction,
    least_change,
    most_change,
    clause,      ///< of Query::clauses
    max_changes  ///< of the query
  };
  Kind kind = Kind::fixed;
  std::size_t index = 0;  ///< of the feature or the clause
  bool operator==(const Rule&) const = default;
};
/// Every rule that a query has, in the order of features, then clauses.
std::vector<Rule> rules_of(const Query& query);
/// The query without these rules.
Query lifted(const Query& query, std::span<const Rule> rules);

/// A rule that, with others, blocks the outcome, and what the query without this one rule gives.
struct Blocker {
  Rule rule;
  Answer without;  ///< all other rules of the query still hold
};

/// Why there is no answer. `blockers` is a set of rules that together leave no way, while any of
/// them can be lifted to open one as long as only the others of the set hold. It is as small as any
/// such set where `smallest` says so. Where the outcome does not exist at all, whatever is lifted,
/// it is empty and `impossible`.
struct WhyNot {
  Answer answer;  ///< to the query itself; only where it is infeasible is there more
  std::vector<Blocker> blockers;
  bool smallest = false;
  bool impossible = false;
  Stop stop = Stop::finished;
};
/// `liftable`: the rules that may be among them; where it is not given all of rules_of(). `rounds`:
/// how many sets of rules to try for the smallest before it is left at one of which every rule is
/// needed; with 0 it is left at that.
WhyNot find_why_not(const Prepared& prepared, const Query& query, const Options& options = {},
                    std::optional<std::span<const Rule>> liftable = {}, std::size_t rounds = 200);

/// One change of an answer: the features (more than one of a one-hot group), the point after this
/// change and all before it, what the ensembles say there, and the answer when these features must
/// stay as they are.
struct PathStep {
  std::vector<std::size_t> features;
  std::vector<double> point;
  std::vector<std::vector<double>> outputs;
  std::optional<Answer> without;
};
/// The changes of an answer, those first that bring the outcome of the first requirement nearest.
/// Without `resolve` nothing is searched and no step has `without`.
std::vector<PathStep> find_path(const Prepared& prepared, const Query& query,
                                std::span<const double> to, bool resolve = true,
                                const Options& options = {});

/// How far scores are from what a requirement asks for, in raw scores or outputs, whatever it
/// speaks of: negative when it is not met, and the larger the better.
double standing(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores);

struct SweepPoint {
  double level = 0;
  Answer answer;
};
/// The answers for several levels of the first requirement: its probability, for an output or a
/// score its lower end, or the upper where that is the only one. Levels must rise, or fall for an
/// upper end: later ones ask for more. What is found for one level starts and bounds the next.
/// `visit`, where given, sees each as it is found; return false to stop.
std::vector<SweepPoint> sweep(const Prepared& prepared, const Query& query,
                              std::span<const double> levels, const Options& options = {},
                              const std::function<bool(const SweepPoint&)>& visit = {});

/// The requirement that anything else comes out than at this point now: another class, or for
/// regression an output farther than `tolerance` from the present one.
Requirement other_outcome(const Ensemble& ensemble, std::span<const double> point,
                          double tolerance = 0);
/// The nearest point with any other outcome of the first ensemble: nothing nearer than
/// Answer::distance, by the query's norm and rules, is decided otherwise. The query's requirements
/// do not count.
Answer robustness(const Prepared& prepared, const Query& query, double tolerance = 0,
                  const Options& options = {});

/// Where two features are drawn against each other.
struct MapOptions {
  std::size_t x = 0, y = 1;     ///< features
  Interval x_view{}, y_view{};  ///< finite ends: what is drawn; others: around all cuts
  /// Nothing: all other features are as they are. Otherwise they may change as the query allows,
  /// for at most this distance, to reach what it requires.
  std::optional<double> radius{};
  std::size_t most_cells = 1'000'000;
};

/// A rectangle of a map: everything in it, all that the models can read, is decided alike.
struct MapCell {
  Interval x, y;
  std::vector<double> outputs;       ///< of the first ensemble; empty with a radius
  std::optional<std::size_t> label;  ///< its class, where it has classes; nothing with a radius
  bool meets = false;                ///< the query's requirements, with a radius: within it
  double cost = 0;                   ///< with a radius: of the other features' changes
};
struct Map {
  Interval x_view, y_view;
  /// Neighbours that are decided alike are one. They cover the view, but for what a limit left
  /// open.
  std::vector<MapCell> cells;
  Stop stop = Stop::finished;
};
/// The exact decision regions over two features around the query's point. Throws Error when there
/// are too many cells.
Map draw_map(const Prepared& prepared, const Query& query, const MapOptions& map,
             const Options& options = {});

/// A point of rounder numbers in the region of `point` that meets every requirement and rule and
/// costs at most (1 + tolerance) times as much: of each changed feature the roundest such value,
/// the cheapest of equally round ones. The point itself where there is none.
std::vector<double> rounded(const Prepared& prepared, const Query& query,
                            std::span<const double> point, double tolerance);

/// The answer with its point replaced by the one that `rounded` gives: `feasible`, with the least
/// cost as lower bound. The answer itself where there is no point or nothing rounder.
Answer rounded_answer(const Prepared& prepared, const Query& query, const Answer& answer,
                      double tolerance);

}  // namespace boxwood
