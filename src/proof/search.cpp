#include "proof/search.hpp"

#include <boxwood/error.hpp>

#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::proofs {

TreeWriter::TreeWriter(const ProofProblem& problem, const std::vector<Outcomes>& outcomes,
                       const ProofLimits& limits)
    : problem_(problem), outcomes_(outcomes), limits_(limits) {
  std::uint32_t cuts = 0;
  for (const ProofVariable& variable : problem.variables) {
    gain_begin_.push_back(cuts);
    cuts += static_cast<std::uint32_t>(variable.bit_of.size()) + 1;
  }
  gain_.assign(cuts, 0.0);
}

void TreeWriter::check_limits() const {
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begun_;
  const bool stopped = limits_.interrupt && limits_.interrupt->load();
  if (boxes_ > limits_.boxes || used.count() > limits_.seconds || stopped) {
    throw Error("proof",
                stopped ? "interrupted before the proof was complete"
                        : "a limit was reached before the proof was complete",
                "Allow more boxes or more time");
  }
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
  if (problem_.excluded(child.measure, child.box.data())) return false;
  const Measure box_before = problem_.measure_of(v, before), box_now = problem_.measure_of(v, now);
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    for (std::uint32_t i = parent.tree_begin[t]; i < parent.tree_begin[t + 1]; ++i) {
      Live live = parent.live[i];
      const LeafEntry& leaf = problem_.leaves[live.leaf];
      bool touched = before != now;
      if (!touched && (leaf.tests >> (v % 64) & 1) == 0) {
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
    child.tree_begin.push_back(static_cast<std::uint32_t>(child.live.size()));
  }
  return true;
}

bool TreeWriter::broken_clause(const Level& level) const {
  for (const std::vector<LiteralCells>& clause : problem_.clauses) {
    const bool can_hold =
        std::any_of(clause.begin(), clause.end(), [&](const LiteralCells& literal) {
          const std::uint32_t v = literal.variable;
          const std::uint32_t bit = ProofProblem::lowest(problem_.variables[v].part,
                                                         level.box.data(), literal.mask.data());
          if (bit == ProofProblem::none) return false;
          const Measure more = problem_.measure_of(v, bit);
          const Measure less = problem_.measure_of(v, level.nearest[v]);
          const Measure whole{level.measure.changes + more.changes - less.changes,
                              level.measure.cost + more.cost - less.cost};
          return !problem_.excluded(whole, level.box.data(), {}, &literal);
        });
    if (!can_hold) return true;
  }
  return false;
}

/// The largest and smallest live value of every tree with one output.
void TreeWriter::gather_extremes(const Level& level) {
  most_.assign(problem_.trees.size(), -infinity);
  least_.assign(problem_.trees.size(), infinity);
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].output == Tree::every_output) continue;
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const double value = *problem_.leaves[level.live[i].leaf].values;
      most_[t] = std::max(most_[t], value);
      least_[t] = std::min(least_[t], value);
    }
  }
}

double TreeWriter::most(const Level& level, const Outcomes& outcome,
                        const LinearCondition& condition) const {
  double sum = 0;
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].model != outcome.model()) continue;
    if (problem_.trees[t].output != Tree::every_output) {
      const auto output = static_cast<std::size_t>(problem_.trees[t].output);
      if (output == condition.plus) sum += condition.sign > 0 ? most_[t] : -least_[t];
      if (output == condition.minus) sum -= least_[t];
      continue;
    }
    double best = -infinity;
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const double* values = problem_.leaves[level.live[i].leaf].values;
      double value = condition.sign * values[condition.plus];
      if (condition.minus != LinearCondition::none) value -= values[condition.minus];
      best = std::max(best, value);
    }
    sum += best;
  }
  return sum;
}

