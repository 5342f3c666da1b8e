// Random compositions of small ensembles, and what they predict, worked out from the members alone:
// calibrated, averaged, voting and transformed models. The arithmetic of a member is tested
// elsewhere; that of the composition is written here again.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/verify.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

class RandomComposition {
 public:
  explicit RandomComposition(std::uint64_t seed) : random_(seed) {
    const std::size_t count = 1 + below(3);
    std::uint64_t next = random_();
    do {
      ProblemSize size;
      size.features = {2, 2};
      size.rounds = {1, 2};
      size.splits = {1, 3};
      size.overflows = false;
      RandomProblem problem = ProblemMaker(next++, size).make();
      boxwood::Ensemble& one = problem.ensembles.front();
      if (members_.empty() ? usable(one) : fits(one)) {
        if (members_.empty()) query_ = std::move(problem.query);
        members_.push_back(std::move(one));
      }
    } while (members_.size() < count);
    choose();
    assemble();
    ask();
  }

  const boxwood::Ensemble& ensemble() const { return whole_; }
  const boxwood::Query& query() const { return query_; }

  /// Whether the outcome holds at a point.
  bool works(const std::vector<double>& point) const {
    const boxwood::Requirement& wanted = query_.requirements.front();
    const std::vector<double> outputs = outputs_at(point);
    if (const auto* in = std::get_if<boxwood::OutputIn>(&wanted.outcome)) {
      const auto& range = in->range;
      const double value = outputs[0];
      return (range.lower_closed ? value >= range.lower : value > range.lower) &&
             (range.upper_closed ? value <= range.upper : value < range.upper);
    }
    const auto& of = std::get<boxwood::ClassIs>(wanted.outcome);
    if (of.probability) return outputs[of.target] >= *of.probability;
    if (threshold_) return (outputs[1] >= *threshold_) == (of.target == 1);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (k < of.target ? outputs[k] >= outputs[of.target] : outputs[k] > outputs[of.target]) {
        return false;
      }
    }
    return true;
  }

  std::vector<double> outputs_at(const std::vector<double>& point) const {
    std::vector<double> sums(std::max<std::size_t>(classes_, 1), 0.0);
    std::vector<double> means(sums.size(), 0.0);
    for (std::size_t i = 0, group = 0; i < members_.size(); ++i) {
      const std::vector<double> parts = contribution(members_[i], i, point);
      for (std::size_t k = 0; k < sums.size(); ++k) {
        (group < groups_.size() ? means : sums)[k] += parts[k] * weights_[i];
      }
      if (group == groups_.size() || i != last_of(group)) continue;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        sums[k] += means[k] / groups_[group].divisor * groups_[group].weight;
        means[k] = 0;
      }
      ++group;
    }
    for (double& sum : sums) sum /= divisor_;
    return sums;
  }

  /// The cheapest cost, infinite if there is none; nothing if there are too many points to try.
  std::optional<double> cheapest() const {
    double best = std::numeric_limits<double>::infinity();
    const bool tried =
        Oracle::visit({whole_}, query_, 20'000, [&](const std::vector<double>& point) {
          const double cost = Oracle::cost_of(query_, point);
          if (cost < best && works(point) && Oracle::obeys({whole_}, query_, point)) best = cost;
        });
    return tried ? std::optional(best) : std::nullopt;
  }

 private:
  std::size_t last_of(std::size_t group) const {
    std::size_t end = 0;
    for (std::size_t i = 0; i <= group; ++i) end += groups_[i].members;
    return end - 1;
  }
  std::size_t below(std::size_t count) { return random_() % count; }
  bool coin() { return below(2) == 0; }

  static bool usable(const boxwood::Ensemble& one) {
    return one.task == boxwood::Task::regression || one.has_probabilities() ||
           one.class_count() >= 2;
  }
  bool fits(const boxwood::Ensemble& one) const {
    const boxwood::Ensemble& first = members_.front();
    return one.input == first.input && one.class_count() == first.class_count() &&
           (one.task == boxwood::Task::regression) == (first.task == boxwood::Task::regression);
  }

  void choose() {
    classes_ = members_.front().class_count();
    using boxwood::Link;
    const auto probable = [](const boxwood::Ensemble& one) {
      return one.link == Link::sigmoid || one.link == Link::softmax || one.link == Link::votes;
    };
    const bool probabilities = std::all_of(members_.begin(), members_.end(), probable);
    voting_ = classes_ > 0 && (!probabilities || below(4) == 0);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      weights_.push_back(coin() ? 1.0 : 0.5 * static_cast<double>(1 + below(5)));
    }
    divisor_ = coin() ? 1.0 : static_cast<double>(members_.size());
    for (std::size_t left = coin() ? members_.size() : 0; left > 0;) {
      const std::size_t count = 1 + below(left);
      groups_.push_back({.members = count,
                         .divisor = coin() ? 1.0 : static_cast<double>(count),
                         .weight = coin() ? 1.0 : 0.7});
      left -= count;
    }
    calibrations_.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool of_two = classes_ == 2 && !voting_;
      if (coin() && (of_two || classes_ == 0)) calibrations_[i] = random_calibration();
    }
    if (classes_ == 2 && !voting_ && below(3) == 0) {
      threshold_ = 0.1 * static_cast<double>(1 + below(9));
    }
  }

  std::vector<boxwood::Calibration> random_calibration() {
    using Kind = boxwood::Calibration::Kind;
    boxwood::Calibration one;
    const auto number = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random_);
    };
    if (classes_ == 2 && coin()) {
      one.kind = Kind::sigmoid;
      one.slope = number(-6, 2);
      one.shift = number(-2, 2);
    } else if (classes_ == 0 && below(3) > 0) {
      constexpr Kind kinds[] = {Kind::affine, Kind::quotient, Kind::exponential, Kind::expm1};
      one.kind = kinds[below(4)];
      one.slope = number(0.1, 3);
      one.shift = number(-1, 1);
    } else {
      one.kind = Kind::isotonic;
      double x = number(-1, 0), y = number(0, 0.3);
      for (std::size_t n = 1 + below(5); n > 0; --n) {
        one.from.push_back(x);
        one.to.push_back(classes_ == 2 ? std::min(y, 1.0) : y);
        x += number(0.05, 0.5);
        y += coin() ? 0.0 : number(0, 0.3);
      }
    }
    const bool positive = one.kind == Kind::isotonic || one.kind == Kind::exponential;
    std::vector<boxwood::Calibration> list{std::move(one)};
    if (classes_ == 0 && below(3) == 0) {
      boxwood::Calibration then;
      constexpr Kind kinds[] = {Kind::expm1, Kind::square, Kind::square_root};
      then.kind = kinds[positive ? below(3) : 0];
      list.push_back(std::move(then));
    }
    return list;
  }

  void assemble() {
    using boxwood::Member;
    whole_.source = "random";
    whole_.features = members_.front().features;
    whole_.input = members_.front().input;
    whole_.accumulator = boxwood::Precision::float64;
    whole_.link = boxwood::Link::composed;
    whole_.task = classes_ > 0 ? boxwood::Task::multiclass : boxwood::Task::regression;
    for (std::size_t k = 0; k < classes_; ++k) whole_.classes.push_back("c" + std::to_string(k));
    whole_.composition.divisor = divisor_;
    whole_.composition.groups = groups_;
    whole_.composition.has_probabilities = !voting_;
    if (threshold_) whole_.composition.threshold = {1, *threshold_, false};
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const boxwood::Ensemble& one = members_[i];
      Member member;
      member.outputs = one.base.size();
      member.accumulator = one.accumulator;
      member.order = one.order;
      member.factor = one.factor;
      member.divisor = one.divisor;
      member.link = one.link;
      member.link_form = one.link_form;
      member.steepness = one.steepness;
      member.task = one.task;
      member.decision = one.decision;
      member.response = classes_ == 0 ? Member::Response::output
                        : voting_     ? Member::Response::vote
                                      : Member::Response::probability;
      member.weight = weights_[i];
      member.calibrations = calibrations_[i];
      for (std::size_t k = 0; k < classes_; ++k) member.classes.push_back(k);
      const auto first = static_cast<std::int32_t>(whole_.base.size());
      for (boxwood::Tree tree : one.trees) {
        if (tree.output == boxwood::Tree::every_output) {
          tree.output = 0;
          tree.width = static_cast<std::int32_t>(one.base.size());
        }
        tree.output += first;
        whole_.trees.push_back(std::move(tree));
      }
      whole_.base.insert(whole_.base.end(), one.base.begin(), one.base.end());
      whole_.composition.members.push_back(std::move(member));
    }
    whole_.validate();
  }

  void ask() {
    query_.requirements.clear();
    const auto number = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random_);
    };
    if (classes_ == 0) {
      boxwood::Interval range;
      const double a = number(-2, 2);
      if (below(4) != 0) range.lower = a;
      if (below(3) == 0) range.upper = a + number(0, 1.5);
      range.lower_closed = coin();
      query_.requirements.push_back(boxwood::require_output(range));
    } else if (!voting_ && below(3) == 0) {
      query_.requirements.push_back(boxwood::require_class(below(classes_), number(0.2, 0.9)));
    } else {
      query_.requirements.push_back(boxwood::require_class(below(classes_)));
    }
  }

  double on(const boxwood::Calibration& one, double x) const {
    using Kind = boxwood::Calibration::Kind;
    if (one.kind == Kind::sigmoid) return 1 / (1 + std::exp(one.slope * x + one.shift));
    if (one.kind == Kind::affine) return one.slope * x + one.shift;
    if (one.kind == Kind::quotient) return x / one.slope;
    if (one.kind == Kind::exponential) return std::exp(x);
    if (one.kind == Kind::expm1) return std::expm1(x);
    if (one.kind == Kind::square) return x * x;
    if (one.kind == Kind::square_root) return std::sqrt(x);
    const std::size_t count = one.from.size();
    if (x <= one.from.front()) return one.to.front();
    if (x >= one.from.back()) return one.to.back();
    std::size_t i = 0;
    while (i + 2 < count && one.from[i + 1] <= x) ++i;
    if (x == one.from[i]) return one.to[i];
    const double slope = (one.to[i + 1] - one.to[i]) / (one.from[i + 1] - one.from[i]);
    return slope * (x - one.from[i]) + one.to[i];
  }

  std::vector<double> contribution(const boxwood::Ensemble& one, std::size_t i,
                                   const std::vector<double>& point) const {
    const std::vector<double> scores = one.predict(point);
    if (voting_) {
      std::vector<double> votes(classes_, 0.0);
      votes[one.classify(scores)] = 1;
      return votes;
    }
    std::vector<double> outputs = one.transform(scores);
    if (classes_ == 0) {
      outputs.resize(1);
      for (const auto& function : calibrations_[i]) outputs[0] = on(function, outputs[0]);
      return outputs;
    }
    if (one.task == boxwood::Task::binary) {
      const double rest = 1 - outputs[0];
      const bool single = one.accumulator == boxwood::Precision::float32;
      outputs = {single ? static_cast<double>(static_cast<float>(rest)) : rest, outputs[0]};
    }
    if (!calibrations_[i].empty()) {
      const double p = on(calibrations_[i].front(), outputs[1]);
      outputs = {1 - p, p};
      for (double& value : outputs) {
        if (value > 1 && value <= 1 + 1e-5) value = 1;
      }
    }
    return outputs;
  }

  std::mt19937_64 random_;
  std::vector<boxwood::Ensemble> members_;
  std::vector<double> weights_;
  std::vector<boxwood::MemberGroup> groups_;
  std::vector<std::vector<boxwood::Calibration>> calibrations_;
  double divisor_ = 1;
  std::size_t classes_ = 0;
  bool voting_ = false;
  std::optional<double> threshold_;
  boxwood::Ensemble whole_;
  boxwood::Query query_;
};

/// Both engines agree with brute force. False if there are too many points to try.
inline bool expect_composed_answers(const RandomComposition& problem) {
  const std::optional<double> best = problem.cheapest();
  if (!best) return false;
  const std::vector<boxwood::Ensemble> ensembles{problem.ensemble()};
  const boxwood::Prepared prepared(ensembles);
  for (const boxwood::Engine engine : {boxwood::Engine::fast, boxwood::Engine::paper}) {
    boxwood::Options options;
    options.engine = engine;
    const boxwood::Answer answer = boxwood::explain(prepared, problem.query(), options);
    const bool found = std::isfinite(*best);
    EXPECT_EQ(answer.status, found ? boxwood::Status::optimal : boxwood::Status::infeasible);
    if (!found || answer.status != boxwood::Status::optimal) continue;
    EXPECT_EQ(answer.cost, *best);
    EXPECT_TRUE(problem.works(answer.best().point));
    const auto check = boxwood::verify(ensembles, problem.query(), answer, 8, 3);
    EXPECT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
  }
  return true;
}
