// The arithmetic of compositions (boxwood/composition.hpp), as the libraries compute it.
#pragma once

#include <boxwood/ensemble.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace boxwood {

/// Writes the raw scores of all members, each in its own arithmetic.
void sum_members(const Ensemble& ensemble, std::span<const double> point, std::span<double> scores);

/// What a member adds to each class of the composition, or to its number, before its weight:
/// `into` has one entry for each of the member's classes, or one. Bounds use `nudge` to allow for
/// rounding: before calibration it is added to the response of class `own` (class 1, if there is
/// one score) and subtracted from the others; the other way round where one of three or more
/// calibrations falls.
void contribute(const Member& member, std::span<const double> scores, std::vector<double>& into,
                double nudge = 0, std::size_t own = 0);

/// Writes the outputs: one for each class, or one number.
void compose(const Composition& composition, std::span<const double> scores,
             std::span<double> outputs);

/// For each member what a contribution of 1 adds to the sums of the composition, up to rounding.
std::vector<double> weights_of(const Composition& composition);

/// The sums of a linear model: one, or one for each of three or more classes.
std::vector<double> linear_sums(const Composition& composition, std::span<const double> scores);
/// The least and the largest of each sum that a library may compute.
struct LinearRange {
  double low = 0;
  double high = 0;
};
std::vector<LinearRange> linear_ranges(const Composition& composition,
                                       std::span<const double> scores);
/// What such sums mean: a number, or the probabilities of the classes.
void linear_outputs(std::span<const double> sums, std::span<double> outputs);
std::size_t linear_class(std::span<const double> sums);

/// What a calibration makes of a response.
double calibrated(const Calibration& calibration, double response);
/// Whether a calibration falls where its response rises.
bool falls(const Calibration& calibration);

/// The class that the composition predicts.
std::size_t composed_class(const Composition& composition, std::span<const double> scores,
                           std::size_t classes);

/// Throws Error unless the members fit the raw scores and classes of the ensemble.
void validate_composition(const Ensemble& ensemble);

}  // namespace boxwood
