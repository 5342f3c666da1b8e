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
#include <span>
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

/// What a box added to the gain of a cut; undone when the search leaves the box.
struct CutChange {
  std::uint32_t cut = 0;
  std::int64_t units = 0;
};

/// A box within a problem: a range of cells for each variable and the leaves alive in it.
struct ProbeBox {
  std::vector<CellRange> range;
  std::vector<std::uint32_t> nearest;
  BitSet alive;                     ///< leaves that a point worth finding may lie in
  std::vector<std::uint32_t> best;  ///< of a tree: its best alive leaf, if there is one condition
  std::vector<std::uint32_t> here;  ///< of a tree: the leaf that holds the nearest point, if alive
  // If there are several conditions:
  bool all_here = false;         ///< whether every tree has a leaf `here`
  std::vector<double> here_sum;  ///< of a row: the sum of those leaves' values
  std::size_t changed = 0;       ///< the changes of every point for which `alive` is
  // If there is one condition:
  std::vector<std::int64_t> share;  ///< of a tree: what it has added to Probe::cut_units_
  std::int64_t best_units = 0;      ///< the sum of the leaves `best` of all trees
  std::int64_t here_units = 0;      ///< the sum of the leaves `here` of all trees
  std::uint32_t not_here = 0;       ///< the number of trees without a leaf `here`
  Branch came;                      ///< if moved: the variable, and the nearest point's cell before
  std::vector<CutChange> cut_changes;
  bool moved = true;                       ///< the nearest point is not the parent's
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

/// For the variables that boxes are often cut at: the leaves that lie beyond a cut, as bits of
/// words. Of a box's leaves few are left, and the words tell which of them a cut ends.
struct CutMasks {
  static constexpr std::size_t not_made = ~std::size_t{0};
  std::vector<std::uint32_t> uses;  ///< of a variable: how often a box was cut at it
  std::vector<std::size_t> begin;   ///< of a variable: its first word, or not_made
  std::vector<std::uint64_t>
      words;  ///< of a cut: leaves that begin there or later, that end there or before
};

/// A tree of a linear rule that tests one variable.
struct RuleTree {
  std::uint32_t tree = 0, variable = 0, condition = 0;
  std::size_t hulls = 0;  ///< in Probe::hulls_, the one of its first leaf
};

/// An end of a linear rule that is decided exactly where its sum is close to the threshold.
struct RuleCheck {
  const RuleEnd* end = nullptr;
  std::vector<std::uint32_t> tree;  ///< of a term: in Probe::rule_trees_, or nothing
  std::vector<double> value;        ///< of a term without a tree
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
  /// A tree of the box that is being entered whose best leaf or leaf `here` has changed, or whose
  /// best leaf has come nearer.
  struct Dirty {
    std::uint32_t tree = 0;
    std::uint32_t best = 0;  ///< its best leaf before
  };

  void bind(const Problem& problem);
  void count_memory();
  void sort_testers();
  void list_rule_trees();
  const std::uint64_t* beyond(std::uint32_t v, std::uint32_t cell, bool left);
  void make_masks(std::uint32_t v);
  void list_rule_checks();
  double best_value_in(const RuleCheck& check, std::size_t term, std::uint32_t leaf);
  template <typename LeafOf>
  bool may_hold(const RuleCheck& check, LeafOf leaf_of);
  std::uint32_t most_of(const ProbeBox& box, const RuleCheck& check, std::uint32_t tree);
  bool breaks_rule(const ProbeBox& box);
  void mark_missed(const ProbeBox& box);
  std::uint32_t drop_close(const ProbeBox& box, const RuleTree& rule, std::uint32_t best,
                           std::uint32_t good);
  std::span<const SortedTesters::End> beginning_from(std::uint32_t v, std::uint32_t cell) const;
  std::span<const SortedTesters::End> ending_by(std::uint32_t v, std::uint32_t cell) const;
  bool enter(ProbeBox& box);
  bool within_radius(ProbeBox& box);
  bool narrow(ProbeBox& box);
  void shrink(ProbeBox& box, std::uint32_t variable, CellRange to);
  void leave(ProbeBox& box);
  void filter(ProbeBox& box);
  bool measure(ProbeBox& box);
  bool measure_one(ProbeBox& box);
  bool count_in_units();
  void look_again(std::uint32_t tree) {
    if (looked_at_[tree] == box_number_) return;
    looked_at_[tree] = box_number_;
    dirty_.push_back({tree, nothing});
  }
  void sum_units(ProbeBox& box);
  bool has_all_here(const ProbeBox& box) const {
    return one_condition_ ? box.not_here == 0 && box.here_units >= threshold_units_ : box.all_here;
  }
  void share_again(ProbeBox& box, const Dirty& tree);
  template <typename Visit>
  void each_cut(std::uint32_t leaf, const std::vector<std::uint32_t>& nearest, Visit visit) const;
  bool choose_by_units(ProbeBox& box) const;
  void cut_at(ProbeBox& box, std::uint32_t cut) const;
  std::uint32_t best_alive(const ProbeBox& box, std::size_t tree) const;
  std::int64_t least_alive(const ProbeBox& box, std::size_t tree) const;
  bool probabilities_suffice() const;
  bool compositions_suffice(const ProbeBox& box);
  void locate(ProbeBox& box);
  void sum_here(ProbeBox& box) const;
  bool ask(ProbeBox& box);
  void find_home();
  void drop_changes(ProbeBox& box);
  bool find_tie(const ProbeBox& box, Branch& branch) const;
  bool choose(ProbeBox& box);
  void weigh_rows();
  void add_gain(const ProbeBox& box, std::size_t tree);
  void add_rule_gain(const ProbeBox& box, const RuleTree& rule);
  void share_gain(const ProbeBox& box, double gain, std::uint32_t best);
  void make_child(const ProbeBox& parent, ProbeBox& child, bool left);
  void move_nearest(ProbeBox& child, std::uint32_t variable, std::uint32_t from, std::uint32_t to);
  double exact_cost(const ProbeBox& box, std::uint32_t variable, std::uint32_t cell) const;
  std::uint32_t first_alive(const BitSet& leaves, std::size_t tree) const;
  std::uint32_t last_alive(const BitSet& leaves, std::size_t tree) const;
  void guard(const ProbeBox& box, const char* prune) const;

