#include "proof/search.hpp"

#include <boxwood/error.hpp>

#include "base/infinity.hpp"
#include "proof/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::proofs {

TreeWriter::TreeWriter(const ProofProblem& problem, const std::vector<Outcomes>& outcomes,
                       const ProofLimits& limits)
    : problem_(problem),
      outcomes_(outcomes),
      limits_(limits),
      tolls_(make_tolls(problem)),
      conditions_(priced_conditions(outcomes)) {
  std::uint32_t cuts = 0;
  for (const ProofVariable& variable : problem.variables) {
    gain_begin_.push_back(cuts);
    cuts += static_cast<std::uint32_t>(variable.bit_of.size()) + 1;
  }
  gain_.assign(cuts, 0.0);
}

void TreeWriter::check_limits() const {
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begun_;
  if (limits_.interrupt && limits_.interrupt->load()) throw Stopped{Stop::interrupt};
  if (used.count() > limits_.seconds) throw Stopped{Stop::time};
  if (boxes_ > limits_.boxes) throw Stopped{Stop::nodes};
}

void TreeWriter::start(Level& level) const {
  level.box = problem_.box;
  level.measure = problem_.measure_of_box(level.box.data());
  level.nearest.clear();
  for (const ProofVariable& variable : problem_.variables) {
    level.nearest.push_back(ProofProblem::lowest(variable.part, level.box.data()));
  }
  level.live.clear();
  level.tree_begin.assign(1, 0);
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    for (std::uint32_t i = problem_.tree_begin[t]; i < problem_.tree_begin[t + 1]; ++i) {
      Live live{i, 0, {}};
      for (const LeafCells& side : problem_.cells_of(problem_.leaves[i])) {
        const std::uint32_t bit = ProofProblem::lowest(problem_.variables[side.variable].part,
                                                       level.box.data(), &problem_.pool[side.mask]);
        if (bit == level.nearest[side.variable]) continue;
        ++live.outside;
        const Measure more = problem_.measure_of(side.variable, bit);
        const Measure less = problem_.measure_of(side.variable, level.nearest[side.variable]);
        live.extra.changes += more.changes - less.changes;
        live.extra.cost += more.cost - less.cost;
      }
      level.live.push_back(live);
    }
    level.tree_begin.push_back(static_cast<std::uint32_t>(level.live.size()));
  }
  level.fewer.clear();
  level.made = 0;
}

/// One side of a box's cut. False when nothing in it is better than the claim.
bool TreeWriter::make_child(const Level& parent, Level& child, bool first) const {
  const std::uint32_t v = parent.variable;
  const MaskPart part = problem_.variables[v].part;
  child.box = parent.box;
  for (std::uint32_t w = 0; w < part.words; ++w) {
    child.box[part.at + w] &= first ? parent.first[w] : ~parent.first[w];
  }
  const std::uint32_t before = parent.nearest[v];
  const std::uint32_t now = ProofProblem::lowest(part, child.box.data());
  if (now == ProofProblem::none) return false;
  child.nearest = parent.nearest;
  child.nearest[v] = now;
  child.measure = problem_.measure_of_box(child.box.data());
  child.made = 0;
  child.live.clear();
  child.tree_begin.assign(1, 0);
  child.fewer.clear();
  if (problem_.excluded(child.measure, child.box.data())) return false;
  const Measure box_before = problem_.measure_of(v, before), box_now = problem_.measure_of(v, now);
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    for (std::uint32_t i = parent.tree_begin[t]; i < parent.tree_begin[t + 1]; ++i) {
      Live live = parent.live[i];
      const LeafEntry& leaf = problem_.leaves[live.leaf];
      bool touched = before != now;
      if (!touched && !leaf.may_test(v)) {
        child.live.push_back(live);
        continue;
      }
      const std::span<const LeafCells> cells = problem_.cells_of(leaf);
      for (const LeafCells& side : cells) {
        if (side.variable != v) continue;
        const Word* mask = &problem_.pool[side.mask];
        const std::uint32_t bit = ProofProblem::lowest(part, child.box.data(), mask);
        if (bit == ProofProblem::none) {
          live.leaf = ProofProblem::none;
          break;
        }
        const std::uint32_t old = ProofProblem::lowest(part, parent.box.data(), mask);
        if (bit == old && !touched) break;
        touched = true;
        const Measure leaf_now = problem_.measure_of(v, bit);
        const Measure leaf_before = problem_.measure_of(v, old);
        live.extra.changes +=
            (leaf_now.changes - box_now.changes) - (leaf_before.changes - box_before.changes);
        live.extra.cost += (leaf_now.cost - box_now.cost) - (leaf_before.cost - box_before.cost);
        live.outside += (bit == now ? 0 : 1) - (old == before ? 0 : 1);
        break;
      }
      if (live.leaf == ProofProblem::none) continue;
      if (touched) {
        const Measure whole{child.measure.changes + live.extra.changes,
                            child.measure.cost + live.extra.cost};
        if (problem_.excluded(whole, child.box.data(), cells)) continue;
      }
      child.live.push_back(live);
    }
    const auto end = static_cast<std::uint32_t>(child.live.size());
    if (end - child.tree_begin.back() < parent.tree_begin[t + 1] - parent.tree_begin[t]) {
      child.fewer.push_back(static_cast<std::uint32_t>(t));
    }
    child.tree_begin.push_back(end);
  }
  return true;
}

