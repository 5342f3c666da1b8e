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

/// What the library calculates as an infinite output is at least this large, in both precisions.
constexpr double overflowing = 0x1p127;

[[noreturn]] void refuse(const Ensemble& model, const char* what) {
  throw Error(
      "proof",
      fmt::format("proofs do not cover {} with the link \"{}\" in the form \"{}\"", what,
                  name_of(link_names, model.link), name_of(link_form_names, model.link_form)),
      "Ask without a proof");
}

/// The score of an output, where there is one; else infinite.
double inverse(const Ensemble& model, double y) {
  switch (model.link) {
    case Link::sigmoid:
      return y <= 0 ? -infinity : y >= 1 ? infinity : std::log(y / (1 - y)) / model.steepness;
    case Link::exponential:
      return y <= 0 ? -infinity : std::log(y);
    case Link::softplus:
      return y <= 0 ? -infinity : y < 700 ? std::log(std::expm1(y)) : y;
    case Link::isolation:
      return y >= 0 ? infinity : -std::log2(-y);
    case Link::square:
      return std::copysign(std::sqrt(std::abs(y)), y);
    default:
      refuse(model, "outputs");
  }
}

struct Side {
  double sign, end;
  bool closed;
};
/// The ends of an interval that exclude some number.
std::vector<Side> sides_of(const Interval& interval) {
  std::vector<Side> made;
  if (interval.lower > -infinity || !interval.lower_closed) {
    made.push_back({1, interval.lower, interval.lower_closed});
  }
  if (interval.upper < infinity || !interval.upper_closed) {
    made.push_back({-1, interval.upper, interval.upper_closed});
  }
  return made;
}

}  // namespace

Outcomes::Outcomes(const Ensemble& ensemble, const Requirement& requirement)
    : ensemble_(&ensemble),
      requirement_(&requirement),
      single_(ensemble.accumulator == Precision::float32) {
  const bool onnx = ensemble.link_form == LinkForm::onnxruntime;
  const bool known = direct() || ensemble.link == Link::sigmoid || ensemble.link == Link::softmax;
  if (onnx && !(single_ && known)) refuse(ensemble, "models");
  tiny_ = onnx ? 0x1p-19 : single_ ? 0x1p-119 : 0x1p-999;
  alternatives_ = make_alternatives(requirement.negated);
  for (std::size_t k = 0; k < ensemble.base.size(); ++k) bounded_ = bounded_ && error(k) < infinity;
  if (!bounded_) return;
  for (std::vector<Condition>& alternative : alternatives_) {
    for (Condition& condition : alternative) {
      if (condition.part || std::isinf(condition.least)) {
        condition.needed = condition.least;
        continue;
      }
      double errors = error(condition.plus);
      if (condition.minus != Condition::none) errors += error(condition.minus);
      const double base = base_part(condition.plus, condition.minus, condition.sign);
      const double least = condition.least - condition.slack + condition.sign * condition.centre;
      const double needed = (least - errors - base) / unit();
      condition.needed =
          needed - own_error * (std::abs(needed) + std::abs(base / unit()) +
                                (std::abs(condition.least) + std::abs(condition.centre)) / unit());
    }
  }
}

bool Outcomes::direct() const {
  return ensemble_->link == Link::identity || ensemble_->link == Link::votes;
}

