// The finite problem of a certificate (docs/proof.md): the cells of every variable, the leaves that
// a point better than the claim can reach, clauses as sets of cells. A set of cells is a bit mask
// in which bit i is the i-th cheapest cell, so that the lowest bit of a set is its cheapest cell.
#pragma once

#include "base/bit_set.hpp"
#include "grid/cells.hpp"
#include "model/arithmetic.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace boxwood::proofs {

/// What is to be proven: no point is better than this.
struct Claim {
  double cost = 0;                       ///< infinite: there is no point at all
  std::optional<std::size_t> changes{};  ///< with fewest changes first, of these many
};

using Word = std::uint64_t;
using Mask = std::vector<Word>;

/// One variable's part of a box.
struct MaskPart {
  std::uint32_t at = 0;  ///< of its first word in a box
  std::uint32_t words = 0;
};

struct ProofVariable {
  std::uint32_t feature = 0;           ///< its number in certificates
  std::vector<std::uint32_t> columns;  ///< the features that it decides about
  MaskPart part;
  std::vector<double> costs;               ///< of a bit
  std::vector<std::uint32_t> position_of;  ///< of a bit: its place in the order of the axis
  std::vector<std::uint32_t> bit_of;       ///< of a position
  std::vector<double> values;              ///< of a position: of its columns, one after the other
  std::vector<std::uint32_t> near;         ///< positions of the cells in the whole box
  bool ordered = false;                    ///< values ascend; no cell for missing
};

/// A leaf's cells of one variable. `first` and `last` are positions that enclose them; `range` says
/// that the leaf takes all between.
struct LeafCells {
  std::uint32_t variable = 0;
  std::uint32_t mask = 0;  ///< in Problem::pool
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool range = false;
};

struct LeafEntry {
  std::uint32_t tree = 0;
  std::uint32_t cells_begin = 0;
  std::uint32_t cells_end = 0;
  std::uint64_t tests = 0;  ///< has bit_in_word(v) of every variable v that the leaf tests
  const double* values = nullptr;

  /// False only if the leaf does not test the variable.
  bool may_test(std::uint32_t variable) const { return (tests & bit_in_word(variable)) != 0; }
};

struct TreeEntry {
  std::uint32_t model = 0;
  std::int32_t output = 0;
};

/// The cells in which a statement of a clause holds.
struct LiteralCells {
  std::uint32_t variable = 0;
  Mask mask;
};

/// How a box compares with the claim.
struct Measure {
  std::int32_t changes = 0;
  double cost = 0;  ///< up to rounding; unused without a finite claim and for linf
};

/// The cuts of all splits, as certificates number them.
Cuts cuts_of_models(std::span<const Ensemble> ensembles);

class ProofProblem {
 public:
  /// `cuts` are those of the models.
  ProofProblem(std::span<const Ensemble> ensembles, const Cuts& cuts, const Query& query,
               const Claim& claim);

  std::vector<ProofVariable> variables;
  Mask box;                ///< of the whole problem
  std::vector<Word> pool;  ///< masks of leaves
  std::vector<LeafCells> cells;
  std::vector<LeafEntry> leaves;  ///< tree by tree
  std::vector<std::uint32_t> tree_begin{0};
  std::vector<TreeEntry> trees;
  std::vector<std::vector<LiteralCells>> clauses;

  std::span<const LeafCells> cells_of(const LeafEntry& leaf) const {
    return std::span(cells).subspan(leaf.cells_begin, leaf.cells_end - leaf.cells_begin);
  }

  /// The cheapest bit of a part of a box, within a mask if there is one. No bit: `none`.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static std::uint32_t lowest(const MaskPart& part, const Word* box, const Word* mask = nullptr) {
    for (std::uint32_t w = 0; w < part.words; ++w) {
      const Word word = mask ? box[part.at + w] & mask[w] : box[part.at + w];
      if (word == 0) continue;
      return static_cast<std::uint32_t>(w * bits_per_word) +
             static_cast<std::uint32_t>(std::countr_zero(word));
    }
    return none;
  }

  const Query& query() const { return query_; }
  const Claim& claim() const { return claim_; }
  /// A leaf's number as a model's sums take it.
  double read_score(std::uint32_t model, double value) const {
    return as_read(value, accumulators_[model]);
  }

  /// The point that has the values of another one's cells.
  std::vector<double> in_cells(std::span<const double> point) const;

  Measure measure_of_box(const Word* box) const;
  /// What one bit of a variable adds. Costs far above the claim are cut, so that sums lose no
  /// digits to them.
  Measure measure_of(std::uint32_t variable, std::uint32_t bit) const {
    const ProofVariable& v = variables[variable];
    return {bit == 0 ? 0 : 1, sums_ ? std::min(v.costs[bit], 2 * claim_.cost) : 0.0};
  }

  /// Whether no point of a box is better than the claim, in one variable or in a leaf only within
  /// their cells.
  bool excluded(const Measure& measure, const Word* box, std::span<const LeafCells> leaf = {},
                const LiteralCells* literal = nullptr) const;

 private:
  void make_variables_of(std::span<const Ensemble> ensembles);
  void add_variable(const Variable& variable, std::uint32_t feature);
  void place_leaves(std::span<const Ensemble> ensembles);
  void place_tree(const Tree& tree, Precision input);
  void split_mask(const Tree& tree, const Node& node, Precision input, std::uint32_t variable,
                  std::vector<Word>& left) const;
  void add_clauses();

  const Query& query_;
  Claim claim_;
  bool sums_ = false;
  std::vector<Precision> accumulators_;     // of a model
  Precision precision_;                     // in which values are read
  Cuts cuts_;                               // of models and clauses
  std::vector<Variable> grid_;              // of a feature
  std::vector<std::uint32_t> variable_of_;  // of a feature
  std::vector<std::uint32_t> column_of_;    // of a feature: its place in the variable's columns
};

}  // namespace boxwood::proofs
