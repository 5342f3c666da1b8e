// Rule D of docs/proof.md, in whole numbers. Shares and tolls are below 2^45 and there are at most
// 2^16 shares, so 64 bits hold their sums. Numbers of conditions and leaves are at most 2^60,
// prices and weights below 2^48, and at most 2^17 of their products are added, so 128 bits hold the
// rest.
#include "checker.hpp"

#include <algorithm>
#include <map>

namespace check {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t most_share = std::int64_t{1} << 44;
constexpr std::size_t most_shares = std::size_t{1} << 16;
constexpr std::size_t most_terms = std::size_t{1} << 17;

/// value * 2^exponent, rounded down (up) to a whole number; exact before rounding. The exponent is
/// at most 800. Numbers below 2^-900 might underflow; they lie between 0 and 1 (or -1).
std::int64_t scaled(double value, int exponent, bool up = false) {
  double moved = std::ldexp(value, exponent);
  if (value != 0 && std::abs(value) < 0x1p-900) moved = value < 0 ? -0.5 : 0.5;
  moved = up ? std::ceil(moved) : std::floor(moved);
  if (!(std::abs(moved) <= 0x1p60))
    throw Unsupported("rule D: a number is too large for this checker");
  return static_cast<std::int64_t>(moved);
}

}  // namespace

void Checker::set_tolls() {
  const bool by_cost = sums_ && claim_ > 0 && !question_.fewest;
  auto changes = static_cast<std::int64_t>(variables_.size());
  if (question_.max_changes) changes = std::min(changes, *question_.max_changes);
  if (claimed_changes_ >= 0) changes = std::min(changes, claimed_changes_);
  int exponent = 0;
  // Costs are at most the claim here, so tolls are below 2^41; what underflows is below 1.
  const auto toll = [&](double cost) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(cost, exponent)));
  };
  if (by_cost) {
    std::frexp(claim_, &exponent);
    exponent = 41 - exponent;
    limit_ = toll(claim_) + 2 + static_cast<std::int64_t>(variables_.size() + 2) / 1024;
  } else {
    limit_ = (changes + 1) << 30;
  }
  for (const Order& order : order_) {
    std::vector<std::int64_t>& tolls = tolls_.emplace_back();
    for (std::size_t bit = 0; bit < order.cost.size(); ++bit) {
      tolls.push_back(by_cost ? toll(std::min(order.cost[bit], claim_))
                              : std::int64_t{bit > 0 ? 1 : 0} << 30);
    }
  }
  for (std::size_t r = 0; r < outcomes_.size(); ++r) {
    if (outcomes_[r].alternatives.size() != 1) continue;
    for (const Condition& one : outcomes_[r].alternatives[0]) {
      if (!one.part) priced_conditions_.push_back({model_of_[r], one});
    }
  }
}

DualNumbers Checker::read_dual(Tokens& tokens, std::int64_t unit) const {
  DualNumbers made;
  if (unit < 0 || unit > 44) throw Rejected("rule D: a number is out of range");
  made.exponent = static_cast<int>(tokens.next(-60, 800));
  for (std::size_t m = 0; m < priced_conditions_.size(); ++m) {
    made.prices.push_back(tokens.next(0, 0x7fffffff));
  }
  std::size_t count = 0;
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    std::vector<DualShares>& list = made.shares.emplace_back();
    for (std::int64_t n = tokens.next(0, static_cast<std::int64_t>(variables_.size())); n > 0;
         --n) {
      DualShares one{variable_numbered(tokens.next()), {}};
      if (++count > most_shares) throw Unsupported("rule D: too many shares for this checker");
      if (std::any_of(list.begin(), list.end(),
                      [&](const DualShares& s) { return s.variable == one.variable; })) {
        throw Rejected("rule D: shares of a variable twice");
      }
      const Order& order = order_[one.variable];
      const auto cells = static_cast<std::int64_t>(order.bit.size());
      one.of.assign(order.bit.size(), 0);
      std::int64_t begin = 0;
      std::int64_t share = 0;
      const auto fill = [&](std::int64_t end) {
        for (; begin < end; ++begin) one.of[order.bit[static_cast<std::size_t>(begin)]] = share;
      };
      for (std::int64_t runs = tokens.next(1, cells); runs > 0; --runs) {
        fill(tokens.next(begin, cells - 1));
        share = tokens.next(-0x7fffffff, 0x7fffffff);
        if (std::abs(share) > most_share >> unit)
          throw Unsupported("rule D: a share is too large for this checker");
        share *= std::int64_t{1} << unit;
      }
      fill(cells);
      list.push_back(std::move(one));
    }
  }
  return made;
}

