#include "oracle.hpp"

#include "linear_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>

std::optional<Oracle::Result> Oracle::solve(const std::vector<boxwood::Ensemble>& ensembles,
                                            const boxwood::Query& query, double most) {
  Result result;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  const bool tried = visit(ensembles, query, most, [&](const std::vector<double>& point) {
    const double cost = cost_of(query, point);
    if (std::isinf(cost)) return;
    const std::size_t changes = query.fewest_first ? changes_of(query, point) : 0;
    if (changes > fewest || (changes == fewest && cost > result.cost)) return;
    if (!works(ensembles, query, point) || !obeys(ensembles, query, point)) return;
    if (changes < fewest || cost < result.cost) result = {cost, {}};
    fewest = changes;
    result.points.push_back(point);
  });
  if (query.norm == boxwood::Norm::linf) keep_least_sums(query, result.points);
  return tried ? std::optional(result) : std::nullopt;
}

void Oracle::keep_least_sums(const boxwood::Query& query,
                             std::vector<std::vector<double>>& points) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& point : points) least = std::min(least, cost_of(query, point, true));
  std::erase_if(points, [&](const auto& point) { return cost_of(query, point, true) > least; });
}

bool Oracle::visit(const std::vector<boxwood::Ensemble>& ensembles, const boxwood::Query& query,
                   double most, const std::function<void(const std::vector<double>&)>& see) {
  std::vector<std::vector<double>> candidates;
  double combinations = 1;
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    candidates.push_back(candidates_of(ensembles, query, d));
    combinations *= static_cast<double>(candidates.back().size());
  }
  if (combinations > most) return false;
  std::vector<std::size_t> at(query.point.size(), 0);
  std::vector<double> point(query.point.size());
  for (;;) {
    for (std::size_t d = 0; d < at.size(); ++d) point[d] = candidates[d][at[d]];
    see(point);
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == candidates[d].size()) at[d++] = 0;
    if (d == at.size()) return true;
  }
}

double Oracle::compare(double a, double b, double size) {
  const double high = std::max(a, b), low = std::min(a, b);
  const double sum = low + size;
  if (high != sum) return high - sum;
  const double part = sum - low;
  return -((low - (sum - part)) + (size - part));  // less what rounding the sum has lost
}

bool Oracle::obeys(const std::vector<boxwood::Ensemble>& ensembles, const boxwood::Query& query,
                   const std::vector<double>& point) {
  bool float32 = false;
  for (const auto& ensemble : ensembles) {
    float32 |= ensemble.input == boxwood::Precision::float32;
  }
  const auto read = [&](double value) {
    return float32 ? static_cast<double>(static_cast<float>(value)) : value;
  };
  for (const boxwood::Clause& clause : query.clauses) {
    bool any = false;
    for (const boxwood::Literal& literal : clause.any_of) {
      const double value = point[literal.feature];
      boxwood::Interval range = literal.range;
      range.lower = read(range.lower);
      range.upper = read(range.upper);
      if (!literal.codes.empty() && !std::isnan(value)) {
        bool named = false;
        for (const std::int32_t code : literal.codes) {
          named |= std::trunc(read(value)) == code && read(value) > -1;
        }
        any |= named == literal.inside;
        continue;
      }
      any |= std::isnan(value) ? literal.missing : inside(range, read(value)) == literal.inside;
    }
    for (const boxwood::LinearCondition& sum : clause.linear)
      any |= linear_oracle::adds_up(query, sum, point);
    if (!any) return false;
  }
  return !query.max_changes || changes_of(query, point) <= *query.max_changes;
}

std::size_t Oracle::changes_of(const boxwood::Query& query, const std::vector<double>& point) {
  std::set<std::size_t> changed;
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (point[d] == query.point[d] || (std::isnan(point[d]) && std::isnan(query.point[d]))) {
      continue;
    }
    const boxwood::OneHot* group = group_of(query, d);
    changed.insert(group ? group->columns[0] : d);
  }
  return changed.size();
}

