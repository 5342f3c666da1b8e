#include "outcomes.hpp"

#include <algorithm>

namespace check {
namespace {

/// Our own logarithms, exponentials and sums are off by far less than this, relatively.
constexpr double own = 0x1p-46;

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  if (!a || !b) return std::nullopt;
  return true;
}

double ahead_of(double score, double rival) { return score == rival ? 0 : score - rival; }

std::optional<bool> within(double low, double high, const Interval& range) {
  if (low == high) return range.holds(low);
  std::optional<bool> above, below;
  if (low > range.lower || range.lower == -inf) above = true;
  if (high < range.lower) above = false;
  if (high < range.upper || range.upper == inf) below = true;
  if (low > range.upper) below = false;
  return both(above, below);
}

}  // namespace

Outcomes::Outcomes(const Model& of, const Json& wanted)
    : model(of), wanted_(wanted), negated_(wanted.value("negated", false)) {
  if (model.link == "square" || model.link == "softplus" || model.link == "isolation" ||
      model.form == "onnxruntime") {
    throw Unsupported("models with the link " + model.link + " in the form " + model.form);
  }
  const std::size_t outputs = model.base.size();
  const std::size_t classes = model.task == "binary" ? 2 : outputs;
  for (const auto& [key, count] : {std::pair{"output", outputs}, std::pair{"score", outputs},
                                   std::pair{"rival", outputs}, std::pair{"class", classes}}) {
    if (wanted.contains(key) && wanted.at(key).get<std::size_t>() >= count) {
      throw Unsupported("a requirement about nothing that the model has");
    }
  }
  for (const Json& target : wanted.value("classes", Json::array())) {
    if (target.get<std::size_t>() >= classes) throw Unsupported("a class that does not exist");
  }
  ways = alternatives();
  for (std::vector<Condition>& way : ways) {
    std::vector<Condition> kept;
    for (Condition& condition : way) {
      if (condition.probability < 0 && condition.least != inf) {
        double errors = model.error(static_cast<std::size_t>(condition.plus));
        if (condition.minus >= 0) errors += model.error(static_cast<std::size_t>(condition.minus));
        if (errors == inf) continue;
        const double base = base_of(condition.plus, condition.minus, condition.sign);
        const double size = std::abs(condition.least) + std::abs(base) + errors;
        condition.least = (condition.least - errors - base - own * size) / model.unit();
      }
      kept.push_back(condition);
    }
    way = kept;
  }
}

double Outcomes::relative(bool half_or_more) const {
  if (model.link == "softmax") {
    return model.single ? 0x1p-16 + static_cast<double>(model.base.size()) * 0x1p-23 : 0x1p-38;
  }
  if (model.link == "sigmoid" && !half_or_more) return model.single ? 0x1p-15 : 0x1p-38;
  return model.single ? 0x1p-20 : 0x1p-42;
}

double Outcomes::middle() const {
  const bool half =
      model.decision == "score_above_half" || (model.decision == "output_above_half" &&
                                               (model.link == "identity" || model.link == "votes"));
  return half ? 0.5 : 0.0;
}

bool Outcomes::by_score() const {
  return model.decision == "largest_score" || model.link == "winner" || model.link == "votes" ||
         model.link == "identity";
}

double Outcomes::score_for(double output, bool upward) const {
  const double anything = upward ? -inf : inf;
  if (std::isinf(output)) return anything;
  if (model.link == "identity" || model.link == "votes") return output;
  const double slack = std::abs(output) * (relative(output >= 0.51) * 2 + own) + tiny();
  const double y = upward ? output - slack : output + slack;
  if (y <= 0) return upward ? anything : -inf;
  double score = 0, sensitivity = 1;
  if (model.link == "exponential") {
    score = std::log(y);
  } else if (y >= 1) {
    return upward ? inf : anything;
  } else {
    score = std::log(y / (1 - y)) / model.steepness;
    sensitivity = 1 / (1 - y) / model.steepness;  // 1 - y is exact to half a unit of y
  }
  const double slip = (std::abs(score) + sensitivity) * own;
  return upward ? score - slip : score + slip;
}

