// What the bounds of compositions (composed.hpp) have in common: how far floating-point numbers may
// be off, and which members need a bound of their own.
#pragma once

#include <boxwood/ensemble.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace boxwood {

/// A link that is computed in floating point may fall by rounding where it should rise. Scores and
/// responses are widened by this share of their size plus 1; float32 has 24 bits, double 53.
inline double allowance(const Member& member) {
  const bool single =
      member.accumulator == Precision::float32 || member.link_form == LinkForm::onnxruntime;
  return single ? 0x1p-20 : 0x1p-44;
}

inline bool in_float(const Composition& composition) {
  return composition.sum == Precision::float32 ||
         std::any_of(composition.members.begin(), composition.members.end(),
                     [](const Member& one) { return allowance(one) > 0x1p-30; });
}

/// Rounding of sums and quotients of contributions whose sizes add up to `size`.
inline double sum_allowance(const Composition& composition, double size) {
  double members = 1 + static_cast<double>(composition.members.size()) / 8;
  if (composition.linear) {
    size += composition.linear->size + std::abs(composition.linear->shift);
    for (const LinearRow& row : composition.linear->rows) size += row.size + std::abs(row.shift);
    members *= 1 + static_cast<double>(composition.linear->rows.size());
  }
  return (in_float(composition) ? 0x1p-19 : 0x1p-42) * members * (1 + size);
}

/// Whether each class has a calibration of its own and the responses depend on each other, as the
/// probabilities of a softmax do. A contribution is then not monotone in the score of another
/// class: where that one rises, the response of a third class falls, and with it the sum that the
/// contribution is divided by.
inline bool is_coupled(const Member& member) {
  return member.calibrations.size() > 2 && member.response == Member::Response::probability &&
         member.link != Link::votes;
}

}  // namespace boxwood
