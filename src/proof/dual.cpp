// Good prices and shares for rule D, by block ascent. Nothing here has to be right for a proof to
// be right: whatever numbers come out, rule D only draws conclusions that hold for any numbers.
#include "proof/dual.hpp"

#include "base/infinity.hpp"
#include "proof/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace boxwood::proofs {

Dual::Dual(const DualProblem& dual, const Level& level)
    : dual_(dual), level_(level), prices_(dual.conditions.size(), 0.0) {
  build();
}

void Dual::build() {
  const ProofProblem& problem = dual_.problem;
  for (const ProofVariable& variable : problem.variables) {
    std::vector<std::uint32_t>& list = bits_.emplace_back();
    for (const std::uint32_t bit : variable.bit_of) {
      if (has_bit(&level_.box[variable.part.at], bit)) list.push_back(bit);
    }
  }
  leaf_value_.assign(level_.live.size(), 0.0);
  scores_.assign(level_.live.size(), 0.0);
  // What the live leaves test, by variable; leaves, and so trees, stay in their order.
  std::vector<std::vector<Test>> tests(problem.variables.size());
  for (std::uint32_t i = 0; i < level_.live.size(); ++i) {
    const LeafEntry& leaf = problem.leaves[level_.live[i].leaf];
    for (const LeafCells& side : problem.cells_of(leaf)) {
      const MaskPart part = problem.variables[side.variable].part;
      bool all = true;
      for (std::uint32_t w = 0; w < part.words && all; ++w) {
        all = (level_.box[part.at + w] & ~problem.pool[side.mask + w]) == 0;
      }
      if (!all) tests[side.variable].push_back({leaf.tree, i, &problem.pool[side.mask]});
    }
  }
  slots_begin_.assign(problem.variables.size() + 1, 0);
  for (std::uint32_t v = 0; v < problem.variables.size(); ++v) {
    join_cells(v, tests[v]);
    for (auto begin = tests[v].begin(); begin != tests[v].end();) {
      const auto end = std::find_if(begin, tests[v].end(),
                                    [&](const Test& one) { return one.tree != begin->tree; });
      build_slot(v, {&*begin, static_cast<std::size_t>(end - begin)});
      begin = end;
    }
    slots_begin_[v + 1] = static_cast<std::uint32_t>(slots_.size());
  }
  for (std::size_t v = 0; v < problem.variables.size(); ++v) {
    if (slots_begin_[v + 1] == slots_begin_[v]) {
      unshared_ += static_cast<double>(dual_.tolls.of[v][level_.nearest[v]]);
    }
  }
  share_.assign(slots_.empty() ? 0 : slots_.back().atoms_end, 0.0);
  least_.assign(slots_.size(), 0.0);
}

/// Cells of a variable that no live leaf distinguishes have the same number in the end. They are
/// joined; the cheapest of them, whose bit is the least, stands for all.
void Dual::join_cells(std::uint32_t variable, std::span<const Test> tests) {
  std::vector<std::uint64_t> marks(dual_.problem.variables[variable].costs.size());
  const Word* box = &level_.box[dual_.problem.variables[variable].part.at];
  for (const Test& test : tests) {
    const std::uint64_t mark = random_();
    for (std::size_t w = 0; w < words_for(marks.size()); ++w) {
      for_each_bit(test.cells[w] & box[w], w, [&](std::size_t bit) { marks[bit] += mark; });
    }
  }
  std::vector<std::uint32_t>& cells = cells_.emplace_back();
  std::vector<std::uint32_t>& joined = joined_.emplace_back();
  std::unordered_map<std::uint64_t, std::uint32_t> found;
  for (const std::uint32_t bit : bits_[variable]) {
    const auto [at, added] = found.emplace(marks[bit], static_cast<std::uint32_t>(cells.size()));
    if (added) cells.push_back(bit);
    cells[at->second] = std::min(cells[at->second], bit);
    joined.push_back(at->second);
  }
}

