#include "grid/leaves.hpp"

#include <boxwood/error.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace boxwood {
namespace {

/// Walks one tree after the other, depth first with an explicit stack, because trees may be deeper
/// than a call stack. It keeps the box of the current node and restores each range when it goes
/// back up. The work for a leaf depends on the number of features on its path, not on the length of
/// the path.
class TreeWalk {
 public:
  explicit TreeWalk(LeafBoxes& boxes) : boxes_(boxes), ranges_(boxes.cuts.size()) {
    for (std::size_t d = 0; d < ranges_.size(); ++d) {
      ranges_[d].begin = static_cast<std::uint32_t>(pool_.size());
      pool_.push_back({0, static_cast<std::uint32_t>(boxes.cuts[d].size() + 1)});
      ranges_[d].end = static_cast<std::uint32_t>(pool_.size());
    }
  }

  void run(const Tree& tree, std::uint32_t ensemble, std::size_t outputs) {
    ensemble_ = ensemble;
    const std::size_t first = boxes_.leaves.size();
    std::vector<Step>& stack = stack_;
    stack.push_back({0, Phase::enter, {}, 0});
    while (!stack.empty()) {
      Step& step = stack.back();
      const Node& node = tree.nodes[static_cast<std::size_t>(step.node)];
      if (node.kind == NodeKind::leaf) {
        emit(node);
        stack.pop_back();
        continue;
      }
      const auto feature = static_cast<std::uint32_t>(node.feature);
      Open& range = ranges_[feature];
      switch (step.phase) {
        case Phase::enter:
          step.phase = Phase::left;
          step.before = range;
          step.pool = pool_.size();
          if (tests_[feature]++ == 0) tested_.push_back(feature);
          narrow(range, tree, node, true);
          stack.push_back({node.left, Phase::enter, {}, 0});
          break;
        case Phase::left:
          step.phase = Phase::right;
          range = step.before;
          pool_.resize(step.pool);
          narrow(range, tree, node, false);
          stack.push_back({node.right, Phase::enter, {}, 0});
          break;
        case Phase::right:
          range = step.before;
          pool_.resize(step.pool);
          // Features are first tested in stack order, so the last one is removed first.
          if (--tests_[feature] == 0) tested_.pop_back();
          stack.pop_back();
          break;
      }
    }
    if (tree.outputs(outputs).count == 1) sort_leaves(tree, first);
  }

 private:
  enum class Phase : std::uint8_t { enter, left, right };
  /// The values of a feature that reach the current node: ranges in the pool, ascending and
  /// disjoint.
  struct Open {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool missing = true;
  };
  struct Step {
    std::int32_t node;
    Phase phase;
    Open before;
    std::size_t pool;
  };

  /// Keeps the values of a feature that go to one child. The cells between two neighbouring cuts of
  /// the split go to the same child, and the children alternate.
  void narrow(Open& range, const Tree& tree, const Node& node, bool left) {
    const std::vector<Cut>& axis = boxes_.cuts[static_cast<std::size_t>(node.feature)];
    cuts_of(tree, node, split_);
    const auto begin = static_cast<std::uint32_t>(pool_.size());
    std::uint32_t first = 0;
    bool takes = split_.left_first == left;
    auto next = range.begin;
    const auto take = [&](std::uint32_t last) {  // cells [first, last) go there
      while (next < range.end && pool_[next].last <= first) ++next;
      for (auto i = next; i < range.end && pool_[i].first < last; ++i) {
        pool_.push_back({std::max(first, pool_[i].first), std::min(last, pool_[i].last)});
      }
    };
    for (const Cut& cut : split_.cuts) {
      const auto last = static_cast<std::uint32_t>(std::lower_bound(axis.begin(), axis.end(), cut) -
                                                   axis.begin() + 1);
      if (takes) take(last);
      first = last;
      takes = !takes;
    }
    if (takes) take(static_cast<std::uint32_t>(axis.size() + 1));
    range = {begin, static_cast<std::uint32_t>(pool_.size()),
             range.missing && node.missing_left == left};
  }

  /// Sorts the tree's leaves, which begin with `first`, and their ranges.
  void sort_leaves(const Tree& tree, std::size_t first) {
    const auto begin = boxes_.leaves.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, boxes_.leaves.end(), [&](const LeafBox& a, const LeafBox& b) {
      return tree.values[a.value] > tree.values[b.value];
    });
    if (begin == boxes_.leaves.end()) return;
    const std::uint32_t first_range = first == 0 ? 0 : (begin - 1)->ranges_end;
    unsorted_.assign(boxes_.ranges.begin() + first_range, boxes_.ranges.end());
    std::uint32_t at = first_range;
    for (auto leaf = begin; leaf != boxes_.leaves.end(); ++leaf) {
      const std::uint32_t from = leaf->ranges_begin - first_range;
      const std::uint32_t count = leaf->ranges_end - leaf->ranges_begin;
      std::copy_n(unsorted_.begin() + from, count, boxes_.ranges.begin() + at);
      leaf->ranges_begin = at;
      leaf->ranges_end = at += count;
    }
  }

