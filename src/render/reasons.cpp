// What each feature contributes to an answer, for a terminal, as HTML and as JSON.
#include "base/text.hpp"
#include "render/changes.hpp"
#include "render/claim.hpp"
#include "render/columns.hpp"
#include "render/html.hpp"
#include "render/json_parts.hpp"
#include "render/outcome.hpp"
#include "render/views.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

Explanation answer_of(const ReasonsView& view) {
  return {view.ensemble, view.schema, view.query, view.found.answer, view.row, std::nullopt};
}

std::string answer_sentence(const ReasonsView& view) {
  const Answer& answer = view.found.answer;
  if (answer.already_met) return "The row has this outcome already: there is nothing to explain.";
  const std::string cost = !answer.solutions.empty()             ? "costs " + cost_text(answer.cost)
                           : answer.status == Status::infeasible ? "does not exist"
                                                                 : "was not found";
  return fmt::format("The cheapest change to the outcome {} ({}).", cost,
                     claim_text(claim_of(answer_of(view))));
}

/// `impossible` is the word for an infinite number here.
std::string number_words(double value, const char* impossible) {
  if (std::isnan(value)) return "not decided";
  return std::isinf(value) ? impossible : cost_text(value);
}

std::vector<std::string> reason_line(const ReasonsView& view, const Reason& reason) {
  const double more = view.found.necessity(reason);
  return {shown_title(view.schema, reason.features.front()),
          reason.most ? number_words(reason.gain(), "infinite") : "",
          number_words(reason.sufficiency(), "not enough"),
          more == 0 ? "nothing" : number_words(more, "impossible")};
}

std::string proven_sentence(const Reasons& found) {
  if (found.answer.already_met) return {};
  const auto open = std::count_if(found.reasons.begin(), found.reasons.end(),
                                  [](const Reason& one) { return !one.proven(); });
  if (open == 0) return "Every number is proven.";
  return fmt::format("{} of {} features have numbers that a limit left open ({}).", open,
                     found.reasons.size(), stop_text(found.stop));
}

Json search_json(const Answer& answer) {
  Json object;
  object["status"] = to_string(answer.status);
  object["cost"] = number_json(answer.cost);
  object["lower_bound"] = number_json(answer.lower_bound);
  return object;
}

}  // namespace

ReasonsText reasons_in_words(const ReasonsView& view) {
  ReasonsText text{answer_sentence(view), {}, proven_sentence(view.found)};
  if (view.found.reasons.empty()) return text;
  text.lines.push_back({"feature", "alone it gains", "alone it costs", "without it, more"});
  for (const Reason& reason : view.found.reasons) text.lines.push_back(reason_line(view, reason));
  return text;
}

std::string to_table(const ReasonsView& view, const TableStyle& style) {
  const ReasonsText words = reasons_in_words(view);
  std::string text = inked(headline(answer_of(view)), Ink::bold, style) + "\n" +
                     wrapped(words.head, page_width, "") + "\n";
  if (!words.lines.empty()) text += "\n" + columns(words.lines, style) + "\n";
  return words.end.empty() ? text : text + words.end + "\n";
}

std::string to_html(const ReasonsView& view) {
  const ReasonsText words = reasons_in_words(view);
  std::string page = fmt::format("<div>{} {}</div>", html_badge(stop_badge(view.found.stop)),
                                 escaped(headline(answer_of(view))));
  page += html_block(words.head);
  if (!words.lines.empty()) page += html_table(words.lines);
  return html_frame(page + html_block(words.end, true));
}

std::string to_json(const ReasonsView& view) {
  Json object;
  object["boxwood_reasons"] = 1;
  object["row"] = row_json(view.row);
  object["stop"] = to_string(view.found.stop);
  object["answer"] = answer_json(answer_of(view));
  object["reasons"] = Json::array();
  for (const Reason& reason : view.found.reasons) {
    Json entry;
    entry["title"] = shown_title(view.schema, reason.features.front());
    entry["features"] = Json::array();
    for (const std::size_t d : reason.features) {
      entry["features"].push_back(view.schema.features[d].name);
    }
    entry["changes"] = reason.changes;
    entry["proven"] = reason.proven();
    entry["gain"] = number_json(reason.gain());
    entry["sufficiency"] = number_json(reason.sufficiency());
    entry["necessity"] = number_json(view.found.necessity(reason));
    entry["alone"] = search_json(reason.alone);
    entry["without"] = search_json(reason.without);
    if (reason.most) {
      entry["best"]["status"] = to_string(reason.most->status);
      entry["best"]["before"] = number_json(reason.most->before);
      entry["best"]["value"] =
          reason.most->answer.solutions.empty() ? Json() : number_json(reason.most->value);
      entry["best"]["bound"] = number_json(reason.most->bound);
    }
    object["reasons"].push_back(std::move(entry));
  }
  return one_line(object);
}

}  // namespace boxwood
