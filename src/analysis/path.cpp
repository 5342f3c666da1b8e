// The changes of an answer one by one.
#include "analysis/variables.hpp"
#include "base/infinity.hpp"
#include "query/lead.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>

#include <algorithm>

namespace boxwood {
namespace {

double inside_by(const Interval& range, double value) {
  return std::min(value - range.lower, range.upper - value);
}

double standing_of(const Requirement& requirement, const Ensemble& ensemble,
                   std::span<const double> scores) {
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return inside_by(output->range, ensemble.transform(scores)[output->output]);
  }
  if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    const double own = scores[score->output];
    return inside_by(score->range, score->rival ? own - scores[*score->rival] : own);
  }
  if (const auto* several = std::get_if<ClassIn>(&requirement.outcome)) {
    return lead_of(ensemble, scores, several->targets);
  }
  const auto& wanted = std::get<ClassIs>(requirement.outcome);
  if (wanted.probability) {
    return ensemble.probability(ensemble.transform(scores), wanted.target) - *wanted.probability;
  }
  return lead_of(ensemble, scores, {&wanted.target, 1}) - wanted.margin.value_or(0);
}

}  // namespace

double standing(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores) {
  const double value = standing_of(requirement, ensemble, scores);
  return requirement.negated ? -value : value;
}

std::vector<PathStep> find_path(const Prepared& prepared, const Query& query,
                                std::span<const double> to, bool resolve, const Options& options) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  Budget budget(options);
  std::vector<FeatureSet> left = changed_sets(query, to);
  std::vector<double> at = query.point;
  const auto moved = [&](const FeatureSet& set) {
    std::vector<double> point = at;
    for (const std::size_t column : set.columns) point[column] = to[column];
    set_derived(query, point);
    return point;
  };
  std::vector<PathStep> path;
  while (!left.empty()) {
    std::size_t best = 0;
    double most = -infinity;
    for (std::size_t i = 0; i < left.size() && !query.requirements.empty(); ++i) {
      const Requirement& first = query.requirements.front();
      const Ensemble& ensemble = ensembles[first.ensemble];
      const double reached = standing(first, ensemble, ensemble.predict(moved(left[i])));
      if (reached > most) {
        most = reached;
        best = i;
      }
    }
    PathStep step;
    step.features = left[best].columns;
    at = step.point = moved(left[best]);
    for (const Ensemble& ensemble : ensembles) {
      step.outputs.push_back(ensemble.transform(ensemble.predict(at)));
    }
    if (resolve) {
      Query without = query;
      for (const std::size_t column : step.features) without.features[column].fixed = true;
      step.without = budget.note(explain(prepared, without, budget.rest()));
    }
    path.push_back(std::move(step));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return path;
}

}  // namespace boxwood