std::vector<Condition> Outcomes::bounded(int k, Range range, bool of_output) const {
  const double low = of_output ? score_for(range.low, true) : range.low;
  const double high = of_output ? score_for(range.high, false) : range.high;
  std::vector<Condition> conditions;
  if (low != -inf) conditions.push_back({k, no_output, 1, low});
  if (high != inf) conditions.push_back({k, no_output, -1, -high});
  return conditions;
}

std::vector<Condition> Outcomes::lead(int k, int rival, Range range) const {
  std::vector<Condition> conditions;
  if (range.low != -inf) {
    conditions.push_back({k, rival, 1, range.low - std::abs(range.low) * own - 0x1p-1000});
  }
  if (range.high != inf) {
    conditions.push_back({rival, k, 1, -(range.high + std::abs(range.high) * own + 0x1p-1000)});
  }
  return conditions;
}

std::vector<std::vector<Condition>> Outcomes::softmax(int k, Range range) const {
  std::vector<Condition> conditions;
  const auto classes = static_cast<int>(model.base.size());
  const double error = 2 * relative(true) + own;
  const Condition never{k, no_output, 1, inf};
  if (range.low > 0) {
    const double p = range.low * (1 - error) - tiny();
    if (p >= 1) return {{never}};
    if (p > 0) {
      const double least = std::log(p / (1 - p));
      for (int rival = 0; rival < classes; ++rival) {
        if (rival == k) continue;
        conditions.push_back({k, rival, 1, least - (1 / (1 - p) + std::abs(least)) * own});
      }
      conditions.push_back({k, no_output, 1, 0, p});
    }
  }
  if (range.high < 1) {
    const double p = range.high * (1 + error) + tiny();
    if (p <= 0) return {{never}};
    if (p < 1) {
      const double least = std::log((1 / p - 1) / (classes - 1));
      std::vector<std::vector<Condition>> found;
      for (int rival = 0; rival < classes; ++rival) {
        if (rival == k) continue;
        found.push_back(conditions);
        found.back().push_back({rival, k, 1, least - (1 / (1 - p) + std::abs(least)) * own});
      }
      return found;
    }
  }
  return {conditions};
}

std::vector<Condition> Outcomes::wins(int target) const {
  if (model.task == "binary") {
    const double sign = target == 1 ? 1 : -1;
    const bool by_output = model.decision == "output_above_half" && model.link == "sigmoid";
    if (model.decision == "output_above_half" && model.link == "exponential") {
      throw Unsupported("classes of the link exponential");
    }
    const double slack =
        by_output && target == 0 ? near_tie() / std::min(1.0, model.steepness) : 0.0;
    return {{0, no_output, sign, sign * middle() - slack}};
  }
  if (!by_score() && model.link != "softmax") {
    throw Unsupported("classes of several outputs with the link " + model.link);
  }
  std::vector<Condition> conditions;
  for (int k = 0; k < static_cast<int>(model.base.size()); ++k) {
    if (k != target) conditions.push_back({target, k, 1, by_score() ? 0.0 : -near_tie()});
  }
  return conditions;
}

