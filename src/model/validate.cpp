// Checks every invariant of an Ensemble. Readers call this last; later code does not check
// indices again.
#include "model/validate.hpp"

#include "base/text.hpp"
#include "model/compose.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace boxwood {
namespace {

bool exact_in(double value, Precision precision) {
  return precision == Precision::float64 || static_cast<double>(static_cast<float>(value)) == value;
}

class TreeCheck {
 public:
  TreeCheck(const Ensemble& ensemble, std::size_t index)
      : ensemble_(ensemble), tree_(ensemble.trees[index]), index_(index) {}

  void run() const {
    if (tree_.nodes.empty()) fail_tree("it has no nodes");
    if (tree_.nodes.size() > std::numeric_limits<std::int32_t>::max()) fail_tree("too many nodes");
    const auto outputs = static_cast<std::int32_t>(ensemble_.base.size());
    if (tree_.output != Tree::every_output && (tree_.output < 0 || tree_.output >= outputs)) {
      fail_tree(fmt::format("output {} does not exist", tree_.output));
    }
    if (tree_.width != 1 && ensemble_.link != Link::composed) {
      fail_tree("a width is only for members of a composition");
    }
    for (std::size_t i = 0; i < tree_.values.size(); ++i) {
      const double value = tree_.values[i];
      if (!std::isfinite(value) || !exact_in(value, ensemble_.accumulator)) {
        throw Error(fmt::format("trees[{}].values[{}]", index_, i),
                    fmt::format("{} is not a finite number in the precision of the model", value));
      }
    }
    for (std::size_t i = 0; i < tree_.sets.size(); ++i) {
      const std::vector<std::int32_t>& set = tree_.sets[i];
      const bool rises =
          std::adjacent_find(set.begin(), set.end(), std::greater_equal<>{}) == set.end();
      if (!rises || (!set.empty() && set.front() < 0)) {
        throw Error(fmt::format("trees[{}].sets[{}]", index_, i),
                    "categories must be integers >= 0 in ascending order, without duplicates");
      }
    }
    std::vector<char> has_parent(tree_.nodes.size(), 0);
    has_parent[0] = 1;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) check_node(i, has_parent);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (!has_parent[i]) fail(i, "it is not a child of any node");
    }
  }

 private:
  void check_node(std::size_t i, std::vector<char>& has_parent) const {
    const Node& node = tree_.nodes[i];
    if (node.kind == NodeKind::leaf) {
      const std::size_t width = tree_.outputs(ensemble_.base.size()).count;
      if (node.value < 0 || static_cast<std::size_t>(node.value) + width > tree_.values.size()) {
        fail(i, fmt::format("its values ({} from {}) lie outside the tree's {}", width, node.value,
                            tree_.values.size()));
      }
      return;
    }
    if (node.feature < 0 || static_cast<std::size_t>(node.feature) >= ensemble_.features.size()) {
      fail(i, fmt::format("feature {} does not exist; the model has {}", node.feature,
                          ensemble_.features.size()));
    }
    if (std::isnan(node.threshold)) fail(i, "its threshold is NaN");
    if (node.kind == NodeKind::in_set &&
        (node.value < 0 || static_cast<std::size_t>(node.value) >= tree_.sets.size())) {
      fail(i, fmt::format("set {} does not exist; the tree has {}", node.value, tree_.sets.size()));
    }
    if (node.missing_at_zero && node.kind != NodeKind::less && node.kind != NodeKind::less_equal) {
      fail(i, "missing_at_zero is only for splits that compare numbers");
    }
    if (node.zero_up && node.kind != NodeKind::in_set) {
      fail(i, "zero_up is only for splits on categories");
    }
    for (const std::int32_t child : {node.left, node.right}) {
      if (child <= static_cast<std::int32_t>(i) ||
          static_cast<std::size_t>(child) >= tree_.nodes.size()) {
        fail(i, fmt::format(
                    "child {} must have a larger index than its parent and be one of the {} nodes",
                    child, tree_.nodes.size()));
      }
      char& taken = has_parent[static_cast<std::size_t>(child)];
      if (taken) fail(i, fmt::format("child {} already has another parent", child));
      taken = 1;
    }
  }

  [[noreturn]] void fail(std::size_t node, const std::string& reason) const {
    throw Error(fmt::format("trees[{}].nodes[{}]", index_, node), reason);
  }
  [[noreturn]] void fail_tree(const std::string& reason) const {
    throw Error(fmt::format("trees[{}]", index_), reason);
  }

  const Ensemble& ensemble_;
  const Tree& tree_;
  std::size_t index_;
};

