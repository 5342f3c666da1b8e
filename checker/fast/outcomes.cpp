#include "outcomes.hpp"

#include <algorithm>

namespace check {
namespace {

/// Our own sums and logarithms are off by far less than this, relatively.
constexpr double own = 0x1p-45;

/// What the library calculates as an infinite output is at least this large, in both precisions.
constexpr double overflowing = 0x1p127;

struct End {
  double sign, end;
  bool closed;
};
/// The ends of an interval that exclude some number.
std::vector<End> sides_of(const Interval& interval) {
  std::vector<End> made;
  if (interval.lower > -inf || !interval.lower_closed) {
    made.push_back({1, interval.lower, interval.lower_closed});
  }
  if (interval.upper < inf || !interval.upper_closed) {
    made.push_back({-1, interval.upper, interval.upper_closed});
  }
  return made;
}

}  // namespace

Outcomes::Outcomes(const Model& of, const Json& wanted) : model(of), wanted_(wanted) {
  if (wanted.contains("class")) {
    known(wanted, {"class", "probability", "margin", "model", "negated"}, "a requirement");
  } else if (wanted.contains("classes")) {
    known(wanted, {"classes", "model", "negated"}, "a requirement");
  } else if (wanted.contains("output")) {
    known(wanted, {"output", "range", "model", "negated"}, "a requirement");
  } else {
    known(wanted, {"score", "range", "rival", "model", "negated"}, "a requirement");
  }
  negated_ = wanted.value("negated", false);
  check_numbers();
  const bool onnx = model.form == "onnxruntime";
  const bool known = direct() || model.link == "sigmoid" || model.link == "softmax";
  if (onnx && !(model.single && known)) {
    throw Unsupported("models with the link " + model.link + " in the form " + model.form);
  }
  tiny_ = onnx ? 0x1p-20 : model.single ? 0x1p-120 : 0x1p-1000;
  alternatives = make(negated_);
  std::vector<double> errors;
  for (std::size_t k = 0; k < model.base.size(); ++k) {
    errors.push_back(model.error(k));
    bounded = bounded && errors.back() < inf;
  }
  if (!bounded) return;
  const double unit = model.unit();
  for (std::vector<Condition>& alternative : alternatives) {
    for (Condition& one : alternative) {
      if (one.part || std::isinf(one.least)) {
        one.needed = one.least;
        continue;
      }
      double error = errors[static_cast<std::size_t>(one.plus)];
      if (one.minus >= 0) error += errors[static_cast<std::size_t>(one.minus)];
      const double base = base_of(one.plus, one.minus, one.sign);
      const double least = one.least - one.slack + one.sign * one.centre;
      one.needed = (least - error - base) / unit;
      one.needed -= own * (std::abs(one.needed) + std::abs(base / unit) +
                           (std::abs(one.least) + std::abs(one.centre)) / unit);
    }
  }
}

/// Every requirement is about a class, classes, an output or a score that exists.
void Outcomes::check_numbers() const {
  const int outputs = static_cast<int>(model.base.size());
  const int classes = model.task == "binary" ? 2 : model.task == "regression" ? 0 : outputs;
  const auto check = [&](const char* key, int count) {
    if (!wanted_.contains(key)) return;
    const Json& value = wanted_[key];
    const bool is_list = std::string_view(key) == "classes";
    if (value.is_array() != is_list) throw Unsupported("a requirement of an unknown form");
    for (const Json& one : is_list ? value : Json::array({value})) {
      const int k = whole(one);
      if (k < 0 || k >= count) throw Unsupported("a requirement about no class or output");
    }
  };
  check("class", classes);
  check("classes", classes);
  check("output", outputs);
  check("score", outputs);
  check("rival", outputs);
  if (wanted_.contains("probability") && wanted_.contains("margin")) {
    throw Unsupported("a requirement of a probability and a margin");
  }
  if (wanted_.contains("rival") && wanted_.at("rival") == wanted_.at("score")) {
    throw Unsupported("a score that is compared with itself");
  }
  if ((wanted_.contains("output") || wanted_.contains("score")) && !wanted_.contains("range")) {
    throw Unsupported("a requirement without a range");
  }
}

double Outcomes::relative(double output) const {
  if (model.link == "softmax") {
    return model.single ? 0x1p-16 + static_cast<double>(model.base.size()) * 0x1p-23 : 0x1p-38;
  }
  if (model.link == "sigmoid" && output < 0.51) return model.single ? 0x1p-15 : 0x1p-38;
  return model.single ? 0x1p-20 : 0x1p-42;
}

double Outcomes::base_of(int plus, int minus, double sign) const {
  double base = model.read(model.base[static_cast<std::size_t>(plus)]);
  if (minus >= 0) base -= model.read(model.base[static_cast<std::size_t>(minus)]);
  return sign * (model.order == "base_first" ? base * model.unit() : base);
}

double Outcomes::score_bound(int plus, int minus, double sign, double trees) const {
  double error = model.error(static_cast<std::size_t>(plus));
  if (minus >= 0) error += model.error(static_cast<std::size_t>(minus));
  const double base = base_of(plus, minus, sign), sum = trees * model.unit();
  return sum + base + error + own * (std::abs(sum) + std::abs(base) + error);
}

double Outcomes::middle() const {
  return model.decision == "score_above_half" || (model.decision == "output_above_half" && direct())
             ? 0.5
             : 0.0;
}

/// The score of an output, where there is one; else infinite.
double Outcomes::inverse(double y) const {
  if (model.link == "sigmoid") {
    return y <= 0 ? -inf : y >= 1 ? inf : std::log(y / (1 - y)) / model.steepness;
  }
  if (model.link == "exponential") return y <= 0 ? -inf : std::log(y);
  if (model.link == "softplus") return y <= 0 ? -inf : y < 700 ? std::log(std::expm1(y)) : y;
  if (model.link == "isolation") return y >= 0 ? inf : -std::log2(-y);
  if (model.link == "square") return std::copysign(std::sqrt(std::abs(y)), y);
  throw Unsupported("outputs of the link " + model.link);
}

double Outcomes::score_for(double output, double sign) const {
  if (direct() || output == -sign * inf) return output;
  if (std::isinf(output)) output = sign * overflowing;
  const double y = output - sign * (std::abs(output) * relative(output) * 2 + tiny_);
  const double score = inverse(y);
  if (std::isinf(score)) return score;
  return score - sign * (std::abs(score) + 1) * own / std::min(1.0, model.steepness);
}

std::vector<Condition> Outcomes::output_within(int k, const Interval& interval) const {
  if (model.link == "softmax") return softmax_within(k, interval);
  std::vector<Condition> made;
  for (const auto& [sign, end, closed] : sides_of(interval)) {
    made.push_back({k, sign * score_for(end, sign), sign});
    if (!closed && direct()) made.back().barred = sign * end;
  }
  return made;
}

/// A part of 1 or more (0 or less for at most) is never reached, one beyond the other end always.
std::vector<Condition> Outcomes::softmax_within(int k, const Interval& interval) const {
  std::vector<Condition> made;
  for (const auto& [sign, end, closed] : sides_of(interval)) {
    const double part = std::clamp(end, -2.0, 2.0) * (1 - sign * 2 * relative(1)) - sign * tiny_;
    double lead = part <= 0 ? -inf : part < 1 ? std::log(part / (1 - part)) : inf;
    if (std::isfinite(lead)) lead -= (1 + std::abs(lead)) * own;
    for (int rival = 0; sign > 0 && rival < static_cast<int>(model.base.size()); ++rival) {
      if (rival != k) made.push_back({k, lead, 1, rival});
    }
    made.push_back({k, -inf, sign});
    made.back().part = std::max(part, 0x1p-1000);
  }
  return made;
}

std::vector<Condition> Outcomes::score_within(int k, int rival, const Interval& interval) const {
  std::vector<Condition> made;
  for (const auto& [sign, end, closed] : sides_of(interval)) {
    made.push_back({k, sign * end, sign, rival});
    if (!closed) made.back().barred = sign * end;
    if (rival >= 0 && std::isfinite(end)) made.back().slack = std::abs(end) * 0x1p-52;
  }
  return made;
}

std::vector<Condition> Outcomes::wins(int target) const {
  const bool by_output =
      model.decision == "output_above_half" && !direct() && model.link != "winner";
  if (model.task == "binary") {
    if (by_output && model.link != "sigmoid") {
      throw Unsupported("classes of the link " + model.link);
    }
    const double sign = target == 1 ? 1 : -1;
    const double near = by_output && target == 0 ? near_tie() / std::min(1.0, model.steepness) : 0;
    Condition one{0, sign * middle() - near, sign};
    if ((target == 1) != (model.decision == "score_from_zero")) one.barred = sign * middle();
    return {one};
  }
  if (by_output && model.link != "softmax") {
    throw Unsupported("classes of several outputs with the link " + model.link);
  }
  std::vector<Condition> made;
  for (int k = 0; k < static_cast<int>(model.base.size()); ++k) {
    if (k == target) continue;
    made.push_back({target, by_output ? -near_tie() : 0.0, 1, k});
    if (k < target) made.back().barred = 0.0;
  }
  return made;
}

std::vector<Condition> Outcomes::conditions(const Interval& side) const {
  if (wanted_.contains("score")) {
    return score_within(wanted_["score"], wanted_.value("rival", no_output), side);
  }
  if (wanted_.contains("output")) return output_within(wanted_["output"], side);
  const int target = wanted_.at("class");
  if (model.task == "multiclass") return output_within(target, side);
  if (target == 1) return output_within(0, side);
  const double slack = model.single ? 0x1p-23 : 0x1p-51;  // the library gives 1 - output, rounded
  const std::vector<End> ends = sides_of(side);
  if (ends.empty()) return {};
  const auto [sign, end, closed] = ends[0];
  if (!direct()) return {{0, -sign * score_for(1 - end + sign * slack, -sign), -sign}};
  Condition one{0, sign * end, -sign, no_output, 1.0};
  if (!closed) one.barred = sign * end;
  one.slack = slack;
  one.in_single = model.single;
  return {one};
}

Alternatives Outcomes::make(bool negated) const {
  Alternatives made;
  if (wanted_.contains("range") || wanted_.contains("probability")) {
    Interval whole;
    if (wanted_.contains("range")) {
      whole = interval(wanted_["range"]);
    } else {
      whole.lower = number(wanted_["probability"]);
    }
    if (whole.lower == inf || whole.upper == -inf) {
      throw Unsupported("an interval that holds no finite number");
    }
    if (!negated) return {conditions(whole)};
    // An output that overflows is outside of an interval that is open there.
    if (std::isfinite(whole.lower) || !whole.lower_closed) {
      made.push_back(conditions({-inf, whole.lower, true, !whole.lower_closed}));
    }
    if (std::isfinite(whole.upper) || !whole.upper_closed) {
      made.push_back(conditions({whole.upper, inf, !whole.upper_closed, true}));
    }
    return made;
  }
  std::vector<int> targets;
  if (wanted_.contains("classes")) {
    targets = wanted_["classes"].get<std::vector<int>>();
  } else {
    targets = {wanted_.at("class").get<int>()};
  }
  const int classes = model.task == "binary" ? 2 : static_cast<int>(model.base.size());
  for (int k = 0; k < classes; ++k) {
    const bool listed = std::find(targets.begin(), targets.end(), k) != targets.end();
    if (listed != negated) made.push_back(wins(k));
  }
  if (!wanted_.contains("margin")) return made;
  const double margin = number(wanted_["margin"]);
  Alternatives leads;
  if (model.task == "binary") {
    const double towards = (targets[0] == 1 ? 1.0 : -1.0) * (negated ? -1 : 1);
    Condition lead{0, negated ? -margin : margin, towards, no_output, middle()};
    if (negated) lead.barred = -margin;
    lead.slack = (std::abs(margin) + 1) * 0x1p-50;
    leads = {{lead}};
  } else {
    const Interval side = negated ? Interval{-inf, margin, true, false} : Interval{margin};
    for (int k = 0; k < classes; ++k) {
      if (k != targets[0]) leads.push_back(score_within(targets[0], k, side));
    }
  }
  for (std::vector<Condition>& lead : leads) {
    if (negated) {
      made.push_back(std::move(lead));
    } else {
      made.at(0).insert(made[0].end(), lead.begin(), lead.end());
    }
  }
  return made;
}

bool Outcomes::softmax_fails(const Condition& condition, const Upper& upper) const {
  double total = 0;
  for (int rival = 0; rival < static_cast<int>(model.base.size()); ++rival) {
    if (rival == condition.plus) continue;
    const bool leads = condition.sign > 0;
    const double most = leads ? upper(condition.plus, rival, 1) : upper(rival, condition.plus, 1);
    if (!std::isfinite(most)) return false;
    total += std::exp(leads ? -most : most);
  }
  if (condition.sign > 0) return 1 / (1 + total * (1 - 1e-12)) < *condition.part * (1 - 1e-12);
  return total * (1 + 1e-12) < (1 / *condition.part - 1) * (1 - 1e-12);
}

bool Outcomes::fails(const Condition& condition, const std::vector<double>& scores) const {
  const auto difference = [&](int plus, int minus, double /*sign*/) {
    const double a = scores[static_cast<std::size_t>(plus)];
    if (minus < 0) return a;
    const double b = scores[static_cast<std::size_t>(minus)];
    return a == b ? 0.0 : a - b;
  };
  if (condition.part) return softmax_fails(condition, difference);
  double value = difference(condition.plus, condition.minus, 1) - condition.centre;
  if (condition.in_single) value = to_single(value);
  value *= condition.sign;
  return value < condition.least || (condition.barred && value == *condition.barred);
}

bool Outcomes::certainly(const std::vector<double>& scores, bool holds) const {
  const bool plain = direct() || model.link == "winner";
  for (const double score : scores) {
    if (std::isnan(score) || (!plain && std::isinf(score))) return false;
  }
  const Alternatives opposite = make(negated_ != holds);
  return std::all_of(opposite.begin(), opposite.end(), [&](const auto& alternative) {
    return std::any_of(alternative.begin(), alternative.end(),
                       [&](const Condition& condition) { return fails(condition, scores); });
  });
}

}  // namespace check
