// An Ensemble as a value: prediction by hand, its own file, and the checks that make it safe.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>

#include "error_of.hpp"
#include "model/arithmetic.hpp"
#include "random_problem.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace ensemble_test {

using namespace boxwood;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Ensemble, FollowsTheComparisonAtTheThreshold) {
  const Ensemble less = binary_model(1, {stump(0, 0.5, -1, 1)});
  const Ensemble less_equal = binary_model(1, {stump(0, 0.5, -1, 1, NodeKind::less_equal)});
  EXPECT_EQ(less.predict(std::vector{0.5})[0], 1);
  EXPECT_EQ(less_equal.predict(std::vector{0.5})[0], -1);
  EXPECT_EQ(less.predict(std::vector{-infinity})[0], -1);
  EXPECT_EQ(less.predict(std::vector{infinity})[0], 1);
}

TEST(Ensemble, ReadsValuesInItsOwnPrecision) {
  // 0.3 rounds up to float32: read so, it is not below that threshold.
  const auto third = static_cast<double>(0.3F);
  ASSERT_LT(0.3, third);
  Ensemble model = binary_model(1, {stump(0, third, -1, 1)});
  EXPECT_EQ(model.predict(std::vector{0.3})[0], 1);
  model.input = Precision::float64;
  EXPECT_EQ(model.predict(std::vector{0.3})[0], -1);
}

TEST(Ensemble, SendsMissingValuesWhereTheSplitSays) {
  Tree tree = stump(0, 0.5, -1, 1);
  Ensemble model = binary_model(1, {tree});
  EXPECT_EQ(model.predict(std::vector{missing})[0], 1);
  model.trees[0].nodes[0].missing_left = true;
  EXPECT_EQ(model.predict(std::vector{missing})[0], -1);
}

TEST(Ensemble, TakesACategoryByTheWholePartOfItsNumber) {
  Tree tree = stump(0, 0, -1, 1, NodeKind::in_set);
  tree.sets = {{0, 3}};
  tree.nodes[0].value = 0;
  const Ensemble model = binary_model(1, {tree});
  for (const double inside : {0.0, 0.9, -0.9, 3.0, 3.99}) {
    EXPECT_EQ(model.predict(std::vector{inside})[0], -1) << inside;
  }
  for (const double outside : {-1.0, 1.0, 2.0, 4.0, 1e30, -infinity, infinity, missing}) {
    EXPECT_EQ(model.predict(std::vector{outside})[0], 1) << outside;
  }
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
}

TEST(Ensemble, PutsNumbersJustBelowZeroInNoSetWhereTheSplitSays) {
  Tree tree = stump(0, 0, -1, 1, NodeKind::in_set);
  tree.sets = {{0, 3}};
  tree.nodes[0].value = 0;
  tree.nodes[0].zero_up = true;
  const Ensemble model = binary_model(1, {tree});
  for (const double inside : {0.0, -0.0, 0.9, 3.0}) {
    EXPECT_EQ(model.predict(std::vector{inside})[0], -1) << inside;
  }
  for (const double outside : {-1e-45, -0.5, -1.0, 1.0}) {
    EXPECT_EQ(model.predict(std::vector{outside})[0], 1) << outside;
  }
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
}

TEST(Ensemble, NamesTheWinnerOfTwoClassesByTheSignOfOneScore) {
  Ensemble model = binary_model(1, {stump(0, 0.5, 0, 1)});
  model.link = Link::winner;
  model.decision = Decision::score_above_zero;
  model.validate();
  EXPECT_EQ(model.transform(model.predict(std::vector{0.0})), std::vector{0.0});
  EXPECT_EQ(model.transform(model.predict(std::vector{1.0})), std::vector{1.0});
  model.decision = Decision::score_from_zero;
  EXPECT_EQ(model.transform(model.predict(std::vector{0.0})), std::vector{1.0});
  model.decision = Decision::output_above_half;
  EXPECT_THROW(model.validate(), Error);
}

