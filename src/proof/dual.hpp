// Rule D of docs/proof.md: leaves that a dual bound excludes. `Dual` looks for good prices and
// shares in doubles; `thin` applies the whole numbers that they are rounded to exactly as a checker
// does, so that the leaves that remain here are those that remain there.
#pragma once

#include "proof/level.hpp"
#include "proof/outcomes.hpp"

#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace boxwood::proofs {

/// What rule D weighs points by: a whole number for each cell. A point that is better than the
/// claim has a sum below `limit`.
struct Tolls {
  std::vector<std::vector<std::int64_t>> of;  ///< of a variable: of a bit
  std::int64_t limit = 1;
};
Tolls make_tolls(const ProofProblem& problem);

/// A linear condition that every point with the outcome meets.
struct PricedCondition {
  std::size_t model = 0;
  Condition condition;
};
/// Those of all requirements with one alternative.
std::vector<PricedCondition> priced_conditions(const std::vector<Outcomes>& outcomes);

/// Whole numbers, as certificates list them.
struct Shares {
  std::uint32_t tree = 0;
  std::uint32_t variable = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> runs;  ///< from a position on
};
struct DualNumbers {
  int unit = 0;                      ///< shares count in 2^unit
  int exponent = 0;                  ///< scores count in 2^-exponent
  std::vector<std::int64_t> prices;  ///< of a condition
  std::vector<Shares> shares;        ///< ascending by tree, then variable
};

/// No share and no priced score may be larger; so sums of all of them fit into 64 bits.
constexpr std::int64_t most_toll = std::int64_t{1} << 44;
constexpr std::size_t most_shares = std::size_t{1} << 16;

struct DualProblem {
  const ProofProblem& problem;
  const Tolls& tolls;
  std::span<const PricedCondition> conditions;
};

/// The leaves that stay live, as indices into `level.live`.
std::vector<std::uint32_t> thin(const DualProblem& dual, const DualNumbers& numbers,
                                const Level& level);

class Dual {
 public:
  Dual(const DualProblem& dual, const Level& level);

  /// Prices and shares of a bound, to start another one from.
  struct Start {
    std::vector<double> prices;
    std::vector<std::uint64_t> slots;  ///< variable and tree, ascending
    std::vector<std::uint32_t> begin;  ///< of a slot in `shares`
    std::vector<float> shares;         ///< of the bits of the variable
  };
  void start_from(const Start& start);
  Start start() const;
  /// One round of block ascent; the bound.
  double ascend();
  /// Rounded so that the limit has about 2^bits units.
  DualNumbers numbers(int bits) const;
  std::size_t share_count() const { return slots_.size(); }
  std::size_t count_kept(double bound) const;
  /// Bits of a variable's cells that no better point takes, before rounding. False: none.
  bool costly_cells(std::uint32_t variable, double bound, Mask& costly);

 private:
  /// The shares of one tree in one variable: one for each set of cells that its leaves do not
  /// distinguish (an atom).
  struct Slot {
    std::uint32_t tree = 0;
    std::uint32_t variable = 0;
    std::uint32_t atoms_begin = 0, atoms_end = 0;      // in share_
    std::uint32_t testers_begin = 0, testers_end = 0;  // in testers_
    std::uint32_t atom_of_begin = 0;                   // in atom_of_: of the variable's cells
    std::uint32_t runs_begin = 0, runs_end = 0;        // in runs_
  };
  /// Neighbouring cells of one atom, up to the begin of the next run.
  struct Run {
    std::uint32_t begin = 0;
    std::uint16_t atom = 0;
  };
  struct Tester {
    std::uint32_t live = 0;
    std::uint32_t begin = 0, end = 0;  // in tester_atoms_
    double extra = 0;                  // its least share beyond the slot's least
  };

  /// A live leaf that does not take all cells that the box has of a variable.
  struct Test {
    std::uint32_t tree = 0;
    std::uint32_t live = 0;
    const Word* cells = nullptr;
  };

  void build();
  void join_cells(std::uint32_t variable, std::span<const Test> tests);
  std::uint16_t atom_of(const Slot& slot, std::size_t i) const {
    return atom_of_[slot.atom_of_begin + joined_[slot.variable][i]];
  }
  void build_slot(std::uint32_t variable, std::span<const Test> tests);
  void force(std::uint32_t variable);
  void make_minima();
  double least_total(std::uint32_t begin, std::uint32_t end) const;
  void ascend_variable(std::uint32_t variable);
  void set_shares(Slot& slot, const double* shares);
  void search_price(std::size_t index);
  void set_prices(std::span<const double> prices);
  double score(const PricedCondition& priced, std::uint32_t live) const;
  double value() const;
  double least_of_tree(std::uint32_t tree) const;

  DualProblem dual_;
  const Level& level_;
  std::vector<std::vector<std::uint32_t>> bits_;    // of a variable: its cells, by position
  std::vector<std::vector<std::uint32_t>> joined_;  // of these: a place in cells_
  std::vector<std::vector<std::uint32_t>> cells_;   // of a variable: bits, one of each joined set
  std::vector<Slot> slots_;                         // by variable
  std::vector<std::uint32_t> slots_begin_;          // of a variable
  std::vector<std::uint16_t> atom_of_;
  std::vector<Run> runs_;
  std::vector<Tester> testers_;
  std::vector<std::uint16_t> tester_atoms_;
  std::vector<double> share_;
  std::vector<double> least_;       // of a slot
  std::vector<double> leaf_value_;  // of a live leaf: extras minus its priced score
  std::mt19937_64 random_{1};
  double unshared_ = 0;  // least tolls of variables without shares
  std::vector<double> prices_;
  std::vector<double> scores_, forced_, totals_, shares_;  // scratch
  std::vector<double> minima_;  // row k: of each cell and the 2^k - 1 after it, the least total
};

}  // namespace boxwood::proofs
