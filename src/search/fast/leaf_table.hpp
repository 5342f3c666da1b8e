// The leaves of the ensembles as a structure of arrays, by leaf and by variable. Built once for a
// set of ensembles; every problem has its own with fewer leaves.
#pragma once

#include "grid/flat_trees.hpp"
#include "grid/leaves.hpp"
#include "search/fast/spare_lists.hpp"
#include "search/fast/tree_paths.hpp"

#include <boxwood/ensemble.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace boxwood::fast {

/// A leaf's range of cells of one variable, if it does not take all of them.
struct LeafRange {
  std::uint32_t variable = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// The values of leaves in the order of their trees; in a tree with one row, the largest value
/// first. Rows are the outputs of all ensembles, one after the other. A tree adds to one row or to
/// several.
struct LeafValues {
  struct Rows {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
  };
  std::vector<std::uint32_t> tree_begin{0};  ///< first leaf of a tree; one more than trees
  std::vector<Rows> rows;                    ///< of a tree
  std::vector<std::uint32_t> values_begin;   ///< of a tree
  std::vector<double> values;                ///< of a leaf, one for each row of its tree

  std::size_t tree_count() const { return rows.size(); }
  const double* values_of(std::size_t tree, std::size_t leaf) const {
    return &values[values_begin[tree] + (leaf - tree_begin[tree]) * rows[tree].count];
  }
};

/// The same with the ranges of each leaf.
struct Leaves : LeafValues {
  std::vector<std::uint32_t> ranges_begin{0};
  std::vector<LeafRange> ranges;

  std::size_t count() const { return ranges_begin.size() - 1; }
  std::span<const LeafRange> ranges_of(std::size_t leaf) const {
    return std::span(ranges).subspan(ranges_begin[leaf],
                                     ranges_begin[leaf + 1] - ranges_begin[leaf]);
  }
  /// The tree of every leaf.
  std::vector<std::uint32_t> trees() const;
};

/// The same ranges, by variable: the leaves that test it.
struct Testers {
  struct Tester {
    std::uint32_t leaf = 0;
    std::uint32_t range = 0;  ///< in Leaves::ranges
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::vector<std::uint32_t> begin;  ///< of a variable; one more
  std::vector<Tester> list;

  std::span<const Tester> of(std::size_t variable) const {
    return std::span(list).subspan(begin[variable], begin[variable + 1] - begin[variable]);
  }
};

Testers list_testers(const Leaves& leaves, std::size_t variable_count);

/// All leaves of the ensembles, for every query. Leaves and ranges are numbered as in LeafBoxes,
/// which has the ranges. The cells are those of the axes, which do not depend on a query; n cells
/// have n + 1 cuts.
struct LeafTable {
  LeafValues leaves;
  /// Where the first cell of a range begins and where the last one ends, as cuts.
  struct RangeCuts {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool operator==(const RangeCuts&) const = default;
  };
  std::vector<RangeCuts> cuts_of;  ///< of a range
  std::vector<std::uint32_t>
      cut_begin;  ///< of a feature: its first cut; cuts of all axes, ends included
  /// All leaves, block by block, and in a block in ascending order of how many ranges they have: a
  /// loop over the ranges of one leaf after the other then ends where the processor expects it.
  std::vector<std::uint32_t> by_ranges;
  std::vector<std::uint32_t> first_row;  ///< of an ensemble
  std::uint32_t row_count = 0;
  double largest_value = 0;                ///< the largest absolute value of a leaf's number
  std::optional<std::size_t> max_changes;  ///< limit on the number of changed features, if any
  TreePaths paths;
  std::vector<std::shared_ptr<const FlatTrees>> flat;  ///< of an ensemble, or null
  std::shared_ptr<SpareLists> spare = std::make_shared<SpareLists>();

  /// The memory of the large lists.
  std::size_t bytes() const;
};

LeafTable make_leaf_table(std::span<const Ensemble> ensembles, const LeafBoxes& boxes);
/// Adds to `model` what it lacks: all of it at first, the rest after `pace` has stopped an earlier
/// call.
void make_leaf_table(std::span<const Ensemble> ensembles, const LeafBoxes& boxes, LeafTable& table,
                     Pace& pace);

/// The table of some ensembles and one more. `all` has the leaf boxes of all of them.
LeafTable add_ensemble(const LeafTable& table, const LeafBoxes& all, const Ensemble& more,
                       std::optional<std::size_t> max_changes, Pace& pace);

}  // namespace boxwood::fast
