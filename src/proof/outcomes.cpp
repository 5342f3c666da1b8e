#include "proof/outcomes.hpp"

#include <boxwood/error.hpp>

#include "base/infinity.hpp"
#include "base/json_fields.hpp"
#include "model/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood::proofs {
namespace {

/// Our own sums and logarithms are off by far less than this, relatively.
constexpr double own_error = 0x1p-40;

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  if (!a || !b) return std::nullopt;
  return true;
}

double lead_over(double score, double rival) { return score == rival ? 0.0 : score - rival; }

template <typename Real>
std::vector<double> sums_of(const Ensemble& ensemble, std::span<const double* const> values) {
  const bool first = ensemble.order == SumOrder::base_first;
  std::vector<Real> sums(ensemble.base.size(), Real{0});
  for (std::size_t k = 0; first && k < sums.size(); ++k) {
    sums[k] = static_cast<Real>(ensemble.base[k]);
  }
  for (std::size_t t = 0; t < values.size(); ++t) {
    const std::int32_t output = ensemble.trees[t].output;
    if (output != Tree::every_output) {
      sums[static_cast<std::size_t>(output)] += static_cast<Real>(*values[t]);
      continue;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<Real>(values[t][k]);
  }
  std::vector<double> scores;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (ensemble.factor != 1) sums[k] *= static_cast<Real>(ensemble.factor);
    if (ensemble.divisor != 1) sums[k] /= static_cast<Real>(ensemble.divisor);
    if (!first) sums[k] += static_cast<Real>(ensemble.base[k]);
    scores.push_back(static_cast<double>(sums[k]));
  }
  return scores;
}

}  // namespace

std::vector<double> scores_of(const Ensemble& ensemble, std::span<const double* const> values) {
  return ensemble.accumulator == Precision::float32 ? sums_of<float>(ensemble, values)
                                                    : sums_of<double>(ensemble, values);
}

Outcomes::Outcomes(const Ensemble& ensemble, const Requirement& requirement)
    : ensemble_(&ensemble),
      requirement_(&requirement),
      single_(ensemble.accumulator == Precision::float32),
      tiny_(single_ ? 0x1p-119 : 0x1p-999) {
  if (ensemble.link == Link::square || ensemble.link == Link::softplus ||
      ensemble.link == Link::isolation || ensemble.link_form == LinkForm::onnxruntime) {
    throw Error("proof",
                fmt::format("proofs do not cover models with the link \"{}\" in the form \"{}\"",
                            name_of(link_names, ensemble.link),
                            name_of(link_form_names, ensemble.link_form)),
                "Ask without a proof");
  }
  ways_ = make_ways();
  to_tree_sums();
}

double Outcomes::relative(bool half_or_more) const {
  if (ensemble_->link == Link::softmax) {
    return single_ ? 0x1p-15 + static_cast<double>(ensemble_->base.size()) * 0x1p-22 : 0x1p-37;
  }
  if (ensemble_->link == Link::sigmoid && !half_or_more) return single_ ? 0x1p-14 : 0x1p-37;
  return single_ ? 0x1p-19 : 0x1p-41;
}

double Outcomes::unit() const {
  if (!single_) return ensemble_->factor / ensemble_->divisor;
  return static_cast<double>(static_cast<float>(ensemble_->factor)) /
         static_cast<double>(static_cast<float>(ensemble_->divisor));
}

