// The leaves of a problem as the probe with one condition needs them: in the order of their scores,
// in whole units, with masks of those beyond a cut and scaled costs.
#include "base/infinity.hpp"
#include "search/fast/rounding.hpp"
#include "search/fast/unit_probe.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

namespace boxwood::fast {
namespace {

constexpr int scaled_bits = 29;
/// At least twice what is within the radius at first, so that a leaf with so large a cost is dead
/// whatever of it becomes part of the box's cost, and sums of two fit into 31 bits.
constexpr std::uint32_t most_scaled = std::uint32_t{1} << 30;

}  // namespace

/// With room for all lists at once: a vector that grows would copy them, because moving a deque may
/// throw, and copies have less room.
SpareLists::SpareLists() { lists_.reserve(most_kept); }
SpareLists::~SpareLists() = default;

UnitLists SpareLists::take() {
  const std::lock_guard lock(mutex_);
  if (lists_.empty()) return {};
  UnitLists last = std::move(lists_.back());
  lists_.pop_back();
  return last;
}

void SpareLists::give(UnitLists lists) {
  const auto bytes = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  std::size_t all = bytes(lists.mask_words_) + bytes(lists.far_) + bytes(lists.units_);
  for (const UnitBox& box : lists.boxes_by_depth_) {
    all += bytes(box.own_extra) + bytes(box.own_outside) + bytes(box.share) + bytes(box.gain);
  }
  const std::lock_guard lock(mutex_);
  if (all <= most_bytes && lists_.size() < most_kept) lists_.push_back(std::move(lists));
}

UnitProbe::~UnitProbe() {
  try {
    context_.table.spare->give(std::move(static_cast<UnitLists&>(*this)));
  } catch (const std::bad_alloc&) {
    // Then they are lost. A search that has run out of memory ends here, too.
  }
}

bool UnitProbe::bind(const Problem& problem) {
  problem_ = &problem;
  if (!fits() || !count_in_units()) return false;
  context_.watch.count_leaves(problem.leaf_count());
  words_ = words_for(problem.leaf_count());
  columns_.assign(problem.variable_count(), Column{});
  mask_words_.clear();
  scale_costs();
  if (boxes_by_depth_.empty()) boxes_by_depth_.emplace_back();
  count_memory();
  UnitBox& box = boxes_by_depth_[0];
  box.begin(problem);
  box.alive.assign(words_, ~std::uint64_t{0});
  if (problem.leaf_count() % bits_per_word != 0) {
    box.alive.back() = bit_in_word(problem.leaf_count()) - 1;
  }
  measure_leaves(box);
  if (box.holds_known) {
    known_.assign(words_, 0);
    for (std::size_t leaf = 0; leaf < problem.leaf_count(); ++leaf) {
      if (KnownSolution::holds(problem, leaf)) set_bit(known_.data(), place_of_[leaf]);
    }
  }
  return true;
}

/// Not where some trees add to one row of the condition and others to the other row: the allowance
/// for rounding is for the sum of each row.
bool UnitProbe::fits() const {
  if (context_.conditions.size() != 1 || !context_.conditions[0].weights.empty()) return false;
  constexpr std::size_t most_variables = 0xffff;  // UnitBox::own_outside counts ranges
  if (context_.has_needs() || problem_->leaf_count() == 0 ||
      problem_->variable_count() > most_variables) {
    return false;
  }
  const std::vector<Leaves::Rows>& rows = problem_->leaves.rows;
  return context_.conditions[0].minus == RowCondition::none ||
         std::all_of(rows.begin(), rows.end(), [](Leaves::Rows one) { return one.count > 1; });
}

/// Rounds the scores of all leaves up to whole units and the threshold down: leaves that reach the
/// threshold do so in units as well. Sums of units are exact in any order: all trees together have
/// less than 2^61 of them. False where the scores are too large to be added up. Puts the leaves of
/// each tree into descending order.
bool UnitProbe::count_in_units() {
  constexpr int total_bits = 60, most_exponent = 1000;
  constexpr double most = 0x1p62;
  const Leaves& leaves = problem_->leaves;
  const RowCondition& condition = context_.conditions[0];
  const bool plain = condition.minus == RowCondition::none;
  scores_.resize(leaves.count());
  leaf_at_.resize(leaves.count());
  place_of_.resize(leaves.count());
  tree_of_.resize(leaves.count());
  units_.resize(leaves.count());
  std::iota(leaf_at_.begin(), leaf_at_.end(), std::uint32_t{0});
  double total = 0;
  for (std::uint32_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    const double* values = &leaves.values[leaves.values_begin[t]];
    const std::uint32_t begin = leaves.tree_begin[t], end = leaves.tree_begin[t + 1];
    const bool simple = plain && rows.count == 1 && rows.first == condition.plus;
    double largest = 0;
    for (std::uint32_t leaf = begin; leaf < end; ++leaf) {
      scores_[leaf] = simple ? condition.sign * *values : score(condition, rows, values);
      largest = std::max(largest, std::abs(scores_[leaf]));
      tree_of_[leaf] = t;
      values += rows.count;
    }
    total += largest;
    // The leaf with the largest value comes first.
    const auto first = leaf_at_.begin() + begin, past = leaf_at_.begin() + end;
    if (simple && condition.sign < 0) {
      std::reverse(first, past);
    } else if (!simple) {
      std::sort(first, past, [&](std::uint32_t a, std::uint32_t b) {
        return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
      });
    }
  }
  if (!std::isfinite(total)) return false;
  int exponent = 0;  // total < 2^exponent
  std::frexp(total, &exponent);
  const double scale = std::ldexp(1.0, std::min(total_bits - exponent, most_exponent));
  for (std::uint32_t place = 0; place < units_.size(); ++place) {
    const double score = scores_[leaf_at_[place]];
    place_of_[leaf_at_[place]] = place;
    const double exact = score * scale;
    const auto whole = static_cast<std::int64_t>(exact);  // towards zero
    // The product is exact unless it underflows; a positive score is then 1 unit.
    units_[place] = whole + (exact > static_cast<double>(whole) || (exact == 0 && score > 0));
  }
  const double threshold = std::floor(problem_->thresholds[0] * scale);
  threshold_units_ = static_cast<std::int64_t>(std::clamp(threshold, -most, most));
  return true;
}

/// A power of two, so that products are exact unless they underflow, with which the radius has 28
/// or 29 bits. The extra cost of a leaf adds up, for every range that the nearest point is outside
/// of, the scaled cost of the range's nearest cell, rounded down, minus that of the point's own
/// cell, rounded up: so it is at most the exact one, and it depends on the point alone, not on the
/// way to it. What a range costs is at most `most_scaled`: enough for a dead leaf.
void UnitProbe::scale_costs() {
  constexpr int most_exponent = 1000;
  scaled_radius_ = context_.reach();
  if (std::isinf(scaled_radius_)) {
    scale_ = 0;
  } else {
    int exponent = scaled_bits - most_exponent;
    if (scaled_radius_ > 0) std::frexp(scaled_radius_, &exponent);
    scale_ = std::ldexp(1.0, std::min(scaled_bits - exponent, most_exponent));
  }
  costs_.resize(problem_->cost.size());
  low_costs_.resize(problem_->cost.size());
  for (std::size_t c = 0; c < costs_.size(); ++c) {
    const double cost = problem_->cost[c], scaled = cost * scale_;
    const std::uint32_t whole =
        scaled < most_scaled ? static_cast<std::uint32_t>(scaled) : most_scaled;
    low_costs_[c] = whole;
    costs_[c] = whole + (whole < most_scaled &&
                         (static_cast<double>(whole) < scaled || (scaled == 0 && cost > 0)));
  }
  far_.clear();
  for (Column& column : columns_) column.up = column.down = not_made;
}

/// The radius has become so much smaller that scaled costs say little: scales them anew, and the
/// extra costs of all open boxes.
void UnitProbe::scale_again() {
  scale_costs();
  for (std::size_t d = 0; d <= depth_; ++d) {
    UnitBox& box = boxes_by_depth_[d];
    if (box.moved) {
      measure_leaves(box);
    } else {
      box.extra = boxes_by_depth_[d - 1].extra;
      box.outside = boxes_by_depth_[d - 1].outside;
    }
  }
}

/// Adds up the extra costs of all leaves, and counts the ranges that the nearest point is not in.
void UnitProbe::measure_leaves(UnitBox& box) const {
  box.own_extra.assign(words_ * bits_per_word, 0);
  box.own_outside.assign(words_ * bits_per_word, 0);
  for (std::uint32_t place = 0; place < units_.size(); ++place) {
    std::uint64_t extra = 0;
    std::uint16_t outside = 0;
    for (const LeafRange& range : problem_->leaves.ranges_of(leaf_at_[place])) {
      // Whether a range holds the nearest point cannot be predicted: it then adds 0.
      const std::uint32_t v = range.variable, own = box.nearest[v];
      const bool below = own < range.first, inside = !below && own < range.last;
      const std::uint32_t cell = below ? range.first : range.last - 1;
      const std::uint32_t there = low_costs_[problem_->cell_begin[v] + cell];
      const std::uint32_t here = costs_[problem_->cell_begin[v] + own];
      extra += inside ? 0 : std::max(there, here) - here;
      outside = static_cast<std::uint16_t>(outside + (inside ? 0 : 1));
    }
    constexpr std::uint64_t most = 0x7fffffff;
    box.own_extra[place] = static_cast<std::uint32_t>(std::min(extra, most));
    box.own_outside[place] = outside;
  }
  box.extra = box.own_extra.data();
  box.outside = box.own_outside.data();
}

/// Boxes keep their lists from problem to problem, so the largest problem decides. Lists that came
/// from an earlier search count as far as this one uses them: its limit on memory must not depend
/// on what was asked before. A list that grows has room for at most twice its length.
void UnitProbe::count_memory() {
  const std::size_t trees = problem_->leaves.tree_count();
  const std::size_t box =
      words_ * (3 * sizeof(std::uint64_t) +
                bits_per_word * (sizeof(std::uint32_t) + sizeof(std::uint16_t))) +
      trees * (2 * sizeof(std::uint32_t) + sizeof(std::int64_t)) +
      cut_count() * sizeof(std::int64_t) +
      problem_->variable_count() * (sizeof(CellRange) + sizeof(std::uint32_t));
  const std::uint64_t all = used_boxes_ * box + 2 * (mask_words_.size() * sizeof(std::uint64_t) +
                                                     far_.size() * sizeof(std::uint32_t));
  if (all <= held_.bytes()) return;
  held_ = {};  // release the old amount before the new one is counted
  held_ = MemoryHold(context_.watch, all);
}

/// The leaves that begin at a cell or beyond it.
const std::uint64_t* UnitProbe::beginning_from(std::uint32_t v, std::uint32_t cell,
                                               std::vector<std::uint64_t>& scratch) {
  if (const std::uint64_t* const masks = masks_of(v)) return masks + words_ * 2 * cell;
  scratch.assign(words_, 0);
  for (const Testers::Tester& tester : problem_->testers.of(v)) {
    if (tester.first >= cell) set_bit(scratch.data(), place_of_[tester.leaf]);
  }
  return scratch.data();
}

/// The leaves that end before a cell.
const std::uint64_t* UnitProbe::ending_by(std::uint32_t v, std::uint32_t cell,
                                          std::vector<std::uint64_t>& scratch) {
  if (const std::uint64_t* const masks = masks_of(v)) return masks + words_ * (2 * cell + 1);
  scratch.assign(words_, 0);
  for (const Testers::Tester& tester : problem_->testers.of(v)) {
    if (tester.last <= cell) set_bit(scratch.data(), place_of_[tester.leaf]);
  }
  return scratch.data();
}

/// For each cut of a variable a mask of the leaves that begin there or later, and one of those that
/// end there or before. Null where they would take too much memory.
const std::uint64_t* UnitProbe::masks_of(std::uint32_t v) {
  Column& column = columns_[v];
  if (column.masks != not_made) return &mask_words_[column.masks];
  const std::size_t cuts = problem_->cell_count(v) + 1, more = 2 * words_ * cuts;
  if (mask_words_.size() + more > most_mask_words) return nullptr;
  column.masks = mask_words_.size();
  mask_words_.resize(column.masks + more, 0);
  std::uint64_t* const masks = &mask_words_[column.masks];
  for (const Testers::Tester& tester : problem_->testers.of(v)) {
    const std::uint32_t place = place_of_[tester.leaf];
    set_bit(masks + words_ * 2 * tester.first, place);
    set_bit(masks + words_ * (2 * tester.last + 1), place);
  }
  for (std::size_t cut = 1; cut < cuts; ++cut) {
    const std::uint64_t* const before = masks + words_ * (2 * cut - 1);
    std::uint64_t* const here = masks + words_ * (2 * cut + 1);
    for (std::size_t w = 0; w < words_; ++w) here[w] |= before[w];
  }
  for (std::size_t cut = cuts - 1; cut-- > 0;) {
    const std::uint64_t* const after = masks + words_ * 2 * (cut + 1);
    std::uint64_t* const here = masks + words_ * 2 * cut;
    for (std::size_t w = 0; w < words_; ++w) here[w] |= after[w];
  }
  count_memory();
  return masks;
}

/// Of each leaf that begins above the nearest point of the whole problem, or ends below it, the
/// scaled cost of its range of a variable; 0 for all others.
const std::uint32_t* UnitProbe::far(std::uint32_t v, bool up) {
  std::size_t& at = up ? columns_[v].up : columns_[v].down;
  if (at != not_made) return &far_[at];
  const std::size_t leaves = words_ * bits_per_word;
  std::uint32_t* to = nullptr;
  if (far_.size() + leaves <= most_far) {
    at = far_.size();
    far_.resize(at + leaves, 0);
    to = &far_[at];
    count_memory();
  } else {
    scratch_far_.assign(leaves, 0);
    to = scratch_far_.data();
  }
  const std::uint32_t own = problem_->nearest[v];
  for (const Testers::Tester& tester : problem_->testers.of(v)) {
    const bool beyond = up ? tester.first > own : tester.last <= own;
    if (!beyond) continue;
    to[place_of_[tester.leaf]] =
        low_costs_[problem_->cell_begin[v] + (up ? tester.first : tester.last - 1)];
  }
  return to;
}

}  // namespace boxwood::fast
