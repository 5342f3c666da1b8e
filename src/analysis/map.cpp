// Exact decision regions over two features. The cells of both are evaluated one by one, and
// neighbours with the same decision are merged.
#include "analysis/exhausted.hpp"
#include "base/infinity.hpp"
#include "grid/axis.hpp"
#include "grid/cuts.hpp"
#include "grid/linear_trees.hpp"
#include "grid/rule_trees.hpp"
#include "model/arithmetic.hpp"
#include "query/derived.hpp"
#include "query/neighbours.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace boxwood {
namespace {

/// A piece of an axis, and a number in it that the models can read.
struct Piece {
  Interval range;
  double value = 0;
};

/// The view where no ends are given: all cuts and the point, with a margin.
Interval view_of(const Interval& given, std::span<const Cut> cuts, double now) {
  double low = infinity, high = -infinity;
  const auto see = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Cut& cut : cuts) see(cut.value);
  see(now);
  if (low > high) low = high = 0;
  const double room = high > low ? (high - low) / 20 : std::max(1.0, std::abs(low) / 20);
  Interval view{low - room, high + room};
  if (std::isfinite(given.lower)) view.lower = given.lower;
  if (std::isfinite(given.upper)) view.upper = given.upper;
  if (!(view.lower < view.upper)) {
    throw Error("map", fmt::format("the range from {} to {} is empty", view.lower, view.upper),
                "Give the smaller end first, and ends that differ");
  }
  return view;
}

/// The cells of an axis that lie in the view. A piece without a number that the models can read is
/// left out, so that its neighbours touch.
std::vector<Piece> pieces_of(std::span<const Cut> cuts, const Interval& view, Precision precision) {
  std::vector<Piece> pieces;
  for (std::size_t rank = 0; rank <= cuts.size(); ++rank) {
    const Cut* lower = rank > 0 ? &cuts[rank - 1] : nullptr;
    const Cut* upper = rank < cuts.size() ? &cuts[rank] : nullptr;
    Piece piece{view, 0};
    if (lower && lower->value >= view.lower) {
      piece.range.lower = lower->value;
      piece.range.lower_closed = !lower->inclusive;
    }
    if (upper && upper->value <= view.upper) {
      piece.range.upper = upper->value;
      piece.range.upper_closed = upper->inclusive;
    }
    if (piece.range.empty() || (lower && lower->value > view.upper) ||
        (upper && upper->value < view.lower)) {
      continue;
    }
    const double first = first_right_of({piece.range.lower, !piece.range.lower_closed}, precision);
    if (!piece.range.contains(first)) continue;
    piece.value = first;
    pieces.push_back(piece);
  }
  // Rounding may leave no numbers at the ends of the view.
  if (!pieces.empty()) {
    pieces.front().range.lower = view.lower;
    pieces.front().range.lower_closed = view.lower_closed;
    pieces.back().range.upper = view.upper;
    pieces.back().range.upper_closed = view.upper_closed;
  }
  return pieces;
}

/// A piece of an axis for each admissible value, which reaches halfway to its neighbours: for axes
/// on which every value may have its own answer.
std::vector<Piece> values_of(const Query& query, std::size_t feature, const Interval& view,
                             Precision precision, std::size_t most) {
  const FeatureRule& given = query.features[feature];
  FeatureRule rule;
  rule.kind = given.kind;
  rule.step = given.step;
  rule.allowed = given.allowed;
  const Axis axis(rule, std::numeric_limits<double>::quiet_NaN(), precision);
  std::vector<double> values;
  const double now = query.point[feature];
  if (view.contains(now)) values.push_back(now);
  for (double next = axis.rounded(view.lower, true); view.contains(next);
       next = axis.rounded(std::nextafter(next, infinity), true)) {
    if (next != now) values.push_back(next + 0.0);
    if (values.size() > most) break;  // refused by the caller
  }
  std::sort(values.begin(), values.end());
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Piece piece{view, values[i]};
    if (i > 0) piece.range.lower = pieces.back().range.upper;
    if (i + 1 < values.size()) {
      piece.range.upper = values[i] / 2 + values[i + 1] / 2;
      piece.range.upper_closed = false;
    }
    pieces.push_back(piece);
  }
  return pieces;
}