/// How far the library's sum may be from the exact one; infinite where it may overflow.
double Outcomes::error(std::size_t k) const {
  const double base = std::abs(ensemble_->base[k]);
  double total = 0, count = 6;
  for (const Tree& tree : ensemble_->trees) {
    const bool every = tree.output == Tree::every_output;
    if (!every && static_cast<std::size_t>(tree.output) != k) continue;
    double largest = 0;
    const std::size_t step = every ? ensemble_->base.size() : 1;
    for (std::size_t i = every ? k : 0; i < tree.values.size(); i += step) {
      largest = std::max(largest, std::abs(tree.values[i]));
    }
    total += largest;
    count += 1;
  }
  const double size = (total + base) * unit() + base;
  const double largest = single_ ? 0x1p125 : 0x1p1020;
  const double factor = std::max(1.0, ensemble_->factor) * std::max(1.0, unit());
  const double share = count * (single_ ? 0x1p-24 : 0x1p-53);
  if (!((total + base) * factor + base < largest) || share > 0.24) return infinity;
  return size * (share / (1 - share) + 2 * own_error + count * 0x1p-50) * (1 + 1e-6) +
         (single_ ? 0x1p-139 : 0x1p-1000);
}

double Outcomes::middle() const {
  const bool halves = ensemble_->decision == Decision::score_above_half ||
                      (ensemble_->decision == Decision::output_above_half &&
                       (ensemble_->link == Link::identity || ensemble_->link == Link::votes));
  return halves ? 0.5 : 0.0;
}

/// The score that an output of at least (at most, if not upward) `output` needs.
double Outcomes::score_for(double output, bool upward) const {
  const double anything = upward ? -infinity : infinity;
  if (std::isinf(output)) return anything;
  if (ensemble_->link == Link::identity || ensemble_->link == Link::votes) return output;
  const double slack = std::abs(output) * relative(output >= 0.51) * 2 + tiny_;
  const double y = upward ? output - slack : output + slack;
  if (y <= 0) return upward ? anything : -infinity;
  double score = 0;
  if (ensemble_->link == Link::exponential) {
    score = std::log(y);
  } else if (y >= 1) {
    return upward ? infinity : anything;
  } else {
    score = std::log(y / (1 - y)) / ensemble_->steepness;
  }
  const double own = (std::abs(score) + 1) * own_error / std::min(1.0, ensemble_->steepness);
  return upward ? score - own : score + own;
}

std::vector<LinearCondition> Outcomes::bounded(std::size_t k, double low, double high,
                                               bool output) const {
  const double from = output ? score_for(low, true) : low;
  const double to = output ? score_for(high, false) : high;
  std::vector<LinearCondition> conditions;
  if (from != -infinity) conditions.push_back({k, LinearCondition::none, 1, from});
  if (to != infinity) conditions.push_back({k, LinearCondition::none, -1, -to});
  return conditions;
}

std::vector<LinearCondition> Outcomes::lead(std::size_t k, std::size_t rival, double low,
                                            double high) const {
  std::vector<LinearCondition> conditions;
  if (low != -infinity) conditions.push_back({k, rival, 1, low - std::abs(low) * own_error});
  if (high != infinity) conditions.push_back({rival, k, 1, -(high + std::abs(high) * own_error)});
  return conditions;
}

Ways Outcomes::softmax_ways(std::size_t k, double low, double high) const {
  std::vector<LinearCondition> conditions;
  const std::size_t classes = ensemble_->base.size();
  const double relative_error = 2 * relative(true);
  const LinearCondition never{k, LinearCondition::none, 1, infinity};
  if (low > 0) {
    const double p = low * (1 - relative_error) - tiny_;
    if (low > 1.001) return {{never}};
    if (p > 0 && p < 1) {
      const double least = std::log(p / (1 - p));
      for (std::size_t rival = 0; rival < classes; ++rival) {
        if (rival == k) continue;
        conditions.push_back({k, rival, 1, least - (1 + std::abs(least)) * own_error});
      }
      conditions.push_back({k, LinearCondition::none, 1, 0, p * (1 - own_error)});
    }
  }
  if (high < 1) {
    if (high < 0) return {{never}};
    const double p = high * (1 + relative_error) + tiny_;
    if (p < 1) {
      const double least = std::log((1 / p - 1) / static_cast<double>(classes - 1));
      Ways ways;
      for (std::size_t rival = 0; rival < classes; ++rival) {
        if (rival == k) continue;
        ways.push_back(conditions);
        ways.back().push_back({rival, k, 1, least - (1 + std::abs(least)) * own_error});
      }
      return ways;
    }
  }
  return {conditions};
}

