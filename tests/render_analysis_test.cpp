// Menus, wide regions, blockers, paths, sweeps, robustness and maps in words and as pictures, from
// values made by hand.
#include <boxwood/picture.hpp>
#include <boxwood/render.hpp>

#include "small_models.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <sstream>

#include "render/advice.hpp"
#include "render/axes.hpp"
#include "render/outcome.hpp"
#include "render/svg_canvas.hpp"

namespace boxwood {
namespace render_analysis_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Granted when duration < 20; savings and income do nothing.
class Analysed : public testing::Test {
 protected:
  Analysed() {
    ensemble = duration_model();
    schema = schema_for(ensemble);
    schema.subject = "applicant";
    schema.outcome = "credit";
    schema.features[0].kind = FeatureKind::integer;
    schema.features[0].unit = "months";
    schema.features[0].range = {4, 72};
    schema.features[1].kind = FeatureKind::ordinal;
    schema.features[1].labels = {"none", "little", "much"};
    schema.features[1].range = {0, 2};
    schema.features[2].unit = "DM";
    query = query_for(ensemble, std::vector<double>{24, 1, 4870});
    apply(schema, query);
    query.requirements = {require_class(1)};
    answer = answered({19, 1, 4870}, 25);
  }

  static Answer answered(std::vector<double> point, double cost) {
    Answer found;
    found.status = Status::optimal;
    found.cost = found.lower_bound = cost;
    found.distance = cost;
    found.solutions = {{std::move(point),
                        {{-infinity, 20, false, false},
                         {-infinity, infinity, false, false},
                         {-infinity, infinity, false, false}}}};
    found.statistics.seconds = 0.003;
    return found;
  }

  static Answer no_answer(Status status, Stop stop = Stop::finished) {
    Answer none;
    none.status = status;
    none.stop = stop;
    if (status == Status::infeasible) none.lower_bound = infinity;
    none.statistics.seconds = 0.003;
    return none;
  }

  Explanation shown() { return {ensemble, schema, query, answer, 3, std::nullopt, findings}; }
  std::string table() { return to_table(shown()); }
  nlohmann::json json() { return nlohmann::json::parse(to_json(shown())); }

  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  /// The same wherever lines are broken.
  static bool says(const std::string& text, const std::string& part) {
    std::istringstream words(text);
    std::string flat, word;
    while (words >> word) flat += (flat.empty() ? "" : " ") + word;
    return has(flat, part);
  }

