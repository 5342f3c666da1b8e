// The probe of a problem with one condition, which most questions have: dense, for vectors. The
// leaves of a tree stand in descending order of their scores, counted in whole units, so the best
// leaf of a tree is the first of its bits that is set. A box has a mask of the leaves alive in it;
// a cut takes away a mask that is made once for a cut. Costs of leaves beyond the cost of the box
// are whole numbers too, and a move of the nearest point changes all of them in one loop over
// vectors. A box of a thousand leaves is a few kilobytes, which are copied and not undone.
#pragma once

#include "search/fast/probe_parts.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace boxwood::fast {

struct UnitBox : ProbeCorner {
  std::vector<std::uint64_t> alive;             ///< leaves that a point worth finding may lie in
  std::vector<std::uint64_t> best;              ///< of each tree the best of them
  std::vector<std::uint64_t> here;              ///< those that hold the nearest point
  std::vector<std::uint32_t> best_of, here_of;  ///< of a tree: the same leaves, here or nothing
  std::vector<std::uint32_t> own_extra;         ///< if moved: of a leaf, see UnitProbe::scale_
  std::vector<std::uint16_t> own_outside;       ///< if moved
  const std::uint32_t* extra = nullptr;         ///< of the nearest ancestor that moved
  const std::uint16_t* outside = nullptr;  ///< of a leaf: ranges that the nearest point is not in
  std::vector<std::int64_t> share;         ///< of a tree: what it has added to the gains of cuts
  std::vector<std::int64_t> gain;          ///< of a cut
  std::int64_t best_units = 0;             ///< the sum of the leaves `best` of all trees
  std::int64_t here_units = 0;             ///< the sum of the leaves `here` of all trees
  std::uint32_t not_here = 0;              ///< the number of trees without a leaf `here`
};

/// The lists of a UnitProbe. They are kept for the next search (SpareLists), because most searches
/// are so short that allocating and warming memory would be a good part of them. Nothing in them
/// outlives UnitProbe::bind but their capacity.
struct UnitLists {
  /// What the leaves of a variable look like, made when a box is first cut at it.
  struct Column {
    static constexpr std::size_t not_made = ~std::size_t{0};
    std::size_t masks = not_made;  ///< in mask_words_
    std::size_t up = not_made;     ///< in far_: of leaves that begin above the nearest point
    std::size_t down = not_made;   ///< of those that end below it
  };

  std::deque<UnitBox> boxes_by_depth_;
  // Leaves are numbered anew: by trees, the best first. Lists of leaves have whole words of them.
  std::vector<std::uint32_t> leaf_at_, place_of_;  // the problem's leaf, and back
  std::vector<std::uint32_t> tree_of_;
  std::vector<std::int64_t> units_;
  std::vector<double> scores_;
  std::vector<std::uint32_t> costs_, low_costs_;  // of a cell, rounded up and down
  std::vector<Column> columns_;                   // of a variable
  std::vector<std::uint64_t> mask_words_;
  std::vector<std::uint32_t> far_;
  std::vector<std::uint64_t> scratch_a_, scratch_b_;
  std::vector<std::uint32_t> scratch_far_;
  std::vector<std::uint64_t> dirty_;   // trees of the box being entered whose share has changed
  std::vector<std::uint64_t> known_;   // leaves that hold the known solution
  std::vector<std::uint64_t> before_;  // developer builds: what was alive before a prune
};

class UnitProbe : private ProbeParts, private UnitLists {
 public:
  explicit UnitProbe(const Context& context)
      : ProbeParts(context), UnitLists(context.table.spare->take()) {}
  ~UnitProbe();
  UnitProbe(const UnitProbe&) = delete;
  UnitProbe& operator=(const UnitProbe&) = delete;

  /// Binds a problem; false if it has several conditions or scores that are too large to count.
  bool bind(const Problem& problem);
  bool start(const Selection* keep);
  bool search(std::uint64_t budget);
  double progress() const { return progress_of(boxes_by_depth_, depth_); }
  Branch branch() const { return first_branch_; }
  void select(Selection& keep) const;

 private:
  static constexpr std::size_t not_made = Column::not_made;
  static constexpr std::size_t most_mask_words = std::size_t{1} << 21;
  static constexpr std::size_t most_far = std::size_t{1} << 22;
  /// Costs are scaled anew when the radius has fallen by this factor.
  static constexpr double much_less = 256;
  static constexpr std::size_t cuts_for_a_tree = 8;

  bool fits() const;
  bool count_in_units();
  void scale_costs();
  void scale_again();
  void measure_leaves(UnitBox& box) const;
  void count_memory();
  const std::uint64_t* beginning_from(std::uint32_t v, std::uint32_t cell,
                                      std::vector<std::uint64_t>& scratch);
  const std::uint64_t* ending_by(std::uint32_t v, std::uint32_t cell,
                                 std::vector<std::uint64_t>& scratch);
  const std::uint64_t* masks_of(std::uint32_t v);
  const std::uint32_t* far(std::uint32_t v, bool up);

  bool enter_half(const UnitBox& parent, UnitBox& child, bool left);
  bool finish(UnitBox& box, const UnitBox* parent);
  std::uint32_t room(const UnitBox& box) const;
  void filter(UnitBox& box);
  void come_nearer(const UnitBox& parent, UnitBox& child);
  void check_radius(const UnitBox& box) const;
  void follow_nearest(const UnitBox& parent, UnitBox& child);
  bool replace_dead(UnitBox& box);
  void share_again(UnitBox& box, const UnitBox* parent);
  void enlist(std::uint32_t tree) { set_bit(dirty_.data(), tree); }
  bool ask(UnitBox& box);
  bool choose(UnitBox& box) const;

  MemoryHold held_;
  std::size_t used_boxes_ = 1;  // of boxes_by_depth_, by this search
  std::size_t depth_ = 0;
  Branch first_branch_;
  std::size_t words_ = 0;
  std::int64_t threshold_units_ = 0;
  /// Costs times `scale_` are whole numbers below 2^29 for what is within the radius at first.
  double scale_ = 1;
  double scaled_radius_ = 0;
};

}  // namespace boxwood::fast
