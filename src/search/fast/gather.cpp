// From a whole model to the first problem of a search: the leaves and cells within a radius.
//
// The paper's engine builds the whole grid of a query once (make_grid in grid/grid.hpp). The fast
// engine uses the same parts (leaf boxes, variables with cells, conditions, pieces) but assembles
// them here, because it may do so several times for one query, each time for a small radius: it
// reads only the near leaves, from arrays that are prepared once for a model.
#include "search/fast/problem.hpp"
#include "search/fast/rounding.hpp"

#include <algorithm>

namespace boxwood::fast {
namespace {

class Gatherer {
 public:
  Gatherer(const LeafTable& table, const LeafBoxes& boxes, std::span<const Variable> variables,
           double radius, Watch& watch)
      : table_(table),
        boxes_(boxes),
        variables_(variables),
        most_(radius * within_any_order(variables.size())),
        watch_(watch),
        pace_(watch.pace()),
        near_(variables.size()),
        near_size_(variables.size()),
        kind_(variables.size(), Kind::plain),
        near_cut_(table.cut_begin.back()),
        lists_(boxes.list_begin.size() > 1),
        pieces_(variables, near_) {
    add_cells(radius);
    for (std::uint32_t v = 0; v < variables.size(); ++v) map_cuts(v);
    plain_model_ = !lists_ && std::all_of(kind_.begin(), kind_.end(),
                                          [](Kind kind) { return kind == Kind::plain; });
  }

  void add_leaves(NearLeaves& near) {
    near_leaves_ = near.within(most_);
    reserve();
    const LeafValues& leaves = table_.leaves;
    const std::uint32_t* next = near_leaves_.data();
    const std::uint32_t* const past = next + near_leaves_.size();
    for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
      raw_.leaves.rows.push_back(leaves.rows[t]);
      raw_.leaves.values_begin.push_back(static_cast<std::uint32_t>(raw_.leaves.values.size()));
      for (; next != past && *next < leaves.tree_begin[t + 1]; ++next) {
        pace_.work(1);
        if (plain_model_) {
          if (past - next > ahead) prefetch(next[ahead]);
          add_plain(t, *next);
          continue;
        }
        const std::size_t ranges = raw_.leaves.ranges.size();
        if (!add_ranges(*next)) {
          raw_.leaves.ranges.resize(ranges);
        } else if (odd_.empty()) {
          close_leaf(t, *next);
        } else {
          add_pieces(ranges, t, *next);
        }
      }
      const std::size_t count = plain_model_ ? kept_ : raw_.leaves.count();
      raw_.leaves.tree_begin.push_back(static_cast<std::uint32_t>(count));
    }
    if (!plain_model_) return;
    raw_.leaves.ranges.resize(written_);
    raw_.leaves.ranges_begin.resize(kept_ + 1);
  }

  Problem take() { return std::move(raw_); }

 private:
  /// How the leaves' ranges of a variable become ranges of near cells.
  enum class Kind : std::uint8_t {
    plain,    ///< through the table of cuts
    missing,  ///< the value is missing and stays so: a leaf takes it or not
    odd,      ///< a set of cells or a one-hot group: through Pieces
  };

  void add_cells(double radius) {
    std::size_t cells = 0;
    for (std::uint32_t v = 0; v < variables_.size(); ++v) {
      const Variable& variable = variables_[v];
      CellRange& range = near_[v];
      range = {variable.own, variable.own + 1};
      const auto within = [&](std::uint32_t cell) { return variable.cells[cell].cost <= radius; };
      while (range.first > 0 && within(range.first - 1)) --range.first;
      while (range.last < variable.cells.size() && within(range.last)) ++range.last;
      near_size_[v] = static_cast<std::uint32_t>(range.size());
      cells += range.size();
    }
    raw_.reserve(variables_.size(), cells);
    raw_.cell_begin.push_back(0);
    raw_.fixed_at.resize(variables_.size());
    for (std::uint32_t v = 0; v < variables_.size(); ++v) {
      const Variable& variable = variables_[v];
      const CellRange range = near_[v];
      raw_.variable_of.push_back(v);
      for (std::uint32_t c = range.first; c < range.last; ++c) {
        raw_.cost.push_back(variable.cells[c].cost);
        raw_.choice.push_back(c);
      }
      raw_.cell_begin.push_back(static_cast<std::uint32_t>(raw_.cost.size()));
      raw_.nearest.push_back(variable.own - range.first);
    }
  }

