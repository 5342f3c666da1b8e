// From a problem to a smaller one: drops what is not selected and everything that this makes
// pointless.
#include "search/fast/problem.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace boxwood::fast {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// New numbers for the kept cells of each variable: `below` counts the kept cells before a cell.
class Renumbering {
 public:
  Renumbering(const Problem& problem, const std::vector<std::uint8_t>& keep)
      : begin_(problem.cell_begin), below_(problem.cost.size() + problem.variable_count(), 0) {
    count(keep);
  }

  void count(const std::vector<std::uint8_t>& keep) {
    for (std::size_t v = 0; v + 1 < begin_.size(); ++v) {
      std::uint32_t kept = 0;
      std::uint32_t* below = &below_[begin_[v] + v];
      for (std::uint32_t c = begin_[v]; c < begin_[v + 1]; ++c) {
        *below++ = kept;
        kept += keep[c];
      }
      *below = kept;
    }
  }

  std::uint32_t below(std::uint32_t variable, std::uint32_t cell) const {
    return below_[begin_[variable] + variable + cell];
  }
  std::uint32_t total(std::uint32_t variable) const {
    return below_[begin_[variable + 1] + variable];
  }

 private:
  const std::vector<std::uint32_t>& begin_;
  std::vector<std::uint32_t> below_;
};

class Reducer {
 public:
  /// Without a watch nothing is limited.
  Reducer(const Problem& from, Selection& keep, Watch* watch = nullptr)
      : from_(from),
        keep_(keep),
        watch_(watch),
        pace_(watch ? watch->pace() : Pace{}),
        number_(from, keep.cell),
        tested_by_(from.variable_count()) {}

  /// Drops leaves without a cell and cells for which a tree has no leaf, until nothing changes. A
  /// point takes one leaf of every tree, so a cell that no leaf of some tree holds is in no point.
  bool settle() {
    // A leaf can lose its cells only if some cells are dropped.
    bool holes = std::find(keep_.cell.begin(), keep_.cell.end(), 0) != keep_.cell.end();
    bool first_time = true;
    for (bool changed = true; changed; first_time = false) {
      changed = false;
      for (std::size_t t = 0; t < from_.leaves.tree_count(); ++t) {
        pace_.work(from_.leaves.tree_begin[t + 1] - from_.leaves.tree_begin[t]);
        const bool lost = drop_empty_leaves(t, holes);
        if (alive_ == 0) return false;
        // Which cells a tree supports depends only on its leaves.
        if (first_time || lost) changed |= drop_unsupported_cells(t);
      }
      if (changed) number_.count(keep_.cell);
      holes = true;
    }
    for (std::uint32_t v = 0; v < from_.variable_count(); ++v) {
      if (number_.total(v) == 0) return false;
    }
    return true;
  }

