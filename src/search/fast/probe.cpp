#include "search/fast/probe.hpp"

#include "search/fast/simd.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace boxwood::fast {
namespace {

/// A leaf's extra is kept up to date over a path of boxes. What was taken off it has become part of
/// the box's cost, which is at most the radius, and what is left is at most the radius too if the
/// leaf is to stay: no term was ever larger than twice the radius. With fewer than 2^16 terms and
/// steps the sum strays by less than this part of the radius.
constexpr double drift = 0x1p-36;
/// Two sums of the same costs in different orders are closer than this, relatively.
constexpr double close = 0x1p-30;

}  // namespace

void Probe::bind(const Problem& problem) {
  problem_ = &problem;
  is_sorted_ = false;
  const std::size_t leaves = problem.leaf_count();
  if (boxes_by_depth_.empty()) boxes_by_depth_.emplace_back();
  ProbeBox& box = boxes_by_depth_[0];
  box.range.resize(problem.variable_count());
  box.nearest = problem.nearest;
  for (std::size_t v = 0; v < problem.variable_count(); ++v) {
    box.range[v] = {0, problem.cell_count(v)};
  }
  box.owner = 0;
  box.own.extra.resize(leaves);
  box.own.outside.resize(leaves);
  box.own.around.assign((leaves + 63) / 64, 0);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    double extra = 0;
    std::uint32_t outside = 0;
    for (const Side& side : problem.leaves.sides_of(leaf)) {
      const std::uint32_t v = side.variable;
      const std::uint32_t own = problem.nearest[v];
      if (own >= side.first && own < side.last) continue;
      extra += problem.cost_at(v, problem.nearest_in(v, side.first, side.last)) -
               problem.cost_at(v, own);
      ++outside;
    }
    box.own.extra[leaf] = extra;
    box.own.outside[leaf] = outside;
    if (outside == 0) box.own.around[leaf / 64] |= std::uint64_t{1} << (leaf % 64);
  }
  box.alive.assign((leaves + 63) / 64, ~std::uint64_t{0});
  if (leaves % 64 != 0) box.alive.back() = (std::uint64_t{1} << (leaves % 64)) - 1;
  box.filtered = std::numeric_limits<double>::infinity();
  box.asked = ProbeBox::Asked::no;
  box.next = 0;
  box.holds_known = developer_build && problem.holds_known;
  if (box.holds_known) {
    holds_known_.assign(leaves, 1);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      for (const Side& side : problem.leaves.sides_of(leaf)) {
        const std::uint32_t cell = problem.known[side.variable];
        if (cell < side.first || cell >= side.last) holds_known_[leaf] = 0;
      }
    }
  }
  box.best.assign(problem.leaves.tree_count(), nothing);
  box.here.resize(problem.leaves.tree_count());
  box.knows_here = false;
  gain_.assign(problem.cost.size() + problem.variable_count(), 0.0);
  // Not where some trees add to a row and others take from it: the allowance for rounding is for
  // each row's own sum.
  one_demand_ = context_.demands.size() == 1 &&
                (context_.demands[0].minus == Demand::none ||
                 std::all_of(problem.leaves.rows.begin(), problem.leaves.rows.end(),
                             [](Leaves::Rows rows) { return rows.count > 1; }));
  if (!one_demand_) return;
  scores_.resize(leaves);
  for (std::size_t t = 0; t < problem.leaves.tree_count(); ++t) {
    const Leaves::Rows rows = problem.leaves.rows[t];
    const double* values = &problem.leaves.values[problem.leaves.values_begin[t]];
    const std::uint32_t end = problem.leaves.tree_begin[t + 1];
    for (std::uint32_t leaf = problem.leaves.tree_begin[t]; leaf < end; ++leaf) {
      scores_[leaf] = score(context_.demands[0], rows, values);
      values += rows.count;
    }
  }
}

