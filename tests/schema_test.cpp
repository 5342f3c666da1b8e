// A schema file says what columns mean; a mistake in it is named with file, path and remedy.
#include <boxwood/error.hpp>
#include <boxwood/schema.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

namespace boxwood {
namespace {

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
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
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
            "credit.json: features[1].name: \"age\" is there twice");
}

TEST(SchemaErrors, OneHotGroupsAreRefusedNotIgnored) {
  EXPECT_EQ(feature_complaint(R"({"name": "age", "kind": "one_hot"})"),
            "credit.json: features[0].kind: one-hot groups are not supported yet. Hold the "
            "columns of the group fixed, or leave their kind out");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "group": "colour"})"),
            "credit.json: features[0].group: one-hot groups are not supported yet. Hold the "
            "columns of the group fixed, and leave the group out");
}

TEST(SchemaErrors, KindsLabelsAndRangesMustFit) {
  EXPECT_EQ(feature_complaint(R"({"name": "age", "kind": "intger"})"),
            "credit.json: features[0].kind: no kind \"intger\". Did you mean \"integer\"?");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "labels": ["young", "old"]})"),
            "credit.json: features[0].labels: only ordinal and categorical features have labels. "
            "Add \"kind\": \"ordinal\" or \"kind\": \"categorical\"");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "kind": "ordinal", "labels": ["a", "a"]})"),
            "credit.json: features[0].labels[1]: \"a\" is there twice");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "range": [5, 4]})"),
            "credit.json: features[0].range: the lowest value is above the highest");
  EXPECT_EQ(feature_complaint(R"({"name": "age", "range": [5]})"),
            "credit.json: features[0].range: must be two ends: [lowest, highest]");
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
  try {
    read_schema("no_such_folder/schema.json", lender());
    FAIL() << "a missing file was read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "no_such_folder/schema.json: no such file. Check the path of the schema");
  }
}

}  // namespace
}  // namespace boxwood