/// Rows of cells, from which rectangles grow as long as the next row has the same decision.
class Quilt {
 public:
  explicit Quilt(const std::vector<Piece>& columns) : columns_(columns) {}

  void add_row(const Interval& y, const std::vector<std::size_t>& patterns) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> next;
    for (std::size_t first = 0; first < patterns.size();) {
      std::size_t last = first;
      while (last + 1 < patterns.size() && patterns[last + 1] == patterns[first]) ++last;
      const auto above = open_.find({first, last});
      if (above != open_.end() && patches_[above->second].pattern == patterns[first]) {
        Interval& whole = patches_[above->second].y;
        whole.upper = y.upper;
        whole.upper_closed = y.upper_closed;
        next[{first, last}] = above->second;
      } else {
        const Interval x{columns_[first].range.lower, columns_[last].range.upper,
                         columns_[first].range.lower_closed, columns_[last].range.upper_closed};
        next[{first, last}] = patches_.size();
        patches_.push_back({x, y, patterns[first]});
      }
      first = last + 1;
    }
    open_ = std::move(next);
  }

  struct Patch {
    Interval x, y;
    std::size_t pattern = 0;
  };
  const std::vector<Patch>& patches() const { return patches_; }

 private:
  const std::vector<Piece>& columns_;
  std::vector<Patch> patches_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> open_;
};

bool reads(const Clause& clause, std::size_t feature) {
  const auto is_about = [&](const auto& part) { return part.feature == feature; };
  return std::any_of(clause.any_of.begin(), clause.any_of.end(), is_about) ||
         std::any_of(clause.linear.begin(), clause.linear.end(), [&](const LinearCondition& sum) {
           return std::any_of(sum.terms.begin(), sum.terms.end(), is_about);
         });
}

/// Whether an axis is divided into its single values: a linear rule (with a radius) or a formula
/// that reads it would divide cells by slanted lines or curves. Throws Error if it cannot be.
bool is_by_value(const Query& query, const MapOptions& map, std::size_t axis,
                 std::span<const Ensemble> ensembles) {
  const std::string name = fmt::format("\"{}\"", ensembles.front().features[axis].name);
  bool by_value = false;
  for (const Derived& derived : query.derived) {
    if (derived.feature == axis) {
      throw Error("map", fmt::format("{} is a derived column, which cannot be an axis", name),
                  "Choose a column of its formula");
    }
    by_value = by_value || reads(derived, axis);
  }
  for (const Clause& clause : query.clauses) {
    by_value = by_value || (map.radius && !clause.linear.empty() && reads(clause, axis));
  }
  if (!by_value || is_discrete(query.features[axis])) return by_value;
  throw Error("map",
              fmt::format("{} is continuous and in a linear rule or a formula, which would divide "
                          "the map by lines that are not parallel to its axes",
                          name),
              "Give it a kind (integer) or a step, or choose another feature");
}

class Painter {
 public:
  static constexpr std::size_t undecided = std::numeric_limits<std::size_t>::max();

  Painter(const Prepared& prepared, const Query& query, const MapOptions& map, Budget& budget)
      : prepared_(prepared), query_(query), map_(map), budget_(budget) {}