bool Oracle::works(const std::vector<boxwood::Ensemble>& ensembles, const boxwood::Query& query,
                   const std::vector<double>& point) {
  for (boxwood::Requirement requirement : query.requirements) {
    if (requirement.negated) {
      boxwood::Query opposite = query;
      requirement.negated = false;
      opposite.requirements = {requirement};
      if (works(ensembles, opposite, point)) return false;
      if (!has_number(ensembles[requirement.ensemble], requirement, point)) return false;
      continue;
    }
    const boxwood::Ensemble& ensemble = ensembles[requirement.ensemble];
    const std::vector<double> raw = scores(ensemble, point);
    const std::vector<double> outputs = linked(ensemble, raw);
    if (const auto* in = std::get_if<boxwood::OutputIn>(&requirement.outcome)) {
      if (!inside(in->range, outputs[in->output])) return false;
      continue;
    }
    if (const auto* score = std::get_if<boxwood::ScoreIn>(&requirement.outcome)) {
      const double own = raw[score->output];
      const double value = score->rival ? ahead(own, raw[*score->rival]) : own;
      if (!inside(score->range, value)) return false;
      continue;
    }
    if (const auto* several = std::get_if<boxwood::ClassIn>(&requirement.outcome)) {
      bool any = false;
      for (const std::size_t target : several->targets) {
        any |= is_class(ensemble, {target}, raw, outputs);
      }
      if (!any) return false;
      continue;
    }
    if (!is_class(ensemble, std::get<boxwood::ClassIs>(requirement.outcome), raw, outputs)) {
      return false;
    }
  }
  return true;
}

bool Oracle::is_class(const boxwood::Ensemble& ensemble, const boxwood::ClassIs& wanted,
                      const std::vector<double>& raw, const std::vector<double>& outputs) {
  if (wanted.margin) {
    double lead = std::numeric_limits<double>::infinity();
    if (raw.size() == 1) {
      const bool half = ensemble.decision == boxwood::Decision::score_above_half ||
                        (ensemble.decision == boxwood::Decision::output_above_half &&
                         ensemble.link == boxwood::Link::identity);
      lead = (raw[0] - (half ? 0.5 : 0.0)) * (wanted.target == 1 ? 1 : -1);
    }
    for (std::size_t k = 0; k < raw.size() && raw.size() > 1; ++k) {
      if (k != wanted.target) lead = std::min(lead, ahead(raw[wanted.target], raw[k]));
    }
    if (!(lead >= *wanted.margin)) return false;
  }
  if (ensemble.task == boxwood::Task::binary) {
    double p = outputs[0];
    if (!wanted.probability) {
      bool yes = p > 0.5;
      if (ensemble.decision == boxwood::Decision::score_above_zero) yes = raw[0] > 0;
      if (ensemble.decision == boxwood::Decision::score_from_zero) yes = raw[0] >= 0;
      if (ensemble.decision == boxwood::Decision::score_above_half) yes = raw[0] > 0.5;
      if ((yes ? 1U : 0U) != wanted.target) return false;
      return true;
    }
    if (wanted.target == 0) {
      p = ensemble.accumulator == boxwood::Precision::float32
              ? static_cast<double>(1.0F - static_cast<float>(p))
              : 1.0 - p;
    }
    if (!(p >= *wanted.probability)) return false;
  } else if (wanted.probability) {
    if (!(outputs[wanted.target] >= *wanted.probability)) return false;
  } else if (outputs.size() == 1) {
    if (outputs[0] != static_cast<double>(wanted.target)) return false;
  } else {
    const auto& rated = ensemble.decision == boxwood::Decision::largest_score ? raw : outputs;
    std::size_t winner = 0;
    for (std::size_t k = 1; k < rated.size(); ++k) {
      if (rated[k] > rated[winner]) winner = k;
    }
    if (winner != wanted.target) return false;
  }
  return true;
}