void Dual::build_slot(std::uint32_t variable, std::span<const Test> tests) {
  const std::vector<std::uint32_t>& cells = cells_[variable];
  Slot slot{tests.front().tree, variable};
  slot.atom_of_begin = static_cast<std::uint32_t>(atom_of_.size());
  slot.atoms_begin = slots_.empty() ? 0 : slots_.back().atoms_end;
  slot.testers_begin = static_cast<std::uint32_t>(testers_.size());
  // Split by one leaf after the other.
  atom_of_.resize(atom_of_.size() + cells.size(), 0);
  std::uint16_t* atom = &atom_of_[slot.atom_of_begin];
  std::uint16_t count = 1;
  std::vector<std::uint16_t> other;
  std::vector<unsigned> sides;  // of an atom: 1 some cells are in the leaf, 2 some are not, 3 both
  for (const Test& test : tests) {
    sides.assign(count, 0);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      sides[atom[c]] |= has_bit(test.cells, cells[c]) ? 1U : 2U;
    }
    other.resize(count);
    std::uint16_t made = count;
    for (std::uint16_t a = 0; a < count; ++a) other[a] = sides[a] == 3 ? made++ : a;
    if (made == count) continue;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (has_bit(test.cells, cells[c])) atom[c] = other[atom[c]];
    }
    count = made;
  }
  slot.atoms_end = slot.atoms_begin + count;
  slot.runs_begin = static_cast<std::uint32_t>(runs_.size());
  for (std::uint32_t c = 0; c < cells.size(); ++c) {
    if (c == 0 || atom[c] != atom[c - 1]) runs_.push_back({c, atom[c]});
  }
  slot.runs_end = static_cast<std::uint32_t>(runs_.size());
  // One cell of each atom says which leaves take it.
  std::vector<std::uint32_t> some(count);
  for (std::size_t c = 0; c < cells.size(); ++c) some[atom[c]] = cells[c];
  for (const Test& test : tests) {
    Tester tester{test.live, static_cast<std::uint32_t>(tester_atoms_.size()), 0, 0};
    for (std::uint16_t a = 0; a < count; ++a) {
      if (has_bit(test.cells, some[a])) tester_atoms_.push_back(a);
    }
    tester.end = static_cast<std::uint32_t>(tester_atoms_.size());
    testers_.push_back(tester);
  }
  slot.testers_end = static_cast<std::uint32_t>(testers_.size());
  slots_.push_back(slot);
}

double Dual::score(const PricedCondition& priced, std::uint32_t live) const {
  const LeafEntry& leaf = dual_.problem.leaves[level_.live[live].leaf];
  const TreeEntry& tree = dual_.problem.trees[leaf.tree];
  const Condition& condition = priced.condition;
  if (tree.model != priced.model) return 0;
  if (tree.output != Tree::every_output) {
    const auto output = static_cast<std::size_t>(tree.output);
    return output == condition.plus    ? condition.sign * *leaf.values
           : output == condition.minus ? -condition.sign * *leaf.values
                                       : 0.0;
  }
  double value = leaf.values[condition.plus];
  if (condition.minus != Condition::none) value -= leaf.values[condition.minus];
  return condition.sign * value;
}

void Dual::set_prices(std::span<const double> prices) {
  for (std::size_t m = 0; m < prices_.size(); ++m) {
    for (std::uint32_t i = 0; i < leaf_value_.size(); ++i) {
      leaf_value_[i] -= (prices[m] - prices_[m]) * score(dual_.conditions[m], i);
    }
    prices_[m] = prices[m];
  }
}

namespace {
std::uint64_t key_of(std::uint32_t variable, std::uint32_t tree) {
  return std::uint64_t{variable} << 32 | tree;
}
}  // namespace

Dual::Start Dual::start() const {
  Start made;
  made.prices = prices_;
  for (const Slot& slot : slots_) {
    made.slots.push_back(key_of(slot.variable, slot.tree));
    made.begin.push_back(static_cast<std::uint32_t>(made.shares.size()));
    made.shares.resize(made.shares.size() + dual_.problem.variables[slot.variable].costs.size());
    for (std::size_t i = 0; i < bits_[slot.variable].size(); ++i) {
      made.shares[made.begin.back() + bits_[slot.variable][i]] =
          static_cast<float>(share_[slot.atoms_begin + atom_of(slot, i)]);
    }
  }
  return made;
}