  /// The decision where the two features have these values; equal decisions have equal numbers.
  std::size_t pattern_at(double x, double y) {
    std::vector<double> point = query_.point;
    point[map_.x] = x;
    point[map_.y] = y;
    MapCell cell;
    // Without a radius, what is no row is not drawn.
    if (!follows(point)) return map_.radius ? nothing_at() : undecided;
    set_derived(query_, point);
    std::vector<double> key;
    if (check_exhausted(budget_)) return undecided;
    if (map_.radius) {
      if (!look_around(point, cell)) return undecided;
      key = {cell.meets ? 1.0 : 0.0, cell.cost};
    } else {
      const Ensemble& first = prepared_.ensembles().front();
      const std::vector<double> scores = first.predict(point);
      cell.outputs = first.transform(scores);
      if (first.task != Task::regression) cell.label = first.classify(scores);
      cell.meets = meets(query_, prepared_.ensembles(), point);
      key = scores;
      key.push_back(cell.meets ? 1 : 0);
    }
    const auto [found, fresh] = numbers_.try_emplace(std::move(key), cells_.size());
    if (fresh) cells_.push_back(std::move(cell));
    return found->second;
  }

  const MapCell& cell(std::size_t pattern) const { return cells_[pattern]; }

 private:
  /// Whether the derived columns of a row are finite, or stay missing.
  bool follows(const std::vector<double>& point) const {
    return std::all_of(query_.derived.begin(), query_.derived.end(), [&](const Derived& derived) {
      const bool missing =
          std::any_of(derived.steps.begin(), derived.steps.end(), [&](const Derived::Step& step) {
            return step.op == Derived::Op::column && std::isnan(point[step.feature]);
          });
      return missing || std::isfinite(as_read(derived_value(derived, point),
                                              common_precision(prepared_.ensembles())));
    });
  }

  /// There is no such row.
  std::size_t nothing_at() {
    MapCell cell;
    cell.cost = infinity;
    const auto [found, fresh] = numbers_.try_emplace({infinity}, cells_.size());
    if (fresh) cells_.push_back(std::move(cell));
    return found->second;
  }

  /// The linear rules where the two features have these values, as rules about the others: changes
  /// of the two are from the query's row. False if some rule cannot hold.
  bool place_in_rules(const std::vector<double>& point, Query& around) const {
    for (std::size_t c = around.clauses.size(); c-- > 0;) {
      Clause& clause = around.clauses[c];
      if (clause.linear.empty() || !(reads(clause, map_.x) || reads(clause, map_.y))) continue;
      bool holds_always = false;
      std::vector<LinearCondition> left;
      for (const LinearCondition& sum : clause.linear) {
        LinearCondition rest;
        LinearCondition placed;
        for (const LinearTerm& term : sum.terms) {
          (term.feature == map_.x || term.feature == map_.y ? placed : rest).terms.push_back(term);
        }
        rest.range = sum.range;
        if (!placed.terms.empty() && !shift(placed, point, rest.range)) continue;
        if (!rest.terms.empty()) {
          left.push_back(std::move(rest));
        } else {
          holds_always = holds_always || rest.range.contains(0);
        }
      }
      if (holds_always) {
        around.clauses.erase(around.clauses.begin() + static_cast<std::ptrdiff_t>(c));
        continue;
      }
      clause.linear = std::move(left);
      if (clause.linear.empty() && clause.any_of.empty()) return false;
    }
    return true;
  }

  /// Takes what the placed terms add off the ends of a sum. False if the sum cannot hold, because a
  /// value has no change from a missing one. Throws Error if doubles round that.
  bool shift(const LinearCondition& placed, const std::vector<double>& point,
             Interval& range) const {
    for (const LinearTerm& term : placed.terms) {
      const double value = point[term.feature], now = query_.point[term.feature];
      double number = value;
      if (term.of == LinearTerm::Of::codes) {
        const bool named =
            std::count(term.codes.begin(), term.codes.end(), static_cast<std::int32_t>(value)) > 0;
        number = named ? 1 : 0;
      } else if (term.of != LinearTerm::Of::value) {
        if (std::isnan(now)) return false;
        number = value - now;
        if (!is_difference(number, value, now)) cannot_place(term.feature);
        if (term.of == LinearTerm::Of::size) number = std::abs(number);
      }
      const double product = term.coefficient * number;
      if (std::fma(term.coefficient, number, -product) != 0) cannot_place(term.feature);
      for (double* const end : {&range.lower, &range.upper}) {
        if (std::isinf(*end)) continue;
        const double moved = *end - product;
        if (!is_difference(moved, *end, product)) cannot_place(term.feature);
        *end = moved + 0.0;
      }
    }
    return true;
  }

