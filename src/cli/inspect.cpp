// boxwood inspect: what a model file holds.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "render/model_json.hpp"
#include "render/words.hpp"

#include <boxwood/explain.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace boxwood::cli {
namespace {

/// How often splits test a feature, and how.
struct Usage {
  std::size_t trees = 0;
  std::size_t splits = 0;
};

struct Splits {
  std::vector<Usage> usage;  ///< of a feature
  std::size_t all = 0;
  std::size_t missing_left = 0;
  std::size_t missing_at_zero = 0;
  std::size_t sets = 0;
};

Splits splits_of(const Ensemble& ensemble) {
  Splits splits;
  splits.usage.resize(ensemble.features.size());
  std::vector<std::size_t> last_tree(ensemble.features.size(), ensemble.trees.size());
  for (std::size_t t = 0; t < ensemble.trees.size(); ++t) {
    for (const Node& node : ensemble.trees[t].nodes) {
      if (node.kind == NodeKind::leaf) continue;
      const auto feature = static_cast<std::size_t>(node.feature);
      const bool set = node.kind == NodeKind::in_set;
      Usage& usage = splits.usage[feature];
      ++usage.splits;
      if (last_tree[feature] != t) ++usage.trees;
      last_tree[feature] = t;
      ++splits.all;
      splits.missing_left += node.missing_left ? 1U : 0U;
      splits.missing_at_zero += node.missing_at_zero ? 1U : 0U;
      splits.sets += set ? 1U : 0U;
    }
  }
  return splits;
}

std::string kind_text(const FeatureSchema& feature) {
  switch (feature.kind) {
    case FeatureKind::continuous:
      return "continuous";
    case FeatureKind::integer:
      return "integer";
    case FeatureKind::ordinal:
      return "ordinal";
    case FeatureKind::categorical:
      break;
  }
  return "categorical";
}

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", grouped_count(count), noun, count == 1 ? "" : "s");
}

std::string summary(const Ensemble& ensemble) {
  std::vector<std::string> base;
  for (const double value : ensemble.transform(ensemble.base)) {
    base.push_back(fmt::format("{:.4g}", value));
  }
  const std::size_t leaves = ensemble.leaf_count();
  return fmt::format("{} · {} · {}, depth {}, {} {} · {} · base score {}\n",
                     visible(ensemble.source), visible(ensemble.objective),
                     plural(ensemble.trees.size(), "tree"), ensemble.depth(), grouped_count(leaves),
                     leaves == 1 ? "leaf" : "leaves", plural(ensemble.features.size(), "feature"),
                     fmt::join(base, ", "));
}

const char* link_text(const Ensemble& ensemble) {
  switch (ensemble.link) {
    case Link::identity:
      return "none";
    case Link::sigmoid:
      return "sigmoid";
    case Link::exponential:
      return "exp";
    case Link::softmax:
      return "softmax";
    case Link::winner:
      return "the largest score";
    case Link::votes:
      return "none, scores are probabilities";
    case Link::square:
      return "signed square";
    case Link::softplus:
      return "log(1 + exp)";
    case Link::isolation:
      return "-(2^-score)";
    case Link::composed:
      return "that of a model made of several";
  }
  return "";
}

std::string special_line(const Ensemble& ensemble, const Splits& splits) {
  const auto name = [](Precision precision) {
    return precision == Precision::float32 ? "float32" : "float64";
  };
  std::vector<std::string> parts = {
      fmt::format("reads {}, adds in {}", name(ensemble.input), name(ensemble.accumulator)),
      fmt::format("link: {}", link_text(ensemble))};
  if (ensemble.divisor != 1) parts.push_back(fmt::format("sum / {:g}", ensemble.divisor));
  if (ensemble.factor != 1) parts.push_back(fmt::format("sum * {:g}", ensemble.factor));
  parts.push_back(fmt::format("missing goes left at {} of {}", grouped_count(splits.missing_left),
                              plural(splits.all, "split")));
  if (splits.missing_at_zero > 0) {
    parts.push_back(fmt::format("zero is missing at {}", plural(splits.missing_at_zero, "split")));
  }
  if (splits.sets > 0) {
    parts.push_back(fmt::format("categories at {}", plural(splits.sets, "split")));
  }
  for (const std::string& note : ensemble.notes) parts.push_back(visible(note));
  return fmt::format("{}\n", fmt::join(parts, " · "));
}