bool TreeWriter::fails(const Level& level, const Outcomes& outcome,
                       const LinearCondition& condition) const {
  if (condition.least == infinity) return true;
  if (!condition.probability) return most(level, outcome, condition) < condition.least;
  double total = 1;
  for (std::size_t rival = 0; rival < outcome.ensemble().base.size(); ++rival) {
    if (rival == condition.plus) continue;
    const double trees = most(level, outcome, {condition.plus, rival});
    total += std::exp(-outcome.lead_bound(condition.plus, rival, trees)) * (1 - 1e-9);
  }
  return 1 / total < *condition.probability - 1e-9;
}

bool TreeWriter::refuted(const Level& level, const Outcomes& outcome) {
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (level.tree_begin[t] == level.tree_begin[t + 1]) return true;
  }
  const Ways& ways = outcome.ways();
  const bool no_way = std::all_of(ways.begin(), ways.end(), [&](const auto& way) {
    return std::any_of(way.begin(), way.end(), [&](const LinearCondition& condition) {
      return fails(level, outcome, condition);
    });
  });
  if (no_way) return true;
  std::vector<const double*> values;
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].model != outcome.model()) continue;
    if (level.tree_begin[t + 1] - level.tree_begin[t] != 1) return false;
    values.push_back(problem_.leaves[level.live[level.tree_begin[t]].leaf].values);
  }
  return outcome.holds(scores_of(outcome.ensemble(), values)) == false;
}

/// The rule that closes a box; 0 if none does.
std::int32_t TreeWriter::closing_rule(const Level& level) {
  if (broken_clause(level)) return by_clause;
  gather_extremes(level);
  for (std::size_t r = 0; r < outcomes_.size(); ++r) {
    if (refuted(level, outcomes_[r])) return by_first_requirement - static_cast<std::int32_t>(r);
  }
  return 0;
}

/// The sums of the leaves of a box's nearest point, for each output of a model.
std::vector<double> TreeWriter::here_sums(const Level& level, std::size_t model) const {
  std::vector<double> sums;
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].model != model) continue;
    const auto here = std::find_if(level.live.begin() + level.tree_begin[t],
                                   level.live.begin() + level.tree_begin[t + 1],
                                   [](const Live& live) { return live.outside == 0; });
    if (here == level.live.begin() + level.tree_begin[t + 1]) return {};  // only with a wrong prune
    const double* values = problem_.leaves[here->leaf].values;
    const std::int32_t output = problem_.trees[t].output;
    for (const Outcomes& outcome : outcomes_) {
      if (outcome.model() == model) sums.resize(outcome.ensemble().base.size(), 0.0);
    }
    if (output != Tree::every_output) {
      sums[static_cast<std::size_t>(output)] += *values;
    } else {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[k];
    }
  }
  return sums;
}

/// Weights of outputs, model by model: what the nearest point lacks. False when it lacks nothing
/// that is linear.
bool TreeWriter::weigh(const Level& level, std::vector<std::vector<double>>& weights) const {
  bool any = false;
  for (const Outcomes& outcome : outcomes_) {
    const std::vector<double> sums = here_sums(level, outcome.model());
    if (sums.empty()) continue;
    weights.resize(std::max(weights.size(), outcome.model() + 1));
    const auto lacks = [&](const LinearCondition& condition) {
      if (condition.probability) return false;
      double value = condition.sign * sums[condition.plus];
      if (condition.minus != LinearCondition::none) value -= sums[condition.minus];
      return value < condition.least;
    };
    // A requirement that the nearest point meets in one way asks for nothing.
    const Ways& ways = outcome.ways();
    if (std::any_of(ways.begin(), ways.end(),
                    [&](const auto& way) { return std::none_of(way.begin(), way.end(), lacks); })) {
      continue;
    }
    // Of the ways that are left, the first.
    for (const std::vector<LinearCondition>& way : ways) {
      if (std::any_of(way.begin(), way.end(), [&](const LinearCondition& condition) {
            return fails(level, outcome, condition);
          })) {
        continue;
      }
      std::vector<double>& own = weights[outcome.model()];
      own.resize(sums.size(), 0.0);
      for (const LinearCondition& condition : way) {
        if (!lacks(condition)) continue;
        own[condition.plus] += condition.sign;
        if (condition.minus != LinearCondition::none) own[condition.minus] -= 1;
        any = true;
      }
      break;
    }
  }
  if (any) return true;
  // A probability that the leads of the nearest point do not reach.
  for (const Outcomes& outcome : outcomes_) {
    for (const std::vector<LinearCondition>& way : outcome.ways()) {
      for (const LinearCondition& condition : way) {
        if (!condition.probability) continue;
        const std::vector<double> sums = here_sums(level, outcome.model());
        if (sums.empty()) continue;
        weights.resize(std::max(weights.size(), outcome.model() + 1));
        std::vector<double>& own = weights[outcome.model()];
        own.resize(sums.size(), 0.0);
        for (std::size_t rival = 0; rival < sums.size(); ++rival) {
          if (rival == condition.plus) continue;
          const double lead =
              outcome.lead_bound(condition.plus, rival, sums[condition.plus] - sums[rival]);
          const double weight = std::exp(std::clamp(-lead, -50.0, 50.0));
          own[condition.plus] += weight;
          own[rival] -= weight;
          any = true;
        }
      }
    }
  }
  return any;
}