bool Oracle::has_number(const boxwood::Ensemble& ensemble, const boxwood::Requirement& requirement,
                        const std::vector<double>& point) {
  const std::vector<double> outputs = linked(ensemble, scores(ensemble, point));
  const auto* in = std::get_if<boxwood::OutputIn>(&requirement.outcome);
  const auto* one = std::get_if<boxwood::ClassIs>(&requirement.outcome);
  if (in) return outputs[in->output] == outputs[in->output];
  if (!one || !one->probability) return true;
  const double own = outputs[outputs.size() == 1 ? 0 : one->target];
  return own == own;
}

bool Oracle::inside(const boxwood::Interval& range, double value) {
  const bool above = range.lower_closed ? value >= range.lower : value > range.lower;
  const bool below = range.upper_closed ? value <= range.upper : value < range.upper;
  return above && below;
}

double Oracle::leaf_value(const boxwood::Ensemble& ensemble, const boxwood::Tree& tree,
                          const std::vector<double>& point, std::size_t output) {
  std::size_t at = 0;
  while (tree.nodes[at].kind != boxwood::NodeKind::leaf) {
    const boxwood::Node& node = tree.nodes[at];
    double x = point[static_cast<std::size_t>(node.feature)];
    if (ensemble.input == boxwood::Precision::float32) x = static_cast<float>(x);
    bool left = node.missing_left;
    const bool as_missing = node.missing_at_zero && x >= -1.0 * static_cast<double>(1e-35F) &&
                            x <= static_cast<double>(1e-35F);
    if (!std::isnan(x) && !as_missing) {
      switch (node.kind) {
        case boxwood::NodeKind::in_set: {
          const auto& set = tree.sets[static_cast<std::size_t>(node.value)];
          left = false;
          for (const std::int32_t code : set) left |= std::trunc(x) == code && x > -1;
          if (node.zero_up && x < 0) left = false;
          break;
        }
        case boxwood::NodeKind::equal:
          left = x == node.threshold;
          break;
        default:
          left = x < node.threshold ||
                 (node.kind == boxwood::NodeKind::less_equal && x == node.threshold);
      }
    }
    at = static_cast<std::size_t>(left ? node.left : node.right);
  }
  const auto value = static_cast<std::size_t>(tree.nodes[at].value);
  return tree.output == boxwood::Tree::every_output ? tree.values[value + output]
                                                    : tree.values[value];
}

template <typename Real>
double Oracle::sum(const boxwood::Ensemble& ensemble, const std::vector<double>& point,
                   std::size_t output) {
  const bool first = ensemble.order == boxwood::SumOrder::base_first;
  Real total = first ? static_cast<Real>(ensemble.base[output]) : Real{0};
  for (const boxwood::Tree& tree : ensemble.trees) {
    if (tree.output >= 0 && static_cast<std::size_t>(tree.output) != output) continue;
    total = static_cast<Real>(total + static_cast<Real>(leaf_value(ensemble, tree, point, output)));
  }
  total = static_cast<Real>(total * static_cast<Real>(ensemble.factor));
  total = static_cast<Real>(total / static_cast<Real>(ensemble.divisor));
  return static_cast<double>(
      first ? total : static_cast<Real>(total + static_cast<Real>(ensemble.base[output])));
}