/// Every text is UTF-8: answers are written as JSON, and Python has no other strings.
void check_texts(const Ensemble& ensemble) {
  const auto check = [](const std::string& text, const auto& place) {
    if (is_utf8(text)) return;
    throw Error(place(), fmt::format("\"{}\" is not UTF-8 text", text),
                "Save the model again with names in UTF-8; the file may be damaged");
  };
  check(ensemble.source, [] { return std::string("source"); });
  check(ensemble.objective, [] { return std::string("objective"); });
  for (const std::string& note : ensemble.notes) check(note, [] { return std::string("notes"); });
  for (std::size_t k = 0; k < ensemble.classes.size(); ++k) {
    check(ensemble.classes[k], [&] { return fmt::format("classes[{}]", k); });
  }
  for (std::size_t i = 0; i < ensemble.features.size(); ++i) {
    const auto place = [&] { return fmt::format("features[{}]", i); };
    check(ensemble.features[i].name, place);
    for (const Category& category : ensemble.features[i].categories) check(category.label, place);
  }
}

}  // namespace

void Ensemble::validate() const {
  if (base.empty()) throw Error("base", "it is empty; a model has at least one output");
  if (features.size() > std::numeric_limits<std::int32_t>::max()) {
    throw Error("features", "too many features");
  }
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (!names.insert(features[i].name).second) {
      throw Error(fmt::format("features[{}]", i),
                  fmt::format("there are two features named \"{}\"", features[i].name));
    }
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::vector<Category>& known = features[i].categories;
    for (std::size_t c = 0; c < known.size(); ++c) {
      if (known[c].code >= 0 && (c == 0 || known[c - 1].code < known[c].code)) continue;
      throw Error(fmt::format("features[{}].categories[{}]", i, c),
                  "codes must be integers >= 0 in ascending order, without duplicates");
    }
    for (std::size_t c = 0; c + 1 < known.size(); ++c) {
      if (!known[c].others) continue;
      throw Error(fmt::format("features[{}].categories[{}]", i, c),
                  "only the last category may stand for all others");
    }
  }
  for (const auto& [name, number] :
       {std::pair{"factor", factor}, {"divisor", divisor}, {"steepness", steepness}}) {
    if (!(number > 0) || !std::isfinite(number)) {
      throw Error(name, fmt::format("{} must be a positive number", number));
    }
  }
  for (std::size_t k = 0; k < base.size(); ++k) {
    if (!std::isfinite(base[k]) || !exact_in(base[k], accumulator)) {
      throw Error(fmt::format("base[{}]", k),
                  fmt::format("{} is not a finite number in the precision of the model", base[k]));
    }
  }
  if (task == Task::binary && base.size() != 1) {
    throw Error("base",
                fmt::format("a binary model has exactly one output, found {}", base.size()));
  }
  if (task == Task::multiclass && base.size() < 2 && link != Link::composed) {
    throw Error("base", "a multiclass model needs at least two outputs");
  }
  if (link_form == LinkForm::catboost && accumulator != Precision::float64) {
    throw Error("link_form", "\"catboost\" requires accumulator float64");
  }
  const bool of_one_score = decision == Decision::score_above_zero ||
                            decision == Decision::score_from_zero ||
                            decision == Decision::score_above_half;
  if ((of_one_score && task != Task::binary) ||
      (decision == Decision::largest_score && task != Task::multiclass)) {
    throw Error("decision", "it is not possible for this number of classes");
  }
  if (link == Link::winner && task == Task::regression) {
    throw Error("link", "\"winner\" requires a classifier");
  }
  if (link == Link::winner && task == Task::binary && decision != Decision::score_above_zero &&
      decision != Decision::score_from_zero) {
    throw Error(
        "link",
        "\"winner\" of a single score requires the decision score_above_zero or score_from_zero");
  }
  if (link == Link::votes && task == Task::regression) {
    throw Error("link", "\"votes\" requires a classifier");
  }
  if (link == Link::softmax && task != Task::multiclass) {
    throw Error("link", "\"softmax\" requires a multiclass model");
  }
  if (!classes.empty() && classes.size() != class_count()) {
    throw Error("classes",
                fmt::format("there are {} labels for {} classes", classes.size(), class_count()));
  }
  check_texts(*this);
  validate_composition(*this);
  for (std::size_t t = 0; t < trees.size(); ++t) TreeCheck(*this, t).run();
}

void validate_within(const Ensemble& ensemble, std::string_view place) {
  try {
    ensemble.validate();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", place, error.place()), error.reason(), error.remedy());
  }
}

}  // namespace boxwood
