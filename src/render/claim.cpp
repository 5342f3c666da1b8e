// What an answer proves about its own question: first as facts that a program can check, then as
// words. Tables, sentences, HTML, JSON, CSV, plots and Python all take the claim from here.
// tests/claim_test.cpp compares the facts with brute force.
#include "render/claim.hpp"

#include "render/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// The features whose size of change counts: neither fixed, nor categorical, nor in a group.
std::vector<const FeatureRule*> measured_features(const Query& query) {
  std::vector<bool> grouped(query.features.size(), false);
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) grouped[column] = true;
  }
  std::vector<const FeatureRule*> measured;
  for (std::size_t i = 0; i < query.features.size(); ++i) {
    const FeatureRule& rule = query.features[i];
    if (!grouped[i] && !rule.fixed && rule.kind != FeatureKind::categorical) {
      measured.push_back(&rule);
    }
  }
  return measured;
}

bool measures_sizes(const Query& query) {
  if (query.norm == Norm::l0 || query.norm == Norm::custom) return false;
  return query.norm != Norm::mixture || query.mixture.squared_l2 > 0 || query.mixture.l1 > 0;
}

/// What one unit of change is: " by range", " by scale", " by quantile", " in raw units".
std::string unit_words(const Query& query) {
  const std::vector<const FeatureRule*> measured = measured_features(query);
  if (measured.empty()) return {};
  const auto any = [&](auto holds) { return std::any_of(measured.begin(), measured.end(), holds); };
  if (any([](const FeatureRule* rule) { return !rule->quantiles.empty(); })) return " by quantile";
  if (any([](const FeatureRule* rule) { return rule->scale != 1; })) {
    return " by " + (query.scale_name.empty() ? std::string("scale") : query.scale_name);
  }
  return " in raw units";
}

bool is_weighted(const Query& query) {
  const auto weighted = [](const FeatureRule& rule) {
    return !rule.fixed && (rule.weight != 1 || rule.up != 1 || rule.down != 1);
  };
  return std::any_of(query.features.begin(), query.features.end(), weighted) ||
         std::any_of(query.groups.begin(), query.groups.end(),
                     [](const OneHot& group) { return group.weight != 1; });
}

std::string norm_words(const Query& query) {
  switch (query.norm) {
    case Norm::squared_l2:
      return "squared L2" + unit_words(query);
    case Norm::l1:
      return "L1" + unit_words(query);
    case Norm::l0:
      return "number of changed features";
    case Norm::linf:
      return "largest change" + unit_words(query);
    case Norm::mixture: {
      std::vector<std::string> parts;
      const auto add = [&](double share, const std::string& words) {
        if (share > 0) parts.push_back(share == 1 ? words : fmt::format("{:g} {}", share, words));
      };
      add(query.mixture.l1, "L1" + unit_words(query));
      add(query.mixture.squared_l2, "squared L2" + unit_words(query));
      if (query.mixture.l0 > 0) {
        parts.push_back(fmt::format("{:g} per changed feature", query.mixture.l0));
      }
      return fmt::format("{}", fmt::join(parts, " + "));
    }
    case Norm::custom:
      break;
  }
  return "custom cost";
}

/// "allowed " where rules forbid some changes.
const char* allowed_word(const Claim& claim) { return claim.limited ? "allowed " : ""; }

/// The number of changes of the answer: "single change", "allowed pair of changes", "set of 3
/// changes".
std::string change_set(const Claim& claim) {
  if (claim.changes == 1) return fmt::format("single {}change", allowed_word(claim));
  if (claim.changes == 2) return fmt::format("{}pair of changes", allowed_word(claim));
  return fmt::format("{}set of {} changes", allowed_word(claim), claim.changes);
}

/// Says that fewer changes are not enough; empty if fewer changes would mean no change.
std::string refuted_text(const Claim& claim) {
  if (claim.least_changes < 2) return {};
  if (claim.least_changes == 2) return fmt::format("no single {}change works", allowed_word(claim));
  return fmt::format("no {}change of fewer than {} features works", allowed_word(claim),
                     claim.least_changes);
}

/// "that differs enough from the 2 alternatives before "; empty for the first one.
std::string apart_text(const Claim& claim) {
  if (claim.earlier_alternatives == 0) return {};
  if (claim.earlier_alternatives == 1) return "that differs enough from the alternative before ";
  return fmt::format("that differs enough from the {} alternatives before ",
                     claim.earlier_alternatives);
}

