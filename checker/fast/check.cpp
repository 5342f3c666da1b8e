// Checks Boxwood proofs like boxwood_check.py, for large certificates. Costs are doubles added in
// the order of the claim wherever a sum is close to it; sums of scores are doubles with an
// allowance for their rounding, so that rounding can only make a rule fail.
//
//   boxwood_check MODEL [MODEL ...] QUESTION PROOF
//   boxwood_check --batch FILE     one object with models, question and proof on each line
#include "outcomes.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>

namespace check {
namespace {

using Word = std::uint64_t;
using Mask = std::vector<Word>;
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
  long changes = 0;
  double cost = 0;
};
struct Live {
  const Leaf* leaf = nullptr;
  Measure extra;
};
struct Box {
  std::vector<Mask> cells;
  std::vector<std::vector<Live>> live;  ///< of a tree
  Measure measure;
};

class Checker {
 public:
  Checker(const std::vector<Model>& models, const Question& question, double claim, long changes)
      : models_(models), question_(question), claim_(claim), claimed_changes_(changes) {
    sums_ = std::isfinite(claim) && question.norm != "linf";
    variable_of_.assign(question.point.size(), 0);
    column_of_.assign(question.point.size(), 0);
    variables_ = question.variables();
    for (std::uint32_t v = 0; v < variables_.size(); ++v) add_variable(v);
    for (const Json& wanted : question.requirements) {
      const auto m = wanted.value("model", std::size_t{0});
      if (m >= models.size()) throw Unsupported("a requirement about a model that does not exist");
      outcomes_.emplace_back(models[m], wanted);
      model_of_.push_back(static_cast<std::uint32_t>(m));
    }
    place_leaves();
  }

