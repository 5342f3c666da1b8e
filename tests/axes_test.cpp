// Axes of pictures: ticks at round numbers, labels that fit and stay different, levels close to 1.
#include "render/axes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "render/words.hpp"

namespace boxwood {
namespace axes_test {

TEST(Ticks, AreRoundAndTellNeighboursApart) {
  const auto labels = [](const std::vector<Tick>& ticks) {
    std::string all;
    for (const Tick& tick : ticks) all += tick.label + " ";
    return all;
  };
  EXPECT_EQ(labels(round_ticks(0.5, 0.9, 8)), "0.50 0.55 0.60 0.65 0.70 0.75 0.80 0.85 0.90 ");
  EXPECT_EQ(labels(round_ticks(-1, 1, 4)), "-1.0 -0.5 0.0 0.5 1.0 ");
  EXPECT_EQ(labels(round_ticks(0, 5000, 5)), "0 1 000 2 000 3 000 4 000 5 000 ");
  // Each label is the number of its tick, however close to 1 they are.
  EXPECT_EQ(labels(round_ticks(0.99999999999, 0.9999999999945, 3)),
            "0.999999999990 0.999999999992 0.999999999994 ");
  EXPECT_TRUE(round_ticks(1, 1, 5).empty());
  EXPECT_LE(fitting_ticks(0.99999999999, 1, 8).size(), 3U);
}

TEST(Ticks, OfProbabilitiesCloseToOneAreSpreadByLogit) {
  const std::vector<double> levels = {0.5, 0.9, 0.99, 0.999, 0.9999};
  const Axis axis = level_axis(levels, true);
  EXPECT_EQ(axis.scale, AxisScale::logit);
  ASSERT_EQ(axis.ticks.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(axis.ticks[k].at, levels[k]);
    if (k > 0) {
      EXPECT_GT(axis.position(levels[k]) - axis.position(levels[k - 1]), 0.2);
    }
  }
  EXPECT_EQ(axis.ticks[4].label, "0.9999");
  EXPECT_EQ(level_axis(levels, false).scale, AxisScale::linear);
  EXPECT_EQ(level_axis(std::vector{0.5, 0.6, 0.9}, true).scale, AxisScale::linear);
  EXPECT_EQ(level_axis(std::vector{0.5, 1.0}, true).scale, AxisScale::linear);
}

TEST(Labels, ThatBeginAlikeStayDifferent) {
  for (const std::string end : {"", ", and they all end alike, too"}) {
    FeatureSchema feature;
    feature.kind = FeatureKind::categorical;
    for (int k = 0; k < 60; ++k) {
      feature.labels.push_back("größte Überlänge of labels that begin alike " + std::to_string(k) +
                               end);
    }
    const Axis axis = feature_axis(feature, {-0.5, 59.5});
    EXPECT_LE(axis.ticks.size(), 20U);
    std::set<std::string> labels;
    for (const Tick& tick : axis.ticks) {
      labels.insert(tick.label);
      EXPECT_LE(display_width(tick.label), 26U) << tick.label;
    }
    EXPECT_EQ(labels.size(), axis.ticks.size());
  }
}

}  // namespace axes_test
}  // namespace boxwood