std::vector<LinearCondition> Outcomes::wins(std::size_t target) const {
  const Ensemble& model = *ensemble_;
  if (model.task == Task::binary) {
    const double sign = target == 1 ? 1 : -1;
    const bool by_output =
        model.decision == Decision::output_above_half && model.link == Link::sigmoid;
    if (model.decision == Decision::output_above_half && model.link == Link::exponential) {
      throw Error("proof", "proofs do not cover classes of the link \"exponential\"",
                  "Ask without a proof");
    }
    const double slack =
        by_output && target == 0 ? near_tie() / std::min(1.0, model.steepness) : 0.0;
    return {{0, LinearCondition::none, sign, sign * middle() - slack}};
  }
  const bool by_score = model.decision == Decision::largest_score || model.link == Link::winner ||
                        model.link == Link::votes || model.link == Link::identity;
  if (!by_score && model.link != Link::softmax) {
    throw Error("proof",
                fmt::format("proofs do not cover classes of several outputs with the link \"{}\"",
                            name_of(link_names, model.link)),
                "Ask without a proof");
  }
  std::vector<LinearCondition> conditions;
  for (std::size_t k = 0; k < model.base.size(); ++k) {
    if (k != target) conditions.push_back({target, k, 1, by_score ? 0.0 : -near_tie()});
  }
  return conditions;
}

Ways Outcomes::make_ways() const {
  const Ensemble& model = *ensemble_;
  const bool negated = requirement_->negated;
  const auto sides_of = [&](const Interval& range) {
    std::vector<std::pair<double, double>> sides;
    if (!negated) return std::vector{std::pair{range.lower, range.upper}};
    if (range.lower > -infinity) sides.emplace_back(-infinity, range.lower);
    if (range.upper < infinity) sides.emplace_back(range.upper, infinity);
    return sides;
  };
  Ways ways;
  if (const auto* score = std::get_if<ScoreIn>(&requirement_->outcome)) {
    for (const auto& [low, high] : sides_of(score->range)) {
      ways.push_back(score->rival ? lead(score->output, *score->rival, low, high)
                                  : bounded(score->output, low, high, false));
    }
    return ways;
  }
  if (const auto* output = std::get_if<OutputIn>(&requirement_->outcome)) {
    for (const auto& [low, high] : sides_of(output->range)) {
      if (model.link == Link::softmax) {
        for (auto& way : softmax_ways(output->output, low, high)) ways.push_back(std::move(way));
      } else {
        ways.push_back(bounded(output->output, low, high, true));
      }
    }
    return ways;
  }
  const auto* one = std::get_if<ClassIs>(&requirement_->outcome);
  const std::vector<std::size_t> targets =
      one ? std::vector{one->target} : std::get<ClassIn>(requirement_->outcome).targets;
  if (one && one->probability) {
    double low = negated ? -infinity : *one->probability;
    double high = negated ? *one->probability : infinity;
    if (model.link == Link::softmax) return softmax_ways(one->target, low, high);
    if (model.task == Task::multiclass) return {bounded(one->target, low, high, true)};
    if (one->target == 0) {
      const double slack = single_ ? 0x1p-22 : 0x1p-50;
      const double from = 1 - high - slack;
      high = 1 - low + slack;
      low = from;
    }
    return {bounded(0, low, high, true)};
  }
  for (std::size_t k = 0; k < model.class_count(); ++k) {
    const bool listed = std::find(targets.begin(), targets.end(), k) != targets.end();
    if (listed != negated) ways.push_back(wins(k));
  }
  if (!one || !one->margin) return ways;
  Ways leads;
  if (model.task == Task::binary) {
    const double slack = (std::abs(*one->margin) + 1) * own_error;
    const double sign = (one->target == 1 ? 1.0 : -1.0) * (negated ? -1 : 1);
    const double least = (negated ? -*one->margin : *one->margin) - slack;
    leads = {{{0, LinearCondition::none, sign, least + sign * middle()}}};
  } else {
    if (!negated) leads.emplace_back();
    for (std::size_t k = 0; k < model.base.size(); ++k) {
      if (k == one->target) continue;
      if (negated) {
        leads.push_back(lead(one->target, k, -infinity, *one->margin));
      } else {
        const auto more = lead(one->target, k, *one->margin, infinity);
        leads[0].insert(leads[0].end(), more.begin(), more.end());
      }
    }
  }
  if (negated) {
    ways.insert(ways.end(), leads.begin(), leads.end());
  } else {
    ways[0].insert(ways[0].end(), leads[0].begin(), leads[0].end());
  }
  return ways;
}