  /// build() where everything is kept: takes over the lists of leaves, which are the problem's own.
  Problem merge(Leaves& leaves, std::span<const RowCondition> conditions) {
    ends_.assign(from_.cost.size() + from_.variable_count(), 0);
    std::vector<std::uint32_t> tested(from_.variable_count(), 0);
    for (const LeafRange& range : leaves.ranges) {
      std::uint8_t* const ends = &ends_[from_.cell_begin[range.variable] + range.variable];
      ends[range.first] = ends[range.last] = 1;
      ++tested[range.variable];
    }
    build_cells(nullptr);
    to_.thresholds = from_.thresholds;
    to_.settled = from_.settled;
    Testers& testers = to_.testers;
    testers.begin.reserve(to_.variable_count() + 1);
    testers.list.resize(leaves.ranges.size());
    std::uint32_t next = 0;
    for (std::uint32_t v = 0; v < from_.variable_count(); ++v) {
      if (variable_to_[v] == none) continue;  // and then no leaf tests it
      testers.begin.push_back(next);
      next += std::exchange(tested[v], next);
    }
    testers.begin.push_back(next);
    std::size_t trees = 0, values = 0;
    std::uint32_t end = 0, begin = 0;  // of the leaves that stay, and of those before
    for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
      const Leaves::Rows rows = leaves.rows[t];
      const std::uint32_t past = leaves.tree_begin[t + 1], count = past - begin;
      const std::uint32_t first_value = leaves.values_begin[t];
      if (count == 1 && leaves.ranges_begin[begin] == leaves.ranges_begin[past]) {
        settle_tree(rows, &leaves.values[first_value], conditions);
        begin = past;
        continue;
      }
      leaves.rows[trees] = rows;
      leaves.values_begin[trees] = static_cast<std::uint32_t>(values);
      if (end != begin) {
        std::copy_n(leaves.values.begin() + first_value, std::size_t{count} * rows.count,
                    leaves.values.begin() + static_cast<std::ptrdiff_t>(values));
      }
      for (; begin < past; ++begin, ++end) {
        // Leaves without ranges have gone, so those of the others still begin where they did.
        const std::uint32_t past_range = leaves.ranges_begin[begin + 1];
        for (std::uint32_t s = leaves.ranges_begin[end]; s < past_range; ++s) {
          // Where a leaf begins or ends, a cell does: every range's variable keeps at least two.
          LeafRange& range = leaves.ranges[s];
          const std::uint32_t* const cells =
              &new_cell_[from_.cell_begin[range.variable] + range.variable];
          const std::uint32_t first = cells[range.first], last = cells[range.last];
          testers.list[tested[range.variable]++] = {end, s, first, last};
          range = {variable_to_[range.variable], first, last};
        }
        leaves.ranges_begin[end + 1] = past_range;
      }
      values += std::size_t{count} * rows.count;
      leaves.tree_begin[++trees] = end;
    }
    leaves.rows.resize(trees);
    leaves.values_begin.resize(trees);
    leaves.tree_begin.resize(trees + 1);
    leaves.values.resize(values);
    leaves.ranges_begin.resize(end + 1);
    to_.leaves = std::move(leaves);
    return std::move(to_);
  }

  Problem build(std::span<const RowCondition> conditions, Origin* origin) {
    mark_ends();
    if (watch_) {
      watch_->require_bytes(kept_ranges_ * (sizeof(LeafRange) + sizeof(Testers::Tester)) +
                            kept_leaves_ * (sizeof(std::uint32_t) + sizeof(double)));
    }
    build_cells(origin);
    to_.thresholds = from_.thresholds;
    to_.settled = from_.settled;
    to_.leaves.ranges.reserve(kept_ranges_);
    to_.leaves.ranges_begin.reserve(kept_leaves_ + 1);
    to_.leaves.values.reserve(kept_leaves_);
    for (std::size_t t = 0; t < from_.leaves.tree_count(); ++t) {
      pace_.work(from_.leaves.tree_begin[t + 1] - from_.leaves.tree_begin[t]);
      build_tree(t, conditions, origin);
    }
    to_.testers = list_testers(to_.leaves, to_.variable_count());
    return std::move(to_);
  }

 private:
  /// Counts the tree's remaining leaves in alive_; true when it has lost some.
  bool drop_empty_leaves(std::size_t tree, bool holes) {
    bool lost = false;
    alive_ = 0;
    for (std::uint32_t leaf = from_.leaves.tree_begin[tree];
         leaf < from_.leaves.tree_begin[tree + 1]; ++leaf) {
      if (!keep_.leaf[leaf]) continue;
      ++alive_;
      if (!holes) continue;
      for (const LeafRange& range : from_.leaves.ranges_of(leaf)) {
        if (number_.below(range.variable, range.first) ==
            number_.below(range.variable, range.last)) {
          keep_.leaf[leaf] = 0;
          --alive_;
          lost = true;
          break;
        }
      }
    }
    return lost;
  }

  /// Drops the cells that no leaf of the tree holds. Only a variable that every leaf tests can have
  /// such cells.
  bool drop_unsupported_cells(std::size_t tree) {
    touched_.clear();
    const std::uint32_t begin = from_.leaves.tree_begin[tree];
    const std::uint32_t end = from_.leaves.tree_begin[tree + 1];
    for (std::uint32_t leaf = begin; leaf < end; ++leaf) {
      if (!keep_.leaf[leaf]) continue;
      for (const LeafRange& range : from_.leaves.ranges_of(leaf)) {
        TestedBy& tested = tested_by_[range.variable];
        if (tested.leaves++ == 0) touched_.push_back(range.variable);
        tested.cells |= first_cells(range.last) & ~first_cells(range.first);
      }
    }
    bool changed = false;
    for (const std::uint32_t v : touched_) {
      const std::uint32_t cells = from_.cell_count(v);
      const bool covered = cells <= mask_bits && tested_by_[v].cells == first_cells(cells);
      if (tested_by_[v].leaves == alive_ && !covered) changed |= drop_gaps(begin, end, v);
      tested_by_[v] = {};
    }
    return changed;
  }

  /// A bit for each of the first 64 cells that is below `count`.
  static std::uint64_t first_cells(std::uint32_t count) {
    return count < mask_bits ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  }

  bool drop_gaps(std::uint32_t begin, std::uint32_t end, std::uint32_t variable) {
    ranges_.clear();
    for (std::uint32_t leaf = begin; leaf < end; ++leaf) {
      if (!keep_.leaf[leaf]) continue;
      for (const LeafRange& range : from_.leaves.ranges_of(leaf)) {
        if (range.variable == variable) ranges_.push_back({range.first, range.last});
      }
    }
    std::sort(ranges_.begin(), ranges_.end(),
              [](const CellRange& a, const CellRange& b) { return a.first < b.first; });
    ranges_.push_back({from_.cell_count(variable), from_.cell_count(variable)});
    bool changed = false;
    std::uint32_t covered = 0;
    for (const CellRange& range : ranges_) {
      for (; covered < range.first; ++covered) {
        std::uint8_t& kept = keep_.cell[from_.cell_begin[variable] + covered];
        changed |= kept != 0;
        kept = 0;
      }
      covered = std::max(covered, range.last);
    }
    return changed;
  }

  /// Marks where leaves begin and end. Neighbouring cells with no mark between them are merged.
  void mark_ends() {
    ends_.assign(from_.cost.size() + from_.variable_count(), 0);
    for (std::size_t leaf = 0; leaf < from_.leaf_count(); ++leaf) {
      if (!keep_.leaf[leaf]) continue;
      ++kept_leaves_;
      kept_ranges_ += from_.leaves.ranges_of(leaf).size();
      for (const LeafRange& range : from_.leaves.ranges_of(leaf)) {
        std::uint8_t* ends = &ends_[from_.cell_begin[range.variable] + range.variable];
        ends[number_.below(range.variable, range.first)] = 1;
        ends[number_.below(range.variable, range.last)] = 1;
      }
    }
  }

  void build_cells(Origin* origin) {
    to_.fixed_at = from_.fixed_at;
    to_.fixed_cost = from_.fixed_cost;
    to_.holds_known = from_.holds_known;
    std::size_t most_cells = from_.variable_count();
    for (const std::uint8_t end : ends_) most_cells += end;
    to_.reserve(from_.variable_count(), most_cells);
    to_.cell_begin.push_back(0);
    variable_to_.assign(from_.variable_count(), none);
    merged_.assign(ends_.size(), 0);
    new_cell_.resize(ends_.size());
    for (std::uint32_t v = 0; v < from_.variable_count(); ++v) {
      const std::uint32_t offset = from_.cell_begin[v] + v;
      const std::uint32_t kept = number_.total(v);
      std::uint32_t groups = 1;
      for (std::uint32_t c = 1; c < kept; ++c) {
        groups += ends_[offset + c];
        merged_[offset + c] = groups - 1;
      }
      merged_[offset + kept] = groups;
      for (std::uint32_t c = 0; c <= from_.cell_count(v); ++c) {
        new_cell_[offset + c] = merged_[offset + number_.below(v, c)];
      }
      const std::size_t first = to_.cost.size();
      add_cells(v, groups, origin);
      if (groups > 1) {
        variable_to_[v] = static_cast<std::uint32_t>(to_.variable_of.size());
        to_.variable_of.push_back(from_.variable_of[v]);
        to_.cell_begin.push_back(static_cast<std::uint32_t>(to_.cost.size()));
        to_.nearest.push_back(nearest_);
        if (origin) {
          origin->variable.push_back(v);
          origin->cell_end.push_back(static_cast<std::uint32_t>(to_.cost.size()));
        }
        if (from_.holds_known) to_.known.push_back(known_);
      } else {
        to_.fixed_at[from_.variable_of[v]] = to_.choice[first];
        to_.fixed_cost += to_.cost[first];
        to_.cost.resize(first);
        to_.choice.resize(first);
        if (origin) origin->cells.resize(first);
      }
      to_.holds_known = to_.holds_known && known_ != none;
    }
  }

  void add_cells(std::uint32_t v, std::uint32_t groups, Origin* origin) {
    const std::uint32_t offset = from_.cell_begin[v] + v;
    const std::size_t base = to_.cost.size();
    to_.cost.resize(base + groups, std::numeric_limits<double>::infinity());
    to_.choice.resize(base + groups, none);
    if (origin) origin->cells.resize(base + groups, CellRange{none, 0});
    const std::uint32_t own = from_.nearest[v];
    known_ = none;
    nearest_ = none;
    std::uint32_t nearest_away = 0;
    double nearest_cost = 0;
    std::uint32_t best_away = 0;
    std::uint32_t last_group = none;
    for (std::uint32_t c = 0; c < from_.cell_count(v); ++c) {
      const std::uint32_t flat = from_.cell_begin[v] + c;
      if (!keep_.cell[flat]) continue;
      const std::uint32_t group = new_cell_[offset + c];
      // Of cells with equal cost, the one nearest to the own cell is chosen, as everywhere.
      const std::uint32_t away = c < own ? own - c : c - own;
      const double cost = from_.cost[flat];
      if (group != last_group || cost < to_.cost[base + group] ||
          (cost == to_.cost[base + group] && away < best_away)) {
        to_.cost[base + group] = cost;
        to_.choice[base + group] = from_.choice[flat];
        best_away = away;
      }
      last_group = group;
      if (nearest_ == none || cost < nearest_cost ||
          (cost == nearest_cost && away < nearest_away)) {
        nearest_ = group;
        nearest_cost = cost;
        nearest_away = away;
      }
      if (origin) {
        CellRange& covers = origin->cells[base + group];
        covers.first = std::min(covers.first, c);
        covers.last = c + 1;
      }
      if (from_.holds_known && from_.known[v] == c) known_ = group;
    }
  }

  /// Every point takes the same leaf of a tree.
  void settle_tree(Leaves::Rows rows, const double* values,
                   std::span<const RowCondition> conditions) {
    for (std::size_t m = 0; m < conditions.size(); ++m) {
      to_.thresholds[m] -= score(conditions[m], rows, values);
    }
    for (std::uint32_t r = 0; !to_.settled.empty() && r < rows.count; ++r) {
      to_.settled[rows.first + r] += values[r];
    }
  }

  void build_tree(std::size_t tree, std::span<const RowCondition> conditions, Origin* origin) {
    const Leaves& leaves = from_.leaves;
    std::uint32_t alive = 0;
    std::uint32_t only = none;
    for (std::uint32_t leaf = leaves.tree_begin[tree]; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
      if (!keep_.leaf[leaf]) continue;
      ++alive;
      only = leaf;
    }
    if (alive == 1) {
      // Every remaining cell lies in this leaf, or settle() would have dropped the cell.
      settle_tree(leaves.rows[tree], leaves.values_of(tree, only), conditions);
      return;
    }
    Leaves& out = to_.leaves;
    out.rows.push_back(leaves.rows[tree]);
    out.values_begin.push_back(static_cast<std::uint32_t>(out.values.size()));
    if (origin) origin->tree.push_back(static_cast<std::uint32_t>(tree));
    for (std::uint32_t leaf = leaves.tree_begin[tree]; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
      if (!keep_.leaf[leaf]) continue;
      for (const LeafRange& range : leaves.ranges_of(leaf)) {
        const std::uint32_t v = variable_to_[range.variable];
        if (v == none) continue;
        const std::uint32_t offset = from_.cell_begin[range.variable] + range.variable;
        const std::uint32_t first = new_cell_[offset + range.first];
        const std::uint32_t last = new_cell_[offset + range.last];
        if (last - first < to_.cell_count(v)) out.ranges.push_back({v, first, last});
      }
      out.ranges_begin.push_back(static_cast<std::uint32_t>(out.ranges.size()));
      const double* values = leaves.values_of(tree, leaf);
      for (std::uint32_t r = 0; r < leaves.rows[tree].count; ++r) out.values.push_back(values[r]);
    }
    out.tree_begin.push_back(static_cast<std::uint32_t>(out.count()));
  }

  static constexpr std::uint32_t mask_bits = 64;

  const Problem& from_;
  Selection& keep_;
  Watch* watch_;
  Pace pace_;
  Renumbering number_;
  Problem to_;
  std::uint32_t alive_ = 0;
  std::size_t kept_leaves_ = 0, kept_ranges_ = 0;
  struct TestedBy {
    std::uint64_t cells = 0;   // of the first 64: those that some of the leaves take
    std::uint32_t leaves = 0;  // how many of the tree's leaves test the variable
  };
  std::vector<TestedBy> tested_by_;     // of a variable
  std::vector<std::uint32_t> touched_;  // the variables that some leaf tests
  std::vector<CellRange> ranges_;
  std::vector<std::uint8_t> ends_;       // of a kept cell: whether a leaf begins or ends here
  std::vector<std::uint32_t> merged_;    // of a kept cell: its new number
  std::vector<std::uint32_t> new_cell_;  // of a cut: the first new cell after it
  std::vector<std::uint32_t> variable_to_;
  std::uint32_t nearest_ = none;  // of the variable added last, as is the next
  std::uint32_t known_ = none;
};

}  // namespace