/// Sets of cells that are merged take the least share of their cells.
void Dual::start_from(const Start& start) {
  set_prices(start.prices);
  std::vector<double> shares;
  for (Slot& slot : slots_) {
    const std::uint64_t key = key_of(slot.variable, slot.tree);
    const auto found = std::lower_bound(start.slots.begin(), start.slots.end(), key);
    if (found == start.slots.end() || *found != key) continue;
    const std::uint32_t begin = start.begin[static_cast<std::size_t>(found - start.slots.begin())];
    shares.assign(slot.atoms_end - slot.atoms_begin, infinity);
    for (std::size_t i = 0; i < bits_[slot.variable].size(); ++i) {
      double& share = shares[atom_of(slot, i)];
      const float before = start.shares[begin + bits_[slot.variable][i]];
      share = std::min(share, static_cast<double>(before));
    }
    set_shares(slot, shares.data());
  }
}

void Dual::set_shares(Slot& slot, const double* shares) {
  const auto count = slot.atoms_end - slot.atoms_begin;
  std::copy(shares, shares + count, share_.begin() + slot.atoms_begin);
  const double least = *std::min_element(shares, shares + count);
  least_[static_cast<std::size_t>(&slot - slots_.data())] = least;
  for (std::uint32_t i = slot.testers_begin; i < slot.testers_end; ++i) {
    Tester& tester = testers_[i];
    double own = infinity;
    for (std::uint32_t a = tester.begin; a < tester.end; ++a) {
      own = std::min(own, shares[tester_atoms_[a]]);
    }
    leaf_value_[tester.live] += own - least - tester.extra;
    tester.extra = own - least;
  }
}

/// What the trees pay for a cell of a variable at least, without its shares: `forced`, of the atoms
/// of its slots, and `totals`, of its cells, with their tolls.
void Dual::force(std::uint32_t variable) {
  const std::uint32_t begin = slots_begin_[variable], end = slots_begin_[variable + 1];
  const std::vector<std::uint32_t>& cells = cells_[variable];
  const double far = 4 * static_cast<double>(dual_.tolls.limit);
  const std::uint32_t base = slots_[begin].atoms_begin;
  forced_.assign(slots_[end - 1].atoms_end - base, infinity);
  totals_.assign(cells.size(), 0.0);  // first the difference from each cell to the next
  for (std::uint32_t s = begin; s < end; ++s) {
    const Slot& slot = slots_[s];
    double* own = &forced_[slot.atoms_begin - base];
    const std::uint32_t count = slot.atoms_end - slot.atoms_begin;
    double free = infinity, least = infinity;
    std::uint32_t i = slot.testers_begin;
    for (std::uint32_t live = level_.tree_begin[slot.tree]; live < level_.tree_begin[slot.tree + 1];
         ++live) {
      if (i < slot.testers_end && testers_[i].live == live) {
        const Tester& tester = testers_[i++];
        const double value = leaf_value_[live] - tester.extra;
        least = std::min(least, value);
        for (std::uint32_t a = tester.begin; a < tester.end; ++a) {
          own[tester_atoms_[a]] = std::min(own[tester_atoms_[a]], value);
        }
      } else {
        free = std::min(free, leaf_value_[live]);
      }
    }
    for (std::uint32_t a = 0; a < count; ++a) {
      own[a] = std::min({own[a], free, std::min(least, free) + far});
    }
    double before = 0;
    for (std::uint32_t r = slot.runs_begin; r < slot.runs_end; ++r) {
      totals_[runs_[r].begin] += own[runs_[r].atom] - before;
      before = own[runs_[r].atom];
    }
  }
  double sum = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    sum += totals_[c];
    totals_[c] = sum + static_cast<double>(dual_.tolls.of[variable][cells[c]]);
  }
}

/// Prepares `least_total`.
void Dual::make_minima() {
  const std::size_t count = totals_.size();
  minima_.assign(totals_.begin(), totals_.end());
  for (std::size_t half = 1; 2 * half <= count; half *= 2) {
    const std::size_t row = minima_.size() - count;
    minima_.resize(minima_.size() + count, infinity);
    const double* before = &minima_[row];
    double* now = &minima_[row + count];
    for (std::size_t c = 0; c + 2 * half <= count; ++c) {
      now[c] = std::min(before[c], before[c + half]);
    }
  }
}

/// The least total of some neighbouring cells, at least one.
double Dual::least_total(std::uint32_t begin, std::uint32_t end) const {
  const auto level = static_cast<std::uint32_t>(std::bit_width(end - begin) - 1);
  const double* row = &minima_[level * totals_.size()];
  return std::min(row[begin], row[end - (std::uint32_t{1} << level)]);
}

