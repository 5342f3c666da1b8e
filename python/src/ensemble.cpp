// Ensembles: read from files or made of arrays, and taken apart into arrays again, which is how
// converters, pipelines and pickles carry them. Trees made here are validated like those of files.
#include "at_exit.hpp"
#include "common.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>

namespace boxwood::python {
namespace {

template <typename Number>
using Column = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = std::optional<Column<bool>>;

using RoundsGiven = std::variant<std::monostate, std::string, std::size_t>;

Rounds rounds_of(const RoundsGiven& given) {
  Rounds rounds;
  if (const auto* first = std::get_if<std::size_t>(&given)) {
    if (*first == 0) throw Error("rounds", "0 rounds leave no model", "Give 1 or more");
    rounds.first = *first;
  } else if (const auto* word = std::get_if<std::string>(&given)) {
    if (*word != "all" && *word != "best" && *word != "automatic") {
      throw Error("rounds", "\"" + *word + "\" is not known",
                  "Give \"all\", \"best\" or a whole number");
    }
    if (*word == "all") rounds.choice = Rounds::Choice::all;
    if (*word == "best") rounds.choice = Rounds::Choice::best;
  }
  return rounds;
}

void make_tree(Tree* self, std::int32_t output, const Column<double>& values,
               const Column<std::uint8_t>& kind, const Column<std::int32_t>& feature,
               const Column<double>& threshold, const Column<bool>& missing_left,
               const Column<std::int32_t>& left, const Column<std::int32_t>& right,
               const Column<std::int32_t>& value, std::vector<std::vector<std::int32_t>> sets,
               const Flags& missing_at_zero, const Flags& zero_up, std::int32_t width) {
  const std::size_t count = kind.size();
  const auto check = [&](const char* name, std::size_t size) {
    if (size == count) return;
    throw Error("tree", "\"" + std::string(name) + "\" has " + std::to_string(size) +
                            " entries, \"kind\" has " + std::to_string(count));
  };
  check("feature", feature.size());
  check("threshold", threshold.size());
  check("missing_left", missing_left.size());
  check("left", left.size());
  check("right", right.size());
  check("value", value.size());
  if (missing_at_zero) check("missing_at_zero", missing_at_zero->size());
  if (zero_up) check("zero_up", zero_up->size());
  Tree tree{.nodes = std::vector<Node>(count),
            .values = {values.data(), values.data() + values.size()},
            .sets = std::move(sets),
            .output = output,
            .width = width};
  for (std::size_t i = 0; i < count; ++i) {
    if (kind.data()[i] > static_cast<std::uint8_t>(NodeKind::in_set)) {
      throw Error("tree", "node " + std::to_string(i) + " is of no known kind");
    }
    tree.nodes[i] = {.kind = static_cast<NodeKind>(kind.data()[i]),
                     .missing_left = missing_left.data()[i],
                     .missing_at_zero = missing_at_zero && missing_at_zero->data()[i],
                     .zero_up = zero_up && zero_up->data()[i],
                     .feature = feature.data()[i],
                     .left = left.data()[i],
                     .right = right.data()[i],
                     .value = value.data()[i],
                     .threshold = threshold.data()[i]};
  }
  new (self) Tree(std::move(tree));
}

/// One field of all nodes.
template <typename Number, typename Field>
nb::object column(const Tree& tree, Field Node::*field) {
  const std::size_t count = tree.nodes.size();
  auto* numbers = new Number[count];
  nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<Number*>(p); });
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<Number>(tree.nodes[i].*field);
  return nb::cast(nb::ndarray<nb::numpy, Number, nb::ndim<1>>(numbers, {count}, owner));
}

nb::dict arrays_of(const Tree& tree) {
  nb::dict arrays;
  arrays["output"] = tree.output;
  if (tree.width != 1) arrays["width"] = tree.width;
  arrays["values"] = nb::cast(array_of(tree.values, {tree.values.size()}));
  arrays["kind"] = column<std::uint8_t>(tree, &Node::kind);
  arrays["feature"] = column<std::int32_t>(tree, &Node::feature);
  arrays["threshold"] = column<double>(tree, &Node::threshold);
  arrays["missing_left"] = column<bool>(tree, &Node::missing_left);
  arrays["left"] = column<std::int32_t>(tree, &Node::left);
  arrays["right"] = column<std::int32_t>(tree, &Node::right);
  arrays["value"] = column<std::int32_t>(tree, &Node::value);
  if (!tree.sets.empty()) arrays["sets"] = nb::cast(tree.sets);
  const auto any = [&](bool Node::*flag) {
    return std::any_of(tree.nodes.begin(), tree.nodes.end(),
                       [flag](const Node& node) { return node.*flag; });
  };
  if (any(&Node::missing_at_zero)) {
    arrays["missing_at_zero"] = column<bool>(tree, &Node::missing_at_zero);
  }
  if (any(&Node::zero_up)) arrays["zero_up"] = column<bool>(tree, &Node::zero_up);
  return arrays;
}

