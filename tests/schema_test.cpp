// A schema file says what columns mean; a mistake in it is named with file, path and remedy.
#include <boxwood/error.hpp>
#include <boxwood/schema.hpp>

#include "error_of.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

namespace boxwood {
namespace schema_test {

/// Two classes, features "duration", "savings" and "age"; no tree is needed to read a schema.
Ensemble lender() {
  Ensemble ensemble;
  ensemble.features = {{"duration"}, {"savings"}, {"age"}};
  ensemble.base = {0.0};
  ensemble.link = Link::sigmoid;
  ensemble.task = Task::binary;
  return ensemble;
}

Schema read(const std::string& text) { return schema_from_json(text, "credit.json", lender()); }

std::string complaint(const std::string& text) {
  return error_of([&] { read(text); });
}

std::string feature_complaint(const std::string& entry) {
  return complaint(R"({"boxwood_schema": 1, "features": [)" + entry + "]}");
}

const char* const full = R"({
  "boxwood_schema": 1,
  "subject": "applicant",
  "outcome": "credit",
  "classes": ["refused", "granted"],
  "output_unit": "DM",
  "features": [
    {"name": "savings", "title": "savings account", "kind": "ordinal",
     "labels": ["none", "little", "much"], "range": ["little", null], "weight": 2},
    {"name": "duration", "kind": "integer", "unit": "months", "range": [4, 72], "scale": 12,
     "fixed": true}
  ]
})";

TEST(Schema, LabelsSayWhichCategoriesThereAre) {
  // The model's splits name codes 0 and 1 and it knows no names; the schema knows two more.
  Ensemble model = binary_model(1, {stump(0, 0.5, -1, 1)});
  model.features[0].kind = FeatureKind::categorical;
  model.features[0].categories = {{0, ""}, {1, ""}};
  Schema schema = schema_for(model);
  Query query = query_for(model, std::vector{0.0});
  apply(schema, query);
  EXPECT_EQ(query.features[0].allowed, (std::vector{0.0, 1.0}));
  schema.features[0].labels = {"car", "tv", "kitchen", "boat"};
  schema.features[0].range = {0, 3};
  apply(schema, query);
  EXPECT_TRUE(query.features[0].allowed.empty());
  EXPECT_EQ(query.features[0].range, (Interval{0, 3}));
  model.features[0].categories = {{0, "car"}, {1, "tv"}};  // named: these are all
  query = query_for(model, std::vector{0.0});
  apply(schema_for(model), query);
  EXPECT_EQ(query.features[0].allowed, (std::vector{0.0, 1.0}));
}

TEST(Schema, EverythingInTheFileIsRead) {
  const Schema schema = read(full);
  EXPECT_EQ(schema.subject, "applicant");
  EXPECT_EQ(schema.outcome, "credit");
  EXPECT_EQ(schema.output_unit, "DM");
  EXPECT_EQ(schema.classes, (std::vector<std::string>{"refused", "granted"}));
  ASSERT_EQ(schema.features.size(), 3u);
  const FeatureSchema& duration = schema.features[0];
  EXPECT_EQ(duration.kind, FeatureKind::integer);
  EXPECT_EQ(duration.unit, "months");
  EXPECT_EQ(duration.range, (Interval{4, 72}));
  EXPECT_EQ(duration.scale, 12);
  EXPECT_TRUE(duration.fixed);
  const FeatureSchema& savings = schema.features[1];
  EXPECT_EQ(savings.title, "savings account");
  EXPECT_EQ(savings.kind, FeatureKind::ordinal);
  EXPECT_EQ(savings.labels, (std::vector<std::string>{"none", "little", "much"}));
  EXPECT_EQ(savings.range, (Interval{1, 2}));
  EXPECT_EQ(savings.weight, 2);
}

TEST(Schema, FeaturesThatAreNotMentionedKeepTheModelsDefaults) {
  const Schema schema = read(full);
  const FeatureSchema& age = schema.features[2];
  EXPECT_EQ(age.name, "age");
  EXPECT_EQ(age.kind, FeatureKind::continuous);
  EXPECT_EQ(age.range, Interval{});
  EXPECT_EQ(age.weight, 1);
  EXPECT_EQ(age.scale, 1);
  EXPECT_FALSE(age.fixed);
}

