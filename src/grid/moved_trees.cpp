#include "grid/moved_trees.hpp"

#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"
#include "query/neighbours.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace boxwood {
namespace {

double largest(Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(std::numeric_limits<float>::max())
                                         : std::numeric_limits<double>::max();
}

/// Maps cuts of moved features to the equivalent cuts for rows that are not moved yet. Many splits
/// share a cut.
class Mover {
 public:
  Mover(const Query& query, const Moves& moves, Precision precision, const RowReach& reach)
      : query_(query), moves_(moves), precision_(precision), reach_(reach), cuts_(moves.size()) {}

  const std::optional<MoveTarget>& target(std::size_t feature) const { return moves_[feature]; }

  /// The cut such that a value of the reach is left of it exactly if its moved value is left of
  /// `cut`. It exists because moving keeps the order of values.
  Cut before_moving(std::size_t feature, const Cut& cut) {
    const auto [known, is_new] = cuts_[feature].try_emplace(cut);
    if (is_new) known->second = found(feature, cut);
    return known->second;
  }

 private:
  bool right(std::size_t feature, const Cut& cut, std::int64_t place) const {
    const double value = at_place(place, precision_);
    return !cut.left_of(moved(query_.features[feature], moves_[feature], value, precision_));
  }

  /// The first number whose moved value is not left of the cut, by bisection over the numbers of
  /// the reach. Most numbers move by the whole distance or not at all, so the cuts that follow from
  /// these two cases are tried first.
  Cut found(std::size_t feature, const Cut& cut) const {
    const double most = largest(precision_), size = query_.features[feature].robust;
    const RowReach::Span& span = reach_.span(feature);
    std::int64_t low = place_of(std::clamp(span.low, -most, most), precision_);
    std::int64_t high = place_of(std::clamp(span.high, -most, most), precision_);
    if (low > high || !right(feature, cut, high)) return {most, true};
    if (right(feature, cut, low)) return {-most, false};
    const double first = first_right_of(cut, precision_);
    for (const double guess : {first, first - size, first + size}) {
      constexpr std::int64_t beside = 2;  // rounding may move the guess by so many numbers
      const std::int64_t place = place_of(std::clamp(guess, -most, most), precision_);
      for (const std::int64_t at : {place - beside, place + beside}) {
        if (at > low && at < high) (right(feature, cut, at) ? high : low) = at;
      }
    }
    while (low + 1 < high) {
      // The difference of the two may overflow a 64-bit number.
      const std::int64_t middle = low / 2 + high / 2 + (low % 2 + high % 2) / 2;
      (right(feature, cut, middle) ? high : low) = middle;
    }
    return {at_place(high, precision_), false};
  }

  const Query& query_;
  const Moves& moves_;
  Precision precision_;
  const RowReach& reach_;
  std::vector<std::map<Cut, Cut>> cuts_;
};

/// Copies one tree, with moved splits and without the branches that no row takes. A branch is
/// omitted if its rows would need a value that does not exist, or would cost more than the reach.
/// In each feature they cost at least as much as the most expensive branch of a split on the path.
class TreeCopier {
 public:
  /// `mover` may be null: nothing moves.
  TreeCopier(const Tree& tree, const RowReach& reach, Mover* mover, std::size_t outputs)
      : tree_(tree), reach_(reach), mover_(mover), width_(tree.outputs(outputs).count) {
    copy_.sets = tree.sets;
    copy_.output = tree.output;
    copy_.width = tree.width;
  }

  Tree copied() {
    copy_.nodes.emplace_back();
    open_.push_back({{0, 0}, 0, 0, none});
    while (!open_.empty()) {
      const Open one = open_.back();
      open_.pop_back();
      copy(one);
    }
    return std::move(copy_);
  }

 private:
  static constexpr std::int32_t none = -1;
  /// Where a node of the copy comes from: a node of the tree, and the first of its cuts that is
  /// still to be copied.
  struct Source {
    std::int32_t node;
    std::uint32_t cut;
  };
  /// The least cost of a feature on the path to a node. `before` is the step of the feature before
  /// it.
  struct Step {
    std::size_t feature;
    double cost;
    std::int32_t before;
  };
  struct Open {
    Source from;
    std::int32_t at;
    double cost;
    std::int32_t step;
  };
  /// The two branches, and what each costs at least in the feature of the split.
  struct Ways {
    Node node;  ///< the split between them
    Source left, right;
    double left_cost = 0, right_cost = 0;
  };

