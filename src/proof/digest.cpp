// The hash of a model in certificates; docs/proof.md lists the bytes.
#include <boxwood/proof.hpp>

#include "base/bits.hpp"
#include "base/json_fields.hpp"
#include "model/kinds.hpp"
#include "proof/sha256.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace boxwood {
namespace {

/// Numbers as little-endian doubles, which hold every int32 exactly.
class Doubles {
 public:
  void add(double number) {
    const auto bits = bits_as<std::uint64_t>(number);
    for (int i = 0; i < 8; ++i) text_.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
  }
  void add_count(std::size_t count) { add(static_cast<double>(count)); }
  template <typename Number>
  void add(const std::vector<Number>& numbers) {
    add_count(numbers.size());
    for (const Number number : numbers) add(static_cast<double>(number));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The nodes in pre-order. How the file numbers them, and where it keeps their numbers, has no
/// part.
void add_nodes(const Tree& tree, std::size_t outputs, Doubles& doubles) {
  std::vector<std::int32_t> open{0};
  while (!open.empty()) {
    const Node& node = tree.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    doubles.add(static_cast<double>(node.kind));
    const auto value = static_cast<std::ptrdiff_t>(node.value);
    if (node.kind == NodeKind::leaf) {
      const auto first = tree.values.begin() + value;
      doubles.add(std::vector(first, first + static_cast<std::ptrdiff_t>(outputs)));
      continue;
    }
    doubles.add(node.feature);
    if (node.kind == NodeKind::in_set) {
      doubles.add(tree.sets[static_cast<std::size_t>(node.value)]);
    } else {
      doubles.add(node.threshold);
    }
    for (const bool flag : {node.missing_left, node.missing_at_zero, node.zero_up}) {
      doubles.add(flag ? 1.0 : 0.0);
    }
    open.insert(open.end(), {node.right, node.left});
  }
}

}  // namespace

std::string model_digest(const Ensemble& ensemble) {
  const std::string words = fmt::format(
      "boxwood model 1 {} {} {} {} {} {} {} ", name_of(precision_names, ensemble.input),
      name_of(precision_names, ensemble.accumulator), name_of(order_names, ensemble.order),
      name_of(link_names, ensemble.link), name_of(link_form_names, ensemble.link_form),
      name_of(task_names, ensemble.task), name_of(decision_names, ensemble.decision));
  Doubles doubles;
  doubles.add(ensemble.factor);
  doubles.add(ensemble.divisor);
  doubles.add(ensemble.steepness);
  doubles.add(ensemble.base);
  doubles.add_count(ensemble.features.size());
  doubles.add_count(ensemble.trees.size());
  for (const Tree& tree : ensemble.trees) {
    doubles.add(tree.output);
    add_nodes(tree, tree.outputs(ensemble.base.size()).count, doubles);
  }
  // A composition has its entry of the model file at the end; of other models that is empty.
  return sha256(words + doubles.text() + composition_text(ensemble.composition));
}

}  // namespace boxwood
