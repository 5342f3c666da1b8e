// Closes every box of a problem with the rules of certificates and writes the tree of cuts.
#pragma once

#include "proof/dual.hpp"
#include "proof/level.hpp"
#include "proof/outcomes.hpp"
#include "proof/problem.hpp"
#include "proof/tuning.hpp"

#include <boxwood/proof.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace boxwood::proofs {

/// Numbers of the tree that are no variables: a dual bound follows; the box is closed, either
/// because it is dead or by requirement r (closed - r).
enum Token : std::int32_t { dual_bound = -1, closed = -2 };

/// Thrown when a limit is reached.
struct Stopped {
  Stop reason;
};

/// Cells of one variable that a dual bound excludes, the nearest point's among them.
struct CostlyCells {
  std::uint32_t variable = 0;
  Mask cells;
};

class TreeWriter {
 public:
  TreeWriter(const ProofProblem& problem, const std::vector<Outcomes>& outcomes,
             const ProofLimits& limits);

  /// The tree in pre-order. Throws Error where a limit is reached or a box cannot be closed.
  std::vector<std::int32_t> write();
  std::uint64_t boxes() const { return boxes_; }

 private:
  bool enter(std::size_t depth);
  bool close_or_cut(Level& level);
  bool drop_cells(Level& level, std::vector<std::uint32_t> trees);
  bool find_dead_cells(Level& level, std::size_t tree);
  bool is_cheapest(const Level& level, std::uint32_t variable);
  bool attempt(std::size_t depth, std::uint64_t boxes);
  bool worthwhile(std::size_t kept, std::size_t live) const;
  bool thin_again(std::size_t depth);
  bool thin_anew(std::size_t depth);
  double ascend(Dual& dual) const;
  std::vector<CostlyCells> costly_cells(Dual& dual, double bound, const Level& level);
  void drop_costly(Level& level, const DualNumbers& numbers, std::span<const CostlyCells> costly);
  bool closed_by(const DualNumbers& numbers, const Level& level) const;
  static void keep(Level& level, std::span<const std::uint32_t> kept);
  template <typename Enter>
  bool walk(std::size_t from, std::uint64_t most_boxes, Enter enter);
  void emit_dual(const DualNumbers& numbers);
  void start(Level& level) const;
  bool make_child(const Level& parent, Level& child, bool first) const;
  std::int32_t closing_rule(const Level& level);
  bool broken_clause(const Level& level) const;
  bool refuted(const Level& level, const Outcomes& outcome);
  double most(const Level& level, const Outcomes& outcome, std::size_t plus, std::size_t minus,
              double sign) const;
  bool fails(const Level& level, const Outcomes& outcome, const Condition& condition) const;
  void gather_extremes(const Level& level);
  std::vector<double> here_sums(const Level& level, std::size_t model) const;
  bool weigh(const Level& level, std::vector<std::vector<double>>& weights) const;
  void choose_cut(Level& level);
  void cut_by_gain(Level& level, const std::vector<std::vector<double>>& weights, bool& found);
  bool cut_undecided(Level& level) const;
  void cut_cheapest(Level& level) const;
  void emit_cut(const Level& level);
  double value_of(const LeafEntry& leaf, const std::vector<double>& weights) const;
  void check_limits() const;

  const ProofProblem& problem_;
  const std::vector<Outcomes>& outcomes_;
  const ProofLimits& limits_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::uint64_t boxes_ = 0;
  std::vector<Level> levels_;
  Tolls tolls_;
  std::vector<PricedCondition> conditions_;
  /// A dual bound of a box; the boxes below start from it.
  struct Found {
    std::size_t depth = 0;
    Dual::Start start;
    DualNumbers numbers;
    bool written = false;
  };
  std::vector<Found> found_;  // on the way to the present box
  bool thinned_ = false;      // one of them was written
  bool useful_ = false;       // some dual bound was written, anywhere
  int failures_ = 0;          // dual bounds that were not, until one was
  std::uint64_t patience_ = tuning::first_patience;
  /// A box that was tried with cuts alone.
  struct Tried {
    std::size_t depth = 0;
    std::size_t undecided = 0;  ///< its live leaves beyond one of each tree
  };
  std::vector<Tried> tried_;  // on the way to the present box
  Level spare_;
  Mask dead_;
  std::vector<Mask> cheapest_;  // of a variable: each live leaf's cheapest cell; empty if not known
  std::vector<std::int32_t> tree_;
  std::vector<double> most_, least_;  // of a tree with one output: of its live leaves
  std::vector<std::uint32_t> gain_begin_;
  std::vector<double> gain_;  // of a cut of an ordered variable
  std::vector<std::uint32_t> touched_;
};

}  // namespace boxwood::proofs