/// Counting sort by cut. Cuts are numbered through all variables, n cells having n + 1.
void Probe::sort_testers() {
  const Problem& problem = *problem_;
  const std::size_t cuts = problem.cost.size() + problem.variable_count();
  const std::vector<Side>& sides = problem.leaves.sides;
  sorted_.begin_at.assign(cuts + 1, 0);
  sorted_.end_at.assign(cuts + 1, 0);
  const auto cut_at = [&](std::uint32_t v, std::uint32_t cell) {
    return problem.cell_begin[v] + v + cell;
  };
  for (const Side& side : sides) {
    ++sorted_.begin_at[cut_at(side.variable, side.first) + 1];
    ++sorted_.end_at[cut_at(side.variable, side.last) + 1];
  }
  std::partial_sum(sorted_.begin_at.begin(), sorted_.begin_at.end(), sorted_.begin_at.begin());
  std::partial_sum(sorted_.end_at.begin(), sorted_.end_at.end(), sorted_.end_at.begin());
  sorted_.begins.resize(sides.size());
  sorted_.ends.resize(sides.size());
  cursor_.assign(sorted_.begin_at.begin(), sorted_.begin_at.end());
  cursor_.insert(cursor_.end(), sorted_.end_at.begin(), sorted_.end_at.end());
  for (std::uint32_t leaf = 0; leaf < problem.leaf_count(); ++leaf) {
    for (const Side& side : problem.leaves.sides_of(leaf)) {
      sorted_.begins[cursor_[cut_at(side.variable, side.first)]++] = {side.first, leaf};
      sorted_.ends[cursor_[cuts + 1 + cut_at(side.variable, side.last)]++] = {side.last, leaf};
    }
  }
  is_sorted_ = true;
}

bool Probe::start(const Problem& problem, const Selection* keep) {
  bind(problem);
  for (std::size_t leaf = 0; keep && leaf < keep->leaf.size(); ++leaf) {
    if (!keep->leaf[leaf]) {
      boxes_by_depth_[0].alive[leaf / 64] &= ~(std::uint64_t{1} << (leaf % 64));
    }
  }
  depth_ = 0;
  if (!enter(boxes_by_depth_[0])) return false;
  first_branch_ = boxes_by_depth_[0].branch;
  return true;
}

bool Probe::search(std::uint64_t budget) {
  if (!is_sorted_) sort_testers();
  for (std::uint64_t used = 0;;) {
    if (boxes_by_depth_[depth_].next == 2) {
      if (depth_ == 0) return true;
      --depth_;
      continue;
    }
    if (used >= budget || context_.watch.stopped()) return false;
    ++used;
    if (boxes_by_depth_.size() < depth_ + 2) boxes_by_depth_.emplace_back();
    ProbeBox& box = boxes_by_depth_[depth_];
    // First the side that keeps the nearest point: it is often done at once.
    const bool left = (box.nearest[box.branch.variable] < box.branch.cell) == (box.next == 0);
    ++box.next;
    ProbeBox& child = boxes_by_depth_[depth_ + 1];
    make_child(box, child, left);
    if (enter(child)) ++depth_;
  }
}

double Probe::progress() const {
  double done = 0;
  double part = 0.5;
  for (std::size_t d = 0; d <= depth_; ++d, part /= 2) {
    // Of the deepest box the sides it has begun are done; of the others the last one is not.
    const int sides = boxes_by_depth_[d].next - (d < depth_ ? 1 : 0);
    done += part * sides;
  }
  return done;
}

void Probe::select(Selection& keep) const {
  const ProbeBox& box = boxes_by_depth_[0];
  for (std::size_t leaf = 0; leaf < keep.leaf.size(); ++leaf) {
    keep.leaf[leaf] &= static_cast<std::uint8_t>(box.alive[leaf / 64] >> (leaf % 64) & 1);
  }
}

void Probe::make_child(const ProbeBox& parent, ProbeBox& child, bool left) const {
  const Problem& problem = *problem_;
  const auto [v, cell] = parent.branch;
  child.range = parent.range;
  child.nearest = parent.nearest;
  child.alive = parent.alive;
  child.best = parent.best;
  child.here = parent.here;
  child.here_sum = parent.here_sum;
  child.knows_here = true;
  child.filtered = parent.filtered;
  child.owner = parent.owner;
  child.asked = parent.asked;
  child.next = 0;
  (left ? child.range[v].last : child.range[v].first) = cell;
  child.holds_known = parent.holds_known && child.range[v].contains(problem.known[v]);

  const auto kill = [&](const SortedTesters::End& end) {
    child.alive[end.leaf / 64] &= ~(std::uint64_t{1} << (end.leaf % 64));
  };
  const std::uint32_t cuts = problem.cell_begin[v] + v;
  const std::uint32_t count = problem.cell_count(v);
  if (left) {
    const std::uint32_t end = sorted_.begin_at[cuts + count];
    for (std::uint32_t i = sorted_.begin_at[cuts + cell]; i < end; ++i) kill(sorted_.begins[i]);
  } else {
    const std::uint32_t end = sorted_.end_at[cuts + cell + 1];
    for (std::uint32_t i = sorted_.end_at[cuts]; i < end; ++i) kill(sorted_.ends[i]);
  }
  const std::uint32_t own = parent.nearest[v];
  if (!child.range[v].contains(own)) {
    child.asked = ProbeBox::Asked::no;
    child.knows_here = false;
    child.filtered = std::numeric_limits<double>::infinity();
    child.own = state(parent);
    child.owner = depth_ + 1;
    move_nearest(child, v, own, left ? cell - 1 : cell);
  }
}

