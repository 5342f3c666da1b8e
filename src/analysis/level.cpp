#include "analysis/level.hpp"

#include "base/infinity.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>

namespace boxwood {

bool asks_at_most(const Requirement& requirement) {
  const auto upper_only = [](const Interval& range) {
    return range.lower == -infinity && range.upper < infinity;
  };
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return upper_only(output->range);
  }
  const auto* score = std::get_if<ScoreIn>(&requirement.outcome);
  return score && upper_only(score->range);
}

Requirement at_level(Requirement requirement, double level, const char* what) {
  const bool at_most = asks_at_most(requirement);
  const auto set_end = [&](Interval& range) { (at_most ? range.upper : range.lower) = level; };
  if (auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    set_end(output->range);
  } else if (auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    set_end(score->range);
  } else if (auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    (wanted->margin ? wanted->margin : wanted->probability) = level;
  } else {
    throw Error(what, "a requirement of one of several classes has no level",
                "Require a single class");
  }
  return requirement;
}

void set_level(Query& query, double level) {
  const Requirement first = query.requirements.front();
  for (Requirement& requirement : query.requirements) {
    const bool follows =
        first.counted ? requirement.counted : &requirement == &query.requirements.front();
    if (follows) requirement = at_level(requirement, level, "sweep");
  }
}

double level_of(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores) {
  if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    return scores[score->output] - (score->rival ? scores[*score->rival] : 0.0);
  }
  const std::vector<double> outputs = ensemble.transform(scores);
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return outputs[output->output];
  }
  return ensemble.probability(outputs, std::get<ClassIs>(requirement.outcome).target);
}

}  // namespace boxwood