TEST(Ensemble, TakesOneNumberOutOfAllWhereASplitAsksForEquality) {
  const Ensemble model = binary_model(1, {stump(0, 2, -1, 1, NodeKind::equal)});
  EXPECT_EQ(model.predict(std::vector{2.0})[0], -1);
  EXPECT_EQ(model.predict(std::vector{2.5})[0], 1);
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
}

TEST(Ensemble, SendsZeroWithMissingWhereTheSplitSays) {
  Tree tree = stump(0, 0.5, -1, 1, NodeKind::less_equal);
  tree.nodes[0].missing_at_zero = true;
  Ensemble model = binary_model(1, {tree});
  model.input = Precision::float64;
  for (const double zero : {0.0, -0.0, zero_size, -zero_size}) {
    EXPECT_EQ(model.predict(std::vector{zero})[0], 1) << zero;
  }
  EXPECT_EQ(model.predict(std::vector{std::nextafter(zero_size, 1.0)})[0], -1);
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
}

TEST(Ensemble, ScalesTheSumBeforeALastBase) {
  Ensemble model = binary_model(1, {stump(0, 0.5, 3, 6)}, 1);
  model.accumulator = Precision::float64;
  model.order = SumOrder::base_last;
  model.factor = 2;
  model.divisor = 3;
  EXPECT_EQ(model.predict(std::vector{0.0})[0], 3);
  EXPECT_EQ(model.predict(std::vector{1.0})[0], 5);
  model.order = SumOrder::base_first;
  EXPECT_EQ(model.predict(std::vector{1.0})[0], 7 * 2 / 3.0);
  model.features[0].categories = {{0, "no"}, {7, "yes"}};
  model.decision = Decision::score_from_zero;
  model.steepness = 0.5;
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
}

TEST(Ensemble, ComparesScoresWhereSoftmaxWouldRoundThemAlike) {
  Ensemble model;
  model.accumulator = Precision::float64;
  model.task = Task::multiclass;
  model.link = Link::softmax;
  model.base = {0, 1e-20};
  const std::vector<double> scores = model.predict({});
  EXPECT_EQ(model.transform(scores), (std::vector{0.5, 0.5}));
  EXPECT_EQ(model.classify(scores), 0U);
  model.decision = Decision::largest_score;
  EXPECT_EQ(model.classify(scores), 1U);
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
  model.decision = Decision::score_from_zero;
  EXPECT_EQ(error_of([&] { model.validate(); }),
            "decision: it is not possible for this number of classes");
}

TEST(Ensemble, AddsInTheOrderAndPrecisionOfTheLibrary) {
  // 2^24 + 1 is no float32: adding 1 to the base is lost, adding 1 + 1 first is not.
  Tree one;
  one.nodes.resize(1);
  one.nodes[0].value = 0;
  one.values = {1};
  Ensemble model = binary_model(1, {one, one}, 16777216);
  EXPECT_EQ(model.predict(std::vector{0.0})[0], 16777216);
  model.order = SumOrder::base_last;
  EXPECT_EQ(model.predict(std::vector{0.0})[0], 16777218);
  model.accumulator = Precision::float64;
  model.order = SumOrder::base_first;
  EXPECT_EQ(model.predict(std::vector{0.0})[0], 16777218);
}

TEST(Ensemble, TheFirstOfEqualClassesWins) {
  Ensemble model;
  model.task = Task::multiclass;
  model.base = {0, 1, 1};
  for (const Link link : {Link::softmax, Link::winner}) {
    model.link = link;
    EXPECT_EQ(model.classify(std::vector<double>{0, 1, 1}), 1U);
    EXPECT_EQ(model.classify(std::vector<double>{2, 1, 2}), 0U);
  }
}

