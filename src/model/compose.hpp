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

/// The least and the largest sum of a linear model that a library may compute.
struct LinearRange {
  double low = 0;
  double high = 0;
};
LinearRange linear_range(const Composition& composition, std::span<const double> scores);
/// What such a sum means: a number, or the probabilities of two classes.
void linear_outputs(double sum, std::span<double> outputs);

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
