// The most for a budget, for a terminal, as HTML and as JSON.
#include "render/changes.hpp"
#include "render/claim.hpp"
#include "render/columns.hpp"
#include "render/findings.hpp"
#include "render/html.hpp"
#include "render/json_parts.hpp"
#include "render/outcome.hpp"
#include "render/views.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <cmath>

namespace boxwood {
namespace {

bool wants_less(const BestView& view) {
  const Requirement& first = view.query.requirements.front();
  const auto upper_only = [](const Interval& range) { return std::isinf(range.lower); };
  if (const auto* output = std::get_if<OutputIn>(&first.outcome)) return upper_only(output->range);
  const auto* score = std::get_if<ScoreIn>(&first.outcome);
  return score && upper_only(score->range);
}

/// `probability of "good"`, "price".
std::string best_name(const BestView& view) {
  const Figure figure =
      figure_of(view.ensemble, view.schema, view.query, view.ensemble.predict(view.query.point));
  const auto* wanted = std::get_if<ClassIs>(&view.query.requirements.front().outcome);
  if (!wanted) return figure.name;
  return fmt::format("{} of \"{}\"", figure.name, class_words(view.ensemble, wanted->target));
}

std::string value_there(const BestView& view, std::span<const double> point) {
  return figure_of(view.ensemble, view.schema, view.query, view.ensemble.predict(point)).value;
}

std::string within_text(const BestView& view) {
  return std::isinf(view.budget) ? "at any cost"
                                 : fmt::format("for a cost of at most {}", cost_text(view.budget));
}

std::string best_headline(const BestView& view) {
  const std::vector<double> scores = view.ensemble.predict(view.query.point);
  const Figure now{best_name(view), value_there(view, view.query.point)};
  return fmt::format("{}: {}", row_lead(view.schema, view.row),
                     outcome_and_figure(view.ensemble, view.schema, view.query, scores, now));
}

std::string best_statement(const BestView& view) {
  const Best& best = view.found.best;
  const std::string time = duration_text(best.answer.statistics.seconds);
  const char* end = wants_less(view) ? "lowest" : "highest";
  const char* more = wants_less(view) ? "less" : "more";
  if (best.status == Status::infeasible) {
    return fmt::format("No allowed change {} meets the other requirements (proven, {}).",
                       within_text(view), time);
  }
  if (best.status == Status::unknown) {
    return fmt::format(
        "Nothing allowed was found {}, and it is unknown whether something exists ({}).",
        within_text(view), stop_text(best.stop));
  }
  const std::string there = value_there(view, best.answer.best().point);
  if (best.status == Status::optimal && best.answer.cost == 0) {
    return fmt::format(
        "The {} {} {} is {}, without any change: nothing allowed gives {} (proven, {}).", end,
        best_name(view), within_text(view), there, more, time);
  }
  if (best.status == Status::optimal) {
    return fmt::format("The {} {} {} is {} (proven, {}):", end, best_name(view), within_text(view),
                       there, time);
  }
  const std::string bound =
      std::isfinite(best.bound)
          ? fmt::format("proven: nothing allowed gives {} than {}", more, cost_text(best.bound))
          : "no bound is proven";
  return fmt::format("The {} {} found {} is {}; {} ({}){}", end, best_name(view), within_text(view),
                     there, bound, stop_text(best.stop), best.answer.cost > 0 ? ":" : ".");
}

/// What the answer costs, and what is proven about that.
std::string best_closing(const BestView& view) {
  const Answer& answer = view.found.best.answer;
  if (answer.solutions.empty()) return {};
  const std::string cost =
      fmt::format("Cost {} ({}).", cost_text(answer.cost), cost_name(view.query));
  if (answer.cost == 0) return {};
  return cost + (answer.status == Status::optimal
                     ? " No cheaper allowed change reaches as much (proven)."
                     : " A cheaper change may reach as much.");
}

Lines curve_lines(const BestView& view) {
  if (view.found.steps.empty()) return {};
  Lines lines = {{"cost", best_name(view), "what changes"}};
  for (const BestStep& step : view.found.steps) {
    const std::vector<double>& point = step.answer.best().point;
    lines.push_back({cost_text(step.answer.cost), value_there(view, point),
                     step.answer.cost == 0
                         ? std::string("nothing")
                         : changes_line(view.ensemble, view.schema, view.query, point)});
  }
  return lines;
}

std::string curve_end(const BestView& view) {
  if (view.found.steps.empty()) return {};
  return view.found.complete
             ? fmt::format("Every step up to the budget (proven). Cost: {}.", cost_name(view.query))
             : fmt::format("Further steps may follow ({}). Each step shown is proven.",
                           stop_text(view.found.stop));
}

bool has_changes(const BestView& view) {
  const Answer& answer = view.found.best.answer;
  return !answer.solutions.empty() && answer.cost > 0;
}

Explanation explained(const BestView& view) {
  return {view.ensemble, view.schema, view.query, view.found.best.answer, view.row, std::nullopt};
}

}  // namespace

std::vector<SweepPoint> sweep_of(const BestView& view) {
  const double far = wants_less(view) ? -INFINITY : INFINITY;
  std::vector<SweepPoint> points;
  for (const BestStep& step : view.found.steps) {
    // Every output above that of the step before costs this much.
    if (!points.empty()) points.push_back({std::nextafter(points.back().level, far), step.answer});
    points.push_back({step.value, step.answer});
  }
  return points;
}

std::string to_table(const BestView& view, const TableStyle& style) {
  std::string text =
      inked(best_headline(view), Ink::bold, style) + "\n" +
      inked(wrapped(best_statement(view), page_width, ""), ink_of(view.found.best.status), style) +
      "\n";
  if (has_changes(view)) {
    text += "\n" + columns(explained_changes(explained(view)), style) + "\n" +
            wrapped(best_closing(view), page_width, "") + "\n";
  }
  if (const Lines lines = curve_lines(view); !lines.empty()) {
    text += "\n" + ruled_columns(lines, style) + "  " + wrapped(curve_end(view), page_width, "  ") +
            "\n";
  }
  return text;
}

std::string to_html(const BestView& view) {
  std::string page = fmt::format("<div>{} {}</div>", html_badge(stop_badge(view.found.best.stop)),
                                 escaped(best_headline(view)));
  page += html_block(best_statement(view));
  if (has_changes(view)) {
    page += changes_html(explained(view)) + html_block(best_closing(view), true);
  }
  if (const Lines lines = curve_lines(view); !lines.empty()) {
    page += html_table(lines) + html_block(curve_end(view), true);
  }
  return html_frame(page);
}

std::string to_json(const BestView& view) {
  const Best& best = view.found.best;
  Json object;
  object["boxwood_best"] = 1;
  object["row"] = row_json(view.row);
  object["budget"] = number_json(view.budget);
  object["status"] = to_string(best.status);
  object["stop"] = to_string(best.stop);
  object["before"] = number_json(best.before);
  if (!best.answer.solutions.empty()) object["value"] = number_json(best.value);
  object["bound"] = number_json(best.bound);
  object["answer"] = answer_json(explained(view));
  if (!view.found.steps.empty()) {
    object["complete"] = view.found.complete;
    object["steps"] = Json::array();
    for (const BestStep& step : view.found.steps) {
      Json entry;
      entry["value"] = number_json(step.value);
      entry["cost"] = number_json(step.answer.cost);
      entry["changes"] = changes_json(view.ensemble, view.schema, view.query, step.answer.best());
      entry["point"] = point_json(step.answer.best().point);
      object["steps"].push_back(std::move(entry));
    }
  }
  return one_line(object);
}

}  // namespace boxwood
