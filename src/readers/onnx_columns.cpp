#include "readers/onnx_columns.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "base/bits.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace boxwood::readers {
namespace {

/// Floats as integers in the same order, both infinities included.
std::int32_t rank_of_float(float value) {
  const auto bits = bits_as<std::int32_t>(value);
  return bits < 0 ? std::numeric_limits<std::int32_t>::min() - bits : bits;
}
float float_at(std::int32_t rank) {
  return bits_as<float>(rank < 0 ? std::numeric_limits<std::int32_t>::min() - rank : rank);
}

/// The split of the input's number that is equivalent to the split after the steps. Each step
/// rounds a rising function, so all numbers up to the largest one that goes left go left.
void push_split(const std::vector<OnnxStep>& steps, Node& node) {
  const bool strict = node.kind == NodeKind::less;
  const auto left = [&](float x) {
    const auto value = static_cast<double>(through(steps, x));
    return strict ? value < node.threshold : value <= node.threshold;
  };
  const float missing = through(steps, std::numeric_limits<float>::quiet_NaN());
  const bool missing_left = std::isnan(missing)
                                ? node.missing_left
                                : (strict ? static_cast<double>(missing) < node.threshold
                                          : static_cast<double>(missing) <= node.threshold);
  constexpr float infinite = std::numeric_limits<float>::infinity();
  std::int32_t yes = rank_of_float(-infinite), no = rank_of_float(infinite);
  NodeKind kind = NodeKind::less_equal;
  double threshold = static_cast<double>(infinite);
  if (!left(-infinite)) {
    kind = NodeKind::less;  // no number is below the threshold
    threshold = -threshold;
  } else if (!left(infinite)) {
    while (static_cast<std::int64_t>(no) - yes > 1) {
      const std::int32_t middle = std::midpoint(yes, no);
      (left(float_at(middle)) ? yes : no) = middle;
    }
    threshold = static_cast<double>(float_at(yes));
  }
  node.kind = kind;
  node.threshold = threshold;
  node.missing_left = missing_left;
}

}  // namespace

float through(const std::vector<OnnxStep>& steps, float x) {
  for (const OnnxStep& step : steps) x = step.apply(x);
  return x;
}

float OnnxStep::apply(float x) const {
  switch (kind) {
    case Kind::scale: {
      const float moved = x - number;
      return moved * factor;
    }
    case Kind::multiply:
      return x * number;
    case Kind::divide:
      return x / number;
    case Kind::add:
      return x + number;
    case Kind::subtract:
      return x - number;
    case Kind::impute:
      break;
  }
  return std::isnan(x) ? number : x;
}

bool OnnxStep::rises() const {
  if (!std::isfinite(number) || !std::isfinite(factor)) return false;
  if (kind == Kind::scale) return factor > 0;
  return (kind != Kind::multiply && kind != Kind::divide) || number > 0;
}

void push_onnx_columns(const std::vector<OnnxColumn>& columns, const std::vector<std::int32_t>& raw,
                       std::string_view place, std::size_t most, std::vector<Feature>& inputs,
                       std::vector<Tree>& trees) {
  OnnxCategories categories(columns, raw, place, inputs);
  for (Tree& tree : trees) {
    for (Node& node : tree.nodes) {
      if (node.kind == NodeKind::leaf) continue;
      const auto at = static_cast<std::size_t>(node.feature);
      const std::vector<OnnxStep>& steps = columns[at].steps;
      if (columns[at].code) {
        categories.push(columns[at], raw[at], most, tree, node);
        continue;
      }
      node.feature = raw[at];
      if (steps.empty()) continue;
      if (node.kind != NodeKind::less && node.kind != NodeKind::less_equal) {
        throw UnsupportedModel(
            std::string(place),
            "the trees compare a number for equality that an earlier operator has changed",
            "Export the model without that operator");
      }
      push_split(steps, node);
    }
  }
}

}  // namespace boxwood::readers
