// Rule D as the checkers apply it, in whole numbers.
#include "proof/dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
  Tolls tolls;
  const bool by_cost = std::isfinite(claim.cost) && claim.cost > 0 && query.norm != Norm::linf &&
                       !query.fewest_first;
  const std::size_t every = problem.variables.size();
  std::size_t changes = std::min(query.max_changes.value_or(every), every);
  if (query.fewest_first) changes = std::min(changes, claim.changes.value_or(every));
  int exponent = 0;
  if (by_cost) {
    std::frexp(claim.cost, &exponent);
    exponent = 41 - exponent;
    const auto count = static_cast<std::int64_t>(problem.variables.size()) + 2;
    tolls.limit = scaled(claim.cost, exponent, false) + 2 + count / 1024;
  } else {
    tolls.limit = (static_cast<std::int64_t>(changes) + 1) << 30;
  }
  for (const ProofVariable& variable : problem.variables) {
    std::vector<std::int64_t>& list = tolls.of.emplace_back();
    for (std::size_t bit = 0; bit < variable.costs.size(); ++bit) {
      list.push_back(by_cost ? std::min(scaled(variable.costs[bit], exponent, false), tolls.limit)
                             : std::int64_t{bit == 0 ? 0 : 1} << 30);
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

namespace {

/// Of a model: by output, the sum of the prices of its conditions.
using Weights = std::vector<std::vector<std::int64_t>>;

/// Adds prices to the weights of outputs, and the priced thresholds to `bound`. False if a product
/// is too large.
bool add_prices(const DualProblem& dual, const DualNumbers& numbers, Weights& weights,
                std::int64_t& bound) {
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
      return false;
    }
  }
  return true;
}

/// Subtracts the weighted numbers of a leaf from `value`. False if a product is too large.
bool subtract_scores(const ProofProblem& problem, const LeafEntry& leaf, const Weights& weights,
                     int exponent, std::int64_t& value) {
  const TreeEntry& tree = problem.trees[leaf.tree];
  if (tree.model >= weights.size()) return true;
  const std::vector<std::int64_t>& own = weights[tree.model];
  const bool every = tree.output == Tree::every_output;
  const auto only = static_cast<std::size_t>(std::max(tree.output, 0));
  for (std::size_t k = every ? 0 : only; k < (every ? own.size() : only + 1); ++k) {
    if (k >= own.size() || own[k] == 0) continue;
    const double score = problem.read_score(tree.model, leaf.values[every ? k : 0]);
    if (!product(-own[k], scaled(score, exponent, own[k] > 0), value)) return false;
  }
  return true;
}

/// The shares of a dual bound on the cells of one box.
class SharesInBox {
 public:
  SharesInBox(const ProofProblem& problem, const DualNumbers& numbers, const Level& level)
      : problem_(problem),
        numbers_(numbers),
        positions_(problem.variables.size()),
        below_(problem.variables.size()),
        steps_(problem.variables.size()),
        shares_begin_(problem.trees.size() + 1, 0) {
    for (std::uint32_t v = 0; v < problem.variables.size(); ++v) {
      const ProofVariable& variable = problem.variables[v];
      for (std::uint32_t at = 0; at < variable.bit_of.size(); ++at) {
        if (has_bit(&level.box[variable.part.at], variable.bit_of[at])) positions_[v].push_back(at);
      }
      steps_[v].assign(positions_[v].size() + 1, 0);
    }
    for (const Shares& shares : numbers.shares) place(shares);
    for (std::size_t t = 0; t < problem.trees.size(); ++t) shares_begin_[t + 1] += shares_begin_[t];
    for (std::size_t s = 0; s < numbers.shares.size(); ++s) {
      least_in_box_.push_back(least_share(s, nullptr));
    }
  }

  /// For each variable the least that the shares leave of the tolls of a cell; the sum.
  std::int64_t least_rest(const Tolls& tolls) const {
    std::int64_t sum = 0;
    for (std::uint32_t v = 0; v < problem_.variables.size(); ++v) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max(), shared = 0;
      for (std::size_t i = 0; i < positions_[v].size(); ++i) {
        shared += steps_[v][i];
        const std::uint32_t bit = problem_.variables[v].bit_of[positions_[v][i]];
        least = std::min(least, tolls.of[v][bit] - shared);
      }
      sum += least;
    }
    return sum;
  }

  /// The least shares that a point in a leaf pays to the leaf's tree.
  std::int64_t least_of_leaf(const LeafEntry& leaf) const {
    const std::span<const LeafCells> cells = problem_.cells_of(leaf);
    std::int64_t sum = 0;
    for (std::size_t s = shares_begin_[leaf.tree]; s < shares_begin_[leaf.tree + 1]; ++s) {
      const std::uint32_t v = numbers_.shares[s].variable;
      const auto side = std::find_if(cells.begin(), cells.end(),
                                     [&](const LeafCells& one) { return one.variable == v; });
      sum += side == cells.end() ? least_in_box_[s] : least_share(s, &problem_.pool[side->mask]);
    }
    return sum;
  }

 private:
  /// Consecutive cells of the box with the same share.
  struct Run {
    std::size_t cells;  // in run_cells_
    std::int64_t share;
  };

  void set_below(std::uint32_t v) {
    const ProofVariable& variable = problem_.variables[v];
    const std::uint32_t words = variable.part.words;
    below_[v].assign(steps_[v].size() * words, 0);
    for (std::size_t c = 0; c < positions_[v].size(); ++c) {
      Word* next = &below_[v][(c + 1) * words];
      std::copy(next - words, next, next);
      set_bit(next, variable.bit_of[positions_[v][c]]);
    }
  }

  void place(const Shares& shares) {
    ++shares_begin_[shares.tree + 1];
    const std::uint32_t v = shares.variable, words = problem_.variables[v].part.words;
    const std::vector<std::uint32_t>& of = positions_[v];
    if (below_[v].empty()) set_below(v);
    std::size_t begin = 0;
    std::int64_t share = 0;
    const auto add_run = [&](std::size_t until) {
      const auto end = static_cast<std::size_t>(
          std::lower_bound(of.begin() + static_cast<std::ptrdiff_t>(begin), of.end(), until) -
          of.begin());
      if (begin == end) return;
      runs_.push_back({run_cells_.size(), share});
      for (std::uint32_t w = 0; w < words; ++w) {
        run_cells_.push_back(below_[v][end * words + w] & ~below_[v][begin * words + w]);
      }
      steps_[v][begin] += share;
      steps_[v][end] -= share;
      begin = end;
    };
    for (const auto& [at, next] : shares.runs) {
      add_run(at);
      share = next * (std::int64_t{1} << numbers_.unit);
    }
    add_run(problem_.variables[v].bit_of.size());
    runs_begin_.push_back(runs_.size());
  }

  std::int64_t least_share(std::size_t s, const Word* mask) const {
    const std::uint32_t words = problem_.variables[numbers_.shares[s].variable].part.words;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t r = runs_begin_[s]; r < runs_begin_[s + 1]; ++r) {
      bool meets = mask == nullptr;
      for (std::uint32_t w = 0; w < words && !meets; ++w) {
        meets = (run_cells_[runs_[r].cells + w] & mask[w]) != 0;
      }
      if (meets) least = std::min(least, runs_[r].share);
    }
    return least;
  }

  const ProofProblem& problem_;
  const DualNumbers& numbers_;
  std::vector<std::vector<std::uint32_t>> positions_;  // of a variable: its cells in the box
  std::vector<std::vector<Word>> below_;          // of a variable: masks of the cells before each
  std::vector<std::vector<std::int64_t>> steps_;  // by how much all shares together change there
  std::vector<Word> run_cells_;
  std::vector<Run> runs_;  // those that have cells in the box
  std::vector<std::size_t> runs_begin_{0}, shares_begin_;
  std::vector<std::int64_t> least_in_box_;  // of shares
};

}  // namespace

std::vector<std::uint32_t> thin(const DualProblem& dual, const DualNumbers& numbers,
                                const Level& level) {
  const ProofProblem& problem = dual.problem;
  std::vector<std::uint32_t> kept(level.live.size());
  std::iota(kept.begin(), kept.end(), 0U);
  for (std::size_t t = 0; t < problem.trees.size(); ++t) {
    if (level.tree_begin[t] == level.tree_begin[t + 1]) return kept;
  }
  Weights weights;
  std::int64_t bound = 0;
  if (!add_prices(dual, numbers, weights, bound)) return kept;
  const SharesInBox shares(problem, numbers, level);
  bound += shares.least_rest(dual.tolls);
  // Every leaf's value; the bound takes each tree's least.
  std::vector<std::int64_t> values(level.live.size(), 0), least_of(problem.trees.size(), 0);
  for (std::size_t t = 0; t < problem.trees.size(); ++t) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const LeafEntry& leaf = problem.leaves[level.live[i].leaf];
      if (!subtract_scores(problem, leaf, weights, numbers.exponent, values[i])) return kept;
      values[i] += shares.least_of_leaf(leaf);
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
