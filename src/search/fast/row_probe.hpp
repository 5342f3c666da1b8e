// The probe of a problem with several conditions, or with linear rules: depth-first search with the
// radius bound alone. Sums of rows are added up anew in every box.
#pragma once

#include "search/fast/probe_parts.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace boxwood::fast {

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

struct RowBox : ProbeCorner {
  BitSet alive;                      ///< leaves that a point worth finding may lie in
  std::vector<std::uint32_t> here;   ///< of a tree: the leaf that holds the nearest point, if alive
  bool all_here = false;             ///< whether every tree has a leaf `here`
  std::vector<double> here_sum;      ///< of a row: the sum of those leaves' values
  BitSet measured;                   ///< `alive` when the next three were last brought up to date
  std::vector<std::uint32_t> best;   ///< of a tree with one row: its first alive leaf
  std::vector<std::uint32_t> worst;  ///< of a tree with one row: its last alive leaf
  std::vector<double> most;          ///< what the best alive leaves score, see RowProbe::most_at_
  std::size_t changed = 0;           ///< the changes of every point for which `alive` is
  std::vector<LeafState::Change> changes;  ///< what this box changed in the LeafState
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

/// A tree of a linear rule that tests one variable.
struct RuleTree {
  std::uint32_t tree = 0, variable = 0, condition = 0;
  std::size_t hulls = 0;  ///< in RowProbe::hulls_, the one of its first leaf
};

/// An end of a linear rule that is decided exactly where its sum is close to the threshold.
struct RuleCheck {
  const RuleEnd* end = nullptr;
  std::vector<std::uint32_t> tree;  ///< of a term: in RowProbe::rule_trees_, or nothing
  std::vector<double> value;        ///< of a term without a tree
};

class RowProbe : private ProbeParts {
 public:
  explicit RowProbe(const Context& context) : ProbeParts(context) {}

  bool start(const Problem& problem, const Selection* keep);
  bool search(std::uint64_t budget);
  double progress() const { return progress_of(boxes_by_depth_, depth_); }
  Branch branch() const { return first_branch_; }
  void select(Selection& keep) const;

 private:
  void bind(const Problem& problem);
  void list_scores();
  void count_memory();
  void sort_testers();
  void list_rule_trees();
  void list_rule_checks();
  double best_value_in(const RuleCheck& check, std::size_t term, std::uint32_t leaf);
  template <typename LeafOf>
  bool may_hold(const RuleCheck& check, LeafOf leaf_of);
  std::uint32_t most_of(const RowBox& box, const RuleCheck& check, std::uint32_t tree);
  bool breaks_rule(const RowBox& box);
  void mark_missed(const RowBox& box);
  std::uint32_t drop_close(const RowBox& box, const RuleTree& rule, std::uint32_t best,
                           std::uint32_t good);
  std::span<const SortedTesters::End> beginning_from(std::uint32_t v, std::uint32_t cell) const;
  std::span<const SortedTesters::End> ending_by(std::uint32_t v, std::uint32_t cell) const;
  bool enter(RowBox& box);
  bool narrow(RowBox& box);
  void shrink(RowBox& box, std::uint32_t variable, CellRange to);
  void leave(RowBox& box);
  void filter(RowBox& box);
  bool measure(RowBox& box);
  bool follow_deaths(RowBox& box);
  bool measure_tree(RowBox& box, std::uint32_t tree);
  bool probabilities_suffice() const;
  bool compositions_suffice(const RowBox& box);
  void locate(RowBox& box);
  void sum_here(RowBox& box) const;
  bool ask(RowBox& box);
  void find_home();
  void drop_changes(RowBox& box);
  bool choose(RowBox& box);
  void weigh_rows();
  void add_gain(const RowBox& box, std::size_t tree);
  void add_rule_gain(const RowBox& box, const RuleTree& rule);
  void share_gain(const RowBox& box, double gain, std::uint32_t best);
  void make_child(const RowBox& parent, RowBox& child, bool left);
  void move_nearest(RowBox& child, std::uint32_t variable, std::uint32_t from, std::uint32_t to);
  std::uint32_t first_alive(const BitSet& leaves, std::size_t tree) const;
  std::uint32_t last_alive(const BitSet& leaves, std::size_t tree) const;

  static constexpr double not_known_yet = -std::numeric_limits<double>::infinity();
  static constexpr int rounds_of_narrowing = 8;

  std::deque<RowBox> boxes_by_depth_;
  MemoryHold held_;                     // of the boxes
  LeafState state_;                     // of the box that is being searched
  std::vector<std::uint32_t> tree_of_;  // of a leaf
  // Of a tree with one row: where RowBox::most has its largest and its least value. Of one with
  // several rows: where it has a score for each condition, and where scores_ has those of its
  // leaves.
  std::vector<std::uint32_t> most_at_;
  std::vector<std::size_t> scores_at_;
  std::vector<double> scores_;
  SortedTesters sorted_;
  bool is_sorted_ = false;
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
  BitSet alive_before_;
  std::size_t depth_ = 0;
  Branch first_branch_;
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
