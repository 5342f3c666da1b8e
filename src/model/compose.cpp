// Compositions in the arithmetic of scikit-learn, numpy and SciPy. linear_top.cpp has the linear
// models that stacks have on top.
#include "model/compose.hpp"

#include "model/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace boxwood {
namespace {

double rounded(double value, Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// numpy's sum of a row: one after the other up to 7 numbers, in eight interleaved sums from 8 on.
double row_sum(std::span<const double> row, Precision precision = Precision::float64) {
  constexpr std::size_t lanes = 8;
  const auto add = [&](double a, double b) { return rounded(a + b, precision); };
  if (row.size() < lanes) {
    double sum = 0;
    for (const double value : row) sum = add(sum, value);
    return sum;
  }
  double part[lanes];
  std::copy_n(row.begin(), lanes, part);
  std::size_t i = lanes;
  for (; i + lanes <= row.size(); i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) part[k] = add(part[k], row[i + k]);
  }
  double sum = add(add(add(part[0], part[1]), add(part[2], part[3])),
                   add(add(part[4], part[5]), add(part[6], part[7])));
  for (; i < row.size(); ++i) sum = add(sum, row[i]);
  return sum;
}

/// SciPy's expit.
double expit(double x) { return 1 / (1 + std::exp(-x)); }

/// SciPy's interp1d of float32 numbers, within the ends: a point between two pieces belongs to the
/// lower one.
float interpolate_in_float(const Calibration& calibration, float x) {
  const std::vector<double>& from = calibration.from;
  if (from.size() == 1) return static_cast<float>(calibration.to[0]);
  const auto single = [](double value) { return static_cast<float>(value); };
  x = std::clamp(x, single(from.front()), single(from.back()));
  const auto found = static_cast<std::size_t>(
      std::lower_bound(from.begin(), from.end(), static_cast<double>(x)) - from.begin());
  const std::size_t high = std::clamp<std::size_t>(found, 1, from.size() - 1);
  const float x_low = single(from[high - 1]), y_low = single(calibration.to[high - 1]);
  const float slope = (single(calibration.to[high]) - y_low) / (single(from[high]) - x_low);
  return slope * (x - x_low) + y_low;
}

/// numpy's interp, within the ends.
double interpolate(const Calibration& calibration, double x) {
  const std::vector<double>& from = calibration.from;
  const std::vector<double>& to = calibration.to;
  if (std::isnan(x)) return x;
  x = std::clamp(x, from.front(), from.back());
  const auto above = std::upper_bound(from.begin(), from.end(), x);
  if (above == from.end()) return to.back();
  const auto j = static_cast<std::size_t>(above - from.begin()) - 1;
  if (x == from[j]) return to[j];
  const double slope = (to[j + 1] - to[j]) / (from[j + 1] - from[j]);
  return slope * (x - from[j]) + to[j];
}

/// numpy's functions of an array of that precision.
double of_number(const Calibration& calibration, double x) {
  const bool single = calibration.precision == Precision::float32;
  const auto narrow = static_cast<float>(x);
  switch (calibration.kind) {
    case Calibration::Kind::affine: {
      if (!single) return calibration.slope * x + calibration.shift;
      const float product = static_cast<float>(calibration.slope) * narrow;
      return static_cast<double>(product + static_cast<float>(calibration.shift));
    }
    case Calibration::Kind::quotient:
      return single ? static_cast<double>(narrow / static_cast<float>(calibration.slope))
                    : x / calibration.slope;
    // No prediction is negative here (validate_composition). Bounds may look a little below 0:
    // there both functions stay at 0, so that they rise everywhere.
    case Calibration::Kind::square: {
      const float narrow_root = std::max(narrow, 0.0F);
      const double root = std::max(x, 0.0);
      return single ? static_cast<double>(narrow_root * narrow_root) : root * root;
    }
    case Calibration::Kind::square_root:
      return single ? static_cast<double>(std::sqrt(std::max(narrow, 0.0F)))
                    : std::sqrt(std::max(x, 0.0));
    case Calibration::Kind::exponential:
      return single ? static_cast<double>(std::exp(narrow)) : std::exp(x);
    default:
      return single ? static_cast<double>(std::expm1(narrow)) : std::expm1(x);
  }
}

}  // namespace

