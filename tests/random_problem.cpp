#include "random_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using boxwood::Ensemble;
using boxwood::Node;
using boxwood::NodeKind;

RandomProblem ProblemMaker::make() {
  RandomProblem problem;
  const std::size_t width = draw(size_.features);
  whole_ = below(3) == 0;
  odd_thresholds_ = below(8) == 0;
  huge_values_ = below(12) == 0 && size_.overflows;
  split_kinds_ = below(3) == 0;
  const std::size_t ensembles = below(6) == 0 ? 2 : 1;
  for (std::size_t e = 0; e < ensembles; ++e) problem.ensembles.push_back(make_ensemble(width));
  problem.query = make_query(problem.ensembles);
  return problem;
}

std::size_t ProblemMaker::draw(ProblemSize::Range range) {
  return range.first + below(range.last - range.first + 1);
}

double ProblemMaker::uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random_);
}

double ProblemMaker::threshold(boxwood::Precision input) {
  double value = 0;
  if (odd_thresholds_ && below(4) == 0) {
    constexpr double odd[] = {1e-45,
                              -1e-45,
                              -0.0,
                              1e38,
                              -1e38,
                              3.4028234663852886e38,
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()};
    value = odd[below(std::size(odd))];
  } else {
    const std::size_t count = size_.thresholds;
    value = whole_ ? static_cast<double>(below(count - 1)) - 0.5 * static_cast<double>(below(2))
                   : static_cast<double>(below(count)) / static_cast<double>(count);
  }
  return input == boxwood::Precision::float32 ? static_cast<double>(static_cast<float>(value))
                                              : value;
}

double ProblemMaker::leaf_value(boxwood::Precision precision) {
  if (huge_values_ && coin()) {
    const double largest = precision == boxwood::Precision::float32
                               ? static_cast<double>(std::numeric_limits<float>::max())
                               : std::numeric_limits<double>::max();
    return coin() ? largest : -largest;
  }
  // A coarse grid makes equal sums common; the fine one exercises rounding.
  const double value = below(3) == 0 ? uniform(-1, 1) : (static_cast<double>(below(9)) - 4.0) / 4.0;
  return precision == boxwood::Precision::float32 ? static_cast<double>(static_cast<float>(value))
                                                  : value;
}

boxwood::Tree ProblemMaker::make_tree(const Ensemble& ensemble, std::size_t output) {
  boxwood::Tree tree;
  const bool every = ensemble.base.size() > 1 && below(4) == 0;
  tree.output = every ? boxwood::Tree::every_output : static_cast<std::int32_t>(output);
  tree.nodes.emplace_back();
  const std::size_t splits = draw(size_.splits);
  std::vector<std::size_t> leaves{0};
  for (std::size_t s = 0; s < splits; ++s) {
    const std::size_t pick = below(leaves.size());
    const std::size_t at = leaves[pick];
    const auto next = static_cast<std::int32_t>(tree.nodes.size());
    Node& node = tree.nodes[at];
    node.kind = coin() ? NodeKind::less : NodeKind::less_equal;
    node.missing_left = coin();
    if (split_kinds_) choose_kind(tree, node);
    node.feature = static_cast<std::int32_t>(below(ensemble.features.size()));
    node.threshold = threshold(ensemble.input);
    node.left = next;
    node.right = next + 1;
    tree.nodes.resize(tree.nodes.size() + 2);
    leaves[pick] = static_cast<std::size_t>(next);
    leaves.push_back(static_cast<std::size_t>(next) + 1);
  }
  for (Node& node : tree.nodes) {
    if (node.kind != NodeKind::leaf) continue;
    node.value = static_cast<std::int32_t>(tree.values.size());
    for (std::size_t k = 0; k < (every ? ensemble.base.size() : 1); ++k) {
      tree.values.push_back(leaf_value(ensemble.accumulator));
    }
  }
  return tree;
}

void ProblemMaker::choose_kind(boxwood::Tree& tree, Node& node) {
  switch (below(5)) {
    case 0:
    case 1: {
      node.kind = NodeKind::in_set;
      node.value = static_cast<std::int32_t>(tree.sets.size());
      std::vector<std::int32_t> set;
      for (std::int32_t code = 0; code < 6; ++code) {
        if (coin()) set.push_back(code);
      }
      tree.sets.push_back(std::move(set));
      break;
    }
    case 2:
      node.kind = NodeKind::equal;
      break;
    case 3:
      node.missing_at_zero = true;
      break;
    default:
      break;
  }
}

