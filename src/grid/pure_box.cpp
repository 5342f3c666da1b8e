// The region around an answer, found from the paths that the point takes through the trees.
#include "grid/cuts.hpp"
#include "grid/flat_trees.hpp"
#include "grid/grid.hpp"
#include "model/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// Calls see(tree, node, x, left) for every split that a point passes, in all trees.
template <typename See>
void each_split(std::span<const Ensemble> ensembles, std::span<const double> point, See see) {
  std::vector<double> read(point.size());
  for (const Ensemble& ensemble : ensembles) {
    for (std::size_t d = 0; d < point.size(); ++d) read[d] = as_read(point[d], ensemble.input);
    for (const Tree& tree : ensemble.trees) {
      std::int32_t at = 0;
      for (;;) {
        const Node& node = tree.nodes[static_cast<std::size_t>(at)];
        if (node.kind == NodeKind::leaf) break;
        const double x = read[static_cast<std::size_t>(node.feature)];
        const bool left = takes_left(tree, node, x);
        see(tree, node, x, left);
        at = left ? node.left : node.right;
      }
    }
  }
}

}  // namespace

namespace {

/// The ends of intervals by splits that send numbers less than a threshold to the left, which
/// nearly all models have: taken without branches, which would mostly be predicted wrong.
struct Ends {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

void end_below(Interval& interval, const Cut& cut) {
  // `x < v` is tighter than `x <= v`.
  if (cut.value < interval.upper || (cut.value == interval.upper && !cut.inclusive)) {
    interval.upper = cut.value;
    interval.upper_closed = cut.inclusive;
  }
}

void begin_above(Interval& interval, const Cut& cut) {
  if (cut.value > interval.lower || (cut.value == interval.lower && cut.inclusive)) {
    interval.lower = cut.value;
    interval.lower_closed = !cut.inclusive;
  }
}

/// Narrows an interval to the numbers that go where x goes.
void narrow(Interval& interval, const Tree& tree, const Node& node, double x, bool left,
            SplitCuts& split) {
  if (std::isnan(x)) return;
  const bool inclusive = node.kind == NodeKind::less_equal;
  if ((inclusive || node.kind == NodeKind::less) && !node.missing_at_zero) {
    // A split with one cut, which bounds the branch that was taken.
    const Cut cut{node.threshold + 0.0, inclusive};
    left ? end_below(interval, cut) : begin_above(interval, cut);
    return;
  }
  cuts_of(tree, node, split);
  const auto next = std::partition_point(split.cuts.begin(), split.cuts.end(),
                                         [&](const Cut& cut) { return !cut.left_of(x); });
  if (next != split.cuts.end()) end_below(interval, *next);
  if (next != split.cuts.begin()) begin_above(interval, *(next - 1));
}

/// Adds up an ensemble's leaves from the positions of their numbers.
void sum_values(const Ensemble& ensemble, std::span<const std::uint32_t> leaf_values,
                std::span<double> scores) {
  struct Leaf {
    std::uint32_t value;
  };
  const std::uint32_t* next = leaf_values.data();
  sum_leaves(
      ensemble, [&](const Tree&) { return Leaf{*next++}; }, scores);
}

std::vector<float> read_as_float(std::span<const double> point) {
  std::vector<float> read(point.size());
  std::transform(point.begin(), point.end(), read.begin(),
                 [](double value) { return static_cast<float>(value); });
  return read;
}

/// walk() of one ensemble; false where a value is missing.
bool walk_flat(const Ensemble& ensemble, const FlatTrees& flat, std::span<const double> point,
               std::span<Ends> ends, std::span<double> scores) {
  std::vector<std::uint32_t> leaf_values(flat.tree_count());
  FlatTrees::Ends narrow(point.size());
  if (!flat.leaves_at(read_as_float(point), leaf_values, &narrow)) return false;
  for (std::size_t d = 0; d < point.size(); ++d) {
    ends[d].lower = std::max(ends[d].lower, narrow.lower(d));
    ends[d].upper = std::min(ends[d].upper, narrow.upper(d));
  }
  sum_values(ensemble, leaf_values, scores);
  return true;
}

}  // namespace

std::vector<double> scores_at(const Ensemble& ensemble, std::span<const double> point,
                              const FlatTrees* flat) {
  if (!flat) return ensemble.predict(point);
  std::vector<std::uint32_t> leaf_values(flat->tree_count());
  if (!flat->leaves_at(read_as_float(point), leaf_values)) return ensemble.predict(point);
  std::vector<double> scores(ensemble.base.size());
  sum_values(ensemble, leaf_values, scores);
  return scores;
}

Walk walk(std::span<const Ensemble> ensembles, std::span<const double> point,
          std::span<const std::shared_ptr<const FlatTrees>> flat) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  Walk walked{{}, std::vector<Interval>(point.size())};
  std::vector<Interval>& box = walked.box;
  for (std::size_t d = 0; d < point.size(); ++d) {
    // A missing value has no interval. Infinite ends are excluded: no answer is infinite.
    box[d] = std::isnan(point[d]) ? Interval{nothing, nothing, false, false}
                                  : Interval{.lower_closed = false, .upper_closed = false};
  }
  SplitCuts split;
  std::vector<double> read(point.size());
  std::vector<Ends> ends(point.size());
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    const Ensemble& ensemble = ensembles[e];
    walked.scores.emplace_back(ensemble.base.size());
    if (e < flat.size() && flat[e] &&
        walk_flat(ensemble, *flat[e], point, ends, walked.scores.back())) {
      continue;
    }
    for (std::size_t d = 0; d < point.size(); ++d) read[d] = as_read(point[d], ensemble.input);
    const auto leaf_of = [&](const Tree& tree) -> const Node& {
      const Node* const nodes = tree.nodes.data();
      const Node* node = nodes;
      while (node->kind != NodeKind::leaf) {
        const auto feature = static_cast<std::size_t>(node->feature);
        const double x = read[feature];
        if (node->kind == NodeKind::less && !node->missing_at_zero && !std::isnan(x)) {
          const bool left = x < node->threshold;
          Ends& end = ends[feature];
          end.upper = std::min(end.upper, left ? node->threshold : Ends{}.upper);
          end.lower = std::max(end.lower, left ? Ends{}.lower : node->threshold);
          node = nodes + (left ? node->left : node->right);
          continue;
        }
        const bool left = takes_left(tree, *node, x);
        narrow(box[feature], tree, *node, x, left, split);
        node = nodes + (left ? node->left : node->right);
      }
      return *node;
    };
    if (ensemble.link == Link::composed) {
      for (const Tree& tree : ensemble.trees) leaf_of(tree);
      ensemble.predict(point, walked.scores.back());
    } else {
      sum_leaves(ensemble, leaf_of, walked.scores.back());
    }
  }
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (ends[d].upper < Ends{}.upper) end_below(box[d], {ends[d].upper + 0.0, false});
    if (ends[d].lower > Ends{}.lower) begin_above(box[d], {ends[d].lower + 0.0, false});
  }
  return walked;
}

