// The curve of a sweep: what more certainty costs.
//
// An answer at one level reaches more than it asks for, and costs do not fall as levels ask for
// more: up to what is reached the cost is known without another search, and drawn as a line. From
// there to the next level it lies between the two costs: a shaded rectangle.
#include "render/changes.hpp"
#include "render/outcome.hpp"
#include "render/svg_axes.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// What the first requirement's figure is at a point: the level up to which it would do.
double reached_level(const SweepView& view, const Answer& answer) {
  const Requirement& requirement = view.query.requirements.front();
  const std::vector<double> scores = view.ensemble.predict(answer.best().point);
  if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    return scores[score->output] - (score->rival ? scores[*score->rival] : 0);
  }
  const std::vector<double> outputs = view.ensemble.transform(scores);
  if (const auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    if (wanted->margin) {
      return standing(at_level(requirement, 0), view.ensemble, scores);
    }
    return view.ensemble.probability(outputs, wanted->target);
  }
  return outputs[std::get<OutputIn>(requirement.outcome).output];
}

std::string level_title(const SweepView& view) {
  const Requirement& requirement = view.query.requirements.front();
  if (const auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    return fmt::format("{} of \"{}\", at least", wanted->margin ? "margin" : "probability",
                       shortened(view.ensemble.class_name(wanted->target), 40));
  }
  const bool is_score = std::holds_alternative<ScoreIn>(requirement.outcome);
  const Interval range = is_score ? std::get<ScoreIn>(requirement.outcome).range
                                  : std::get<OutputIn>(requirement.outcome).range;
  std::string name = is_score                      ? "raw score"
                     : view.schema.outcome.empty() ? "output"
                                                   : shortened(view.schema.outcome, 40);
  if (!is_score && !view.schema.output_unit.empty()) {
    name += fmt::format(" ({})", view.schema.output_unit);
  }
  return name + (std::isfinite(range.lower) ? ", at least" : ", at most");
}

std::string what_changes(const SweepView& view, const Answer& answer) {
  if (answer.solutions.empty()) return {};
  if (answer.already_met) return "nothing to change";
  return changes_line(view.ensemble, view.schema, view.query, answer.best().point);
}

void draw_curve(Svg& svg, const Frame& frame, const SweepView& view) {
  for (std::size_t k = 0; k + 1 < view.points.size(); ++k) {
    const auto& [level, answer] = view.points[k];
    const auto& [next, next_answer] = view.points[k + 1];
    if (answer.solutions.empty()) continue;
    const double reached = reached_level(view, answer);
    const bool beyond = level < next ? reached >= next : reached <= next;
    const double known = beyond ? next : reached;
    const double y = frame.to_y(answer.cost);
    if (!beyond && !next_answer.solutions.empty()) {
      const double top = frame.to_y(next_answer.cost);
      const double from = frame.to_x(known);
      const double to = frame.to_x(next);
      svg.rectangle(std::min(from, to), top, std::abs(to - from), y - top, "gap");
    }
    // A cost that is not proven the least says nothing about the levels in between.
    if (answer.status == Status::optimal) {
      svg.line(frame.to_x(level), y, frame.to_x(known), y, "curve");
    }
  }
}

void draw_points(Svg& svg, const Frame& frame, const SweepView& view) {
  std::string last;
  for (const auto& [level, answer] : view.points) {
    if (answer.solutions.empty()) continue;
    const double x = frame.to_x(level);
    const double y = frame.to_y(answer.cost);
    if (answer.status != Status::optimal) {
      svg.line(x, y, x, frame.to_y(std::max(0.0, answer.lower_bound)), "bar");
    }
    const std::string changes = what_changes(view, answer);
    const std::string hint =
        fmt::format("{:.6g}: cost {}; {}", level, cost_text(answer.cost), changes);
    if (changes == last) {
      svg.circle(x, y, 3, "ring", hint);
    } else {
      svg.circle(x, y, 5, "dot", hint);
    }
    last = changes;
  }
}