void ProblemMaker::vary(Ensemble& ensemble) {
  using boxwood::Link;
  if (below(3) == 0) ensemble.divisor = static_cast<double>(1 + below(4));
  if (below(4) == 0) ensemble.factor = coin() ? 0.5 : 3;
  if (ensemble.link == Link::sigmoid && coin()) ensemble.steepness = coin() ? 0.5 : 8;
  if (ensemble.task == boxwood::Task::binary) {
    constexpr boxwood::Decision decisions[] = {boxwood::Decision::score_above_zero,
                                               boxwood::Decision::score_from_zero};
    if (coin()) ensemble.decision = decisions[below(2)];
  } else if (ensemble.task == boxwood::Task::multiclass) {
    if (coin()) ensemble.link = coin() ? Link::votes : Link::sigmoid;
    if (ensemble.link == Link::sigmoid && coin()) ensemble.steepness = 100;
  } else {
    constexpr Link links[] = {Link::square, Link::softplus, Link::isolation};
    if (coin()) ensemble.link = links[below(3)];
  }
  for (boxwood::Feature& feature : ensemble.features) {
    if (below(3) != 0) continue;
    for (std::int32_t code = 0; code < 5; ++code) feature.categories.push_back({code, ""});
  }
}

Ensemble ProblemMaker::make_ensemble(std::size_t width) {
  Ensemble ensemble;
  ensemble.source = "random";
  for (std::size_t d = 0; d < width; ++d) {
    ensemble.features.push_back({"f" + std::to_string(d), boxwood::FeatureKind::continuous});
  }
  ensemble.input = below(3) == 0 ? boxwood::Precision::float64 : boxwood::Precision::float32;
  ensemble.accumulator = ensemble.input;
  ensemble.order = coin() ? boxwood::SumOrder::base_first : boxwood::SumOrder::base_last;
  std::size_t outputs = 1;
  switch (below(3)) {
    case 0:
      ensemble.task = boxwood::Task::binary;
      ensemble.link = below(4) == 0 ? boxwood::Link::identity : boxwood::Link::sigmoid;
      break;
    case 1:
      ensemble.task = boxwood::Task::multiclass;
      ensemble.link = coin() ? boxwood::Link::softmax : boxwood::Link::winner;
      outputs = 2 + below(3);
      break;
    default:
      ensemble.task = boxwood::Task::regression;
      ensemble.link = below(3) == 0 ? boxwood::Link::exponential : boxwood::Link::identity;
      break;
  }
  if (below(4) == 0) vary(ensemble);
  for (std::size_t k = 0; k < outputs; ++k) {
    ensemble.base.push_back(leaf_value(ensemble.accumulator));
  }
  const std::size_t rounds = draw(size_.rounds);
  for (std::size_t t = 0; t < rounds * outputs; ++t) {
    ensemble.trees.push_back(make_tree(ensemble, t % outputs));
  }
  ensemble.validate();
  return ensemble;
}

boxwood::Requirement ProblemMaker::make_requirement(const Ensemble& ensemble, std::size_t index) {
  boxwood::Requirement requirement;
  if (ensemble.task == boxwood::Task::regression) {
    boxwood::Interval range;
    const double a = uniform(-2, 2), b = a + uniform(0, 1);
    if (below(3) != 0) range.lower = below(3) == 0 ? std::round(4 * a) / 4 : a;
    if (huge_values_ && coin()) range.lower = 3.3e38;
    if (below(3) != 0) range.upper = std::max(range.lower, b);
    range.lower_closed = coin() || range.lower == range.upper;
    range.upper_closed = coin() || range.lower == range.upper;
    requirement = boxwood::require_output(range);
  } else {
    const std::size_t target = below(ensemble.class_count());
    requirement = boxwood::require_class(target);
    if (ensemble.has_probabilities() && below(3) == 0) {
      requirement = boxwood::require_class(target, uniform(0.2, 0.9));
    }
  }
  requirement.ensemble = index;
  return requirement;
}