std::vector<std::vector<Condition>> Outcomes::alternatives() const {
  std::vector<std::vector<Condition>> found;
  if (wanted_.contains("score") || wanted_.contains("output")) {
    const bool of_output = wanted_.contains("output");
    const int k = wanted_.at(of_output ? "output" : "score");
    const Interval range = interval(wanted_.at("range"));
    std::vector<Range> sides{{range.lower, range.upper}};
    if (negated_) {
      sides.clear();
      if (range.lower != -inf) sides.push_back({-inf, range.lower});
      if (range.upper != inf) sides.push_back({range.upper, inf});
    }
    for (const Range& side : sides) {
      if (wanted_.contains("rival")) {
        found.push_back(lead(k, wanted_.at("rival"), side));
      } else if (of_output && model.link == "softmax") {
        for (auto& way : softmax(k, side)) found.push_back(way);
      } else {
        found.push_back(bounded(k, side, of_output));
      }
    }
    return found;
  }
  const std::vector<int> targets = wanted_.contains("classes")
                                       ? wanted_.at("classes").get<std::vector<int>>()
                                       : std::vector<int>{wanted_.at("class").get<int>()};
  if (wanted_.contains("probability")) {
    const double p = number(wanted_.at("probability"));
    Range range = negated_ ? Range{-inf, p} : Range{p, inf};
    if (model.link == "softmax") return softmax(targets[0], range);
    if (model.task == "multiclass") return {bounded(targets[0], range, true)};
    if (targets[0] == 0) {
      const double slack = model.single ? 0x1p-23 : 0x1p-51;
      range = {1 - range.high - slack, 1 - range.low + slack};
    }
    return {bounded(0, range, true)};
  }
  const int classes = model.task == "binary" ? 2 : static_cast<int>(model.base.size());
  for (int k = 0; k < classes; ++k) {
    const bool listed = std::count(targets.begin(), targets.end(), k) > 0;
    if (listed != negated_) found.push_back(wins(k));
  }
  if (!wanted_.contains("margin")) return found;
  const double margin = number(wanted_.at("margin"));
  std::vector<std::vector<Condition>> leads;
  if (model.task == "binary") {
    const double slack = (std::abs(margin) + 1) * own;
    const double sign = (targets[0] == 1 ? 1.0 : -1.0) * (negated_ ? -1 : 1);
    leads = {{{0, no_output, sign, (negated_ ? -margin : margin) - slack + sign * middle()}}};
  } else {
    if (!negated_) leads.emplace_back();
    for (int k = 0; k < classes; ++k) {
      if (k == targets[0]) continue;
      if (negated_) {
        leads.push_back(lead(targets[0], k, {-inf, margin}));
      } else {
        for (const Condition& one : lead(targets[0], k, {margin, inf})) leads[0].push_back(one);
      }
    }
  }
  if (negated_) {
    found.insert(found.end(), leads.begin(), leads.end());
  } else {
    found.at(0).insert(found.at(0).end(), leads[0].begin(), leads[0].end());
  }
  return found;
}

double Outcomes::base_of(int plus, int minus, double sign) const {
  double base = sign * model.read(model.base[static_cast<std::size_t>(plus)]);
  if (minus >= 0) base -= model.read(model.base[static_cast<std::size_t>(minus)]);
  return model.order == "base_first" ? base * model.unit() : base;
}

double Outcomes::lead_bound(int plus, int minus, double trees) const {
  const double errors =
      model.error(static_cast<std::size_t>(plus)) + model.error(static_cast<std::size_t>(minus));
  if (errors == inf) return inf;
  const double base = base_of(plus, minus, 1);
  const double lead = trees * model.unit() + base + errors;
  return lead + own * (std::abs(trees * model.unit()) + std::abs(base) + errors);
}

Outcomes::Range Outcomes::output(const std::vector<double>& scores, int k) const {
  const double score = scores[static_cast<std::size_t>(k)];
  if (model.link == "identity" || model.link == "votes") return {score, score};
  double value = 0;
  if (model.link == "softmax") {
    double top = -inf, sum = 0;
    for (const double one : scores) {
      if (!std::isfinite(one)) return {-inf, inf};
      top = std::max(top, one);
    }
    for (const double one : scores) sum += std::exp(one - top);
    value = std::exp(score - top) / sum;
  } else if (!std::isfinite(score)) {
    return {-inf, inf};
  } else if (model.link == "sigmoid") {
    if (score == 0) return {0.5, 0.5};
    value = 1 / (1 + std::exp(-model.steepness * score));
  } else {
    value = std::exp(score);
  }
  const double slack = value * (relative(value >= 0.5) + own) + tiny();
  Range range{value - slack, value + slack};
  if (model.link == "sigmoid" && score > 0) range.low = std::max(range.low, 0.5);
  if (model.link == "sigmoid" && score < 0) range.high = std::min(range.high, 0.5);
  if (model.link == "exponential" && score > 79.9) range.high = inf;
  return range;
}

