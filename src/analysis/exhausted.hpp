// Work of analyses besides their searches, within the limits of one budget.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/budget.hpp>

#include <span>

namespace boxwood {

/// Whether a limit leaves nothing for more work. If so, the budget stores that limit as the reason.
inline bool check_exhausted(Budget& budget) {
  Answer stopped;
  stopped.stop = budget.exhausted();
  if (stopped.stop == Stop::finished) return false;
  stopped.statistics.open_nodes = budget.used().open_nodes;
  stopped.statistics.threads = budget.used().threads;
  budget.note(stopped);
  return true;
}

/// The cuts of models. Throws Pace::Stopped when the budget is exhausted.
inline Cuts cuts_within(Budget& budget, std::span<const Ensemble> ensembles) {
  Pace pace([&budget] { return check_exhausted(budget); });
  return collect_cuts(ensembles, pace);
}

}  // namespace boxwood