double calibrated(const Calibration& calibration, double response) {
  if (calibration.kind >= Calibration::Kind::affine) return of_number(calibration, response);
  if (calibration.kind == Calibration::Kind::sigmoid) {
    return expit(-(calibration.slope * response + calibration.shift));
  }
  if (calibration.precision == Precision::float32) {
    return static_cast<double>(interpolate_in_float(calibration, static_cast<float>(response)));
  }
  return interpolate(calibration, response);
}

namespace {

/// Numbers that exceed 1 by rounding are 1 in scikit-learn.
double at_most_one(double p) { return p > 1 && p <= 1 + 1e-5 ? 1 : p; }

/// scikit-learn's softmax of scores, or of the logarithms of probabilities.
void soften(const Member& member, std::vector<double>& into) {
  const Calibration& calibration = member.calibrations.front();
  const bool of_scores = member.response == Member::Response::score;
  double largest = -std::numeric_limits<double>::infinity();
  for (double& value : into) {
    if (!of_scores) {
      const double p = rounded(value + 1e-12, calibration.precision);
      value = calibration.precision == Precision::float32
                  ? static_cast<double>(std::log(static_cast<float>(p)))
                  : std::log(p);
    }
    value *= calibration.slope;
    largest = std::max(largest, value);
  }
  for (double& value : into) value = std::exp(value - largest);
  const double sum = row_sum(into);
  for (double& value : into) value /= sum;
}

void calibrate(const Member& member, std::vector<double>& into) {
  const std::vector<Calibration>& calibrations = member.calibrations;
  if (calibrations.front().kind == Calibration::Kind::temperature) {
    soften(member, into);
  } else if (into.size() == 2) {
    into[1] = calibrated(calibrations.front(), into[1]);
    into[0] = 1 - into[1];
  } else {
    for (std::size_t k = 0; k < into.size(); ++k) into[k] = calibrated(calibrations[k], into[k]);
    const double sum = row_sum(into);
    for (double& value : into) {
      value = sum != 0 ? value / sum : 1 / static_cast<double>(into.size());
    }
  }
  for (double& value : into) value = at_most_one(value);
}

/// The class of the largest number, the first of equal ones or the last.
std::size_t largest_of(std::span<const double> numbers, bool last_of_equals) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    if (numbers[k] > numbers[best] || (last_of_equals && numbers[k] == numbers[best])) best = k;
  }
  return best;
}

}  // namespace

bool falls(const Calibration& calibration) {
  if (calibration.kind == Calibration::Kind::sigmoid) return calibration.slope > 0;
  return !calibration.to.empty() && calibration.to.front() > calibration.to.back();
}

void contribute(const Member& member, std::span<const double> scores, std::vector<double>& into,
                double nudge, std::size_t own) {
  const std::size_t classes = member.class_count();
  switch (member.response) {
    case Member::Response::output:
      into.resize(1);
      link_scores(member, scores.first(1), into);
      into[0] += nudge;
      for (const Calibration& one : member.calibrations) into[0] = calibrated(one, into[0]);
      return;
    case Member::Response::vote:
      into.assign(classes, 0.0);
      into[class_of_scores(member, scores)] = 1;
      return;
    case Member::Response::score:
      into.assign(scores.begin(), scores.end());
      // Of two classes with one score the calibration reads that of class 1; the temperature both.
      if (classes == 2 && scores.size() == 1) into = {-scores[0], scores[0]};
      break;
    case Member::Response::probability:
      into.resize(scores.size());
      link_scores(member, scores, into);
      if (member.task == Task::binary) into = {other_probability(member, into[0]), into[0]};
      break;
  }
  if (nudge != 0) {
    if (member.outputs == 1) own = into.size() - 1;
    const bool each = member.calibrations.size() == into.size() && into.size() > 2;
    for (std::size_t k = 0; k < into.size(); ++k) {
      const bool down = each && falls(member.calibrations[k]);
      into[k] += (k == own) != down ? nudge : -nudge;
    }
  }
  if (!member.calibrations.empty()) calibrate(member, into);
}

std::vector<double> weights_of(const Composition& composition) {
  std::vector<double> weights;
  for (const Member& member : composition.members) weights.push_back(member.weight);
  auto weight = weights.begin();
  for (const MemberGroup& group : composition.groups) {
    for (std::size_t i = 0; i < group.members; ++i) *weight++ *= group.weight / group.divisor;
  }
  return weights;
}

