#include "grid/moved_trees.hpp"

#include "grid/cuts.hpp"
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

/// Moves the splits of one ensemble. Many splits of a feature share a threshold.
class Mover {
 public:
  Mover(const Query& query, const Moves& moves, Precision precision)
      : query_(query), moves_(moves), precision_(precision), cuts_(moves.size()) {}

  bool moves(std::size_t feature) const { return moves_[feature].has_value(); }

  double largest() const {
    return precision_ == Precision::float32 ? static_cast<double>(std::numeric_limits<float>::max())
                                            : std::numeric_limits<double>::max();
  }

  /// The smallest number whose moved value is not left of the cut: a value is left of it exactly
  /// if its moved value is left of the given cut, because moving keeps the order.
  double first_right(std::size_t feature, const Cut& cut) {
    const auto [known, is_new] = cuts_[feature].try_emplace(cut, 0.0);
    if (!is_new) return known->second;
    const auto right = [&](double value) {
      return !cut.left_of(moved(query_.features[feature], moves_[feature], value, precision_));
    };
    std::int64_t low = place_of(-largest(), precision_), high = place_of(largest(), precision_);
    if (!right(largest())) {
      known->second = std::numeric_limits<double>::infinity();
    } else if (right(-largest())) {
      known->second = -largest();
    } else {
      while (low + 1 < high) {
        // Their difference may be more than a 64-bit number holds.
        const std::int64_t middle = low / 2 + high / 2 + (low % 2 + high % 2) / 2;
        (right(at_place(middle, precision_)) ? high : low) = middle;
      }
      known->second = at_place(high, precision_);
    }
    return known->second;
  }

 private:
  const Query& query_;
  const Moves& moves_;
  Precision precision_;
  std::vector<std::map<Cut, double>> cuts_;
};

/// A copy in which the splits of categorical features that move are replaced by the child that
/// the code takes.
Tree without_decided_splits(const Tree& tree, const Query& query, const Moves& moves) {
  Tree copy = tree;
  copy.nodes.clear();
  const auto taken = [&](std::int32_t at) {
    for (;;) {
      const Node& node = tree.nodes[static_cast<std::size_t>(at)];
      if (node.kind == NodeKind::leaf) return at;
      const auto feature = static_cast<std::size_t>(node.feature);
      const bool decided =
          moves[feature] && query.features[feature].kind == FeatureKind::categorical;
      if (!decided) return at;
      at = goes_left(tree, node, moves[feature]->low) ? node.left : node.right;
    }
  };
  std::vector<std::int32_t> from{taken(0)};  // the node of the given tree that each new one copies
  for (std::size_t i = 0; i < from.size(); ++i) {
    Node node = tree.nodes[static_cast<std::size_t>(from[i])];
    if (node.kind != NodeKind::leaf) {
      const std::int32_t left = taken(node.left), right = taken(node.right);
      node.left = static_cast<std::int32_t>(from.size());
      node.right = node.left + 1;
      from.push_back(left);
      from.push_back(right);
    }
    copy.nodes.push_back(node);
  }
  return copy;
}

}  // namespace

double moved(const FeatureRule& rule, const std::optional<MoveTarget>& target, double value,
             Precision precision) {
  if (!target || std::isnan(value)) return value;
  if (rule.kind == FeatureKind::categorical) return target->low;
  const Neighbours ends = neighbours_of(rule, value, precision);
  return std::clamp(std::clamp(value, target->low, target->high), ends.lowest, ends.highest);
}

Ensemble moved_ensemble(const Ensemble& ensemble, const Query& query, const Moves& moves,
                        Precision precision) {
  Ensemble copy = ensemble;
  copy.input = precision;
  Mover mover(query, moves, precision);
  for (Tree& tree : copy.trees) {
    tree = without_decided_splits(tree, query, moves);
    for (Node& node : tree.nodes) {
      if (node.kind == NodeKind::leaf) continue;
      const auto feature = static_cast<std::size_t>(node.feature);
      if (!mover.moves(feature)) continue;
      const Cut cut{node.threshold + 0.0, node.kind == NodeKind::less_equal};
      const double first = mover.first_right(feature, cut);
      const bool always_left = std::isinf(first);
      node.kind = always_left ? NodeKind::less_equal : NodeKind::less;
      node.threshold = always_left ? mover.largest() : first;
    }
  }
  return copy;
}

void check_moves(std::span<const Ensemble> ensembles, const Query& query) {
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      for (const Node& node : tree.nodes) {
        if (node.kind == NodeKind::leaf) continue;
        const auto feature = static_cast<std::size_t>(node.feature);
        const FeatureRule& rule = query.features[feature];
        const bool compares = node.kind == NodeKind::less || node.kind == NodeKind::less_equal;
        if (rule.robust == 0 || (compares && !node.missing_at_zero)) continue;
        throw Error(fmt::format("feature \"{}\"", ensemble.features[feature].name),
                    "an answer cannot be robust in it, because the model asks for single values "
                    "of it or treats zero as missing",
                    "Leave the feature out of `robust`");
      }
    }
  }
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