template <typename Real>
std::vector<double> Oracle::linked_in(const boxwood::Ensemble& ensemble,
                                      const std::vector<double>& scores) {
  const boxwood::Link link = ensemble.link;
  std::vector<Real> values(scores.begin(), scores.end());
  Real top = values[0];
  std::size_t winner = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (values[k] > top) winner = k;
    top = std::max(top, values[k]);
  }
  if (link == boxwood::Link::winner) return {static_cast<double>(winner)};
  double sum = 0;
  for (Real& value : values) {
    switch (link) {
      case boxwood::Link::sigmoid:
        value *= static_cast<Real>(ensemble.steepness);
        if constexpr (std::is_same_v<Real, float>) {
          value = 1 / (std::exp(std::min(-value, 88.7F)) + 1.0F + 1e-16F);
        } else {
          value = 1 / (std::exp(-value) + 1);
        }
        break;
      case boxwood::Link::exponential:
        value = std::exp(value);
        break;
      case boxwood::Link::square:
        value = value * std::abs(value);
        break;
      case boxwood::Link::softplus:
        // docs/formats.md: float32 sums as XGBoost has them, doubles as LightGBM.
        value = sizeof(Real) == sizeof(float)
                    ? (value > 0 ? value : Real{0}) + std::log1p(std::exp(-std::abs(value)))
                    : std::log1p(std::exp(value));
        break;
      case boxwood::Link::isolation:
        value = -std::pow(Real{2}, -value);
        break;
      case boxwood::Link::softmax:
        value = std::exp(value - top);
        sum += static_cast<double>(value);
        break;
      default:
        break;
    }
  }
  if (link == boxwood::Link::softmax) {
    for (Real& value : values) value /= static_cast<Real>(sum);
  }
  return {values.begin(), values.end()};
}

std::vector<double> Oracle::scores(const boxwood::Ensemble& ensemble,
                                   const std::vector<double>& point) {
  std::vector<double> result;
  for (std::size_t k = 0; k < ensemble.base.size(); ++k) {
    result.push_back(ensemble.accumulator == boxwood::Precision::float32
                         ? sum<float>(ensemble, point, k)
                         : sum<double>(ensemble, point, k));
  }
  return result;
}

std::vector<double> Oracle::linked(const boxwood::Ensemble& ensemble,
                                   const std::vector<double>& scores) {
  // Formulas of one library have tests against that library.
  if (ensemble.link_form != boxwood::LinkForm::plain) return ensemble.transform(scores);
  return ensemble.accumulator == boxwood::Precision::float32 ? linked_in<float>(ensemble, scores)
                                                             : linked_in<double>(ensemble, scores);
}

double Oracle::cost_of(const boxwood::Query& query, const std::vector<double>& point, bool summed) {
  double cost = 0;
  const auto add = [&](double term) {
    cost = query.norm == boxwood::Norm::linf && !summed ? std::max(cost, term) : cost + term;
  };
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (const boxwood::OneHot* group = group_of(query, d)) {
      if (group->columns[0] == d) add(group_term(query, *group, point));
      continue;
    }
    const bool goes = std::isnan(point[d]), was = std::isnan(query.point[d]);
    if ((goes && was) || point[d] == query.point[d]) continue;
    if (query.norm == boxwood::Norm::custom) {
      add(query.term(d, query.point[d], point[d]));
      continue;
    }
    const boxwood::FeatureRule& rule = query.features[d];
    double step = std::abs(point[d] - query.point[d]) / rule.scale;
    if (!rule.quantiles.empty() && !goes && !was) {
      step = std::abs(share(rule.quantiles, point[d]) - share(rule.quantiles, query.point[d]));
    }
    if (goes || was) {
      step = 1;
    } else if (rule.kind == boxwood::FeatureKind::categorical) {
      const auto from = static_cast<std::size_t>(std::clamp(query.point[d], 0.0, 1e6));
      const auto to = static_cast<std::size_t>(std::clamp(point[d], 0.0, 1e6));
      step = from < rule.changes.size() && to < rule.changes[from].size() ? rule.changes[from][to]
                                                                          : 1.0;
    }
    double weight = rule.weight;
    if (point[d] > query.point[d]) weight *= rule.up;
    if (point[d] < query.point[d]) weight *= rule.down;
    add(weight * by_norm(query, step));
  }
  return cost;
}

double Oracle::grid_value(double step, double count) {
  for (const double parts : {10.0, 100.0, 1000.0, 5.0, 4.0, 2.0}) {
    if (step == 1 / parts) return count / parts;
  }
  return count * step;
}