  /// Walks the tree; returns the number of closed boxes.
  std::size_t run(const Json& tree) const {
    std::size_t at = 0, closed = 0;
    const auto token = [&]() -> long {
      if (at >= tree.size()) throw Rejected("the tree ends before every box is closed");
      const Json& one = tree[at++];
      if (!one.is_number_integer()) throw Rejected(one.dump() + " is not a whole number");
      return one.get<long>();
    };
    std::vector<std::optional<Box>> open;
    open.push_back(whole());
    while (!open.empty()) {
      const std::optional<Box> box = std::move(open.back());
      open.pop_back();
      const long first = token();
      if (first < 0) {
        if (box) close(first, *box);
        ++closed;
        continue;
      }
      const auto found = std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) {
        return static_cast<long>(v.number) == first;
      });
      if (found == variables_.end()) throw Rejected("a cut of a variable that does not exist");
      const auto v = static_cast<std::uint32_t>(found - variables_.begin());
      const auto cells = static_cast<long>(found->cells.size());
      std::vector<long> ends{0, token()};
      if (ends[1] < 0) {
        const long count = std::min(-ends[1], 2 * cells + 2);
        ends.clear();
        for (long i = 0; i < count; ++i) ends.push_back(token());
      }
      if (ends.size() % 2 != 0) throw Rejected("a cut names cells that do not exist");
      Mask mask(order_[v].words, 0);
      for (std::size_t i = 0; i < ends.size(); ++i) {
        const bool ascends = i == 0 || ends[i] > ends[i - 1] || (ends[i] == 0 && ends[i - 1] == 0);
        if (ends[i] < 0 || ends[i] > cells || !ascends) {
          throw Rejected("a cut names cells that do not exist");
        }
        for (long p = i % 2 == 1 ? ends[i - 1] : ends[i]; p < ends[i]; ++p) {
          const std::uint32_t bit = order_[v].bit[static_cast<std::size_t>(p)];
          mask[bit / 64] |= Word{1} << (bit % 64);
        }
      }
      for (const bool inside : {false, true}) {
        open.push_back(box ? child(*box, v, mask, inside) : std::nullopt);
      }
    }
    if (at != tree.size()) throw Rejected("the tree goes on after its end");
    return closed;
  }

 private:
  struct Order {
    std::vector<std::uint32_t> bit;  ///< of a position
    std::vector<double> cost;        ///< of a bit; bit 0 is the own cell
    std::size_t words = 0;
  };

  void add_variable(std::uint32_t v) {
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
    order.words = (positions.size() + 63) / 64;
    Mask all(order.words, 0);
    for (std::uint32_t bit = 0; bit < positions.size(); ++bit) {
      const double cost = variable.cells[positions[bit]].cost;
      order.bit[positions[bit]] = bit;
      order.cost.push_back(cost);
      if (question_.fewest || cost < claim_ || cost == 0) all[bit / 64] |= Word{1} << (bit % 64);
    }
    order_.push_back(std::move(order));
    root_.push_back(std::move(all));
  }

  static std::uint32_t lowest(const Mask& cells, const Mask* more = nullptr) {
    for (std::size_t w = 0; w < cells.size(); ++w) {
      const Word word = more ? cells[w] & (*more)[w] : cells[w];
      if (word != 0) {
        return static_cast<std::uint32_t>(w * 64) +
               static_cast<std::uint32_t>(std::countr_zero(word));
      }
    }
    return none;
  }

  Measure measure_of(std::uint32_t v, std::uint32_t bit) const {
    return {bit == 0 ? 0 : 1, sums_ ? order_[v].cost[bit] : 0.0};
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

  bool excluded(const Measure& measure, const std::vector<Mask>& cells,
                const std::vector<Side>& sides = {}) const {
    if (question_.max_changes && measure.changes > *question_.max_changes) return true;
    if (question_.fewest && claimed_changes_ >= 0 && measure.changes != claimed_changes_) {
      return measure.changes > claimed_changes_;
    }
    if (!std::isfinite(claim_)) return false;
    if (!sums_ && !question_.fewest) return claim_ <= 0;
    // Sums that were updated from box to box are off by far less than this.
    if (sums_ && measure.cost > claim_ * (1 + 1e-10)) return true;
    if (sums_ && measure.cost < claim_ * (1 - 1e-10)) return false;
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

  void place_leaves() {
    const Measure whole_measure = measure_of(root_);
    for (std::uint32_t m = 0; m < models_.size(); ++m) {
      for (const Tree& tree : models_[m].trees) {
        Part part{m, tree.output, {}};
        struct Open {
          int node;
          Measure measure;
          std::vector<Side> sides;
        };
        std::vector<Open> open{{0, whole_measure, {}}};
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
            if ((before[bit / 64] >> (bit % 64) & 1) == 0) continue;
            const double given = variables_[v].cells[p].values[column_of_[feature]];
            const double value = models_[m].input == "float32" ? to_single(given) : given;
            if (goes_left(node, tree, value)) left[bit / 64] |= Word{1} << (bit % 64);
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
              next.sides[static_cast<std::size_t>(side - now.sides.begin())].cells =
                  std::move(mask);
            }
            if (!excluded(next.measure, root_, next.sides)) open.push_back(std::move(next));
          }
        }
        parts_.push_back(std::move(part));
      }
    }
  }

  Box whole() const {
    Box box{root_, {}, measure_of(root_)};
    for (const Part& part : parts_) {
      box.live.emplace_back();
      for (const Leaf& leaf : part.leaves) {
        Live live{&leaf, {}};
        for (const Side& side : leaf.sides) {
          move(live.extra, measure_of(side.variable, lowest(side.cells)),
               measure_of(side.variable, lowest(root_[side.variable])));
        }
        box.live.back().push_back(live);
      }
    }
    return box;
  }

  std::optional<Box> child(const Box& box, std::uint32_t v, const Mask& mask, bool inside) const {
    Box made{box.cells, {}, {}};
    for (std::size_t w = 0; w < mask.size(); ++w) {
      made.cells[v][w] &= inside ? mask[w] : ~mask[w];
    }
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

  void close(long rule, const Box& box) const {
    if (rule == -1) {
      if (excluded(box.measure, box.cells)) return;
      throw Rejected("rule C: a box may hold a point that is cheaper than claimed");
    }
    if (rule == -2) {
      for (const auto& clause : question_.clauses) {
        if (std::none_of(clause.begin(), clause.end(),
                         [&](const Literal& literal) { return can_hold(literal, box); })) {
          return;
        }
      }
      throw Rejected("rule K: every clause can hold in a box");
    }
    const auto r = static_cast<std::size_t>(-4 - rule);
    if (rule > -4 || r >= outcomes_.size()) throw Rejected("there is no such rule");
    if (!refuted(box, outcomes_[r], model_of_[r])) {
      throw Rejected("rule R: a box may hold a point with the outcome");
    }
  }

  bool can_hold(const Literal& literal, const Box& box) const {
    const std::uint32_t v = variable_of_[literal.feature];
    Side side{v, Mask(order_[v].words, 0)};
    for (std::size_t p = 0; p < variables_[v].cells.size(); ++p) {
      const std::uint32_t bit = order_[v].bit[p];
      if (question_.literal_holds(literal,
                                  variables_[v].cells[p].values[column_of_[literal.feature]])) {
        side.cells[bit / 64] |= Word{1} << (bit % 64);
      }
    }
    const std::uint32_t bit = lowest(box.cells[v], &side.cells);
    if (bit == none) return false;
    Measure total = box.measure;
    move(total, measure_of(v, bit), measure_of(v, lowest(box.cells[v])));
    return !excluded(total, box.cells, {side});
  }

  double most(const Box& box, std::uint32_t model, int plus, int minus, double sign) const {
    double sum = 0;
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      const int output = parts_[t].output;
      if (parts_[t].model != model || (output != -1 && output != plus && output != minus)) continue;
      double best = -inf;
      for (const Live& live : box.live[t]) {
        const double* values = live.leaf->values;
        double value = 0;
        if (output >= 0) {
          value = (output == plus ? sign : -1) * models_[model].read(*values);
        } else {
          value = sign * models_[model].read(values[plus]);
          if (minus >= 0) value -= models_[model].read(values[minus]);
        }
        best = std::max(best, value);
      }
      sum += best;
    }
    return sum;
  }

  bool fails(const Box& box, const Outcomes& outcome, std::uint32_t m, const Condition& one) const {
    if (one.least == inf) return true;
    if (one.probability < 0) return most(box, m, one.plus, one.minus, one.sign) < one.least;
    double total = 1;
    for (int rival = 0; rival < static_cast<int>(outcome.model.base.size()); ++rival) {
      if (rival == one.plus) continue;
      const double lead = outcome.lead_bound(one.plus, rival, most(box, m, one.plus, rival, 1));
      total += std::exp(-lead) * (1 - 1e-12);
    }
    return 1 / total < one.probability * (1 - 1e-12);
  }

  bool refuted(const Box& box, const Outcomes& outcome, std::uint32_t m) const {
    if (std::any_of(box.live.begin(), box.live.end(), [](const auto& l) { return l.empty(); })) {
      return true;
    }
    const bool no_way = std::all_of(outcome.ways.begin(), outcome.ways.end(), [&](const auto& way) {
      return std::any_of(way.begin(), way.end(), [&](const Condition& condition) {
        return fails(box, outcome, m, condition);
      });
    });
    if (no_way) return true;
    std::vector<const double*> leaves;
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      if (parts_[t].model != m) continue;
      if (box.live[t].size() != 1) return false;
      leaves.push_back(box.live[t][0].leaf->values);
    }
    return outcome.holds(models_[m].scores(leaves)) == false;
  }

  const std::vector<Model>& models_;
  const Question& question_;
  double claim_;
  long claimed_changes_;
  bool sums_ = false;
  std::vector<Variable> variables_;
  std::vector<std::uint32_t> variable_of_;
  std::vector<std::size_t> column_of_;
  std::vector<Order> order_;
  std::vector<Mask> root_;
  std::vector<Part> parts_;
  std::vector<Outcomes> outcomes_;
  std::vector<std::uint32_t> model_of_;
};

