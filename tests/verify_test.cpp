// The verifier finds every kind of lie.
#include <boxwood/explain.hpp>
#include <boxwood/verify.hpp>

#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace verify_test {

using namespace boxwood;

class Lies : public testing::Test {
 protected:
  Lies() {
    query_ = query_for(model_, std::vector{0.0, 0.0});
    query_.requirements = {require_class(1)};
    query_.features[1].fixed = true;
    answer_ = explain(model_, query_);
  }

  std::string fault_after(const std::function<void(Answer&)>& lie) const {
    Answer answer = answer_;
    lie(answer);
    const Verification check = verify(std::span(&model_, 1), query_, answer);
    return check.passed() ? "none" : check.faults.front();
  }

  Ensemble model_ = binary_model(2, {stump(0, 0.5, -1, 1), stump(1, 0.5, -0.25, 0.25)});
  Query query_;
  Answer answer_;
};

TEST_F(Lies, AreFound) {
  EXPECT_EQ(fault_after([](Answer&) {}), "none");
  EXPECT_EQ(fault_after([](Answer& a) { a.solutions[0].point[0] = 0.25; }),
            "solution 0: it costs 0.0625, but the answer says 0.25");
  EXPECT_EQ(fault_after([](Answer& a) { a.solutions[0].point[1] = 0.25; }),
            "solution 0: feature \"f1\" is fixed but changed");
  EXPECT_EQ(fault_after([](Answer& a) { a.solutions[0].point[0] = 0.7; }),
            "solution 0: feature \"f0\" is not a number that the model can read");
  EXPECT_EQ(fault_after([](Answer& a) { a.cost = 0.2; }),
            "status: the lower bound exceeds the cost");
  EXPECT_EQ(fault_after([](Answer& a) { a.lower_bound = 0.1; }),
            "status: the status is optimal, but the lower bound differs from the cost");
  EXPECT_EQ(fault_after([](Answer& a) { a.distance = 0.25; }),
            "status: the distance does not match the cost");
  EXPECT_EQ(fault_after([](Answer& a) { a.status = Status::infeasible; }),
            "status: infeasible with 1 solutions");
  EXPECT_EQ(fault_after([](Answer& a) { a.solutions[0].region[0].lower = 0.25; }),
            "solution 0: a point of the region has different scores");
  EXPECT_EQ(fault_after([](Answer& a) { a.solutions[0].region[1].upper_closed = true; }),
            "solution 0: a point of the region has different scores");
  EXPECT_EQ(fault_after([](Answer& a) { a.solutions[0].region[0].lower_closed = false; }),
            "solution 0: the region does not contain the point in feature \"f0\"");
  EXPECT_EQ(fault_after([](Answer& a) { a.output_after[0][0] = 0.9; }),
            "outputs: the reported outputs of model 0 differ from its outputs");
  EXPECT_EQ(fault_after([](Answer& a) { a.solutions.push_back(a.solutions[0]); }),
            "solution 1: it is the same point as solution 0");
  EXPECT_EQ(fault_after([](Answer& a) {
              a.solutions[0].point[0] = std::nextafter(0.5F, 0.0F);
              a.solutions[0].region[0] = {-1, 0.5, true, false};
              a.cost = a.lower_bound = std::pow(a.solutions[0].point[0], 2);
              a.distance = std::sqrt(a.cost);
            }),
            "solution 0: requirement 0 is not met");
}

TEST_F(Lies, AboutKindsAndRangesAreFound) {
  query_.features[0].kind = FeatureKind::integer;
  EXPECT_EQ(fault_after([](Answer&) {}), "solution 0: feature \"f0\" is not an integer");
  query_.features[0].kind = FeatureKind::continuous;
  query_.features[0].range.upper = 0.4;
  EXPECT_EQ(fault_after([](Answer&) {}), "solution 0: feature \"f0\" = 0.5 lies outside its range");
}

TEST_F(Lies, AboutTheLargestScoreAreFound) {
  model_.accumulator = Precision::float64;
  model_.task = Task::multiclass;
  model_.link = Link::softmax;
  model_.base = {0, 1e-20};
  model_.trees = {stump(0, 0.5, 1, 0)};
  model_.decision = Decision::largest_score;
  answer_ = explain(model_, query_);
  ASSERT_EQ(answer_.cost, 0.25);
  EXPECT_EQ(fault_after([](Answer&) {}), "none");
  model_.decision = Decision::output_above_half;  // softmax rounds both to one half
  EXPECT_EQ(fault_after([](Answer&) {}), "solution 0: requirement 0 is not met");
}

/// A score that overflows has no softmax: the outputs are not numbers, and the library's argmax is
/// the first class. Then the point is not of any other class, and no probability is at least or
/// below anything.
TEST(ScoresThatOverflow, AreOfTheFirstClassAndHaveNoProbability) {
  const double huge = static_cast<double>(3e38F);
  Ensemble model = binary_model(1, {stump(0, 0.5, 0, huge), stump(0, 0.5, 0, huge)});
  model.task = Task::multiclass;
  model.link = Link::softmax;
  model.objective = "multi:softprob";
  model.base = {0, 0, 0};
  for (Tree& tree : model.trees) tree.output = 2;
  model.validate();
  const std::vector<double> there{1.0};
  ASSERT_TRUE(std::isinf(model.predict(there)[2]));
  ASSERT_TRUE(std::isnan(model.transform(model.predict(there))[2]));
  const auto met = [&](std::size_t target, std::optional<double> probability, bool negated) {
    Query query = query_for(model, there);
    query.requirements = {require_class(target, probability)};
    query.requirements[0].negated = negated;
    const bool direct = meets(query, std::span(&model, 1), there);
    const Answer answer = explain(model, query);
    EXPECT_EQ(answer.already_met, direct);
    EXPECT_TRUE(verify(std::span(&model, 1), query, answer).passed());
    return direct;
  };
  EXPECT_TRUE(met(0, {}, false));
  EXPECT_FALSE(met(2, {}, false));
  EXPECT_FALSE(met(0, {}, true));
  EXPECT_TRUE(met(2, {}, true));
  for (const std::size_t target : {0U, 2U}) {
    EXPECT_FALSE(met(target, 0.5, false));
    EXPECT_FALSE(met(target, 0.5, true));
  }
}

}  // namespace verify_test