double Oracle::by_norm(const boxwood::Query& query, double step) {
  if (!std::isfinite(step)) return step;
  if (query.norm == boxwood::Norm::squared_l2) return step * step;
  if (query.norm == boxwood::Norm::l0) return 1;
  if (query.norm != boxwood::Norm::mixture) return step;
  const boxwood::Mixture& mixture = query.mixture;
  double cost = 0;
  if (mixture.squared_l2 != 0) cost += mixture.squared_l2 * (step * step);
  if (mixture.l1 != 0) cost += mixture.l1 * step;
  return cost + mixture.l0;
}

double Oracle::share(const std::vector<double>& list, double value) {
  const auto middle = [&](double entry) {
    double first = -1, last = -1;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] != entry) continue;
      if (first < 0) first = static_cast<double>(i);
      last = static_cast<double>(i);
    }
    return first + last;
  };
  const double whole = static_cast<double>(list.size() - 1);
  if (value < list.front()) return 0;
  if (value > list.back()) return 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == value) return middle(value) / 2 / whole;
    if (list[i] < value) continue;
    const double share = (value - list[i - 1]) / (list[i] - list[i - 1]);
    return std::lerp(middle(list[i - 1]), middle(list[i]), share) / 2 / whole;
  }
  return 1;
}

const boxwood::OneHot* Oracle::group_of(const boxwood::Query& query, std::size_t d) {
  for (const boxwood::OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) {
      if (column == d) return &group;
    }
  }
  return nullptr;
}

std::size_t Oracle::hot_in(const boxwood::OneHot& group, const std::vector<double>& point) {
  std::size_t k = 0;
  while (k < group.columns.size() && point[group.columns[k]] != 1) ++k;
  return k;
}

double Oracle::group_term(const boxwood::Query& query, const boxwood::OneHot& group,
                          const std::vector<double>& point) {
  std::size_t ones = 0;
  for (const std::size_t column : group.columns) ones += point[column] == 1 ? 1U : 0U;
  const std::size_t from = hot_in(group, query.point), to = hot_in(group, point);
  if (from == to && ones <= 1) return 0;
  if (ones > 1 || (ones == 0 && !group.none_allowed)) {
    return std::numeric_limits<double>::infinity();
  }
  if (query.norm == boxwood::Norm::custom) {
    return query.term(group.columns[0], static_cast<double>(from), static_cast<double>(to));
  }
  return group.weight * by_norm(query, 1);
}

