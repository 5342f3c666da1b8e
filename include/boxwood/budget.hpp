// One set of limits for several searches.
//
//   boxwood::Budget budget(options);
//   boxwood::Answer first = budget.note(boxwood::explain(prepared, query, budget.rest()));
//   boxwood::Answer second = budget.note(boxwood::explain(prepared, other, budget.rest()));
//   if (budget.stop() != boxwood::Stop::finished) …   // a limit ended one of them
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/explain.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace boxwood {

/// What is left of Options::limits. The searches share the time limit and, with `Share::nodes`, the
/// limit on nodes. The limit on memory applies to each search, because they follow each other.
class Budget {
 public:
  enum class Share : std::uint8_t { time, nodes };

  /// Starts the clock. `options` must outlive the budget.
  explicit Budget(const Options& options, Share share = Share::time);

  /// Options for the next search, with what is left of the limits. Its progress counts the nodes
  /// and seconds of all searches so far. `costs` gives the best cost and the lower bound to report;
  /// by default they are unknown, because those of one search mean nothing for the whole.
  using Costs = std::function<std::pair<double, double>(const Progress& inner)>;
  Options rest(const Costs& costs = {});
  /// Costs that are those of the running search.
  static std::pair<double, double> as_reported(const Progress& inner) {
    return {inner.best_cost, inner.lower_bound};
  }

  /// Adds what a search used, and keeps the first reason why a search stopped early. If costs are
  /// unknown, it also reports progress every 0.1 s: short searches report nothing themselves.
  const Answer& note(const Answer& answer);

  /// Since the budget was made.
  double seconds() const;
  /// By all searches noted; `open_nodes` of the last one.
  const Statistics& used() const { return used_; }
  Stop stop() const { return stop_; }
  bool stopped() const { return stop_ != Stop::finished; }
  /// The limit that leaves nothing for a further search; `finished` if there is none.
  Stop exhausted() const;

 private:
  using Clock = std::chrono::steady_clock;

  const Options& options_;
  Share share_;
  Clock::time_point start_;
  Statistics used_;
  Stop stop_ = Stop::finished;
  bool knows_costs_ = false;
  double next_report_;
};

}  // namespace boxwood