  Ensemble ensemble;
  Schema schema;
  Query query;
  Answer answer;
  Findings findings;
};

TEST_F(Analysed, AdviceIsOneSentence) {
  EXPECT_EQ(advice(shown()),
            "Bring duration to at most 19 months (now 24 months), and credit is granted.");
  schema.outcome.clear();
  EXPECT_EQ(
      advice(shown()),
      "Bring duration to at most 19 months (now 24 months), and the model gives \"granted\".");
  answer.already_met = true;
  EXPECT_EQ(advice(shown()), "");
}

TEST_F(Analysed, AdviceHasNoNonsensePrecision) {
  // From 0.2: the ends move inwards by little and become plain.
  Interval plain = plain_interval({0.30000001192, 0.98765432, true, false}, Precision::float32, 0);
  EXPECT_EQ(plain, (Interval{0.31, 0.98, true, true}));
  // An end that is round stays, in or out.
  plain = plain_interval({-infinity, 20, false, false}, Precision::float32, 24);
  EXPECT_EQ(plain, (Interval{-infinity, 20, false, false}));
  // Next to the edge nothing may be given away.
  plain = plain_interval({0.3000001, infinity, true, true}, Precision::float64, 0.3);
  EXPECT_EQ(plain.lower, 0.3000001);
}

TEST_F(Analysed, TheWideRegionIsAColumnAndALine) {
  findings.wide = WideRegion{{{4, 21.5}, {}, {1000, infinity}}, {{}, {}, {}}, true, Stop::finished};
  const std::string text = table();
  EXPECT_TRUE(has(text,
                  "  feature    now         change to   anything in         holds for anything in\n"
                  "  duration   24 months   19 months   at most 19 months   at most 21 months\n"))
      << text;
  EXPECT_TRUE(says(text,
                   "It holds while the others keep to: income: at least 1 000 DM. Any value of: "
                   "savings. No single interval can be wider (proven)."))
      << text;
  EXPECT_TRUE(has(advice(shown()), "at most 21 months"));
  EXPECT_EQ(json()["wide"]["region"]["duration"]["upper"], 21.5);
  EXPECT_EQ(json()["wide"]["anything_in"]["income"], "at least 1 000 DM");
  findings.wide->maximal = false;
  findings.wide->stop = Stop::time;
  EXPECT_TRUE(says(table(), "Wider ones may hold too (stopped at the time limit).")) << table();
}

TEST_F(Analysed, WideCategoriesAndGroupsAreLabels) {
  schema.features[1].kind = FeatureKind::categorical;
  answer.solutions[0].point = {24, 0, 4870};
  findings.wide = WideRegion{{{}, {0, 2}, {}}, {{}, {0, 2}, {}}, true, Stop::finished};
  EXPECT_TRUE(has(table(), "one of: none, much\n")) << table();
  schema.groups = {{"home", {1, 2}, {"rent", "own"}, 1, false}};
  query = query_for(ensemble, std::vector<double>{24, 1, 0});
  query.requirements = {require_class(1)};
  apply(schema, query);
  answer.solutions[0].point = {24, 0, 1};
  findings.wide->values = {{}, {1}, {}};
  EXPECT_TRUE(has(table(), "home      rent   own         one of: rent, own   own\n")) << table();
}

TEST_F(Analysed, RounderNumbersAreSaidToBeRounded) {
  findings.rounding = Rounding{{18, 1, 4870}, 0.5};
  EXPECT_TRUE(says(table(),
                   "Rounded: duration: 18 months · probability there 0.56 · cost 36 (44 % "
                   "more than the least, up to 50 % allowed)"))
      << table();
  EXPECT_EQ(json()["rounded"]["cost"], 36.0);
  EXPECT_EQ(json()["cost"], 25.0);
  findings.rounding->point = answer.best().point;
  EXPECT_TRUE(has(table(), "Rounded: no rounder numbers cost at most 50 % more.\n")) << table();
}

TEST_F(Analysed, ThePathShowsEachStepAndWhatItIsWorth) {
  findings.path = {{{2}, {24, 1, 5000}, {{0.12}}, no_answer(Status::infeasible)},
                   {{0}, {19, 1, 5000}, {{0.56}}, answered({24, 2, 4870}, 31)}};
  const std::string text = table();
  EXPECT_TRUE(has(text,
                  "\nStep by step:\n"
                  "  step   change                             probability   without it\n"
                  "         as it is                           0.12\n"
                  "  1      income: 4 870 DM to 5 000 DM       0.12          impossible\n"
                  "  2      duration: 24 months to 19 months   0.56          cost 31\n"))
      << text;
  EXPECT_EQ(json()["path"][0]["features"][0], "income");
  EXPECT_EQ(json()["path"][0]["without"]["status"], "infeasible");
  EXPECT_EQ(json()["path"][1]["without"]["cost"], 31.0);
  findings.path[1].without.reset();
  findings.path[0].without.reset();
  EXPECT_FALSE(has(table(), "without it"));
}

TEST_F(Analysed, BlockersSayWhatLiftingThemGives) {
  answer = no_answer(Status::infeasible);
  query.features[0].fixed = true;
  query.features[2].direction = Direction::up;
  WhyNot why;
  why.answer = answer;
  why.smallest = true;
  why.blockers = {{{Rule::Kind::fixed, 0}, answered({19, 1, 4870}, 25)},
                  {{Rule::Kind::direction, 2}, answered({24, 1, 4120}, 5)}};
  findings.why_not = why;
  EXPECT_TRUE(
      has(table(),
          "These 2 rules together block it; lifting any one of them makes the outcome possible:\n"
          "  duration fixed         -> possible at cost 25 (duration: 19 months)\n"
          "  income may only rise   -> possible at cost 5 (income: 4 120 DM)\n"
          "No smaller set of rules blocks it.\n"))
      << table();
  const nlohmann::json object = json();
  EXPECT_EQ(object["why_not"]["blockers"][0]["rule"], "fixed");
  EXPECT_EQ(object["why_not"]["blockers"][0]["feature"], "duration");
  EXPECT_EQ(object["why_not"]["blockers"][1]["without"]["cost"], 5.0);
  EXPECT_TRUE(
      has(object["text"].dump(), "Without the rule \\\"duration fixed\\\": possible at cost"));
}

TEST_F(Analysed, BlockersAreHonestWhereLiftingOneDoesNotHelp) {
  answer = no_answer(Status::infeasible);
  WhyNot why;
  why.blockers = {{{Rule::Kind::range_lower, 0}, no_answer(Status::infeasible)}};
  findings.why_not = why;
  EXPECT_TRUE(has(table(),
                  "One rule alone blocks it, and other rules do as well:\n"
                  "  duration at least 4 months   -> still impossible: other rules block "
                  "it too\n"))
      << table();
  findings.why_not->blockers[0].without = no_answer(Status::unknown, Stop::time);
  EXPECT_TRUE(has(table(),
                  "One rule alone blocks it:\n"
                  "  duration at least 4 months   -> not decided (stopped at the time "
                  "limit)\n"))
      << table();
  findings.why_not->blockers.clear();
  findings.why_not->stop = Stop::interrupt;
  EXPECT_TRUE(has(table(), "It is unknown which rules block it (interrupted).\n")) << table();
  findings.why_not->impossible = true;
  EXPECT_TRUE(has(table(),
                  "No rule blocks it: even without any rules, nothing is granted "
                  "(proven).\n"))
      << table();
}

TEST_F(Analysed, EveryRuleHasWords) {
  query.features[0].allowed = {6, 12};
  query.features[0].range = {4, 72, false, true};
  query.features[2].step = 50;
  query.features[2].direction = Direction::down;
  query.features[2].least_change = 100;
  query.features[2].most_change = 1000;
  query.max_changes = 2;
  query.clauses = {{{stays(query, 0), rises(query, 2), {1, {1, 2}, true, false, {}}}},
                   {{{1, {}, false, false, {0, 2}}}}};
  using Kind = Rule::Kind;
  const auto text = [&](Kind kind, std::size_t index) {
    return rule_text(ensemble, schema, query, {kind, index});
  };
  EXPECT_EQ(text(Kind::fixed, 1), "savings fixed");
  EXPECT_EQ(text(Kind::range_lower, 0), "duration more than 4 months");
  EXPECT_EQ(text(Kind::range_upper, 0), "duration at most 72 months");
  EXPECT_EQ(text(Kind::allowed, 0), "duration only 6 months or 12 months");
  EXPECT_EQ(text(Kind::step, 2), "income in steps of 50 DM");
  EXPECT_EQ(text(Kind::direction, 2), "income may only fall");
  EXPECT_EQ(text(Kind::least_change, 2), "income changes by at least 100 DM or not at all");
  EXPECT_EQ(text(Kind::most_change, 2), "income changes by at most 1 000 DM");
  EXPECT_EQ(text(Kind::max_changes, 0), "at most 2 features change");
  EXPECT_EQ(text(Kind::clause, 0),
            "duration stays, income rises or savings is one of: little, much");
  EXPECT_EQ(text(Kind::clause, 1), "savings is not none or much");
}

TEST_F(Analysed, AMenuIsABlockForEachWay) {
  const Answer second = answered({24, 2, 4870}, 36);
  const std::vector<Explanation> alternatives = {
      shown(), {ensemble, schema, query, second, 3, std::nullopt}};
  Menu menu;
  const MenuOptions asked{3, Apart::features, 1};
  const std::string text = to_table(MenuView{alternatives, menu, asked});
  EXPECT_EQ(text,
            "Applicant 3: credit refused (probability of \"granted\" 0.12, needed more than 0.50)\n"
            "2 alternatives, each of which is granted, cheapest first; none changes all the "
            "features that "
            "an\nearlier one changes (proven, squared L2 in raw units, 6 ms):\n"
            "\nAlternative 1 · cost 25 · probability there 0.56\n"
            "  feature    now         change to   anything in\n"
            "  duration   24 months   19 months   at most 19 months\n"
            "\nAlternative 2 · cost 36 · probability there 0.12\n"
            "  feature   now      change to   anything in\n"
            "  savings   little   much        anything\n"
            "\n");
  menu.complete = true;
  EXPECT_TRUE(has(to_table(MenuView{alternatives, menu, asked}),
                  "There is no further alternative (proven).\n"));
  menu.complete = false;
  menu.stop = Stop::time;
  EXPECT_TRUE(has(to_table(MenuView{alternatives, menu, asked}),
                  "There may be further alternatives (stopped at the time limit).\n"));
  const auto object = nlohmann::json::parse(to_json(MenuView{alternatives, menu, asked}));
  EXPECT_EQ(object["boxwood_menu"], 1);
  EXPECT_EQ(object["alternatives"].size(), 2U);
  EXPECT_EQ(object["alternatives"][1]["cost"], 36.0);
  EXPECT_EQ(object["apart"], "features");
}

TEST_F(Analysed, ASweepNamesWhatChangesAtEachLevel) {
  query.requirements = {require_class(1, 0.5)};
  const std::vector<SweepPoint> points = {{0.5, answered({19, 1, 4870}, 25)},
                                          {0.55, answered({19, 1, 4870}, 25)},
                                          {0.6, no_answer(Status::infeasible)}};
  const SweepView view{ensemble, schema, query, points, 3};
  EXPECT_EQ(to_table(view),
            "Applicant 3: credit refused (probability 0.12)\n\n"
            "  probability   cost         there   what changes\n"
            "  0.5           25           0.56    duration: 19 months\n"
            "  0.55          25           0.56    the same\n"
            "  0.6           impossible\n"
            "  ------------------------------------------------------\n"
            "  Every level proven. Cost: squared L2 in raw units.\n");
  const auto object = nlohmann::json::parse(to_json(view));
  EXPECT_EQ(object["levels"][1]["level"], 0.55);
  EXPECT_EQ(object["levels"][1]["target"][0]["probability"], 0.55);
  EXPECT_EQ(object["levels"][2]["status"], "infeasible");
  const std::string picture = to_svg(view);
  EXPECT_TRUE(has(picture, ">impossible (proven)</text>"));
  EXPECT_TRUE(has(picture, "probability of &quot;granted&quot;, at least"));
  EXPECT_TRUE(has(picture, "prefers-color-scheme:dark"));
  EXPECT_EQ(picture, to_svg(view));
}

TEST_F(Analysed, ASweepOfDistancesKnowsOnlyWhatTwoMultiplesSay) {
  query.requirements = {require_class(1)};
  query.features[0].robust = 2;
  const std::vector<SweepPoint> points = {{0, answered({19, 1, 4870}, 25)},
                                          {0.5, answered({19, 1, 4870}, 25)},
                                          {1, answered({18, 1, 4870}, 36)},
                                          {3, no_answer(Status::infeasible)}};
  const SweepView view{ensemble, schema, query, points, 3, Swept::distances};
  const std::string table = to_table(view);
  EXPECT_TRUE(has(table, "  distances   cost         there   what changes\n")) << table;
  EXPECT_TRUE(has(table, "  0.5 times   25           0.56    the same\n")) << table;
  EXPECT_TRUE(has(table, "  Every multiple proven. ")) << table;
  EXPECT_TRUE(has(table, "by at most 2 months in")) << table;
  const auto object = nlohmann::json::parse(to_json(view));
  EXPECT_EQ(object["swept"], "distances");
  EXPECT_EQ(object["levels"][1]["level"], 0.5);
  EXPECT_FALSE(is_robust(query_at(view, 0)));
  EXPECT_EQ(query_at(view, 3).features[0].robust, 6);
  // The point of the multiple 0 has a probability of 0.56, which says nothing about multiples.
  const SweepPicture picture = picture_of(view, view.row);
  ASSERT_EQ(picture.known.size(), 1U);
  EXPECT_EQ(picture.known[0].from, 0);
  EXPECT_EQ(picture.known[0].to, 0.5);
  ASSERT_EQ(picture.between.size(), 1U);
  EXPECT_EQ(picture.between[0].from, 0.5);
  EXPECT_EQ(picture.between[0].to, 1);
  EXPECT_EQ(picture.x.title, "multiple of the robust distances");
  EXPECT_EQ(picture.impossible->lower, 3);
}

TEST_F(Analysed, ASweepKnowsTheCostBetweenLevelsOfTheSameCost) {
  query.requirements = {require_class(1, 0.5)};
  for (const double next_cost : {25.0, 30.0}) {
    // The first point reaches 0.56.
    const std::vector<SweepPoint> points = {{0.5, answered({19, 1, 4870}, 25)},
                                            {0.6, answered({18, 1, 4870}, next_cost)}};
    const SweepView view{ensemble, schema, query, points, 3};
    const SweepPicture picture = picture_of(view, view.row);
    ASSERT_EQ(picture.known.size(), 1U);
    EXPECT_EQ(picture.known[0].from, 0.5);
    if (next_cost == 25) {
      EXPECT_EQ(picture.known[0].to, 0.6);
      EXPECT_TRUE(picture.between.empty());
    } else {
      EXPECT_NEAR(picture.known[0].to, 0.56, 0.01);
      ASSERT_EQ(picture.between.size(), 1U);
      EXPECT_EQ(picture.between[0].to, 0.6);
    }
  }
}

TEST_F(Analysed, RobustnessIsALineForEachRow) {
  query.requirements = {require_class(1)};
  const Answer none = no_answer(Status::infeasible);
  const std::vector<Explanation> rows = {shown(), {ensemble, schema, query, none, 4, std::nullopt}};
  EXPECT_EQ(robustness_table(rows),
            "  applicant   outcome          same within    nearest other outcome   what changes\n"
            "  3           credit refused   5              credit granted          duration: 19 "
            "months\n"
            "  4           credit refused   any distance   there is none\n"
            "  " +
                std::string(87, '-') +
                "\n"
                "  Nothing nearer than this has any other outcome (proven). Least 5, median any "
                "distance.\n");
  EXPECT_EQ(nlohmann::json::parse(robustness_json(rows[0]))["radius"], 5.0);
  EXPECT_TRUE(nlohmann::json::parse(robustness_json(rows[1]))["radius"].is_null());
}

class Mapped : public Analysed {
 protected:
  Mapped() {
    map.x_view = {0, 30};
    map.y_view = {0, 10000};
    map.cells = {{{0, 20, true, false}, {0, 10000}, {0.56}, 1, true, 0},
                 {{20, 30}, {0, 10000}, {0.12}, 0, false, 0}};
    asked.x = 0;
    asked.y = 2;
    steps = {{{0}, {19, 1, 4870}, {{0.56}}, std::nullopt}};
  }
  MapView view() { return {ensemble, schema, query, map, asked, answer, steps, 3}; }