/// Writes the variable, and at which positions the side changes; the last cells go to the second
/// child unless the number of positions is also an end.
void TreeWriter::emit_cut(const Level& level) {
  const ProofVariable& variable = problem_.variables[level.variable];
  std::vector<std::int32_t> ends;
  bool inside = has_bit(level.first.data(), variable.bit_of[0]);
  const auto count = static_cast<std::uint32_t>(variable.bit_of.size());
  for (std::uint32_t at = 0; at < count; ++at) {
    const std::uint32_t bit = variable.bit_of[at];
    const bool in = has_bit(level.first.data(), bit);
    if (in != inside) ends.push_back(static_cast<std::int32_t>(at));
    inside = in;
  }
  if (inside) ends.push_back(static_cast<std::int32_t>(count));
  tree_.push_back(static_cast<std::int32_t>(variable.feature));
  tree_.push_back(static_cast<std::int32_t>(ends.size()));
  tree_.insert(tree_.end(), ends.begin(), ends.end());
}

/// Writes a dual bound: unit, exponent, prices, and for each tree its shares.
void TreeWriter::emit_dual(const DualNumbers& numbers) {
  const auto put = [&](std::int64_t number) { tree_.push_back(static_cast<std::int32_t>(number)); };
  put(dual_bound);
  put(numbers.unit);
  put(numbers.exponent);
  for (const std::int64_t price : numbers.prices) put(price);
  auto shares = numbers.shares.begin();
  for (std::uint32_t t = 0; t < problem_.trees.size(); ++t) {
    const auto begin = shares;
    while (shares != numbers.shares.end() && shares->tree == t) ++shares;
    put(shares - begin);
    for (auto one = begin; one != shares; ++one) {
      put(problem_.variables[one->variable].feature);
      put(static_cast<std::int64_t>(one->runs.size()));
      for (const auto& [at, share] : one->runs) {
        put(at);
        put(share);
      }
    }
  }
}

void TreeWriter::keep(Level& level, std::span<const std::uint32_t> kept) {
  std::vector<Live> live;
  std::vector<std::uint32_t> begin{0};
  auto next = kept.begin();
  for (std::size_t t = 0; t + 1 < level.tree_begin.size(); ++t) {
    for (; next != kept.end() && *next < level.tree_begin[t + 1]; ++next) {
      live.push_back(level.live[*next]);
    }
    begin.push_back(static_cast<std::uint32_t>(live.size()));
  }
  level.live = std::move(live);
  level.tree_begin = std::move(begin);
}

/// A dual bound is written if it excludes a good part of the leaves.
bool TreeWriter::worthwhile(std::size_t kept, std::size_t live) const {
  return kept < live &&
         ((live - kept) * 100 >= live * tuning::least_excluded || limits_.plain_boxes == 0);
}

