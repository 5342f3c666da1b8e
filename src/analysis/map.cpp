// Exact decision regions over two features. The cells of both are evaluated one by one, and
// neighbours with the same decision are merged.
#include "analysis/exhausted.hpp"
#include "base/infinity.hpp"
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
  /// The cheapest change of the other features that leads to the outcome. The values of the two
  /// features on the axes are not changes: they cost nothing and are not counted. False if a limit
  /// came first.
  bool look_around(const std::vector<double>& point, MapCell& cell) {
    if (budget_.stopped()) return false;
    Query around = query_;
    around.point = point;
    around.features[map_.x].fixed = around.features[map_.y].fixed = true;
    Options options = budget_.rest();
    options.ties = 1;
    const Answer answer = explain(prepared_, around, options);
    budget_.note(answer);
    if (answer.status == Status::feasible || answer.status == Status::unknown) return false;
    cell.cost = answer.solutions.empty() ? infinity : answer.cost;
    cell.meets = !answer.solutions.empty() && answer.distance <= *map_.radius;
    return true;
  }

  const Prepared& prepared_;
  const Query& query_;
  const MapOptions& map_;
  Budget& budget_;
  std::map<std::vector<double>, std::size_t> numbers_;
  std::vector<MapCell> cells_;
};

bool reads(const Clause& clause, std::size_t feature) {
  const auto is_about = [&](const auto& part) { return part.feature == feature; };
  return std::any_of(clause.any_of.begin(), clause.any_of.end(), is_about) ||
         std::any_of(clause.linear.begin(), clause.linear.end(), [&](const LinearCondition& sum) {
           return std::any_of(sum.terms.begin(), sum.terms.end(), is_about);
         });
}

/// The cuts at which the picture can change: those of the models and, with a radius, those of
/// clauses, because these decide what the other features may change to. Linear rules add no cuts:
/// their features cannot be axes.
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
  if (map.radius && std::any_of(query.clauses.begin(), query.clauses.end(), [&](const Clause& one) {
        return !one.linear.empty() && (reads(one, map.x) || reads(one, map.y));
      })) {
    throw Error("map", "with a radius, the features of a linear rule cannot be axes",
                "Choose other features, or leave out the radius");
  }
  for (const Derived& derived : query.derived) {
    if (derived.feature == map.x || derived.feature == map.y || reads(derived, map.x) ||
        reads(derived, map.y)) {
      throw Error("map", "a derived column and the columns of its formula cannot be axes",
                  "Choose other features");
    }
  }
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
  const std::vector<Piece> columns = pieces_of(cuts[map.x], drawn.x_view, precision);
  const std::vector<Piece> rows = pieces_of(cuts[map.y], drawn.y_view, precision);
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