double TreeWriter::value_of(const LeafEntry& leaf, const std::vector<double>& weights) const {
  const std::int32_t output = problem_.trees[leaf.tree].output;
  if (output != Tree::every_output) return weights[static_cast<std::size_t>(output)] * *leaf.values;
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * leaf.values[k];
  return sum;
}

/// What each tree's best leaf scores more than the leaf of the nearest point is shared among the
/// variables that keep the nearest point out of it; the cut with the largest sum is chosen.
void TreeWriter::cut_by_gain(Level& level, const std::vector<std::vector<double>>& weights,
                             bool& found) {
  touched_.clear();
  std::vector<double> odd(problem_.variables.size(), 0.0), odd_best = odd;
  std::vector<const LeafCells*> odd_cells(problem_.variables.size(), nullptr);
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    const std::size_t model = problem_.trees[t].model;
    if (model >= weights.size() || weights[model].empty()) continue;
    const Live* best = nullptr;
    double most_value = -infinity, here = 0;
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const Live& live = level.live[i];
      const double value = value_of(problem_.leaves[live.leaf], weights[model]);
      if (live.outside == 0) here = value;
      if (value > most_value) {
        most_value = value;
        best = &live;
      }
    }
    if (!(most_value > here) || best->outside == 0) continue;
    const double share = (most_value - here) / best->outside;
    for (const LeafCells& side : problem_.cells_of(problem_.leaves[best->leaf])) {
      const std::uint32_t v = side.variable;
      const ProofVariable& variable = problem_.variables[v];
      const std::uint32_t bit = level.nearest[v];
      if ((problem_.pool[side.mask + bit / 64] >> (bit % 64) & 1) != 0) continue;
      const std::uint32_t own = variable.position_of[bit];
      if (side.range) {
        const std::uint32_t at = gain_begin_[v] + (own < side.first ? side.first : side.last);
        if (gain_[at] == 0) touched_.push_back(at);
        gain_[at] += share;
      } else {
        odd[v] += share;
        if (share > odd_best[v]) {
          odd_best[v] = share;
          odd_cells[v] = &side;
        }
      }
    }
  }
  double most_gain = 0;
  for (const std::uint32_t at : touched_) {
    if (gain_[at] > most_gain) {
      most_gain = gain_[at];
      const auto v = static_cast<std::uint32_t>(
          std::upper_bound(gain_begin_.begin(), gain_begin_.end(), at) - gain_begin_.begin() - 1);
      level.variable = v;
      const ProofVariable& variable = problem_.variables[v];
      level.first.assign(variable.part.words, 0);
      for (std::uint32_t position = 0; position < at - gain_begin_[v]; ++position) {
        const std::uint32_t bit = variable.bit_of[position];
        level.first[bit / 64] |= Word{1} << (bit % 64);
      }
    }
    gain_[at] = 0;
  }
  for (std::uint32_t v = 0; v < odd.size(); ++v) {
    if (odd[v] <= most_gain) continue;
    most_gain = odd[v];
    level.variable = v;
    const Word* mask = &problem_.pool[odd_cells[v]->mask];
    level.first.assign(mask, mask + problem_.variables[v].part.words);
  }
  found = most_gain > 0;
}