std::optional<bool> Outcomes::class_is(int target, const std::vector<double>& scores) const {
  if (model.task == "binary") {
    const double score = scores[0];
    std::optional<bool> one;
    if (model.decision == "score_above_zero") {
      one = score > 0;
    } else if (model.decision == "score_from_zero") {
      one = score >= 0;
    } else if (model.decision == "score_above_half") {
      one = score > 0.5;
    } else if (model.link == "winner") {
      one = score > 0;
    } else {
      const Range range = output(scores, 0);
      if (range.low > 0.5) one = true;
      if (range.high <= 0.5) one = false;
    }
    if (!one) return one;
    return *one == (target == 1);
  }
  if (by_score()) {
    return std::max_element(scores.begin(), scores.end()) - scores.begin() == target;
  }
  std::optional<bool> result = true;
  for (int k = 0; k < static_cast<int>(scores.size()); ++k) {
    const double rival = scores[static_cast<std::size_t>(k)];
    if (!std::isfinite(rival)) return std::nullopt;
    const double ahead = scores[static_cast<std::size_t>(target)] - rival;
    const double tie = near_tie() * (1 + own);
    if (k == target || ahead > tie || (ahead == 0 && k > target)) continue;
    result = both(result, ahead == 0 || ahead < -tie ? std::optional(false) : std::nullopt);
  }
  return result;
}

std::optional<bool> Outcomes::plainly(const std::vector<double>& scores) const {
  if (wanted_.contains("score")) {
    const double score = scores.at(wanted_.at("score").get<std::size_t>());
    const Interval range = interval(wanted_.at("range"));
    if (!wanted_.contains("rival")) return range.holds(score);
    return range.holds(ahead_of(score, scores.at(wanted_.at("rival").get<std::size_t>())));
  }
  if (wanted_.contains("output")) {
    const Range range = output(scores, wanted_.at("output").get<int>());
    return within(range.low, range.high, interval(wanted_.at("range")));
  }
  if (wanted_.contains("classes")) {
    std::optional<bool> any = false;
    for (const int target : wanted_.at("classes").get<std::vector<int>>()) {
      const auto one = class_is(target, scores);
      if (one == true) return true;
      if (!one) any = std::nullopt;
    }
    return any;
  }
  const int target = wanted_.at("class");
  if (wanted_.contains("probability")) {
    const bool several = model.task == "multiclass";
    Range range = output(scores, several ? target : 0);
    if (!several && target == 0) {
      if (range.low == range.high) {
        range.low = range.high = model.read(1.0 - model.read(range.low));
      } else {
        const double slack = model.single ? 0x1p-24 : 0x1p-52;
        range = {1 - range.high - slack, 1 - range.low + slack};
      }
    }
    return within(range.low, range.high, {number(wanted_.at("probability")), inf, true, true});
  }
  const auto predicted = class_is(target, scores);
  if (!wanted_.contains("margin")) return predicted;
  double ahead = 0;
  if (scores.size() == 1) {
    ahead = target == 1 ? scores[0] - middle() : -(scores[0] - middle());
  } else {
    double rival = -inf;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (static_cast<int>(k) != target) rival = std::max(rival, scores[k]);
    }
    ahead = ahead_of(scores[static_cast<std::size_t>(target)], rival);
  }
  return both(predicted, ahead >= number(wanted_.at("margin")));
}

std::optional<bool> Outcomes::holds(const std::vector<double>& scores) const {
  if (std::any_of(scores.begin(), scores.end(), [](double s) { return std::isnan(s); })) {
    return std::nullopt;
  }
  const auto result = plainly(scores);
  return result ? std::optional(*result != negated_) : result;
}

}  // namespace check
