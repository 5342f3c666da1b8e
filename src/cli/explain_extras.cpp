#include "cli/explain_extras.hpp"

#include "cli/lists.hpp"
#include "cli/usage.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood::cli {
namespace {

/// The answer to show if a menu is empty because nothing is possible or a limit ended the search.
Answer no_answer(const Prepared& prepared, const Query& query, const Menu& menu, double seconds) {
  Answer answer;
  for (const Ensemble& ensemble : prepared.ensembles()) {
    answer.output_before.push_back(ensemble.transform(ensemble.predict(query.point)));
  }
  answer.status = menu.complete ? Status::infeasible : Status::unknown;
  answer.stop = menu.stop;
  if (menu.complete) answer.lower_bound = std::numeric_limits<double>::infinity();
  answer.statistics.seconds = seconds;
  return answer;
}

Findings findings_around(const Prepared& prepared, const Query& query, const Answer& answer,
                         const ExtrasAsked& asked, Budget& budget, bool& limited) {
  Findings findings;
  if (answer.solutions.empty() || answer.already_met) return findings;
  const std::vector<double>& point = answer.best().point;
  if (asked.round)
    findings.rounding = {find_rounded(prepared, query, point, *asked.round), *asked.round};
  if (asked.widen) {
    findings.wide =
        find_wide_region(prepared, query, point, asked.order, budget.rest(Budget::as_reported));
    limited = limited || findings.wide->stop != Stop::finished;
  }
  if (asked.path) {
    findings.path = find_path(prepared, query, point, true, budget.rest(Budget::as_reported));
    for (const PathStep& step : findings.path) {
      limited = limited || (step.without && step.without->stop != Stop::finished);
    }
  }
  return findings;
}

}  // namespace

void add_extra_flags(CLI::App& command, ExtraFlags& flags) {
  const std::string group = "What else to find";
  auto* count = command
                    .add_option("--k", flags.count,
                                "a menu of this many alternatives, cheapest first, each proven")
                    ->check(CLI::Range(std::size_t{1}, std::size_t{10000}))
                    ->group(group);
  auto* apart = command
                    .add_option("--apart", flags.apart,
                                "how alternatives differ: features (none only adds changes to a\n"
                                "cheaper one), regions (of the model), or distance")
                    ->check(CLI::IsMember({"features", "regions", "distance"}))
                    ->capture_default_str()
                    ->needs(count)
                    ->group(group);
  command
      .add_option("--distance", flags.distance,
                  "for --apart distance: the least difference in some feature, in units of its\n"
                  "scale (default 1)")
      ->needs(apart)
      ->group(group);
  auto* widen = command
                    .add_flag("--widen", flags.widen,
                              "widen each interval around the answer as far as the outcome holds")
                    ->group(group);
  command.add_option("--order", flags.order, "features to widen first: a,b")
      ->allow_extra_args(false)
      ->needs(widen)
      ->group(group);
  command
      .add_flag("--why-not", flags.why_not,
                "if no change is possible: list the rules that block it")
      ->group(group);
  command
      .add_flag("--path", flags.path,
                "show the effect of each change, and the cost of an answer without it")
      ->group(group);
  command
      .add_option("--round", flags.round,
                  "round numbers if the cost grows by at most this share: 0.05 is 5 %")
      ->group(group);
}

ExtrasAsked extras_asked(const ExtraFlags& flags, const Schema& schema) {
  ExtrasAsked asked;
  asked.widen = flags.widen;
  asked.why_not = flags.why_not;
  asked.path = flags.path;
  asked.round = flags.round;
  if (flags.round && !(*flags.round >= 0 && std::isfinite(*flags.round))) {
    throw UsageError("--round", "must be a number ≥ 0", "Write 0.05 for 5 %");
  }
  for (const std::string& list : flags.order) {
    const std::vector<std::size_t> features = parse_features(list, schema, "--order");
    asked.order.insert(asked.order.end(), features.begin(), features.end());
  }
  if (flags.distance && flags.apart != "distance") {
    throw UsageError("--distance", "needs --apart distance");
  }
  if (flags.distance && !(*flags.distance > 0 && std::isfinite(*flags.distance))) {
    throw UsageError("--distance", "must be a number above 0");
  }
  if (flags.count) {
    asked.menu = MenuOptions{*flags.count,
                             flags.apart == "features"  ? Apart::features
                             : flags.apart == "regions" ? Apart::regions
                                                        : Apart::distance,
                             flags.distance.value_or(1)};
  }
  return asked;
}

Extras find_extras(const Prepared& prepared, const Query& query, const ExtrasAsked& asked,
                   const Options& options) {
  Budget budget(options);
  Extras found;
  std::optional<WhyNot> why;
  if (asked.menu) {
    found.menu = find_menu(prepared, query, *asked.menu, budget.rest(Budget::as_reported));
    found.answers = std::move(found.menu.answers);
    found.limited = found.menu.stop != Stop::finished;
    if (found.answers.empty()) {
      found.answers.push_back(no_answer(prepared, query, found.menu, budget.seconds()));
    }
  } else if (asked.why_not) {
    why = find_why_not(prepared, query, {}, budget.rest(Budget::as_reported));
    found.answers = {why->answer};
  } else {
    found.answers = {explain(prepared, query, budget.rest(Budget::as_reported))};
  }
  if (asked.why_not && !why && found.answers.front().status == Status::infeasible) {
    why = find_why_not(prepared, query, {}, budget.rest(Budget::as_reported));
  }
  for (const Answer& answer : found.answers) {
    found.limited = found.limited || answer.stop != Stop::finished;
    found.findings.push_back(
        findings_around(prepared, query, answer, asked, budget, found.limited));
  }
  if (why && found.answers.front().status == Status::infeasible) {
    found.limited = found.limited || why->stop != Stop::finished;
    found.findings.front().why_not = std::move(why);
  }
  return found;
}

}  // namespace boxwood::cli
