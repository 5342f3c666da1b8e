#include "checker.hpp"

#include <algorithm>
#include <numeric>

namespace check {

Checker::Checker(const std::vector<Model>& models, const Question& question, double claim,
                 std::int64_t changes)
    : models_(models), question_(question), claim_(claim), claimed_changes_(changes) {
  sums_ = std::isfinite(claim) && question.norm != "linf";
  variable_of_.assign(question.point.size(), 0);
  column_of_.assign(question.point.size(), 0);
  variables_ = question.variables();
  for (std::uint32_t v = 0; v < variables_.size(); ++v) add_variable(v);
  for (const Json& wanted : question.requirements) {
    const int number = wanted.contains("model") ? check::whole(wanted["model"]) : 0;
    const auto m = static_cast<std::size_t>(number);
    if (number < 0 || m >= models.size()) throw Unsupported("a requirement about no model");
    outcomes_.emplace_back(models[m], wanted);
    model_of_.push_back(static_cast<std::uint32_t>(m));
  }
  // A leaf's sum is updated for each box around it that has fewer cells of a variable of the leaf,
  // so at most once for each cell. With n variables all sums are below 2 (n + 1) claims, and an
  // update rounds four times. The sum that decides, in the order of the features, rounds n times.
  std::size_t cells = 0;
  for (const Variable& variable : variables_) cells += variable.cells.size();
  const auto n = static_cast<double>(variables_.size());
  drift_ = (static_cast<double>(cells) + n + 8) * (n + 8) * 0x1p-49;
  set_tolls();
  place_leaves();
  place_clauses();
}

void Checker::add_variable(std::uint32_t v) {
  const Variable& variable = variables_[v];
  for (std::size_t k = 0; k < variable.columns.size(); ++k) {
    variable_of_[variable.columns[k]] = v;
    column_of_[variable.columns[k]] = k;
  }
  std::vector<std::size_t> positions(variable.cells.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::stable_sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
    const double x = variable.cells[a].cost, y = variable.cells[b].cost;
    return x < y || (x == y && a == variable.own && b != variable.own);
  });
  Order order;
  order.bit.resize(positions.size());
  order.words = (positions.size() + word_bits - 1) / word_bits;
  Mask all(order.words, 0);
  for (std::uint32_t bit = 0; bit < positions.size(); ++bit) {
    const double cost = variable.cells[positions[bit]].cost;
    order.bit[positions[bit]] = bit;
    order.cost.push_back(cost);
    if (question_.fewest || cost < claim_ || cost == 0) all[bit / word_bits] |= bit_of(bit);
  }
  order_.push_back(std::move(order));
  root_.push_back(std::move(all));
}

bool Checker::excluded(const Measure& measure, const std::vector<Mask>& cells,
                       const std::vector<Side>& sides) const {
  if (question_.max_changes && measure.changes > *question_.max_changes) return true;
  if (question_.fewest && claimed_changes_ >= 0 && measure.changes != claimed_changes_) {
    return measure.changes > claimed_changes_;
  }
  if (!std::isfinite(claim_)) return false;
  if (!sums_ && !question_.fewest) return claim_ <= 0;
  if (sums_ && measure.cost > claim_ * (1 + drift_)) return true;
  if (sums_ && measure.cost < claim_ * (1 - drift_)) return false;
  double total = 0;
  for (std::uint32_t v = 0; v < cells.size(); ++v) {
    const Mask* more = nullptr;
    for (const Side& side : sides) {
      if (side.variable == v) more = &side.cells;
    }
    const double cost = order_[v].cost[lowest(cells[v], more)];
    total = sums_ ? total + cost : std::max(total, cost);
  }
  return total >= claim_;
}

