// Counterfactuals on models that the real libraries trained: both engines against brute force from
// first principles, on as many features at once as brute force can take.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/read.hpp>
#include <boxwood/verify.hpp>

#include "oracle.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>

namespace fixtures_search_test {

using namespace boxwood;

std::vector<std::filesystem::path> fixtures() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path data = std::filesystem::path(BOXWOOD_SOURCE_DIR) / "tests/data";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Nothing for what is no model, or is refused: other tests are about those.
std::optional<Ensemble> read_if_model(const std::filesystem::path& file) {
  try {
    return read_model(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

class Drawn {
 public:
  Drawn(const Ensemble& model, std::mt19937_64& random) : model_(model), random_(random) {}

  /// A point at thresholds and categories, and a few features that may change.
  Query query() {
    std::vector<double> point(model_.features.size());
    for (std::size_t d = 0; d < point.size(); ++d) point[d] = value(d);
    Query query = query_for(model_, point);
    query.norm = below(3) == 0 ? Norm::l1 : Norm::squared_l2;
    std::vector<std::size_t> order(point.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      FeatureRule& rule = query.features[order[i]];
      rule.fixed = i >= 3 || std::isinf(static_cast<float>(point[order[i]]));
      rule.missing_allowed = below(4) == 0;
      if (below(3) == 0) rule.weight = 3;
    }
    query.requirements = {requirement(query)};
    return query;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  double value(std::size_t feature) {
    std::vector<double> marks{0, 1};
    for (const Tree& tree : model_.trees) {
      for (const Node& node : tree.nodes) {
        if (node.kind == NodeKind::leaf || node.feature != static_cast<std::int32_t>(feature)) {
          continue;
        }
        if (node.kind != NodeKind::in_set) marks.push_back(node.threshold);
        if (node.kind != NodeKind::in_set) continue;
        for (const std::int32_t code : tree.sets[static_cast<std::size_t>(node.value)]) {
          marks.push_back(code);
        }
      }
    }
    if (below(8) == 0) return std::numeric_limits<double>::quiet_NaN();
    const double mark = marks[below(marks.size())];
    return std::isfinite(mark) && std::abs(mark) < 1e30 ? mark : 0.0;
  }

  Requirement requirement(const Query& query) {
    const std::vector<double> outputs = model_.transform(model_.predict(query.point));
    if (model_.task != Task::regression) {
      const std::size_t now = model_.classify(model_.predict(query.point));
      const std::size_t other = (now + 1 + below(model_.class_count() - 1)) % model_.class_count();
      return require_class(other);
    }
    const double step = 0.05 * (1 + std::abs(outputs[0]));
    return below(2) == 0 ? require_output({.lower = outputs[0] + step})
                         : require_output({.upper = outputs[0] - step});
  }

  const Ensemble& model_;
  std::mt19937_64& random_;
};

/// Brute force over the predictions of a composition, which the tests of the fixtures compare with
/// those of the library.
std::optional<Oracle::Result> brute_force_of_composed(const Ensemble& model, const Query& query) {
  const Interval range = std::get<OutputIn>(query.requirements[0].outcome).range;
  Oracle::Result found;
  const auto see = [&](const std::vector<double>& point) {
    const double output = model.transform(model.predict(point)).at(0);
    const double cost = Oracle::cost_of(query, point);
    if (!(range.lower <= output && output <= range.upper) || cost > found.cost) return;
    if (cost < found.cost) found.points.clear();
    found.cost = cost;
    found.points.push_back(point);
  };
  if (!Oracle::visit({model}, query, 20'000, see)) return std::nullopt;
  return found;
}

/// The same question to brute force, which knows no thresholds: the model without its threshold,
/// and the raw score that the class needs.
std::optional<Oracle::Result> brute_force_of(const Ensemble& model, const Query& query) {
  if (model.link == Link::composed && !model.composition.threshold) {
    return brute_force_of_composed(model, query);
  }
  if (!model.composition.threshold) return Oracle::solve({model}, query, 20'000);
  const Member& member = model.composition.members.at(0);
  Ensemble plain = model;
  plain.composition = {};
  plain.accumulator = member.accumulator;
  plain.order = member.order;
  plain.factor = member.factor;
  plain.link = member.link;
  plain.link_form = member.link_form;
  plain.task = member.task;
  plain.decision = member.decision;
  const double least = model.composition.threshold->least;
  Query asked = query;
  const bool yes = std::get<ClassIs>(query.requirements[0].outcome).target == 1;
  asked.requirements = {{0, yes ? ScoreIn{{.lower = least}, 0}
                                : ScoreIn{{.upper = least, .upper_closed = false}, 0}}};
  return Oracle::solve({plain}, asked, 20'000);
}

TEST(FixturesSearch, AgreesWithBruteForceOnModelsOfEveryLibrary) {
  std::mt19937_64 random(test_seed());
  std::map<std::string, int> asked;  // of a library
  int optimal = 0, infeasible = 0;
  for (const std::filesystem::path& file : fixtures()) {
    const std::optional<Ensemble> model = read_if_model(file);
    if (!model || model->trees.empty() || model->features.empty()) continue;
    const Prepared prepared(*model);
    Drawn drawn(*model, random);
    for (int turn = 0; turn < 3; ++turn) {
      const Query query = drawn.query();
      const auto truth = brute_force_of(*model, query);
      if (!truth) continue;
      SCOPED_TRACE(testing::Message()
                   << file << ", turn " << turn << " of BOXWOOD_SEED=" << test_seed());
      for (const Engine engine : {Engine::fast, Engine::paper}) {
        Options options;
        options.engine = engine;
        options.threads = 1 + turn % 2;
        options.limits.nodes = engine == Engine::paper ? 20'000 : options.limits.nodes;
        const Answer answer = explain(prepared, query, options);
        if (answer.stop != Stop::finished) continue;
        EXPECT_EQ(answer.status, truth->points.empty() ? Status::infeasible : Status::optimal);
        EXPECT_TRUE(truth->points.empty() || answer.cost == truth->cost)
            << answer.cost << " instead of " << truth->cost;
        EXPECT_TRUE(verify(*model, query, answer, 8, 1).passed());
      }
      if (testing::Test::HasFailure()) return;
      ++asked[file.parent_path().parent_path().filename().string()];
      (truth->points.empty() ? infeasible : optimal) += 1;
    }
  }
  for (const auto& [library, count] : asked) std::cout << library << ": " << count << " queries\n";
  for (const char* library : {"catboost", "lightgbm", "onnx", "sklearn", "xgboost"}) {
    EXPECT_GT(asked[library], 20) << library;
  }
  EXPECT_GT(optimal, 100);
  EXPECT_GT(infeasible, 20);
}

}  // namespace fixtures_search_test