double Outcomes::base_part(const LinearCondition& condition) const {
  double base = condition.sign * ensemble_->base[condition.plus];
  if (condition.minus != LinearCondition::none) base -= ensemble_->base[condition.minus];
  return ensemble_->order == SumOrder::base_first ? base * unit() : base;
}

/// From scores to sums of trees. Conditions whose sums may overflow say nothing and are dropped.
void Outcomes::to_tree_sums() {
  for (std::vector<LinearCondition>& way : ways_) {
    std::vector<LinearCondition> kept;
    for (LinearCondition& condition : way) {
      if (!condition.probability && condition.least != infinity) {
        double errors = error(condition.plus);
        if (condition.minus != LinearCondition::none) errors += error(condition.minus);
        if (errors == infinity) continue;
        const double base = base_part(condition);
        condition.least = (condition.least - errors - base) / unit();
        condition.least -= own_error * (std::abs(condition.least) + std::abs(base / unit()));
      }
      kept.push_back(condition);
    }
    way = std::move(kept);
  }
}

double Outcomes::lead_bound(std::size_t plus, std::size_t minus, double trees) const {
  const double errors = error(plus) + error(minus);
  if (errors == infinity) return infinity;
  const double base = base_part({plus, minus});
  return trees * unit() + base + errors + own_error * (std::abs(trees * unit()) + std::abs(base));
}

Outcomes::Bounds Outcomes::forward(double score) const {
  if (ensemble_->link == Link::identity || ensemble_->link == Link::votes) return {score, score};
  if (!std::isfinite(score)) return {-infinity, infinity};
  const bool sigmoid = ensemble_->link == Link::sigmoid;
  if (sigmoid && score == 0) return {0.5, 0.5};
  const double value =
      sigmoid ? 1 / (1 + std::exp(-ensemble_->steepness * score)) : std::exp(score);
  const double slack = value * relative(value >= 0.5) + tiny_;
  double low = value - slack, high = value + slack;
  if (sigmoid && score > 0) low = std::max(low, 0.5);
  if (sigmoid && score < 0) high = std::min(high, 0.5);
  if (!sigmoid && score > 79) high = infinity;
  return {low, high};
}

Outcomes::Bounds Outcomes::softmax_bounds(std::span<const double> scores, std::size_t k) const {
  double top = -infinity, sum = 0;
  for (const double score : scores) {
    if (!std::isfinite(score)) return {-infinity, infinity};
    top = std::max(top, score);
  }
  for (const double score : scores) sum += std::exp(score - top);
  const double value = std::exp(scores[k] - top) / sum;
  const double slack = value * relative(true) + tiny_;
  return {value - slack, value + slack};
}