/// "proven"; for a later alternative of a menu, followed by what the statements are restricted to.
std::string proven_text(const Claim& claim) {
  if (claim.earlier_alternatives == 0) return "proven";
  return fmt::format(
      "proven for changes that differ enough from the {}alternative{} before",
      claim.earlier_alternatives == 1 ? "" : fmt::format("{} ", claim.earlier_alternatives),
      claim.earlier_alternatives == 1 ? "" : "s");
}

/// The gap that linear rules between continuous features leave, rounded up to one digit.
std::string tolerance_text(double gap) {
  const double percent = 100 * gap;
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(percent))));
  const double unit = std::pow(10.0, -digits);
  constexpr double almost = 1 - 1e-6;  // so that rounding does not add a unit
  return fmt::format("{:.{}f} %", unit * std::ceil(percent / unit * almost), digits);
}

/// For a robust answer. Cheaper points may have the outcome themselves, but not for all their
/// neighbours.
std::string robust_text(const Claim& claim) {
  const std::string holds = fmt::format(
      "{}: every row within the given distances of this one has the outcome", proven_text(claim));
  if (claim.fewest_first) {
    return fmt::format(
        "{}; no {}change of fewer features has this property, no other {} with it "
        "is cheaper ({})",
        holds, allowed_word(claim), change_set(claim), claim.cost_name);
  }
  const std::string by =
      claim.gap > 0 ? fmt::format(" by more than {}", tolerance_text(claim.gap)) : "";
  return fmt::format("{}; no allowed change with this property is cheaper{} ({})", holds, by,
                     claim.cost_name);
}

std::string optimal_text(const Claim& claim) {
  if (claim.robust) return robust_text(claim);
  if (claim.gap > 0 && !claim.fewest_first) {
    return fmt::format("{} to within {} of the optimum ({})", proven_text(claim),
                       tolerance_text(claim.gap), claim.cost_name);
  }
  if (!claim.fewest_first) {
    return fmt::format("proven: no allowed change {}costs less ({})", apart_text(claim),
                       claim.cost_name);
  }
  const std::string refuted = refuted_text(claim);
  const std::string by =
      claim.gap > 0 ? fmt::format(" by more than {}", tolerance_text(claim.gap)) : "";
  return fmt::format("{}: {}{}no other {} is cheaper{} ({})", proven_text(claim), refuted,
                     refuted.empty() ? "" : "; ", change_set(claim), by, claim.cost_name);
}

std::string feasible_text(const Claim& claim) {
  const char* found = claim.stop == Stop::finished ? "rounder than the best" : "best found";
  const bool useful = is_useful_bound(claim.lower_bound, claim.cost);
  const std::string bound = bound_text(claim.lower_bound);
  const std::string gap = fmt::format("(gap {:.1f} %, {})", 100 * claim.gap, claim.cost_name);
  if (claim.robust && claim.stop != Stop::finished) {
    const std::string holds =
        "best found, and proven: every row within the given distances of it has the outcome";
    if (!useful) return fmt::format("{}; no useful lower bound yet ({})", holds, claim.cost_name);
    return fmt::format("{}; no allowed change with this property costs less than {} {}", holds,
                       bound, gap);
  }
  if (!claim.fewest_first) {
    if (!useful) return fmt::format("{}; no useful lower bound yet ({})", found, claim.cost_name);
    if (claim.earlier_alternatives == 0) {
      return fmt::format("{}; nothing cheaper than {} exists {}", found, bound, gap);
    }
    return fmt::format("{}; no allowed change {}costs less than {} {}", found, apart_text(claim),
                       bound, gap);
  }
  const std::string refuted = refuted_text(claim);
  const std::string proven =
      refuted.empty() ? "" : fmt::format("; {}: {}", proven_text(claim), refuted);
  if (claim.least_changes < claim.changes) {
    return fmt::format("{}{}; fewer than {} changes may work ({})", found, proven, claim.changes,
                       claim.cost_name);
  }
  if (!useful) {
    return fmt::format("{}{}; another {} may be cheaper ({})", found, proven, change_set(claim),
                       claim.cost_name);
  }
  return fmt::format("{}{}; no {} costs less than {} {}", found, proven, change_set(claim), bound,
                     gap);
}

