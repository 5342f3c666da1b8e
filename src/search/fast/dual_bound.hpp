// The dual bound by cost splitting. Every tree gets its own copy of each variable that it tests,
// and each cell's cost is shared among the copies; every condition gets a price. For any shares
// that sum to at most the cost of their cell, and any prices that are not negative,
//
//   sum of price * threshold + sum over trees of the cheapest leaf, where a leaf costs
//     the least share that its ranges allow, less its priced score
//
// is at most the cost of every point that meets the conditions: such a point takes one leaf of
// every tree, pays at least the shares of its cells, and scores at least the thresholds.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood::fast {

/// A tree's copy of a variable. Its shares are constant on coarse cells: the pieces into which the
/// tree's own leaves cut the variable.
struct Slot {
  std::uint32_t tree = 0;
  std::uint32_t tester_begin = 0;  ///< in the problem's list of testers
  std::uint32_t tester_end = 0;
  std::uint32_t free_begin = 0;  ///< leaves of the tree that do not test the variable
  std::uint32_t free_end = 0;
  std::uint32_t coarse_begin = 0;
  std::uint32_t coarse_end = 0;
};

class DualBound {
 public:
  DualBound(const Context& context, const Problem& problem);

  /// Copies the shares and prices of the bound of the problem that this one was reduced from.
  void inherit(const DualBound& from, const Origin& origin);

  /// One round of block ascent over all variables, then a search for better prices. Neither lowers
  /// the bound, but for rounding and for shares that trees without rewards lose. Returns the bound,
  /// rounding not yet allowed for.
  double ascend();

  /// A search for higher prices that ascend() does not find, because shares stand still while it
  /// searches for prices.
  struct Push {
    bool higher = false;       ///< whether the bound is higher now; if not, nothing has changed
    std::uint32_t rounds = 0;  ///< that it took
  };
  Push push_prices();

  /// The bound, rounding not yet allowed for.
  double value() const;

  /// The bound, with everything that rounding may have added subtracted.
  double certify();

  /// Marks what no point of cost `radius` or less can use, after certify(): leaves and cells that
  /// raise the bound beyond it.
  void select(double bound, double radius, Selection& keep) const;

  /// For each variable the cell that was cheapest in the last round.
  std::span<const std::uint32_t> favourites() const { return favourite_; }
  std::size_t bytes() const;
  /// Frees the memory that only ascend() needs.
  void drop_scratch();

 private:
  void build_slots();
  void refresh();
  void ascend_variable(std::uint32_t variable);
  bool ascend_shares();
  bool follow_prices(double before, std::uint32_t& rounds);
  void search_prices();
  void search_along(std::span<const double> direction, double first_step);
  void set_rewards();
  void note_rewarded(std::uint32_t tree);
  void take_back_shares(std::size_t slot);
  double differences_of(std::size_t variable) const;
  double largest_rewards() const;
  void forced_values(const Slot& slot, double* out) const;
  void make_minima(std::span<const double> totals);
  double minimum(std::uint32_t first, std::uint32_t last) const;
  /// The least share that a tester's range allows.
  double least_share(const Slot& slot, std::uint32_t tester) const {
    const CellRange range = coarse_range_[tester];
    const double* shares = &share_[slot.coarse_begin];
    double least = shares[range.first];
    for (std::uint32_t k = range.first + 1; k < range.last; ++k) {
      least = shares[k] < least ? shares[k] : least;
    }
    return least;
  }
  std::uint32_t coarse_last(const Slot& slot, std::uint32_t coarse, std::uint32_t cells) const {
    return coarse + 1 < slot.coarse_end ? cut_[coarse + 1] : cells;
  }

  const Context& context_;
  const Problem& problem_;
  std::vector<std::uint32_t> tree_of_;      // of a leaf
  std::vector<std::uint32_t> slots_begin_;  // of a variable
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> cut_;        // of a coarse cell: its first cell
  std::vector<CellRange> coarse_range_;   // of a tester: the coarse cells it takes
  std::vector<double> share_;             // of a coarse cell
  std::vector<double> least_;             // of a slot: its least share
  std::vector<double> extra_;             // of a tester: its least share above that
  std::vector<double> leaf_value_;        // of a leaf: its extras less its reward
  std::vector<double> reward_;            // of a leaf: prices times scores
  std::vector<std::uint8_t> rewarded_;    // of a tree: whether some leaf has a reward
  std::vector<double> price_;             // of a condition
  std::vector<std::uint32_t> favourite_;  // of a variable
  double push_factor_ = 1;                // by which prices are raised next
  double rounding_ = 0;                   // what certify() took off for rounding
  /// Where only points that cost nothing are searched for, the bound is a multiple of the price,
  /// and its sign decides. From a price of 0 no ascent would begin, so the price is 1.
  bool keep_price_ = false;

  /// Trees without rewards take no shares. At the root they do: prices begin at 0, and none would
  /// rise as long as every leaf seems to cost nothing.
  bool shares_for_rewarded_ = false;

  std::vector<double> forced_, totals_, change_, residual_, scores_;
  std::vector<double> minima_;
  std::size_t minima_stride_ = 0;
};

}  // namespace boxwood::fast