TEST(Ensemble, ExponentiatesAsCatBoostDoes) {
  Ensemble model;
  model.accumulator = Precision::float64;
  model.base = {0};
  model.link = Link::exponential;
  model.link_form = LinkForm::catboost;
  const auto exp_of = [&](double score) { return model.transform(std::vector{score})[0]; };
  for (const double score : {-700.0, -1.5, -1e-9, 0.0, 1e-300, 0.3, 1.0, 88.7, 700.0}) {
    EXPECT_NEAR(exp_of(score) / std::exp(score), 1, 1e-15 * (4 + std::abs(score))) << score;
  }
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(-infinity), 0);
  EXPECT_EQ(exp_of(infinity), infinity);
  EXPECT_TRUE(std::isnan(exp_of(missing)));
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
  model.accumulator = Precision::float32;
  EXPECT_EQ(error_of([&] { model.validate(); }),
            "link_form: \"catboost\" requires accumulator float64");
}

TEST(Ensemble, AnOutputOfExactlyOneHalfIsClassZero) {
  const Ensemble model = binary_model(1, {});
  EXPECT_EQ(model.transform(std::vector{0.0})[0], 0.5);
  EXPECT_EQ(model.classify(std::vector{0.0}), 0U);
}

TEST(Ensemble, SurvivesItsOwnFile) {
  ProblemMaker maker(test_seed());
  for (int i = 0; i < 300; ++i) {
    for (Ensemble ensemble : maker.make().ensembles) {
      ensemble.source = "naïve \"quoted\" \\ name";
      if (ensemble.task == Task::binary) ensemble.classes = {"no", "yes"};
      const std::string text = to_json(ensemble);
      const Ensemble back = ensemble_from_json(text);
      EXPECT_EQ(back, ensemble);
      EXPECT_EQ(to_json(back), text);
    }
  }
}

TEST(Ensemble, AFileWithCategoriesNamesItsLibrary) {
  Ensemble model = binary_model(2, {stump(0, 0.5, -1, 1)});
  const auto without_library = [&] {
    std::string text = to_json(model);
    const std::string key = "\"library\":\"other\",";
    EXPECT_NE(text.find(key), std::string::npos);
    return text.erase(text.find(key), key.size());
  };
  EXPECT_EQ(ensemble_from_json(without_library()), model);
  model.features[1].kind = FeatureKind::categorical;
  model.features[1].categories = {{0, "red"}, {1, "blue"}};
  EXPECT_EQ(error_of([&] { ensemble_from_json(without_library()); }),
            "model: \"library\" is missing");
}

TEST(Ensemble, OnlyTheLastCategoryStandsForAllOthers) {
  Ensemble model = binary_model(2, {stump(0, 0.5, -1, 1)});
  model.library = Library::catboost;
  model.features[1].kind = FeatureKind::categorical;
  model.features[1].categories = {{0, "red"}, {1, "(other)", true}};
  EXPECT_EQ(ensemble_from_json(to_json(model)), model);
  model.features[1].categories = {{0, "red", true}, {1, "(other)", true}};
  EXPECT_EQ(error_of([&] { model.validate(); }),
            "features[1].categories[0]: only the last category may stand for all others");
}