/// Levels without an answer lie on the side that asks for more.
void draw_never(Svg& svg, const Frame& frame, const SweepView& view) {
  const auto first = std::find_if(
      view.points.begin(), view.points.end(),
      [](const SweepPoint& point) { return point.answer.status == Status::infeasible; });
  if (first == view.points.end()) return;
  const bool rising = view.points.front().level <= view.points.back().level;
  const double x = frame.to_x(first->level);
  const double from = rising ? x : frame.left;
  const double to = rising ? frame.right : x;
  svg.rectangle(from, frame.top, to - from, frame.bottom - frame.top, "never");
  const bool fits = to - from > text_width("impossible", 11) + 8;
  svg.text(fits     ? (from + to) / 2
           : rising ? to - 4
                    : from + 4,
           frame.top + 16, "impossible", "soft",
           fits     ? Anchor::middle
           : rising ? Anchor::end
                    : Anchor::start);
}

/// Only what the curve has is explained; returns how many lines it took.
void draw_legend(Svg& svg, const SweepView& view, double x, double y) {
  bool repeats = false, gaps = false, bars = false;
  std::string last;
  for (std::size_t k = 0; k < view.points.size(); ++k) {
    const Answer& answer = view.points[k].answer;
    if (answer.solutions.empty()) continue;
    const std::string changes = what_changes(view, answer);
    repeats = repeats || changes == last;
    gaps = gaps || (!last.empty() && changes != last);
    bars = bars || answer.status != Status::optimal;
    last = changes;
  }
  const auto entry = [&](const char* words) {
    svg.text(x + 18, y + 4, words, "soft");
    x += 18 + text_width(words, 11) + 18;
  };
  svg.circle(x + 5, y, 5, "dot");
  entry("another answer");
  if (repeats) {
    svg.circle(x + 5, y, 3, "ring");
    entry("the same as before");
  }
  svg.line(x, y, x + 12, y, "curve");
  entry("known exactly");
  if (gaps) {
    svg.rectangle(x, y - 5, 12, 10, "gap");
    entry("between two levels");
  }
  if (bars) {
    svg.line(x + 6, y - 6, x + 6, y + 6, "bar");
    entry("not proven: down to the bound");
  }
}

}  // namespace

std::string to_svg(const SweepView& view, const PictureStyle& style) {
  const std::string title = fmt::format("{}: what more costs", subject_text(view.schema, view.row));
  const std::vector<double> scores = view.ensemble.predict(view.query.point);
  const Figure now = figure_of(view.ensemble, view.schema, view.query, scores);
  Svg svg(style.width, style.height, title);
  svg.text(16, 26, shortened(title, 80), "head");
  svg.text(16, 44,
           shortened(fmt::format("Now {} ({} {})",
                                 outcome_text(view.ensemble, view.schema, view.query, scores),
                                 now.name, now.value),
                     110),
           "soft");
  double low = view.points.empty() ? 0 : view.points.front().level;
  double high = low;
  double dearest = 0;
  for (const auto& [level, answer] : view.points) {
    low = std::min(low, level);
    high = std::max(high, level);
    if (!answer.solutions.empty()) dearest = std::max(dearest, answer.cost);
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  const double margin = (high - low) * 0.03;
  const double top = dearest > 0 ? dearest * 1.1 : 1;
  Frame frame{12, 78, style.width - 20, style.height - 8, {}, {}};
  frame.x = {low - margin, high + margin, round_ticks(low, high, 8), level_title(view)};
  frame.y = {0, top, round_ticks(0, top, 6), fmt::format("cost{}", cost_name(view.query.norm))};
  make_room_for_axes(frame);
  draw_axes(svg, frame, true);
  draw_never(svg, frame, view);
  draw_curve(svg, frame, view);
  draw_points(svg, frame, view);
  draw_legend(svg, view, 16, 62);
  return svg.finish();
}

}  // namespace boxwood
