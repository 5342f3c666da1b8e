// Good prices and shares for rule D, by block ascent. Nothing here has to be right for a proof to
// be right: whatever numbers come out, rule D only draws conclusions that hold for any numbers.
#include "proof/dual.hpp"

#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace boxwood::proofs {

Dual::Dual(const DualProblem& dual, const Level& level)
    : dual_(dual), level_(level), prices_(dual.conditions.size(), 0.0) {
  build();
}

void Dual::build() {
  const ProofProblem& problem = dual_.problem;
  for (const ProofVariable& variable : problem.variables) {
    std::vector<std::uint32_t>& list = cells_.emplace_back();
    for (const std::uint32_t bit : variable.bit_of) {
      if ((level_.box[variable.part.at + bit / 64] >> (bit % 64) & 1) != 0) list.push_back(bit);
    }
  }
  leaf_value_.assign(level_.live.size(), 0.0);
  scores_.assign(level_.live.size(), 0.0);
  // What the live leaves of each tree test in each variable.
  using Tests = std::vector<std::pair<std::uint32_t, const LeafCells*>>;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Tests> tests;  // by variable, then tree
  for (std::uint32_t i = 0; i < level_.live.size(); ++i) {
    const LeafEntry& leaf = problem.leaves[level_.live[i].leaf];
    for (const LeafCells& side : problem.cells_of(leaf)) {
      const MaskPart part = problem.variables[side.variable].part;
      bool all = true;
      for (std::uint32_t w = 0; w < part.words && all; ++w) {
        all = (level_.box[part.at + w] & ~problem.pool[side.mask + w]) == 0;
      }
      if (!all) tests[{side.variable, leaf.tree}].emplace_back(i, &side);
    }
  }
  slots_begin_.assign(problem.variables.size() + 1, 0);
  for (const auto& [key, list] : tests) {
    build_slot(key.second, key.first, list);
    slots_begin_[key.first + 1] = static_cast<std::uint32_t>(slots_.size());
  }
  for (std::size_t v = 0; v < problem.variables.size(); ++v) {
    slots_begin_[v + 1] = std::max(slots_begin_[v + 1], slots_begin_[v]);
  }
  share_.assign(slots_.empty() ? 0 : slots_.back().atoms_end, 0.0);
  least_.assign(slots_.size(), 0.0);
}

