#include "proof/problem.hpp"

#include <boxwood/error.hpp>

#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "model/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::proofs {
namespace {

/// Costs that are this close to the claim, relatively, are added again in the order of the claim.
constexpr double doubtful = 1e-9;

void add_set_cuts(const std::vector<std::int32_t>& set, bool zero_up, std::vector<Cut>& cuts) {
  Tree tree;
  tree.sets = {set};
  Node node;
  node.kind = NodeKind::in_set;
  node.value = 0;
  node.zero_up = zero_up;
  SplitCuts split;
  cuts_of(tree, node, split);
  cuts.insert(cuts.end(), split.cuts.begin(), split.cuts.end());
}

void put_in_order(std::vector<Cut>& cuts) {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

/// Adds the cuts of the clauses.
Cuts with_clauses(Cuts cuts, const Query& query, Precision precision) {
  for (const Clause& clause : query.clauses) {
    for (const Literal& literal : clause.any_of) {
      std::vector<Cut>& list = cuts[literal.feature];
      if (!literal.codes.empty()) {
        add_set_cuts(literal.codes, false, list);
      } else {
        const double lower = as_read(literal.range.lower, precision) + 0.0;
        const double upper = as_read(literal.range.upper, precision) + 0.0;
        if (std::isfinite(lower)) list.push_back({lower, !literal.range.lower_closed});
        if (std::isfinite(upper)) list.push_back({upper, literal.range.upper_closed});
      }
      put_in_order(list);
    }
  }
  return cuts;
}

}  // namespace

/// Unlike collect_cuts, a split that sends zero where missing values go always has three.
Cuts cuts_of_models(std::span<const Ensemble> ensembles) {
  Cuts cuts(ensembles.front().features.size());
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      for (const Node& node : tree.nodes) {
        if (node.kind == NodeKind::leaf) continue;
        std::vector<Cut>& list = cuts[static_cast<std::size_t>(node.feature)];
        if (node.kind == NodeKind::in_set) {
          add_set_cuts(tree.sets[static_cast<std::size_t>(node.value)], node.zero_up, list);
          continue;
        }
        const double threshold = node.threshold + 0.0;
        // No admissible value is infinite.
        const bool finite = std::isfinite(threshold);
        if (finite && node.kind != NodeKind::less_equal) list.push_back({threshold, false});
        if (finite && node.kind != NodeKind::less) list.push_back({threshold, true});
        if (!node.missing_at_zero) continue;
        list.push_back({-zero_size, false});
        list.push_back({zero_size, true});
      }
    }
  }
  for (std::vector<Cut>& list : cuts) put_in_order(list);
  return cuts;
}

ProofProblem::ProofProblem(std::span<const Ensemble> ensembles, const Cuts& cuts,
                           const Query& query, const Claim& claim)
    : query_(query),
      claim_(claim),
      precision_(common_precision(ensembles)),
      cuts_(with_clauses(cuts, query, precision_)) {
  sums_ = std::isfinite(claim.cost) && query.norm != Norm::linf;
  for (const Ensemble& ensemble : ensembles) accumulators_.push_back(ensemble.accumulator);
  make_variables_of(ensembles);
  add_clauses();
  place_leaves(ensembles);
}

void ProofProblem::make_variables_of(std::span<const Ensemble> ensembles) {
  LeafBoxes boxes;
  boxes.cuts = cuts_;
  boxes.cell_order.resize(query_.point.size());
  Pace unlimited;
  grid_ = boxwood::make_variables(ensembles, query_, boxes, CellOrder::by_axis, unlimited);
  variable_of_.resize(grid_.size());
  column_of_.resize(grid_.size());
  for (std::uint32_t d = 0; d < grid_.size(); ++d) {
    if (grid_[d].owner == d) add_variable(grid_[d], d);
  }
}

std::vector<double> ProofProblem::in_cells(std::span<const double> point) const {
  std::vector<double> made(point.begin(), point.end());
  for (std::uint32_t d = 0; d < grid_.size(); ++d) {
    if (grid_[d].owner != d) continue;
    const std::uint32_t cell = cell_of(grid_[d], d, cuts_, precision_, point);
    if (cell == Variable::no_cell) {
      throw Error("proof", "the point of the answer is not admissible",
                  "Prove the answer of this question");
    }
    grid_[d].place(cell, d, made);
  }
  return made;
}

