// Stacks of three or more classes: linear models of what members give, as files may have them.
// Answers against brute force, and what is refused. tests/python/test_stacks.py has scikit-learn's.
#include <boxwood/error.hpp>

#include "model/compose.hpp"
#include "random_composition.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

namespace stack_test {

using namespace boxwood;

class RandomStack {
 public:
  explicit RandomStack(std::uint64_t seed) : random_(seed) {
    std::uint64_t next = random_();
    do {
      const RandomComposition problem(next++);
      whole_ = problem.ensemble();
      query_ = problem.query();
    } while (whole_.classes.size() < 3 || !whole_.composition.has_probabilities);
    Composition& made = whole_.composition;
    made.groups.clear();
    made.divisor = 1;
    for (Member& member : made.members) change(member);
    LinearTop top;
    top.error = 1e-13;
    for (std::size_t k = 0; k < whole_.classes.size(); ++k) {
      LinearRow row;
      const std::size_t columns = made.members.size() * whole_.classes.size();
      for (std::size_t i = 0; i < columns; ++i) {
        row.weights.push_back(below(5) == 0 ? 0 : number(-4, 4));
      }
      row.shift = number(-1, 1);
      row.size = std::abs(row.shift) + (below(2) == 0 ? 0.0 : 1.0);
      top.rows.push_back(std::move(row));
    }
    made.linear = std::move(top);
    whole_.validate();
    query_.requirements = {ask()};
  }

  const Ensemble& ensemble() const { return whole_; }
  const Query& query() const { return query_; }

  /// Every sum may be off by its error, in either direction.
  bool works(const std::vector<double>& point) const {
    const std::vector<double> scores = whole_.predict(point);
    std::vector<double> sums, errors, parts;
    for (const LinearRow& row : whole_.composition.linear->rows) {
      double sum = 0, size = row.size;
      std::size_t first = 0, column = 0;
      for (const Member& member : whole_.composition.members) {
        contribute(member, std::span(scores).subspan(first, member.outputs), parts);
        first += member.outputs;
        for (std::size_t k = 0; k < parts.size(); ++k) {
          sum += parts[k] * row.weights[column + k];
          size += std::abs(parts[k] * row.weights[column + k]);
        }
        column += parts.size();
      }
      sums.push_back(sum + row.shift);
      errors.push_back(1e-13 * size);
    }
    const Requirement& wanted = query_.requirements.front();
    if (const auto* in = std::get_if<OutputIn>(&wanted.outcome)) {
      return in->range.contains(probability(sums, errors, in->output, -1)) &&
             in->range.contains(probability(sums, errors, in->output, 1));
    }
    if (const auto* one = std::get_if<ClassIs>(&wanted.outcome); one && one->probability) {
      return probability(sums, errors, one->target, -1) >= *one->probability;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      bool wins = true;
      for (std::size_t rival = 0; rival < sums.size(); ++rival) {
        wins &= rival == k || sums[k] - errors[k] > sums[rival] + errors[rival];
      }
      if (!wins) continue;
      const auto* one = std::get_if<ClassIs>(&wanted.outcome);
      const bool named = one ? one->target == k : [&] {
        const auto& targets = std::get<ClassIn>(wanted.outcome).targets;
        return std::find(targets.begin(), targets.end(), k) != targets.end();
      }();
      return named != wanted.negated;
    }
    return false;
  }

  std::optional<double> cheapest() const {
    double best = std::numeric_limits<double>::infinity();
    const bool tried = Oracle::visit({whole_}, query_, 10'000, [&](const auto& point) {
      const double cost = Oracle::cost_of(query_, point);
      if (cost < best && works(point) && Oracle::obeys({whole_}, query_, point)) best = cost;
    });
    return tried ? std::optional(best) : std::nullopt;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  void change(Member& member) {
    member.weight = 1;
    const std::size_t way = below(5);
    if (way == 0) {
      member.response = Member::Response::score;
    } else if (way == 1) {
      member.calibrations = {{.kind = Calibration::Kind::temperature, .slope = number(0.3, 2)}};
    } else if (way == 2) {
      for (std::size_t k = 0; k < member.outputs; ++k) {
        Calibration one;
        if (below(2) == 0) {
          one.slope = number(-6, 2);
          one.shift = number(-1, 1);
        } else {
          one.kind = Calibration::Kind::isotonic;
          one.from = {0.1, number(0.2, 0.5), 0.8};
          one.to = {number(0, 0.3), number(0.3, 0.6), 1};
        }
        member.calibrations.push_back(std::move(one));
      }
    }
  }