/// Given all other shares, the best shares of one variable's tolls: if a cell is taken, all trees
/// together pay at least its total, and every tree gets an equal part of it.
void Dual::ascend_variable(std::uint32_t variable) {
  const std::uint32_t begin = slots_begin_[variable], end = slots_begin_[variable + 1];
  if (begin == end) return;
  force(variable);
  make_minima();
  const auto count = static_cast<std::uint32_t>(totals_.size());
  const std::uint32_t base = slots_[begin].atoms_begin;
  const double part = 1.0 / (end - begin);
  for (std::uint32_t s = begin; s < end; ++s) {
    Slot& slot = slots_[s];
    shares_.assign(slot.atoms_end - slot.atoms_begin, infinity);
    for (std::uint32_t r = slot.runs_begin; r < slot.runs_end; ++r) {
      const std::uint32_t next = r + 1 < slot.runs_end ? runs_[r + 1].begin : count;
      double& share = shares_[runs_[r].atom];
      share = std::min(share, least_total(runs_[r].begin, next));
    }
    for (std::size_t a = 0; a < shares_.size(); ++a) {
      shares_[a] = part * shares_[a] - forced_[slot.atoms_begin - base + a];
    }
    set_shares(slot, shares_.data());
  }
}

/// The bound of a point that takes a cell has its total instead of what its trees and shares give.
bool Dual::costly_cells(std::uint32_t variable, double bound, Mask& costly) {
  costly.assign(dual_.problem.variables[variable].part.words, 0);
  if (slots_begin_[variable] == slots_begin_[variable + 1]) return false;
  force(variable);
  double others = bound;
  for (std::uint32_t s = slots_begin_[variable]; s < slots_begin_[variable + 1]; ++s) {
    others -= least_[s] + least_of_tree(slots_[s].tree);
  }
  bool any = false;
  for (std::size_t i = 0; i < bits_[variable].size(); ++i) {
    const double total = totals_[joined_[variable][i]];
    if (others + total < static_cast<double>(dual_.tolls.limit)) continue;
    const std::uint32_t bit = bits_[variable][i];
    set_bit(costly.data(), bit);
    any = true;
  }
  return any;
}

double Dual::least_of_tree(std::uint32_t tree) const {
  return *std::min_element(leaf_value_.begin() + level_.tree_begin[tree],
                           leaf_value_.begin() + level_.tree_begin[tree + 1]);
}

/// How many leaves a bound leaves live, before rounding.
std::size_t Dual::count_kept(double bound) const {
  std::size_t kept = 0;
  for (std::uint32_t t = 0; t < dual_.problem.trees.size(); ++t) {
    const double most = static_cast<double>(dual_.tolls.limit) - bound + least_of_tree(t);
    for (std::uint32_t i = level_.tree_begin[t]; i < level_.tree_begin[t + 1]; ++i) {
      kept += leaf_value_[i] < most ? 1 : 0;
    }
  }
  return kept;
}

