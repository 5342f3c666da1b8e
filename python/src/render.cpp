// What is shown of answers and analyses: texts, tables, HTML and JSON, all made by
// boxwood/render.hpp.
#include "at_exit.hpp"
#include "common.hpp"

#include <boxwood/page.hpp>

namespace boxwood::python {
namespace {

/// A row's number, or its name; the empty one where it has none.
using Label = std::variant<std::size_t, std::string>;

const char* const ask_why_not =
    "call why_not() with the same arguments as explain().";  // for impossible outcomes

RowLabel row_of(const Label& row) {
  return std::visit([](const auto& label) { return RowLabel(label); }, row);
}

const Ensemble& asked_of(const Model& model, const Query& query) {
  return model.ensembles().at(query.requirements.empty() ? 0 : query.requirements.front().ensemble);
}

Explanation shown(const Model& model, const Query& query, const Answer& answer, const Label& row,
                  std::size_t earlier_alternatives = 0) {
  Findings findings;
  findings.earlier_alternatives = earlier_alternatives;
  findings.models = several_models(model.ensembles(), model.names(), query, answer);
  return {asked_of(model, query), model.schema(), query, answer, row_of(row),
          std::nullopt,           findings};
}

const TableStyle& style() {
  static const TableStyle plain{.colour = false, .why_not = ask_why_not};
  return plain;
}

/// Calls `write` with the view of a menu. A menu without alternatives is shown as the answer that
/// says so.
std::string of_menu(const Model& model, const Query& query,
                    const std::vector<const Answer*>& answers, bool complete, Stop stop,
                    const MenuOptions& asked, const Label& row,
                    const std::function<std::string(const MenuView&)>& write) {
  Menu menu;
  menu.complete = complete;
  menu.stop = stop;
  Answer none;
  none.status = complete ? Status::infeasible : Status::unknown;
  none.stop = stop;
  std::vector<Explanation> alternatives;
  for (const Answer* answer : answers) {
    alternatives.push_back(shown(model, query, *answer, row, alternatives.size()));
  }
  if (alternatives.empty()) alternatives.push_back(shown(model, query, none, row));
  return write(MenuView{alternatives, menu, asked});
}

std::string of_sweep(const Model& model, const Query& query, const std::vector<double>& levels,
                     const std::vector<const Answer*>& answers, const Label& row, Swept swept,
                     const std::function<std::string(const SweepView&)>& write) {
  std::vector<SweepPoint> points;
  for (std::size_t i = 0; i < levels.size(); ++i) points.push_back({levels[i], *answers.at(i)});
  return write(
      SweepView{asked_of(model, query), model.schema(), query, points, row_of(row), swept});
}

std::string of_best(const Model& model, const Query& query, const BestCurve& found, double budget,
                    const Label& row, const std::function<std::string(const BestView&)>& write) {
  return write({asked_of(model, query), model.schema(), query, found, budget, row_of(row)});
}

Explanation blocked(const Model& model, const Query& query, const WhyNot& why, const Label& row) {
  Explanation explanation = shown(model, query, why.answer, row);
  explanation.findings.why_not = why;
  return explanation;
}

std::string of_regions(const Model& model, const Query& query,
                       const std::vector<const Region*>& regions,
                       const std::function<std::string(std::span<const RegionView>)>& write) {
  std::vector<RegionView> views;
  for (const Region* region : regions) {
    views.push_back({asked_of(model, query), model.schema(), query, *region, 0, views.size() + 1});
  }
  return write(views);
}

void bind_claim(nb::module_& module) {
  nb::class_<Claim>(module, "Claim", "What is proven about an answer, for its very question.")
      .def_ro("status", &Claim::status)
      .def_ro("stop", &Claim::stop)
      .def_ro("already_met", &Claim::already_met)
      .def_ro("fewest_first", &Claim::fewest_first)
      .def_ro("cost_name", &Claim::cost_name)
      .def_ro("cost", &Claim::cost)
      .def_ro("changes", &Claim::changes)
      .def_ro("least_changes", &Claim::least_changes)
      .def_ro("lower_bound", &Claim::lower_bound)
      .def_ro("among_changes", &Claim::among_changes)
      .def_ro("gap", &Claim::gap)
      .def_ro("limited", &Claim::limited)
      .def_ro("earlier_alternatives", &Claim::earlier_alternatives)
      .def_ro("robust", &Claim::robust)
      .def_ro("certain", &Claim::certain)
      .def_prop_ro("badge",
                   [](const Claim& self) {
                     const Badge badge = badge_of(self);
                     return std::pair(badge.words, badge.colour);
                   })
      .def("__str__", &claim_text)
      .def("__repr__", [](const Claim& self) { return "<Claim " + claim_text(self) + ">"; });
  module.def(
      "claim_of",
      [](const Model& model, const Query& query, const Answer& answer, std::size_t earlier) {
        return claim_of(query, answer, earlier, model.ensembles());
      },
      "model"_a, "query"_a, "answer"_a, "earlier_alternatives"_a = 0,
      "What is proven about an answer.");
}

}  // namespace

void bind_render(nb::module_& module) {
  bind_claim(module);
  module.def(
      "wanted_text",
      [](const Model& model, const Query& query) {
        return wanted_text(asked_of(model, query), model.schema(), query);
      },
      "model"_a, "query"_a);
  module.def(
      "cost_name", [](const Query& query) { return claim_of(query, Answer()).cost_name; },
      "query"_a);
  module.def(
      "sentences",
      [](const Model& model, const Query& query, const Answer& answer, const Label& row,
         std::size_t earlier_alternatives) {
        return sentences(shown(model, query, answer, row, earlier_alternatives));
      },
      "model"_a, "query"_a, "answer"_a, "row"_a = "", "earlier_alternatives"_a = 0);
  module.def(
      "answer_table",
      [](const Model& model, const Query& query, const Answer& answer, const Label& row,
         std::size_t earlier_alternatives) {
        return to_table(shown(model, query, answer, row, earlier_alternatives), style());
      },
      "model"_a, "query"_a, "answer"_a, "row"_a = "", "earlier_alternatives"_a = 0);
  module.def(
      "answer_html",
      [](const Model& model, const Query& query, const Answer& answer, const Label& row,
         std::size_t earlier_alternatives) {
        return to_html(shown(model, query, answer, row, earlier_alternatives), style());
      },
      "model"_a, "query"_a, "answer"_a, "row"_a = "", "earlier_alternatives"_a = 0);
  module.def(
      "answer_json",
      [](const Model& model, const Query& query, const Answer& answer, const Label& row,
         std::size_t earlier_alternatives) {
        return to_json(shown(model, query, answer, row, earlier_alternatives));
      },
      "model"_a, "query"_a, "answer"_a, "row"_a = "", "earlier_alternatives"_a = 0);
  module.def(
      "robustness_text",
      [](const Model& model, const Query& query, const Answer& answer, const Label& row) {
        return robustness_text(shown(model, query, answer, row));
      },
      "model"_a, "query"_a, "answer"_a, "row"_a = "");
  module.def(
      "robustness_html",
      [](const Model& model, const Query& query, const Answer& answer, const Label& row) {
        return robustness_html(shown(model, query, answer, row));
      },
      "model"_a, "query"_a, "answer"_a, "row"_a = "");
  module.def(
      "robustness_radius",
      [](const Model& model, const Query& query, const Answer& answer) {
        return robustness_radius(shown(model, query, answer, std::string{}));
      },
      "model"_a, "query"_a, "answer"_a);
  module.def(
      "menu_table",
      [](const Model& model, const Query& query, const std::vector<const Answer*>& answers,
         bool complete, Stop stop, Apart apart, double distance, const Label& row) {
        return of_menu(model, query, answers, complete, stop, {answers.size(), apart, distance},
                       row, [](const MenuView& view) { return to_table(view, style()); });
      },
      "model"_a, "query"_a, "answers"_a, "complete"_a, "stop"_a, "apart"_a, "distance"_a,
      "row"_a = "");
  module.def(
      "menu_html",
      [](const Model& model, const Query& query, const std::vector<const Answer*>& answers,
         bool complete, Stop stop, Apart apart, double distance, const Label& row) {
        return of_menu(model, query, answers, complete, stop, {answers.size(), apart, distance},
                       row, [](const MenuView& view) { return to_html(view, style()); });
      },
      "model"_a, "query"_a, "answers"_a, "complete"_a, "stop"_a, "apart"_a, "distance"_a,
      "row"_a = "");
  module.def(
      "sweep_table",
      [](const Model& model, const Query& query, const std::vector<double>& levels,
         const std::vector<const Answer*>& answers, const Label& row, Swept swept) {
        return of_sweep(model, query, levels, answers, row, swept,
                        [](const SweepView& view) { return to_table(view, style()); });
      },
      "model"_a, "query"_a, "levels"_a, "answers"_a, "row"_a, "swept"_a);
  module.def(
      "sweep_html",
      [](const Model& model, const Query& query, const std::vector<double>& levels,
         const std::vector<const Answer*>& answers, const Label& row, Swept swept) {
        return of_sweep(model, query, levels, answers, row, swept,
                        [](const SweepView& view) { return to_html(view); });
      },
      "model"_a, "query"_a, "levels"_a, "answers"_a, "row"_a, "swept"_a);
  module.def(
      "at_level",
      [](const Query& query, double level) {
        Query moved = query;
        set_level(moved, level);
        return moved;
      },
      "query"_a, "level"_a, "The query at one level of a sweep.");
  module.def(
      "best_table",
      [](const Model& model, const Query& query, const BestCurve& found, double budget,
         const Label& row) {
        return of_best(model, query, found, budget, row,
                       [](const BestView& view) { return to_table(view); });
      },
      "model"_a, "query"_a, "found"_a, "budget"_a, "row"_a);
  module.def(
      "best_html",
      [](const Model& model, const Query& query, const BestCurve& found, double budget,
         const Label& row) {
        return of_best(model, query, found, budget, row,
                       [](const BestView& view) { return to_html(view); });
      },
      "model"_a, "query"_a, "found"_a, "budget"_a, "row"_a);
  module.def(
      "best_levels",
      [](const Model& model, const Query& query, const BestCurve& found) {
        std::vector<std::pair<double, Answer>> levels;
        const BestView view{asked_of(model, query), model.schema(), query, found};
        for (SweepPoint& point : sweep_of(view)) {
          levels.emplace_back(point.level, std::move(point.answer));
        }
        return levels;
      },
      "model"_a, "query"_a, "found"_a, "The steps as levels of a sweep, for pictures.");
  module.def(
      "reasons_in_words",
      [](const Model& model, const Query& query, const Reasons& found) {
        ReasonsText text =
            reasons_in_words({asked_of(model, query), model.schema(), query, found, 0});
        return std::tuple(std::move(text.head), std::move(text.lines), std::move(text.end));
      },
      "model"_a, "query"_a, "found"_a, "A sentence, a table with its header, and a sentence.");
  module.def(
      "reasons_table",
      [](const Model& model, const Query& query, const Reasons& found, const Label& row) {
        return to_table(
            ReasonsView{asked_of(model, query), model.schema(), query, found, row_of(row)});
      },
      "model"_a, "query"_a, "found"_a, "row"_a);
  module.def(
      "reasons_html",
      [](const Model& model, const Query& query, const Reasons& found, const Label& row) {
        return to_html(
            ReasonsView{asked_of(model, query), model.schema(), query, found, row_of(row)});
      },
      "model"_a, "query"_a, "found"_a, "row"_a);
  module.def(
      "why_not_table",
      [](const Model& model, const Query& query, const WhyNot& why, const Label& row) {
        return to_table(blocked(model, query, why, row), style());
      },
      "model"_a, "query"_a, "why"_a, "row"_a = "");
  module.def(
      "why_not_html",
      [](const Model& model, const Query& query, const WhyNot& why, const Label& row) {
        return to_html(blocked(model, query, why, row), style());
      },
      "model"_a, "query"_a, "why"_a, "row"_a = "");
  module.def(
      "regions_table",
      [](const Model& model, const Query& query, const std::vector<const Region*>& regions) {
        return of_regions(model, query, regions, [](std::span<const RegionView> views) {
          std::string text;
          for (const RegionView& view : views) text += to_table(view, style());
          return text;
        });
      },
      "model"_a, "query"_a, "regions"_a);
  module.def(
      "regions_html",
      [](const Model& model, const Query& query, const std::vector<const Region*>& regions) {
        return of_regions(model, query, regions,
                          [](std::span<const RegionView> views) { return to_html(views); });
      },
      "model"_a, "query"_a, "regions"_a);
  module.def(
      "map_svg",
      [](const Model& model, const Query& query, const Map& map, std::size_t x, std::size_t y,
         std::optional<double> radius, const Label& row) {
        MapOptions asked;
        asked.x = x;
        asked.y = y;
        asked.radius = radius;
        const Answer none;
        return to_svg(MapView{
            asked_of(model, query), model.schema(), query, map, asked, none, {}, row_of(row)});
      },
      "model"_a, "query"_a, "map"_a, "x"_a, "y"_a, "radius"_a.none(), "row"_a);
  module.def(
      "rounded_answer",
      [](const Model& model, const Query& query, const Answer& answer, double tolerance) {
        const Released released;
        return rounded_answer(model.prepared, query, answer, tolerance);
      },
      "model"_a, "query"_a, "answer"_a, "tolerance"_a,
      "The answer with rounder numbers that cost at most this share more.");
  module.def(
      "html_table",
      [](const std::vector<std::string>& title, const std::vector<std::vector<std::string>>& lines,
         const std::vector<std::string>& notes) { return html_page(title, lines, notes); },
      "title"_a, "lines"_a, "notes"_a,
      "Paragraphs, a table whose first line is the header, and less conspicuous paragraphs.");
  module.def(
      "fill_page",
      [](const std::string& page, const std::string& title, const std::string& model,
         const std::string& data, const std::string& schema, std::size_t row,
         const std::string& question) {
        return fill_page(page, {title,
                                {"model.json", model},
                                {"rows.csv", data},
                                PageFile{"schema.json", schema},
                                row,
                                question});
      },
      "page"_a, "title"_a, "model"_a, "data"_a, "schema"_a, "row"_a, "question"_a,
      "The page for browsers with these texts of files inside.");
}

}  // namespace boxwood::python
