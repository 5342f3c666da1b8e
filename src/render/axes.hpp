// Axes of pictures: numbers at round steps, and labels of categories.
#pragma once

#include <boxwood/picture.hpp>

#include <span>
#include <string>
#include <vector>

namespace boxwood {

/// The largest step of 1, 2 or 5 times a power of ten such that `count` steps cover the range; 0 if
/// there is none.
double round_step(double low, double high, std::size_t count);

/// A multiple of a step with as many decimals as the step has: "0.50" for steps of 0.05.
std::string step_text(double value, double step);

/// Ticks at round numbers from low to high, so few that their labels do not overlap.
std::vector<Tick> fitting_ticks(double low, double high, std::size_t most);

/// An axis for the levels of a sweep. Probabilities that come close to 0 or 1 get a logit scale.
Axis level_axis(std::span<const double> levels, bool are_probabilities);

/// An axis for a feature of a map. A whole number or category fills its place from half below to
/// half above: 18 months are drawn from 17.5 to 18.5.
Axis feature_axis(const FeatureSchema& feature, const Interval& view);

/// The part of the axis that the interval covers; empty if it contains no value on the axis.
Interval drawn_interval(const FeatureSchema& feature, const Interval& interval, const Axis& axis,
                        Precision precision);

}  // namespace boxwood