TEST(Schema, LabelsLimitTheRangeToTheirCodes) {
  const Schema schema = read(
      R"({"boxwood_schema": 1, "features": [{"name": "savings", "kind": "categorical",
          "labels": ["none", "little", "much"]}]})");
  EXPECT_EQ(schema.features[1].range, (Interval{0, 2}));
}

TEST(Schema, WrittenAndReadAgainItIsTheSame) {
  const Schema schema = read(full);
  const std::string text = to_json(schema);
  EXPECT_EQ(to_json(read(text)), text);
  EXPECT_EQ(read(text).features[0].range, schema.features[0].range);
  EXPECT_EQ(read(text).features[1].labels, schema.features[1].labels);
}

TEST(Schema, WhatScalesAreIsReadWrittenAndNamedInTheQuery) {
  const Ensemble model = lender();
  const auto name = [&](const std::string& said) {
    const Schema schema = read(R"({"boxwood_schema": 1, "scaled": )" + said + "}");
    EXPECT_EQ(to_json(read(to_json(schema))), to_json(schema));
    Query query = query_for(model, std::vector<double>(model.features.size(), 0.0));
    apply(schema, query);
    EXPECT_EQ(query.norm == Norm::mixture, said != "false");
    return query.scale_name;
  };
  EXPECT_EQ(name("\"range\""), "range");
  EXPECT_EQ(name("\"deviation\""), "standard deviation");
  EXPECT_EQ(name("\"mad\""), "median deviation");
  EXPECT_EQ(name("true"), "");
  EXPECT_EQ(name("false"), "");
  EXPECT_EQ(complaint(R"({"boxwood_schema": 1, "scaled": "foot"})"),
            "credit.json: scaled: no scale \"foot\". Write true, false, range, deviation, mad or "
            "quantiles");
}

TEST(Schema, AppliesToModelAndQuery) {
  const Schema schema = read(full);
  Ensemble ensemble = lender();
  apply(schema, ensemble);
  EXPECT_EQ(ensemble.class_name(1), "granted");

  const std::vector<double> point = {24, 1, 30};
  Query query = query_for(ensemble, point);
  apply(schema, query);
  EXPECT_TRUE(query.features[0].fixed);
  EXPECT_EQ(query.features[0].kind, FeatureKind::integer);
  EXPECT_EQ(query.features[0].scale, 12);
  EXPECT_EQ(query.features[1].range, (Interval{1, 2}));
  EXPECT_EQ(query.features[1].weight, 2);
  EXPECT_FALSE(query.features[2].fixed);
}

TEST(Schema, AnotherModelsSchemaIsRefused) {
  Schema schema = schema_for(lender());
  schema.features.pop_back();
  const std::vector<double> point = {24, 1, 30};
  Query query = query_for(lender(), point);
  EXPECT_THROW(apply(schema, query), Error);
  schema.classes = {"one"};
  Ensemble ensemble = lender();
  EXPECT_THROW(apply(schema, ensemble), Error);
}

TEST(SchemaErrors, UnknownKeysNameTheNearest) {
  EXPECT_EQ(complaint(R"({"boxwood_schema": 1, "clases": []})"),
            "credit.json: no key \"clases\". Did you mean \"classes\"?");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "fixd": true})"),
            "credit.json: features[0]: no key \"fixd\". Did you mean \"fixed\"?");
}

TEST(SchemaErrors, UnknownFeaturesNameTheNearest) {
  EXPECT_EQ(feature_complaint(R"({"name": "duratoin"})"),
            "credit.json: features[0].name: the model has no feature \"duratoin\". "
            "Did you mean \"duration\"?");
  EXPECT_EQ(feature_complaint(R"({"name": "age"}, {"name": "age"})"),
            "credit.json: features[1].name: \"age\" is given twice");
}

