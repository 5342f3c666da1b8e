// What a schema says about changes and their cost, its rules in words, and scales from data.
#include <boxwood/error.hpp>
#include <boxwood/query_text.hpp>

#include "error_of.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace boxwood {
namespace schema_rules_test {

const double missing = std::nan("");
constexpr double infinity = std::numeric_limits<double>::infinity();

Ensemble lender() {
  Ensemble ensemble = binary_model(3, {stump(0, 18, 1, -1)});
  ensemble.features[0].name = "duration";
  ensemble.features[1].name = "amount";
  ensemble.features[2].name = "purpose";
  return ensemble;
}

Schema read(const std::string& inside) {
  return schema_from_json("{\"boxwood_schema\": 1, " + inside + "}", "credit.json", lender());
}

std::string complaint(const std::string& inside) {
  return error_of([&] { read(inside); });
}

const char* const full = R"("features": [
  {"name": "duration", "direction": "down", "least_change": 3, "most_change": 12},
  {"name": "amount", "direction": "up", "cost_up": 3, "cost_down": 0.5, "quantiles": [1, 2, 2, 9]}
], "rules": ["amount step 100; cost l1", "if duration changes then amount does not rise"])";

TEST(SchemaRules, WhatChangesMayBeAndCostIsReadAndApplied) {
  const Schema schema = read(full);
  Query query = query_for(lender(), std::vector<double>{24, 5, 0});
  apply(schema, query);
  EXPECT_EQ(query.features[0].direction, Direction::down);
  EXPECT_EQ(query.features[0].least_change, 3);
  EXPECT_EQ(query.features[0].most_change, 12);
  EXPECT_EQ(query.features[1].direction, Direction::up);
  EXPECT_EQ(query.features[1].up, 3);
  EXPECT_EQ(query.features[1].down, 0.5);
  EXPECT_EQ(query.features[1].quantiles, (std::vector<double>{1, 2, 2, 9}));
  EXPECT_EQ(query.features[2], FeatureRule{});
  EXPECT_NO_THROW(validate(query, std::vector{lender()}));
}

TEST(SchemaRules, RulesInWordsAreForAddText) {
  const Schema schema = read(full);
  const std::vector<Ensemble> models{lender()};
  Query query = query_for(models[0], std::vector<double>{24, 5, 0});
  apply(schema, query);
  add_text(rule_texts(schema), models, schema, query);
  EXPECT_EQ(query.features[1].step, 100);
  EXPECT_EQ(query.norm, Norm::l1);
  EXPECT_EQ(query.clauses.size(), 1u);
}

TEST(SchemaRules, AreWrittenAsTheyWereRead) {
  const Schema schema = read(full);
  const std::string text = to_json(schema);
  const Schema again = schema_from_json(text, "again.json", lender());
  EXPECT_EQ(to_json(again), text);
  EXPECT_EQ(again.rules, schema.rules);
  EXPECT_EQ(again.features[0].most_change, 12);
  EXPECT_EQ(again.features[1].quantiles, schema.features[1].quantiles);
}

TEST(SchemaRules, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(complaint(R"("rules": ["fix duration", "amonut <= 5"])"),
            "credit.json: rules[1], column 1\n"
            "    amonut <= 5\n"
            "    ^ no feature \"amonut\". Did you mean \"amount\"?");
  EXPECT_EQ(complaint(R"("rules": ["want 1"])"),
            "credit.json: rules[0], column 1\n"
            "    want 1\n"
            "    ^ a wanted outcome is not allowed here, only rules and costs are");
  EXPECT_EQ(complaint(R"("rules": ["amount <= 5", "amount > 7"])"),
            "credit.json: rules[1], column 1\n"
            "    amount > 7\n"
            "    ^ it contradicts \"amount <= 5\" (credit.json: rules[0])");
  EXPECT_EQ(complaint(R"("features": [{"name": "amount", "direction": "sideways"}])"),
            "credit.json: features[0].direction: \"sideways\" is not one of: up, down");
  EXPECT_EQ(complaint(R"("features": [{"name": "amount", "least_change": -1}])"),
            "credit.json: features[0].least_change: must be a number ≥ 0");
  EXPECT_EQ(complaint(R"("features": [{"name": "amount", "least_change": 5, "most_change": 4}])"),
            "credit.json: features[0].most_change: must not be less than least_change. Fix the "
            "feature to allow "
            "no change");
  EXPECT_EQ(complaint(R"("features": [{"name": "amount", "quantiles": [3, 1]}])"),
            "credit.json: features[0].quantiles: must be at least two numbers in ascending order");
  EXPECT_EQ(complaint(R"("features": [{"name": "purpose", "kind": "categorical", "cost_up": 2}])"),
            "credit.json: features[0].cost_up: a categorical feature has no order, so it has no "
            "direction and no size of a change. List the allowed categories, or make the feature "
            "ordinal");
}