std::vector<double> Oracle::candidates_of(const std::vector<boxwood::Ensemble>& ensembles,
                                          const boxwood::Query& query, std::size_t d) {
  const double x = query.point[d];
  const boxwood::FeatureRule& rule = query.features[d];
  if (rule.fixed || (std::isnan(x) && !rule.missing_allowed)) return {x};
  if (group_of(query, d)) {
    const bool may_turn =
        inside(rule.range, 1 - x) && rule.least_change <= 1 && rule.most_change >= 1 &&
        rule.direction != (x == 0 ? boxwood::Direction::down : boxwood::Direction::up);
    const bool listed =
        rule.allowed.empty() || std::count(rule.allowed.begin(), rule.allowed.end(), 1 - x) > 0;
    std::vector<double> both{x};
    if (may_turn && listed) both.push_back(1 - x);
    return both;
  }
  bool float32 = false;
  std::vector<double> marks;
  for (const boxwood::Ensemble& ensemble : ensembles) {
    float32 |= ensemble.input == boxwood::Precision::float32;
    for (const boxwood::Tree& tree : ensemble.trees) {
      for (const boxwood::Node& node : tree.nodes) {
        if (node.kind != boxwood::NodeKind::leaf && node.feature == static_cast<int>(d)) {
          marks.push_back(node.threshold);
          if (node.missing_at_zero) {
            marks.push_back(static_cast<double>(1e-35F));
            marks.push_back(static_cast<double>(-1e-35F));
          }
          if (node.kind != boxwood::NodeKind::in_set) continue;
          for (const std::int32_t code : tree.sets[static_cast<std::size_t>(node.value)]) {
            marks.push_back(code);
            marks.push_back(code + 1.0);
          }
          marks.push_back(-1);
          marks.push_back(0);
        }
      }
    }
  }
  marks.push_back(rule.range.lower);
  marks.push_back(rule.range.upper);
  for (const boxwood::Clause& clause : query.clauses) {
    for (const boxwood::Literal& literal : clause.any_of) {
      if (literal.feature != d) continue;
      marks.push_back(literal.range.lower);
      marks.push_back(literal.range.upper);
      for (const std::int32_t code : literal.codes)
        marks.insert(marks.end(), {1.0 * code, code + 1.0});
      if (!literal.codes.empty()) marks.insert(marks.end(), {-1, 0});
    }
    for (const boxwood::LinearCondition& sum : clause.linear) {
      for (const boxwood::LinearTerm& term : sum.terms) {
        if (term.feature == d) linear_oracle::add_all_values(rule, term, marks);
      }
    }
  }
  if (query.max_changes || query.fewest_first) marks.push_back(x);
  for (const double size : {rule.least_change, rule.most_change}) {
    marks.push_back(x - size);
    marks.push_back(x + size);
  }
  std::set<double> values;
  for (const double mark : marks) {
    // Two steps either way in the precision that counts, whatever way rounding went.
    double down = mark, up = mark;
    if (float32) {
      down = up = static_cast<double>(static_cast<float>(mark));
    }
    for (int step = 0; step < 3; ++step) {
      values.insert(down);
      values.insert(up);
      if (float32) {
        down = std::nextafter(static_cast<float>(down), -HUGE_VALF);
        up = std::nextafter(static_cast<float>(up), HUGE_VALF);
      } else {
        down = std::nextafter(down, -HUGE_VAL);
        up = std::nextafter(up, HUGE_VAL);
      }
    }
    for (const double whole : {std::floor(mark), std::ceil(mark)}) {
      for (const double by : {-1.0, 0.0, 1.0}) values.insert(whole + by);
    }
    if (rule.step > 0 && std::isfinite(mark)) {
      for (const double by : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        const double near = grid_value(rule.step, std::round(mark / rule.step) + by);
        values.insert(float32 ? static_cast<double>(static_cast<float>(near)) : near);
      }
    }
  }
  std::set<double> allowed;
  for (const double value : rule.allowed) {
    allowed.insert(float32 ? static_cast<double>(static_cast<float>(value)) : value);
  }
  values.insert(allowed.begin(), allowed.end());
  for (std::size_t code = 0; !rule.changes.empty() && code < rule.changes.size() + 2; ++code) {
    values.insert(static_cast<double>(code));
  }
  if (std::isnan(x)) values.insert({0.0, 1.0});
  std::vector<double> admissible{x};
  if (rule.missing_allowed && !std::isnan(x)) {
    admissible.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  boxwood::Interval range = rule.range;  // its ends as the models read them
  if (float32) {
    range.lower = static_cast<float>(range.lower);
    range.upper = static_cast<float>(range.upper);
  }
  for (const double value : values) {
    if (!std::isfinite(value) || value == x || !inside(range, value)) continue;
    if (float32 && static_cast<double>(static_cast<float>(value)) != value) continue;
    if (rule.direction == boxwood::Direction::up && value < x) continue;
    if (rule.direction == boxwood::Direction::down && value > x) continue;
    if (!std::isnan(x) && compare(value, x, rule.least_change) < 0) continue;
    if (!std::isnan(x) && std::isfinite(rule.most_change) &&
        compare(value, x, rule.most_change) > 0)
      continue;
    if (!allowed.empty()) {
      if (!allowed.count(value)) continue;
    } else if (rule.step > 0) {
      const double near = grid_value(rule.step, std::round(value / rule.step));
      if ((float32 ? static_cast<double>(static_cast<float>(near)) : near) != value) continue;
    } else if (rule.kind != boxwood::FeatureKind::continuous && value != std::floor(value)) {
      continue;
    }
    admissible.push_back(value == 0 ? 0.0 : value);
  }
  return admissible;
}
