// Linear models of the members' contributions (LinearTop in boxwood/composition.hpp): their sums,
// how far those of a library may be from them, and what the sums mean.
#include "model/compose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// A sum, and the sizes of its terms.
struct LinearSum {
  double value = 0;
  double size = 0;
  bool exact = true;  ///< nothing is added but zeros and the shift

  void add(double contribution, double weight) {
    const double term = contribution * weight;
    value += term;
    size += std::abs(term);
    // A product that underflows is another zero: fused, or in another order, it may count.
    exact = exact && (contribution == 0 || weight == 0);
  }
};

LinearSum start(double shift, double size) {
  return {.value = 0, .size = size, .exact = size == std::abs(shift)};  // no means of a scaler
}

std::vector<LinearSum> all_sums(const Composition& composition, std::span<const double> scores) {
  const LinearTop& top = *composition.linear;
  std::vector<LinearSum> sums;
  for (const LinearRow& row : top.rows) sums.push_back(start(row.shift, row.size));
  if (sums.empty()) sums.push_back(start(top.shift, top.size));
  std::vector<double> parts;
  std::size_t first = 0, column = 0;
  for (const Member& member : composition.members) {
    contribute(member, scores.subspan(first, member.outputs), parts);
    first += member.outputs;
    if (top.rows.empty()) {
      sums[0].add(parts.back(), member.weight);
      continue;
    }
    for (std::size_t row = 0; row < sums.size(); ++row) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::size_t to = member.classes[k];
        if (to != Member::none) sums[row].add(parts[k], top.rows[row].weights[column + to]);
      }
    }
    column += top.rows.size();
  }
  for (std::size_t row = 0; row < sums.size(); ++row) {
    sums[row].value += top.rows.empty() ? top.shift : top.rows[row].shift;
  }
  return sums;
}

}  // namespace

std::vector<double> linear_sums(const Composition& composition, std::span<const double> scores) {
  std::vector<double> values;
  for (const LinearSum& sum : all_sums(composition, scores)) values.push_back(sum.value);
  return values;
}

std::vector<LinearRange> linear_ranges(const Composition& composition,
                                       std::span<const double> scores) {
  std::vector<LinearRange> ranges;
  for (const LinearSum& sum : all_sums(composition, scores)) {
    // Trees that are sure of class 0 add nothing, and then no order of the sum rounds. The second
    // term covers numbers that underflow.
    const double error =
        sum.exact ? 0 : composition.linear->error * sum.size + std::numeric_limits<double>::min();
    ranges.push_back({sum.value - error, sum.value + error});
  }
  return ranges;
}

void linear_outputs(std::span<const double> sums, std::span<double> outputs) {
  if (outputs.size() == 1) {
    outputs[0] = sums[0];
  } else if (sums.size() == 1) {
    outputs[1] = 1 / (1 + std::exp(-sums[0]));
    outputs[0] = 1 - outputs[1];
  } else {
    const double largest = *std::max_element(sums.begin(), sums.end());
    double sum = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) sum += outputs[k] = std::exp(sums[k] - largest);
    for (double& output : outputs) output /= sum;
  }
}

std::size_t linear_class(std::span<const double> sums) {
  if (sums.size() == 1) return sums[0] > 0 ? 1 : 0;
  return static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace boxwood