std::string unknown_text(const Claim& claim) {
  if (claim.fewest_first && claim.least_changes > 1) {
    return fmt::format("proven: {}; it is unknown whether more changes work", refuted_text(claim));
  }
  if (claim.fewest_first || !(claim.lower_bound > 0)) {
    return "it is unknown whether an allowed change works";
  }
  return fmt::format("proven: no allowed change that works costs less than {} ({})",
                     bound_text(claim.lower_bound), claim.cost_name);
}

}  // namespace

std::string cost_name(const Query& query) {
  return (is_weighted(query) ? "weighted " : "") + norm_words(query);
}

std::string distance_name(const Query& query) {
  if (query.norm != Norm::squared_l2) return cost_name(query);
  return (is_weighted(query) ? "weighted L2" : "L2") + unit_words(query);
}

bool in_raw_units(const Query& query) {
  const std::vector<const FeatureRule*> measured = measured_features(query);
  const auto is_raw = [](const FeatureRule* rule) {
    return rule->scale == 1 && rule->quantiles.empty();
  };
  // With a single measured feature there is nothing to compare sizes of changes with.
  return measures_sizes(query) && measured.size() > 1 &&
         std::all_of(measured.begin(), measured.end(), is_raw);
}

bool asks_stacks(const Query& query, std::span<const Ensemble> ensembles) {
  return std::any_of(query.requirements.begin(), query.requirements.end(),
                     [&](const Requirement& requirement) {
                       return requirement.ensemble < ensembles.size() &&
                              ensembles[requirement.ensemble].composition.linear.has_value();
                     });
}

Claim claim_of(const Query& query, const Answer& answer, std::size_t earlier_alternatives,
               std::span<const Ensemble> ensembles) {
  Claim claim;
  claim.certain = asks_stacks(query, ensembles);
  claim.status = answer.status;
  claim.stop = answer.stop;
  claim.already_met = answer.already_met;
  claim.fewest_first = query.fewest_first;
  claim.cost_name = cost_name(query);
  claim.cost = answer.cost;
  claim.earlier_alternatives = earlier_alternatives;
  claim.limited = !rules_of(query).empty();
  claim.robust = is_robust(query);
  if (!answer.solutions.empty()) claim.changes = change_count(query, answer.best().point);
  if (answer.status == Status::infeasible) return claim;
  claim.lower_bound = answer.lower_bound;
  claim.gap = answer.solutions.empty() ? 0 : answer.gap();
  if (!query.fewest_first) return claim;
  // The cost is only bounded among the points with the fewest changes. As long as that number is
  // unknown, there is no such bound.
  claim.least_changes = answer.least_changes;
  const bool counted = !answer.solutions.empty() && claim.least_changes == claim.changes;
  if (!counted) {
    claim.lower_bound = 0;
    claim.gap = answer.solutions.empty() ? 0 : 1;
  }
  if (!answer.solutions.empty()) claim.among_changes = claim.changes;
  return claim;
}

Claim claim_of(const Explanation& explanation) {
  Claim claim =
      claim_of(explanation.query, explanation.answer, explanation.findings.earlier_alternatives);
  const std::optional<SeveralModels>& models = explanation.findings.models;
  claim.certain = models ? models->certain : explanation.ensemble.composition.linear.has_value();
  return claim;
}

namespace {

std::string plain_text(const Claim& claim) {
  if (claim.already_met) {
    return claim.robust ? "the row already has this outcome, and so has every row within the given "
                          "distances"
                        : "the row already has this outcome";
  }
  switch (claim.status) {
    case Status::optimal:
      return optimal_text(claim);
    case Status::feasible:
      return feasible_text(claim);
    case Status::infeasible:
      return fmt::format("proven: no allowed change {}works{}", apart_text(claim),
                         claim.robust ? " for all rows within the given distances of it" : "");
    case Status::unknown:
      break;
  }
  return unknown_text(claim);
}

}  // namespace

std::string claim_text(const Claim& claim) {
  std::string text = plain_text(claim);
  if (claim.certain && !claim.already_met) text += fmt::format("; {}", stacks_text);
  return text;
}

}  // namespace boxwood
