// Closes every box of a problem with the rules of certificates and writes the tree of cuts.
#pragma once

#include "proof/outcomes.hpp"
#include "proof/problem.hpp"

#include <boxwood/proof.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace boxwood::proofs {

/// The codes of rules in the tree.
enum Rule : std::int32_t { by_cost = -1, by_clause = -2, by_first_requirement = -4 };

class TreeWriter {
 public:
  TreeWriter(const ProofProblem& problem, const std::vector<Outcomes>& outcomes,
             const ProofLimits& limits);

  /// The tree in pre-order. Throws Error where a limit is reached or a box cannot be closed.
  std::vector<std::int32_t> write();
  std::uint64_t boxes() const { return boxes_; }

 private:
  struct Live {
    std::uint32_t leaf = 0;
    std::int32_t outside = 0;  ///< variables in which the box's nearest point is not in the leaf
    Measure extra;             ///< beyond the box's own
  };
  struct Level {
    Mask box;
    Measure measure;
    std::vector<std::uint32_t> nearest;  ///< of a variable: its cheapest bit
    std::vector<Live> live;
    std::vector<std::uint32_t> tree_begin;
    // The cut of this box, and how many of its children were made.
    std::uint32_t variable = 0;
    Mask first;
    int made = 0;
  };
  /// A tree's best and worst live leaf for weighted outputs, and the leaf of the nearest point.
  struct Choice {
    const Live* best = nullptr;
    double gain = 0;
  };

  void start(Level& level) const;
  bool make_child(const Level& parent, Level& child, bool first) const;
  std::int32_t closing_rule(const Level& level);
  bool broken_clause(const Level& level) const;
  bool refuted(const Level& level, const Outcomes& outcome);
  double most(const Level& level, const Outcomes& outcome, const LinearCondition& condition) const;
  bool fails(const Level& level, const Outcomes& outcome, const LinearCondition& condition) const;
  void gather_extremes(const Level& level);
  std::vector<double> here_sums(const Level& level, std::size_t model) const;
  bool weigh(const Level& level, std::vector<std::vector<double>>& weights) const;
  void choose_cut(Level& level);
  void cut_by_gain(Level& level, const std::vector<std::vector<double>>& weights, bool& found);
  void cut_cheapest(Level& level) const;
  void emit_cut(const Level& level);
  double value_of(const LeafEntry& leaf, const std::vector<double>& weights) const;
  void check_limits() const;

  const ProofProblem& problem_;
  const std::vector<Outcomes>& outcomes_;
  const ProofLimits& limits_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::uint64_t boxes_ = 0;
  std::vector<std::int32_t> tree_;
  std::vector<double> most_, least_;  // of a tree with one output: of its live leaves
  std::vector<std::uint32_t> gain_begin_;
  std::vector<double> gain_;  // of a cut of an ordered variable
  std::vector<std::uint32_t> touched_;
};

}  // namespace boxwood::proofs