  void emit(const Node& node) {
    const auto begin = static_cast<std::uint32_t>(boxes_.ranges.size());
    for (const std::uint32_t feature : tested_) {
      const Open& open = ranges_[feature];
      if (open.begin == open.end && !open.missing) {  // no input reaches this leaf
        boxes_.ranges.resize(begin);
        return;
      }
      boxes_.ranges.push_back(range_of(feature, open));
    }
    if (boxes_.ranges.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("model", "the paths to its leaves test features more than 2^32 times");
    }
    boxes_.leaves.push_back({ensemble_, boxes_.tree_count, static_cast<std::uint32_t>(node.value),
                             begin, static_cast<std::uint32_t>(boxes_.ranges.size())});
  }

  PathRange range_of(std::uint32_t feature, const Open& open) {
    PathRange range;
    range.feature = feature;
    range.missing = open.missing ? 1 : 0;
    if (open.begin == open.end) return range;
    range.cells = {pool_[open.begin].first, pool_[open.end - 1].last};
    if (open.end - open.begin > 1) {
      if (boxes_.list_begin.size() > PathRange::no_list) {
        throw Error("model", "its leaves have more than 2^31 lists of ranges");
      }
      range.list = static_cast<std::uint32_t>(boxes_.list_begin.size() - 1) & PathRange::no_list;
      boxes_.listed.insert(boxes_.listed.end(), pool_.begin() + open.begin,
                           pool_.begin() + open.end);
      boxes_.list_begin.push_back(static_cast<std::uint32_t>(boxes_.listed.size()));
    }
    return range;
  }

  LeafBoxes& boxes_;
  std::uint32_t ensemble_ = 0;
  std::vector<Step> stack_;
  std::vector<PathRange> unsorted_;
  SplitCuts split_;
  std::vector<CellRange> pool_;
  std::vector<Open> ranges_;
  std::vector<std::uint32_t> tested_;
  std::vector<std::uint32_t> tests_ = std::vector<std::uint32_t>(boxes_.cuts.size(), 0);
};

/// Libraries find sets by sorting categories by their effect. The splits of all trees are used here
/// in the same way: the categories of a set get the average leaf value of their branch as effect.
/// Only the first of several outputs counts: any order is valid, and a good one makes fewer pieces.
class OrderByEffect {
 public:
  explicit OrderByEffect(const LeafBoxes& boxes) : boxes_(boxes), effects_(boxes.cuts.size()) {}

  void add(const Tree& tree, Pace& pace) {
    if (tree.sets.empty()) return;
    pace.work(tree.nodes.size());
    means_.assign(tree.nodes.size(), 0.0);
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // children come after their parents
      const Node& node = tree.nodes[i];
      if (node.kind == NodeKind::leaf) {
        means_[i] = tree.values[static_cast<std::size_t>(node.value)];
        continue;
      }
      const double left = means_[static_cast<std::size_t>(node.left)];
      const double right = means_[static_cast<std::size_t>(node.right)];
      means_[i] = (left + right) / 2;
      if (node.kind != NodeKind::in_set) continue;
      if (std::isfinite(left - right)) add_split(tree, node, left - right);
    }
  }

  std::vector<std::vector<std::uint32_t>> result() const {
    std::vector<std::vector<std::uint32_t>> orders(effects_.size());
    for (std::size_t d = 0; d < orders.size(); ++d) {
      orders[d].resize(effects_[d].size());
      std::iota(orders[d].begin(), orders[d].end(), std::uint32_t{0});
      std::stable_sort(orders[d].begin(), orders[d].end(), [&](std::uint32_t a, std::uint32_t b) {
        return effects_[d][a] < effects_[d][b];
      });
    }
    return orders;
  }

 private:
  void add_split(const Tree& tree, const Node& node, double gain) {
    const auto d = static_cast<std::size_t>(node.feature);
    const std::vector<Cut>& axis = boxes_.cuts[d];
    effects_[d].resize(axis.size() + 1, 0.0);
    cuts_of(tree, node, split_);
    for (std::size_t i = 0; i + 1 < split_.cuts.size(); i += 2) {  // within the set
      const auto at = [&](const Cut& cut) {
        return std::lower_bound(axis.begin(), axis.end(), cut) - axis.begin() + 1;
      };
      for (auto c = at(split_.cuts[i]); c < at(split_.cuts[i + 1]); ++c) {
        effects_[d][static_cast<std::size_t>(c)] += gain;
      }
    }
  }

  const LeafBoxes& boxes_;
  std::vector<std::vector<double>> effects_;  // of a feature, of a cell; empty without sets
  std::vector<double> means_;
  SplitCuts split_;
};

}  // namespace

