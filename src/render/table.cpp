// The block of lines for people: the present outcome, what to change, and what is proven.
#include "base/text.hpp"
#include "render/changes.hpp"
#include "render/columns.hpp"
#include "render/findings.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace boxwood {
namespace {

constexpr std::size_t ties_shown = 3;

/// A header, and a line for each feature that changes.
Lines change_lines(const Ensemble& ensemble, const Schema& schema, const Query& query,
                   const Solution& solution, const char* to) {
  Lines lines = {{"feature", "now", to, "anything in"}};
  for (const ChangeText& change : changes_in_words(ensemble, schema, query, solution)) {
    lines.push_back({change.title, change.now, change.then, change.anything});
  }
  return lines;
}

}  // namespace

Lines explained_changes(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  Lines lines = change_lines(ensemble, schema, query, answer.best(), "change to");
  if (!findings.wide) return lines;
  lines.front().emplace_back("holds for anything in");
  const auto changes = changes_in_words(ensemble, schema, query, answer.best());
  for (std::size_t k = 0; k < changes.size(); ++k) {
    lines[k + 1].push_back(wide_text(ensemble, schema, query, *findings.wide, answer.best().point,
                                     changes[k].feature));
  }
  return lines;
}

namespace {

std::string changes_table(const Explanation& explanation, const TableStyle& style) {
  const Lines lines = explained_changes(explanation);
  const std::size_t same = count_features(explanation.schema) - (lines.size() - 1);
  if (same == 0) return ruled_columns(lines, style);
  std::string stays = fmt::format("{} feature{} as {}.", same, same == 1 ? " stays" : "s stay",
                                  same == 1 ? "it is" : "they are");
  const std::vector<std::string> fixed = fixed_titles(explanation);
  if (!fixed.empty()) stays += fmt::format(" Held fixed: {}.", fmt::join(fixed, ", "));
  return fmt::format("{}  {}\n", ruled_columns(lines, style), wrapped(stays, page_width - 2, "  "));
}

std::string ties_text(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const std::string count = tie_count(answer);
  if (count.empty()) return {};
  const std::size_t others = answer.solutions.size() - 1;
  std::string text = count + (others == 0            ? ".\n"
                              : others <= ties_shown ? ":\n"
                                                     : ", among them:\n");
  for (std::size_t s = 1; s < answer.solutions.size() && s <= ties_shown; ++s) {
    std::vector<std::string> parts;
    for (const ChangeText& change :
         changes_in_words(ensemble, schema, query, answer.solutions[s])) {
      parts.push_back(fmt::format("{}: {}", change.title, change.then));
    }
    const std::string line = fmt::format("{}", fmt::join(parts, " · "));
    text += fmt::format("  {}\n", wrapped(line, page_width - 2, "    "));
  }
  return text;
}

}  // namespace

std::string check_lines(const Explanation& explanation, const TableStyle& style) {
  if (!explanation.faults) return {};
  if (explanation.faults->empty())
    return inked(checked_text(explanation.answer), Ink::green, style) + "\n";
  std::string text = inked("VERIFICATION FAILED:", Ink::red, style) + "\n";
  for (const std::string& fault : *explanation.faults)
    text += fmt::format("  {}\n", visible(fault));
  return text;
}

std::vector<std::size_t> changed_features(const Query& query, const std::vector<double>& point) {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const bool both_missing = std::isnan(point[i]) && std::isnan(query.point[i]);
    if (!both_missing && point[i] != query.point[i]) changed.push_back(i);
  }
  return changed;
}

std::string to_table(const Explanation& explanation, const TableStyle& style) {
  const Answer& answer = explanation.answer;
  std::string text = inked(headline(explanation), Ink::bold, style) + "\n";
  text += inked(wrapped(verdict(explanation), page_width, ""), ink_of(answer.status), style) + "\n";
  const bool shows_changes = !answer.solutions.empty() && !answer.already_met;
  if (shows_changes) {
    text += fmt::format("\n{}\n{}\n", changes_table(explanation, style),
                        wrapped(closing(explanation), page_width, "  "));
    text += ties_text(explanation) + findings_text(explanation, style);
  } else if (answer.status == Status::infeasible) {
    const std::vector<std::string> fixed = fixed_titles(explanation);
    if (!fixed.empty()) {
      text +=
          wrapped(fmt::format("Held fixed: {}.", fmt::join(fixed, ", ")), page_width, "") + "\n";
    }
    text += why_not_text(explanation);
    if (const std::string hint = why_not_hint(explanation, style); !hint.empty())
      text += hint + "\n";
  }
  for (const Note& note : notes(explanation)) {
    text += wrapped(text_of(note), page_width, note.is_warning ? "      " : "") + "\n";
  }
  return text + check_lines(explanation, style);
}

std::string to_table(const RegionView& view, const TableStyle& style) {
  const auto& [ensemble, schema, query, region, row, number] = view;
  std::string head = fmt::format("Region {}: {}", number,
                                 outcome_text(ensemble, schema, query, region.scores.front()));
  const std::string figure = standing_of(ensemble, schema, query, region.scores.front()).figure;
  if (!figure.empty()) head += fmt::format(" ({})", figure);
  head += fmt::format(" · distance {} · cost {}", cost_text(distance(query.norm, region.cost)),
                      cost_text(region.cost));
  const Lines lines = change_lines(ensemble, schema, query, region.nearest, "nearest");
  const std::size_t same = count_features(schema) - (lines.size() - 1);
  // A region leaves most features unchanged. Listing these would hide the ones that change.
  return fmt::format("{}\n{}  {} feature{}\n", inked(head, Ink::bold, style),
                     lines.size() > 1 ? ruled_columns(lines, style) : "", same,
                     same == 1 ? " as it is" : "s as they are");
}

}  // namespace boxwood
