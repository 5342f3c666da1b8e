#include "query/lead.hpp"
#include "base/infinity.hpp"

#include <algorithm>

namespace boxwood {

double lead(double score, double rival) { return score == rival ? 0.0 : score - rival; }

double lead_of(const Ensemble& ensemble, std::span<const double> scores,
               std::span<const std::size_t> targets) {
  const auto wanted = [&](std::size_t k) {
    return std::find(targets.begin(), targets.end(), k) != targets.end();
  };
  if (scores.size() == 1) {
    if (wanted(0) && wanted(1)) return infinity;
    const bool halves = ensemble.decision == Decision::score_above_half ||
                        (ensemble.decision == Decision::output_above_half &&
                         (ensemble.link == Link::identity || ensemble.link == Link::votes));
    const double beyond = scores[0] - (halves ? 0.5 : 0.0);
    return wanted(1) ? beyond : -beyond;
  }
  double best = -infinity, other = -infinity;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    double& side = wanted(k) ? best : other;
    side = std::max(side, scores[k]);
  }
  return lead(best, other);
}

}  // namespace boxwood