  const Node& node_at(std::int32_t index) const {
    return tree_.nodes[static_cast<std::size_t>(index)];
  }

  void copy(const Open& open) {
    Source from = open.from;
    double cost = open.cost;
    std::int32_t step = open.step;
    for (;;) {
      const Node& node = node_at(from.node);
      if (node.kind == NodeKind::leaf) return copy_leaf(node, open.at);
      const auto feature = static_cast<std::size_t>(node.feature);
      if (mover_ && mover_->target(feature) && mover_->target(feature)->constant) {
        from = {goes_left(tree_, node, mover_->target(feature)->low) ? node.left : node.right, 0};
        continue;
      }
      const Ways ways = ways_of(node, from);
      double left_cost = cost, right_cost = cost;
      const std::int32_t left = step_to(feature, ways.left_cost, left_cost, step);
      const std::int32_t right = step_to(feature, ways.right_cost, right_cost, step);
      const bool keep_left = !reach_.is_beyond(left_cost);
      // If both branches are beyond the reach, no row comes here, so either one is right.
      if (keep_left && !reach_.is_beyond(right_cost)) {
        const auto at = static_cast<std::size_t>(open.at);
        copy_.nodes[at] = ways.node;
        copy_.nodes[at].left = static_cast<std::int32_t>(copy_.nodes.size());
        copy_.nodes[at].right = copy_.nodes[at].left + 1;
        open_.push_back({ways.right, copy_.nodes[at].right, right_cost, right});
        open_.push_back({ways.left, copy_.nodes[at].left, left_cost, left});
        copy_.nodes.resize(copy_.nodes.size() + 2);
        return;
      }
      from = keep_left ? ways.left : ways.right;
      cost = keep_left ? left_cost : right_cost;
      step = keep_left ? left : right;
    }
  }

  void copy_leaf(const Node& node, std::int32_t at) {
    Node& leaf = copy_.nodes[static_cast<std::size_t>(at)];
    leaf = node;
    leaf.value = static_cast<std::int32_t>(copy_.values.size());
    const auto first = tree_.values.begin() + node.value;
    copy_.values.insert(copy_.values.end(), first, first + static_cast<std::ptrdiff_t>(width_));
  }

  /// Takes a branch in which the value of the feature costs at least `cost`. Adds to the total what
  /// the path so far has not counted for this feature.
  std::int32_t step_to(std::size_t feature, double price, double& cost, std::int32_t step) {
    if (price == 0) return step;
    double paid = 0;
    for (std::int32_t i = step; i != none; i = steps_[static_cast<std::size_t>(i)].before) {
      const Step& earlier = steps_[static_cast<std::size_t>(i)];
      if (earlier.feature != feature) continue;
      paid = earlier.cost;
      break;
    }
    if (price <= paid) return step;
    cost = reach_.raised(cost, paid, price);
    steps_.push_back({feature, price, step});
    return static_cast<std::int32_t>(steps_.size()) - 1;
  }

  Ways ways_of(const Node& node, const Source& from) {
    const auto feature = static_cast<std::size_t>(node.feature);
    const RowReach::Span& span = reach_.span(feature);
    Ways ways{node, {node.left, 0}, {node.right, 0}};
    const bool moves = mover_ && mover_->target(feature);
    const bool compares =
        !node.missing_at_zero && (node.kind == NodeKind::less || node.kind == NodeKind::less_equal);
    Cut cut{node.threshold + 0.0, node.kind == NodeKind::less_equal};
    if (moves && !compares) {
      cuts_of(tree_, node, split_);
      if (split_.cuts.empty()) return ways;
      cut = split_.cuts[from.cut];
      const bool to_left = (from.cut % 2 == 0) == split_.left_first;
      const bool last = from.cut + 1 == split_.cuts.size();
      ways.left = {to_left ? node.left : node.right, 0};
      ways.right =
          last ? Source{to_left ? node.right : node.left, 0} : Source{from.node, from.cut + 1};
      // Missing values go to the first part that leads to their child.
      ways.node.missing_left = to_left == node.missing_left;
      ways.node.missing_at_zero = false;
      ways.node.value = none;
    } else if (!compares) {
      price_values(node, ways);
      return ways;
    }
    if (moves) {
      cut = mover_->before_moving(feature, cut);
      ways.node.kind = cut.inclusive ? NodeKind::less_equal : NodeKind::less;
      ways.node.threshold = cut.value;
    }
    ways.left_cost = reach_.cost_of_side(feature, cut, true);
    ways.right_cost = reach_.cost_of_side(feature, cut, false);
    if (span.missing) (ways.node.missing_left ? ways.left_cost : ways.right_cost) = 0;
    return ways;
  }

