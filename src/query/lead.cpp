#include "query/lead.hpp"
#include "base/infinity.hpp"

#include <algorithm>

namespace boxwood {

double lead(double score, double rival) { return score == rival ? 0.0 : score - rival; }

namespace {

template <typename Wanted>
double lead_among(std::span<const double> numbers, Wanted wanted) {
  double best = -infinity, other = -infinity;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    double& side = wanted(k) ? best : other;
    side = std::max(side, numbers[k]);
  }
  return lead(best, other);
}

}  // namespace

double lead_of(const Ensemble& ensemble, std::span<const double> scores,
               std::span<const std::size_t> targets) {
  const auto wanted = [&](std::size_t k) {
    return std::find(targets.begin(), targets.end(), k) != targets.end();
  };
  if (ensemble.link == Link::composed) {
    const auto& threshold = ensemble.composition.threshold;
    const std::vector<double> outputs = ensemble.transform(scores);
    if (!threshold) return lead_among(ensemble.composition.by_score ? scores : outputs, wanted);
    if (wanted(0) && wanted(1)) return infinity;
    const double own = threshold->of_score ? (threshold->target == 1 ? scores[0] : -scores[0])
                                           : outputs[threshold->target];
    return wanted(threshold->target) ? own - threshold->least : threshold->least - own;
  }
  if (scores.size() == 1) {
    if (wanted(0) && wanted(1)) return infinity;
    const bool halves = ensemble.decision == Decision::score_above_half ||
                        (ensemble.decision == Decision::output_above_half &&
                         (ensemble.link == Link::identity || ensemble.link == Link::votes));
    const double beyond = scores[0] - (halves ? 0.5 : 0.0);
    return wanted(1) ? beyond : -beyond;
  }
  return lead_among(scores, wanted);
}

}  // namespace boxwood
