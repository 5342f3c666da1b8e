// Questions that make no sense are refused in words; the others cost and mean what they say.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/query_text.hpp>
#include <boxwood/schema.hpp>
#include <boxwood/verify.hpp>

#include "error_of.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace query_test {

using namespace boxwood;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

const Ensemble& model() {
  static const Ensemble ensemble =
      binary_model(2, {stump(0, 0.5, -1, 1), stump(1, 0.5, -0.25, 0.25)});
  return ensemble;
}

Query good_query() {
  Query query = query_for(model(), std::vector{0.0, 0.0});
  query.requirements = {require_class(1)};
  return query;
}

std::string error_after(const std::function<void(Query&)>& spoil) {
  Query query = good_query();
  spoil(query);
  return error_of([&] { explain(model(), query); });
}

TEST(Query, NonsenseIsRefusedInWords) {
  EXPECT_EQ(error_after([](Query&) {}), "no error");
  EXPECT_EQ(error_after([](Query& q) { q.point.pop_back(); }),
            "point: 1 values, but the model has 2 features");
  EXPECT_EQ(error_after([](Query& q) { q.features.pop_back(); }),
            "query: 1 feature rules, but the model has 2 features");
  EXPECT_EQ(error_after([](Query& q) { q.requirements.clear(); }),
            "query: nothing is required. Give at least one requirement");
  EXPECT_EQ(error_after([](Query& q) { q.requirements = {require_class(2)}; }),
            "wanted outcome: class 2 does not exist; the model has 2 classes");
  EXPECT_EQ(error_after([](Query& q) { q.requirements = {require_class(1, 1.5)}; }),
            "wanted outcome: probability 1.5 must be a number from 0 to 1. Write 0.8 for 80 %");
  EXPECT_EQ(error_after([](Query& q) { q.requirements = {require_class(1, missing)}; }),
            "wanted outcome: probability nan must be a number from 0 to 1. Write 0.8 for 80 %");
  EXPECT_EQ(error_after([](Query& q) { q.requirements[0].ensemble = 1; }),
            "wanted outcome: model 1 does not exist");
  EXPECT_EQ(error_after([](Query& q) { q.requirements = {require_output({}, 1)}; }),
            "wanted outcome: output 1 does not exist; the model has 1");
  EXPECT_EQ(
      error_after([](Query& q) { q.requirements = {require_output({.lower = 2, .upper = 1})}; }),
      "wanted outcome: the range from 2 to 1 is empty. Give the smaller end first");
  for (const double weight : {missing, 0.0, -1.0, infinity, 1e-31, 1e31}) {
    EXPECT_NE(error_after([&](Query& q) {
                q.features[1].weight = weight;
              }).find("feature \"f1\": weight"),
              std::string::npos);
    EXPECT_NE(
        error_after([&](Query& q) { q.features[1].scale = weight; }).find("feature \"f1\": scale"),
        std::string::npos);
  }
  EXPECT_EQ(error_after([](Query& q) { q.point[0] = infinity; }),
            "feature \"f0\": the value inf is infinite, so a change has no cost. "
            "Fix the feature or give a finite value");
  EXPECT_NE(error_after([](Query& q) { q.point[0] = 1e300; }), "no error");
  EXPECT_EQ(error_after([](Query& q) {
              q.point[0] = infinity;
              q.features[0].fixed = true;
            }),
            "no error");
}

TEST(Query, LimitsAreReadInThePrecisionOfTheModel) {
  // Class 1 from the float32 nearest to 0.3 on, which is larger than 0.3.
  const double third = static_cast<double>(0.3F);
  Ensemble single = binary_model(1, {stump(0, third, -1, 1)});
  Query query = query_for(single, std::vector{0.0});
  query.requirements = {require_class(1)};
  Query in_words = query;
  query.features[0].range = {0, 0.3};
  add_text("f0 <= 0.3; f0 >= 0", "text", std::span(&single, 1), schema_for(single), in_words);
  Query schema_says = in_words;
  schema_says.features[0].range = {};
  schema_says.clauses = {{{{0, {0, 0.3}, true, false, {}}}}};
  for (const Query& asked : {query, in_words, schema_says}) {
    const Answer answer = explain(single, asked);
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.solutions.front().point.front(), third);
    EXPECT_EQ(verify(std::span(&single, 1), asked, answer).faults, std::vector<std::string>{});
  }
  query.features[0].range.upper_closed = false;
  EXPECT_EQ(explain(single, query).status, Status::infeasible);
  single.input = Precision::float64;  // here 0.3 is less than the threshold
  query.features[0].range = {0, 0.3};
  EXPECT_EQ(explain(single, query).status, Status::infeasible);
}