BoxCount count_boxes(std::span<const Ensemble> ensembles, Pace& pace) {
  BoxCount count;
  std::vector<std::uint32_t> tests(ensembles.front().features.size(), 0);
  struct Step {
    std::int32_t node;
    bool leave;  // the node's children are done
  };
  std::vector<Step> stack;
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      pace.work(tree.nodes.size());
      std::size_t features = 0;  // on the path
      stack.push_back({0, false});
      while (!stack.empty()) {
        const Step step = stack.back();
        stack.pop_back();
        const Node& node = tree.nodes[static_cast<std::size_t>(step.node)];
        if (node.kind == NodeKind::leaf) {
          ++count.leaves;
          count.ranges += features;
          continue;
        }
        std::uint32_t& tested = tests[static_cast<std::size_t>(node.feature)];
        if (step.leave) {
          features -= --tested == 0 ? 1U : 0U;
          continue;
        }
        features += tested++ == 0 ? 1U : 0U;
        stack.push_back({step.node, true});
        stack.push_back({node.right, false});
        stack.push_back({node.left, false});
      }
    }
  }
  return count;
}

std::size_t LeafBoxes::bytes() const {
  std::size_t cut_count = 0;
  for (const std::vector<Cut>& list : cuts) cut_count += list.capacity();
  return cut_count * sizeof(Cut) + leaves.capacity() * sizeof(LeafBox) +
         ranges.capacity() * sizeof(PathRange) + list_begin.capacity() * sizeof(std::uint32_t) +
         listed.capacity() * sizeof(CellRange);
}

void box_leaves(std::span<const Ensemble> ensembles, LeafBoxes& boxes, Pace& pace) {
  if (boxes.cuts.empty()) {
    const BoxCount count = count_boxes(ensembles, pace);
    boxes.leaves.reserve(count.leaves);
    boxes.ranges.reserve(count.ranges);
    boxes.cuts = collect_cuts(ensembles, pace);
  }
  TreeWalk walk(boxes);
  std::size_t index = 0;  // of a tree, through all ensembles
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    for (const Tree& tree : ensembles[e].trees) {
      if (index++ < boxes.tree_count) continue;
      pace.work(tree.nodes.size());
      walk.run(tree, static_cast<std::uint32_t>(e), ensembles[e].base.size());
      ++boxes.tree_count;
    }
  }
  OrderByEffect order(boxes);
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) order.add(tree, pace);
  }
  boxes.cell_order = order.result();
}

LeafBoxes box_leaves(std::span<const Ensemble> ensembles) {
  LeafBoxes boxes;
  Pace unlimited;
  box_leaves(ensembles, boxes, unlimited);
  return boxes;
}

std::vector<std::uint32_t> new_places(std::span<const Cut> cuts, std::span<const Cut> more) {
  std::vector<std::uint32_t> places{0};
  std::size_t at = 0;
  for (const Cut& cut : cuts) {
    while (more[at] != cut) ++at;
    places.push_back(static_cast<std::uint32_t>(++at));
  }
  places.push_back(static_cast<std::uint32_t>(more.size() + 1));
  return places;
}

LeafBoxes add_ensemble(const LeafBoxes& boxes, const Ensemble& more, std::uint32_t index,
                       Pace& pace) {
  LeafBoxes all = boxes;
  Cuts added = collect_cuts(std::span(&more, 1));
  OrderByEffect order(all);
  std::vector<std::vector<std::uint32_t>> places(boxes.cuts.size());
  for (std::size_t d = 0; d < boxes.cuts.size(); ++d) {
    std::vector<Cut>& cuts = all.cuts[d];
    cuts.clear();
    std::set_union(boxes.cuts[d].begin(), boxes.cuts[d].end(), added[d].begin(), added[d].end(),
                   std::back_inserter(cuts));
    places[d] = new_places(boxes.cuts[d], cuts);
    // The parts of a divided cell take the place of that cell.
    all.cell_order[d].clear();
    for (const std::uint32_t cell : boxes.cell_order[d]) {
      for (std::uint32_t part = places[d][cell]; part < places[d][cell + 1]; ++part) {
        all.cell_order[d].push_back(part);
      }
    }
  }
  const auto move = [&](CellRange& range, std::uint32_t feature) {
    range = {places[feature][range.first], places[feature][range.last]};
  };
  for (PathRange& range : all.ranges) {
    pace.work(1);
    if (range.list != PathRange::no_list) {
      for (auto i = all.list_begin[range.list]; i < all.list_begin[range.list + 1]; ++i) {
        move(all.listed[i], range.feature);
      }
    }
    move(range.cells, range.feature);
  }
  TreeWalk walk(all);
  for (const Tree& tree : more.trees) {
    pace.work(tree.nodes.size());
    walk.run(tree, index, more.base.size());
    order.add(tree, pace);
    ++all.tree_count;
  }
  const std::vector<std::vector<std::uint32_t>> own = order.result();
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (all.cell_order[d].empty()) all.cell_order[d] = own[d];
  }
  return all;
}

}  // namespace boxwood
