// Walks the tree of a certificate, like boxwood_check.py. Costs are doubles, added in the order of
// the claim wherever a sum is close to it; sums of scores are doubles with an allowance for their
// rounding; rule D works in whole numbers. Rounding can only make a rule fail.
#pragma once

#include "outcomes.hpp"

#include <bit>
#include <memory>

namespace check {

using Word = std::uint64_t;
using Mask = std::vector<Word>;
constexpr std::size_t word_bits = 64;
inline Word bit_of(std::size_t bit) { return Word{1} << (bit % word_bits); }
inline bool has_bit(const Mask& mask, std::size_t bit) {
  return (mask[bit / word_bits] & bit_of(bit)) != 0;
}
constexpr std::uint32_t none = ~std::uint32_t{0};

struct Side {
  std::uint32_t variable = 0;
  Mask cells;
};
struct Leaf {
  std::vector<Side> sides;
  const double* values = nullptr;
};
struct Part {
  std::uint32_t model = 0;
  int output = 0;
  std::vector<Leaf> leaves;
};
struct Measure {
  std::int64_t changes = 0;
  double cost = 0;
};
struct Live {
  const Leaf* leaf = nullptr;
  Measure extra;
};
struct Box {
  std::vector<Mask> cells;
  std::vector<std::vector<Live>> live;  ///< of a tree; then of a clause
  Measure measure;
};

/// The numbers of a dual bound.
struct DualShares {
  std::uint32_t variable = 0;
  std::vector<std::int64_t> of;  ///< of a bit
};
struct DualNumbers {
  int exponent = 0;
  std::vector<std::int64_t> prices;
  std::vector<std::vector<DualShares>> shares;  ///< of a tree
};

/// Reads whole numbers from the tree.
class Tokens {
 public:
  explicit Tokens(const Json& tree) : tree_(tree) {}
  bool at_end() const { return at_ == tree_.size(); }
  std::int64_t next() {
    if (at_end()) throw Rejected("the tree ends before every box is closed");
    const Json& one = tree_[at_++];
    if (!one.is_number_integer()) throw Rejected(one.dump() + " is not a whole number");
    if (one.is_number_unsigned() && one.get<std::uint64_t>() > 0x7fffffffffffffff) {
      throw Rejected(one.dump() + " is too large");
    }
    return one.get<std::int64_t>();
  }
  std::int64_t next(std::int64_t low, std::int64_t high) {
    const std::int64_t token = next();
    if (token < low || token > high) throw Rejected("a number is out of range");
    return token;
  }

 private:
  const Json& tree_;
  std::size_t at_ = 0;
};

class Checker {
 public:
  Checker(const std::vector<Model>& models, const Question& question, double claim,
          std::int64_t changes);

  /// Checks that a point consists of values of cells, costs exactly what is claimed, has the
  /// claimed changes, keeps to the clauses and certainly has the outcome.
  void check_point(const std::vector<double>& point) const;
  /// Walks the tree; returns the number of closed boxes.
  std::size_t run(const Json& tree) const;

 private:
  struct Order {
    std::vector<std::uint32_t> bit;  ///< of a position
    std::vector<double> cost;        ///< of a bit; bit 0 is the own cell
    std::size_t words = 0;
  };
  struct PricedCondition {
    std::uint32_t model = 0;
    Condition condition;
  };

  void add_variable(std::uint32_t v);
  void place_leaves();
  void place_clauses();
  Box whole() const;
  std::optional<Box> child(const Box& box, std::uint32_t v, const Mask& mask, bool inside) const;
  std::uint32_t variable_numbered(std::int64_t number) const;
  Mask first_child(Tokens& tokens, std::uint32_t v) const;
  bool dead(const Box& box) const;
  double most(const Box& box, std::uint32_t model, int plus, int minus, double sign) const;
  bool refuted(const Box& box, std::size_t r) const;
  void set_tolls();
  DualNumbers read_dual(Tokens& tokens, std::int64_t unit) const;
  void thin(Box& box, const DualNumbers& numbers) const;
  bool excluded(const Measure& measure, const std::vector<Mask>& cells,
                const std::vector<Side>& sides = {}) const;

  static std::uint32_t lowest(const Mask& cells, const Mask* more = nullptr) {
    for (std::size_t w = 0; w < cells.size(); ++w) {
      const Word word = more ? cells[w] & (*more)[w] : cells[w];
      if (word != 0) {
        return static_cast<std::uint32_t>(w * word_bits) +
               static_cast<std::uint32_t>(std::countr_zero(word));
      }
    }
    return none;
  }
  /// Costs far above the claim are cut, so that sums lose no digits to them.
  Measure measure_of(std::uint32_t v, std::uint32_t bit) const {
    return {bit == 0 ? 0 : 1, sums_ ? std::min(order_[v].cost[bit], 2 * claim_) : 0.0};
  }
  static void move(Measure& sum, const Measure& plus, const Measure& minus) {
    sum.changes += plus.changes - minus.changes;
    sum.cost += plus.cost - minus.cost;
  }
  Measure measure_of(const std::vector<Mask>& cells) const {
    Measure sum;
    for (std::uint32_t v = 0; v < cells.size(); ++v) move(sum, measure_of(v, lowest(cells[v])), {});
    return sum;
  }

  const std::vector<Model>& models_;
  const Question& question_;
  double claim_;
  std::int64_t claimed_changes_;
  bool sums_ = false;
  double drift_ = 0;  ///< how far sums of costs may be from exact ones, in claims
  std::vector<Variable> variables_;
  std::vector<std::uint32_t> variable_of_;
  std::vector<std::size_t> column_of_;
  std::vector<Order> order_;
  std::vector<Mask> root_;
  std::vector<Part> parts_;
  // A condition of a clause is like a leaf: a point lies in one leaf of each tree and each clause.
  std::vector<std::vector<Leaf>> clauses_;
  std::vector<Outcomes> outcomes_;
  std::vector<std::uint32_t> model_of_;
  std::vector<std::vector<std::int64_t>> tolls_;  // of a variable: of a bit
  std::int64_t limit_ = 0;
  std::vector<PricedCondition> priced_conditions_;
};

}  // namespace check
