// What was found around an answer, in words: the wide region, rounder numbers, the path, and the
// rules that block the outcome.
#include "render/findings.hpp"

#include "render/changes.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// The values that the wide region allows for the features that do not change.
std::string others_text(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const std::vector<std::size_t> changed = changed_features(query, answer.best().point);
  std::vector<std::string> parts, free;
  std::vector<const GroupSchema*> told;
  for (std::size_t i = 0; i < query.features.size(); ++i) {
    const GroupSchema* group = group_of(schema, i);
    const auto& columns = group ? group->columns : std::vector<std::size_t>{i};
    const auto is_changed = [&](std::size_t c) {
      return std::count(changed.begin(), changed.end(), c) > 0;
    };
    if (query.features[i].fixed || std::any_of(columns.begin(), columns.end(), is_changed))
      continue;
    if (group && std::count(told.begin(), told.end(), group) > 0) continue;
    told.push_back(group);
    const Values values =
        wide_values(ensemble, schema, query, *findings.wide, answer.best().point, i);
    if (values.kind == Values::Kind::all) {
      free.push_back(shown_title(schema, i));
    } else if (values.kind != Values::Kind::missing) {
      parts.push_back(fmt::format("{}: {}", shown_title(schema, i), text_of(values)));
    }
  }
  std::string line;
  if (!parts.empty()) {
    line = fmt::format("It holds while the others keep to: {}.", fmt::join(parts, " · "));
  }
  if (!free.empty()) {
    line += fmt::format("{}Any value of: {}.", line.empty() ? "" : " ", fmt::join(free, ", "));
  }
  return line;
}

std::string wide_lines(const Explanation& explanation) {
  const WideRegion& wide = *explanation.findings.wide;
  std::string text = others_text(explanation);
  if (!text.empty()) text += " ";
  text += wide.maximal ? "No single interval can be wider (proven)."
                       : fmt::format("Wider ones may hold too ({}).", stop_text(wide.stop));
  return wrapped(text, page_width, "") + "\n";
}

std::string path_block(const Explanation& explanation, const TableStyle& style) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const Figure start = figure_of(ensemble, schema, query, ensemble.predict(query.point));
  const bool resolved = std::any_of(findings.path.begin(), findings.path.end(),
                                    [](const PathStep& step) { return step.without.has_value(); });
  Lines lines = {{"step", "change", start.name}};
  if (resolved) lines.front().emplace_back("without it");
  lines.push_back({"", "as it is", start.value});
  std::vector<double> before = query.point;
  for (std::size_t k = 0; k < findings.path.size(); ++k) {
    const PathStep& step = findings.path[k];
    const std::size_t feature = step.features.front();
    const std::string change = fmt::format("{}: {} to {}", shown_title(schema, feature),
                                           shown_value(ensemble, schema, before, feature),
                                           shown_value(ensemble, schema, step.point, feature));
    lines.push_back({std::to_string(k + 1), change,
                     figure_of(ensemble, schema, query, ensemble.predict(step.point)).value});
    if (resolved) lines.back().push_back(step.without ? cost_or_why(*step.without) : "");
    before = step.point;
  }
  return fmt::format("\nStep by step:\n{}", columns(lines, style));
}

std::string what_lifting_gives(const Explanation& explanation, const Answer& without) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (without.status == Status::infeasible) return "still impossible: other rules block it too";
  if (without.solutions.empty()) return cost_or_why(without);
  if (without.already_met) return "possible without any change";
  return fmt::format("possible at {} ({})", cost_or_why(without),
                     changes_line(ensemble, schema, query, without.best().point, "; "));
}

/// What is known about the blockers as a whole, for the line above their list.
std::string blockers_headline(const WhyNot& why) {
  const std::size_t count = why.blockers.size();
  const auto any_is = [&](Status status) {
    return std::any_of(why.blockers.begin(), why.blockers.end(),
                       [&](const Blocker& blocker) { return blocker.without.status == status; });
  };
  std::string text = count == 1 ? std::string("One rule alone blocks it")
                                : fmt::format("These {} rules together block it", count);
  if (any_is(Status::infeasible)) {
    return text + (count == 1 ? ", and other rules do as well"
                              : "; other rules do as well, so that lifting one may not be enough");
  }
  if (any_is(Status::unknown)) return text;
  return text + (count == 1 ? "; lifting it makes the outcome possible"
                            : "; lifting any one of them makes the outcome possible");
}

std::string closing_line(const WhyNot& why) {
  if (why.blockers.size() > 1 && why.smallest) return "No smaller set of rules blocks it.";
  if (why.stop != Stop::finished) {
    return fmt::format("A smaller set of rules may block it ({}).", stop_text(why.stop));
  }
  return {};
}

