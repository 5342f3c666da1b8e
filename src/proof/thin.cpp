// Rule D as the checkers apply it, in whole numbers.
#include "proof/dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood::proofs {
namespace {

/// value * 2^exponent, rounded to a whole number; exact before rounding. Numbers below 2^-900 would
/// underflow; they lie between 0 and 1 (or -1) whatever the exponent is.
std::int64_t scaled(double value, int exponent, bool up) {
  double moved = std::ldexp(value, exponent);
  if (value != 0 && std::abs(value) < 0x1p-900) moved = value < 0 ? -0.5 : 0.5;
  moved = up ? std::ceil(moved) : std::floor(moved);
  if (!(std::abs(moved) < 0x1p62)) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(moved);
}

bool product(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  const double size = std::abs(static_cast<double>(a) * static_cast<double>(b));
  if (size > static_cast<double>(most_toll)) return false;
  sum += a * b;
  return true;
}

}  // namespace

Tolls make_tolls(const ProofProblem& problem) {
  const Query& query = problem.query();
  const Claim& claim = problem.claim();
  Tolls tolls{{}, std::int64_t{1} << 40};
  const bool by_cost = std::isfinite(claim.cost) && claim.cost > 0 && query.norm != Norm::linf &&
                       !query.fewest_first;
  std::optional<std::size_t> changes = query.max_changes;
  if (query.fewest_first && claim.changes) {
    changes = std::min(changes.value_or(*claim.changes), *claim.changes);
  }
  int exponent = 0;
  if (by_cost) {
    std::frexp(claim.cost, &exponent);
    exponent = 41 - exponent;
    const auto count = static_cast<std::int64_t>(problem.variables.size()) + 2;
    tolls.limit = scaled(claim.cost, exponent, false) + 2 + count / 1024;
  } else if (changes) {
    const std::size_t most = std::min(*changes, problem.variables.size());
    tolls.limit = (static_cast<std::int64_t>(most) + 1) << 30;
  }
  for (const ProofVariable& variable : problem.variables) {
    std::vector<std::int64_t>& list = tolls.of.emplace_back();
    for (std::size_t bit = 0; bit < variable.costs.size(); ++bit) {
      list.push_back(by_cost   ? std::min(scaled(variable.costs[bit], exponent, false), tolls.limit)
                     : changes ? std::int64_t{bit == 0 ? 0 : 1} << 30
                               : 0);
    }
  }
  return tolls;
}

std::vector<PricedCondition> priced_conditions(const std::vector<Outcomes>& outcomes) {
  std::vector<PricedCondition> conditions;
  for (const Outcomes& outcome : outcomes) {
    if (outcome.alternatives().size() != 1) continue;
    for (const Condition& condition : outcome.alternatives().front()) {
      if (!condition.part) conditions.push_back({outcome.model(), condition});
    }
  }
  return conditions;
}

