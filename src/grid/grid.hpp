// The finite problem of one query as a whole, built from the models' leaf boxes: variables with
// cells, leaves as ranges of cells, linear conditions on leaf scores. The paper's engine searches
// it; the fast engine gathers its problems from the same parts (search/fast/gather.cpp).
#pragma once

#include "grid/cells.hpp"
#include "grid/conditions.hpp"
#include "grid/flat_trees.hpp"
#include "grid/leaves.hpp"
#include "grid/pieces.hpp"

#include <boxwood/answer.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace boxwood {

/// Leaves that no admissible point reaches are left out. A leaf of the grid may be a piece of a
/// leaf of the model. The leaves of a tree are consecutive, the one with the largest score of
/// condition 0 first, so that the first alive leaf is the best one.
struct Grid {
  std::vector<Variable> variables;  ///< one for each feature
  std::vector<Condition> conditions;

  std::vector<std::uint32_t> tree_of;       ///< of a leaf
  std::vector<std::uint32_t> ranges_begin;  ///< of a leaf; one more entry than leaves
  std::vector<LeafRange> ranges;
  std::vector<std::uint32_t> value_of;  ///< of a leaf: its first number in the tree's values
  std::vector<double> first_scores;     ///< of a leaf: its score for condition 0
  std::uint32_t tree_count = 0;
  std::vector<const Tree*> trees;          ///< of all ensembles, one after the other
  std::vector<std::uint32_t> ensemble_of;  ///< of a tree
  double radius = std::numeric_limits<double>::infinity();  ///< the radius it was restricted to
  bool complete = true;  ///< false: the pieces have too many ranges, and leaves are missing

  std::size_t leaf_count() const { return tree_of.size(); }
  std::span<const LeafRange> ranges_of(std::size_t leaf) const {
    return std::span(ranges).subspan(ranges_begin[leaf],
                                     ranges_begin[leaf + 1] - ranges_begin[leaf]);
  }
  double score(std::size_t condition, std::size_t leaf) const {
    const Condition& c = conditions[condition];
    const std::uint32_t tree = tree_of[leaf];
    return ensemble_of[tree] == c.ensemble ? c.score(*trees[tree], value_of[leaf]) : 0.0;
  }
  /// Its approximate size in memory.
  std::size_t bytes() const;
  /// The cost of a leaf's own box: the sum of its ranges' cheapest cells.
  double leaf_cost(std::size_t leaf) const;

  /// Turns a sum of cell costs in any order into a lower bound on total_cost, which adds them in
  /// the order of features. To first order, two sums of D non-negative terms in different orders
  /// differ by at most 2 D 2^-53 of their value; the factor 4 leaves a margin of two.
  double weaken(double cost) const {
    return cost * (1 - 4 * (static_cast<double>(variables.size()) + 2) * 0x1p-53);
  }
};

Grid make_grid(std::span<const Ensemble> ensembles, const LeafBoxes& boxes, const Query& query,
               CellOrder order, std::uint64_t most_ranges, Pace& pace);
/// The most memory that make_grid takes, unless leaves are cut into pieces.
std::size_t grid_bytes(const LeafBoxes& boxes);
/// The same without limits.
Grid make_grid(std::span<const Ensemble> ensembles, const LeafBoxes& boxes, const Query& query);

/// The same problem without the leaves whose own box costs more than `radius`.
Grid restrict_to_radius(const Grid& grid, double radius, Pace& pace);

/// The box around a point in which every ensemble's scores are constant: the intersection of the
/// leaves it reaches.
std::vector<Interval> pure_box(std::span<const Ensemble> ensembles, std::span<const double> point);
/// For each feature whose categories a model knows: the categories that pass all tests as the point
/// does.
std::vector<std::vector<std::int32_t>> pure_codes(std::span<const Ensemble> ensembles,
                                                  std::span<const double> point);
/// What one walk through all trees tells about a point.
struct Walk {
  std::vector<std::vector<double>> scores;  ///< of an ensemble, as Ensemble::predict adds them up
  std::vector<Interval> box;                ///< pure_box
};
/// `flat`: of the ensembles, where they are known; a walk is faster with them.
Walk walk(std::span<const Ensemble> ensembles, std::span<const double> point,
          std::span<const std::shared_ptr<const FlatTrees>> flat = {});
/// Ensemble::predict, faster with the ensemble's flat trees if they are not null.
std::vector<double> scores_at(const Ensemble& ensemble, std::span<const double> point,
                              const FlatTrees* flat);
/// A point of an answer with its region.
Solution solution_at(std::span<const Ensemble> ensembles, const std::vector<double>& point);
Solution solution_at(std::span<const Ensemble> ensembles, const std::vector<double>& point,
                     Walk walked);

}  // namespace boxwood
