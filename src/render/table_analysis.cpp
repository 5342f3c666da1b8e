// Menus, sweeps and robustness for a terminal.
#include "render/changes.hpp"
#include "render/claim.hpp"
#include "render/columns.hpp"
#include "render/findings.hpp"
#include "render/outcome.hpp"
#include "render/views.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// How the alternatives of a menu differ.
std::string difference_text(const MenuOptions& asked) {
  switch (asked.apart) {
    case Apart::features:
      return "none changes all the features that an earlier one changes";
    case Apart::regions:
      return "each in another region";
    case Apart::distance:
      break;
  }
  return fmt::format("any two at least {:g} apart in some feature", asked.distance);
}

}  // namespace

std::string menu_headline(const MenuView& view) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = view.alternatives.front();
  const bool proven =
      std::all_of(view.alternatives.begin(), view.alternatives.end(),
                  [](const Explanation& one) { return one.answer.status == Status::optimal; });
  double seconds = 0;
  for (const Explanation& one : view.alternatives) seconds += one.answer.statistics.seconds;
  const std::string phrase = target_phrase(wanted_by(ensemble, schema, query));
  const char* order = query.fewest_first ? "fewest changes first" : "cheapest first";
  const std::string cost = cost_name(query);
  if (view.alternatives.size() == 1) {
    return fmt::format(
        "One alternative that {} ({}{}, {}):", phrase,
        proven ? query.fewest_first ? "proven, fewest changes first, " : "proven cheapest, " : "",
        cost, duration_text(seconds));
  }
  return fmt::format(
      "{} alternatives, each of which {}, {}; {} ({}{}, {}):", view.alternatives.size(), phrase,
      order, difference_text(view.asked), proven ? "proven, " : "", cost, duration_text(seconds));
}

std::string menu_end(const MenuView& view) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = view.alternatives.front();
  std::string end;
  if (view.menu.complete) {
    end = "There is no further alternative (proven).";
  } else if (view.menu.stop != Stop::finished) {
    end = fmt::format("There may be further alternatives ({}).", stop_text(view.menu.stop));
  }
  if (!is_robust(query)) return end;
  return end + (end.empty() ? "" : " ") + robust_note(schema, query, ensemble.input);
}

std::string alternative_headline(const Explanation& one, std::size_t number) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = one;
  const Figure figure = figure_of(ensemble, schema, query, ensemble.predict(answer.best().point));
  std::string head = fmt::format("Alternative {} · cost {} · {} there {}", number,
                                 cost_text(answer.cost), figure.name, figure.value);
  if (answer.status != Status::optimal) head += " · " + claim_text(claim_of(one));
  return head;
}

namespace {

std::string alternative_block(const Explanation& one, std::size_t number, const TableStyle& style) {
  return fmt::format(
      "\n{}\n{}{}{}",
      inked(wrapped(alternative_headline(one, number), page_width, "  "), Ink::bold, style),
      columns(explained_changes(one), style), findings_text(one, style), check_lines(one, style));
}

std::string level_name(const Requirement& requirement, const Ensemble& ensemble,
                       const Schema& schema) {
  if (const auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    return wanted->margin ? "margin" : "probability";
  }
  const bool is_score = std::holds_alternative<ScoreIn>(requirement.outcome);
  const Interval range = is_score ? std::get<ScoreIn>(requirement.outcome).range
                                  : std::get<OutputIn>(requirement.outcome).range;
  const std::string what =
      is_score ? "raw score"
               : output_name(ensemble, schema, std::get<OutputIn>(requirement.outcome).output);
  return what + (std::isfinite(range.lower) ? " at least" : " at most");
}

/// The median of the proven radii. Infinite ones count as larger than all others.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Requirement at_level(const Requirement& requirement, double level) {
  Requirement moved = requirement;
  const auto move = [&](Interval& range) {
    (std::isinf(range.lower) && std::isfinite(range.upper) ? range.upper : range.lower) = level;
  };
  if (auto* wanted = std::get_if<ClassIs>(&moved.outcome)) {
    (wanted->margin ? wanted->margin : wanted->probability) = level;
  }
  if (auto* output = std::get_if<OutputIn>(&moved.outcome)) move(output->range);
  if (auto* score = std::get_if<ScoreIn>(&moved.outcome)) move(score->range);
  return moved;
}