  /// Whether a - b is exact: both parts of the sum that undoes it are then exact, too.
  static bool is_difference(double difference, double a, double b) {
    return std::isfinite(difference) && a - difference == b && b + difference == a;
  }

  [[noreturn]] void cannot_place(std::size_t feature) const {
    throw Error("map",
                fmt::format("a linear rule cannot be placed exactly at the values of \"{}\"",
                            prepared_.ensembles().front().features[feature].name),
                "Give the feature whole numbers or steps such as 0.5, choose other features, or "
                "leave out the radius");
  }

  /// The cheapest change of the other features that leads to the outcome. The values of the two
  /// features on the axes are not changes: they cost nothing and are not counted. False if a limit
  /// came first.
  bool look_around(const std::vector<double>& point, MapCell& cell) {
    if (budget_.stopped()) return false;
    Query around = query_;
    around.point = point;
    around.features[map_.x].fixed = around.features[map_.y].fixed = true;
    if (!place_in_rules(point, around)) {
      cell.cost = infinity;
      return true;
    }
    // First whether there is any point within the radius: beyond it nothing has to be found. What
    // the neighbour needs is often enough here too.
    if (!last_.empty()) {
      last_.front()[map_.x] = point[map_.x];
      last_.front()[map_.y] = point[map_.y];
    }
    if (asks_within()) {
      Options any = budget_.rest();
      any.ties = 1;
      any.any_within = most_cost();
      if (!last_.empty()) any.examples = last_;
      Answer near = explain(prepared_, around, any);
      if (!near.solutions.empty()) near.stop = Stop::finished;  // it ended with the first point
      budget_.note(near);
      if (near.status == Status::infeasible) {
        cell.cost = infinity;
        return true;
      }
      if (near.solutions.empty()) return false;
      last_ = {std::move(near.solutions.front().point)};
    }
    Options options = budget_.rest();
    options.ties = 1;
    if (!last_.empty()) options.examples = last_;
    Answer answer = explain(prepared_, around, options);
    budget_.note(answer);
    if (answer.status == Status::feasible || answer.status == Status::unknown) return false;
    cell.meets = !answer.solutions.empty() && answer.distance <= *map_.radius;
    cell.cost = cell.meets ? answer.cost : infinity;
    if (!answer.solutions.empty()) last_ = {std::move(answer.solutions.front().point)};
    return true;
  }

  /// Some queries find the cheapest point even if any would do.
  bool asks_within() const {
    return !has_linear_rules(query_) && !query_.agree && query_.derived.empty();
  }

  /// A little more than any cost whose distance rounds to the radius: the distance decides.
  double most_cost() const {
    constexpr double beyond_rounding = 1 + 1e-9;
    const double cost =
        query_.norm == Norm::squared_l2 ? *map_.radius * *map_.radius : *map_.radius;
    return std::max(cost * beyond_rounding, std::numeric_limits<double>::denorm_min());
  }

  const Prepared& prepared_;
  const Query& query_;
  const MapOptions& map_;
  Budget& budget_;
  std::map<std::vector<double>, std::size_t> numbers_;
  std::vector<MapCell> cells_;
  std::vector<std::vector<double>> last_;  // at most one: the answer of the cell before
};

