// What pictures show: boxwood/picture.hpp, for boxwood.plots.
#include "common.hpp"

namespace boxwood::python {
namespace {

using Segment = std::tuple<double, double, double, double>;

void bind_values(nb::module_& module) {
  nb::class_<Axis>(module, "Axis", "An axis of a picture.")
      .def_ro("low", &Axis::low)
      .def_ro("high", &Axis::high)
      .def_prop_ro("ticks",
                   [](const Axis& self) {
                     std::vector<std::pair<double, std::string>> ticks;
                     for (const Tick& tick : self.ticks) ticks.emplace_back(tick.at, tick.label);
                     return ticks;
                   })
      .def_prop_ro("title", &Axis::title_with_unit)
      .def_prop_ro("scale", [](const Axis& self) {
        return self.scale == AxisScale::linear ? "linear" : "logit";
      });
  nb::class_<LegendEntry>(module, "LegendEntry", "A colour or a mark, and its meaning.")
      .def_ro("kind", &LegendEntry::css)
      .def_ro("colour", &LegendEntry::colour)
      .def_ro("words", &LegendEntry::words);
  nb::class_<MapPicture>(module, "MapPicture", "What the picture of a map shows.")
      .def_ro("title", &MapPicture::title)
      .def_ro("x", &MapPicture::x)
      .def_ro("y", &MapPicture::y)
      .def_ro("colours_title", &MapPicture::colours_title)
      .def_ro("colours", &MapPicture::colours)
      .def_ro("is_scale", &MapPicture::is_scale)
      .def_prop_ro(
          "tiles",
          [](const MapPicture& self) {
            std::vector<double> all;
            for (const Tile& tile : self.tiles) {
              all.insert(all.end(), {tile.x.lower, tile.x.upper, tile.y.lower, tile.y.upper,
                                     static_cast<double>(tile.colour)});
            }
            return array_of(std::move(all), {self.tiles.size(), std::size_t{5}});
          },
          nb::rv_policy::automatic, "Left, right, bottom, top and the index of the colour.")
      .def_prop_ro(
          "borders",
          [](const MapPicture& self) {
            std::vector<double> all;
            for (const auto& [from, to] : self.borders) {
              all.insert(all.end(), {from.first, from.second, to.first, to.second});
            }
            return array_of(std::move(all), {self.borders.size(), std::size_t{2}, std::size_t{2}});
          },
          nb::rv_policy::automatic, "Lines from one point to another.")
      .def_ro("now", &MapPicture::now)
      .def_ro("then", &MapPicture::then)
      .def_ro("path", &MapPicture::path)
      .def_ro("marks", &MapPicture::marks)
      .def_ro("notes", &MapPicture::notes);
  nb::class_<SweepMark>(module, "SweepMark", "One answer of a sweep.")
      .def_ro("level", &SweepMark::level)
      .def_ro("cost", &SweepMark::cost)
      .def_ro("lower_bound", &SweepMark::lower_bound)
      .def_ro("is_proven", &SweepMark::is_proven)
      .def_ro("is_repeated", &SweepMark::is_repeated);
  const auto spans = [](const std::vector<SweepSpan>& all) {
    std::vector<Segment> found;
    for (const SweepSpan& span : all) {
      found.emplace_back(span.from, span.to, span.low_cost, span.high_cost);
    }
    return found;
  };
  nb::class_<SweepPicture>(module, "SweepPicture", "What the picture of a sweep shows.")
      .def_ro("title", &SweepPicture::title)
      .def_ro("subtitle", &SweepPicture::subtitle)
      .def_ro("x", &SweepPicture::x)
      .def_ro("y", &SweepPicture::y)
      .def_ro("marks", &SweepPicture::marks)
      .def_prop_ro("known", [spans](const SweepPicture& self) { return spans(self.known); })
      .def_prop_ro("between", [spans](const SweepPicture& self) { return spans(self.between); })
      .def_ro("impossible", &SweepPicture::impossible)
      .def_ro("legend", &SweepPicture::legend);
}

const Ensemble& asked_ensemble(const Model& model, const Query& query) {
  return model.ensembles()[query.requirements.empty() ? 0 : query.requirements.front().ensemble];
}

}  // namespace

void bind_pictures(nb::module_& module) {
  nb::enum_<Swept>(module, "Swept", "What varies from one answer of a sweep to the next.")
      .value("levels", Swept::levels)
      .value("distances", Swept::distances);
  bind_values(module);
  module.def(
      "map_picture",
      [](const Model& model, const Query& query, const Map& map, std::size_t x, std::size_t y,
         std::optional<double> radius, const Answer* answer, const std::vector<Point>& path) {
        const MapOptions asked{x, y, map.x_view, map.y_view, radius};
        std::vector<PathStep> steps;
        for (const Point& point : path) {
          steps.emplace_back();
          steps.back().point = vector_of(point);
        }
        const Answer none;
        const Ensemble& ensemble = asked_ensemble(model, query);
        return picture_of(
            MapView{ensemble, model.schema(), query, map, asked, answer ? *answer : none, steps},
            RowLabel(std::string()), ensemble.task == Task::regression);
      },
      "model"_a, "query"_a, "map"_a, "x"_a, "y"_a, "radius"_a.none(), "answer"_a.none(), "path"_a);
  module.def(
      "sweep_picture",
      [](const Model& model, const Query& query, const std::vector<double>& levels,
         const std::vector<const Answer*>& answers, Swept swept) {
        std::vector<SweepPoint> points;
        for (std::size_t k = 0; k < levels.size(); ++k)
          points.push_back({levels[k], *answers.at(k)});
        const RowLabel row{std::string()};
        const SweepView view{
            asked_ensemble(model, query), model.schema(), query, points, row, swept};
        return picture_of(view, row);
      },
      "model"_a, "query"_a, "levels"_a, "answers"_a, "swept"_a);
  module.def(
      "round_ticks",
      [](double low, double high, std::size_t count) {
        std::vector<std::pair<double, std::string>> ticks;
        for (const Tick& tick : round_ticks(low, high, count)) {
          ticks.emplace_back(tick.at, tick.label);
        }
        return ticks;
      },
      "low"_a, "high"_a, "count"_a, "Ticks at round numbers, with their labels.");
}

}  // namespace boxwood::python