  /// The costs of a split that is not a comparison: values of a branch may lie on both sides of the
  /// present value, which itself lies in one of the branches.
  void price_values(const Node& node, Ways& ways) const {
    const auto feature = static_cast<std::size_t>(node.feature);
    const RowReach::Span& span = reach_.span(feature);
    if (span.low > span.high) {
      ways.left_cost = ways.right_cost = infinity;
    } else {
      const double other = span.low == span.high ? infinity : reach_.cost_of_change(feature);
      (goes_left(tree_, node, reach_.own(feature)) ? ways.right_cost : ways.left_cost) = other;
    }
    if (span.missing) (node.missing_left ? ways.left_cost : ways.right_cost) = 0;
  }

  const Tree& tree_;
  const RowReach& reach_;
  Mover* mover_;
  std::size_t width_;
  Tree copy_;
  std::vector<Open> open_;
  std::vector<Step> steps_;
  SplitCuts split_;
};

/// An ensemble with other trees. The list of fields below is complete, so that a new field of
/// Ensemble is a compile error here.
Ensemble with_trees(const Ensemble& original, std::vector<Tree> others, Precision precision) {
  const auto& [source, library, objective, notes, features, trees, base, input, accumulator, order,
               factor, divisor, link, link_form, steepness, task, decision, classes, composition] =
      original;
  return {source,     library,   objective,   notes, features, std::move(others),
          base,       precision, accumulator, order, factor,   divisor,
          link,       link_form, steepness,   task,  decision, classes,
          composition};
}

Ensemble copied(const Ensemble& ensemble, const RowReach& reach, Mover* mover, Precision precision,
                Pace& pace) {
  std::vector<Tree> trees;
  trees.reserve(ensemble.trees.size());
  for (const Tree& tree : ensemble.trees) {
    trees.push_back(TreeCopier(tree, reach, mover, ensemble.base.size()).copied());
    pace.work(trees.back().nodes.size() + 1);
  }
  return with_trees(ensemble, std::move(trees), precision);
}

}  // namespace

double moved(const FeatureRule& rule, const std::optional<MoveTarget>& target, double value,
             Precision precision) {
  if (!target || std::isnan(value)) return value;
  if (target->constant) return target->low;
  const Neighbours ends = neighbours_of(rule, value, precision);
  return std::clamp(std::clamp(value, target->low, target->high), ends.lowest, ends.highest);
}

std::vector<double> moved_row(const Query& query, const Moves& moves, std::span<const double> row,
                              Precision precision) {
  std::vector<double> there;
  for (std::size_t d = 0; d < row.size(); ++d) {
    there.push_back(moved(query.features[d], moves[d], as_read(row[d], precision), precision));
  }
  return there;
}

Ensemble moved_ensemble(const Ensemble& ensemble, const Query& query, const Moves& moves,
                        Precision precision, const RowReach& reach, Pace& pace) {
  Mover mover(query, moves, precision, reach);
  return copied(ensemble, reach, &mover, precision, pace);
}

Ensemble cut_ensemble(const Ensemble& ensemble, const RowReach& reach, Pace& pace) {
  return copied(ensemble, reach, nullptr, ensemble.input, pace);
}

void check_moves(std::span<const Ensemble> ensembles, const Query& query) {
  for (std::size_t d = 0; d < query.features.size(); ++d) {
    const FeatureRule& rule = query.features[d];
    if (rule.robust_codes.empty()) continue;
    if (!rule.missing_allowed && !std::isnan(query.point[d])) continue;
    throw Error(fmt::format("feature \"{}\"", ensembles.front().features[d].name),
                "it may be missing, and an answer cannot be robust in a categorical feature that "
                "may be missing",
                "Leave the feature out of `robust`, or do not allow it to be missing");
  }
}

}  // namespace boxwood