std::string to_table(const MenuView& view, const TableStyle& style) {
  const Explanation& first = view.alternatives.front();
  // With no alternative to choose from, the answer itself says why.
  if (first.answer.solutions.empty() || first.answer.already_met) return to_table(first, style);
  std::string text = inked(headline(first), Ink::bold, style) + "\n";
  text += inked(wrapped(menu_headline(view), page_width, ""), ink_of(first.answer.status), style);
  text += "\n";
  for (std::size_t k = 0; k < view.alternatives.size(); ++k) {
    text += alternative_block(view.alternatives[k], k + 1, style);
  }
  text += "\n";
  if (const std::string end = menu_end(view); !end.empty()) {
    text += wrapped(end, page_width, "") + "\n";
  }
  const std::vector<std::string> fixed = fixed_titles(first);
  if (!fixed.empty()) {
    text += wrapped(fmt::format("Held fixed: {}.", fmt::join(fixed, ", ")), page_width, "") + "\n";
  }
  return text;
}

Query query_at(const SweepView& view, double level) {
  if (view.swept == Swept::distances) return with_distances(view.query, level);
  Query query = view.query;
  set_level(query, level);
  return query;
}

std::string sweep_headline(const SweepView& view) {
  const auto& [ensemble, schema, query, points, row, swept] = view;
  const std::vector<double> scores = ensemble.predict(query.point);
  const Figure now = figure_of(ensemble, schema, query, scores);
  return fmt::format("{}: {}", row_lead(schema, row),
                     outcome_and_figure(ensemble, schema, query, scores, now));
}

Lines sweep_lines(const SweepView& view) {
  const auto& [ensemble, schema, query, points, row, swept] = view;
  const bool of_distances = swept == Swept::distances;
  Lines lines = {
      {of_distances ? "distances" : level_name(query.requirements.front(), ensemble, schema),
       "cost", "there", "what changes"}};
  std::string last;
  for (const auto& [level, answer] : points) {
    const std::string at = fmt::format("{:.6g}{}", level, of_distances ? " times" : "");
    if (answer.solutions.empty()) {
      lines.push_back({at, answer.status == Status::infeasible ? "impossible" : "not decided", "",
                       answer.status == Status::infeasible ? "" : stop_text(answer.stop)});
      continue;
    }
    const std::vector<double>& point = answer.best().point;
    std::string changes =
        answer.already_met ? std::string("nothing") : changes_line(ensemble, schema, query, point);
    const bool same = changes == last;
    last = changes;
    const Claim claim = claim_of(query, answer);
    const std::string cost =
        claim.status == Status::optimal
            ? cost_text(claim.cost)
            : fmt::format("{} to {}", bound_text(claim.lower_bound), cost_text(claim.cost));
    lines.push_back({at, cost, figure_of(ensemble, schema, query, ensemble.predict(point)).value,
                     same ? std::string("the same") : changes});
  }
  return lines;
}

std::string sweep_end(const SweepView& view) {
  const auto open = std::count_if(view.points.begin(), view.points.end(), [](const auto& point) {
    return point.answer.stop != Stop::finished;
  });
  const std::string cost =
      fmt::format("{}{}", view.query.fewest_first ? "Fewest changes first; c" : "C", "ost: ") +
      cost_name(view.query) + ".";
  const bool of_distances = view.swept == Swept::distances;
  const std::string proven =
      open == 0 ? fmt::format("Every {} proven. ", of_distances ? "multiple" : "level")
                : fmt::format("{} of {} {} not proven. ", open, view.points.size(),
                              of_distances ? "multiples" : "levels");
  if (!is_robust(view.query)) return proven + cost;
  return fmt::format("{}{} {}{}", proven, cost, of_distances ? "At 1 times " : "Robust: ",
                     robust_promise(view.schema, view.query, view.ensemble.input));
}