TEST(Query, TheDefaultCostIsL1WithAPriceForEachChangeWhereScalesAreKnown) {
  Schema schema = schema_for(model());
  Query query = good_query();
  apply(schema, query);
  EXPECT_EQ(query.norm, Norm::squared_l2);
  const auto mixed = [&](const Schema& known) {
    Query made = good_query();
    apply(known, made);
    return made.norm == Norm::mixture && made.mixture == Mixture{0, 1, 0.1};
  };
  EXPECT_TRUE(mixed(schema_from_json(
      R"({"boxwood_schema": 1, "features": [{"name": "f0", "scale": 1}]})", "s", model())));
  // Also where every range is 1, and after writing and reading the schema.
  measure(schema, std::vector<std::vector<double>>{{0, 0}, {1, 1}}, Spread::range);
  EXPECT_TRUE(mixed(schema));
  EXPECT_TRUE(mixed(schema_from_json(to_json(schema), "s", model())));
}

TEST(Query, ARegressionModelHasNoClasses) {
  Ensemble regression = model();
  regression.task = Task::regression;
  EXPECT_EQ(error_of([&] { explain(regression, good_query()); }),
            "wanted outcome: a regression model has no classes. Ask for a range of its output");
}

TEST(Query, APointThatIsThereAlreadyCostsNothing) {
  Query query = good_query();
  query.point = {1, 1};
  const Answer answer = explain(model(), query);
  EXPECT_EQ(answer.status, Status::optimal);
  EXPECT_TRUE(answer.already_met);
  EXPECT_EQ(answer.cost, 0);
  EXPECT_EQ(answer.best().point, query.point);
  EXPECT_EQ(answer.output_before, answer.output_after);
}

TEST(Query, TheNearestFloatAcrossTheThresholdIsTheAnswer) {
  // Right of `x < 0.5` begins at 0.5 itself; left of it ends at the float32 before.
  const Answer up = explain(model(), good_query());
  EXPECT_EQ(up.best().point, (std::vector<double>{0.5, 0.0}));
  EXPECT_EQ(up.cost, 0.25);
  EXPECT_EQ(up.distance, 0.5);
  EXPECT_EQ(up.best().region[0], (Interval{0.5, infinity, true, false}));
  EXPECT_EQ(up.best().region[1], (Interval{-infinity, 0.5, false, false}));
  Query query = query_for(model(), std::vector{0.75, 0.0});
  query.requirements = {require_class(0)};
  EXPECT_EQ(explain(model(), query).best().point[0],
            static_cast<double>(std::nextafter(0.5F, 0.0F)));
}

TEST(Query, WholeNumbersStayWhole) {
  const Ensemble wide = binary_model(1, {stump(0, 19.5F, 1, -1)});
  Query query = query_for(wide, std::vector{24.0});
  query.requirements = {require_class(1)};
  query.features[0].kind = FeatureKind::integer;
  EXPECT_EQ(explain(wide, query).best().point[0], 19);
  query.features[0].range = {.lower = 19, .upper = 100, .lower_closed = false};
  EXPECT_EQ(explain(wide, query).status, Status::infeasible);
}

TEST(Query, CategoriesCostTheSameHoweverFar) {
  Query query = good_query();
  query.features[0].kind = FeatureKind::categorical;
  query.features[0].weight = 3;
  query.features[0].scale = 100;
  const Answer answer = explain(model(), query);
  EXPECT_EQ(answer.best().point[0], 1);
  EXPECT_EQ(answer.cost, 3);
}

TEST(Query, FixedFeaturesAndWeightsChangeTheWayOut) {
  // Either both features or the first alone.
  const Ensemble two = binary_model(
      2, {stump(0, 0.5, -1, 1), stump(1, 0.25, -1, 1.5), stump(1, 0.75, -0.25, 2)}, -0.25);
  Query query = query_for(two, std::vector{0.0, 0.0});
  query.requirements = {require_class(1)};
  const Answer free = explain(two, query);
  query.features[1].fixed = true;
  const Answer fixed = explain(two, query);
  EXPECT_EQ(fixed.status, Status::infeasible);
  query.features[1].fixed = false;
  query.features[0].fixed = true;
  const Answer other = explain(two, query);
  EXPECT_EQ(other.best().point, (std::vector<double>{0, 0.75}));
  EXPECT_LT(free.cost, other.cost);
}

