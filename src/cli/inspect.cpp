// boxwood inspect: what a model file holds.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "render/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

namespace boxwood::cli {
namespace {

struct Usage {
  std::set<double> thresholds;
  std::size_t trees = 0;
};

std::vector<Usage> usage_of(const Ensemble& ensemble) {
  std::vector<Usage> usage(ensemble.features.size());
  std::vector<std::size_t> last_tree(ensemble.features.size(), ensemble.trees.size());
  for (std::size_t t = 0; t < ensemble.trees.size(); ++t) {
    for (const Node& node : ensemble.trees[t].nodes) {
      if (node.kind == NodeKind::leaf) continue;
      const auto feature = static_cast<std::size_t>(node.feature);
      usage[feature].thresholds.insert(node.threshold);
      if (last_tree[feature] != t) ++usage[feature].trees;
      last_tree[feature] = t;
    }
  }
  return usage;
}

std::string kind_text(const FeatureSchema& feature) {
  switch (feature.kind.value_or(FeatureKind::continuous)) {
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
  return fmt::format("{} · {} · {}, depth {}, {} {} · {} · base score {}\n", ensemble.source,
                     ensemble.objective, plural(ensemble.trees.size(), "tree"), ensemble.depth(),
                     grouped_count(leaves), leaves == 1 ? "leaf" : "leaves",
                     plural(ensemble.features.size(), "feature"), fmt::join(base, ", "));
}

std::string classes_line(const Ensemble& ensemble) {
  if (ensemble.task == Task::regression) return {};
  std::vector<std::string> names;
  for (std::size_t k = 0; k < ensemble.class_count(); ++k) names.push_back(ensemble.class_name(k));
  return fmt::format("classes: {}\n", fmt::join(names, ", "));
}

int run(const ModelFlags& flags) {
  const auto [ensemble, schema] = load_model(flags);
  const std::vector<Usage> usage = usage_of(ensemble);
  std::size_t width = 7;
  for (const FeatureSchema& feature : schema.features) {
    width = std::max(width, display_width(feature.name));
  }
  const bool titled = std::any_of(schema.features.begin(), schema.features.end(),
                                  [](const FeatureSchema& f) { return title_of(f) != f.name; });
  const auto line = [&](const std::string& name, const std::string& kind,
                        const std::string& thresholds, const std::string& trees,
                        const std::string& title) {
    const std::string start =
        fmt::format("{}   {:<11}   {:>10}   ", padded(name, width), kind, thresholds);
    return titled ? fmt::format("{}{:<11}   {}\n", start, trees, title) : start + trees + "\n";
  };
  Output output({}, false);
  output.write(summary(ensemble) + classes_line(ensemble) + "\n");
  output.write(line("feature", "kind", "thresholds", "used by", "title"));
  for (std::size_t i = 0; i < usage.size(); ++i) {
    const FeatureSchema& feature = schema.features[i];
    output.write(line(feature.name, kind_text(feature), grouped_count(usage[i].thresholds.size()),
                      plural(usage[i].trees, "tree"), title_of(feature)));
  }
  output.finish();
  return answered;
}

}  // namespace

Command add_inspect(CLI::App& program) {
  CLI::App* app = program.add_subcommand("inspect", "what a model holds");
  auto flags = std::make_shared<ModelFlags>();
  add_model_flags(*app, *flags);
  app->footer("Example:\n  boxwood inspect model.ubj");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace boxwood::cli