std::string to_table(const SweepView& view, const TableStyle& style) {
  return fmt::format("{}\n\n{}  {}\n", inked(sweep_headline(view), Ink::bold, style),
                     ruled_columns(sweep_lines(view), style),
                     wrapped(sweep_end(view), page_width, "  "));
}

double robustness_radius(const Explanation& explanation) {
  // With fewest changes first, the bound does not cover points with more changes.
  const Claim claim = claim_of(explanation);
  if (claim.status == Status::infeasible) return std::numeric_limits<double>::infinity();
  return claim.among_changes ? 0 : distance(explanation.query.norm, claim.lower_bound);
}

std::string robustness_statement(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const std::string now =
      fmt::format("{}: {}.", row_lead(schema, row),
                  outcome_text(ensemble, schema, query, ensemble.predict(query.point)));
  const double radius = robustness_radius(explanation);
  const std::string time = duration_text(answer.statistics.seconds);
  if (std::isinf(radius)) {
    return fmt::format("{} No allowed change has another outcome (proven, {}).", now, time);
  }
  if (!(radius > 0)) {
    return fmt::format(
        "{} Nothing is proven about how near another outcome is ({}).", now,
        query.fewest_first ? "fewest changes were asked for first" : stop_text(answer.stop));
  }
  return fmt::format("{} No allowed change nearer than {} ({}) has another outcome (proven, {}).",
                     now, bound_text(radius), distance_name(query), time);
}

std::string robustness_nearest(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (answer.solutions.empty()) return {};
  return fmt::format("The nearest other outcome {}, {}, is at distance {}:",
                     answer.status == Status::optimal ? "that there is" : "found",
                     outcome_text(ensemble, schema, query, ensemble.predict(answer.best().point)),
                     cost_text(answer.distance));
}

std::string robustness_text(const Explanation& explanation, const TableStyle& style) {
  std::string text = wrapped(robustness_statement(explanation), page_width, "") + "\n";
  if (explanation.answer.solutions.empty()) return text;
  return text + wrapped(robustness_nearest(explanation), page_width, "") + "\n" +
         columns(explained_changes(explanation), style);
}

std::string robustness_table(std::span<const Explanation> rows, const TableStyle& style) {
  if (rows.empty()) return {};
  Lines lines = {{rows.front().schema.subject.empty() ? "row" : rows.front().schema.subject,
                  "outcome", "same within", "nearest other outcome", "what changes"}};
  std::vector<double> radii;
  bool proven = true;
  for (const Explanation& shown : rows) {
    const auto& [ensemble, schema, query, answer, row, faults, findings] = shown;
    const bool done = answer.status == Status::optimal || answer.status == Status::infeasible;
    proven = proven && done;
    radii.push_back(robustness_radius(shown));
    const bool found = !answer.solutions.empty();
    std::string nearest =
        answer.status == Status::infeasible ? std::string("there is none") : stop_text(answer.stop);
    if (found) {
      nearest = outcome_text(ensemble, schema, query, ensemble.predict(answer.best().point));
      if (!done) nearest += fmt::format(" at {}", cost_text(answer.distance));
    }
    lines.push_back({row_text(row),
                     outcome_text(ensemble, schema, query, ensemble.predict(query.point)),
                     std::isinf(radii.back()) ? "any distance" : bound_text(radii.back()), nearest,
                     found ? changes_line(ensemble, schema, query, answer.best().point) : ""});
  }
  std::string text = ruled_columns(lines, style);
  const double least = *std::min_element(radii.begin(), radii.end());
  text += fmt::format("  Nothing nearer than this has any other outcome ({}).",
                      proven ? "proven" : "proven; where stopped, others may be farther");
  if (radii.size() > 1 && std::isfinite(least)) {
    const double middle = median(radii);
    text += fmt::format(" Least {}, median {}.", cost_text(least),
                        std::isinf(middle) ? "any distance" : cost_text(middle));
  }
  return text + "\n";
}

}  // namespace boxwood