/// The cuts at which the picture can change: those of the models and, with a radius, those of
/// clauses, because these decide what the other features may change to. Linear rules add no cuts:
/// axes that they read are divided into values.
Cuts cuts_seen(const Prepared& prepared, const Query& query, const MapOptions& map,
               Budget& budget) {
  Cuts seen = cuts_within(budget, prepared.ensembles());
  if (!map.radius || query.clauses.empty()) return seen;
  Query statements = query;
  statements.max_changes.reset();
  std::erase_if(statements.clauses, [](const Clause& one) { return !one.linear.empty(); });
  Pace pace([&budget] { return check_exhausted(budget); });
  const Ensemble rules = rule_trees(prepared.ensembles(), statements, seen, pace);
  const Cuts more = collect_cuts(std::span(&rules, 1), pace);
  for (std::size_t feature : {map.x, map.y}) {
    std::vector<Cut> all;
    std::set_union(seen[feature].begin(), seen[feature].end(), more[feature].begin(),
                   more[feature].end(), std::back_inserter(all));
    seen[feature] = std::move(all);
  }
  return seen;
}

}  // namespace

Map find_map(const Prepared& prepared, const Query& query, const MapOptions& map,
             const Options& options) {
  refuse_robust_or_live(query, "a map");
  validate(query, prepared.ensembles());
  if (map.x >= query.point.size() || map.y >= query.point.size() || map.x == map.y) {
    throw Error("map", "needs two different features of the model");
  }
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) {
      if (column == map.x || column == map.y) {
        throw Error("map", "a column of a one-hot group cannot be an axis",
                    "Choose features that are in no group");
      }
    }
  }
  if (map.radius && query.requirements.empty()) {
    throw Error("map", "a radius needs a requirement", "Give at least one requirement");
  }
  const bool x_by_value = is_by_value(query, map, map.x, prepared.ensembles());
  const bool y_by_value = is_by_value(query, map, map.y, prepared.ensembles());
  const Precision precision = common_precision(prepared.ensembles());
  Map drawn;
  Budget budget(options);
  Cuts cuts;
  try {
    cuts = cuts_seen(prepared, query, map, budget);
  } catch (const Pace::Stopped&) {
    drawn.stop = budget.stop();
    return drawn;
  }
  drawn.x_view = view_of(map.x_view, cuts[map.x], query.point[map.x]);
  drawn.y_view = view_of(map.y_view, cuts[map.y], query.point[map.y]);
  const auto pieces = [&](std::size_t feature, bool by_value, const Interval& view) {
    return by_value ? values_of(query, feature, view, precision, map.most_cells)
                    : pieces_of(cuts[feature], view, precision);
  };
  const std::vector<Piece> columns = pieces(map.x, x_by_value, drawn.x_view);
  const std::vector<Piece> rows = pieces(map.y, y_by_value, drawn.y_view);
  if (columns.empty() || rows.empty()) {
    throw Error("map", "the view contains no number in the precision of the models",
                "Give a wider view");
  }
  if (columns.size() * rows.size() > map.most_cells) {
    throw Error("map",
                fmt::format("{} by {} cells are more than the limit of {}", columns.size(),
                            rows.size(), map.most_cells),
                "Give a smaller view or a larger limit");
  }
  Painter painter(prepared, query, map, budget);
  Quilt quilt(columns);
  for (const Piece& row : rows) {
    std::vector<std::size_t> patterns;
    for (const Piece& column : columns) {
      patterns.push_back(budget.stopped() ? Painter::undecided
                                          : painter.pattern_at(column.value, row.value));
    }
    quilt.add_row(row.range, patterns);
    if (budget.stopped()) break;  // nothing more can be decided
  }
  for (const Quilt::Patch& patch : quilt.patches()) {
    if (patch.pattern == Painter::undecided) continue;
    MapCell cell = painter.cell(patch.pattern);
    cell.x = patch.x;
    cell.y = patch.y;
    drawn.cells.push_back(std::move(cell));
  }
  drawn.stop = budget.stop();
  return drawn;
}

}  // namespace boxwood
