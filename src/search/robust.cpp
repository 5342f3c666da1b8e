#include "search/robust.hpp"

#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "grid/grid.hpp"
#include "query/neighbours.hpp"
#include "search/adversary.hpp"
#include "search/cases.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"
#include "search/watch.hpp"

#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <algorithm>
#include <utility>

namespace boxwood {
namespace {

class RobustSearch {
 public:
  RobustSearch(const Prepared& prepared, const Query& query, const Options& options,
               std::span<const double> known_solution)
      : prepared_(prepared),
        query_(query),
        known_(known_solution),
        watch_(options.limits),
        budget_(options, Budget::Share::nodes),
        adversary_(prepared, query, budget_),
        precision_(common_precision(prepared.ensembles())),
        current_(prepared),
        relaxed_(without_robustness(query)) {}

  Answer run() {
    for (;;) {
      Options rest = budget_.rest([this](const Progress& inner) {
        return std::pair{infinity, std::max(lower_, inner.lower_bound)};
      });
      rest.limits.bytes -= std::min<std::uint64_t>(rest.limits.bytes, held_.bytes());
      Answer answer = explain_guarded(current_, relaxed_, rest, known_);
      budget_.note(answer);
      if (answer.solutions.empty()) return finish(std::move(answer));
      lower_ = std::max(lower_, answer.lower_bound);
      const Adversary::Finding first = adversary_.examine(answer.best().point);
      if (first.verdict == Adversary::Verdict::robust)
        return finish(keep_robust(std::move(answer)));
      const bool stopped = first.verdict == Adversary::Verdict::unknown ||
                           answer.status != Status::optimal ||
                           budget_.exhausted() != Stop::finished;
      if (stopped || !exclude(first.neighbour)) {
        answer.solutions.clear();
        answer.status = Status::unknown;
        return finish(std::move(answer));
      }
    }
  }

 private:
  /// Asks that the outcome holds for rows that are moved towards a neighbour without it.
  bool exclude(std::span<const double> neighbour) {
    const Moves moves = adversary_.towards(neighbour);
    const std::size_t models = prepared_.ensembles().size();
    try {
      std::vector<std::uint8_t> asked(models, 0);
      for (const Requirement& requirement : query_.requirements) asked[requirement.ensemble] = 1;
      for (std::size_t e = 0; e < models; ++e) {
        if (!asked[e]) continue;
        Ensemble copy = moved_ensemble(prepared_.ensembles()[e], query_, moves, precision_);
        MemoryHold more;
        current_ = prepare_with(current_, std::move(copy), std::nullopt, watch_, more);
        held_ = std::move(more);
        const std::size_t index = current_.ensembles().size() - 1;
        for (const Requirement& requirement : query_.requirements) {
          if (requirement.ensemble != e) continue;
          relaxed_.requirements.push_back(requirement);
          relaxed_.requirements.back().ensemble = index;
        }
      }
    } catch (const Pace::Stopped&) {
      return false;
    }
    return true;
  }

  /// Of several points of the same cost those that are robust.
  Answer keep_robust(Answer answer) {
    std::vector<Solution> kept{answer.solutions.front()};
    for (std::size_t i = 1; i < answer.solutions.size(); ++i) {
      const Adversary::Finding one = adversary_.examine(answer.solutions[i].point);
      if (one.verdict == Adversary::Verdict::robust) kept.push_back(answer.solutions[i]);
      answer.more_ties |= one.verdict == Adversary::Verdict::unknown;
    }
    answer.solutions = std::move(kept);
    return answer;
  }

  Answer finish(Answer answer) {
    const std::span<const Ensemble> models = prepared_.ensembles();
    answer.output_before.resize(models.size());
    if (!answer.output_after.empty()) answer.output_after.resize(models.size());
    if (answer.solutions.empty()) {
      answer.cost = answer.distance = infinity;
      answer.output_after.clear();
      answer.already_met = false;
      if (answer.status != Status::infeasible) {
        answer.lower_bound = std::max(lower_, answer.lower_bound);
        answer.stop = budget_.stopped() ? budget_.stop() : budget_.exhausted();
        if (answer.stop == Stop::finished) answer.stop = watch_.stop();
      }
    }
    for (Solution& solution : answer.solutions) {
      solution.region = pure_box(models, solution.point);
      solution.codes = pure_codes(models, solution.point);
    }
    answer.statistics = budget_.used();
    return answer;
  }

  const Prepared& prepared_;
  const Query& query_;
  std::span<const double> known_;
  Watch watch_;
  Budget budget_;
  Adversary adversary_;
  Precision precision_;
  MemoryHold held_;
  Prepared current_;
  Query relaxed_;
  double lower_ = 0;
};

/// Each moved ensemble could have another of several cases, so that their number would multiply
/// from round to round.
void check_cases(const Prepared& prepared, const Query& query) {
  for (const Requirement& requirement : query.requirements) {
    Query one = query;
    one.requirements = {requirement};
    if (split_into_cases(prepared.ensembles(), one).size() == 1) continue;
    throw Error("robust", "an outcome with several cases cannot be robust",
                "Name a single class, or a least value of the output");
  }
}

}  // namespace

Answer explain_robust(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution) {
  if (!query.derived.empty()) {
    throw Error("robust", "derived columns do not support robust answers",
                "Leave out the robustness");
  }
  for (const Ensemble& ensemble : prepared.ensembles()) {
    if (ensemble.link != Link::composed) continue;
    throw Error("robust", "models that are composed of others do not support robust answers",
                "Ask the members themselves, or leave out the robustness");
  }
  check_moves(prepared.ensembles(), query);
  check_cases(prepared, query);
  return RobustSearch(prepared, query, options, known_solution).run();
}

}  // namespace boxwood