/// Applies the last dual bound that was written above to a smaller box.
bool TreeWriter::thin_again(std::size_t depth) {
  while (!found_.empty() && found_.back().depth >= depth) found_.pop_back();
  const auto last = std::find_if(found_.rbegin(), found_.rend(),
                                 [](const Found& found) { return found.written; });
  if (last == found_.rend()) return false;
  Level& level = levels_[depth];
  const std::vector<std::uint32_t> kept =
      thin({problem_, tolls_, conditions_}, last->numbers, level);
  if (!worthwhile(kept.size(), level.live.size())) return false;
  tree_.push_back(dual_bound);
  tree_.push_back(-1);
  keep(level, kept);
  return true;
}

/// Whether a dual bound excludes all leaves of some tree in a box, so that it is dead.
bool TreeWriter::closed_by(const DualNumbers& numbers, const Level& level) const {
  std::vector<char> has(problem_.trees.size(), 0);
  for (const std::uint32_t i : thin({problem_, tolls_, conditions_}, numbers, level)) {
    has[problem_.leaves[level.live[i].leaf].tree] = 1;
  }
  return std::find(has.begin(), has.end(), 0) != has.end();
}

/// Improves a dual bound while that pays; the bound. Each round costs as much as some boxes, and a
/// bound that hardly rises rises faster in the halves of the box, which start from it.
double TreeWriter::ascend(Dual& dual) const {
  const auto limit = static_cast<double>(tolls_.limit);
  double before = 0, bound = 0;
  for (int round = 0; round < tuning::most_rounds; ++round) {
    check_limits();
    bound = dual.ascend();
    if (bound > tuning::far_enough * limit) break;
    if (round == 0) before = bound;
    if ((round + 1) % tuning::rounds_per_check != 0) continue;
    if (bound - before <
        std::max(tuning::least_rise * limit, tuning::least_gap_share * (limit - bound))) {
      break;
    }
    before = bound;
  }
  return bound;
}

/// Looks for a dual bound that excludes leaves or the nearest point's cells, and writes it. False
/// if there is none.
bool TreeWriter::thin_anew(std::size_t depth) {
  Level& level = levels_[depth];
  std::size_t terms = 0;
  for (const Outcomes& outcome : outcomes_) {
    terms = std::max(terms, outcome.ensemble().base.size() * problem_.trees.size());
  }
  if (conditions_.empty() || terms > most_shares) return false;
  const DualProblem parts{problem_, tolls_, conditions_};
  Dual dual(parts, level);
  if (dual.share_count() == 0 || dual.share_count() > most_shares) return false;
  if (!found_.empty()) dual.start_from(found_.back().start);
  const double bound = ascend(dual);
  found_.push_back({depth, dual.start(), {}, false});
  const std::size_t fine = dual.count_kept(bound);
  const std::vector<CostlyCells> costly = costly_cells(dual, bound, level);
  if (costly.empty() && !worthwhile(fine, level.live.size())) return false;
  // The coarsest shares that exclude nearly as much as the exact ones.
  Found& found = found_.back();
  std::vector<std::uint32_t> kept;
  for (const int bits : tuning::share_bits) {
    found.numbers = dual.numbers(bits);
    kept = thin(parts, found.numbers, level);
    if (kept.size() * 100 <= fine * tuning::coarse_enough) break;
  }
  if (costly.empty() && !worthwhile(kept.size(), level.live.size())) return false;
  emit_dual(found.numbers);
  found.written = true;
  keep(level, kept);
  drop_costly(level, found.numbers, costly);
  return true;
}

/// Closes a box, or cuts it and returns true.
bool TreeWriter::close_or_cut(Level& level) {
  if (thinned_ && !drop_cells(level, std::move(level.fewer))) return false;
  const std::int32_t rule = closing_rule(level);
  if (rule != 0) {
    tree_.push_back(rule);
    return false;
  }
  choose_cut(level);
  emit_cut(level);
  return true;
}