/// Everything but the trees, under the constructor's names.
nb::dict fields_of(const Ensemble& ensemble) {
  nb::dict fields;
  fields["source"] = ensemble.source;
  fields["library"] = nb::cast(ensemble.library);
  fields["objective"] = ensemble.objective;
  fields["notes"] = nb::cast(ensemble.notes);
  fields["features"] = nb::cast(ensemble.features);
  fields["base"] = nb::cast(ensemble.base);
  fields["input"] = nb::cast(ensemble.input);
  fields["accumulator"] = nb::cast(ensemble.accumulator);
  fields["order"] = nb::cast(ensemble.order);
  fields["factor"] = ensemble.factor;
  fields["divisor"] = ensemble.divisor;
  fields["link"] = nb::cast(ensemble.link);
  fields["link_form"] = nb::cast(ensemble.link_form);
  fields["steepness"] = ensemble.steepness;
  fields["task"] = nb::cast(ensemble.task);
  fields["decision"] = nb::cast(ensemble.decision);
  fields["classes"] = nb::cast(ensemble.classes);
  fields["composition"] = composition_text(ensemble.composition);
  return fields;
}

void make_ensemble(Ensemble* self, const nb::list& trees, std::string source, Library library,
                   std::string objective, std::vector<Feature> features, std::vector<double> base,
                   std::vector<std::string> notes, Precision input, Precision accumulator,
                   SumOrder order, double factor, double divisor, Link link, LinkForm link_form,
                   double steepness, Task task, Decision decision, std::vector<std::string> classes,
                   const std::string& composition) {
  Ensemble made;
  made.source = std::move(source);
  made.library = library;
  made.objective = std::move(objective);
  made.notes = std::move(notes);
  made.features = std::move(features);
  made.trees.reserve(trees.size());
  // Taken, not copied: a large forest is then in memory once.
  for (nb::handle tree : trees) made.trees.push_back(std::move(nb::cast<Tree&>(tree)));
  made.base = std::move(base);
  made.input = input;
  made.accumulator = accumulator;
  made.order = order;
  made.factor = factor;
  made.divisor = divisor;
  made.link = link;
  made.link_form = link_form;
  made.steepness = steepness;
  made.task = task;
  made.decision = decision;
  made.classes = std::move(classes);
  made.composition = composition_from_text(composition);
  made.validate();
  new (self) Ensemble(std::move(made));
}

void bind_enums(nb::module_& module) {
  nb::enum_<Task>(module, "Task", "What a model predicts.")
      .value("regression", Task::regression)
      .value("binary", Task::binary)
      .value("multiclass", Task::multiclass);
  nb::enum_<Library>(module, "Library", "The library that reads rows for a model.")
      .value("other", Library::other)
      .value("xgboost", Library::xgboost)
      .value("lightgbm", Library::lightgbm)
      .value("catboost", Library::catboost)
      .value("sklearn", Library::sklearn)
      .value("onnx", Library::onnx);
  nb::enum_<Precision>(module, "Precision", "A type of numbers.")
      .value("float32", Precision::float32)
      .value("float64", Precision::float64);
  nb::enum_<SumOrder>(module, "SumOrder", "When the base is added.")
      .value("base_first", SumOrder::base_first)
      .value("base_last", SumOrder::base_last);
  nb::enum_<Link>(module, "Link", "From raw scores to outputs.")
      .value("identity", Link::identity)
      .value("sigmoid", Link::sigmoid)
      .value("exponential", Link::exponential)
      .value("softmax", Link::softmax)
      .value("winner", Link::winner)
      .value("votes", Link::votes)
      .value("square", Link::square)
      .value("softplus", Link::softplus)
      .value("isolation", Link::isolation)
      .value("composed", Link::composed);
  nb::enum_<LinkForm>(module, "LinkForm", "Whose formulas compute a link.")
      .value("plain", LinkForm::plain)
      .value("onnxruntime", LinkForm::onnxruntime)
      .value("catboost", LinkForm::catboost);
  nb::enum_<Decision>(module, "Decision", "What a classifier compares.")
      .value("output_above_half", Decision::output_above_half)
      .value("score_above_zero", Decision::score_above_zero)
      .value("score_from_zero", Decision::score_from_zero)
      .value("score_above_half", Decision::score_above_half)
      .value("largest_score", Decision::largest_score);
}

