#include "verify/evaluate.hpp"

#include "verify/composed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood::verifying {
namespace {

bool takes_left(const Tree& tree, const Node& node, double value) {
  if (value != value) return node.missing_left;
  if (node.missing_at_zero && std::fabs(value) <= zero_size) return node.missing_left;
  if (node.kind == NodeKind::in_set) {
    if (node.zero_up && value < 0) return false;
    const double code = std::trunc(value);
    for (const std::int32_t member : tree.sets[static_cast<std::size_t>(node.value)]) {
      if (code == static_cast<double>(member)) return true;
    }
    return false;
  }
  if (node.kind == NodeKind::equal) return !(value < node.threshold) && !(value > node.threshold);
  return node.kind == NodeKind::less_equal ? !(value > node.threshold) : value < node.threshold;
}

double rounded(double value, Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// The index of the 1 among the columns of a group; the number of columns if there is none.
double hot_place(const OneHot& group, std::span<const double> point) {
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    if (point[group.columns[k]] == 1) return static_cast<double>(k);
  }
  return static_cast<double>(group.columns.size());
}

}  // namespace

namespace {

/// The raw scores of all members: each is an ensemble with the trees that add to its outputs.
std::vector<double> member_scores(const Ensemble& ensemble, std::span<const double> point) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < ensemble.composition.members.size(); ++i) {
    Ensemble alone = member_alone(ensemble, i);
    const auto first = static_cast<std::int32_t>(scores.size());
    const auto end = first + static_cast<std::int32_t>(alone.base.size());
    for (const Tree& tree : ensemble.trees) {
      if (tree.output < first || tree.output >= end) continue;
      alone.trees.push_back(tree);
      alone.trees.back().output -= first;
    }
    const std::vector<double> own = scores_at(alone, point);
    scores.insert(scores.end(), own.begin(), own.end());
  }
  return scores;
}

}  // namespace

const Node* leaf_at(const Tree& tree, std::span<const double> point, Precision input) {
  const Node* node = tree.nodes.data();
  while (node->kind != NodeKind::leaf) {
    const double value = rounded(point[static_cast<std::size_t>(node->feature)], input);
    node = tree.nodes.data() + (takes_left(tree, *node, value) ? node->left : node->right);
  }
  return node;
}

std::vector<double> scores_at(const Ensemble& ensemble, std::span<const double> point) {
  if (ensemble.link == Link::composed) return member_scores(ensemble, point);
  std::vector<double> scores(ensemble.base.size(), 0.0);
  // A float sum done in double and rounded after every step is the float sum: 53 bits are more
  // than twice 24 plus two, so the second rounding never matters.
  const auto add = [&](std::size_t output, double value) {
    scores[output] = rounded(scores[output] + value, ensemble.accumulator);
  };
  if (ensemble.order == SumOrder::base_first) scores = ensemble.base;
  for (const Tree& tree : ensemble.trees) {
    const Node* node = leaf_at(tree, point, ensemble.input);
    const double* values = tree.values.data() + node->value;
    if (tree.output >= 0) {
      for (std::int32_t k = 0; k < tree.width; ++k) {
        add(static_cast<std::size_t>(tree.output + k), values[k]);
      }
    } else {
      for (std::size_t k = 0; k < scores.size(); ++k) add(k, values[k]);
    }
  }
  for (std::size_t k = 0; k < scores.size(); ++k) {
    // As for sums: a float product or quotient done in double and rounded is the float one.
    scores[k] = rounded(scores[k] * ensemble.factor, ensemble.accumulator);
    scores[k] = rounded(scores[k] / ensemble.divisor, ensemble.accumulator);
    if (ensemble.order == SumOrder::base_last) add(k, ensemble.base[k]);
  }
  return scores;
}