void compose(const Composition& composition, std::span<const double> scores,
             std::span<double> outputs) {
  if (composition.linear) return linear_outputs(linear_sums(composition, scores), outputs);
  std::fill(outputs.begin(), outputs.end(), 0.0);
  std::vector<double> parts, sums;
  std::size_t first = 0;
  const auto add = [&](const Member& member, std::span<double> into, Precision precision) {
    contribute(member, scores.subspan(first, member.outputs), parts);
    first += member.outputs;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t to = member.classes.empty() ? k : member.classes[k];
      if (to == Member::none) continue;
      const double part = member.weight == 1 ? parts[k] : parts[k] * member.weight;
      into[to] = rounded(into[to] + part, precision);
    }
  };
  auto member = composition.members.begin();
  for (const MemberGroup& group : composition.groups) {
    sums.assign(outputs.size(), 0.0);
    for (std::size_t i = 0; i < group.members; ++i) add(*member++, sums, group.sum);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double mean =
          group.divisor == 1 ? sums[k] : rounded(sums[k] / group.divisor, group.sum);
      outputs[k] = rounded(outputs[k] + mean * group.weight, composition.sum);
    }
  }
  for (; member != composition.members.end(); ++member) add(*member, outputs, composition.sum);
  for (double& output : outputs) {
    if (composition.divisor != 1) output = rounded(output / composition.divisor, composition.sum);
  }
  if (!composition.normalised) return;
  const double sum = row_sum(outputs, composition.sum);
  for (double& output : outputs) {
    output = sum != 0 ? rounded(output / sum, composition.sum) : output;
  }
}

std::size_t composed_class(const Composition& composition, std::span<const double> scores,
                           std::size_t classes) {
  const std::optional<Threshold>& threshold = composition.threshold;
  if (threshold && threshold->of_score) {
    const double score = threshold->target == 1 ? scores[0] : -scores[0];
    return score >= threshold->least ? threshold->target : 1 - threshold->target;
  }
  if (composition.linear) return linear_class(linear_sums(composition, scores));
  if (composition.by_score) return largest_of(scores, composition.last_of_equals);
  std::vector<double> outputs(classes);
  if (composition.normalised) {  // compared before they are divided by their sum
    Composition sums = composition;
    sums.normalised = false;
    compose(sums, scores, outputs);
  } else {
    compose(composition, scores, outputs);
  }
  if (threshold) {
    return outputs[threshold->target] >= threshold->least ? threshold->target
                                                          : 1 - threshold->target;
  }
  return largest_of(outputs, composition.last_of_equals);
}

void sum_members(const Ensemble& ensemble, std::span<const double> point,
                 std::span<double> scores) {
  const auto add = [](double sum, double value, Precision precision) {
    // A float sum done in double and rounded is the float sum: 53 bits are enough for that.
    return rounded(sum + value, precision);
  };
  std::size_t tree = 0;
  std::size_t first = 0;
  for (const Member& member : ensemble.composition.members) {
    const std::span<double> own = scores.subspan(first, member.outputs);
    const bool base_first = member.order == SumOrder::base_first;
    for (std::size_t k = 0; k < own.size(); ++k) {
      own[k] = base_first ? ensemble.base[first + k] : 0;
    }
    for (; tree < ensemble.trees.size(); ++tree) {
      const Tree& one = ensemble.trees[tree];
      const auto begin = static_cast<std::size_t>(one.output);
      if (begin >= first + member.outputs) break;
      const Node& leaf =
          one.nodes[static_cast<std::size_t>(reach_leaf(one, point, ensemble.input))];
      for (std::size_t k = 0; k < static_cast<std::size_t>(one.width); ++k) {
        double& sum = scores[begin + k];
        sum = add(sum, one.values[static_cast<std::size_t>(leaf.value) + k], member.accumulator);
      }
    }
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (member.factor != 1) own[k] = rounded(own[k] * member.factor, member.accumulator);
      if (member.divisor != 1) own[k] = rounded(own[k] / member.divisor, member.accumulator);
      if (!base_first) own[k] = add(own[k], ensemble.base[first + k], member.accumulator);
    }
    first += member.outputs;
  }
}

}  // namespace boxwood
