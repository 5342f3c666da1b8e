// Compositions of several ensembles: their outputs as worked out from the members, their answers
// against brute force, and what is refused.
#include <boxwood/error.hpp>

#include "model/compose.hpp"
#include "random_composition.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

namespace composition_test {

using namespace boxwood;

TEST(Composition, AnswersAgreeWithBruteForce) {
  const int cases = test_cases(250);
  int tried = 0;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    const RandomComposition problem(test_seed() + static_cast<std::uint64_t>(i));
    tried += expect_composed_answers(problem) ? 1 : 0;
    if (testing::Test::HasFailure()) return;
  }
  expect_share(tried, cases, 0.5);
}

TEST(Composition, OutputsAreThoseOfTheMembersTogether) {
  for (int i = 0; i < test_cases(100); ++i) {
    const RandomComposition problem(test_seed() + static_cast<std::uint64_t>(i));
    const Ensemble& ensemble = problem.ensemble();
    EXPECT_EQ(composition_from_text(composition_text(ensemble.composition)), ensemble.composition);
    const std::vector<double>& point = problem.query().point;
    const std::vector<double> outputs = ensemble.transform(ensemble.predict(point));
    const std::vector<double> expected = problem.outputs_at(point);
    ASSERT_EQ(outputs.size(), expected.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k] == expected[k]) continue;  // both may be infinite
      EXPECT_NEAR(outputs[k], expected[k], 1e-15 * (1 + std::abs(expected[k])));
    }
  }
}

TEST(Composition, FunctionsOfNumbersMustRise) {
  std::uint64_t seed = test_seed();
  Ensemble ensemble = RandomComposition(seed).ensemble();
  while (ensemble.task != Task::regression) ensemble = RandomComposition(++seed).ensemble();
  Calibration falling;
  falling.kind = Calibration::Kind::affine;
  falling.slope = -1;
  ensemble.composition.members.front().calibrations = {falling};
  EXPECT_THROW(ensemble.validate(), Error);
  falling.kind = Calibration::Kind::sigmoid;
  ensemble.composition.members.front().calibrations = {falling};
  EXPECT_THROW(ensemble.validate(), Error);
}

TEST(Composition, RootsAndSquaresAreOfNumbersThatCannotBeNegative) {
  std::uint64_t seed = test_seed();
  Ensemble ensemble = RandomComposition(seed).ensemble();
  while (ensemble.task != Task::regression) ensemble = RandomComposition(++seed).ensemble();
  Member& member = ensemble.composition.members.front();
  member.link = Link::identity;
  ensemble.base.front() = 0.5;
  for (Tree& tree : ensemble.trees) {
    for (double& value : tree.values) value = std::abs(value);
  }
  const auto place = [&](const std::vector<Calibration>& list) -> std::string {
    member.calibrations = list;
    try {
      ensemble.validate();
    } catch (const Error& error) {
      return error.place();
    }
    return "";
  };
  using Kind = Calibration::Kind;
  const Calibration moved{.kind = Kind::affine, .slope = 1, .shift = -0.1};
  const Calibration raised{.kind = Kind::affine, .slope = 1, .shift = 0.1};
  const Calibration curve{.kind = Kind::isotonic, .from = {0, 1}, .to = {-0.5, 1}};
  for (const Kind kind : {Kind::square, Kind::square_root}) {
    const Calibration last{.kind = kind};
    const std::string first = "composition.members[0].calibrations[0]";
    const std::string second = "composition.members[0].calibrations[1]";
    EXPECT_EQ(calibrated(last, -1e-9), 0);  // as bounds may ask, a little below what is possible
    EXPECT_EQ(place({last}), "");
    EXPECT_EQ(place({raised, last}), "");
    EXPECT_EQ(place({moved, last}), second);
    EXPECT_EQ(place({curve, last}), second);
    EXPECT_EQ(place({moved, {.kind = Kind::exponential}, last}), "");
    EXPECT_EQ(place({moved, {.kind = Kind::expm1}, last}),
              "composition.members[0].calibrations[2]");
    double& value = ensemble.trees.front().values.back();
    value = -value - 0.25;
    EXPECT_EQ(place({last}), first);
    value = -value - 0.25;
    ensemble.base.front() = -0.5;
    EXPECT_EQ(place({last}), first);
    member.link = Link::exponential;
    EXPECT_EQ(place({last}), "");
    member.link = Link::identity;
    ensemble.base.front() = 0.5;
  }
}

TEST(Composition, CalibratedProbabilitiesLieBetweenZeroAndOne) {
  std::uint64_t seed = test_seed();
  Ensemble ensemble = RandomComposition(seed).ensemble();
  while (ensemble.classes.size() != 2 || !ensemble.composition.has_probabilities) {
    ensemble = RandomComposition(++seed).ensemble();
  }
  Calibration curve;
  curve.kind = Calibration::Kind::isotonic;
  curve.from = {0.25, 0.75};
  for (const auto& [low, high] : {std::pair{-0.25, 0.5}, std::pair{0.5, 1.25}}) {
    curve.to = {low, high};
    ensemble.composition.members.front().calibrations = {curve};
    try {
      ensemble.validate();
      ADD_FAILURE() << low << " to " << high << " is not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.place(), "composition.members[0].calibrations[0].to");
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(Composition, GroupsTakeAllMembers) {
  Ensemble ensemble = RandomComposition(test_seed()).ensemble();
  const std::size_t count = ensemble.composition.members.size();
  ensemble.composition.groups = {{.members = count}};
  EXPECT_NO_THROW(ensemble.validate());
  for (const MemberGroup& wrong :
       {MemberGroup{.members = count + 1}, MemberGroup{.members = 0},
        MemberGroup{.members = count, .divisor = 0}, MemberGroup{.members = count, .weight = -1}}) {
    ensemble.composition.groups = {wrong};
    EXPECT_THROW(ensemble.validate(), Error);
  }
}

}  // namespace composition_test