std::vector<Interval> pure_box(std::span<const Ensemble> ensembles, std::span<const double> point) {
  return walk(ensembles, point).box;
}

std::vector<std::vector<std::int32_t>> pure_codes(std::span<const Ensemble> ensembles,
                                                  std::span<const double> point) {
  std::vector<std::vector<std::int32_t>> codes(point.size());
  bool any = false;
  for (std::size_t d = 0; d < point.size(); ++d) {
    for (const Ensemble& ensemble : ensembles) {
      if (!codes[d].empty() || std::isnan(point[d])) continue;
      for (const Category& category : ensemble.features[d].categories) {
        codes[d].push_back(category.code);
      }
      any |= !codes[d].empty();
    }
  }
  if (!any) return codes;
  each_split(ensembles, point, [&](const Tree& tree, const Node& node, double, bool left) {
    std::erase_if(codes[static_cast<std::size_t>(node.feature)], [&](std::int32_t code) {
      return goes_left(tree, node, static_cast<double>(code)) != left;
    });
  });
  return codes;
}

Solution solution_at(std::span<const Ensemble> ensembles, const std::vector<double>& point,
                     Walk walked) {
  return {point, std::move(walked.box), pure_codes(ensembles, point)};
}

Solution solution_at(std::span<const Ensemble> ensembles, const std::vector<double>& point) {
  return solution_at(ensembles, point, walk(ensembles, point));
}

}  // namespace boxwood
