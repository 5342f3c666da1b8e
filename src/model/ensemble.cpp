// Prediction in the source library's own arithmetic, and the checks that make a descent safe.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>

#include "base/text.hpp"
#include "model/arithmetic.hpp"
#include "model/compose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace boxwood {
namespace {

/// The leaf that holds a point whose values were read by the library.
std::int32_t reach_leaf(const Tree& tree, const std::vector<double>& read) {
  const Node* const nodes = tree.nodes.data();
  std::int32_t at = 0;
  for (;;) {
    const Node& node = nodes[at];
    if (node.kind == NodeKind::leaf) return at;
    at = takes_left(tree, node, read[static_cast<std::size_t>(node.feature)]) ? node.left
                                                                              : node.right;
  }
}

}  // namespace

bool goes_left(const Tree& tree, const Node& node, double value) {
  if (std::isnan(value)) return node.missing_left;
  if (node.missing_at_zero && value >= -zero_size && value <= zero_size) return node.missing_left;
  switch (node.kind) {
    case NodeKind::less:
      return value < node.threshold;
    case NodeKind::less_equal:
      return value <= node.threshold;
    case NodeKind::equal:
      return value == node.threshold;
    case NodeKind::in_set: {
      constexpr double end = 0x1p31;  // beyond every code
      if (!(value > -1 && value < end) || (node.zero_up && value < 0)) return false;
      const auto& set = tree.sets[static_cast<std::size_t>(node.value)];
      return std::binary_search(set.begin(), set.end(), static_cast<std::int32_t>(value));
    }
    case NodeKind::leaf:
      break;
  }
  return false;
}

std::int32_t reach_leaf(const Tree& tree, std::span<const double> point, Precision input) {
  std::int32_t at = 0;
  for (;;) {
    const Node& node = tree.nodes[static_cast<std::size_t>(at)];
    if (node.kind == NodeKind::leaf) return at;
    const double x = as_read(point[static_cast<std::size_t>(node.feature)], input);
    at = takes_left(tree, node, x) ? node.left : node.right;
  }
}

void Ensemble::predict(std::span<const double> point, std::span<double> scores) const {
  if (point.size() != features.size()) {
    throw Error("point", fmt::format("it has {} values, the model {} features", point.size(),
                                     features.size()));
  }
  if (scores.size() != base.size()) {
    throw Error("scores", fmt::format("there is room for {} numbers, the model has {} raw scores",
                                      scores.size(), base.size()));
  }
  if (link == Link::composed) {
    sum_members(*this, point, scores);
    return;
  }
  // The values are read once and not at every split.
  std::vector<double> read(point.begin(), point.end());
  for (double& value : read) value = as_read(value, input);
  sum_leaves(
      *this,
      [&](const Tree& tree) -> const Node& {
        return tree.nodes[static_cast<std::size_t>(reach_leaf(tree, read))];
      },
      scores);
}

std::vector<double> Ensemble::predict(std::span<const double> point) const {
  std::vector<double> scores(base.size());
  predict(point, scores);
  return scores;
}

std::size_t Ensemble::output_count() const {
  if (link == Link::composed) return task == Task::regression ? 1 : classes.size();
  return link == Link::winner ? 1 : base.size();
}

void Ensemble::transform(std::span<const double> scores, std::span<double> outputs) const {
  if (outputs.size() != output_count()) {
    throw Error("outputs", fmt::format("there is room for {} numbers, the model has {} outputs",
                                       outputs.size(), output_count()));
  }
  if (link == Link::composed) {
    compose(composition, scores, outputs);
  } else {
    link_scores(*this, scores, outputs);
  }
}

std::vector<double> Ensemble::transform(std::span<const double> scores) const {
  std::vector<double> outputs(output_count());
  transform(scores, outputs);
  return outputs;
}

std::size_t Ensemble::classify(std::span<const double> scores) const {
  if (task == Task::regression) {
    throw Error("model", "a regression model has no classes", "Ask for a range of its output");
  }
  if (link == Link::composed) return composed_class(composition, scores, classes.size());
  return class_of_scores(*this, scores);
}

bool Ensemble::has_probabilities() const {
  if (link == Link::composed) return task == Task::multiclass && composition.has_probabilities;
  const bool one = link == Link::sigmoid || link == Link::votes;
  return task == Task::binary ? one : task == Task::multiclass && (one || link == Link::softmax);
}

double Ensemble::probability(std::span<const double> outputs, std::size_t index) const {
  if (!has_probabilities()) {
    throw Error("model", fmt::format("it ({}) gives no probabilities", objective),
                "Ask for the class alone");
  }
  if (task == Task::multiclass) return outputs[index];
  return index == 1 ? outputs[0] : other_probability(*this, outputs[0]);
}

std::size_t Ensemble::class_count() const {
  switch (task) {
    case Task::binary:
      return 2;
    case Task::multiclass:
      return link == Link::composed ? classes.size() : base.size();
    case Task::regression:
      break;
  }
  return 0;
}

std::size_t Ensemble::leaf_count() const {
  std::size_t count = 0;
  for (const Tree& tree : trees) {
    count += static_cast<std::size_t>(
        std::count_if(tree.nodes.begin(), tree.nodes.end(),
                      [](const Node& node) { return node.kind == NodeKind::leaf; }));
  }
  return count;
}

std::size_t Ensemble::depth() const {
  std::size_t deepest = 0;
  std::vector<std::size_t> depths;
  for (const Tree& tree : trees) {
    depths.assign(tree.nodes.size(), 0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // parents come before children
      deepest = std::max(deepest, depths[i]);
      const Node& node = tree.nodes[i];
      if (node.kind == NodeKind::leaf) continue;
      depths[static_cast<std::size_t>(node.left)] = depths[i] + 1;
      depths[static_cast<std::size_t>(node.right)] = depths[i] + 1;
    }
  }
  return deepest;
}

std::string Ensemble::class_name(std::size_t index) const {
  return index < classes.size() ? classes[index] : fmt::format("class {}", index);
}

std::size_t Ensemble::class_index(std::string_view name) const {
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found != classes.end()) return static_cast<std::size_t>(found - classes.begin());
  constexpr std::string_view unnamed = "class ";
  const std::string_view digits =
      classes.empty() && name.starts_with(unnamed) ? name.substr(unnamed.size()) : name;
  std::size_t index = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_number = status == std::errc{} && end == digits.data() + digits.size();
  if (is_number && index < class_count()) return index;
  if (class_count() == 0) throw Error("class", "a regression model has no classes");
  std::string known = fmt::format("0 to {}", class_count() - 1);
  if (!classes.empty()) known = fmt::format("\"{}\"", fmt::join(classes, "\", \""));
  throw Error("class", fmt::format("no class \"{}\"; the classes are {}", name, known),
              did_you_mean(name, classes));
}

std::size_t Ensemble::feature_index(std::string_view name) const {
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i].name == name) return i;
  }
  std::vector<std::string> names;
  for (const Feature& feature : features) names.push_back(feature.name);
  throw Error("feature", fmt::format("no feature \"{}\"", name), did_you_mean(name, names));
}

}  // namespace boxwood