  Requirement ask() {
    const std::size_t target = below(whole_.classes.size());
    const double level = number(0.05, 0.95);
    switch (below(6)) {
      case 0:
        return require_class(target, level);
      case 1:
        return require_output({.upper = level}, target);
      case 2:
        return require_output({.lower = level / 2, .upper = level}, target);
      case 3:
        return {0, ClassIs{target}, true};
      case 4:
        return {0, ClassIn{{0, 2}}};
      default:
        return require_class(target);
    }
  }

  /// The largest (`sign` 1) or least probability that a library may compute.
  double probability(const std::vector<double>& sums, const std::vector<double>& errors,
                     std::size_t of, double sign) const {
    double odds = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (k == of) continue;
      odds += std::exp(sums[k] - sums[of] - sign * (errors[k] + errors[of]));
    }
    const double doubt = (16 + static_cast<double>(sums.size())) * 0x1p-52;
    return std::clamp(1 / (1 + odds) + sign * doubt, 0.0, 1.0);
  }

  std::mt19937_64 random_;
  Ensemble whole_;
  Query query_;
};

TEST(Stack, AnswersAgreeWithBruteForce) {
  const int cases = test_cases(250);
  int tried = 0, met = 0;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    const RandomStack problem(test_seed() + static_cast<std::uint64_t>(i));
    const std::optional<double> best = problem.cheapest();
    if (!best) continue;
    ++tried;
    met += std::isfinite(*best) && *best > 0 ? 1 : 0;
    const std::vector<Ensemble> ensembles{problem.ensemble()};
    const Prepared prepared(ensembles);
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      Options options;
      options.engine = engine;
      const Answer answer = explain(prepared, problem.query(), options);
      const bool found = std::isfinite(*best);
      ASSERT_EQ(answer.status, found ? Status::optimal : Status::infeasible);
      if (!found) continue;
      ASSERT_EQ(answer.cost, *best);
      ASSERT_TRUE(problem.works(answer.best().point));
      const auto check = verify(ensembles, problem.query(), answer, 8, 3);
      ASSERT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
    }
  }
  expect_share(tried, cases, 0.4);
  expect_share(met, cases, 0.1);
}

TEST(Stack, FilesKeepTheRows) {
  const Composition made = RandomStack(test_seed()).ensemble().composition;
  EXPECT_EQ(composition_from_text(composition_text(made)), made);
}

/// The place and the reason of the refusal of a changed stack.
template <typename Change>
std::string refusal(Ensemble ensemble, const Change& change) {
  change(*ensemble.composition.linear);
  try {
    ensemble.validate();
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.place() + ": " + error.reason();
  }
  return "";
}

TEST(Stack, OddSizesAreRefused) {
  const Ensemble stack = RandomStack(test_seed()).ensemble();
  const auto refused = [&](const auto& change) { return refusal(stack, change); };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(refused([](LinearTop&) {}), "");
  EXPECT_TRUE(has(refused([](LinearTop& top) { top.rows.pop_back(); }), "linear.rows: there are"));
  EXPECT_TRUE(has(refused([](LinearTop& top) { top.rows[1].weights.pop_back(); }),
                  "linear.rows[1].weights: there must be"));
  EXPECT_TRUE(has(refused([](LinearTop& top) { top.rows[2].weights[0] = NAN; }), "finite numbers"));
  // A size below that of the shift, or an error below the rounding of so many terms, would promise
  // sums that a library does not compute.
  EXPECT_TRUE(has(refused([](LinearTop& top) {
                    top.rows[0].shift = -0.5;
                    top.rows[0].size = 0.25;
                  }),
                  "linear.rows[0]: \"size\" must be"));
  EXPECT_TRUE(has(refused([](LinearTop& top) { top.size = -1; }), "linear: \"size\" must be"));
  for (const double error : {0.0, 0x1p-53, 1.0, -1e-10}) {
    EXPECT_TRUE(has(refused([&](LinearTop& top) { top.error = error; }), "linear.error: it must"));
  }
}

}  // namespace stack_test