std::size_t Problem::bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  return sizeof(Problem) + of(leaves.tree_begin) + of(leaves.rows) + of(leaves.values_begin) +
         of(leaves.values) + of(leaves.ranges_begin) + of(leaves.ranges) + of(testers.begin) +
         of(testers.list) + of(variable_of) + of(cell_begin) + of(cost) + of(choice) + of(nearest) +
         of(thresholds) + of(settled) + of(fixed_at) + of(known);
}

std::size_t Origin::bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  return of(tree) + of(variable) + of(cell_end) + of(cells);
}

Origin compose(const Problem& middle, const Origin& first, const Origin& second) {
  Origin origin;
  for (const std::uint32_t tree : second.tree) origin.tree.push_back(first.tree[tree]);
  std::size_t cell = 0;
  for (std::size_t v = 0; v < second.variable.size(); ++v) {
    const std::uint32_t through = second.variable[v];
    origin.variable.push_back(first.variable[through]);
    const CellRange* covers = &first.cells[middle.cell_begin[through]];
    for (; cell < second.cell_end[v]; ++cell) {
      const CellRange range = second.cells[cell];
      origin.cells.push_back({covers[range.first].first, covers[range.last - 1].last});
    }
    origin.cell_end.push_back(static_cast<std::uint32_t>(cell));
  }
  return origin;
}

std::optional<Problem> reduce(const Problem& from, Selection& keep,
                              std::span<const RowCondition> conditions, Origin* origin) {
  Reducer reducer(from, keep);
  if (!reducer.settle()) return std::nullopt;
  return reducer.build(conditions, origin);
}

std::optional<Problem> reduce(const Problem& from, Selection& keep,
                              std::span<const RowCondition> conditions, Watch& watch) {
  Reducer reducer(from, keep, &watch);
  if (!reducer.settle()) return std::nullopt;
  return reducer.build(conditions, nullptr);
}

std::optional<Problem> merge(Problem raw, std::span<const RowCondition> conditions) {
  const std::vector<std::uint32_t>& begin = raw.leaves.tree_begin;
  if (std::adjacent_find(begin.begin(), begin.end()) != begin.end()) return std::nullopt;
  Selection all(raw);
  Reducer reducer(raw, all);
  return reducer.merge(raw.leaves, conditions);
}

}  // namespace boxwood::fast