void ProblemMaker::restrict_values(boxwood::Query& query) {
  const std::size_t width = query.point.size();
  for (boxwood::FeatureRule& rule : query.features) {
    switch (below(6)) {
      case 0:
        rule.allowed.clear();
        for (std::size_t i = 0; i < 6; ++i) {
          const double value =
              whole_ ? static_cast<double>(i) : 0.2 * static_cast<double>(i) + uniform(0, 0.1);
          if (coin()) rule.allowed.push_back(value);
        }
        break;
      case 1:
        rule.allowed.clear();
        rule.step = whole_ ? 2 : coin() ? 0.1 : 0.25;
        break;
      case 2:
      case 3:
        rule.missing_allowed = true;
        break;
      default:
        break;
    }
    if (rule.kind == boxwood::FeatureKind::categorical && coin()) {
      rule.changes.assign(5, std::vector<double>(5));
      for (std::vector<double>& row : rule.changes) {
        for (double& size : row) {
          size = below(5) == 0 ? std::numeric_limits<double>::infinity()
                               : static_cast<double>(below(4)) / 2;
        }
      }
    }
  }
  if (width < 2 || coin()) return;
  // Some columns from the first on, in either direction.
  boxwood::OneHot group;
  for (std::size_t d = 0; d < 2 + below(width - 1); ++d) group.columns.push_back(d);
  if (coin()) std::reverse(group.columns.begin(), group.columns.end());
  group.none_allowed = coin();
  if (coin()) group.weight = uniform(0.1, 2);
  const std::size_t hot = below(group.columns.size() + 1);
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    query.point[group.columns[k]] = k == hot ? 1.0 : 0.0;
  }
  query.groups.push_back(std::move(group));
}

boxwood::Query ProblemMaker::make_query(const std::vector<Ensemble>& ensembles) {
  bool mixed = false;
  for (const Ensemble& ensemble : ensembles) mixed |= ensemble.input != ensembles[0].input;
  std::vector<double> point;
  for (std::size_t d = 0; d < ensembles[0].features.size(); ++d) {
    double value = whole_ ? static_cast<double>(below(7)) - 1 : uniform(-0.3, 1.3);
    if (below(3) == 0) value = threshold(ensembles[0].input);  // right on a threshold
    if (!std::isfinite(value)) value = 0;
    if (mixed) value = static_cast<double>(static_cast<float>(value));
    if (std::isinf(static_cast<float>(value))) value = 0;
    if (below(8) == 0) value = std::numeric_limits<double>::quiet_NaN();
    point.push_back(value);
  }
  boxwood::Query query = boxwood::query_for(ensembles[0], point);
  query.norm = below(4) == 0 ? boxwood::Norm::l1 : boxwood::Norm::squared_l2;
  if (below(8) == 0) query.norm = boxwood::Norm::l0;
  if (below(8) == 0) query.norm = boxwood::Norm::linf;
  if (below(6) == 0) {
    // Up costs twice as much as down, and a change at all costs something: separable, not convex.
    // Going too far may be forbidden.
    query.norm = boxwood::Norm::custom;
    const double farthest =
        coin() ? std::numeric_limits<double>::infinity() : (whole_ ? 3 : uniform(0.2, 0.8));
    query.term = [farthest](std::size_t feature, double from, double to) {
      if (to == from) return 0.0;
      if (std::isnan(to) || std::isnan(from)) return 0.5;
      if (std::abs(to - from) > farthest) return std::numeric_limits<double>::infinity();
      return 0.25 + (to > from ? 2 * (to - from) : from - to) / static_cast<double>(feature + 1);
    };
  }
  for (boxwood::FeatureRule& rule : query.features) {
    if (whole_ && coin()) {
      rule.kind = below(3) == 0 ? boxwood::FeatureKind::categorical : boxwood::FeatureKind::integer;
    }
    rule.fixed = below(6) == 0;
    if (below(3) == 0) rule.weight = below(2) == 0 ? 2 : uniform(0.1, 3);
    // Costs of which one is nothing beside the other: sums that cancel leave rounding behind.
    if (below(8) == 0) rule.weight = coin() ? 1e12 : 1e-12;
    if (below(3) == 0) rule.scale = uniform(0.2, 4);
    if (below(4) == 0) {
      rule.range.lower = whole_ ? static_cast<double>(below(3)) : uniform(-0.5, 0.4);
      rule.range.lower_closed = coin();
    }
    if (below(4) == 0) {
      rule.range.upper = whole_ ? 3 + static_cast<double>(below(3)) : uniform(0.5, 1.2);
      rule.range.upper_closed = coin();
    }
  }
  if (below(4) == 0) restrict_values(query);
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    query.requirements.push_back(make_requirement(ensembles[e], e));
  }
  return query;
}
