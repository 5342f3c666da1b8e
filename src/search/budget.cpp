#include "search/engine_settings.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <limits>

namespace boxwood {

Budget::Budget(const Options& options, Share share)
    : options_(options),
      share_(share),
      start_(Clock::now()),
      next_report_(settings_of(options).report_seconds) {}

double Budget::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

Options Budget::rest(const Costs& costs) {
  knows_costs_ = knows_costs_ || costs;
  Options rest = options_;
  rest.limits.seconds = std::max(0.0, options_.limits.seconds - seconds());
  if (share_ == Share::nodes) {
    rest.limits.nodes = options_.limits.nodes - std::min(options_.limits.nodes, used_.nodes);
  }
  if (options_.progress) {
    rest.progress = [this, costs](const Progress& inner) {
      constexpr double unknown = std::numeric_limits<double>::infinity();
      const auto [best, lower] = costs ? costs(inner) : std::pair{unknown, 0.0};
      options_.progress({best, lower, used_.nodes + inner.nodes, seconds()});
    };
  }
  return rest;
}

const Answer& Budget::note(const Answer& answer) {
  used_.nodes += answer.statistics.nodes;
  used_.open_nodes = answer.statistics.open_nodes;
  used_.peak_bytes = std::max(used_.peak_bytes, answer.statistics.peak_bytes);
  used_.threads = answer.statistics.threads;
  used_.seconds = seconds();
  if (stop_ == Stop::finished) stop_ = answer.stop;
  if (options_.progress && !knows_costs_ && used_.seconds >= next_report_) {
    next_report_ = used_.seconds + settings_of(options_).report_seconds;
    options_.progress({std::numeric_limits<double>::infinity(), 0, used_.nodes, used_.seconds});
  }
  return answer;
}

Stop Budget::exhausted() const {
  const Limits& limits = options_.limits;
  for (const std::atomic<bool>* flag : {limits.interrupt, limits.cancel}) {
    if (flag && flag->load()) return Stop::interrupt;
  }
  if (seconds() > limits.seconds) return Stop::time;
  if (share_ == Share::nodes && used_.nodes >= limits.nodes) return Stop::nodes;
  return Stop::finished;
}

}  // namespace boxwood