/// CatBoost's exp: exp(x) = 2^(n / 2048) exp(-r) with the nearest whole n, and a cubic for exp(-r).
double catboost_exp(double x, bool clamped) {
  const double low = -708.39641853226408;
  const double high = 709.78271289338397;
  if (x != x) return x;
  if (x <= low) {
    if (!clamped) return 0;
    x = low;
  }
  if (x >= high) return std::numeric_limits<double>::infinity();
  const double scale = 2048.0 / std::log(2.0);
  const double n = std::rint(x * scale);
  const double r = n * (1.0 / scale) - x;
  const double y = (3.0000000027955394 - r) * (r * r) * 0.16666666685227835064 - r + 1.0;
  const auto whole = static_cast<std::int64_t>(n);
  const std::int64_t below = ((whole % 2048) + 2048) % 2048;
  const double root = std::pow(2.0, static_cast<double>(below) * (1.0 / 2048));
  return y * std::scalbn(root, static_cast<int>((whole - below) / 2048));
}

std::vector<double> outputs_of(const Ensemble& ensemble, const std::vector<double>& scores) {
  if (ensemble.link == Link::composed) return composed_outputs(ensemble, scores);
  const bool runtime = ensemble.link_form == LinkForm::onnxruntime;
  const bool single = runtime || ensemble.accumulator == Precision::float32;
  const auto exponential = [&](double score, bool clamped = false) {
    if (ensemble.link_form == LinkForm::catboost) return catboost_exp(score, clamped);
    return single ? static_cast<double>(std::exp(static_cast<float>(score))) : std::exp(score);
  };
  std::vector<double> outputs = scores;
  if (runtime) {
    for (double& value : outputs) value = rounded(value, Precision::float32);
  }
  const Precision precision = single ? Precision::float32 : Precision::float64;
  const double largest = *std::max_element(outputs.begin(), outputs.end());
  switch (ensemble.link) {
    case Link::identity:
    case Link::votes:
      break;
    case Link::square:
      for (double& value : outputs) {
        value = rounded(value * std::fabs(value), precision);
      }
      break;
    case Link::softplus:
      for (double& value : outputs) {
        if (single) {
          const auto narrow = static_cast<float>(value);
          const float rest = std::log1p(std::exp(narrow < 0 ? narrow : -narrow));
          value = static_cast<double>(narrow < 0 ? rest : narrow + rest);
        } else {
          value = std::log1p(std::exp(value));
        }
      }
      break;
    case Link::isolation:
      for (double& value : outputs) {
        value = single ? static_cast<double>(-std::pow(2.0F, -static_cast<float>(value)))
                       : -std::pow(2.0, -value);
      }
      break;
    case Link::exponential:
      for (double& value : outputs) value = exponential(value);
      break;
    case Link::sigmoid:
      for (double& value : outputs) {
        if (runtime) {  // symmetric about one half
          const auto steep = static_cast<float>(ensemble.steepness) * static_cast<float>(value);
          const float upper = 1.0F / (1.0F + std::exp(-std::fabs(steep)));
          value = static_cast<double>(steep < 0 ? 1.0F - upper : upper);
        } else if (single) {  // XGBoost: the exponent is capped and the denominator kept off zero
          const float steep = static_cast<float>(ensemble.steepness) * static_cast<float>(value);
          const float exponent = steep > -88.7F ? -steep : 88.7F;
          value = static_cast<double>(1.0F / (std::exp(exponent) + 1.0F + 1e-16F));
        } else {
          value = 1.0 / (1.0 + std::exp(-ensemble.steepness * value));
        }
      }
      break;
    case Link::softmax: {
      double sum = 0;
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        const bool clamped = k < outputs.size() / 4 * 4;  // CatBoost takes four at a time
        outputs[k] = exponential(rounded(outputs[k] - largest, precision), clamped);
        sum = runtime ? rounded(sum + outputs[k], precision) : sum + outputs[k];
      }
      const double divisor = rounded(sum, precision);
      for (double& value : outputs) value = rounded(value / divisor, precision);
      break;
    }
    case Link::winner:
      if (ensemble.task == Task::binary) {
        if (scores.at(0) == 0) return {ensemble.decision == Decision::score_from_zero ? 1.0 : 0.0};
        return {scores.at(0) > 0 ? 1.0 : 0.0};
      }
      return {static_cast<double>(std::max_element(scores.begin(), scores.end()) - scores.begin())};
    case Link::composed:
      break;
  }
  return outputs;
}

