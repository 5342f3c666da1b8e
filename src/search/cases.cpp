#include "search/cases.hpp"

#include "grid/conditions.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// Each case is a search of its own. More cases than this would take too long.
constexpr std::size_t most_cases = 10'000;

using Case = std::vector<Requirement>;

/// "One of these classes" has one case for each class.
std::vector<Case> cases_of_classes(const Requirement& requirement, const ClassIn& wanted) {
  std::vector<Case> cases;
  for (const std::size_t target : wanted.targets) {
    cases.push_back({{requirement.ensemble, ClassIs{target}}});
  }
  return cases;
}

/// Share of a lead that is given up for the rounding of scores. The case also has the requirement
/// itself, so a lower lead costs time only.
constexpr double lead_slack = 1e-4;

/// A softmax of at most u: the sum over the K - 1 rivals of exp(f_k - f_j) is at least 1/u - 1, so
/// one of them is at least a (K - 1)th of that. The errors of the library's softmax are added to u.
std::vector<Case> cases_below(const Requirement& requirement, const Ensemble& ensemble,
                              const OutputIn& wanted) {
  const double classes = static_cast<double>(ensemble.base.size());
  const double most =
      wanted.range.upper * (1 + softmax_error + classes * softmax_sum_error) + softmax_floor;
  if (!(most < 1)) return {{requirement}};
  const double lead = std::log((1 / most - 1) / (classes - 1));
  std::vector<Case> cases;
  for (std::size_t rival = 0; rival < ensemble.base.size(); ++rival) {
    if (rival == wanted.output) continue;
    const Interval ahead{.lower = lead - lead_slack * (1 + std::abs(lead))};
    cases.push_back({requirement, {requirement.ensemble, ScoreIn{ahead, rival, wanted.output}}});
  }
  return cases;
}

/// All classes except these.
ClassIn other_classes(const Ensemble& ensemble, const std::vector<std::size_t>& targets) {
  ClassIn others;
  for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
    if (std::count(targets.begin(), targets.end(), k) == 0) others.targets.push_back(k);
  }
  return others;
}

std::vector<Interval> outside(const Interval& range) {
  std::vector<Interval> parts;
  const Interval below{.upper = range.lower, .upper_closed = !range.lower_closed};
  const Interval above{.lower = range.upper, .lower_closed = !range.upper_closed};
  // An output that overflows is infinite; it lies outside an interval whose end at infinity is
  // open.
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (range.lower > -infinite || !range.lower_closed) parts.push_back(below);
  if (range.upper < infinite || !range.upper_closed) parts.push_back(above);
  return parts;
}

std::vector<Case> cases_of(const Requirement& requirement, const Ensemble& ensemble);

/// The cases of not having an outcome. Together they hold exactly the points that do not have it.
std::vector<Case> cases_around(const Requirement& requirement, const Ensemble& ensemble) {
  std::vector<Requirement> others;
  const auto add = [&](auto outcome) { others.push_back({requirement.ensemble, outcome}); };
  if (const auto* classes = std::get_if<ClassIn>(&requirement.outcome)) {
    add(other_classes(ensemble, classes->targets));
  } else if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    for (const Interval& part : outside(output->range)) add(OutputIn{part, output->output});
  } else if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    for (const Interval& part : outside(score->range)) {
      add(ScoreIn{part, score->output, score->rival});
    }
  } else {
    const auto& wanted = std::get<ClassIs>(requirement.outcome);
    if (ensemble.task == Task::binary)
      return {{requirement}};  // one score, compared the other way round
    if (wanted.probability) {
      add(OutputIn{{.upper = *wanted.probability, .upper_closed = false}, wanted.target});
    } else {
      add(other_classes(ensemble, {wanted.target}));
    }
    for (std::size_t rival = 0; wanted.margin && rival < ensemble.base.size(); ++rival) {
      if (rival == wanted.target) continue;
      add(ScoreIn{{.upper = *wanted.margin, .upper_closed = false}, wanted.target, rival});
    }
  }
  std::vector<Case> cases;
  for (const Requirement& other : others) {
    for (Case& one : cases_of(other, ensemble)) cases.push_back(std::move(one));
  }
  return cases;
}

std::vector<Case> cases_of(const Requirement& requirement, const Ensemble& ensemble) {
  if (requirement.counted) return {{requirement}};  // its cases would count as often as it
  if (requirement.negated) return cases_around(requirement, ensemble);
  if (const auto* classes = std::get_if<ClassIn>(&requirement.outcome)) {
    return cases_of_classes(requirement, *classes);
  }
  const auto* output = std::get_if<OutputIn>(&requirement.outcome);
  const bool bends = output && ensemble.link == Link::softmax && ensemble.base.size() > 1;
  if (bends && output->range.upper < 1) return cases_below(requirement, ensemble, *output);
  return {{requirement}};
}

/// The present value of the score that the case wants to be large. Points of a case with a larger
/// value are usually nearer.
double promise(const Case& one, std::span<const double> scores) {
  if (const auto* lead = std::get_if<ScoreIn>(&one.back().outcome)) return scores[lead->output];
  const auto* wanted = std::get_if<ClassIs>(&one.back().outcome);
  return wanted && wanted->target < scores.size() ? scores[wanted->target] : 0;
}

}  // namespace

std::vector<Query> split_into_cases(std::span<const Ensemble> ensembles, const Query& query) {
  std::vector<Case> all{{}};
  for (const Requirement& requirement : query.requirements) {
    const Ensemble& ensemble = ensembles[requirement.ensemble];
    std::vector<Case> cases = cases_of(requirement, ensemble);
    if (cases.size() > 1) {
      const std::vector<double> scores = ensemble.predict(query.point);
      std::stable_sort(cases.begin(), cases.end(), [&](const Case& a, const Case& b) {
        return promise(a, scores) > promise(b, scores);
      });
    }
    if (all.size() * cases.size() > most_cases) {
      throw Error("query",
                  fmt::format("its requirements divide into more than {} cases", most_cases),
                  "Ask for fewer classes at a time");
    }
    std::vector<Case> longer;
    for (const Case& begun : all) {
      for (const Case& one : cases) {
        longer.push_back(begun);
        longer.back().insert(longer.back().end(), one.begin(), one.end());
      }
    }
    all = std::move(longer);
  }
  if (all.size() == 1 && all.front() == query.requirements) return {query};
  std::vector<Query> queries;
  for (Case& one : all) {
    queries.push_back(query);
    queries.back().requirements = std::move(one);
  }
  return queries;
}

}  // namespace boxwood