/// Moves the nearest point's cell up or down to the new end of the box. A leaf that begins beyond
/// the old cell costs less extra now, by what the box itself costs more; one that the new cell lies
/// in costs none any more. Leaves that end before the new cell are dead already.
void Probe::move_nearest(ProbeBox& child, std::uint32_t variable, std::uint32_t from,
                         std::uint32_t to) const {
  const Problem& problem = *problem_;
  const double* cost = &problem.cost[problem.cell_begin[variable]];
  const std::uint32_t cuts = problem.cell_begin[variable] + variable;
  LeafState& state = child.own;
  child.nearest[variable] = to;
  const auto come_nearer = [&](std::uint32_t leaf, std::uint32_t cell, bool reached) {
    const std::uint64_t bit = std::uint64_t{1} << (leaf % 64);
    if (!(child.alive[leaf / 64] & bit)) return;
    state.extra[leaf] -= cost[cell] - cost[from];
    if (reached && --state.outside[leaf] == 0) state.around[leaf / 64] |= bit;
  };
  if (to > from) {
    const std::uint32_t end = sorted_.begin_at[cuts + problem.cell_count(variable)];
    for (std::uint32_t i = sorted_.begin_at[cuts + from + 1]; i < end; ++i) {
      const auto [first, leaf] = sorted_.begins[i];
      come_nearer(leaf, std::min(first, to), first <= to);
    }
  } else {
    const std::uint32_t end = sorted_.end_at[cuts + from + 1];
    for (std::uint32_t i = sorted_.end_at[cuts]; i < end; ++i) {
      const auto [last, leaf] = sorted_.ends[i];
      come_nearer(leaf, std::max(last - 1, to), last - 1 >= to);
    }
  }
}

/// The radius bound. A point of the box in a leaf costs, in each variable, at least what the
/// cheapest cell of box and leaf costs: together the box's cost and the leaf's extra. Beyond the
/// best known cost nothing is worth finding, so the leaf's value must not count.
void Probe::filter(ProbeBox& box) const {
  const double radius = context_.reach();
  if (radius >= box.filtered || std::isinf(radius)) return;
  box.filtered = radius;
  const std::vector<double>& extra = state(box).extra;
  const double limit = radius - box.cost + drift * radius;
  const bool guarded = developer_build && box.holds_known && context_.known.cost() <= radius;
  const std::vector<std::uint64_t> before = guarded ? box.alive : std::vector<std::uint64_t>{};
  keep_within(extra.data(), extra.size(), limit, box.alive.data());
  for (std::size_t w = 0; w < before.size(); ++w) {
    for (std::uint64_t gone = before[w] & ~box.alive[w]; gone; gone &= gone - 1) {
      if (holds_known_[64 * w + static_cast<std::size_t>(std::countr_zero(gone))]) {
        KnownSolution::lost("radius");
      }
    }
  }
}

std::uint32_t Probe::first_alive(const std::vector<std::uint64_t>& words, std::size_t tree) const {
  const std::uint32_t begin = problem_->leaves.tree_begin[tree];
  const std::uint32_t end = problem_->leaves.tree_begin[tree + 1];
  std::uint32_t w = begin / 64;
  std::uint64_t word = words[w] >> (begin % 64) << (begin % 64);
  while (word == 0) {
    if (++w * 64 >= end) return nothing;
    word = words[w];
  }
  const std::uint32_t leaf = w * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
  return leaf < end ? leaf : nothing;
}

std::uint32_t Probe::last_alive(const std::vector<std::uint64_t>& words, std::size_t tree) const {
  const std::uint32_t begin = problem_->leaves.tree_begin[tree];
  const std::uint32_t end = problem_->leaves.tree_begin[tree + 1];
  std::uint32_t w = (end - 1) / 64;
  std::uint64_t word = words[w] << (63 - (end - 1) % 64) >> (63 - (end - 1) % 64);
  while (word == 0) {
    if (w * 64 <= begin) return nothing;
    word = words[--w];
  }
  const std::uint32_t leaf = w * 64 + 63 - static_cast<std::uint32_t>(std::countl_zero(word));
  return leaf >= begin ? leaf : nothing;
}