void Dual::build_slot(std::uint32_t tree, std::uint32_t variable,
                      std::span<const std::pair<std::uint32_t, const LeafCells*>> tests) {
  const std::vector<std::uint32_t>& cells = cells_[variable];
  Slot slot{tree, variable};
  slot.atom_of_begin = static_cast<std::uint32_t>(atom_of_.size());
  slot.atoms_begin = slots_.empty() ? 0 : slots_.back().atoms_end;
  slot.testers_begin = static_cast<std::uint32_t>(testers_.size());
  const auto takes = [&](const LeafCells* side, std::uint32_t bit) {
    return (dual_.problem.pool[side->mask + bit / 64] >> (bit % 64) & 1) != 0;
  };
  // Split by one leaf after the other.
  std::vector<std::uint16_t> atom(cells.size(), 0);
  std::uint16_t count = 1;
  std::vector<std::uint16_t> other, any_in, any_out;
  for (const auto& [live, side] : tests) {
    other.assign(count, 0);
    any_in.assign(count, 0);
    any_out.assign(count, 0);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      (takes(side, cells[c]) ? any_in : any_out)[atom[c]] = 1;
    }
    std::uint16_t made = count;
    for (std::uint16_t a = 0; a < count; ++a) other[a] = any_in[a] && any_out[a] ? made++ : a;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (takes(side, cells[c])) atom[c] = other[atom[c]];
    }
    count = made;
  }
  atom_of_.insert(atom_of_.end(), atom.begin(), atom.end());
  slot.atoms_end = slot.atoms_begin + count;
  std::vector<char> in;
  for (const auto& [live, side] : tests) {
    in.assign(count, 0);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (takes(side, cells[c])) in[atom[c]] = 1;
    }
    Tester tester{live, static_cast<std::uint32_t>(tester_atoms_.size()), 0, 0};
    for (std::uint16_t a = 0; a < count; ++a) {
      if (in[a] != 0) tester_atoms_.push_back(a);
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
    for (std::size_t c = 0; c < cells_[slot.variable].size(); ++c) {
      made.shares[made.begin.back() + cells_[slot.variable][c]] =
          static_cast<float>(share_[slot.atoms_begin + atom_of_[slot.atom_of_begin + c]]);
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
    for (std::size_t c = 0; c < cells_[slot.variable].size(); ++c) {
      double& share = shares[atom_of_[slot.atom_of_begin + c]];
      const float before = start.shares[begin + cells_[slot.variable][c]];
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

/// Given all other shares, the best shares of one variable's tolls: if a cell is taken, all trees
/// together pay at least its total, and every tree gets an equal part of it.
void Dual::ascend_variable(std::uint32_t variable) {
  const std::uint32_t begin = slots_begin_[variable], end = slots_begin_[variable + 1];
  if (begin == end) return;
  const std::vector<std::uint32_t>& cells = cells_[variable];
  const double far = 4 * static_cast<double>(dual_.tolls.limit);
  const std::uint32_t base = slots_[begin].atoms_begin;
  std::vector<double> forced(slots_[end - 1].atoms_end - base, infinity);
  std::vector<double> totals;
  for (const std::uint32_t bit : cells) {
    totals.push_back(static_cast<double>(dual_.tolls.of[variable][bit]));
  }
  for (std::uint32_t s = begin; s < end; ++s) {
    const Slot& slot = slots_[s];
    double* own = &forced[slot.atoms_begin - base];
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
    const std::uint16_t* atom = &atom_of_[slot.atom_of_begin];
    for (std::size_t c = 0; c < cells.size(); ++c) totals[c] += own[atom[c]];
  }
  const double part = 1.0 / (end - begin);
  std::vector<double> shares;
  for (std::uint32_t s = begin; s < end; ++s) {
    Slot& slot = slots_[s];
    shares.assign(slot.atoms_end - slot.atoms_begin, infinity);
    const std::uint16_t* atom = &atom_of_[slot.atom_of_begin];
    for (std::size_t c = 0; c < cells.size(); ++c) {
      shares[atom[c]] = std::min(shares[atom[c]], totals[c]);
    }
    for (std::size_t a = 0; a < shares.size(); ++a) {
      shares[a] = part * shares[a] - forced[slot.atoms_begin - base + a];
    }
    set_shares(slot, shares.data());
  }
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
  double step = now > 0 ? now / 8 : static_cast<double>(dual_.tolls.limit) / spread;
  for (int i = 0; i < 40 && (here.slope > 0 ? high.slope > 0 : low.slope < 0); ++i, step *= 2) {
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
  for (int i = 0; i < 12 && low.slope > 0 && high.slope < 0; ++i) {
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
  double sum = 0;
  for (std::size_t m = 0; m < prices_.size(); ++m) {
    if (prices_[m] > 0) sum += prices_[m] * dual_.conditions[m].condition.needed;
  }
  for (const double least : least_) sum += least;
  for (std::size_t t = 0; t < dual_.problem.trees.size(); ++t) {
    double least = infinity;
    for (std::uint32_t i = level_.tree_begin[t]; i < level_.tree_begin[t + 1]; ++i) {
      least = std::min(least, leaf_value_[i]);
    }
    sum += least;
  }
  // What is left of the tolls after all shares is 0 after an ascent, and counts before.
  for (std::uint32_t v = 0; v < cells_.size(); ++v) {
    double least = infinity;
    for (std::size_t c = 0; c < cells_[v].size(); ++c) {
      double rest = static_cast<double>(dual_.tolls.of[v][cells_[v][c]]);
      for (std::uint32_t s = slots_begin_[v]; s < slots_begin_[v + 1]; ++s) {
        rest -= share_[slots_[s].atoms_begin + atom_of_[slots_[s].atom_of_begin + c]];
      }
      least = std::min(least, rest);
    }
    sum += least;
  }
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
  // Prices of about 14 bits; the scores take the rest.
  double most = 0;
  for (const double price : prices_) most = std::max(most, price);
  int price_size = 0;
  std::frexp(most, &price_size);
  made.exponent = std::clamp(price_size - 14, -60, 800);
  for (const double price : prices_) {
    made.prices.push_back(std::llround(std::ldexp(price, -made.exponent)));
  }
  const double grain = std::ldexp(1.0, made.unit);
  const double bound = std::ldexp(1.0, 43) / grain;
  for (const Slot& slot : slots_) {
    const std::vector<std::uint32_t>& cells = cells_[slot.variable];
    const std::uint16_t* atom = &atom_of_[slot.atom_of_begin];
    // A constant may be added to the shares of a slot; the first run gets 0, which is not listed.
    const double first = share_[slot.atoms_begin + atom[0]];
    Shares shares{slot.tree, slot.variable, {}};
    std::int64_t before = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const double exact = (share_[slot.atoms_begin + atom[c]] - first) / grain;
      const std::int64_t share = std::llround(std::clamp(exact, -bound, bound));
      if (share == before) continue;
      shares.runs.emplace_back(problem.variables[slot.variable].position_of[cells[c]], share);
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