void check_point(const std::vector<Model>& models, const Question& question, const Json& proof) {
  std::vector<double> point;
  for (const Json& value : proof.at("point")) point.push_back(number(value));
  if (point.size() != question.point.size()) throw Rejected("the point has the wrong length");
  double total = 0;
  long changes = 0;
  for (std::size_t d = 0; d < point.size(); ++d) {
    const Group* group = question.group_of(d);
    if (group && group->columns.front() != d) continue;
    double term = 0;
    if (group) {
      const std::size_t hot = question.hot(*group, point);
      if (!question.may_be_hot(*group, hot)) throw Rejected("a group's value is not admissible");
      term = question.group_cost(*group, question.hot(*group, question.point), hot);
    } else {
      if (!question.admissible(d, point[d])) throw Rejected("a value is not admissible");
      term = question.term(d, point[d]);
    }
    const std::vector<std::size_t> columns = group ? group->columns : std::vector<std::size_t>{d};
    changes += std::any_of(columns.begin(), columns.end(), [&](std::size_t c) {
      return point[c] != question.point[c] &&
             !(std::isnan(point[c]) && std::isnan(question.point[c]));
    });
    total = question.norm == "linf" ? std::max(total, term) : total + term;
  }
  if (total != number(proof.at("cost")) || !std::isfinite(total)) {
    throw Rejected("the point does not cost what is claimed");
  }
  if (question.fewest && changes != proof.at("changes").get<long>()) {
    throw Rejected("the point does not have as many changes as claimed");
  }
  if (question.max_changes && changes > *question.max_changes) {
    throw Rejected("the point has too many changes");
  }
  for (const auto& clause : question.clauses) {
    if (std::none_of(clause.begin(), clause.end(), [&](const Literal& literal) {
          return question.literal_holds(literal, point[literal.feature]);
        })) {
      throw Rejected("the point breaks a clause");
    }
  }
  for (const Json& wanted : question.requirements) {
    const Model& model = models.at(wanted.value("model", std::size_t{0}));
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
    if (Outcomes(model, wanted).holds(model.scores(leaves)) != true) {
      throw Rejected("the point does not certainly have the outcome");
    }
  }
}