/// What the best alive leaves of all trees could reach: false when a demand is out of reach. A
/// point takes one alive leaf of each tree, so no point of the box scores more. Thresholds allow
/// for the rounding of these sums.
bool Probe::measure(ProbeBox& box) {
  if (!box.knows_here) locate(box);
  if (one_demand_) return measure_one(box);
  const Leaves& leaves = problem_->leaves;
  const std::size_t demands = context_.demands.size();
  high_.assign(context_.model.row_count, 0.0);
  low_.assign(context_.model.row_count, 0.0);
  bounds_.assign(demands, 0.0);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const std::uint32_t first = first_alive(box.alive, t);
    if (first == nothing) return false;
    const Leaves::Rows rows = leaves.rows[t];
    if (rows.count == 1) {
      high_[rows.first] += *leaves.values_of(t, first);
      low_[rows.first] += *leaves.values_of(t, last_alive(box.alive, t));
    } else {
      for (std::size_t m = 0; m < demands; ++m) {
        double best = -std::numeric_limits<double>::infinity();
        for (std::uint32_t leaf = first; leaf < leaves.tree_begin[t + 1]; ++leaf) {
          if (!(box.alive[leaf / 64] >> (leaf % 64) & 1)) continue;
          best = std::max(best, score(context_.demands[m], rows, leaves.values_of(t, leaf)));
        }
        bounds_[m] += best;
      }
    }
  }
  for (std::size_t m = 0; m < demands; ++m) {
    const Demand& demand = context_.demands[m];
    bounds_[m] += demand.sign > 0 ? high_[demand.plus] : -low_[demand.plus];
    if (demand.minus != Demand::none) bounds_[m] -= low_[demand.minus];
    if (bounds_[m] < problem_->thresholds[m]) return false;
  }
  return probabilities_suffice();
}

/// The margins of a group, in units of the scores, are at most these, so the sum of exp(-margin) is
/// at least that of these.
/// If it exceeds 1 the probability is out of reach though every single lead is not. What exp and
/// the sum round is far less than what the thresholds have taken off.
bool Probe::probabilities_suffice() const {
  double sum = 0;
  for (std::size_t m = 0; m < bounds_.size(); ++m) {
    const std::int32_t group = context_.demands[m].group;
    if (group < 0) continue;
    if (m == 0 || context_.demands[m - 1].group != group) sum = 0;
    sum += std::exp(context_.demands[m].unit * (problem_->thresholds[m] - bounds_[m]));
    if (sum > 1 + 1e-9) return false;
  }
  return true;
}

/// The same where there is one demand. A tree's best leaf stays the best for as long as it lives.
/// Of a probability nothing more is to be asked: its sum has one term.
bool Probe::measure_one(ProbeBox& box) {
  // Several sums, because one would wait for every addition; thresholds allow for any order.
  double sums[4] = {0, 0, 0, 0};
  for (std::size_t t = 0; t < box.best.size(); ++t) {
    std::uint32_t& best = box.best[t];
    if (best == nothing || !(box.alive[best / 64] >> (best % 64) & 1)) {
      best = best_alive(box, t);
      if (best == nothing) return false;
    }
    sums[t % 4] += scores_[best];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]) >= problem_->thresholds[0];
}

std::uint32_t Probe::best_alive(const ProbeBox& box, std::size_t tree) const {
  const std::uint32_t first = first_alive(box.alive, tree);
  const Leaves::Rows rows = problem_->leaves.rows[tree];
  if (first == nothing) return nothing;
  // The largest value is the first.
  if (rows.count == 1) return context_.demands[0].sign > 0 ? first : last_alive(box.alive, tree);
  std::uint32_t best = first;
  for (std::uint32_t leaf = first + 1; leaf < problem_->leaves.tree_begin[tree + 1]; ++leaf) {
    if (!(box.alive[leaf / 64] >> (leaf % 64) & 1)) continue;
    if (scores_[leaf] > scores_[best]) best = leaf;
  }
  return best;
}

