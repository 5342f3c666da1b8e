// Records: the facts of many answers as columns, and an answer made again of a record. What a
// record holds is described in docs/formats.md; boxwood.records puts it together.
#include "at_exit.hpp"
#include "common.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace boxwood::python {
namespace {

/// "[28, 33)", with the shortest digits that read back as the same number; "missing".
void add_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end.ptr);
}

std::string region_text(const Solution& solution, std::size_t feature) {
  const Interval& interval = solution.region[feature];
  std::string text;
  if (std::isnan(interval.lower)) {
    text = "missing";
  } else {
    text += interval.lower_closed ? '[' : '(';
    add_number(text, interval.lower);
    text += ", ";
    add_number(text, interval.upper);
    text += interval.upper_closed ? ']' : ')';
  }
  if (feature < solution.codes.size() && !solution.codes[feature].empty()) {
    text += " {";
    for (const std::int32_t code : solution.codes[feature]) {
      if (text.back() != '{') text += ", ";
      text += std::to_string(code);
    }
    text += '}';
  }
  return text;
}

/// The columns of records, one entry a row.
struct Columns {
  std::vector<std::string> status, stop, claim, changes;
  std::vector<std::vector<std::string>> changed_features, region;  // region: one list a feature
  std::vector<double> cost, distance, lower_bound, gap, seconds, points;
  std::vector<std::int64_t> changed, nodes, least_changes;
  std::vector<std::uint8_t> already_met, found;
  std::vector<std::vector<double>> output_before, output_after;
};

void add(Columns& columns, const Model& model, const Query& query, const Answer& answer) {
  const bool found = !answer.solutions.empty();
  const std::size_t asked = query.requirements.empty() ? 0 : query.requirements.front().ensemble;
  columns.status.emplace_back(to_string(answer.status));
  columns.stop.emplace_back(to_string(answer.stop));
  columns.claim.push_back(claim_text(claim_of(query, answer, 0, model.ensembles())));
  columns.cost.push_back(answer.cost);
  columns.distance.push_back(answer.distance);
  columns.lower_bound.push_back(answer.lower_bound);
  columns.gap.push_back(found ? answer.gap() : std::numeric_limits<double>::infinity());
  columns.seconds.push_back(answer.statistics.seconds);
  columns.nodes.push_back(static_cast<std::int64_t>(answer.statistics.nodes));
  columns.least_changes.push_back(static_cast<std::int64_t>(answer.least_changes));
  columns.already_met.push_back(answer.already_met);
  columns.found.push_back(found);
  columns.output_before.push_back(answer.output_before.empty() ? std::vector<double>{}
                                                               : answer.output_before.front());
  columns.output_after.push_back(answer.output_after.empty() ? std::vector<double>{}
                                                             : answer.output_after.front());
  std::string words;
  std::vector<std::string> titles;
  if (found) {
    const Solution& best = answer.best();
    for (const ChangeText& one :
         changes_in_words(model.ensembles()[asked], model.schema(), query, best)) {
      if (!words.empty()) words += "; ";
      words += one.title + ": " + one.now + " → " + one.then;
      titles.push_back(one.title);
    }
    columns.points.insert(columns.points.end(), best.point.begin(), best.point.end());
  } else {
    columns.points.insert(columns.points.end(), query.point.size(),
                          std::numeric_limits<double>::quiet_NaN());
  }
  for (std::size_t d = 0; d < columns.region.size(); ++d) {
    columns.region[d].push_back(found ? region_text(answer.best(), d) : std::string{});
  }
  columns.changed.push_back(static_cast<std::int64_t>(titles.size()));
  columns.changes.push_back(std::move(words));
  columns.changed_features.push_back(std::move(titles));
}

