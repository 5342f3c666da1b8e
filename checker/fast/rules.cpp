// The point of a certificate, dead boxes, and rule R of docs/proof.md.
#include "checker.hpp"

#include <algorithm>

namespace check {

void Checker::check_point(const std::vector<double>& point) const {
  if (point.size() != question_.point.size()) throw Rejected("the point has the wrong length");
  double total = 0;
  std::int64_t changes = 0;
  for (const Variable& variable : variables_) {
    const auto cell =
        std::find_if(variable.cells.begin(), variable.cells.end(), [&](const CellOf& one) {
          for (std::size_t k = 0; k < variable.columns.size(); ++k) {
            const double value = point[variable.columns[k]];
            if (value != one.values[k] && !(std::isnan(value) && std::isnan(one.values[k]))) {
              return false;
            }
          }
          return true;
        });
    if (cell == variable.cells.end()) {
      throw Rejected("the value of feature " + std::to_string(variable.number) +
                     " is not that of a cell");
    }
    total = question_.norm == "linf" ? std::max(total, cell->cost) : total + cell->cost;
    changes += cell != variable.cells.begin() + static_cast<std::ptrdiff_t>(variable.own);
  }
  if (total != claim_ || !std::isfinite(total)) {
    throw Rejected("the point does not cost what is claimed");
  }
  if (question_.fewest && changes != claimed_changes_) {
    throw Rejected("the point does not have as many changes as claimed");
  }
  if (question_.max_changes && changes > *question_.max_changes) {
    throw Rejected("the point has too many changes");
  }
  for (const auto& clause : question_.clauses) {
    if (std::none_of(clause.begin(), clause.end(), [&](const Literal& literal) {
          return question_.literal_holds(literal, point[literal.feature]);
        })) {
      throw Rejected("the point breaks a clause");
    }
  }
  for (std::size_t r = 0; r < outcomes_.size(); ++r) {
    const Model& model = models_[model_of_[r]];
    std::vector<const double*> leaves;
    for (const Tree& tree : model.trees) {
      const Node* node = tree.nodes.data();
      while (node->kind != 0) {
        const double given = point[static_cast<std::size_t>(node->feature)];
        const double value = model.input == "float32" ? to_single(given) : given;
        node = &tree.nodes[static_cast<std::size_t>(goes_left(*node, tree, value) ? node->left
                                                                                  : node->right)];
      }
      leaves.push_back(&tree.values[static_cast<std::size_t>(node->value)]);
    }
    if (!outcomes_[r].certainly(model.scores(leaves), true)) {
      throw Rejected("the point does not certainly have the outcome");
    }
  }
}

bool Checker::dead(const Box& box) const {
  return excluded(box.measure, box.cells) ||
         std::any_of(box.live.begin(), box.live.end(),
                     [](const auto& live) { return live.empty(); });
}

/// The most that the live leaves of a model add to sign * (plus - minus).
double Checker::most(const Box& box, std::uint32_t model, int plus, int minus, double sign) const {
  double sum = 0;
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const int output = parts_[t].output;
    if (parts_[t].model != model || (output != -1 && output != plus && output != minus)) continue;
    double best = -inf;
    for (const Live& live : box.live[t]) {
      const double* values = live.leaf->values;
      double value = 0;
      if (output >= 0) {
        value = (output == plus ? sign : -sign) * models_[model].read(*values);
      } else {
        value = models_[model].read(values[plus]);
        if (minus >= 0) value -= models_[model].read(values[minus]);
        value *= sign;
      }
      best = std::max(best, value);
    }
    sum += best;
  }
  return sum;
}

bool Checker::refuted(const Box& box, std::size_t r) const {
  const Outcomes& outcome = outcomes_[r];
  const std::uint32_t m = model_of_[r];
  const auto fails = [&](const Condition& one) {
    if (one.part) {
      return outcome.softmax_fails(one, [&](int plus, int minus, double sign) {
        return outcome.score_bound(plus, minus, sign, most(box, m, plus, minus, sign));
      });
    }
    if (std::isinf(one.needed)) return one.needed > 0;
    return most(box, m, one.plus, one.minus, one.sign) < one.needed;
  };
  const Alternatives& all = outcome.alternatives;
  if (outcome.bounded && std::all_of(all.begin(), all.end(), [&](const auto& alternative) {
        return std::any_of(alternative.begin(), alternative.end(), fails);
      })) {
    return true;
  }
  std::vector<const double*> leaves;
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    if (parts_[t].model != m) continue;
    if (box.live[t].size() != 1) return false;
    leaves.push_back(box.live[t][0].leaf->values);
  }
  return outcome.certainly(models_[m].scores(leaves), false);
}

}  // namespace check
