// What both probes have in common: the corner of a box that is nearest to the query's point, its
// cost, the cuts around it, and the depth-first order.
#pragma once

#include "base/bit_set.hpp"
#include "search/fast/context.hpp"
#include "search/fast/problem.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace boxwood::fast {

/// Cut a variable's range before this cell.
struct Branch {
  std::uint32_t variable = 0;
  std::uint32_t cell = 0;
};

/// A box within a problem: a range of cells for each variable, and its nearest point.
struct ProbeCorner {
  std::vector<CellRange> range;
  std::vector<std::uint32_t> nearest;
  bool moved = true;  ///< the nearest point is not the parent's
  double cost = 0;    ///< of the nearest point, up to rounding
  double filtered = std::numeric_limits<double>::infinity();  ///< the radius that leaves are for
  enum class Asked : std::uint8_t {
    no,
    met,
    not_met
  } asked = Asked::no;  ///< whether the nearest point meets the requirements
  bool holds_known = false;
  Branch branch;
  int next = 0;  ///< the number of children made so far

  void begin(const Problem& problem);
  /// Becomes one half of the parent, without what depends on the leaves. The nearest point moves to
  /// the end of the half if it is not inside.
  void halve(const ProbeCorner& parent, const Problem& problem, bool left);
};

class ProbeParts {
 protected:
  explicit ProbeParts(const Context& context) : context_(context) {}

  bool within_radius(ProbeCorner& box) const;
  bool find_tie(const ProbeCorner& box, Branch& branch) const;
  Branch branch_at(std::uint32_t cut) const;
  double exact_cost(const ProbeCorner& box, std::uint32_t variable, std::uint32_t cell) const;
  void guard(const ProbeCorner& box, const char* prune) const {
    context_.known.check_discarded(box.holds_known, context_.reach(), prune);
  }
  /// Cuts are numbered through all variables; n cells have n + 1 cuts.
  std::uint32_t first_cut(std::size_t variable) const {
    return problem_->cell_begin[variable] + static_cast<std::uint32_t>(variable);
  }
  std::size_t cut_count() const { return problem_->cost.size() + problem_->variable_count(); }

  /// Calls visit(cut) for every range of a leaf that does not hold the nearest point.
  template <typename Visit>
  void each_cut(std::uint32_t leaf, const std::vector<std::uint32_t>& nearest, Visit visit) const {
    for (const LeafRange& range : problem_->leaves.ranges_of(leaf)) {
      const std::uint32_t v = range.variable, own = nearest[v];
      if (own >= range.first && own < range.last) continue;
      visit(first_cut(v) + (own < range.first ? range.first : range.last));
    }
  }

  /// Searches at most `budget` more boxes. child(parent, box, left) makes a half and is true if it
  /// has to be cut, leave(box) is called for a box that is finished, another_box() for a new one.
  template <typename Boxes, typename Child, typename Leave, typename Another>
  bool search_boxes(Boxes& boxes, std::size_t& depth, std::uint64_t budget, Child child,
                    Leave leave, Another another_box) const {
    for (std::uint64_t used = 0;;) {
      if (boxes[depth].next == sides_of_a_cut) {
        if (depth == 0) return true;
        leave(boxes[depth]);
        --depth;
        continue;
      }
      if (used >= budget || context_.watch.stopped()) return false;
      ++used;
      if (boxes.size() < depth + 2) {
        boxes.emplace_back();
        another_box();
      }
      auto& box = boxes[depth];
      // First the half that keeps the nearest point: it is often finished at once.
      const bool left = (box.nearest[box.branch.variable] < box.branch.cell) == (box.next == 0);
      ++box.next;
      if (child(box, boxes[depth + 1], left)) {
        ++depth;
      } else {
        leave(boxes[depth + 1]);
      }
    }
  }

  /// The share of the problem that is finished, if both halves of every cut are equal work.
  template <typename Boxes>
  static double progress_of(const Boxes& boxes, std::size_t depth) {
    double done = 0, part = 1;
    for (std::size_t d = 0; d <= depth; ++d) {
      part /= sides_of_a_cut;
      // In the deepest box all halves that were begun are finished; in the others all but the last.
      done += part * (boxes[d].next - (d < depth ? 1 : 0));
    }
    return done;
  }

  static constexpr std::uint32_t nothing = BitSet::nothing;
  static constexpr int sides_of_a_cut = 2;

  const Context& context_;
  const Problem* problem_ = nullptr;
  mutable std::vector<std::uint32_t> cells_;
};

}  // namespace boxwood::fast