std::string classes_line(const Ensemble& ensemble) {
  if (ensemble.task == Task::regression) return {};
  std::vector<std::string> names;
  for (std::size_t k = 0; k < ensemble.class_count(); ++k)
    names.push_back(class_words(ensemble, k));
  return fmt::format("classes: {}\n", fmt::join(names, ", "));
}

/// `colour: 0 red, 1 green`: what the codes in answers mean.
std::string categories_text(const Ensemble& ensemble) {
  constexpr std::size_t most = 40;
  std::string text;
  for (const Feature& feature : ensemble.features) {
    if (feature.categories.empty()) continue;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < feature.categories.size() && i < most; ++i) {
      const Category& category = feature.categories[i];
      parts.push_back(category.label.empty()
                          ? std::to_string(category.code)
                          : fmt::format("{} {}", category.code, visible(category.label)));
    }
    if (feature.categories.size() > most) {
      parts.push_back(fmt::format("and {} more", feature.categories.size() - most));
    }
    text += fmt::format("{}: {}\n", visible(feature.name), fmt::join(parts, ", "));
  }
  return text.empty() ? text : "\ncategories\n" + text;
}

int run(const ModelFlags& flags, const std::string& save_model, const std::string& format,
        Host& host) {
  const Model model = load_model(flags, host);
  const Ensemble& ensemble = model.ensemble;
  const Schema& schema = model.schema;
  if (!save_model.empty()) {
    refuse_input_as_output(save_model, {{"MODEL", flags.model}, {"--schema", flags.schema}},
                           "--save-model");
    Output file(save_model, false);
    file.write(to_json(ensemble));
    file.finish();
  }
  Output output({}, false);
  if (format == "json") {
    output.write(model_json(ensemble, schema) + "\n");
    output.finish();
    return answered;
  }
  const Splits splits = splits_of(ensemble);
  const std::vector<std::size_t> cells = cell_counts(ensemble);
  std::size_t width = 7;
  for (const FeatureSchema& feature : schema.features) {
    width = std::max(width, display_width(visible(feature.name)));
  }
  const bool titled =
      std::any_of(schema.features.begin(), schema.features.end(),
                  [](const FeatureSchema& f) { return title_of(f) != visible(f.name); });
  const auto line = [&](const std::string& name, const std::string& kind, const std::string& count,
                        const std::string& asked, const std::string& trees,
                        const std::string& title) {
    const std::string start =
        fmt::format("{}   {:<11}   {:>7}   {:>7}   ", padded(name, width), kind, count, asked);
    return titled ? fmt::format("{}{:<11}   {}\n", start, trees, title) : start + trees + "\n";
  };
  output.write(summary(ensemble) + special_line(ensemble, splits) + classes_line(ensemble) + "\n");
  output.write(line("feature", "kind", "cells", "splits", "used by", "title"));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const FeatureSchema& feature = schema.features[i];
    output.write(line(visible(feature.name), kind_text(feature), grouped_count(cells[i]),
                      grouped_count(splits.usage[i].splits), plural(splits.usage[i].trees, "tree"),
                      title_of(feature)));
  }
  output.write(categories_text(ensemble));
  output.finish();
  return answered;
}

}  // namespace

Command add_inspect(CLI::App& program, Host& host) {
  CLI::App* app =
      program.add_subcommand("inspect", "show a model: trees, features, splits and classes");
  auto flags = std::make_shared<ModelFlags>();
  add_model_flags(*app, *flags);
  auto save_model = std::make_shared<std::string>();
  app->add_option("--save-model", *save_model,
                  "write the model to this file in Boxwood's own format (JSON)");
  auto format = std::make_shared<std::string>("table");
  app->add_option("--format", *format, "table, or json: also what the schema says of the features")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  app->footer("Example:\n  boxwood inspect model.ubj");
  return {app, [=, &host] { return run(*flags, *save_model, *format, host); }};
}

}  // namespace boxwood::cli
