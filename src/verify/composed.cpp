#include "verify/composed.hpp"

#include "verify/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace boxwood::verifying {
namespace {

/// numpy adds up to seven numbers one by one and more of them eight at a time.
template <typename Real>
double added_as(const std::vector<double>& numbers) {
  const auto at = [&](std::size_t i) { return static_cast<Real>(numbers[i]); };
  if (numbers.size() < 8) {
    Real sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) sum = sum + at(i);
    return static_cast<double>(sum);
  }
  const std::size_t blocks = numbers.size() / 8;
  std::vector<Real> lane;
  for (std::size_t k = 0; k < 8; ++k) lane.push_back(at(k));
  for (std::size_t block = 1; block < blocks; ++block) {
    for (std::size_t k = 0; k < 8; ++k) lane[k] = lane[k] + at(8 * block + k);
  }
  Real sum =
      ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (std::size_t i = 8 * blocks; i < numbers.size(); ++i) sum = sum + at(i);
  return static_cast<double>(sum);
}

double added(const std::vector<double>& numbers) { return added_as<double>(numbers); }

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
  const bool narrow = curve.precision == Precision::float32;
  const auto f = static_cast<float>(x);
  if (curve.kind == Calibration::Kind::affine && narrow) {
    const float scaled = f * static_cast<float>(curve.slope);
    return static_cast<double>(scaled + static_cast<float>(curve.shift));
  }
  if (curve.kind == Calibration::Kind::affine) return x * curve.slope + curve.shift;
  if (curve.kind == Calibration::Kind::quotient) {
    const double divided = x / curve.slope;
    return narrow ? static_cast<double>(f / static_cast<float>(curve.slope)) : divided;
  }
  if (curve.kind == Calibration::Kind::exponential) {
    return narrow ? static_cast<double>(std::exp(f)) : std::exp(x);
  }
  if (curve.kind == Calibration::Kind::expm1) {
    return narrow ? static_cast<double>(std::expm1(f)) : std::expm1(x);
  }
  if (curve.kind == Calibration::Kind::square) return narrow ? static_cast<double>(f * f) : x * x;
  if (curve.kind == Calibration::Kind::square_root) {
    return narrow ? static_cast<double>(std::sqrt(f)) : std::sqrt(x);
  }
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
  std::vector<double> outputs = outputs_of(alone, scores);
  if (member.response == Member::Response::output) {
    for (const Calibration& curve : member.calibrations) outputs[0] = on_curve(curve, outputs[0]);
    return outputs;
  }
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

/// A sum of a linear model, and the sum of the sizes of all that is added.
struct LinearTerms {
  double sum = 0, sizes = 0;
  bool rounds = false;  ///< something other than zeros is added to the shift

  void add(double number, double weight) {
    sum = sum + weight * number;
    sizes = sizes + std::fabs(weight * number);
    if (!(number == 0 || weight == 0)) rounds = true;
  }
};

/// One sum, or one for each of three or more classes.
std::vector<LinearTerms> linear_terms(const Ensemble& ensemble, const std::vector<double>& scores) {
  const LinearTop& top = *ensemble.composition.linear;
  std::vector<std::vector<double>> contributions;
  auto begin = scores.begin();
  for (std::size_t i = 0; i < ensemble.composition.members.size(); ++i) {
    const Member& member = ensemble.composition.members[i];
    const auto end = begin + static_cast<std::ptrdiff_t>(member.outputs);
    contributions.push_back(
        contribution(member, member_alone(ensemble, i), std::vector<double>(begin, end)));
    begin = end;
  }
  std::vector<LinearTerms> all;
  const std::size_t count = top.rows.empty() ? 1 : top.rows.size();
  for (std::size_t which = 0; which < count; ++which) {
    const double shift = top.rows.empty() ? top.shift : top.rows[which].shift;
    const double size = top.rows.empty() ? top.size : top.rows[which].size;
    LinearTerms one{0, size, size != std::fabs(shift)};
    for (std::size_t i = 0; i < contributions.size(); ++i) {
      const Member& member = ensemble.composition.members[i];
      if (top.rows.empty()) {
        one.add(contributions[i].back(), member.weight);
        continue;
      }
      for (std::size_t k = 0; k < contributions[i].size(); ++k) {
        if (member.classes[k] == Member::none) continue;
        one.add(contributions[i][k], top.rows[which].weights[i * count + member.classes[k]]);
      }
    }
    one.sum = one.sum + shift;
    all.push_back(one);
  }
  return all;
}

std::vector<double> of_linear_sums(const Ensemble& ensemble, const std::vector<double>& sums) {
  if (ensemble.classes.empty()) return sums;
  if (sums.size() == 1) {
    const double one = 1.0 / (1.0 + std::exp(-sums[0]));
    return {1.0 - one, one};
  }
  double top = sums[0];
  for (const double sum : sums) top = sum > top ? sum : top;
  std::vector<double> shares;
  for (const double sum : sums) shares.push_back(std::exp(sum - top));
  const double whole = added(shares);
  for (double& share : shares) share = share / whole;
  return shares;
}

std::vector<double> values(const std::vector<LinearTerms>& all) {
  std::vector<double> sums;
  for (const LinearTerms& one : all) sums.push_back(one.sum);
  return sums;
}

std::size_t winner_of(const std::vector<double>& sums) {
  if (sums.size() == 1) return sums[0] > 0 ? 1 : 0;
  std::size_t winner = 0;
  for (std::size_t k = 1; k < sums.size(); ++k) {
    if (sums[k] > sums[winner]) winner = k;
  }
  return winner;
}

}  // namespace