void Checker::thin(Box& box, const DualNumbers& numbers) const {
  Wide bound = 0;
  std::map<std::pair<std::uint32_t, int>, std::int64_t> weights;
  for (std::size_t m = 0; m < priced_conditions_.size(); ++m) {
    const auto& [model, one] = priced_conditions_[m];
    const std::int64_t price = one.sign > 0 ? numbers.prices[m] : -numbers.prices[m];
    if (price == 0) continue;
    if (!std::isfinite(one.needed)) throw Rejected("rule D: a price that cannot be used");
    weights[{model, one.plus}] += price;
    if (one.minus >= 0) weights[{model, one.minus}] -= price;
    bound += Wide{numbers.prices[m]} * scaled(one.needed, numbers.exponent);
  }
  std::size_t terms = priced_conditions_.size() + variables_.size();
  for (const Part& part : parts_) {
    terms += part.output == -1 ? models_[part.model].base.size() : 1;
  }
  if (terms > most_terms)
    throw Unsupported("rule D: the model has too many trees for this checker");

  std::vector<std::vector<std::int64_t>> rest = tolls_;
  for (const std::vector<DualShares>& list : numbers.shares) {
    for (const DualShares& one : list) {
      for (std::size_t bit = 0; bit < one.of.size(); ++bit) rest[one.variable][bit] -= one.of[bit];
    }
  }
  const auto least_of = [](const std::vector<std::int64_t>& list, const Mask& cells,
                           const Mask* more) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t w = 0; w < cells.size(); ++w) {
      for (Word word = more ? cells[w] & (*more)[w] : cells[w]; word != 0; word &= word - 1) {
        least =
            std::min(least, list[w * word_bits + static_cast<std::size_t>(std::countr_zero(word))]);
      }
    }
    return least;
  };
  for (std::size_t v = 0; v < rest.size(); ++v) bound += least_of(rest[v], box.cells[v], nullptr);

  std::vector<std::vector<Wide>> values(parts_.size());
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const Part& part = parts_[t];
    const Model& model = models_[part.model];
    std::vector<std::int64_t> of;  // weights of the leaf's numbers
    const int outputs = part.output == -1 ? static_cast<int>(model.base.size()) : 1;
    for (int k = 0; k < outputs; ++k) {
      const auto found = weights.find({part.model, part.output == -1 ? k : part.output});
      of.push_back(found == weights.end() ? 0 : found->second);
    }
    std::vector<std::int64_t> everywhere;  // least shares where a leaf does not test the variable
    for (const DualShares& one : numbers.shares[t]) {
      everywhere.push_back(least_of(one.of, box.cells[one.variable], nullptr));
    }
    for (const Live& live : box.live[t]) {
      Wide value = 0;
      for (std::size_t k = 0; k < of.size(); ++k) {
        if (of[k] == 0) continue;
        const double number = model.read(live.leaf->values[k]);
        value -= Wide{of[k]} * scaled(number, numbers.exponent, of[k] > 0);
      }
      for (std::size_t s = 0; s < everywhere.size(); ++s) {
        const DualShares& one = numbers.shares[t][s];
        const auto side =
            std::find_if(live.leaf->sides.begin(), live.leaf->sides.end(),
                         [&](const Side& tested) { return tested.variable == one.variable; });
        value += side == live.leaf->sides.end()
                     ? everywhere[s]
                     : least_of(one.of, box.cells[one.variable], &side->cells);
      }
      values[t].push_back(value);
    }
    bound += *std::min_element(values[t].begin(), values[t].end());
  }
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const Wide least = *std::min_element(values[t].begin(), values[t].end());
    std::size_t i = 0;
    std::erase_if(box.live[t],
                  [&](const Live&) { return bound - least + values[t][i++] >= limit_; });
  }
}

}  // namespace check