TEST(Schema, WhatAValueMayBecomeIsReadAndWrittenBack) {
  const Schema schema = read(R"({"boxwood_schema": 1, "features": [
    {"name": "duration", "kind": "integer", "step": 6, "missing_allowed": true},
    {"name": "savings", "kind": "categorical", "labels": ["none", "little", "much"],
     "allowed": ["much", "none"], "changes": [[0, 1, 3], [1, 0, 2], [null, 1, 0]]}]})");
  const Schema again = read(to_json(schema));
  for (const Schema& read_schema : {schema, again}) {
    EXPECT_EQ(read_schema.features[0].step, 6);
    EXPECT_TRUE(read_schema.features[0].missing_allowed);
    EXPECT_EQ(read_schema.features[1].allowed, (std::vector<double>{0, 2}));
    EXPECT_EQ(read_schema.features[1].changes[0][2], 3);
    EXPECT_TRUE(std::isinf(read_schema.features[1].changes[2][0]));
  }
  Query query = query_for(lender(), std::vector{12.0, 0.0, 30.0});
  apply(schema, query);
  EXPECT_EQ(query.features[0].step, 6);
  EXPECT_EQ(query.features[1].allowed, (std::vector<double>{0, 2}));
  EXPECT_EQ(term_cost(query, 1, 2), 9);  // squared, as every change is
}

TEST(Schema, OneHotColumnsAreOneGroup) {
  const char* const text = R"({"boxwood_schema": 1, "one_hot": [
    {"title": "home", "columns": ["savings", "age"], "labels": ["rent", "own"], "weight": 2}]})";
  const Schema again = read(to_json(read(text)));
  ASSERT_EQ(again.groups.size(), 1U);
  EXPECT_EQ(again.groups[0].title, "home");
  EXPECT_EQ(again.groups[0].labels, (std::vector<std::string>{"rent", "own"}));
  Query query = query_for(lender(), std::vector{12.0, 0.0, 1.0});
  apply(again, query);
  EXPECT_EQ(query.groups, (std::vector<OneHot>{{{1, 2}, 2, false}}));
  EXPECT_EQ(total_cost(query, std::vector{12.0, 1.0, 0.0}), 2);
  EXPECT_TRUE(std::isinf(total_cost(query, std::vector{12.0, 1.0, 1.0})));
}

TEST(Schema, LabelsOfTheModelNeedNoFile) {
  Ensemble model = lender();
  model.features[1].kind = FeatureKind::categorical;
  model.features[1].categories = {{0, "none"}, {1, "little"}};
  EXPECT_EQ(schema_for(model).features[1].labels, (std::vector<std::string>{"none", "little"}));
  model.features[1].categories = {{3, "none"}, {7, "little"}};  // no label for code 0
  EXPECT_TRUE(schema_for(model).features[1].labels.empty());
}

TEST(SchemaErrors, TheModelsOwnNamesKeepTheirPlaces) {
  Ensemble model = lender();
  model.classes = {"no", "yes"};
  model.features[1].kind = FeatureKind::categorical;
  model.features[1].categories = {{0, "high"}, {1, "low"}, {2, "mid"}};
  const auto said = [&](const std::string& more) -> std::string {
    return error_of(
        [&] { schema_from_json(R"({"boxwood_schema": 1, )" + more + "}", "s.json", model); }, {});
  };
  const auto labels = [&](const std::string& list) {
    return said(R"("features": [{"name": "savings", "kind": "ordinal", "labels": )" + list + "}]");
  };
  EXPECT_EQ(
      labels(R"(["low", "mid", "high"])"),
      "s.json: \"low\" is the model's name for \"savings\", code 1, not for 0. Keep the model's "
      "order, or give other names");
  EXPECT_EQ(labels(R"(["high", "low", "mid"])"), "");
  EXPECT_EQ(labels(R"(["much", "little", "some"])"), "") << "renamed";
  EXPECT_EQ(labels(R"(["high", "low", "mid", "none"])"), "") << "one more";
  EXPECT_EQ(
      said(R"("classes": ["yes", "no"])"),
      "s.json: \"yes\" is the model's name for class 1, not for 0. Keep the model's order, or "
      "give other names");
  EXPECT_EQ(said(R"("classes": ["refused", "granted"])"), "");
}