  Map map;
  MapOptions asked;
  std::vector<PathStep> steps;
};

TEST_F(Mapped, AMapCountsItsRectangles) {
  EXPECT_EQ(to_table(view()),
            "Applicant 3: credit refused\n"
            "2 exact rectangles: duration from 0 months to 30 months, income from 0 DM to 10 000 "
            "DM\n\n"
            "  credit    rectangles\n"
            "  refused   1\n"
            "  granted   1\n"
            "  --------------------\n"
            "  All other features are as they are now.\n");
  const auto object = nlohmann::json::parse(to_json(view()));
  EXPECT_EQ(object["cells"][0]["class"], "granted");
  EXPECT_EQ(object["cells"][0]["x"]["upper"], 20.0);
  EXPECT_EQ(object["x"], "duration");
  EXPECT_EQ(object["answer"]["cost"], 25.0);
}

TEST_F(Mapped, WholeNumbersFillTheirPlace) {
  const Axis axis = feature_axis(schema.features[0], {0, 30});
  EXPECT_EQ(axis.low, -0.5);
  EXPECT_EQ(axis.high, 30.5);
  EXPECT_EQ(axis.title_with_unit(), "duration (months)");
  EXPECT_EQ(drawn_interval(schema.features[0], {0, 20, true, false}, axis, Precision::float32),
            (Interval{-0.5, 19.5}));
  EXPECT_EQ(drawn_interval(schema.features[0], {20, 30}, axis, Precision::float32),
            (Interval{19.5, 30.5}));
  EXPECT_TRUE(drawn_interval(schema.features[0], {3.2, 3.8}, axis, Precision::float32).empty());
  const Axis labels = feature_axis(schema.features[1], {-0.5, 2.5});
  ASSERT_EQ(labels.ticks.size(), 3U);
  EXPECT_EQ(labels.ticks[2].label, "much");
  EXPECT_EQ(labels.ticks[2].at, 2);
}

TEST_F(Mapped, AMapSaysWhatItDoesNotShow) {
  answer.solutions[0].point[1] = 2;
  EXPECT_TRUE(has(to_table(view()), "also changes features that are not drawn (savings: much)"));
  map.x_view = {0, 22};
  EXPECT_TRUE(has(to_table(view()), "Applicant 3 lies outside the map."));
  map.stop = Stop::time;
  EXPECT_TRUE(has(to_table(view()), "The map is incomplete (stopped at the time limit)."));
}

TEST_F(Mapped, AScaleHoldsTheLargestNumbers) {
  map.cells.resize(8, map.cells[0]);
  for (std::size_t k = 0; k < 8; ++k) map.cells[k].outputs = {k < 4 ? -1.5e308 : 1.5e308};
  for (std::size_t k = 0; k < 8; ++k) map.cells[k].outputs[0] *= 1 - static_cast<double>(k) / 100;
  query.requirements = {require_output({0, infinity})};
  const MapPicture picture = picture_of(view(), 3, true);
  ASSERT_EQ(picture.colours.size(), 1U);
  EXPECT_EQ(picture.colours[0].words, "-1.5e+308 to 1.44e+308");
}

TEST_F(Mapped, NotesListAFewOfManyOtherChanges) {
  for (int k = 0; k < 9; ++k) {
    schema.features.push_back({});
    schema.features.back().name = "more " + std::to_string(k);
    ensemble.features.push_back({});
    query.point.push_back(0);
    answer.solutions[0].point.push_back(1);
  }
  const std::vector<std::string> notes = picture_of(view(), 3).notes;
  EXPECT_TRUE(has(notes.at(1), "(more 0: 1; more 1: 1; more 2: 1; 6 more)")) << notes.at(1);
}

TEST_F(Mapped, PicturesAreTheSameBytesAndEscapeTexts) {
  schema.features[0].title = "<a & \"b\">\x01\xFF";
  schema.features[2].unit = "]]>";
  ensemble.classes[0] = "</svg>";
  const std::string picture = to_svg(view());
  EXPECT_EQ(picture, to_svg(view()));
  EXPECT_TRUE(has(picture, "&lt;a &amp; &quot;b&quot;&gt;\\x01\\xff (months)"));
  EXPECT_TRUE(has(picture, "income (]]&gt;)"));
  EXPECT_FALSE(has(picture, "</svg> "));
  EXPECT_EQ(picture.find("</svg>"), picture.size() - 7);
}

TEST_F(Mapped, ManyRectanglesOfOneColourAreDrawnTogether) {
  map.cells.clear();
  for (int k = 0; k < 100; ++k) {
    for (int j = 0; j < 50; ++j) {
      const double y = 200 * j, x = k;
      map.cells.push_back({{x, x + 1, true, false},
                           {y, y + 200, true, false},
                           {0.5},
                           k < 60 ? 0U : 1U,
                           k >= 60,
                           0});
    }
  }
  schema.features[0].kind = FeatureKind::continuous;
  map.x_view = {0, 100};
  const std::string picture = to_svg(view());
  std::size_t count = 0;
  for (std::size_t at = 0; (at = picture.find("<rect", at)) != std::string::npos; ++at) ++count;
  EXPECT_LT(count, 120U);
}

TEST_F(Mapped, OutputsAndReachHaveAScale) {
  EXPECT_TRUE(has(to_svg(view(), {720, 480, true}), "probability of &quot;granted&quot;"));
  asked.radius = 2;
  for (MapCell& cell : map.cells) {
    cell.outputs.clear();
    cell.label.reset();
  }
  map.cells[1].meets = false;
  map.cells[0].cost = 2;  // few costs are told exactly
  EXPECT_EQ(picture_of(view(), 3).colours.at(0).words, "2");
  const std::string picture = to_svg(view());
  EXPECT_TRUE(has(picture, ">out of reach</text>"));
  EXPECT_TRUE(has(picture, "All other features may change by a distance of at most 2"));
  EXPECT_TRUE(has(to_table(view()), "out of reach                 1\n")) << to_table(view());
}

}  // namespace render_analysis_test
}  // namespace boxwood