nb::dict to_dict(Columns columns, std::size_t rows, std::size_t width) {
  nb::dict all;
  all["status"] = nb::cast(columns.status);
  all["stop"] = nb::cast(columns.stop);
  all["claim"] = nb::cast(columns.claim);
  all["changes"] = nb::cast(columns.changes);
  all["changed_features"] = nb::cast(columns.changed_features);
  all["region"] = nb::cast(columns.region);
  all["cost"] = array_of(std::move(columns.cost), {rows});
  all["distance"] = array_of(std::move(columns.distance), {rows});
  all["lower_bound"] = array_of(std::move(columns.lower_bound), {rows});
  all["gap"] = array_of(std::move(columns.gap), {rows});
  all["seconds"] = array_of(std::move(columns.seconds), {rows});
  all["changed"] = array_of(std::move(columns.changed), {rows});
  all["nodes"] = array_of(std::move(columns.nodes), {rows});
  all["least_changes"] = array_of(std::move(columns.least_changes), {rows});
  all["already_met"] = array_of(std::move(columns.already_met), {rows});
  all["found"] = array_of(std::move(columns.found), {rows});
  all["points"] = array_of(std::move(columns.points), {rows, width});
  all["output_before"] = nb::cast(columns.output_before);
  all["output_after"] = nb::cast(columns.output_after);
  return all;
}

/// Calls `visit(query, i)` with the query of each row: a question that several rows share, at the
/// row's own point.
template <typename Visit>
void for_each_query(const std::vector<const Query*>& questions, const Points& points,
                    const Visit& visit) {
  if (questions.size() != points.shape(0)) {
    throw Error("records", "there must be one question for each point");
  }
  std::optional<Query> query;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!query || questions[i] != questions[i - 1]) query = *questions[i];
    const double* row = points.data() + i * points.shape(1);
    query->point.assign(row, row + points.shape(1));
    visit(*query, i);
  }
}

Answer answer_of(Status status, Stop stop, bool already_met, double cost, double distance,
                 double lower_bound, std::size_t least_changes, std::optional<Solution> solution,
                 std::vector<std::vector<double>> before, std::vector<std::vector<double>> after) {
  Answer answer;
  answer.status = status;
  answer.stop = stop;
  answer.already_met = already_met;
  answer.cost = cost;
  answer.distance = distance;
  answer.lower_bound = lower_bound;
  answer.least_changes = least_changes;
  if (solution) answer.solutions.push_back(std::move(*solution));
  answer.output_before = std::move(before);
  answer.output_after = std::move(after);
  return answer;
}

}  // namespace

void bind_records(nb::module_& module) {
  module.def(
      "record_columns",
      [](const Model& model, const std::vector<const Query*>& questions, const Points& points,
         const std::vector<const Answer*>& answers) {
        Columns columns;
        columns.region.resize(points.shape(1));
        {
          const Released released;
          for_each_query(questions, points, [&](const Query& query, std::size_t i) {
            add(columns, model, query, *answers.at(i));
          });
        }
        return to_dict(std::move(columns), questions.size(), points.shape(1));
      },
      "model"_a, "questions"_a, "points"_a, "answers"_a,
      "The facts of answers by name, one entry a row. Rows may share a question.");
  module.def(
      "question_texts",
      [](const std::vector<const Query*>& questions, const Points& points) {
        std::vector<std::optional<std::string>> texts;
        const Released released;
        std::optional<QuestionTexts> text;
        for (std::size_t i = 0; i < questions.size(); ++i) {
          const Query& question = *questions[i];
          if (i == 0 || questions[i] != questions[i - 1]) {
            text.reset();
            if (question.norm != Norm::custom && question.live == 0) text.emplace(question);
          }
          texts.emplace_back();
          if (text) texts.back() = text->at({points.data() + i * points.shape(1), points.shape(1)});
        }
        return texts;
      },
      "questions"_a, "points"_a,
      "The question file of each row; None where the cost is a function, and with `live`.");
  module.def(
      "query_from_json",
      [](const std::string& text, const std::string& place) {
        return query_from_json(text, place);
      },
      "text"_a, "place"_a = "question", "Reads the text of a question file.");
  module.def(
      "solution_of",
      [](std::vector<double> point, std::vector<Interval> region,
         std::vector<std::vector<std::int32_t>> codes) {
        return Solution{std::move(point), std::move(region), std::move(codes)};
      },
      "point"_a, "region"_a, "codes"_a, "A solution, as a record states it.");
  module.def("answer_of", &answer_of, "status"_a, "stop"_a, "already_met"_a, "cost"_a, "distance"_a,
             "lower_bound"_a, "least_changes"_a, "solution"_a.none(), "output_before"_a,
             "output_after"_a, "An answer, as a record states it.");
}

}  // namespace boxwood::python