double Outcomes::relative(double output) const {
  if (ensemble_->link == Link::softmax) {
    return single_ ? 0x1p-15 + static_cast<double>(ensemble_->base.size()) * 0x1p-22 : 0x1p-37;
  }
  if (ensemble_->link == Link::sigmoid && output < 0.52) return single_ ? 0x1p-14 : 0x1p-37;
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
    for (const Node& node : tree.nodes) {  // the numbers of leaves may overlap in `values`
      if (node.kind != NodeKind::leaf) continue;
      const std::size_t at = static_cast<std::size_t>(node.value) + (every ? k : 0);
      largest = std::max(largest, std::abs(tree.values[at]));
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

double Outcomes::base_part(std::size_t plus, std::size_t minus, double sign) const {
  double base = ensemble_->base[plus];
  if (minus != Condition::none) base -= ensemble_->base[minus];
  return sign * (ensemble_->order == SumOrder::base_first ? base * unit() : base);
}

double Outcomes::score_bound(std::size_t plus, std::size_t minus, double sign, double trees) const {
  const double errors = error(plus) + (minus == Condition::none ? 0.0 : error(minus));
  const double base = base_part(plus, minus, sign);
  return trees * unit() + base + errors + own_error * (std::abs(trees * unit()) + std::abs(base));
}

double Outcomes::middle() const {
  const bool halves = ensemble_->decision == Decision::score_above_half ||
                      (ensemble_->decision == Decision::output_above_half && direct());
  return halves ? 0.5 : 0.0;
}

/// The score that an output of at least (sign -1: at most) `output` needs.
double Outcomes::score_for(double output, double sign) const {
  if (direct() || output == -sign * infinity) return output;
  if (std::isinf(output)) output = sign * overflowing;
  const double y = output - sign * (std::abs(output) * relative(output) * 2 + tiny_);
  const double score = inverse(*ensemble_, y);
  if (std::isinf(score)) return score;
  return score - sign * (std::abs(score) + 1) * own_error / std::min(1.0, ensemble_->steepness);
}

std::vector<Condition> Outcomes::output_within(std::size_t k, const Interval& interval) const {
  if (ensemble_->link == Link::softmax) return softmax_within(k, interval);
  std::vector<Condition> made;
  for (const auto& [sign, end, closed] : sides_of(interval)) {
    Condition condition{k, sign * score_for(end, sign), sign};
    if (!closed && direct()) condition.barred = sign * end;
    made.push_back(condition);
  }
  return made;
}

/// A part of 1 or more (0 or less for at most) is never reached, one beyond the other end always.
std::vector<Condition> Outcomes::softmax_within(std::size_t k, const Interval& interval) const {
  std::vector<Condition> made;
  for (const auto& [sign, end, closed] : sides_of(interval)) {
    const double part = std::clamp(end, -2.0, 2.0) * (1 - sign * 2 * relative(1)) - sign * tiny_;
    double lead = part <= 0 ? -infinity : part < 1 ? std::log(part / (1 - part)) : infinity;
    if (std::isfinite(lead)) lead -= (1 + std::abs(lead)) * own_error;
    if (part >= 1 && part < 1.001) lead = -infinity;  // our own rounding may have made it 1
    for (std::size_t rival = 0; sign > 0 && rival < ensemble_->base.size(); ++rival) {
      if (rival != k) made.push_back({k, lead, 1, rival});
    }
    made.push_back({k, -infinity, sign});
    made.back().part = std::max(part, 0x1p-1000);
  }
  return made;
}

std::vector<Condition> Outcomes::score_within(std::size_t k, std::size_t rival,
                                              const Interval& interval) const {
  std::vector<Condition> made;
  for (const auto& [sign, end, closed] : sides_of(interval)) {
    Condition condition{k, sign * end, sign, rival};
    if (!closed) condition.barred = sign * end;
    if (rival != Condition::none && std::isfinite(end)) condition.slack = std::abs(end) * own_error;
    made.push_back(condition);
  }
  return made;
}

std::vector<Condition> Outcomes::wins(std::size_t target) const {
  const Ensemble& model = *ensemble_;
  const bool by_output =
      model.decision == Decision::output_above_half && !direct() && model.link != Link::winner;
  if (model.task == Task::binary) {
    if (by_output && model.link != Link::sigmoid) refuse(model, "classes");
    const double sign = target == 1 ? 1 : -1;
    const double near = by_output && target == 0 ? near_tie() / std::min(1.0, model.steepness) : 0;
    Condition condition{0, sign * middle() - near, sign};
    if ((target == 1) != (model.decision == Decision::score_from_zero)) {
      condition.barred = sign * middle();
    }
    return {condition};
  }
  if (by_output && model.link != Link::softmax) refuse(model, "classes of several outputs");
  std::vector<Condition> made;
  for (std::size_t k = 0; k < model.base.size(); ++k) {
    if (k == target) continue;
    Condition condition{target, by_output ? -near_tie() : 0.0, 1, k};
    if (k < target) condition.barred = 0.0;
    made.push_back(condition);
  }
  return made;
}

std::vector<Condition> Outcomes::conditions(const Interval& side) const {
  if (const auto* score = std::get_if<ScoreIn>(&requirement_->outcome)) {
    return score_within(score->output, score->rival.value_or(Condition::none), side);
  }
  if (const auto* output = std::get_if<OutputIn>(&requirement_->outcome)) {
    return output_within(output->output, side);
  }
  const std::size_t target = std::get<ClassIs>(requirement_->outcome).target;
  if (ensemble_->task == Task::multiclass) return output_within(target, side);
  if (target == 1) return output_within(0, side);
  const double slack = single_ ? 0x1p-22 : 0x1p-50;  // the library gives 1 - output, rounded
  const std::vector<Side> ends = sides_of(side);
  if (ends.empty()) return {};
  const auto [sign, end, closed] = ends[0];
  if (!direct()) return {{0, -sign * score_for(1 - end + sign * slack, -sign), -sign}};
  Condition condition{0, sign * end, -sign, Condition::none, 1.0};
  if (!closed) condition.barred = sign * end;
  condition.slack = slack;
  condition.in_single = single_;
  return {condition};
}

Alternatives Outcomes::make_alternatives(bool negated) const {
  const Ensemble& model = *ensemble_;
  std::optional<Interval> interval;
  if (const auto* score = std::get_if<ScoreIn>(&requirement_->outcome)) interval = score->range;
  if (const auto* output = std::get_if<OutputIn>(&requirement_->outcome)) interval = output->range;
  const auto* one = std::get_if<ClassIs>(&requirement_->outcome);
  if (one && one->probability) interval = Interval{.lower = *one->probability};
  Alternatives made;
  if (interval) {
    if (!negated) return {conditions(*interval)};
    // An output that overflows is outside of an interval that is open there.
    if (std::isfinite(interval->lower) || !interval->lower_closed) {
      made.push_back(
          conditions({.upper = interval->lower, .upper_closed = !interval->lower_closed}));
    }
    if (std::isfinite(interval->upper) || !interval->upper_closed) {
      made.push_back(
          conditions({.lower = interval->upper, .lower_closed = !interval->upper_closed}));
    }
    return made;
  }
  const std::vector<std::size_t> targets =
      one ? std::vector{one->target} : std::get<ClassIn>(requirement_->outcome).targets;
  for (std::size_t k = 0; k < model.class_count(); ++k) {
    const bool listed = std::find(targets.begin(), targets.end(), k) != targets.end();
    if (listed != negated) made.push_back(wins(k));
  }
  if (!one || !one->margin) return made;
  Alternatives leads;
  if (model.task == Task::binary) {
    const double towards = (one->target == 1 ? 1.0 : -1.0) * (negated ? -1 : 1);
    Condition lead{0, negated ? -*one->margin : *one->margin, towards, Condition::none, middle()};
    if (negated) lead.barred = -*one->margin;
    lead.slack = (std::abs(*one->margin) + 1) * own_error;
    leads = {{lead}};
  } else {
    const Interval side = negated ? Interval{.upper = *one->margin, .upper_closed = false}
                                  : Interval{.lower = *one->margin};
    for (std::size_t k = 0; k < model.base.size(); ++k) {
      if (k != one->target) leads.push_back(score_within(one->target, k, side));
    }
  }
  for (std::vector<Condition>& lead : leads) {
    if (negated) {
      made.push_back(std::move(lead));
    } else {
      made[0].insert(made[0].end(), lead.begin(), lead.end());
    }
  }
  return made;
}

}  // namespace boxwood::proofs
