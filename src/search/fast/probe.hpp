// Depth-first search of a problem with the radius bound alone: cheap boxes, a few microseconds
// each, as many as a budget allows. What it leaves open is for the dual bound.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/problem.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace boxwood::fast {

/// Cut a variable's range before this cell.
struct Branch {
  std::uint32_t variable = 0;
  std::uint32_t cell = 0;
};

/// A box within a problem: a range of cells for each variable, and for each leaf what it costs
/// beyond the box itself and how many of its sides the box's nearest point lies outside of.
struct ProbeBox {
  std::vector<CellRange> range;
  std::vector<std::uint32_t> nearest;
  std::vector<double> extra;
  std::vector<std::uint32_t> outside;
  std::vector<std::uint64_t> alive;
  std::vector<std::uint64_t> around;  ///< leaves that hold the nearest point: none outside
  double cost = 0;                    ///< of the nearest point, about
  enum class Asked : std::uint8_t { no, met, not_met } asked = Asked::no;  ///< the nearest point
  bool holds_known = false;
  Branch branch;
  int next = 0;  ///< which child comes next
};

class Probe {
 public:
  explicit Probe(const Context& context) : context_(context) {}

  /// Starts on a problem. False when the whole problem is done: nothing in it is worth finding.
  bool start(const Problem& problem);
  /// Searches at most this many boxes more. True when the problem is done.
  bool search(std::uint64_t budget);
  /// Which part of the problem is done, if the two sides of every cut are equally much work.
  double progress() const;
  /// Where to cut the whole problem; only after start() was true.
  Branch branch() const { return first_branch_; }
  /// The leaves that the radius leaves alive in the whole problem.
  void select(Selection& keep) const;
  std::uint64_t boxes() const { return boxes_; }

 private:
  void bind(const Problem& problem);
  bool enter(ProbeBox& box);
  void filter(ProbeBox& box) const;
  bool measure(const ProbeBox& box);
  bool ask(ProbeBox& box);
  bool find_tie(const ProbeBox& box, Branch& branch) const;
  bool choose(ProbeBox& box);
  void make_child(const ProbeBox& parent, ProbeBox& child, CellRange range) const;
  double exact_cost(const ProbeBox& box, std::uint32_t variable, std::uint32_t cell) const;
  std::uint32_t first_alive(const std::vector<std::uint64_t>& words, std::size_t tree) const;
  std::uint32_t last_alive(const std::vector<std::uint64_t>& words, std::size_t tree) const;
  void guard(const ProbeBox& box, const char* prune) const;

  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  const Context& context_;
  const Problem* problem_ = nullptr;
  std::vector<ProbeBox> boxes_by_depth_;
  std::size_t depth_ = 0;
  Branch first_branch_;
  std::uint64_t boxes_ = 0;
  mutable std::vector<std::uint32_t> cells_;
  std::vector<std::uint8_t> holds_known_;      // of a leaf
  std::vector<std::uint64_t> here_alive_;      // leaves alive that hold the nearest point
  std::vector<std::uint32_t> best_, here_;     // of a tree
  std::vector<double> high_, low_, here_sum_;  // of a row
  std::vector<double> bounds_, reached_;       // of a demand
  std::vector<double> weights_;                // of a row
  std::vector<double> gain_;                   // of a cut
  std::vector<std::uint32_t> touched_;
};

}  // namespace boxwood::fast