void ProofProblem::add_variable(const Variable& variable, std::uint32_t feature) {
  ProofVariable made;
  made.feature = feature;
  made.columns = variable.group ? variable.columns : std::vector{feature};
  for (std::uint32_t k = 0; k < made.columns.size(); ++k) {
    variable_of_[made.columns[k]] = static_cast<std::uint32_t>(variables.size());
    column_of_[made.columns[k]] = k;
  }
  const auto count = static_cast<std::uint32_t>(variable.cells.size());
  made.position_of.resize(count);
  std::iota(made.position_of.begin(), made.position_of.end(), 0U);
  std::stable_sort(made.position_of.begin(), made.position_of.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double x = variable.cells[a].cost, y = variable.cells[b].cost;
                     return x < y || (x == y && a == variable.own && b != variable.own);
                   });
  made.bit_of.resize(count);
  made.ordered = !variable.group && !variable.missing;
  for (std::uint32_t bit = 0; bit < count; ++bit) {
    made.bit_of[made.position_of[bit]] = bit;
    made.costs.push_back(variable.cells[made.position_of[bit]].cost);
  }
  for (const Cell& cell : variable.cells) {
    if (variable.group) {
      for (std::size_t k = 0; k < made.columns.size(); ++k) {
        made.values.push_back(cell.value == static_cast<double>(k) ? 1.0 : 0.0);
      }
    } else {
      made.values.push_back(cell.value);
      if (std::isnan(cell.value)) made.ordered = false;
    }
  }
  made.part = {static_cast<std::uint32_t>(box.size()),
               static_cast<std::uint32_t>(words_for(count))};
  box.resize(box.size() + made.part.words, 0);
  // A cell that alone is as expensive as the claim holds nothing better, unless changes come first.
  for (std::uint32_t bit = 0; bit < count; ++bit) {
    const bool kept = query_.fewest_first || made.costs[bit] < claim_.cost || made.costs[bit] == 0;
    if (!kept) continue;
    set_bit(&box[made.part.at], bit);
    made.near.push_back(made.position_of[bit]);
  }
  variables.push_back(std::move(made));
}

void ProofProblem::add_clauses() {
  std::vector<double> point = query_.point;
  for (const Clause& clause : query_.clauses) {
    clauses.emplace_back();
    for (const Literal& literal : clause.any_of) {
      const std::uint32_t v = variable_of_[literal.feature];
      const ProofVariable& variable = variables[v];
      LiteralCells cells_where{v, Mask(variable.part.words, 0)};
      const std::size_t width = variable.columns.size();
      for (std::uint32_t at = 0; at < variable.bit_of.size(); ++at) {
        point[literal.feature] = variable.values[at * width + column_of_[literal.feature]];
        if (!holds(literal, point, precision_)) continue;
        const std::uint32_t bit = variable.bit_of[at];
        set_bit(cells_where.mask.data(), bit);
      }
      clauses.back().push_back(std::move(cells_where));
    }
  }
}

Measure ProofProblem::measure_of_box(const Word* at) const {
  Measure sum;
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const Measure one = measure_of(v, lowest(variables[v].part, at));
    sum.changes += one.changes;
    sum.cost += one.cost;
  }
  return sum;
}

bool ProofProblem::excluded(const Measure& measure, const Word* at, std::span<const LeafCells> leaf,
                            const LiteralCells* literal) const {
  const auto changes = static_cast<std::size_t>(measure.changes);
  if (query_.max_changes && changes > *query_.max_changes) return true;
  if (query_.fewest_first && claim_.changes && changes != *claim_.changes) {
    return changes > *claim_.changes;
  }
  if (!std::isfinite(claim_.cost)) return false;
  if (!sums_ && !query_.fewest_first) return claim_.cost <= 0;
  if (sums_ && measure.cost > claim_.cost * (1 + doubtful)) return true;
  if (sums_ && measure.cost < claim_.cost * (1 - doubtful)) return false;
  double total = 0;
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const Word* mask = literal && literal->variable == v ? literal->mask.data() : nullptr;
    for (const LeafCells& side : leaf) {
      if (side.variable == v) mask = &pool[side.mask];
    }
    const double cost = variables[v].costs[lowest(variables[v].part, at, mask)];
    total = query_.norm == Norm::linf ? std::max(total, cost) : total + cost;
  }
  return total >= claim_.cost;
}