void Checker::place_leaves() {
  const Measure whole_measure = measure_of(root_);
  for (std::uint32_t m = 0; m < models_.size(); ++m) {
    for (const Tree& tree : models_[m].trees) {
      Part part{m, tree.output, {}};
      struct Open {
        int node;
        Measure measure;
        std::vector<Side> sides;
      };
      std::vector<Open> open;
      // In an excluded box no leaf is live, not even the leaf of a tree without splits.
      if (!excluded(whole_measure, root_)) open.push_back({0, whole_measure, {}});
      while (!open.empty()) {
        const Open now = std::move(open.back());
        open.pop_back();
        const Node& node = tree.nodes[static_cast<std::size_t>(now.node)];
        if (node.kind == 0) {
          part.leaves.push_back({now.sides, &tree.values[static_cast<std::size_t>(node.value)]});
          continue;
        }
        const auto feature = static_cast<std::size_t>(node.feature);
        const std::uint32_t v = variable_of_[feature];
        const auto side = std::find_if(now.sides.begin(), now.sides.end(),
                                       [&](const Side& s) { return s.variable == v; });
        const Mask& before = side == now.sides.end() ? root_[v] : side->cells;
        Mask left(before.size(), 0);
        for (std::size_t p = 0; p < variables_[v].cells.size(); ++p) {
          const std::uint32_t bit = order_[v].bit[p];
          if (!has_bit(before, bit)) continue;
          const double given = variables_[v].cells[p].values[column_of_[feature]];
          const double value = models_[m].input == "float32" ? to_single(given) : given;
          if (goes_left(node, tree, value)) left[bit / word_bits] |= bit_of(bit);
        }
        for (const bool goes : {false, true}) {
          Mask mask = before;
          for (std::size_t w = 0; w < mask.size(); ++w) mask[w] &= goes ? left[w] : ~left[w];
          const std::uint32_t bit = lowest(mask);
          if (bit == none) continue;
          Open next{goes ? node.left : node.right, now.measure, now.sides};
          move(next.measure, measure_of(v, bit), measure_of(v, lowest(before)));
          if (side == now.sides.end()) {
            next.sides.push_back({v, std::move(mask)});
          } else {
            next.sides[static_cast<std::size_t>(side - now.sides.begin())].cells = std::move(mask);
          }
          if (!excluded(next.measure, root_, next.sides)) open.push_back(std::move(next));
        }
      }
      parts_.push_back(std::move(part));
    }
  }
}

void Checker::place_clauses() {
  const Measure whole_measure = measure_of(root_);
  for (const std::vector<Literal>& clause : question_.clauses) {
    std::vector<Leaf>& leaves = clauses_.emplace_back();
    for (const Literal& literal : clause) {
      const std::uint32_t v = variable_of_[literal.feature];
      Side side{v, root_[v]};
      for (std::size_t p = 0; p < variables_[v].cells.size(); ++p) {
        const double value = variables_[v].cells[p].values[column_of_[literal.feature]];
        const std::uint32_t bit = order_[v].bit[p];
        if (!question_.literal_holds(literal, value)) {
          side.cells[bit / word_bits] &= ~bit_of(bit);
        }
      }
      if (lowest(side.cells) == none) continue;
      Measure measure = whole_measure;
      move(measure, measure_of(v, lowest(side.cells)), measure_of(v, lowest(root_[v])));
      if (!excluded(measure, root_, {side})) leaves.push_back({{std::move(side)}, nullptr});
    }
  }
}

Box Checker::whole() const {
  Box box{root_, {}, measure_of(root_)};
  const auto add = [&](const std::vector<Leaf>& leaves) {
    box.live.emplace_back();
    for (const Leaf& leaf : leaves) {
      Live live{&leaf, {}};
      for (const Side& side : leaf.sides) {
        move(live.extra, measure_of(side.variable, lowest(side.cells)),
             measure_of(side.variable, lowest(root_[side.variable])));
      }
      box.live.back().push_back(live);
    }
  };
  for (const Part& part : parts_) add(part.leaves);
  for (const std::vector<Leaf>& clause : clauses_) add(clause);
  return box;
}