  static constexpr std::uint32_t nothing = BitSet::nothing;
  static constexpr double not_known_yet = -std::numeric_limits<double>::infinity();
  static constexpr int sides_of_a_cut = 2;
  static constexpr std::size_t cuts_for_a_tree = 8;
  static constexpr int rounds_of_narrowing = 8;
  static constexpr std::uint32_t uses_before_masks = 3;
  static constexpr std::size_t most_mask_words = std::size_t{1} << 18;

  const Context& context_;
  const Problem* problem_ = nullptr;
  std::deque<ProbeBox> boxes_by_depth_;
  MemoryHold held_;                     // of the boxes
  LeafState state_;                     // of the box that is being searched
  std::vector<std::uint32_t> tree_of_;  // of a leaf
  SortedTesters sorted_;
  bool is_sorted_ = false;
  CutMasks masks_;
  // Where the number of changes is limited:
  std::vector<std::uint32_t> home_;  // of a variable: the cell in which it is unchanged, or nothing
  std::size_t fixed_changes_ = 0;    // of variables with one cell left
  std::vector<RuleTree> rule_trees_;
  std::vector<std::uint32_t> rule_tree_of_;  // of a tree, or nothing; empty if there are no rules
  std::vector<CellRange> hulls_;     // of a leaf of a rule's tree: its cells and those before it
  std::vector<double> rule_margin_;  // of a condition: far more than the rounding of its sum
  std::vector<RuleCheck> rule_checks_;
  std::vector<std::uint32_t> check_of_;  // of a condition; empty if there are no rules
  std::vector<double> best_values_;      // of a leaf of a rule's tree, as hulls_
  std::vector<double> corner_;
  bool one_condition_ = false;
  // Where there is one condition, scores are counted in whole units, so that sums that follow the
  // changes from box to box are exact.
  std::vector<std::int64_t> units_;  // of a leaf
  std::vector<double> scores_;       // of a leaf, to make its units
  std::int64_t threshold_units_ = 0;
  std::vector<std::int64_t> cut_units_;  // of a cut: its gain in the box that is being searched
  std::vector<Dirty> dirty_;
  std::vector<std::uint64_t> looked_at_;  // of a tree: the last box that has it in dirty_
  std::uint64_t box_number_ = 0;
  BitSet alive_before_;
  std::size_t depth_ = 0;
  Branch first_branch_;
  mutable std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> cursor_;
  BitSet holds_known_;                    // leaves that hold the known solution
  BitSet around_;                         // leaves that hold the nearest point of the whole problem
  BitSet here_alive_;                     // those that are alive
  std::vector<double> high_, low_;        // of a row
  std::vector<double> bounds_, reached_;  // of a condition
  std::vector<std::uint8_t> missed_;      // of a condition: the nearest point does not meet it
  std::vector<double> row_low_, row_high_;
  ComposedNeed::Scratch scratch_;
  std::vector<double> weights_;  // of a row
  std::vector<double> gain_;     // of a cut
  std::vector<std::uint32_t> touched_;
};

}  // namespace boxwood::fast
