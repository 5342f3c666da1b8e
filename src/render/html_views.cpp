// Answers, menus, sweeps, robustness and regions as HTML for notebooks: the same facts and words as
// in the tables, with a small picture of each change on the range of its feature.
#include "render/advice.hpp"
#include "render/changes.hpp"
#include "render/claim.hpp"
#include "render/findings.hpp"
#include "render/html.hpp"
#include "render/outcome.hpp"
#include "render/views.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

constexpr const char* green = "#2e9e6b";
constexpr const char* amber = "#c98a1b";
constexpr const char* grey = "#8a8f98";

/// Before and after on the range of a feature, with the interval that has the outcome. Empty for
/// values without an order: categories, one-hot groups, missing values.
std::string dumbbell(const Explanation& explanation, std::size_t feature) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const FeatureSchema& words = schema.features[feature];
  const double before = query.point[feature];
  const double after = answer.best().point[feature];
  if (group_of(schema, feature) || words.kind == FeatureKind::categorical ||
      !std::isfinite(before) || !std::isfinite(after)) {
    return {};
  }
  Interval fits = answer.best().region[feature];
  if (words.kind != FeatureKind::continuous) {
    fits = whole_hull(fits, ensemble.input);
  }
  Interval range = words.range;
  if (!words.labels.empty()) {
    range = intersection(range, {0, static_cast<double>(words.labels.size() - 1)});
  }
  double low = std::min(before, after), high = std::max(before, after);
  // Ends of the interval count only where the feature has no range of its own.
  double least = low, most = high;
  for (const double end : {fits.lower, fits.upper}) {
    if (std::isfinite(end)) least = std::min(least, end), most = std::max(most, end);
  }
  const double margin = (most - least) / 4;
  low = std::isfinite(range.lower) ? std::min(low, range.lower) : least - margin;
  high = std::isfinite(range.upper) ? std::max(high, range.upper) : most + margin;
  if (!(high > low)) return {};
  const auto place = [&](double value) {
    return 6 + 108 * std::clamp((value - low) / (high - low), 0.0, 1.0);
  };
  return fmt::format(
      "<svg width=\"120\" height=\"16\" role=\"img\" aria-label=\"before and after\">"
      "<line x1=\"6\" x2=\"114\" y1=\"8\" y2=\"8\" stroke=\"currentColor\" stroke-opacity=\".2\"/>"
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\" stroke=\"{}\" stroke-opacity=\".35\" "
      "stroke-width=\"8\"/>"
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\" stroke=\"currentColor\"/>"
      "<circle cx=\"{:.1f}\" cy=\"8\" r=\"3.5\" fill=\"{}\"/>"
      "<circle cx=\"{:.1f}\" cy=\"8\" r=\"4\" fill=\"{}\"/></svg>",
      place(fits.lower), place(fits.upper), green, place(before), place(after), place(before), grey,
      place(after), green);
}

}  // namespace

std::string changes_html(const Explanation& explanation) {
  std::vector<std::string> pictures;
  for (const ChangeText& change : changes_in_words(explanation.ensemble, explanation.schema,
                                                   explanation.query, explanation.answer.best())) {
    pictures.push_back(dumbbell(explanation, change.feature));
  }
  return html_table(explained_changes(explanation), pictures, 3);
}

Badge badge_of(const Claim& claim) {
  if (claim.already_met) return {"nothing to change", green};
  switch (claim.status) {
    case Status::optimal:
      return {"proven optimal", green};
    case Status::infeasible:
      return {"proven impossible", grey};
    case Status::feasible:
      return {is_useful_bound(claim.lower_bound, claim.cost)
                  ? fmt::format("gap {:.1f} %", 100 * claim.gap)
                  : std::string("best found"),
              amber};
    case Status::unknown:
      break;
  }
  return {"nothing found yet", amber};
}

Badge stop_badge(Stop stop) {
  return stop == Stop::finished ? Badge{"proven", green} : Badge{stop_text(stop), amber};
}

std::string to_html(const Explanation& explanation, const TableStyle& style) {
  const Answer& answer = explanation.answer;
  std::string page = fmt::format("<div>{} {}</div>", html_badge(badge_of(claim_of(explanation))),
                                 escaped(headline(explanation)));
  if (!answer.solutions.empty() && !answer.already_met) {
    page += changes_html(explanation);
    page += html_block(advice(explanation));
    page += html_block(closing(explanation), true);
    if (const std::string ties = tie_count(answer); !ties.empty()) {
      page += html_block(ties + ".", true);
    }
    page += html_lines(findings_text(explanation, {}));
  } else {
    page += html_block(verdict(explanation));
    page += html_lines(why_not_text(explanation));
    page += html_block(why_not_hint(explanation, style), true);
  }
  for (const Note& note : notes(explanation)) page += html_block(text_of(note), true);
  page += html_lines(check_lines(explanation, {}));
  return html_frame(page);
}

std::string to_html(const MenuView& view, const TableStyle& style) {
  const Explanation& first = view.alternatives.front();
  if (first.answer.solutions.empty() || first.answer.already_met) return to_html(first, style);
  std::string page = fmt::format("<div>{} {}</div>", html_badge(badge_of(claim_of(first))),
                                 escaped(headline(first)));
  page += html_block(menu_headline(view));
  for (std::size_t k = 0; k < view.alternatives.size(); ++k) {
    page += fmt::format("<div style=\"margin-top:8px;font-weight:600\">{}</div>",
                        escaped(alternative_headline(view.alternatives[k], k + 1)));
    page += changes_html(view.alternatives[k]);
    page +=
        html_lines(findings_text(view.alternatives[k], {}) + check_lines(view.alternatives[k], {}));
  }
  return html_frame(page + html_block(menu_end(view), true));
}

std::string to_html(const SweepView& view) {
  return html_frame(html_block(sweep_headline(view)) + html_table(sweep_lines(view)) +
                    html_block(sweep_end(view), true));
}

std::string robustness_html(const Explanation& explanation) {
  std::string page =
      fmt::format("<div>{} {}</div>", html_badge(stop_badge(explanation.answer.stop)),
                  escaped(robustness_statement(explanation)));
  if (!explanation.answer.solutions.empty()) {
    page += html_block(robustness_nearest(explanation)) + changes_html(explanation);
  }
  return html_frame(page);
}

std::string to_html(std::span<const RegionView> regions) {
  if (regions.empty()) return html_frame(html_block("No region."));
  const auto& [ensemble, schema, query, region, row, number] = regions.front();
  Lines lines = {{"region", "outcome", "distance", "cost", "nearest point changes"}};
  for (const RegionView& view : regions) {
    lines.push_back({std::to_string(view.number),
                     outcome_text(ensemble, schema, query, view.region.scores.front()),
                     cost_text(distance(query.norm, view.region.cost)), cost_text(view.region.cost),
                     changes_line(ensemble, schema, query, view.region.nearest.point)});
  }
  return html_frame(html_table(lines));
}

std::string html_page(std::span<const std::string> title,
                      std::span<const std::vector<std::string>> lines,
                      std::span<const std::string> notes) {
  std::string page;
  for (const std::string& text : title) page += html_block(text);
  if (lines.size() > 1) page += html_table(Lines(lines.begin(), lines.end()));
  for (const std::string& text : notes) page += html_block(text, true);
  return html_frame(page);
}

}  // namespace boxwood