/// The bound is concave and piecewise linear in each price: doubles or halves the price until the
/// slope changes its sign, then goes where two tangents meet.
void Dual::search_price(std::size_t index) {
  const double now = prices_[index];
  const PricedCondition& wanted = dual_.conditions[index];
  double spread = 0;
  for (std::size_t t = 0; t < dual_.problem.trees.size(); ++t) {
    double low = infinity, high = -infinity;
    for (std::uint32_t i = level_.tree_begin[t]; i < level_.tree_begin[t + 1]; ++i) {
      scores_[i] = score(wanted, i);
      low = std::min(low, scores_[i]);
      high = std::max(high, scores_[i]);
    }
    spread += high - low;
  }
  if (!(spread > 0) || !std::isfinite(wanted.condition.needed)) return;
  struct Tangent {
    double at, value, slope;
  };
  const auto tangent = [&](double price) {
    Tangent made{price, price * wanted.condition.needed, wanted.condition.needed};
    for (std::size_t t = 0; t < dual_.problem.trees.size(); ++t) {
      double least = infinity, taken = 0;
      for (std::uint32_t i = level_.tree_begin[t]; i < level_.tree_begin[t + 1]; ++i) {
        const double value = leaf_value_[i] - (price - now) * scores_[i];
        if (value < least) {
          least = value;
          taken = scores_[i];
        }
      }
      made.value += least;
      made.slope -= taken;
    }
    return made;
  };
  const Tangent here = tangent(now);
  Tangent best = here, low = here, high = here;
  double step =
      now > 0 ? now * tuning::first_step : static_cast<double>(dual_.tolls.limit) / spread;
  for (int i = 0; i < tuning::most_steps && (here.slope > 0 ? high.slope > 0 : low.slope < 0);
       ++i, step *= 2) {
    if (here.slope > 0) {
      low = high;
      high = tangent(now + step);
    } else {
      if (low.at == 0) return;
      high = low;
      low = tangent(std::max(0.0, now - step));
    }
  }
  for (const Tangent& one : {low, high}) {
    if (one.value > best.value) best = one;
  }
  for (int i = 0; i < tuning::refinements && low.slope > 0 && high.slope < 0; ++i) {
    const double at = (high.value - low.value + low.slope * low.at - high.slope * high.at) /
                      (low.slope - high.slope);
    if (!(at > low.at && at < high.at)) break;
    const Tangent middle = tangent(at);
    if (middle.value > best.value) best = middle;
    (middle.slope > 0 ? low : high) = middle;
  }
  if (!(best.value > here.value)) return;
  for (std::uint32_t i = 0; i < leaf_value_.size(); ++i) {
    leaf_value_[i] -= (best.at - now) * scores_[i];
  }
  prices_[index] = best.at;
}

double Dual::value() const {
  double sum = unshared_;
  for (std::size_t m = 0; m < prices_.size(); ++m) {
    if (prices_[m] > 0) sum += prices_[m] * dual_.conditions[m].condition.needed;
  }
  for (const double least : least_) sum += least;
  for (std::uint32_t t = 0; t < dual_.problem.trees.size(); ++t) sum += least_of_tree(t);
  // After an ascent the shares use up the tolls of some cell of each variable with shares.
  return sum;
}

double Dual::ascend() {
  for (std::uint32_t v = 0; v < cells_.size(); ++v) ascend_variable(v);
  for (std::size_t m = 0; m < prices_.size(); ++m) search_price(m);
  return value();
}

DualNumbers Dual::numbers(int bits) const {
  const ProofProblem& problem = dual_.problem;
  DualNumbers made;
  const auto limit = static_cast<double>(dual_.tolls.limit);
  int size = 0;
  std::frexp(limit, &size);
  made.unit = std::max(0, size - bits);
  double most = 0;
  for (const double price : prices_) most = std::max(most, price);
  int price_size = 0;
  std::frexp(most, &price_size);
  made.exponent = std::clamp(price_size - tuning::price_bits, -60, 800);
  for (const double price : prices_) {
    made.prices.push_back(std::llround(std::ldexp(price, -made.exponent)));
  }
  const double grain = std::ldexp(1.0, made.unit);
  const double bound = std::ldexp(1.0, 43) / grain;
  std::vector<std::int64_t> rounded;  // of the atoms of a slot
  for (const Slot& slot : slots_) {
    const std::vector<std::uint32_t>& bits_of = bits_[slot.variable];
    // A constant may be added to the shares of a slot; the first run gets 0, which is not listed.
    const double first = share_[slot.atoms_begin + atom_of(slot, 0)];
    rounded.clear();
    for (std::uint32_t a = slot.atoms_begin; a < slot.atoms_end; ++a) {
      rounded.push_back(std::llround(std::clamp((share_[a] - first) / grain, -bound, bound)));
    }
    Shares shares{slot.tree, slot.variable, {}};
    std::int64_t before = 0;
    for (std::size_t i = 0; i < bits_of.size(); ++i) {
      const std::int64_t share = rounded[atom_of(slot, i)];
      if (share == before) continue;
      shares.runs.emplace_back(problem.variables[slot.variable].position_of[bits_of[i]], share);
      before = share;
    }
    if (!shares.runs.empty()) made.shares.push_back(std::move(shares));
  }
  std::sort(made.shares.begin(), made.shares.end(), [](const Shares& a, const Shares& b) {
    return std::pair(a.tree, a.variable) < std::pair(b.tree, b.variable);
  });
  return made;
}

}  // namespace boxwood::proofs
