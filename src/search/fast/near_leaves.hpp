// The leaves of the models that a point within a radius can reach, and what each costs at least.
#pragma once

#include "grid/cells.hpp"
#include "grid/leaves.hpp"
#include "search/fast/leaf_table.hpp"
#include "search/fast/tuning.hpp"
#include "search/watch.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace boxwood::fast {

/// A leaf's cost is a lower bound on the cost of its own box. A range costs something only if the
/// point's own cell is below its first cut (then the first admissible cell from there on is the
/// cheapest) or above its last cut. It is a bound and not the exact cost where cells have no
/// admissible value, and where a list of ranges is replaced by its hull.
class NearLeaves {
 public:
  /// Everything given has to outlive the result.
  NearLeaves(const LeafTable& table, const LeafBoxes& boxes, std::span<const Variable> variables,
             Watch& watch, const Tuning& tuning);

  /// Finds all leaves that cost at most `most`, and perhaps more of them. Throws Pace::Stopped at a
  /// limit.
  void cover(double most);
  /// Whether cover() looks at near leaves only. Otherwise it finds all of them.
  bool follows_paths() const { return follows_paths_; }

  /// What cover() found last, ascending. Where it found all leaves there is no list of them.
  std::span<const std::uint32_t> leaves() const { return leaves_; }
  std::size_t found_count() const { return follows_paths_ ? leaves_.size() : leaf_count(); }
  /// Of a leaf that was found: its cost, up to rounding (see path_limit() in the source).
  const double* costs() const { return costs_; }
  /// All leaves that cost at most `most`, ascending, and perhaps some that cost more by rounding.
  std::vector<std::uint32_t> within(double most);
  /// The cost of any leaf.
  double cost_of(std::uint32_t leaf) const;
  /// The cost of a cell that does not exist. Not infinity, because costs are subtracted.
  static constexpr double endless = 1e300;
  std::size_t leaf_count() const { return boxes_.leaves.size(); }

 private:
  void price_cuts(std::size_t v);
  void price_listed(std::size_t v);
  double in_order(std::uint32_t range) const;
  double of_listed(std::uint32_t range) const;
  bool is_forbidden(std::uint32_t leaf) const;
  void price_all(Pace& pace);
  double path_limit(double most) const;
  bool walk(double most, Pace& pace);
  void sweep(Pace& pace);

  const LeafTable& table_;
  const LeafBoxes& boxes_;
  std::span<const Variable> variables_;
  Watch& watch_;
  std::size_t path_share_;                       // Tuning::path_share
  std::vector<double> from_below_, from_above_;  // of a cut: the cost of the ranges it begins, ends
  std::vector<double> listed_;                   // of a variable: 0 where it is not listed
  bool any_listed_ = false;
  bool in_order_ = false;  // paths tell what leaves cost
  bool follows_paths_ = false;
  double covered_ = -1;  // all leaves that cost at most this were found
  std::vector<std::uint32_t> leaves_;
  std::unique_ptr<double[]> all_costs_;  // of splits and then of leaves
  double* costs_ = nullptr;  // of a leaf, if it was found; before them, of the way to split ~i
  std::vector<std::uint64_t> found_;  // of a leaf: a bit
  std::vector<double> spent_;         // of a variable, on the way to a split
  MemoryHold held_;
};

}  // namespace boxwood::fast