  void map_cuts(std::uint32_t v) {
    const Variable& variable = variables_[v];
    NearCut* const cuts = &near_cut_[table_.cut_begin[v]];
    const std::uint32_t count = table_.cut_begin[v + 1] - table_.cut_begin[v];
    std::fill(cuts, cuts + count, NearCut{0, v});
    if (variable.listed || variable.owner != v) {
      kind_[v] = Kind::odd;
    } else if (variable.missing) {
      kind_[v] = Kind::missing;
    } else {
      NearCut* cut = cuts;
      for (const std::uint32_t kept : variable.kept_below) {
        (cut++)->cell = std::clamp(kept, near_[v].first, near_[v].last) - near_[v].first;
      }
    }
  }

  /// Reserves memory for the near leaves, so that the lists are not copied while they grow.
  void reserve() {
    const std::size_t near = near_leaves_.size();
    std::size_t ranges = 0;
    for (const std::uint32_t leaf : near_leaves_) {
      ranges += boxes_.leaves[leaf].ranges_end - boxes_.leaves[leaf].ranges_begin;
    }
    const std::size_t trees = table_.leaves.tree_count(), all = boxes_.leaves.size();
    const std::size_t values = all ? table_.leaves.values.size() / all * near + near : 0;
    watch_.require_bytes(raw_.bytes() + ranges * sizeof(LeafRange) + near * sizeof(std::uint32_t) +
                         values * sizeof(double));
    Leaves& to = raw_.leaves;
    to.tree_begin.reserve(trees + 1);
    to.rows.reserve(trees);
    to.values_begin.reserve(trees);
    to.values.reserve(values);
    to.ranges_begin.reserve(near + 1);
    if (plain_model_) {
      to.ranges.resize(ranges);
      to.ranges_begin.resize(near + 1);
    } else {
      to.ranges.reserve(ranges);
    }
  }

  /// The ranges of the near leaves are mostly not in the cache, and no pattern tells the processor
  /// which come next.
  void prefetch(std::uint32_t leaf) const {
#if defined(__GNUC__) || defined(__clang__)
    const std::size_t count = table_.cuts_of.size(), at = boxes_.leaves[leaf].ranges_begin;
    if (at >= count) return;
    const LeafTable::RangeCuts* const cuts = table_.cuts_of.data();
    __builtin_prefetch(cuts + at);
    __builtin_prefetch(cuts + std::min(at + cache_line / sizeof(LeafTable::RangeCuts), count - 1));
#endif
  }
  static constexpr std::ptrdiff_t ahead = 8;
  static constexpr std::size_t cache_line = 64;

  /// add_ranges() and close_leaf() where all variables are plain: every range is written, and one
  /// that takes all near cells is written over by the next.
  void add_plain(std::size_t tree, std::uint32_t leaf) {
    const LeafBox& box = boxes_.leaves[leaf];
    const LeafTable::RangeCuts* const cuts_of = table_.cuts_of.data();
    const std::uint32_t* const sizes = near_size_.data();
    LeafRange* const to = raw_.leaves.ranges.data();
    std::size_t at = written_;
    bool empty = false;
    for (std::uint32_t s = box.ranges_begin; s < box.ranges_end; ++s) {
      const auto [begin, end] = cuts_of[s];
      const auto [first, v] = near_cut_[begin];
      const std::uint32_t last = near_cut_[end].cell;
      to[at] = {v, first, last};
      at += last - first < sizes[v] ? 1U : 0U;
      empty |= first >= last;
    }
    if (empty) return;
    written_ = at;
    raw_.leaves.ranges_begin[++kept_] = static_cast<std::uint32_t>(at);
    add_values(tree, leaf);
  }