std::vector<std::uint32_t> thin(const DualProblem& dual, const DualNumbers& numbers,
                                const Level& level) {
  const ProofProblem& problem = dual.problem;
  std::vector<std::uint32_t> kept(level.live.size());
  for (std::uint32_t i = 0; i < kept.size(); ++i) kept[i] = i;
  for (std::size_t t = 0; t < problem.trees.size(); ++t) {
    if (level.tree_begin[t] == level.tree_begin[t + 1]) return kept;
  }

  // Weights of outputs, and the priced thresholds.
  std::vector<std::vector<std::int64_t>> weights;
  std::int64_t bound = 0;
  for (std::size_t m = 0; m < dual.conditions.size(); ++m) {
    const auto& [model, condition] = dual.conditions[m];
    if (numbers.prices[m] == 0) continue;
    weights.resize(std::max(weights.size(), model + 1));
    const std::size_t last = condition.minus == Condition::none ? condition.plus : condition.minus;
    weights[model].resize(std::max({weights[model].size(), condition.plus + 1, last + 1}), 0);
    const std::int64_t price = condition.sign > 0 ? numbers.prices[m] : -numbers.prices[m];
    weights[model][condition.plus] += price;
    if (condition.minus != Condition::none) weights[model][last] -= price;
    if (!product(numbers.prices[m], scaled(condition.needed, numbers.exponent, false), bound)) {
      return kept;
    }
  }

  // The cells of the box by position, the masks of those before each of them, and by how much the
  // sum of all shares changes from one cell to the next.
  std::vector<std::vector<std::uint32_t>> positions(problem.variables.size());
  std::vector<std::vector<Word>> below(problem.variables.size());
  std::vector<std::vector<std::int64_t>> steps(problem.variables.size());
  for (std::uint32_t v = 0; v < problem.variables.size(); ++v) {
    const ProofVariable& variable = problem.variables[v];
    for (std::uint32_t at = 0; at < variable.bit_of.size(); ++at) {
      const std::uint32_t bit = variable.bit_of[at];
      if (has_bit(&level.box[variable.part.at], bit)) {
        positions[v].push_back(at);
      }
    }
    steps[v].assign(positions[v].size() + 1, 0);
  }
  const auto set_below = [&](std::uint32_t v) {
    const ProofVariable& variable = problem.variables[v];
    const std::uint32_t words = variable.part.words;
    below[v].assign(steps[v].size() * words, 0);
    for (std::size_t c = 0; c < positions[v].size(); ++c) {
      Word* next = &below[v][(c + 1) * words];
      std::copy(next - words, next, next);
      const std::uint32_t bit = variable.bit_of[positions[v][c]];
      set_bit(next, bit);
    }
  };
  // The runs that have cells in the box.
  struct Run {
    std::size_t cells;  // in run_cells
    std::int64_t share;
  };
  std::vector<Word> run_cells;
  std::vector<Run> runs;
  std::vector<std::size_t> runs_begin{0}, shares_begin(problem.trees.size() + 1, 0);
  for (const Shares& shares : numbers.shares) {
    ++shares_begin[shares.tree + 1];
    const std::uint32_t v = shares.variable, words = problem.variables[v].part.words;
    const std::vector<std::uint32_t>& of = positions[v];
    if (below[v].empty()) set_below(v);
    std::size_t begin = 0;
    std::int64_t share = 0;
    const auto add_run = [&](std::size_t until) {
      const auto end = static_cast<std::size_t>(
          std::lower_bound(of.begin() + static_cast<std::ptrdiff_t>(begin), of.end(), until) -
          of.begin());
      if (begin == end) return;
      runs.push_back({run_cells.size(), share});
      for (std::uint32_t w = 0; w < words; ++w) {
        run_cells.push_back(below[v][end * words + w] & ~below[v][begin * words + w]);
      }
      steps[v][begin] += share;
      steps[v][end] -= share;
      begin = end;
    };
    for (const auto& [at, next] : shares.runs) {
      add_run(at);
      share = next * (std::int64_t{1} << numbers.unit);
    }
    add_run(problem.variables[v].bit_of.size());
    runs_begin.push_back(runs.size());
  }
  for (std::size_t t = 0; t < problem.trees.size(); ++t) shares_begin[t + 1] += shares_begin[t];
  // What the shares leave of the tolls.
  for (std::uint32_t v = 0; v < problem.variables.size(); ++v) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), shared = 0;
    for (std::size_t i = 0; i < positions[v].size(); ++i) {
      shared += steps[v][i];
      const std::uint32_t bit = problem.variables[v].bit_of[positions[v][i]];
      least = std::min(least, dual.tolls.of[v][bit] - shared);
    }
    bound += least;
  }
  const auto least_share = [&](std::size_t s, const Word* mask) {
    const std::uint32_t words = problem.variables[numbers.shares[s].variable].part.words;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t r = runs_begin[s]; r < runs_begin[s + 1]; ++r) {
      bool meets = mask == nullptr;
      for (std::uint32_t w = 0; w < words && !meets; ++w) {
        meets = (run_cells[runs[r].cells + w] & mask[w]) != 0;
      }
      if (meets) least = std::min(least, runs[r].share);
    }
    return least;
  };
  std::vector<std::int64_t> least_in_box(numbers.shares.size());
  for (std::size_t s = 0; s < least_in_box.size(); ++s) least_in_box[s] = least_share(s, nullptr);

  // Every leaf's value; the bound takes each tree's least.
  std::vector<std::int64_t> values(level.live.size(), 0), least_of(problem.trees.size(), 0);
  for (std::size_t t = 0; t < problem.trees.size(); ++t) {
    const TreeEntry& tree = problem.trees[t];
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const LeafEntry& leaf = problem.leaves[level.live[i].leaf];
      const bool every = tree.output == Tree::every_output;
      if (tree.model < weights.size()) {
        const std::vector<std::int64_t>& own = weights[tree.model];
        const auto only = static_cast<std::size_t>(std::max(tree.output, 0));
        for (std::size_t k = every ? 0 : only; k < (every ? own.size() : only + 1); ++k) {
          if (k >= own.size() || own[k] == 0) continue;
          const double value = problem.read_score(tree.model, leaf.values[every ? k : 0]);
          if (!product(-own[k], scaled(value, numbers.exponent, own[k] > 0), values[i])) {
            return kept;
          }
        }
      }
      const std::span<const LeafCells> cells = problem.cells_of(leaf);
      for (std::size_t s = shares_begin[t]; s < shares_begin[t + 1]; ++s) {
        const std::uint32_t v = numbers.shares[s].variable;
        const auto side = std::find_if(cells.begin(), cells.end(),
                                       [&](const LeafCells& one) { return one.variable == v; });
        values[i] +=
            side == cells.end() ? least_in_box[s] : least_share(s, &problem.pool[side->mask]);
      }
      least = std::min(least, values[i]);
    }
    least_of[t] = least;
    bound += least;
  }
  std::erase_if(kept, [&](std::uint32_t i) {
    const std::uint32_t tree = problem.leaves[level.live[i].leaf].tree;
    return bound - least_of[tree] + values[i] >= dual.tolls.limit;
  });
  return kept;
}

}  // namespace boxwood::proofs