/// The text where there is nothing to list.
std::string no_blockers(const Explanation& explanation, const WhyNot& why) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (why.impossible) {
    return fmt::format("No rule blocks it: even without any rules, nothing {}{} (proven).",
                       target_phrase(wanted_by(ensemble, schema, query)),
                       is_robust(query) ? " together with every row near it" : "");
  }
  return fmt::format("It is unknown which rules block it ({}).", stop_text(why.stop));
}

}  // namespace

std::string rounding_text(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (!findings.rounding || answer.solutions.empty() || answer.already_met) return {};
  const std::vector<double>& point = findings.rounding->point;
  const std::string allowed = fmt::format("{:.4g} %", 100 * findings.rounding->tolerance);
  if (changed_features(query, point) == changed_features(query, answer.best().point) &&
      changes_line(ensemble, schema, query, point) ==
          changes_line(ensemble, schema, query, answer.best().point)) {
    return fmt::format("Rounded: no rounder numbers cost at most {} more.", allowed);
  }
  const double cost = total_cost(query, point);
  const double more = 100 * (cost - answer.cost) / answer.cost;
  const Figure figure = figure_of(ensemble, schema, query, ensemble.predict(point));
  return fmt::format(
      "Rounded: {} · {} there {} · cost {} ({:.2g} % more than the least, up to {} "
      "allowed)",
      changes_line(ensemble, schema, query, point), figure.name, figure.value, cost_text(cost),
      more, allowed);
}

std::string findings_text(const Explanation& explanation, const TableStyle& style) {
  const Findings& findings = explanation.findings;
  std::string text;
  if (findings.wide) text += wide_lines(explanation);
  if (findings.rounding) text += wrapped(rounding_text(explanation), page_width, "  ") + "\n";
  if (!findings.path.empty()) text += path_block(explanation, style);
  return text;
}

std::string why_not_text(const Explanation& explanation) {
  if (!explanation.findings.why_not) return {};
  const WhyNot& why = *explanation.findings.why_not;
  if (why.blockers.empty()) {
    return wrapped(no_blockers(explanation, why), page_width, "") + "\n";
  }
  std::vector<std::string> rules;
  std::size_t width = 0;
  for (const Blocker& blocker : why.blockers) {
    rules.push_back(
        rule_text(explanation.ensemble, explanation.schema, explanation.query, blocker.rule));
    width = std::max(width, display_width(rules.back()));
  }
  std::string text = blockers_headline(why) + ":\n";
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const std::string line = fmt::format("{}   -> {}", padded(rules[k], width),
                                         what_lifting_gives(explanation, why.blockers[k].without));
    text += fmt::format("  {}\n", line);
  }
  const std::string close = closing_line(why);
  return close.empty() ? text : text + close + "\n";
}

std::string why_not_hint(const Explanation& explanation, const TableStyle& style) {
  const bool open =
      explanation.answer.status == Status::infeasible && !explanation.findings.why_not;
  if (!open) return {};
  if (is_robust(explanation.query)) {
    return "Ask with smaller distances, or without them, to see whether single rows have the "
           "outcome.";
  }
  if (explanation.query.live > 0) {
    return "Ask for a region with fewer rows, or without rows, to see whether other regions have "
           "the "
           "outcome.";
  }
  if (explanation.query.agree && rules_of(explanation.query).empty()) {
    return "No rule and no range is responsible: no row has this outcome in so many models.";
  }
  if (rules_of(explanation.query).empty()) {
    const bool missing = std::any_of(explanation.query.point.begin(), explanation.query.point.end(),
                                     [](double value) { return std::isnan(value); });
    return fmt::format(
        "No rule and no range is responsible: the model gives this outcome to no "
        "row{}.",
        missing ? " with the same missing values" : "");
  }
  if (style.why_not.empty()) return {};
  return fmt::format("To find out which rules or ranges block it, if any: {}", style.why_not);
}

std::vector<std::string> why_not_sentences(const Explanation& explanation) {
  if (!explanation.findings.why_not) return {};
  const WhyNot& why = *explanation.findings.why_not;
  if (explanation.answer.status != Status::infeasible) return {};
  if (why.blockers.empty()) return {no_blockers(explanation, why)};
  std::vector<std::string> all = {blockers_headline(why) + "."};
  for (const Blocker& blocker : why.blockers) {
    all.push_back(fmt::format(
        "Without the rule \"{}\": {}.",
        rule_text(explanation.ensemble, explanation.schema, explanation.query, blocker.rule),
        what_lifting_gives(explanation, blocker.without)));
  }
  if (const std::string close = closing_line(why); !close.empty()) all.push_back(close);
  return all;
}

}  // namespace boxwood