/// duration 2, 4, 4, 4, 5, 5, 7, 9; amount 1, 1, 1, 1, 1, 1, 1, 9; purpose always 3.
std::vector<std::vector<double>> rows() {
  return {{2, 1, 3}, {4, 1, 3}, {9, 1, 3}, {missing, infinity, 3}, {4, 1, 3}, {4, 1, 3},
          {5, 1, 3}, {5, 1, 3}, {7, 9, 3}};
}

std::vector<double> scales(Spread spread) {
  Schema schema = schema_for(lender());
  measure(schema, rows(), spread);
  std::vector<double> found;
  for (const FeatureSchema& feature : schema.features) {
    EXPECT_TRUE(feature.quantiles.empty());
    found.push_back(feature.scale);
  }
  return found;
}

TEST(Measure, SpreadsByHand) {
  EXPECT_EQ(scales(Spread::range), (std::vector<double>{7, 8, 1}));
  // Means 5 and 2; squares of the distances add up to 32 and 56.
  const std::vector<double> deviations = scales(Spread::deviation);
  EXPECT_NEAR(deviations[0], 2, 1e-12);
  EXPECT_NEAR(deviations[1], std::sqrt(7.0), 1e-12);
  EXPECT_EQ(deviations[2], 1);
  // The median of duration is 4.5, the distances 2.5 .5 .5 .5 .5 .5 2.5 4.5; of amount it is 0, so
  // the standard deviation counts.
  const std::vector<double> medians = scales(Spread::median_deviation);
  EXPECT_EQ(medians[0], 0.5);
  EXPECT_NEAR(medians[1], std::sqrt(7.0), 1e-12);
  EXPECT_EQ(medians[2], 1);
}

TEST(Measure, QuantilesByHand) {
  Schema schema = schema_for(lender());
  schema.features[0].scale = 12;
  std::vector<std::vector<double>> data;
  for (int i = 200; i >= 0; --i) data.push_back({i * 0.5, missing, 3});
  measure(schema, data, Spread::quantiles);
  ASSERT_EQ(schema.features[0].quantiles.size(), 101u);
  for (int k = 0; k <= 100; ++k) EXPECT_NEAR(schema.features[0].quantiles[k], k, 1e-9);
  EXPECT_EQ(schema.features[0].scale, 1);
  EXPECT_TRUE(schema.features[1].quantiles.empty()) << "there are no values";
  EXPECT_TRUE(schema.features[2].quantiles.empty()) << "they do not spread";
}

TEST(Measure, CategoriesAreLeftAlone) {
  Schema schema = schema_for(lender());
  schema.features[0].kind = FeatureKind::categorical;
  schema.features[0].scale = 5;
  measure(schema, rows(), Spread::range);
  EXPECT_EQ(schema.features[0].scale, 5);
}

TEST(Measure, HugeAndTinyNumbersGiveScalesThatAQueryTakes) {
  const std::vector<std::vector<double>> extreme{{1e308, 1e-300, 0}, {-1e308, 2e-300, 5e-324}};
  for (const Spread spread :
       {Spread::range, Spread::deviation, Spread::median_deviation, Spread::quantiles}) {
    Schema schema = schema_for(lender());
    measure(schema, extreme, spread);
    Query query = query_for(lender(), std::vector<double>{1, 2, 3});
    apply(schema, query);
    EXPECT_NO_THROW(validate(query, std::vector{lender()}));
  }
}

}  // namespace schema_rules_test
}  // namespace boxwood
