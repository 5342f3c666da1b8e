#include "verify/composed.hpp"

#include "verify/evaluate.hpp"

#include <cmath>

namespace boxwood::verifying {
namespace {

/// numpy adds up to seven numbers one by one and more of them eight at a time.
double added(const std::vector<double>& numbers) {
  if (numbers.size() < 8) {
    double sum = 0;
    for (const double number : numbers) sum = sum + number;
    return sum;
  }
  const std::size_t blocks = numbers.size() / 8;
  std::vector<double> lane(numbers.begin(), numbers.begin() + 8);
  for (std::size_t block = 1; block < blocks; ++block) {
    for (std::size_t k = 0; k < 8; ++k) lane[k] = lane[k] + numbers[8 * block + k];
  }
  double sum =
      ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (std::size_t i = 8 * blocks; i < numbers.size(); ++i) sum = sum + numbers[i];
  return sum;
}

double between_points(const Calibration& curve, double x) {
  const std::size_t last = curve.from.size() - 1;
  if (x <= curve.from[0] || last == 0) return curve.to[0];
  if (x > curve.from[last]) x = curve.from[last];
  std::size_t piece = 1;
  if (curve.precision == Precision::float32) {
    while (piece < last && curve.from[piece] < x) ++piece;
    const auto x0 = static_cast<float>(curve.from[piece - 1]);
    const auto y0 = static_cast<float>(curve.to[piece - 1]);
    const float rise =
        (static_cast<float>(curve.to[piece]) - y0) / (static_cast<float>(curve.from[piece]) - x0);
    return static_cast<double>(rise * (static_cast<float>(x) - x0) + y0);
  }
  while (piece <= last && curve.from[piece] <= x) ++piece;
  const std::size_t below = piece - 1;
  if (x == curve.from[below]) return curve.to[below];
  const double rise = (curve.to[piece] - curve.to[below]) / (curve.from[piece] - curve.from[below]);
  return rise * (x - curve.from[below]) + curve.to[below];
}

double on_curve(const Calibration& curve, double x) {
  if (curve.kind == Calibration::Kind::isotonic) return between_points(curve, x);
  return 1.0 / (1.0 + std::exp(curve.slope * x + curve.shift));
}

void by_temperature(const Calibration& curve, bool logarithms, std::vector<double>& numbers) {
  for (double& number : numbers) {
    if (logarithms && curve.precision == Precision::float32) {
      number = static_cast<double>(std::log(static_cast<float>(number + 1e-12)));
    } else if (logarithms) {
      number = std::log(number + 1e-12);
    }
    number = curve.slope * number;
  }
  double top = numbers[0];
  for (const double number : numbers) top = number > top ? number : top;
  for (double& number : numbers) number = std::exp(number - top);
  const double sum = added(numbers);
  for (double& number : numbers) number = number / sum;
}

/// One number for each class of the member, or one.
std::vector<double> contribution(const Member& member, const Ensemble& alone,
                                 const std::vector<double>& scores) {
  const std::vector<double> outputs = outputs_of(alone, scores);
  if (member.response == Member::Response::output) return outputs;
  const bool two = alone.task == Task::binary;
  const std::size_t classes = two ? 2 : scores.size();
  std::vector<double> numbers(classes, 0.0);
  if (member.response == Member::Response::vote) {
    for (std::size_t k = 0; k < classes; ++k) {
      if (outcome_holds({0, ClassIs{k}}, alone, scores)) numbers[k] = 1;
    }
    return numbers;
  }
  if (member.response == Member::Response::score) {
    numbers = two ? std::vector<double>{-scores[0], scores[0]} : scores;
  } else if (two) {
    const bool single =
        alone.accumulator == Precision::float32 || alone.link_form == LinkForm::onnxruntime;
    const double rest = 1.0 - outputs[0];
    numbers = {single ? static_cast<double>(static_cast<float>(rest)) : rest, outputs[0]};
  } else {
    numbers = outputs;
  }
  if (member.calibrations.empty()) return numbers;
  const Calibration& first = member.calibrations[0];
  if (first.kind == Calibration::Kind::temperature) {
    by_temperature(first, member.response == Member::Response::probability, numbers);
  } else if (classes == 2) {
    const double p = on_curve(first, numbers[1]);
    numbers = {1.0 - p, p};
  } else {
    for (std::size_t k = 0; k < classes; ++k) {
      numbers[k] = on_curve(member.calibrations[k], numbers[k]);
    }
    const double sum = added(numbers);
    for (double& number : numbers) {
      number = sum == 0 ? 1.0 / static_cast<double>(classes) : number / sum;
    }
  }
  for (double& number : numbers) {
    if (1.0 < number && number <= 1.0 + 1e-5) number = 1.0;
  }
  return numbers;
}

}  // namespace

Ensemble member_alone(const Ensemble& ensemble, std::size_t member) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < member; ++i) first += ensemble.composition.members[i].outputs;
  const Member& own = ensemble.composition.members[member];
  Ensemble alone;
  alone.base.assign(ensemble.base.begin() + static_cast<std::ptrdiff_t>(first),
                    ensemble.base.begin() + static_cast<std::ptrdiff_t>(first + own.outputs));
  alone.input = ensemble.input;
  alone.accumulator = own.accumulator;
  alone.order = own.order;
  alone.factor = own.factor;
  alone.divisor = own.divisor;
  alone.link = own.link;
  alone.link_form = own.link_form;
  alone.steepness = own.steepness;
  alone.task = own.task;
  alone.decision = own.decision;
  return alone;
}

std::vector<double> composed_outputs(const Ensemble& ensemble, const std::vector<double>& scores,
                                     bool shared) {
  const Composition& made_of = ensemble.composition;
  const auto in_precision = [&](double value) {
    return made_of.sum == Precision::float32 ? static_cast<double>(static_cast<float>(value))
                                             : value;
  };
  std::vector<double> outputs(ensemble.classes.empty() ? 1 : ensemble.classes.size(), 0.0);
  auto begin = scores.begin();
  for (std::size_t i = 0; i < made_of.members.size(); ++i) {
    const Member& member = made_of.members[i];
    const auto end = begin + static_cast<std::ptrdiff_t>(member.outputs);
    const std::vector<double> numbers =
        contribution(member, member_alone(ensemble, i), std::vector<double>(begin, end));
    begin = end;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::size_t to = member.classes.empty() ? 0 : member.classes[k];
      if (to >= outputs.size()) continue;
      outputs[to] = in_precision(outputs[to] + numbers[k] * member.weight);
    }
  }
  for (double& output : outputs) output = in_precision(output / made_of.divisor);
  const double sum = shared && made_of.normalised ? added(outputs) : 1.0;
  for (double& output : outputs) output = sum == 0 ? output : output / sum;
  return outputs;
}

std::size_t composed_winner(const Ensemble& ensemble, const std::vector<double>& scores) {
  const std::vector<double> outputs = composed_outputs(ensemble, scores, false);
  if (const auto& limit = ensemble.composition.threshold) {
    double number = outputs[limit->target];
    if (limit->of_score) number = limit->target == 1 ? scores[0] : -scores[0];
    return number >= limit->least ? limit->target : 1 - limit->target;
  }
  std::size_t winner = 0;
  for (std::size_t k = 1; k < outputs.size(); ++k) {
    if (outputs[k] > outputs[winner]) winner = k;
  }
  return winner;
}

}  // namespace boxwood::verifying