namespace {

bool between(const Interval& range, double value) {
  if (std::isnan(value) || value < range.lower || value > range.upper) return false;
  if (value == range.lower && !range.lower_closed) return false;
  return !(value == range.upper && !range.upper_closed);
}

/// Two scores that overflow in the same direction count as equal.
double ahead_of(double score, double rival) {
  return std::isinf(score) && score == rival ? 0.0 : score - rival;
}

/// The margin of a class over all others, as ClassIs defines it.
bool leads_by(double margin, std::size_t target, const Ensemble& ensemble,
              const std::vector<double>& scores) {
  if (scores.size() == 1) {
    double decides = 0;
    if (ensemble.decision == Decision::score_above_half) decides = 0.5;
    if (ensemble.decision == Decision::output_above_half && ensemble.link == Link::identity) {
      decides = 0.5;
    }
    return (target == 1 ? scores[0] - decides : decides - scores[0]) >= margin;
  }
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (k != target && !(ahead_of(scores[target], scores[k]) >= margin)) return false;
  }
  return true;
}

}  // namespace

bool outcome_holds(const Requirement& requirement, const Ensemble& ensemble,
                   const std::vector<double>& scores) {
  if (ensemble.composition.linear && !std::holds_alternative<ScoreIn>(requirement.outcome)) {
    return holds_in_every_order(requirement, ensemble, scores);
  }
  const std::vector<double> outputs = outputs_of(ensemble, scores);
  if (requirement.negated) {
    // A number that is not one has neither the outcome nor its opposite.
    if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
      if (std::isnan(outputs.at(output->output))) return false;
    }
    if (const auto* one = std::get_if<ClassIs>(&requirement.outcome)) {
      const std::size_t own = ensemble.task == Task::binary ? 0 : one->target;
      if (one->probability && std::isnan(outputs.at(own))) return false;
    }
    return !outcome_holds({requirement.ensemble, requirement.outcome}, ensemble, scores);
  }
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return between(output->range, outputs.at(output->output));
  }
  if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    const double own = scores.at(score->output);
    return between(score->range, score->rival ? ahead_of(own, scores.at(*score->rival)) : own);
  }
  if (const auto* several = std::get_if<ClassIn>(&requirement.outcome)) {
    for (const std::size_t target : several->targets) {
      if (outcome_holds({requirement.ensemble, ClassIs{target}}, ensemble, scores)) return true;
    }
    return false;
  }
  const auto& wanted = std::get<ClassIs>(requirement.outcome);
  if (wanted.margin && !leads_by(*wanted.margin, wanted.target, ensemble, scores)) return false;
  if (ensemble.task == Task::binary) {
    const double one = outputs.at(0);
    if (!wanted.probability) {
      const bool yes = ensemble.decision == Decision::score_above_zero   ? scores.at(0) > 0
                       : ensemble.decision == Decision::score_from_zero  ? scores.at(0) >= 0
                       : ensemble.decision == Decision::score_above_half ? scores.at(0) > 0.5
                                                                         : one > 0.5;
      return yes == (wanted.target == 1);
    }
    const bool single =
        ensemble.accumulator == Precision::float32 || ensemble.link_form == LinkForm::onnxruntime;
    const double other = rounded(1.0 - one, single ? Precision::float32 : Precision::float64);
    const double of_target = wanted.target == 1 ? one : other;
    return of_target >= *wanted.probability;
  }
  if (wanted.probability) return outputs.at(wanted.target) >= *wanted.probability;
  if (ensemble.link == Link::composed) return composed_winner(ensemble, scores) == wanted.target;
  if (outputs.size() == 1) return outputs[0] == static_cast<double>(wanted.target);
  const bool by_score = ensemble.decision == Decision::largest_score;
  const std::vector<double>& rivals = by_score ? scores : outputs;
  // The first of equals wins. Where the outputs are not numbers, that is the first class.
  std::size_t winner = 0;
  for (std::size_t k = 1; k < rivals.size(); ++k) {
    if (rivals[k] > rivals[winner]) winner = k;
  }
  return winner == wanted.target;
}

