#include "search/alternatives.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

constexpr std::size_t most_alternatives = 10'000;

using Way = std::vector<Requirement>;

/// "One of these classes" is each of them in turn.
std::vector<Way> ways_of_classes(const Requirement& requirement, const ClassIn& wanted) {
  std::vector<Way> ways;
  for (const std::size_t target : wanted.targets) {
    ways.push_back({{requirement.ensemble, ClassIs{target}}});
  }
  return ways;
}

/// A softmax of at most u: the sum over the K - 1 rivals of exp(f_k - f_j) is at least 1/u - 1, so
/// one of them is at least a (K - 1)th of that. The softmax that the library computes is within a
/// relative 1e-5 of the true one, or within the smallest float; the lead is lowered accordingly.
std::vector<Way> ways_below(const Requirement& requirement, const Ensemble& ensemble,
                            const OutputIn& wanted) {
  const double classes = static_cast<double>(ensemble.base.size());
  const double most = wanted.range.upper * (1 + 1e-5 + classes * 0x1p-23) + 4 * 0x1p-149;
  if (!(most < 1)) return {{requirement}};
  const double lead = std::log((1 / most - 1) / (classes - 1));
  std::vector<Way> ways;
  for (std::size_t rival = 0; rival < ensemble.base.size(); ++rival) {
    if (rival == wanted.output) continue;
    const Interval ahead{.lower = lead - 1e-4 * (1 + std::abs(lead))};
    ways.push_back({requirement, {requirement.ensemble, ScoreIn{ahead, rival, wanted.output}}});
  }
  return ways;
}

/// Every class but these.
ClassIn other_classes(const Ensemble& ensemble, const std::vector<std::size_t>& targets) {
  ClassIn others;
  for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
    if (std::count(targets.begin(), targets.end(), k) == 0) others.targets.push_back(k);
  }
  return others;
}

std::vector<Interval> outside(const Interval& range) {
  std::vector<Interval> sides;
  const Interval below{.upper = range.lower, .upper_closed = !range.lower_closed};
  const Interval above{.lower = range.upper, .lower_closed = !range.upper_closed};
  if (range.lower > -std::numeric_limits<double>::infinity()) sides.push_back(below);
  if (range.upper < std::numeric_limits<double>::infinity()) sides.push_back(above);
  return sides;
}

std::vector<Way> ways_of(const Requirement& requirement, const Ensemble& ensemble);

/// The ways not to have an outcome: together they are everything else, no more and no less.
std::vector<Way> ways_around(const Requirement& requirement, const Ensemble& ensemble) {
  std::vector<Requirement> others;
  const auto add = [&](auto outcome) { others.push_back({requirement.ensemble, outcome}); };
  if (const auto* classes = std::get_if<ClassIn>(&requirement.outcome)) {
    add(other_classes(ensemble, classes->targets));
  } else if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    for (const Interval& side : outside(output->range)) add(OutputIn{side, output->output});
  } else if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    for (const Interval& side : outside(score->range)) {
      add(ScoreIn{side, score->output, score->rival});
    }
  } else {
    const auto& wanted = std::get<ClassIs>(requirement.outcome);
    if (ensemble.task == Task::binary) return {{requirement}};  // one score, on its other side
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
  std::vector<Way> ways;
  for (const Requirement& other : others) {
    for (Way& way : ways_of(other, ensemble)) ways.push_back(std::move(way));
  }
  return ways;
}

std::vector<Way> ways_of(const Requirement& requirement, const Ensemble& ensemble) {
  if (requirement.negated) return ways_around(requirement, ensemble);
  if (const auto* classes = std::get_if<ClassIn>(&requirement.outcome)) {
    return ways_of_classes(requirement, *classes);
  }
  const auto* output = std::get_if<OutputIn>(&requirement.outcome);
  const bool bends = output && ensemble.link == Link::softmax && ensemble.base.size() > 1;
  if (bends && output->range.upper < 1) return ways_below(requirement, ensemble, *output);
  return {{requirement}};
}

/// The score that a way asks to be large, as it is now; the larger, the nearer, as a rule.
double promise(const Way& way, std::span<const double> scores) {
  if (const auto* lead = std::get_if<ScoreIn>(&way.back().outcome)) return scores[lead->output];
  const auto* wanted = std::get_if<ClassIs>(&way.back().outcome);
  return wanted && wanted->target < scores.size() ? scores[wanted->target] : 0;
}

}  // namespace

std::vector<Query> alternatives(std::span<const Ensemble> ensembles, const Query& query) {
  std::vector<Way> all{{}};
  for (const Requirement& requirement : query.requirements) {
    const Ensemble& ensemble = ensembles[requirement.ensemble];
    std::vector<Way> ways = ways_of(requirement, ensemble);
    if (ways.size() > 1) {
      const std::vector<double> scores = ensemble.predict(query.point);
      std::stable_sort(ways.begin(), ways.end(), [&](const Way& a, const Way& b) {
        return promise(a, scores) > promise(b, scores);
      });
    }
    if (all.size() * ways.size() > most_alternatives) {
      throw Error(
          "query",
          fmt::format("its requirements can be met in more than {} ways", most_alternatives),
          "Ask for fewer classes at a time");
    }
    std::vector<Way> longer;
    for (const Way& begun : all) {
      for (const Way& way : ways) {
        longer.push_back(begun);
        longer.back().insert(longer.back().end(), way.begin(), way.end());
      }
    }
    all = std::move(longer);
  }
  if (all.size() == 1 && all.front() == query.requirements) return {query};
  std::vector<Query> queries;
  for (Way& way : all) {
    queries.push_back(query);
    queries.back().requirements = std::move(way);
  }
  return queries;
}

}  // namespace boxwood