/// Closes the box at a depth and everything below it, depth first. `enter` closes a box or cuts it.
/// False when that needs too many boxes.
template <typename Enter>
bool TreeWriter::walk(std::size_t from, std::uint64_t most_boxes, Enter enter) {
  const bool limited = most_boxes <= limits_.boxes;
  const std::uint64_t begin = boxes_;
  double done = 0;  // share of the box that is closed, if every cut halves it
  const auto close = [&](std::size_t depth) {
    done += std::ldexp(1.0, -static_cast<int>(depth - from));
  };
  levels_[from].made = 0;
  if (!enter(from)) return true;
  for (std::size_t depth = from;;) {
    while (levels_[depth].made == 2) {
      if (depth == from) return true;
      --depth;
    }
    if (levels_.size() == depth + 1) levels_.emplace_back();
    const bool first = levels_[depth].made++ == 0;
    const std::uint64_t used = ++boxes_ - begin;
    if (limited && used > most_boxes) return false;
    if (limited && used % tuning::boxes_per_progress == 0 &&
        done * static_cast<double>(most_boxes) <
            tuning::least_progress * static_cast<double>(used)) {
      return false;
    }
    if (boxes_ % tuning::boxes_per_limits == 0) check_limits();
    if (!make_child(levels_[depth], levels_[depth + 1], first)) {
      tree_.push_back(closed);
      close(depth + 1);
      continue;
    }
    if (enter(depth + 1)) {
      ++depth;
    } else {
      close(depth + 1);
    }
  }
}

/// Tries to close a box by cuts alone; leaves nothing behind if that takes too many boxes. Where it
/// failed in a box around this one that had not many more leaves, it would fail again.
bool TreeWriter::attempt(std::size_t depth, std::uint64_t boxes) {
  const std::size_t size = tree_.size();
  const std::size_t live = levels_[depth].live.size(), trees = problem_.trees.size();
  const std::size_t undecided = live - std::min(live, trees);
  if (!tried_.empty() && undecided > tuning::few_leaves &&
      undecided * 100 > tried_.back().undecided * tuning::much_fewer) {
    return false;
  }
  tried_.push_back({depth, undecided});
  if (walk(depth, boxes, [&](std::size_t at) { return close_or_cut(levels_[at]); })) return true;
  tree_.resize(size);
  levels_[depth].made = 0;
  return false;
}

/// Closes a box by cuts if few are needed; else first excludes leaves by a dual bound. True when
/// the box was cut and its children remain.
bool TreeWriter::enter(std::size_t depth) {
  while (!tried_.empty() && tried_.back().depth >= depth) tried_.pop_back();
  thin_again(depth);
  thinned_ =
      std::any_of(found_.begin(), found_.end(), [](const Found& one) { return one.written; });
  std::vector<std::uint32_t> all(problem_.trees.size());
  std::iota(all.begin(), all.end(), 0U);
  if (thinned_ && !drop_cells(levels_[depth], all)) return false;
  // A dual bound costs as much as some thousand boxes. Where one has excluded leaves, the next one
  // will too and is worth trying sooner. Where none ever did, cuts alone get more and more boxes.
  if (attempt(depth, limits_.plain_boxes * (thinned_ ? 1 : patience_))) return false;
  if (thin_anew(depth)) {
    thinned_ = true;
    patience_ = tuning::first_patience;
    useful_ = true;
    if (!drop_cells(levels_[depth], all) || attempt(depth, limits_.plain_boxes)) return false;
  } else if (!useful_ && ++failures_ >= tuning::enough_failures) {
    patience_ = std::min(2 * patience_, tuning::most_patience);
  }
  return close_or_cut(levels_[depth]);
}

std::vector<std::int32_t> TreeWriter::write() {
  check_limits();
  levels_.assign(1, {});
  start(levels_[0]);
  ++boxes_;
  if (problem_.excluded(levels_[0].measure, levels_[0].box.data())) return {closed};
  walk(0, std::numeric_limits<std::uint64_t>::max(), [&](std::size_t at) { return enter(at); });
  return tree_;
}

}  // namespace boxwood::proofs