double Probe::least_alive(const ProbeBox& box, std::size_t tree) const {
  double least = std::numeric_limits<double>::infinity();
  const std::uint32_t end = problem_->leaves.tree_begin[tree + 1];
  for (std::uint32_t leaf = problem_->leaves.tree_begin[tree]; leaf < end; ++leaf) {
    if (box.alive[leaf / 64] >> (leaf % 64) & 1) least = std::min(least, scores_[leaf]);
  }
  return least;
}

/// The leaves that hold the nearest point. They cost nothing beyond the box, so no radius drops
/// them; one that is missing was excluded before.
void Probe::locate(ProbeBox& box) {
  const Leaves& leaves = problem_->leaves;
  const std::vector<std::uint64_t>& around = state(box).around;
  here_alive_.resize(box.alive.size());
  for (std::size_t w = 0; w < here_alive_.size(); ++w) here_alive_[w] = box.alive[w] & around[w];
  box.here_sum.assign(context_.model.row_count, 0.0);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    box.here[t] = first_alive(here_alive_, t);
    if (box.here[t] == nothing) continue;
    const Leaves::Rows rows = leaves.rows[t];
    const double* values = leaves.values_of(t, box.here[t]);
    for (std::uint32_t r = 0; r < rows.count; ++r) box.here_sum[rows.first + r] += values[r];
  }
  box.knows_here = true;
}

double Probe::exact_cost(const ProbeBox& box, std::uint32_t variable, std::uint32_t cell) const {
  problem_->grid_cells(box.nearest, cells_);
  if (variable != nothing) {
    cells_[problem_->variable_of[variable]] =
        problem_->choice[problem_->cell_begin[variable] + cell];
  }
  return context_.cost(cells_);
}

void Probe::guard(const ProbeBox& box, const char* prune) const {
  if (developer_build && box.holds_known && context_.known.cost() <= context_.reach()) {
    KnownSolution::lost(prune);
  }
}

/// False when the box is done.
bool Probe::enter(ProbeBox& box) {
  context_.watch.count_node();
  const Problem& problem = *problem_;
  box.cost = problem.fixed_cost;
  for (std::size_t v = 0; v < box.nearest.size(); ++v) {
    box.cost += problem.cost_at(v, box.nearest[v]);
  }
  // Costs never fall away from the nearest cells, and a sum in a fixed order never falls when one
  // of its terms grows: no point of the box has a smaller total cost than the nearest, to the last
  // bit.
  const double radius = context_.reach();
  if (box.cost > radius * (1 + close)) {
    guard(box, "cost");
    return false;
  }
  if (box.cost >= radius * (1 - close)) {
    const double cost = exact_cost(box, nothing, 0);
    if (cost > radius) {
      guard(box, "cost");
      return false;
    }
    // Every other point of the box changes what the nearest changes, and more.
    if (cost == radius && context_.incumbent.settled(context_.changes(cells_))) return false;
  }
  filter(box);
  if (!measure(box)) {
    guard(box, "score");
    return false;
  }
  if (ask(box)) {
    // Other points of the box cost more, unless rounding or equal costs hide the difference.
    if (!find_tie(box, box.branch)) return false;
    return true;
  }
  if (choose(box)) return true;
  return find_tie(box, box.branch);
}

/// Whether the nearest point meets the requirements; then it is offered.
bool Probe::ask(ProbeBox& box) {
  reached_.assign(context_.demands.size(), 0.0);
  bool enough = true;
  for (const std::uint32_t leaf : box.here) enough = enough && leaf != nothing;
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    const Demand& demand = context_.demands[m];
    reached_[m] = demand.sign * box.here_sum[demand.plus];
    if (demand.minus != Demand::none) reached_[m] -= box.here_sum[demand.minus];
    enough = enough && reached_[m] >= problem_->thresholds[m];
  }
  if (enough && box.asked == ProbeBox::Asked::no) {
    exact_cost(box, nothing, 0);
    box.asked = context_.offer(cells_) ? ProbeBox::Asked::met : ProbeBox::Asked::not_met;
  }
  return box.asked == ProbeBox::Asked::met;
}

/// A cell beside a nearest one that still costs no more than the best known point.
bool Probe::find_tie(const ProbeBox& box, Branch& branch) const {
  const double radius = context_.reach();
  double least = std::numeric_limits<double>::infinity();
  bool found = false;
  for (std::uint32_t v = 0; v < box.nearest.size(); ++v) {
    const std::uint32_t own = box.nearest[v];
    const double* cost = &problem_->cost[problem_->cell_begin[v]];
    const auto consider = [&](std::uint32_t cell, std::uint32_t cut) {
      const double more = cost[cell] - cost[own];
      if (more >= least || box.cost + more > radius * (1 + close)) return;
      if (box.cost + more >= radius * (1 - close) && exact_cost(box, v, cell) > radius) return;
      least = more;
      branch = {v, cut};
      found = true;
    };
    if (own > box.range[v].first) consider(own - 1, own);
    if (own + 1 < box.range[v].last) consider(own + 1, own + 1);
  }
  return found;
}