void ProofProblem::place_leaves(std::span<const Ensemble> ensembles) {
  for (std::uint32_t e = 0; e < ensembles.size(); ++e) {
    for (const Tree& tree : ensembles[e].trees) {
      trees.push_back({e, tree.output});
      place_tree(tree, ensembles[e].input);
      tree_begin.push_back(static_cast<std::uint32_t>(leaves.size()));
    }
  }
}

/// The bits of the cells that go left at a split.
void ProofProblem::split_mask(const Tree& tree, const Node& node, Precision input, std::uint32_t v,
                              std::vector<Word>& left) const {
  const ProofVariable& variable = variables[v];
  const std::uint32_t column = column_of_[static_cast<std::size_t>(node.feature)];
  left.assign(variable.part.words, 0);
  const std::size_t width = variable.columns.size();
  for (const std::uint32_t at : variable.near) {
    const std::uint32_t bit = variable.bit_of[at];
    if (!goes_left(tree, node, as_read(variable.values[at * width + column], input))) continue;
    set_bit(left.data(), bit);
  }
}

/// Walks a tree from its root into whatever a point better than the claim can reach.
void ProofProblem::place_tree(const Tree& tree, Precision input) {
  struct Open {
    std::int32_t node;
    Measure measure;
    std::vector<LeafCells> cells;
  };
  const Measure whole = measure_of_box(box.data());
  std::vector<Open> open{{0, whole, {}}};
  std::vector<Word> left, masks;
  while (!open.empty()) {
    Open now = std::move(open.back());
    open.pop_back();
    const Node& node = tree.nodes[static_cast<std::size_t>(now.node)];
    if (node.kind == NodeKind::leaf) {
      const auto begin = static_cast<std::uint32_t>(cells.size());
      cells.insert(cells.end(), now.cells.begin(), now.cells.end());
      std::uint64_t tests = 0;
      for (const LeafCells& side : now.cells) tests |= bit_in_word(side.variable);
      leaves.push_back({static_cast<std::uint32_t>(trees.size() - 1), begin,
                        static_cast<std::uint32_t>(cells.size()), tests,
                        &tree.values[static_cast<std::size_t>(node.value)]});
      continue;
    }
    const std::uint32_t v = variable_of_[static_cast<std::size_t>(node.feature)];
    const ProofVariable& variable = variables[v];
    const MaskPart part = variable.part;
    split_mask(tree, node, input, v, left);
    const auto found = std::find_if(now.cells.begin(), now.cells.end(),
                                    [&](const LeafCells& side) { return side.variable == v; });
    const bool tested = found != now.cells.end();
    const std::uint32_t before_at = tested ? found->mask : 0;
    const std::uint32_t before_bit = lowest(part, box.data(), tested ? &pool[before_at] : nullptr);
    for (const bool goes : {false, true}) {
      masks.assign(part.words, 0);
      for (std::uint32_t w = 0; w < part.words; ++w) {
        const Word base = tested ? pool[before_at + w] : box[part.at + w];
        masks[w] = base & (goes ? left[w] : ~left[w]);
      }
      const std::uint32_t bit = lowest(part, box.data(), masks.data());
      if (bit == none) continue;
      Open child{goes ? node.left : node.right, now.measure, now.cells};
      const Measure less = measure_of(v, before_bit), more = measure_of(v, bit);
      child.measure.changes += more.changes - less.changes;
      child.measure.cost += more.cost - less.cost;
      LeafCells side;
      side.variable = v;
      side.mask = static_cast<std::uint32_t>(pool.size());
      pool.insert(pool.end(), masks.begin(), masks.end());
      std::uint32_t taken = 0;
      side.first = static_cast<std::uint32_t>(variable.bit_of.size());
      for (std::uint32_t w = 0; w < part.words; ++w) {
        for_each_bit(masks[w], w, [&](std::size_t one) {
          const std::uint32_t at = variable.position_of[one];
          side.first = std::min(side.first, at);
          side.last = std::max(side.last, at + 1);
          ++taken;
        });
      }
      side.range = variable.ordered && side.last - side.first == taken;
      if (tested) {
        child.cells[static_cast<std::size_t>(found - now.cells.begin())] = side;
      } else {
        child.cells.push_back(side);
      }
      if (!excluded(child.measure, box.data(), child.cells)) {
        open.push_back(std::move(child));
      } else {
        pool.resize(side.mask);
      }
    }
  }
}

}  // namespace boxwood::proofs