std::optional<bool> Outcomes::class_is(std::size_t target, std::span<const double> scores) const {
  const Ensemble& model = *ensemble_;
  if (model.task == Task::binary) {
    if (model.decision != Decision::output_above_half || model.link == Link::winner) {
      return (model.classify(scores) == 1) == (target == 1);
    }
    const Bounds output = forward(scores[0]);
    if (output.low > 0.5) return target == 1;
    if (output.high <= 0.5) return target != 1;
    return std::nullopt;
  }
  if (model.decision == Decision::largest_score || model.link != Link::softmax) {
    return model.classify(scores) == target;
  }
  std::optional<bool> result = true;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (!std::isfinite(scores[k])) return std::nullopt;
    const double ahead = scores[target] - scores[k];
    if (k == target || ahead > near_tie() || (ahead == 0 && k > target)) continue;
    result = both(result, ahead == 0 || ahead < -near_tie() ? std::optional(false) : std::nullopt);
  }
  return result;
}

std::optional<bool> Outcomes::holds_plainly(std::span<const double> scores) const {
  const auto within = [](const Bounds& value, const Interval& range) -> std::optional<bool> {
    if (value.low == value.high) return range.contains(value.low);
    std::optional<bool> above, below;
    if (value.low > range.lower) above = true;
    if (value.high < range.lower) above = false;
    if (range.lower == -infinity) above = true;
    if (value.high < range.upper) below = true;
    if (value.low > range.upper) below = false;
    if (range.upper == infinity) below = true;
    return both(above, below);
  };
  if (const auto* score = std::get_if<ScoreIn>(&requirement_->outcome)) {
    const double own = scores[score->output];
    return score->range.contains(score->rival ? lead_over(own, scores[*score->rival]) : own);
  }
  const auto output_bounds = [&](std::size_t k) {
    return ensemble_->link == Link::softmax ? softmax_bounds(scores, k) : forward(scores[k]);
  };
  if (const auto* output = std::get_if<OutputIn>(&requirement_->outcome)) {
    return within(output_bounds(output->output), output->range);
  }
  if (const auto* several = std::get_if<ClassIn>(&requirement_->outcome)) {
    std::optional<bool> any = false;
    for (const std::size_t target : several->targets) {
      const std::optional<bool> one = class_is(target, scores);
      if (one == true) return true;
      if (!one) any = std::nullopt;
    }
    return any;
  }
  const auto& wanted = std::get<ClassIs>(requirement_->outcome);
  if (wanted.probability) {
    const bool several = ensemble_->task == Task::multiclass;
    Bounds bounds = output_bounds(several ? wanted.target : 0);
    if (!several && wanted.target == 0) {
      const double slack = bounds.low == bounds.high ? 0.0 : single_ ? 0x1p-23 : 0x1p-52;
      const auto rest = [&](double value) {
        return single_ ? static_cast<double>(1.0F - static_cast<float>(value)) : 1.0 - value;
      };
      bounds = slack == 0 ? Bounds{rest(bounds.low), rest(bounds.low)}
                          : Bounds{1 - bounds.high - slack, 1 - bounds.low + slack};
    }
    return within(bounds, {.lower = *wanted.probability});
  }
  const std::optional<bool> predicted = class_is(wanted.target, scores);
  if (!wanted.margin) return predicted;
  double ahead = 0;
  if (scores.size() == 1) {
    ahead = wanted.target == 1 ? scores[0] - middle() : -(scores[0] - middle());
  } else {
    double rival = -infinity;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (k != wanted.target) rival = std::max(rival, scores[k]);
    }
    ahead = lead_over(scores[wanted.target], rival);
  }
  return both(predicted, ahead >= *wanted.margin);
}

std::optional<bool> Outcomes::holds(std::span<const double> scores) const {
  if (std::any_of(scores.begin(), scores.end(), [](double s) { return std::isnan(s); })) {
    return std::nullopt;
  }
  const std::optional<bool> plainly = holds_plainly(scores);
  return plainly ? std::optional(*plainly != requirement_->negated) : plainly;
}

}  // namespace boxwood::proofs