/// Branching by score: where the best alive leaves score more than those of the nearest point, the
/// sides that keep the nearest point out of them are worth cutting at. False when nothing is gained
/// anywhere.
bool Probe::choose(ProbeBox& box) {
  const Leaves& leaves = problem_->leaves;
  const std::vector<std::uint32_t>& outside = state(box).outside;
  weights_.assign(context_.model.row_count, 0.0);
  bool short_of_any = false;
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    short_of_any |= reached_[m] < problem_->thresholds[m];
  }
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    if (short_of_any && reached_[m] >= problem_->thresholds[m]) continue;
    const Demand& demand = context_.demands[m];
    // Of a probability's rivals the nearest count most.
    const double weight =
        demand.group < 0 ? 1.0
                         : std::exp(std::clamp(
                               demand.unit * (problem_->thresholds[m] - reached_[m]), -50.0, 50.0));
    weights_[demand.plus] += weight * demand.sign;
    if (demand.minus != Demand::none) weights_[demand.minus] -= weight;
  }
  touched_.clear();
  const auto share_out = [&](double gain, std::uint32_t best) {
    if (gain <= 0 || outside[best] == 0) return;
    const double share = gain / outside[best];
    for (const Side& side : leaves.sides_of(best)) {
      const std::uint32_t own = box.nearest[side.variable];
      if (own >= side.first && own < side.last) continue;
      const std::uint32_t cut = own < side.first ? side.first : side.last;
      const std::uint32_t at = problem_->cell_begin[side.variable] + side.variable + cut;
      if (gain_[at] == 0) touched_.push_back(at);
      gain_[at] += share;
    }
  };
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    if (one_demand_) {
      const std::uint32_t best = box.best[t], here = box.here[t];
      if (best == here) continue;
      share_out(scores_[best] - (here != nothing ? scores_[here] : least_alive(box, t)), best);
      continue;
    }
    const Leaves::Rows rows = leaves.rows[t];
    std::uint32_t best = nothing;
    double gain = 0;
    if (rows.count == 1) {
      const double weight = weights_[rows.first];
      if (weight == 0) continue;
      best = weight > 0 ? first_alive(box.alive, t) : last_alive(box.alive, t);
      const std::uint32_t other = box.here[t] != nothing ? box.here[t]
                                  : weight > 0           ? last_alive(box.alive, t)
                                                         : first_alive(box.alive, t);
      if (best == other) continue;
      gain = weight * (*leaves.values_of(t, best) - *leaves.values_of(t, other));
    } else {
      const auto weighed = [&](std::uint32_t leaf) {
        double sum = 0;
        for (std::uint32_t r = 0; r < rows.count; ++r) {
          sum += weights_[rows.first + r] * leaves.values_of(t, leaf)[r];
        }
        return sum;
      };
      double most = 0, least = 0;
      for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
        if (!(box.alive[leaf / 64] >> (leaf % 64) & 1)) continue;
        const double value = weighed(leaf);
        if (best == nothing || value > most) {
          if (best == nothing) least = value;
          best = leaf;
          most = value;
        }
        least = std::min(least, value);
      }
      gain = most - (box.here[t] != nothing ? weighed(box.here[t]) : least);
    }
    share_out(gain, best);
  }
  double most = 0;
  std::uint32_t cut = nothing;
  for (const std::uint32_t at : touched_) {
    if (gain_[at] > most || (gain_[at] == most && at < cut)) {
      most = gain_[at];
      cut = at;
    }
    gain_[at] = 0;
  }
  if (cut == nothing) return false;
  std::uint32_t v = 0;
  {
    // The cuts of variable v begin at cell_begin[v] + v.
    std::uint32_t low = 0, high = static_cast<std::uint32_t>(problem_->variable_count());
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (problem_->cell_begin[middle] + middle <= cut ? low : high) = middle;
    }
    v = low;
  }
  box.branch = {v, cut - problem_->cell_begin[v] - v};
  return true;
}

}  // namespace boxwood::fast
