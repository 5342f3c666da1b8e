// A gate on the work of a search: fixed queries, one thread, counted nodes and leaf visits. Counts
// are the same on every machine, so a change that makes the engine do more work fails here before a
// benchmark shows it. CONTRIBUTING.md tells how to update tests/data/work.json.
#include <boxwood/explain.hpp>
#include <boxwood/read.hpp>
#include <boxwood/schema.hpp>

#include "search/engine_settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace work_gate_test {

using namespace boxwood;
using Json = nlohmann::ordered_json;

const std::filesystem::path root = BOXWOOD_SOURCE_DIR;
const std::filesystem::path file = root / "tests/data/work.json";

/// Whether a count has not grown by more than 10 %.
bool within_gate(std::uint64_t now, std::uint64_t before) { return 10 * now <= 11 * before; }

Norm norm_named(const std::string& name) {
  if (name == "l1") return Norm::l1;
  if (name == "l0") return Norm::l0;
  if (name == "linf") return Norm::linf;
  EXPECT_EQ(name, "squared_l2");
  return Norm::squared_l2;
}

/// Each feature at the middle one of the thresholds that the model compares it with.
std::vector<double> middle_point(const Ensemble& model) {
  std::vector<std::vector<double>> thresholds(model.features.size());
  for (const Tree& tree : model.trees) {
    for (const Node& node : tree.nodes) {
      if (node.kind == NodeKind::leaf || node.kind == NodeKind::in_set) continue;
      thresholds[static_cast<std::size_t>(node.feature)].push_back(node.threshold);
    }
  }
  std::vector<double> point;
  for (std::vector<double>& list : thresholds) {
    std::sort(list.begin(), list.end());
    point.push_back(list.empty() ? 0.0 : list[list.size() / 2]);
  }
  return point;
}

/// The next class; for a number, one that is a little larger.
Requirement something_else(const Ensemble& model, const std::vector<double>& point) {
  const std::vector<double> scores = model.predict(point);
  if (model.task != Task::regression) {
    return require_class((model.classify(scores) + 1) % model.class_count());
  }
  const double now = model.transform(scores)[0];
  return require_output({.lower = now + 0.05 * (1 + std::abs(now))});
}

Query query_of(const Json& entry, const Ensemble& model) {
  const std::vector<double> point =
      entry.contains("point") ? entry["point"].get<std::vector<double>>() : middle_point(model);
  Query query = query_for(model, point);
  if (entry.contains("schema")) {
    apply(read_schema(root / entry["schema"].get<std::string>(), model), query);
  }
  query.norm = norm_named(entry["norm"]);
  if (entry.contains("max_changes")) query.max_changes = entry["max_changes"].get<std::size_t>();
  if (entry.contains("wanted")) {
    std::optional<double> probability;
    if (entry.contains("probability")) probability = entry["probability"].get<double>();
    query.requirements = {require_class(entry["wanted"].get<std::size_t>(), probability)};
  } else {
    query.requirements = {something_else(model, point)};
  }
  return query;
}

TEST(WorkGate, ElevenPercentMoreFails) {
  EXPECT_TRUE(within_gate(1100, 1000));
  EXPECT_FALSE(within_gate(1101, 1000));
  EXPECT_FALSE(within_gate(1110, 1000));
  EXPECT_TRUE(within_gate(900, 1000));
}

TEST(WorkGate, NoQueryTakesMuchMoreWorkThanBefore) {
  Json entries = Json::parse(std::ifstream(file));
  for (Json& entry : entries) {
    SCOPED_TRACE(entry["name"].get<std::string>());
    const Ensemble model = read_model(root / entry["model"].get<std::string>());
    const Query query = query_of(entry, model);
    std::atomic<std::uint64_t> leaf_visits{0};
    Options options;
    options.threads = 1;
    options.engine = entry.value("engine", "fast") == "paper" ? Engine::paper : Engine::fast;
    EngineSettings settings;
    settings.leaf_visits = &leaf_visits;
    set(options, settings);
    const Answer answer = explain(model, query, options);
    EXPECT_EQ(answer.status, Status::optimal);
    EXPECT_FALSE(answer.already_met) << "a query without work measures nothing";
    EXPECT_GT(leaf_visits.load(), 0U);
    const auto within = [&](const char* what, std::uint64_t now) {
      const auto before = entry[what].get<std::uint64_t>();
      EXPECT_TRUE(within_gate(now, before))
          << what << " have risen from " << before << " to " << now
          << ". If the change is worth it, update "
          << "tests/data/work.json: BOXWOOD_WRITE_WORK=1 work_gate_test";
    };
    if (std::getenv("BOXWOOD_WRITE_WORK")) {
      entry["nodes"] = answer.statistics.nodes;
      entry["leaf_visits"] = leaf_visits.load();
    } else {
      within("nodes", answer.statistics.nodes);
      within("leaf_visits", leaf_visits.load());
    }
  }
  if (!std::getenv("BOXWOOD_WRITE_WORK")) return;
  std::ofstream out(file);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out << (i == 0 ? "[\n" : ",\n") << entries[i].dump();
  }
  out << "\n]\n";
}

}  // namespace work_gate_test