TEST(Ensemble, ErrorsInAFileNameThePlace) {
  const std::string good = to_json(binary_model(2, {stump(0, 0.5, -1, 1)}));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return error_of([&] { ensemble_from_json(text.replace(at, from.size(), to), "m.json"); });
  };
  EXPECT_EQ(with("\"boxwood_model\":1", "\"boxwood_model\":9"),
            "m.json: boxwood_model: version 9 is unknown; this program reads version 1");
  EXPECT_EQ(with("\"link\":\"sigmoid\"", "\"link\":\"probit\""),
            "m.json: link: \"probit\" is not one of: identity, sigmoid, exponential, softmax, "
            "winner, votes, square, softplus, isolation, composed");
  EXPECT_EQ(with("\"feature\":[0,", "\"feature\":[7,"),
            "m.json: trees[0].nodes[0]: feature 7 does not exist; the model has 2");
  EXPECT_EQ(with("\"left\":[1,", "\"left\":[0,"),
            "m.json: trees[0].nodes[0]: child 0 must have a larger index than its parent and be "
            "one of the 3 nodes");
  EXPECT_EQ(with("\"right\":[2,", "\"right\":[1,"),
            "m.json: trees[0].nodes[0]: child 1 already has another parent");
  EXPECT_EQ(with("\"missing_left\":[false,", "\"missing_left\":["),
            "m.json: trees[0].missing_left: it has 2 entries, \"kind\" has 3");
  EXPECT_EQ(with("\"values\":[-1.0,", "\"values\":[0.1,"),
            "m.json: trees[0].values[0]: 0.1 is not a finite number in the precision of the model");
  EXPECT_EQ(with("\"left\":[1,", "\"left\":[\"x\","),
            "m.json: trees[0].left[0]: expected a number");
  EXPECT_NE(with("\"task\"", "task").find("m.json, byte "), std::string::npos);
  EXPECT_NE(with("\"values\":[-1.0,", "\"values\":[1e400,")
                .find("this number is outside the range of a double"),
            std::string::npos);
  EXPECT_EQ(with("\"task\"", "\"link\":\"sigmoid\",\"task\""),
            "m.json: the key \"link\" is given twice. Remove one of the two");
  EXPECT_NE(error_of([] { ensemble_from_json(std::string(100'000, '[')); }).find("deep"),
            std::string::npos);
}

TEST(Ensemble, RefusesWhatCannotBeWalked) {
  const auto fails = [](const std::function<void(Ensemble&)>& spoil) {
    Ensemble model = binary_model(1, {stump(0, 0.5, -1, 1)});
    spoil(model);
    return error_of([&] { model.validate(); });
  };
  EXPECT_NE(fails([](Ensemble& m) { m.trees[0].nodes.clear(); }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.trees[0].nodes.emplace_back(); }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.trees[0].nodes[0].threshold = missing; }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.trees[0].nodes[0].kind = NodeKind::in_set; }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.trees[0].values[0] = infinity; }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.trees[0].nodes[2].value = 2; }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.trees[0].output = 1; }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.base.clear(); }), "no error");
  EXPECT_NE(fails([](Ensemble& m) { m.classes = {"one"}; }), "no error");
  EXPECT_EQ(fails([](Ensemble&) {}), "no error");
}

TEST(Ensemble, NamesAreForgiving) {
  Ensemble model = binary_model(2, {});
  model.classes = {"refused", "granted"};
  EXPECT_EQ(model.class_index("granted"), 1U);
  EXPECT_EQ(model.class_index("1"), 1U);
  EXPECT_EQ(error_of([&] { model.class_index("grantd"); }),
            "class: no class \"grantd\"; the classes are \"refused\", \"granted\". "
            "Did you mean \"granted\"?");
  model.features[1].name = "sex";
  EXPECT_EQ(error_of([&] { model.feature_index("sexe"); }),
            "feature: no feature \"sexe\". Did you mean \"sex\"?");
}

struct Pair {
  double first, second;
};

Pair both_as_read(const Pair& values, Precision precision) {
  return {as_read(values.first, precision), as_read(values.second, precision)};
}

TEST(Arithmetic, NeighboursAreRoundedToo) {
  // Some compilers make a vector of two neighbours and forget the rounding (cmake/compiler.cmake).
  Pair (*volatile unseen)(const Pair&, Precision) = both_as_read;
  const Pair read = unseen({0.1, 0.2}, Precision::float32);
  volatile float first = 0.1F, second = 0.2F;
  EXPECT_EQ(read.first, static_cast<double>(first));
  EXPECT_EQ(read.second, static_cast<double>(second));
}

}  // namespace ensemble_test