bool holds_in_every_order(const Requirement& requirement, const Ensemble& ensemble,
                          const std::vector<double>& scores) {
  const std::vector<LinearTerms> all = linear_terms(ensemble, scores);
  const double error = ensemble.composition.linear->error;
  const bool narrow = error > std::ldexp(1.0, -30);
  /// The sums where that of `favoured` is as large as it can be, or as small, and the others the
  /// other way round.
  const auto ends = [&](std::size_t favoured, bool large) {
    std::vector<double> sums;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double doubt =
          all[k].rounds ? error * all[k].sizes + std::numeric_limits<double>::min() : 0;
      sums.push_back((k == favoured) == large ? all[k].sum + doubt : all[k].sum - doubt);
    }
    return sums;
  };
  // -1: below the interval, 0: in it, 1: above it.
  const auto place = [](const Interval& range, double value) {
    if (value < range.lower || (value == range.lower && !range.lower_closed)) return -1;
    return value > range.upper || (value == range.upper && !range.upper_closed) ? 1 : 0;
  };
  const auto numbers = [&](const Interval& range, std::size_t output) {
    const bool rises =
        all.size() > 1 || output + 1 == std::max<std::size_t>(ensemble.classes.size(), 1);
    const std::size_t favoured = all.size() > 1 ? output : 0;
    double least = of_linear_sums(ensemble, ends(favoured, !rises))[output];
    double most = of_linear_sums(ensemble, ends(favoured, rises))[output];
    if (std::isnan(least) || std::isnan(most)) return false;
    const bool half = all.size() == 1 && !all[0].rounds && all[0].sum == 0;
    if (!ensemble.classes.empty() && !half) {
      // The logistic function of a library may differ by 4 units of float32, or of doubles; its
      // softmax by one for each class and 16 more.
      const double units = all.size() == 1 ? 4.0 : 16.0 + static_cast<double>(all.size());
      const double of_link = std::ldexp(units, narrow ? -24 : -52);
      least = std::fmax(0.0, least - of_link);
      most = std::fmin(1.0, most + of_link);
    }
    const int a = place(range, least), b = place(range, most);
    return a == b && (a == 0) != requirement.negated;
  };
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return numbers(output->range, output->output);
  }
  if (const auto* one = std::get_if<ClassIs>(&requirement.outcome)) {
    if (one->probability) return numbers({.lower = *one->probability}, one->target);
  }
  // One class has to win even where its own sum is least and all others are largest.
  const std::size_t winner = winner_of(values(all));
  const std::vector<double> worst =
      ends(all.size() > 1 ? winner : 0, winner == 0 && all.size() == 1);
  if (winner_of(worst) != winner) return false;
  for (std::size_t k = 0; k < worst.size() && all.size() > 1; ++k) {
    if (k != winner && worst[k] == worst[winner]) return false;
  }
  bool named = false;
  if (const auto* one = std::get_if<ClassIs>(&requirement.outcome)) named = one->target == winner;
  if (const auto* several = std::get_if<ClassIn>(&requirement.outcome)) {
    for (const std::size_t target : several->targets) named |= target == winner;
  }
  return named != requirement.negated;
}

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
  if (made_of.linear) return of_linear_sums(ensemble, values(linear_terms(ensemble, scores)));
  std::vector<double> outputs(ensemble.classes.empty() ? 1 : ensemble.classes.size(), 0.0);
  if (!made_of.groups.empty()) {
    // Each group is a composition by itself, whose outputs are added up.
    Ensemble part;
    part.classes = ensemble.classes;
    part.input = ensemble.input;
    std::size_t member = 0, score = 0;
    for (const MemberGroup& group : made_of.groups) {
      part.composition = {};
      part.composition.sum = group.sum;
      part.composition.divisor = group.divisor;
      part.base.clear();
      std::vector<double> own;
      for (std::size_t i = 0; i < group.members; ++i, ++member) {
        part.composition.members.push_back(made_of.members[member]);
        for (std::size_t k = 0; k < made_of.members[member].outputs; ++k, ++score) {
          own.push_back(scores[score]);
          part.base.push_back(ensemble.base[score]);
        }
      }
      const std::vector<double> means = composed_outputs(part, own, false);
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        outputs[k] = in_precision(outputs[k] + group.weight * means[k]);
      }
    }
  }
  auto begin = scores.begin();
  for (std::size_t i = 0; i < made_of.members.size() && made_of.groups.empty(); ++i) {
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
  if (!shared || !made_of.normalised) return outputs;
  const double sum = made_of.sum == Precision::float32 ? added_as<float>(outputs) : added(outputs);
  for (double& output : outputs) output = sum == 0 ? output : in_precision(output / sum);
  return outputs;
}

std::size_t composed_winner(const Ensemble& ensemble, const std::vector<double>& scores) {
  if (ensemble.composition.linear) return winner_of(values(linear_terms(ensemble, scores)));
  const std::vector<double> outputs =
      ensemble.composition.by_score ? scores : composed_outputs(ensemble, scores, false);
  if (const auto& limit = ensemble.composition.threshold) {
    double number = outputs[limit->target];
    if (limit->of_score) number = limit->target == 1 ? scores[0] : -scores[0];
    return number >= limit->least ? limit->target : 1 - limit->target;
  }
  std::size_t winner = 0;
  for (std::size_t k = 1; k < outputs.size(); ++k) {
    const bool level = outputs[k] == outputs[winner] && ensemble.composition.last_of_equals;
    if (outputs[k] > outputs[winner] || level) winner = k;
  }
  return winner;
}

}  // namespace boxwood::verifying