/// Separates the nearest point from its cheapest neighbour.
void TreeWriter::cut_cheapest(Level& level) const {
  double least = infinity;
  bool found = false;
  Mask rest = level.box;
  for (std::uint32_t v = 0; v < problem_.variables.size(); ++v) {
    const ProofVariable& variable = problem_.variables[v];
    const std::uint32_t bit = level.nearest[v];
    rest[variable.part.at + bit / 64] &= ~(Word{1} << (bit % 64));
    const std::uint32_t next = ProofProblem::lowest(variable.part, rest.data());
    if (next == ProofProblem::none) continue;
    const double more = variable.costs[next] - variable.costs[bit];
    if (found && more >= least) continue;
    found = true;
    least = more;
    level.variable = v;
    level.first.assign(variable.part.words, 0);
    level.first[bit / 64] |= Word{1} << (bit % 64);
  }
  if (found) return;
  throw Error("proof",
              "one combination of cells cannot be refuted: its outcome depends on the last digits "
              "of the library's arithmetic, or the answer is not what it claims to be",
              "Ask without a proof, and report the question if the answer seems wrong");
}

void TreeWriter::choose_cut(Level& level) {
  std::vector<std::vector<double>> weights;
  bool found = false;
  if (weigh(level, weights)) cut_by_gain(level, weights, found);
  if (!found) cut_cheapest(level);
}

/// Writes the variable and the positions of the cells that go to the first child.
void TreeWriter::emit_cut(const Level& level) {
  const ProofVariable& variable = problem_.variables[level.variable];
  std::vector<std::int32_t> ends;
  bool inside = false;
  const auto count = static_cast<std::uint32_t>(variable.bit_of.size());
  for (std::uint32_t at = 0; at < count; ++at) {
    const std::uint32_t bit = variable.bit_of[at];
    const bool in = (level.first[bit / 64] >> (bit % 64) & 1) != 0;
    if (in != inside) ends.push_back(static_cast<std::int32_t>(at));
    inside = in;
  }
  if (inside) ends.push_back(static_cast<std::int32_t>(count));
  tree_.push_back(static_cast<std::int32_t>(variable.feature));
  if (ends.size() == 2 && ends[0] == 0) {
    tree_.push_back(ends[1]);
    return;
  }
  tree_.push_back(-static_cast<std::int32_t>(ends.size()));
  tree_.insert(tree_.end(), ends.begin(), ends.end());
}

std::vector<std::int32_t> TreeWriter::write() {
  std::vector<Level> levels(1);
  start(levels[0]);
  ++boxes_;
  if (problem_.excluded(levels[0].measure, levels[0].box.data())) return {by_cost};
  std::size_t depth = 0;
  const auto enter = [&] {  // true when the box at `depth` stays open and was cut
    const std::int32_t rule = closing_rule(levels[depth]);
    if (rule != 0) {
      tree_.push_back(rule);
      return false;
    }
    choose_cut(levels[depth]);
    emit_cut(levels[depth]);
    return true;
  };
  if (!enter()) return tree_;
  for (;;) {
    while (levels[depth].made == 2) {
      if (depth == 0) return tree_;
      --depth;
    }
    if (levels.size() == depth + 1) levels.emplace_back();
    const bool first = levels[depth].made++ == 0;
    ++boxes_;
    if (boxes_ % 64 == 0) check_limits();
    if (!make_child(levels[depth], levels[depth + 1], first)) {
      tree_.push_back(by_cost);
      continue;
    }
    ++depth;
    if (!enter()) --depth;
  }
}

}  // namespace boxwood::proofs