void bind_features(nb::module_& module) {
  nb::class_<Category>(module, "Category", "One value of a categorical feature.")
      .def(
          "__init__",
          [](Category* self, std::int32_t code, std::string label, bool others, bool hashed) {
            new (self) Category{code, std::move(label), others, hashed};
          },
          "code"_a, "label"_a = "", "others"_a = false, "hashed"_a = false)
      .def_ro("code", &Category::code)
      .def_ro("label", &Category::label)
      .def_ro("others", &Category::others)
      .def_ro("hashed", &Category::hashed)
      .def("__reduce__", [](nb::handle self) {
        const auto& one = nb::cast<const Category&>(self);
        return nb::make_tuple(self.type(),
                              nb::make_tuple(one.code, one.label, one.others, one.hashed));
      });
  nb::class_<Feature>(module, "Feature", "A column of a model.")
      .def(
          "__init__",
          [](Feature* self, std::string name, FeatureKind kind, std::vector<Category> categories) {
            new (self) Feature{std::move(name), kind, std::move(categories)};
          },
          "name"_a, "kind"_a = FeatureKind::continuous, "categories"_a = std::vector<Category>{})
      .def_ro("name", &Feature::name)
      .def_ro("kind", &Feature::kind)
      .def_ro("categories", &Feature::categories)
      .def("__reduce__", [](nb::handle self) {
        const auto& one = nb::cast<const Feature&>(self);
        return nb::make_tuple(self.type(), nb::make_tuple(one.name, one.kind, one.categories));
      });
}

}  // namespace

void bind_ensemble(nb::module_& module) {
  bind_enums(module);
  bind_features(module);
  nb::class_<Tree>(module, "Tree", "A tree as arrays with one entry a node; docs/formats.md.")
      .def("__init__", &make_tree, "output"_a, "values"_a, "kind"_a, "feature"_a, "threshold"_a,
           "missing_left"_a, "left"_a, "right"_a, "value"_a,
           "sets"_a = std::vector<std::vector<std::int32_t>>{}, "missing_at_zero"_a = nb::none(),
           "zero_up"_a = nb::none(), "width"_a = 1);
  const Ensemble plain;
  nb::class_<Ensemble>(module, "Ensemble", "A tree ensemble; it never changes.")
      .def("__init__", &make_ensemble, "trees"_a, "source"_a, "library"_a, "objective"_a,
           "features"_a, "base"_a, "notes"_a = std::vector<std::string>{}, "input"_a = plain.input,
           "accumulator"_a = plain.accumulator, "order"_a = plain.order, "factor"_a = plain.factor,
           "divisor"_a = plain.divisor, "link"_a = plain.link, "link_form"_a = plain.link_form,
           "steepness"_a = plain.steepness, "task"_a = plain.task, "decision"_a = plain.decision,
           "classes"_a = plain.classes, "composition"_a = "",
           "Makes an ensemble of trees, which are taken out of their objects.")
      .def_ro("source", &Ensemble::source)
      .def_ro("library", &Ensemble::library)
      .def_ro("objective", &Ensemble::objective)
      .def_ro("notes", &Ensemble::notes)
      .def_ro("features", &Ensemble::features)
      .def_ro("task", &Ensemble::task)
      .def_ro("classes", &Ensemble::classes)
      .def_prop_ro("single", [](const Ensemble& self) { return self.input == Precision::float32; })
      .def(
          "of_float32",
          [](Ensemble self) {
            self.input = Precision::float32;
            return self;
          },
          "The same model of values that are rounded to float32 first.")
      .def_prop_ro("output_count", &Ensemble::output_count)
      .def_prop_ro("class_count", &Ensemble::class_count)
      .def_prop_ro("tree_count", [](const Ensemble& self) { return self.trees.size(); })
      .def_prop_ro("leaf_count", &Ensemble::leaf_count)
      .def_prop_ro("depth", &Ensemble::depth)
      .def_prop_ro("has_probabilities", &Ensemble::has_probabilities)
      .def("class_name", &Ensemble::class_name, "index"_a)
      .def(
          "class_index",
          [](const Ensemble& self, const std::string& name) { return self.class_index(name); },
          "name"_a)
      .def("fields", &fields_of, "Everything but the trees, by the constructor's names.")
      .def(
          "tree",
          [](const Ensemble& self, std::size_t index) { return arrays_of(self.trees.at(index)); },
          "index"_a, "The arrays of a tree, by the constructor's names.")
      .def_prop_ro("digest", &model_digest, "The hash of the model in certificates and records.")
      .def("to_json", [](const Ensemble& self) { return to_json(self); });
  module.def(
      "read_bytes",
      [](const nb::bytes& bytes, const std::string& place, const RoundsGiven& rounds) {
        const std::string_view text(bytes.c_str(), bytes.size());
        const Rounds wanted = rounds_of(rounds);
        const Released released;
        return read_model_bytes(text, place, wanted);
      },
      "content"_a, "place"_a = "model", "rounds"_a = nb::none(), "Reads a model file's content.");
  module.def(
      "read_file",
      [](const std::string& path, const RoundsGiven& rounds) {
        const Rounds wanted = rounds_of(rounds);
        const Released released;
        return read_model(std::filesystem::path(std::u8string(path.begin(), path.end())), wanted);
      },
      "path"_a, "rounds"_a = nb::none(), "Reads a model file.");
}

}  // namespace boxwood::python