std::string check_proof(const std::vector<Model>& models, const std::string& text,
                        const Json& proof) {
  if (!proof.is_object() || proof.value("boxwood_proof", 0) != 1) {
    throw Rejected("this is not a proof of version 1");
  }
  std::vector<std::string> digests;
  for (const Model& model : models) digests.push_back(model.digest());
  if (proof.at("models") != Json(digests)) throw Rejected("the proof is about other models");
  if (proof.at("question") != sha256(text)) throw Rejected("the proof is about another question");
  const Question question(Json::parse(text), models);
  const std::string claim = proof.at("claim");
  const bool infeasible = claim == "infeasible";
  if (!infeasible && claim != "optimal" && claim != "lower_bound") {
    throw Rejected("there is no such claim");
  }
  if ((question.fewest && !infeasible) != proof.contains("changes") ||
      (proof.contains("changes") && !proof["changes"].is_number_unsigned())) {
    throw Rejected("a number of changes must be claimed for fewest changes first, and only there");
  }
  if (claim == "optimal") check_point(models, question, proof);
  const double cost = infeasible ? inf : number(proof.at("cost"));
  if (std::isnan(cost)) throw Rejected("the claimed cost is not a number");
  if (!proof.at("tree").is_array()) throw Rejected("the proof has no tree");
  const long changes = proof.contains("changes") ? proof["changes"].get<long>() : -1;
  const std::size_t boxes = Checker(models, question, cost, changes).run(proof["tree"]);
  std::ostringstream said;
  said.precision(17);
  said << "no admissible point";
  if (infeasible) {
    said << " has the outcome";
  } else {
    if (question.fewest) said << " of at most " << changes << " changes";
    said << " with the outcome costs less than " << cost;
  }
  said << " (" << boxes << " boxes)";
  return said.str();
}

/// Runs a check; the exit code and what to print.
template <typename Work>
int report(Work work) {
  try {
    const std::string proven = work();
    std::cout << "accepted: " << proven << "\n";
    return 0;
  } catch (const Rejected& reason) {
    std::cout << "rejected: " << reason.what() << "\n";
    return 1;
  } catch (const std::exception& error) {
    std::cout << "cannot be checked: " << error.what() << "\n";
    return 2;
  }
}

std::string contents(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw Unsupported(name + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

int batch(const std::string& name) {
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) {
    report([&] {
      const Json one = Json::parse(line);
      std::vector<Model> models;
      for (const Json& model : one.at("models")) models.emplace_back(model);
      return check_proof(models, one.at("question"),
                         Json::parse(one.at("proof").get<std::string>()));
    });
  }
  return 0;
}

}  // namespace
}  // namespace check

int main(int count, char** words) {
  const std::vector<std::string> names(words + 1, words + count);
  if (names.size() == 2 && names[0] == "--batch") return check::batch(names[1]);
  if (names.size() < 3) {
    std::cout << "boxwood_check MODEL [MODEL ...] QUESTION PROOF\n";
    return 2;
  }
  return check::report([&] {
    std::vector<check::Model> models;
    for (std::size_t i = 0; i + 2 < names.size(); ++i) {
      models.emplace_back(check::Json::parse(check::contents(names[i])));
    }
    return check::check_proof(models, check::contents(names[names.size() - 2]),
                              check::Json::parse(check::contents(names.back())));
  });
}
