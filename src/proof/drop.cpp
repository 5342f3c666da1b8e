// Cells that no better point can take, because some tree has no live leaf there. Dual bounds
// exclude leaves; what these leaves alone held is cut off, so that the nearest point of the box
// moves away and further leaves become too expensive. Each cut is an ordinary one, whose first
// child is dead: the tree has no live leaf in it.
#include "proof/search.hpp"

#include <algorithm>

namespace boxwood::proofs {

/// Sets the cut of a level to cells in which a tree has no live leaf, if cutting them off moves the
/// nearest point of the box or of a live leaf.
bool TreeWriter::find_dead_cells(Level& level, std::size_t tree) {
  const std::uint32_t begin = level.tree_begin[tree], end = level.tree_begin[tree + 1];
  std::uint64_t tests = ~std::uint64_t{0};  // of all live leaves
  for (std::uint32_t i = begin; i < end && tests != 0; ++i) {
    tests &= problem_.leaves[level.live[i].leaf].tests;
  }
  if (tests == 0) return false;
  for (const LeafCells& first : problem_.cells_of(problem_.leaves[level.live[begin].leaf])) {
    const std::uint32_t v = first.variable;
    if ((tests & bit_in_word(v)) == 0) continue;
    const MaskPart part = problem_.variables[v].part;
    dead_.assign(level.box.begin() + part.at, level.box.begin() + part.at + part.words);
    bool dead = true;
    for (std::uint32_t i = begin; i < end && dead; ++i) {
      const std::span<const LeafCells> sides =
          problem_.cells_of(problem_.leaves[level.live[i].leaf]);
      const auto side = std::find_if(sides.begin(), sides.end(),
                                     [&](const LeafCells& one) { return one.variable == v; });
      dead = false;
      if (side == sides.end()) break;
      for (std::uint32_t w = 0; w < part.words; ++w) {
        dead_[w] &= ~problem_.pool[side->mask + w];
        dead = dead || dead_[w] != 0;
      }
    }
    if (!dead) continue;
    if (!is_cheapest(level, v)) continue;
    level.variable = v;
    level.first = dead_;
    return true;
  }
  return false;
}

/// Whether one of the dead cells of a variable is the cheapest one of the box or of a live leaf.
bool TreeWriter::is_cheapest(const Level& level, std::uint32_t variable) {
  const std::uint32_t nearest = level.nearest[variable];
  if (has_bit(dead_.data(), nearest)) return true;
  const MaskPart part = problem_.variables[variable].part;
  Mask& cheapest = cheapest_[variable];
  if (cheapest.empty()) {
    cheapest.assign(part.words, 0);
    for (const Live& live : level.live) {
      const LeafEntry& leaf = problem_.leaves[live.leaf];
      if (!leaf.may_test(variable)) continue;
      for (const LeafCells& side : problem_.cells_of(leaf)) {
        if (side.variable != variable) continue;
        const std::uint32_t bit =
            ProofProblem::lowest(part, level.box.data(), &problem_.pool[side.mask]);
        set_bit(cheapest.data(), bit);
      }
    }
  }
  for (std::uint32_t w = 0; w < part.words; ++w) {
    if ((cheapest[w] & dead_[w]) != 0) return true;
  }
  return false;
}

/// Cuts such cells of some trees off, and of those that lose leaves by that, until there are none.
/// Other trees have the same leaves as in the box around, where this was done. False when nothing
/// is left: the box is closed.
bool TreeWriter::drop_cells(Level& level, std::vector<std::uint32_t> trees) {
  cheapest_.assign(problem_.variables.size(), {});
  while (!trees.empty()) {
    const std::uint32_t t = trees.back();
    trees.pop_back();
    if (level.tree_begin[t] == level.tree_begin[t + 1]) return true;  // the box is dead
    while (find_dead_cells(level, t)) {
      emit_cut(level);
      tree_.push_back(closed);
      boxes_ += 2;
      if (!make_child(level, spare_, false)) {
        tree_.push_back(closed);
        return false;
      }
      std::swap(level, spare_);
      cheapest_.assign(problem_.variables.size(), {});
      for (const std::uint32_t one : level.fewer) {
        if (std::find(trees.begin(), trees.end(), one) == trees.end()) trees.push_back(one);
      }
      if (level.tree_begin[t] == level.tree_begin[t + 1]) return true;
    }
  }
  return true;
}

/// The cells of each variable that a dual bound excludes, where the nearest point of the box takes
/// one of them: cutting these off moves it.
std::vector<CostlyCells> TreeWriter::costly_cells(Dual& dual, double bound, const Level& level) {
  std::vector<CostlyCells> made;
  if (bound >= static_cast<double>(tolls_.limit)) return made;  // the whole box is closed
  for (std::uint32_t v = 0; v < problem_.variables.size(); ++v) {
    const std::uint32_t bit = level.nearest[v];
    if (!dual.costly_cells(v, bound, dead_)) continue;
    if (has_bit(dead_.data(), bit)) made.push_back({v, dead_});
  }
  return made;
}

/// Cuts cells off that the dual bound just written excludes. In the first child the bound holds
/// with the same numbers and excludes every leaf, which is tried out because numbers were rounded.
void TreeWriter::drop_costly(Level& level, const DualNumbers& numbers,
                             std::span<const CostlyCells> costly) {
  for (const CostlyCells& one : costly) {
    level.variable = one.variable;
    level.first = one.cells;
    if (make_child(level, spare_, true) && !closed_by(numbers, spare_)) continue;
    emit_cut(level);
    tree_.insert(tree_.end(), {dual_bound, -1, closed});
    boxes_ += 2;
    // Where the rest holds nothing, it has no live leaves and is dead.
    if (!make_child(level, spare_, false)) {
      spare_.nearest = level.nearest;
      spare_.measure = level.measure;
      spare_.live.clear();
      spare_.tree_begin.assign(problem_.trees.size() + 1, 0);
    }
    std::swap(level, spare_);
    if (level.live.empty()) return;
  }
}

}  // namespace boxwood::proofs