std::optional<Box> Checker::child(const Box& box, std::uint32_t v, const Mask& mask,
                                  bool inside) const {
  Box made{box.cells, {}, {}};
  for (std::size_t w = 0; w < mask.size(); ++w) {
    made.cells[v][w] &= inside ? mask[w] : ~mask[w];
  }
  if (made.cells[v] == box.cells[v]) return box;  // and no sum drifts
  const std::uint32_t now = lowest(made.cells[v]), before = lowest(box.cells[v]);
  if (now == none) return std::nullopt;
  made.measure = measure_of(made.cells);
  made.live.resize(box.live.size());
  for (std::size_t t = 0; t < box.live.size(); ++t) {
    made.live[t].reserve(box.live[t].size());
    for (Live live : box.live[t]) {
      bool same = now == before;
      const auto side = std::find_if(live.leaf->sides.begin(), live.leaf->sides.end(),
                                     [&](const Side& s) { return s.variable == v; });
      if (side != live.leaf->sides.end()) {
        const std::uint32_t bit = lowest(made.cells[v], &side->cells);
        if (bit == none) continue;
        const std::uint32_t old = lowest(box.cells[v], &side->cells);
        same = same && bit == old;
        move(live.extra, measure_of(v, bit), measure_of(v, now));
        move(live.extra, measure_of(v, before), measure_of(v, old));
      }
      if (!same) {
        Measure total = made.measure;
        move(total, live.extra, {});
        if (excluded(total, made.cells, live.leaf->sides)) continue;
      }
      made.live[t].push_back(live);
    }
  }
  return made;
}

std::uint32_t Checker::variable_numbered(std::int64_t number) const {
  const auto found = std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) {
    return static_cast<std::int64_t>(v.number) == number;
  });
  if (found == variables_.end()) throw Rejected("a variable that does not exist");
  return static_cast<std::uint32_t>(found - variables_.begin());
}

/// Every number b moves the cells below position b to the other side.
Mask Checker::first_child(Tokens& tokens, std::uint32_t v) const {
  const auto cells = static_cast<std::int64_t>(variables_[v].cells.size());
  Mask mask(order_[v].words, 0);
  for (std::int64_t count = tokens.next(0, cells); count > 0; --count) {
    const std::int64_t end = tokens.next(0, cells);
    for (std::int64_t p = 0; p < end; ++p) {
      const std::uint32_t bit = order_[v].bit[static_cast<std::size_t>(p)];
      mask[bit / word_bits] ^= bit_of(bit);
    }
  }
  return mask;
}

std::size_t Checker::run(const Json& tree) const {
  struct Open {
    std::optional<Box> box;
    std::shared_ptr<const DualNumbers> dual;
  };
  Tokens tokens(tree);
  std::size_t closed = 0;
  std::vector<Open> open;
  open.push_back({whole(), nullptr});
  while (!open.empty()) {
    Open now = std::move(open.back());
    open.pop_back();
    if (now.box && dead(*now.box)) now.box.reset();
    const std::int64_t first = tokens.next();
    if (first == -1) {
      const std::int64_t unit = tokens.next();
      if (unit != -1) now.dual = std::make_shared<const DualNumbers>(read_dual(tokens, unit));
      if (!now.dual) throw Rejected("rule D: there are no numbers to use again");
      if (now.box) thin(*now.box, *now.dual);
      open.push_back(std::move(now));
    } else if (first < 0) {
      const auto r = static_cast<std::size_t>(-2 - first);
      if (now.box && (r >= outcomes_.size() || !refuted(*now.box, r))) {
        throw Rejected("requirement " + std::to_string(r) +
                       " does not close a box: it may hold a better point");
      }
      ++closed;
    } else {
      const std::uint32_t v = variable_numbered(first);
      const Mask mask = first_child(tokens, v);
      for (const bool inside : {false, true}) {
        open.push_back({now.box ? child(*now.box, v, mask, inside) : std::nullopt, now.dual});
      }
    }
  }
  if (!tokens.at_end()) throw Rejected("the tree goes on after its end");
  return closed;
}

}  // namespace check