TEST(SchemaErrors, GroupsListsAndTablesMustFit) {
  const auto groups = [](const std::string& entry) {
    return complaint(R"({"boxwood_schema": 1, "one_hot": [)" + entry + "]}");
  };
  EXPECT_EQ(feature_complaint(R"({"name": "age", "kind": "one_hot"})"),
            "credit.json: features[0].kind: one-hot is not a kind; one-hot columns form a group of "
            "the schema. "
            "List them: \"one_hot\": [{\"title\": …, \"columns\": […]}]");
  EXPECT_EQ(groups(R"({"columns": ["agee"]})"),
            "credit.json: one_hot[0].columns[0]: the model has no feature \"agee\". Did you mean "
            "\"age\"?");
  EXPECT_EQ(groups(R"({"columns": ["age", "age"]})"),
            "credit.json: one_hot[0].columns[1]: this column is in another group as well");
  EXPECT_EQ(groups(R"({"columns": []})"), "credit.json: one_hot[0].columns: must not be empty");
  EXPECT_EQ(groups(R"({"columns": ["age"], "labels": ["a", "b", "c"]})"),
            "credit.json: one_hot[0].labels: 3 labels for 1 columns. Give one for each column, and "
            "one more for the category without a column");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "changes": [[0]]})"),
            "credit.json: features[0].changes: only categorical features have a table of changes. "
            "Add \"kind\": \"categorical\"");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "kind": "categorical", "changes": [[0, 1]]})"),
            "credit.json: features[0].changes[0]: must have as many entries as there are rows");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "allowed": []})"),
            "credit.json: features[0].allowed: must not be empty. Fix the feature to allow no "
            "change");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "step": 0})"),
            "credit.json: features[0].step: must be a number above 0");
}

TEST(SchemaErrors, KindsLabelsAndRangesMustFit) {
  EXPECT_EQ(feature_complaint(R"({"name": "age", "kind": "intger"})"),
            "credit.json: features[0].kind: no kind \"intger\". Did you mean \"integer\"?");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "labels": ["young", "old"]})"),
            "credit.json: features[0].labels: only ordinal and categorical features have labels. "
            "Add \"kind\": \"ordinal\" or \"kind\": \"categorical\"");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "kind": "ordinal", "labels": ["a", "a"]})"),
            "credit.json: features[0].labels[1]: \"a\" is given twice");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "range": [5, 4]})"),
            "credit.json: features[0].range: the lowest value is greater than the highest");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "range": [5]})"),
            "credit.json: features[0].range: must be a list of two values: [lowest, highest]");
  EXPECT_EQ(
      feature_complaint(R"({"name": "age", "kind": "ordinal", "labels": ["a"], "range": [0, 1]})"),
      "credit.json: features[0].range: goes beyond the 1 labels. Codes run from 0 to 0");
  EXPECT_EQ(feature_complaint(
                R"({"name": "age", "kind": "ordinal", "labels": ["low"], "range": ["lov", null]})"),
            "credit.json: features[0].range[0]: no label \"lov\". Did you mean \"low\"?");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "scale": 0})"),
            "credit.json: features[0].scale: must be a number above 0");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "weight": -1})"),
            "credit.json: features[0].weight: must be a number above 0");
}

TEST(SchemaErrors, ClassesMustFitTheModel) {
  EXPECT_EQ(complaint(R"({"boxwood_schema": 1, "classes": ["a", "b", "c"]})"),
            "credit.json: classes: 3 labels for a model of 2 classes. Give one label for each "
            "class, in the order of their numbers");
}

TEST(SchemaErrors, OtherFilesAreNotSchemas) {
  EXPECT_EQ(complaint("{}"),
            "credit.json: is not a schema file. Start it with \"boxwood_schema\": 1");
  EXPECT_EQ(complaint(R"({"boxwood_schema": 2})"),
            "credit.json: boxwood_schema: version 2 is not known. This program reads version 1");
  EXPECT_NE(complaint("{\"boxwood_schema\": 1,").find("credit.json, byte "), std::string::npos);
  EXPECT_EQ(error_of([] { read_schema("no_such_folder/schema.json", lender()); }),
            "no_such_folder/schema.json: no such file. Check the path of the schema");
}

}  // namespace schema_test
}  // namespace boxwood
