// Cells that no better point can take, because some tree has no live leaf there. Dual bounds
// exclude leaves; what these leaves alone held is cut off, so that the nearest point of the box
// moves away and further leaves become too expensive. Each cut is an ordinary one, whose first
// child is closed by rule R: the tree has no live leaf in it.
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
    if ((tests >> (v % 64) & 1) == 0) continue;
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
    bool matters = false;
    for (std::uint32_t w = 0; w < part.words; ++w) {
      matters = matters || (dead_[w] & cheapest_[part.at + w]) != 0;
    }
    if (!matters) continue;
    level.variable = v;
    level.first = dead_;
    return true;
  }
  return false;
}

/// Notes the cheapest cells of the box and of its live leaves, in one variable or in all.
void TreeWriter::note_cheapest(const Level& level, std::uint32_t only) {
  const auto note = [&](std::uint32_t v, std::uint32_t bit) {
    cheapest_[problem_.variables[v].part.at + bit / 64] |= Word{1} << (bit % 64);
  };
  cheapest_.resize(level.box.size());
  for (std::uint32_t v = 0; v < problem_.variables.size(); ++v) {
    if (only != ProofProblem::none && v != only) continue;
    const MaskPart part = problem_.variables[v].part;
    std::fill_n(cheapest_.begin() + part.at, part.words, Word{0});
    note(v, level.nearest[v]);
  }
  for (const Live& live : level.live) {
    const LeafEntry& leaf = problem_.leaves[live.leaf];
    if (only != ProofProblem::none && (leaf.tests >> (only % 64) & 1) == 0) continue;
    for (const LeafCells& side : problem_.cells_of(leaf)) {
      const std::uint32_t v = side.variable;
      if (only != ProofProblem::none && v != only) continue;
      note(v, ProofProblem::lowest(problem_.variables[v].part, level.box.data(),
                                   &problem_.pool[side.mask]));
    }
  }
}

/// Cuts such cells off until there are none. False when nothing is left: the box is closed.
bool TreeWriter::drop_cells(Level& level) {
  const std::size_t trees = problem_.trees.size();
  note_cheapest(level, ProofProblem::none);
  std::size_t done = 0;  // trees without dead cells since the last cut
  for (std::size_t t = 0; done < trees; t = t + 1 == trees ? 0 : t + 1, ++done) {
    if (level.tree_begin[t] == level.tree_begin[t + 1]) return true;  // rule R closes the box
    while (find_dead_cells(level, t)) {
      emit_cut(level);
      tree_.push_back(by_first_requirement);
      boxes_ += 2;
      done = 0;
      if (!make_child(level, spare_, false)) {
        tree_.push_back(by_cost);
        return false;
      }
      const std::uint32_t variable = level.variable;
      std::swap(level, spare_);
      note_cheapest(level, variable);
      if (level.tree_begin[t] == level.tree_begin[t + 1]) return true;
    }
  }
  return true;
}

}  // namespace boxwood::proofs