  /// Adds the plain ranges of a leaf and collects the odd ones. False when the leaf has no near
  /// cell that a point may take.
  bool add_ranges(std::uint32_t leaf) {
    const LeafBox& box = boxes_.leaves[leaf];
    odd_.clear();
    for (std::uint32_t s = box.ranges_begin; s < box.ranges_end; ++s) {
      // Of a plain range the tables of cuts tell everything. The ranges themselves are mostly not
      // in the cache, and waiting for them takes longer than all the rest.
      const auto [first, v] = near_cut_[table_.cuts_of[s].first];
      if (kind_[v] == Kind::odd || (lists_ && boxes_.ranges[s].list != PathRange::no_list)) {
        odd_.push_back(s);
        continue;
      }
      if (kind_[v] == Kind::missing) {
        if (!boxes_.ranges[s].missing) return false;
        continue;
      }
      const std::uint32_t last = near_cut_[table_.cuts_of[s].last].cell;
      if (first >= last) return false;
      if (last - first < near_[v].size()) raw_.leaves.ranges.push_back({v, first, last});
    }
    return true;
  }

  void close_leaf(std::size_t tree, std::uint32_t leaf) {
    raw_.leaves.ranges_begin.push_back(static_cast<std::uint32_t>(raw_.leaves.ranges.size()));
    add_values(tree, leaf);
  }

  void add_values(std::size_t tree, std::uint32_t leaf) {
    const LeafValues& leaves = table_.leaves;
    const double* values = leaves.values_of(tree, leaf);
    for (std::uint32_t r = 0; r < leaves.rows[tree].count; ++r) {
      raw_.leaves.values.push_back(values[r]);
    }
  }

  /// Cuts a leaf into pieces. All pieces have the plain ranges, which are those from `from` on.
  void add_pieces(std::size_t from, std::size_t tree, std::uint32_t leaf) {
    std::vector<LeafRange>& ranges = raw_.leaves.ranges;
    plain_.assign(ranges.begin() + static_cast<std::ptrdiff_t>(from), ranges.end());
    ranges.resize(from);
    pieces_.begin();
    for (const std::uint32_t s : odd_) {
      pieces_.add(boxes_.ranges[s], boxes_.cells_of(boxes_.ranges[s]));
    }
    pieces_.each(most_, [&](std::span<const boxwood::LeafRange> cut) {
      pace_.work(1);
      if (ranges.size() > watch_.most_ranges()) watch_.stop_for_memory();
      ranges.insert(ranges.end(), plain_.begin(), plain_.end());
      for (const auto& [variable, cells] : cut) {
        ranges.push_back({variable, cells.first, cells.last});
      }
      close_leaf(tree, leaf);
      return true;
    });
  }

  const LeafTable& table_;
  const LeafBoxes& boxes_;
  std::span<const Variable> variables_;
  double most_;  // a leaf that costs more is too far
  Watch& watch_;
  Pace pace_;
  Problem raw_;
  struct NearCut {
    std::uint32_t cell = 0;  // the near cell that begins there, if the variable is plain
    std::uint32_t variable = 0;
  };
  std::vector<CellRange> near_;           // of a variable: the cells within the radius
  std::vector<std::uint32_t> near_size_;  // the number of them
  std::vector<Kind> kind_;                // of a variable
  std::vector<NearCut> near_cut_;         // of a cut of the model
  bool lists_;                            // whether some range is a list of ranges
  bool plain_model_ = false;              // no range needs more than the table of cuts
  std::vector<std::uint32_t> near_leaves_;
  std::size_t written_ = 0, kept_ = 0;  // of a plain model: ranges and leaves so far
  Pieces pieces_;
  std::vector<std::uint32_t> odd_;  // ranges of a leaf that may cut it into pieces
  std::vector<LeafRange> plain_;
};

}  // namespace

Problem gather(const LeafTable& table, const LeafBoxes& boxes, std::span<const Variable> variables,
               NearLeaves& near, std::span<const double> thresholds, double radius, Watch& watch) {
  Gatherer gatherer(table, boxes, variables, radius, watch);
  gatherer.add_leaves(near);
  Problem raw = gatherer.take();
  raw.thresholds.assign(thresholds.begin(), thresholds.end());
  return raw;
}

}  // namespace boxwood::fast