namespace {

/// The quantile of a value, from 0 to 1, computed by counting.
double share_of(const std::vector<double>& quantiles, double value) {
  double below = 0, equal = 0, last_below = 0, first_above = 0, lower_equals = 0, upper_equals = 0;
  bool any_above = false;
  for (const double q : quantiles) {
    if (q < value) {
      lower_equals = below > 0 && q == last_below ? lower_equals + 1 : 1;
      last_below = q;
      ++below;
    } else if (q == value) {
      ++equal;
    } else if (!any_above || q == first_above) {
      first_above = q;
      any_above = true;
      ++upper_equals;
    }
  }
  const double steps = static_cast<double>(quantiles.size()) - 1;
  if (equal > 0) return (below + (equal - 1) / 2) / steps;
  if (below == 0) return 0;
  if (!any_above) return 1;
  const double from = below - 1 - (lower_equals - 1) / 2;
  const double to = below + (upper_equals - 1) / 2;
  return (from + (to - from) * ((value - last_below) / (first_above - last_below))) / steps;
}

}  // namespace

bool literal_holds(const Literal& literal, double value, Precision precision) {
  if (std::isnan(value)) return literal.missing;
  if (!literal.codes.empty()) {
    bool named = false;
    for (const std::int32_t code : literal.codes) {
      const double read = rounded(value, precision);
      named |= read > code - 1.0 && std::trunc(read) == code;
    }
    return named == literal.inside;
  }
  const Interval read{rounded(literal.range.lower, precision),
                      rounded(literal.range.upper, precision), literal.range.lower_closed,
                      literal.range.upper_closed};
  return between(read, rounded(value, precision)) == literal.inside;
}

double cost_of(const Query& query, std::span<const double> point) {
  double cost = 0;
  for (std::size_t d = 0; d < point.size(); ++d) {
    const double from = query.point[d];
    const double to = point[d];
    const OneHot* group = nullptr;
    for (const OneHot& candidate : query.groups) {
      for (const std::size_t column : candidate.columns) {
        if (column == d) group = &candidate;
      }
    }
    if (group && group->columns.front() != d) continue;
    const double places[] = {group ? hot_place(*group, query.point) : 0.0,
                             group ? hot_place(*group, point) : 0.0};
    if (group ? places[0] == places[1] : (from != from && to != to) || from == to) continue;
    const FeatureRule& rule = query.features[d];
    if (rule.derived) continue;
    const bool through_missing = from != from || to != to;
    if (!group && through_missing && !rule.missing_allowed) {
      return std::numeric_limits<double>::infinity();
    }
    double term = 0;
    if (query.norm == Norm::custom) {
      term = group ? query.term(d, places[0], places[1]) : query.term(d, from, to);
    } else {
      double steps = 1;
      if (!group && !through_missing && rule.kind == FeatureKind::categorical) {
        const auto row = static_cast<std::size_t>(from < 0 ? 0 : from > 1e9 ? 1e9 : from);
        const auto column = static_cast<std::size_t>(to < 0 ? 0 : to > 1e9 ? 1e9 : to);
        if (row < rule.changes.size() && column < rule.changes[row].size()) {
          steps = rule.changes[row][column];
        }
        if (query.norm == Norm::l0 && steps <= std::numeric_limits<double>::max()) steps = 1;
      } else if (!group && !through_missing && query.norm != Norm::l0) {
        steps = rule.quantiles.empty()
                    ? std::fabs(from - to) / rule.scale
                    : std::fabs(share_of(rule.quantiles, from) - share_of(rule.quantiles, to));
      }
      double weight = group ? group->weight : rule.weight;
      if (!group && from < to) weight *= rule.up;
      if (!group && from > to) weight *= rule.down;
      double size = query.norm == Norm::squared_l2 ? steps * steps : steps;
      if (query.norm == Norm::mixture) {
        size = query.mixture.l0;
        if (query.mixture.l1 != 0) size += query.mixture.l1 * steps;
        if (query.mixture.squared_l2 != 0) size += query.mixture.squared_l2 * steps * steps;
      }
      term = weight * size;
    }
    if (query.norm == Norm::linf) {
      if (term > cost) cost = term;
    } else {
      cost += term;
    }
  }
  return cost;
}

}  // namespace boxwood::verifying
