// The hash of a model in certificates; docs/proof.md lists the bytes.
#include <boxwood/proof.hpp>

#include "base/bits.hpp"
#include "base/json_fields.hpp"
#include "model/kinds.hpp"
#include "proof/sha256.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace boxwood {
namespace {

/// Numbers as little-endian bytes.
class Bytes {
 public:
  template <typename Number>
  void add(Number number) {
    if constexpr (std::is_same_v<Number, double>) {
      add(bits_as<std::uint64_t>(number));
    } else {
      const auto bits = static_cast<std::make_unsigned_t<Number>>(number);
      for (std::size_t i = 0; i < sizeof(Number); ++i) {
        text_.push_back(static_cast<char>(static_cast<std::uint64_t>(bits) >> (8 * i) & 0xff));
      }
    }
  }
  template <typename Number>
  void add(const std::vector<Number>& numbers) {
    add_count(numbers.size());
    for (const Number number : numbers) add(number);
  }
  void add_count(std::size_t count) { add(static_cast<std::uint32_t>(count)); }
  void add_text(const std::string& text) { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string model_digest(const Ensemble& ensemble) {
  Bytes bytes;
  bytes.add_text(fmt::format(
      "boxwood model 1 {} {} {} {} {} {} {} ", name_of(precision_names, ensemble.input),
      name_of(precision_names, ensemble.accumulator), name_of(order_names, ensemble.order),
      name_of(link_names, ensemble.link), name_of(link_form_names, ensemble.link_form),
      name_of(task_names, ensemble.task), name_of(decision_names, ensemble.decision)));
  bytes.add(ensemble.factor);
  bytes.add(ensemble.divisor);
  bytes.add(ensemble.steepness);
  bytes.add(ensemble.base);
  bytes.add_count(ensemble.features.size());
  bytes.add_count(ensemble.trees.size());
  for (const Tree& tree : ensemble.trees) {
    bytes.add(tree.output);
    bytes.add_count(tree.nodes.size());
    for (const Node& node : tree.nodes) {
      bytes.add(static_cast<std::uint8_t>(node.kind));
      bytes.add(static_cast<std::uint8_t>((node.missing_left ? 1 : 0) +
                                          (node.missing_at_zero ? 2 : 0) + (node.zero_up ? 4 : 0)));
      bytes.add(node.feature);
      bytes.add(node.left);
      bytes.add(node.right);
      bytes.add(node.value);
      bytes.add(node.threshold);
    }
    bytes.add(tree.values);
    bytes.add_count(tree.sets.size());
    for (const std::vector<std::int32_t>& set : tree.sets) bytes.add(set);
  }
  return sha256(bytes.text());
}

}  // namespace boxwood