TEST(Query, AMissingValueStaysMissing) {
  Query query = good_query();
  query.point[1] = missing;
  const Answer answer = explain(model(), query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_TRUE(std::isnan(answer.best().point[1]));
  EXPECT_TRUE(std::isnan(answer.best().region[1].lower));
}

TEST(Query, AnOwnCostThatMakesNoSenseIsRefused) {
  const auto error_of = [](double near, double far) {
    return error_after([&](Query& query) {
      query.norm = Norm::custom;
      query.features[1].fixed = true;
      query.term = [=](std::size_t, double, double to) { return to < 0 ? near : far; };
    });
  };
  EXPECT_EQ(error_of(1, 1), "no error");
  EXPECT_EQ(error_of(1, infinity), "no error");
  EXPECT_NE(error_of(1, missing).find("cost: it is nan for feature 0"), std::string::npos);
  EXPECT_NE(error_of(1, -1).find("cost: it is -1 for feature 0 from 0 to 0.5"), std::string::npos);
}

TEST(Query, AnOwnCostThatFallsIsRefused) {
  const Ensemble ensemble = binary_model(1, {stump(0, 1, -1, -0.5), stump(0, 2, -1, 2)});
  Query query = query_for(ensemble, std::vector{0.0});
  query.requirements = {require_class(1)};
  query.norm = Norm::custom;
  query.term = [](std::size_t, double, double to) { return to < 2 ? 3.0 : 2.0; };
  EXPECT_THROW(explain(ensemble, query), Error);
  query.term = [](std::size_t, double, double to) { return to < 2 ? 2.0 : 2.0; };
  EXPECT_EQ(explain(ensemble, query).best().point[0], 2.0);
}

TEST(Query, HalfOpenRangesAreHonoured) {
  Ensemble regression = model();
  regression.task = Task::regression;
  regression.link = Link::identity;
  Query query = query_for(regression, std::vector{0.0, 0.0});
  query.requirements = {require_output({.lower = 0.75, .upper = 1.25, .upper_closed = false})};
  EXPECT_EQ(explain(regression, query).output_after[0][0], 0.75);
  query.requirements = {
      require_output({.lower = 0.75, .upper = 1.25, .lower_closed = false, .upper_closed = false})};
  EXPECT_EQ(explain(regression, query).status, Status::infeasible);
  query.requirements = {require_output({.lower = 0.75, .lower_closed = false})};
  EXPECT_EQ(explain(regression, query).output_after[0][0], 1.25);
}

TEST(Query, ProbabilityZeroOrOneMeansWhatItSays) {
  Query query = good_query();
  query.requirements = {require_class(1, 0.0)};
  EXPECT_TRUE(explain(model(), query).already_met);
  query.requirements = {require_class(1, 1.0)};
  EXPECT_EQ(explain(model(), query).status, Status::infeasible);
}

TEST(Query, ScoresThatOverflowAlikeAreLevel) {
  constexpr double huge = std::numeric_limits<float>::max();
  Ensemble ensemble = model();  // both scores overflow beyond 0.5
  ensemble.task = Task::multiclass;
  ensemble.link = Link::softmax;
  ensemble.base = {huge, huge};
  ensemble.trees = {stump(0, 0.5, -huge, huge), stump(0, 0.5, 0, huge)};
  ensemble.trees[1].output = 1;
  Query query = query_for(ensemble, std::vector{0.0, 0.0});
  query.requirements = {{0, ClassIs{0, {}, 0.0}}};
  for (const Engine engine : {Engine::fast, Engine::paper}) {
    Options options;
    options.engine = engine;
    const Answer answer = explain(ensemble, query, options);
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.best().point[0], 0.5);
  }
  query.requirements = {{0, ClassIs{0, {}, 0.5}}};
  EXPECT_EQ(explain(ensemble, query).status, Status::infeasible);
  query.requirements = {{0, ScoreIn{{.lower = 0}, 0, 1}}};
  EXPECT_EQ(explain(ensemble, query).status, Status::optimal);
}

}  // namespace query_test
