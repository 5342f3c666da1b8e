// The paper's search tree. A node is a box, built dimension by dimension, and the set of leaves
// that meet it. Expanding a node is Algorithm 1 in the next dimension plus the prunes; Algorithms
// 2, 4 and 5 expand nodes in different orders.
#pragma once

#include "base/bit_set.hpp"
#include "grid/grid.hpp"
#include "search/engine_settings.hpp"
#include "search/incumbent.hpp"
#include "search/known_solution.hpp"
#include "search/linear_box.hpp"
#include "search/paper/dimensions.hpp"

#include "search/watch.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood::paper {

struct SearchNode {
  BitSet leaves;
  std::vector<CellRange> box;  ///< one range for each dimension built so far
  double cost = 0;             ///< of the cheapest point of the box in those dimensions
  MemoryHold memory{};
};

class Space {
 public:
  Space(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts, const Grid& grid,
        const PaperAdditions& additions, std::span<const double> known_solution);

  SearchNode root() const;
  /// The approximate size of its tables in memory.
  std::size_t bytes() const {
    return dimensions_.rest.size() * sizeof(double) + votes_.size() * known_leaves_.bytes();
  }
  bool complete(const SearchNode& node) const { return node.box.size() == dimensions_.list.size(); }

  /// Appends the children that may hold a point of cost at most `bound`, the nearest one last, so
  /// that a stack takes it first. False if a limit was reached: then children may be missing, and
  /// the node itself is still open.
  bool expand(const SearchNode& node, double bound, Watch& watch,
              std::vector<SearchNode>& children) const;

  /// Whether no point of a box of this cost can cost `bound` or less. The cost was added up in
  /// another order than in total_cost, so a few units in the last place are allowed for.
  bool beyond(double cost, double bound) const { return weaken(cost) > bound; }
  double weaken(double cost) const { return grid_.weaken(cost); }

  /// The cheapest point of the intersection of a complete node's leaves. The intersection is at
  /// least as large as the box, so all pieces of one intersection have the same cheapest point.
  std::vector<double> nearest_point(const SearchNode& node) const;
  /// The point that represents the leaves of a complete node: the nearest point, or one of equal
  /// cost.
  std::vector<double> speaker(const SearchNode& node) const;
  /// Whether the nearest point of a complete node is the one that represents this box around it.
  bool speaks_for(std::span<const Interval> box, const SearchNode& node) const;
  /// Whether that point lies in the node's own box, which is true for exactly one piece.
  bool holds_nearest_point(const SearchNode& node) const;
  /// Offers the point that represents the leaves of a complete node, if it meets the requirements;
  /// with linear rules between features of many values, the cheapest point that does. False if none
  /// was found.
  bool offer(const SearchNode& node, Incumbent& incumbent, Watch& watch) const;
  /// Whether a point meets the requirements in the source library's arithmetic.
  bool meets_requirements(std::span<const double> point) const {
    return meets(query_, ensembles_, point);
  }

 private:
  std::vector<std::uint32_t> place_nearest(const SearchNode& node,
                                           std::vector<double>& point) const;
  bool survives(SearchNode& child, double bound) const;
  bool has_votes(const BitSet& leaves) const;
  void drop_far_leaves(SearchNode& child, double bound) const;
  bool scores_suffice(const SearchNode& child) const;
  bool one_score_suffices(const SearchNode& child) const;
  bool all_scores_suffice(const SearchNode& child) const;
  std::size_t output_index(std::uint32_t ensemble, std::int32_t output) const {
    return first_output_[ensemble] + static_cast<std::size_t>(output);
  }
  bool holds_known(const SearchNode& node) const;
  std::vector<CellRange> shared_cells(const SearchNode& node) const;

  std::span<const Ensemble> ensembles_;
  const Query& query_;
  const Grid& grid_;
  PaperAdditions additions_;
  KnownSolution known_;
  LinearBox linear_;
  BitSet known_leaves_;
  Dimensions dimensions_;
  std::vector<BitSet> votes_;              ///< for each condition the leaves with a positive score
  std::vector<std::size_t> first_output_;  ///< of an ensemble, counted through all of them
  std::size_t output_count_ = 0;
};

}  // namespace boxwood::paper
