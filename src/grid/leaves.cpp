#include "grid/leaves.hpp"

#include <boxwood/error.hpp>

#include <algorithm>
#include <limits>

namespace boxwood {
namespace {

/// Walks one tree depth first with an explicit stack (trees may be deeper than any call stack),
/// keeping the box of the current node and undoing each side on the way back. A leaf costs as many
/// steps as its path tests features, however long the path is.
class TreeWalk {
 public:
  TreeWalk(LeafBoxes& boxes, const Tree& tree, std::uint32_t ensemble)
      : boxes_(boxes), tree_(tree), ensemble_(ensemble), sides_(boxes.cuts.size()) {
    for (std::size_t d = 0; d < sides_.size(); ++d) {
      sides_[d] = {static_cast<std::uint32_t>(d),
                   {0, static_cast<std::uint32_t>(boxes.cuts[d].size() + 1)},
                   true};
    }
  }

  void run() {
    std::vector<Step> stack{{0, Phase::enter, {}}};
    while (!stack.empty()) {
      Step& step = stack.back();
      const Node& node = tree_.nodes[static_cast<std::size_t>(step.node)];
      if (node.kind == NodeKind::leaf) {
        emit(node);
        stack.pop_back();
        continue;
      }
      LeafSide& side = sides_[static_cast<std::size_t>(node.feature)];
      switch (step.phase) {
        case Phase::enter:
          step.phase = Phase::left;
          step.before = side;
          if (tests_[static_cast<std::size_t>(node.feature)]++ == 0) {
            tested_.push_back(side.feature);
          }
          narrow(side, node, true);
          stack.push_back({node.left, Phase::enter, {}});
          break;
        case Phase::left:
          step.phase = Phase::right;
          side = step.before;
          narrow(side, node, false);
          stack.push_back({node.right, Phase::enter, {}});
          break;
        case Phase::right:
          side = step.before;
          // Features are first tested in stack order, so the last first-tested one leaves first.
          if (--tests_[static_cast<std::size_t>(node.feature)] == 0) tested_.pop_back();
          stack.pop_back();
          break;
      }
    }
  }

 private:
  enum class Phase : std::uint8_t { enter, left, right };
  struct Step {
    std::int32_t node;
    Phase phase;
    LeafSide before;
  };

  void narrow(LeafSide& side, const Node& node, bool left) const {
    const std::vector<Cut>& cuts = boxes_.cuts[static_cast<std::size_t>(node.feature)];
    const auto rank = static_cast<std::uint32_t>(
        std::lower_bound(cuts.begin(), cuts.end(), cut_of(node)) - cuts.begin());
    // Cells 0..rank lie left of cut `rank`, the others right of it.
    if (left) {
      side.cells.last = std::min(side.cells.last, rank + 1);
    } else {
      side.cells.first = std::max(side.cells.first, rank + 1);
    }
    side.cells.last = std::max(side.cells.first, side.cells.last);
    side.missing = side.missing && node.missing_left == left;
  }

  void emit(const Node& node) {
    const auto begin = static_cast<std::uint32_t>(boxes_.sides.size());
    for (const std::uint32_t feature : tested_) {
      const LeafSide& side = sides_[feature];
      if (side.cells.size() == 0 && !side.missing) {  // no input reaches this leaf
        boxes_.sides.resize(begin);
        return;
      }
      boxes_.sides.push_back(side);
    }
    if (boxes_.sides.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("model", "its leaves have more than 2^32 sides");
    }
    boxes_.leaves.push_back({ensemble_, boxes_.tree_count, static_cast<std::uint32_t>(node.value),
                             begin, static_cast<std::uint32_t>(boxes_.sides.size())});
  }

  LeafBoxes& boxes_;
  const Tree& tree_;
  std::uint32_t ensemble_;
  std::vector<LeafSide> sides_;
  std::vector<std::uint32_t> tested_;
  std::vector<std::uint32_t> tests_ = std::vector<std::uint32_t>(boxes_.cuts.size(), 0);
};

}  // namespace

LeafBoxes box_leaves(std::span<const Ensemble> ensembles) {
  LeafBoxes boxes;
  boxes.cuts = collect_cuts(ensembles);
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    for (const Tree& tree : ensembles[e].trees) {
      TreeWalk(boxes, tree, static_cast<std::uint32_t>(e)).run();
      ++boxes.tree_count;
    }
  }
  return boxes;
}

}  // namespace boxwood
