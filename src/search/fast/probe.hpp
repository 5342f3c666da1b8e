// Depth-first search of a problem with the radius bound alone. A box takes a few microseconds; the
// search ends when its budget of boxes is used up. What it leaves open is for the dual bound.
#pragma once

#include "base/bit_set.hpp"
#include "search/fast/context.hpp"
#include "search/fast/problem.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace boxwood::fast {

/// Cut a variable's range before this cell.
struct Branch {
  std::uint32_t variable = 0;
  std::uint32_t cell = 0;
};

/// For each leaf that is alive in the present box, its cost beyond the cost of the box and the
/// number of its ranges that the box's nearest point lies outside of. A cut that keeps the nearest
/// point does not change it; a box that moves the nearest point keeps a list of what it changed,
/// and the search undoes that when it leaves the box.
struct LeafState {
  std::vector<double> extra;
  std::vector<std::uint32_t> outside;

  struct Change {
    double extra = 0;  ///< before the change
    std::uint32_t leaf = 0;
    std::uint32_t entered = 0;  ///< 1 if the nearest point came into one more of its ranges
  };
};

/// A box within a problem: a range of cells for each variable and the leaves alive in it.
struct ProbeBox {
  std::vector<CellRange> range;
  std::vector<std::uint32_t> nearest;
  BitSet alive;                     ///< leaves that a point worth finding may lie in
  std::vector<std::uint32_t> best;  ///< of a tree: its best alive leaf, if there is one condition
  std::vector<std::uint32_t> here;  ///< of a tree: the leaf that holds the nearest point, if alive
  bool all_here = false;            ///< whether every tree has such a leaf
  std::vector<double> here_sum;     ///< of a row: the sum of those leaves' values
  // If there is one condition, trees whose best alive leaf is `here` are settled for this box and,
  // as long as the nearest point stays, for all boxes within: no other leaf of theirs matters.
  std::vector<std::uint32_t> open;  ///< the other trees, in ascending order
  double settled_score = 0;         ///< the sum of the settled trees' best leaves
  double here_score = 0;            ///< the sum of the leaves `here` of all trees
  bool moved =
      true;  ///< the nearest point is not the parent's, so that all trees must be looked at
  std::vector<LeafState::Change> changes;  ///< what this box changed in the LeafState
  double cost = 0;                         ///< of the nearest point, up to rounding
  double filtered = std::numeric_limits<double>::infinity();  ///< the radius that `alive` is for
  enum class Asked : std::uint8_t {
    no,
    met,
    not_met
  } asked = Asked::no;  ///< whether the nearest point meets the requirements
  bool holds_known = false;
  Branch branch;
  int next = 0;  ///< the number of children made so far
};

/// The testers of all variables by where they begin and by where they end.
struct SortedTesters {
  struct End {
    std::uint32_t cell = 0;
    std::uint32_t leaf = 0;
  };
  std::vector<std::uint32_t>
      begin_at;  ///< of a cut: in `begins`, the first that begins there or later
  std::vector<std::uint32_t> end_at;  ///< of a cut: in `ends`, the first that ends later
  std::vector<End> begins, ends;
};

class Probe {
 public:
  explicit Probe(const Context& context) : context_(context) {}

  /// Starts on a problem with the selected leaves. False when the whole problem is finished: no
  /// point in it is worth finding.
  bool start(const Problem& problem, const Selection* keep = nullptr);
  /// Searches at most this many more boxes. True when the problem is finished.
  bool search(std::uint64_t budget);
  /// The share of the problem that is finished, if both halves of every cut are equal work.
  double progress() const;
  /// Where to cut the whole problem; only after start() was true.
  Branch branch() const { return first_branch_; }
  /// The leaves that the radius leaves alive in the whole problem.
  void select(Selection& keep) const;

 private:
  void bind(const Problem& problem);
  void count_memory();
  void sort_testers();
  bool enter(ProbeBox& box);
  void leave(ProbeBox& box);
  void filter(ProbeBox& box) const;
  bool measure(ProbeBox& box);
  bool measure_one(ProbeBox& box);
  bool settle_trees(ProbeBox& box);
  std::uint32_t best_alive(const ProbeBox& box, std::size_t tree) const;
  double least_alive(const ProbeBox& box, std::size_t tree) const;
  bool probabilities_suffice() const;
  bool compositions_suffice(const ProbeBox& box);
  void locate(ProbeBox& box);
  void sum_here(ProbeBox& box) const;
  bool ask(ProbeBox& box);
  bool find_tie(const ProbeBox& box, Branch& branch) const;
  bool choose(ProbeBox& box);
  void weigh_rows();
  void add_gain(const ProbeBox& box, std::size_t tree);
  void share_gain(const ProbeBox& box, double gain, std::uint32_t best);
  void make_child(const ProbeBox& parent, ProbeBox& child, bool left);
  void move_nearest(ProbeBox& child, std::uint32_t variable, std::uint32_t from, std::uint32_t to);
  double exact_cost(const ProbeBox& box, std::uint32_t variable, std::uint32_t cell) const;
  std::uint32_t first_alive(const BitSet& leaves, std::size_t tree) const;
  std::uint32_t last_alive(const BitSet& leaves, std::size_t tree) const;
  void guard(const ProbeBox& box, const char* prune) const;

  static constexpr std::uint32_t nothing = BitSet::nothing;
  static constexpr int sides_of_a_cut = 2;

  const Context& context_;
  const Problem* problem_ = nullptr;
  std::deque<ProbeBox> boxes_by_depth_;
  MemoryHold held_;                     // of the boxes
  LeafState state_;                     // of the box that is being searched
  std::vector<std::uint32_t> tree_of_;  // of a leaf
  SortedTesters sorted_;
  bool is_sorted_ = false;
  bool one_condition_ = false;
  std::vector<double> scores_;  // of a leaf, where there is one condition
  std::size_t depth_ = 0;
  Branch first_branch_;
  mutable std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> cursor_;
  BitSet holds_known_;                    // leaves that hold the known solution
  BitSet around_;                         // leaves that hold the nearest point of the whole problem
  BitSet here_alive_;                     // those that are alive
  std::vector<double> high_, low_;        // of a row
  std::vector<double> bounds_, reached_;  // of a condition
  std::vector<double> row_low_, row_high_;
  ComposedNeed::Scratch scratch_;
  std::vector<double> weights_;  // of a row
  std::vector<double> gain_;     // of a cut
  std::vector<std::uint32_t> touched_;
};

}  // namespace boxwood::fast
