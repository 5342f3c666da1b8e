// The content of the picture of a sweep: the cost of each level.
//
// The point found for one level may reach a higher level, and costs never fall as levels ask for
// more. So the cost is known exactly from a level up to the level that its point reaches. From
// there to the next level it lies between the two costs, and is known if these are equal. For
// multiples of robust distances only the last statement applies.
#include "base/text.hpp"
#include "render/axes.hpp"
#include "render/changes.hpp"
#include "render/claim.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <boxwood/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// The highest level that the answer's point also reaches.
double reached_level(const SweepView& view, const SweepPoint& at) {
  const auto& [level, answer] = at;
  if (view.swept == Swept::distances) return level;
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
  if (view.swept == Swept::distances) return "multiple of the robust distances";
  const Requirement& requirement = view.query.requirements.front();
  if (const auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    return fmt::format("{} of \"{}\", at least", wanted->margin ? "margin" : "probability",
                       class_words(view.ensemble, wanted->target));
  }
  const bool is_score = std::holds_alternative<ScoreIn>(requirement.outcome);
  const Interval range = is_score ? std::get<ScoreIn>(requirement.outcome).range
                                  : std::get<OutputIn>(requirement.outcome).range;
  const std::string name = is_score ? "raw score"
                                    : output_name(view.ensemble, view.schema,
                                                  std::get<OutputIn>(requirement.outcome).output);
  return name + (std::isfinite(range.lower) ? ", at least" : ", at most");
}

std::string what_changes(const SweepView& view, const Answer& answer) {
  if (answer.solutions.empty()) return {};
  if (answer.already_met) return "nothing to change";
  return changes_line(view.ensemble, view.schema, view.query, answer.best().point);
}

void add_marks(SweepPicture& picture, const SweepView& view) {
  std::string last;
  for (const auto& [level, answer] : view.points) {
    if (answer.solutions.empty()) continue;
    const std::string changes = what_changes(view, answer);
    const bool is_repeated = changes == last;
    picture.marks.push_back(
        {level, answer.cost, std::max(0.0, answer.lower_bound), answer.status == Status::optimal,
         is_repeated, fmt::format("{:.6g}: cost {}; {}", level, cost_text(answer.cost), changes)});
    last = changes;
  }
}

void add_spans(SweepPicture& picture, const SweepView& view) {
  for (std::size_t k = 0; k + 1 < view.points.size(); ++k) {
    const auto& [level, answer] = view.points[k];
    const auto& [next, next_answer] = view.points[k + 1];
    if (answer.solutions.empty()) continue;
    const double reached = reached_level(view, view.points[k]);
    const bool beyond = level < next ? reached >= next : reached <= next;
    const bool same_cost = !next_answer.solutions.empty() && next_answer.cost == answer.cost;
    const double known = beyond || same_cost ? next : reached;
    // A cost that is not proven to be the least says nothing about the levels in between.
    if (answer.status == Status::optimal) {
      if (known != level) picture.known.push_back({level, known, answer.cost, answer.cost});
      if (known != next && !next_answer.solutions.empty()) {
        picture.between.push_back({known, next, answer.cost, next_answer.cost});
      }
    }
  }
}

/// Levels that are proven impossible. They lie on the side that asks for more.
std::optional<Interval> impossible_levels(const SweepView& view, const Axis& axis) {
  const auto first = std::find_if(
      view.points.begin(), view.points.end(),
      [](const SweepPoint& point) { return point.answer.status == Status::infeasible; });
  if (first == view.points.end()) return std::nullopt;
  const bool ascending = view.points.front().level <= view.points.back().level;
  return ascending ? Interval{first->level, axis.high} : Interval{axis.low, first->level};
}

/// Explains only what the picture has.
std::vector<LegendEntry> legend_of(const SweepPicture& picture) {
  const auto any = [&](const auto& is_so) {
    return std::any_of(picture.marks.begin(), picture.marks.end(), is_so);
  };
  std::vector<LegendEntry> legend;
  if (!picture.marks.empty()) legend.push_back({"dot", "", "new answer"});
  if (any([](const SweepMark& mark) { return mark.is_repeated; })) {
    legend.push_back({"ring", "", "same answer as before"});
  }
  if (!picture.known.empty()) legend.push_back({"curve", "", "cost known exactly"});
  if (!picture.between.empty()) legend.push_back({"gap", "", "cost in this range"});
  if (any([](const SweepMark& mark) { return !mark.is_proven; })) {
    legend.push_back({"bar", "", "not proven: down to the lower bound"});
  }
  if (picture.impossible) legend.push_back({"never", "", "impossible (proven)"});
  return legend;
}

}  // namespace

SweepPicture picture_of(const SweepView& view, const RowLabel& row) {
  const std::vector<double> scores = view.ensemble.predict(view.query.point);
  const Figure now = figure_of(view.ensemble, view.schema, view.query, scores);
  const Requirement& requirement = view.query.requirements.front();
  const auto* wanted = std::get_if<ClassIs>(&requirement.outcome);
  SweepPicture picture;
  const bool of_distances = view.swept == Swept::distances;
  picture.title = fmt::format("{}: {}", subject_text(view.schema, row),
                              of_distances ? "price of robustness" : "cost of each level");
  picture.subtitle =
      "Now " + outcome_and_figure(view.ensemble, view.schema, view.query, scores, now);
  std::vector<double> levels;
  double dearest = 0;
  for (const auto& [level, answer] : view.points) {
    levels.push_back(level);
    if (!answer.solutions.empty()) dearest = std::max(dearest, answer.cost);
  }
  picture.x = level_axis(levels, !of_distances && wanted && !wanted->margin);
  picture.x.title = level_title(view);
  if (!of_distances && std::holds_alternative<OutputIn>(requirement.outcome)) {
    picture.x.unit = visible(view.schema.output_unit);
  }
  const double top = dearest > 0 ? dearest * 1.1 : 1;
  picture.y = {0, top, round_ticks(0, top, 6), fmt::format("cost ({})", cost_name(view.query))};
  add_marks(picture, view);
  add_spans(picture, view);
  picture.impossible = impossible_levels(view, picture.x);
  picture.legend = legend_of(picture);
  return picture;
}

}  // namespace boxwood
