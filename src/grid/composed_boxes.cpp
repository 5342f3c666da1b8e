// Compositions in boxes: whether an outcome is possible where the sums of trees lie in intervals,
// and how much is missing for it.
#include "grid/composed.hpp"
#include "grid/composed_rounding.hpp"
#include "model/compose.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood {

template <typename Raised>
double ComposedNeed::to_corner(const Member& member, std::size_t first, std::span<const double> low,
                               std::span<const double> high, const Raised& raised,
                               std::vector<double>& scores) const {
  const double allowed = allowance(member);
  double largest = 0;
  scores.resize(member.outputs);
  for (std::size_t k = 0; k < member.outputs; ++k) {
    const double at = score(raised(k) ? high[first + k] : low[first + k], first + k);
    const double wide = error_[first + k] + allowed * (1 + std::abs(at));
    scores[k] = raised(k) ? at + wide : at - wide;
    largest = std::max(largest, std::abs(at));
  }
  return largest;
}

/// Adds the intervals of a coupled member. A response rises with the score of its class and falls
/// with the others, so two opposite corners have its extremes; calibrations are monotone in it. Of
/// the calibrated responses, each within its interval, a class has its largest share where its own
/// is largest and the others are least. If all are 0, scikit-learn gives every class the same
/// share. Guarded by test_calibrations_of_coupled_classes_agree_with_brute_force.
void ComposedNeed::add_coupled(std::size_t member, std::size_t first, std::span<const double> low,
                               std::span<const double> high, Scratch& scratch) const {
  const Member& whole = ensemble_.composition.members[member];
  const Member& plain = uncalibrated_[member];
  const double allowed = allowance(whole);
  const std::size_t classes = whole.outputs;
  scratch.least.resize(classes);
  scratch.most.resize(classes);
  for (std::size_t own = 0; own < classes; ++own) {
    double ends[2];
    for (const bool up : {false, true}) {
      const auto raised = [&](std::size_t k) { return (k == own) == up; };
      const double largest = to_corner(whole, first, low, high, raised, scratch.scores);
      contribute(plain, scratch.scores, scratch.parts);
      const double nudge = (up ? 1 : -1) * allowed * (1 + largest);
      ends[up ? 1 : 0] = calibrated(whole.calibrations[own], scratch.parts[own] + nudge);
    }
    scratch.least[own] = std::min(ends[0], ends[1]);
    scratch.most[own] = std::max(ends[0], ends[1]);
  }
  const double alike = 1 / static_cast<double>(classes);
  for (std::size_t own = 0; own < classes; ++own) {
    const std::size_t to = whole.classes.empty() ? own : whole.classes[own];
    if (to == Member::none) continue;
    double others_least = 0, others_most = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      if (k == own) continue;
      others_least += scratch.least[k];
      others_most += scratch.most[k];
    }
    const double most = scratch.most[own] + others_least, least = scratch.least[own] + others_most;
    const double one = weights_[member] * (least > 0 ? scratch.least[own] / least : 0);
    const double other =
        weights_[member] *
        (most > 0 ? std::max(scratch.most[own] / most, others_least > 0 ? 0 : alike) : 1);
    scratch.low[place(member, to)] += std::min(one, other);
    scratch.high[place(member, to)] += std::max(one, other);
  }
}

bool ComposedNeed::possible(std::span<const double> low, std::span<const double> high,
                            Scratch& scratch) const {
  if (unbounded_) return true;
  const Composition& composition = ensemble_.composition;
  const std::size_t count = places();
  scratch.low.assign(count, 0.0);
  scratch.high.assign(count, 0.0);
  std::size_t first = 0;
  for (std::size_t m = 0; m < composition.members.size(); ++m) {
    const Member& member = composition.members[m];
    if (is_coupled(member)) {
      add_coupled(m, first, low, high, scratch);
      first += member.outputs;
      continue;
    }
    const double allowed = allowance(member);
    // Contributions never change their direction in one raw score. Of several, that of a class
    // rises with its own score and falls with the others, or the other way round in the score of a
    // class whose calibration falls. So the two opposite corners have the extremes of a class; of
    // two classes, those of both.
    const bool each = member.calibrations.size() > 2;
    const auto at_corner = [&](std::size_t own, bool up, std::vector<double>& parts) {
      const auto raised = [&](std::size_t k) {
        return ((k == own) == up) != (each && falls(member.calibrations[k]));
      };
      const double largest = to_corner(member, first, low, high, raised, scratch.scores);
      contribute(member, scratch.scores, parts, (up ? 1 : -1) * allowed * (1 + largest), own);
    };
    const bool both = member.outputs <= 2;
    for (std::size_t own = both ? member.outputs - 1 : 0; own < member.outputs; ++own) {
      at_corner(own, false, scratch.parts);
      at_corner(own, true, scratch.others);
      const std::size_t begin = both ? 0 : own, end = both ? scratch.parts.size() : own + 1;
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t to = member.classes.empty() ? k : member.classes[k];
        if (to == Member::none) continue;
        const double one = weights_[m] * scratch.parts[k];
        const double other = weights_[m] * scratch.others[k];
        scratch.low[place(m, to)] += std::min(one, other);
        scratch.high[place(m, to)] += std::max(one, other);
      }
    }
    first += member.outputs;
  }
  if (rows_) return rows_possible(scratch);
  double size = 0;
  for (std::size_t k = 0; k < count; ++k) {
    size += std::max(std::abs(scratch.low[k]), std::abs(scratch.high[k]));
  }
  const double slack = sum_allowance(composition, size);
  for (const ComposedSide& side : sides_) {
    const double rival = side.minus == ComposedSide::none ? 0.0 : scratch.low[side.minus];
    const double most = side.sign > 0 ? scratch.high[side.plus] - rival : -scratch.low[side.plus];
    if (most + slack < side.least) return false;
  }
  if (!of_share_) return true;
  double others_low = 0, others_high = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (k == share_of_) continue;
    others_low += scratch.low[k];
    others_high += scratch.high[k];
  }
  const double own_low = scratch.low[share_of_], own_high = scratch.high[share_of_];
  if (!(own_low > slack && others_low > slack)) return true;  // sums that are hardly known
  const double error = 8 * slack / (own_low + others_low);
  return own_high / (own_high + others_low) + error >= share_.lower &&
         own_low / (own_low + others_high) - error <= share_.upper;
}

double ComposedNeed::missing(std::span<const double> sums, Scratch& scratch) const {
  const Composition& composition = ensemble_.composition;
  scratch.scores.resize(sums.size());
  double guided = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    scratch.scores[k] = score(sums[k], k);
    guided += guide_[k] * scratch.scores[k];
  }
  double lack = 0;
  if (of_share_ || sides_.empty()) {
    // Only some callers need these: whether the outcome itself holds, and the direction that leads
    // to it.
    scratch.high.resize(ensemble_.output_count());
    compose(composition, scratch.scores, scratch.high);
    if (of_share_ && !share_.contains(scratch.high[share_of_])) {
      lack =
          std::max(share_.lower - scratch.high[share_of_], scratch.high[share_of_] - share_.upper);
      lack = std::max(lack, 0x1p-40);
    }
  } else {
    scratch.high.assign(places(), 0.0);
    std::size_t first = 0;
    for (std::size_t m = 0; m < composition.members.size(); ++m) {
      const Member& member = composition.members[m];
      contribute(member, std::span<const double>(scratch.scores).subspan(first, member.outputs),
                 scratch.parts);
      first += member.outputs;
      for (std::size_t k = 0; k < scratch.parts.size(); ++k) {
        const std::size_t to = member.classes.empty() ? k : member.classes[k];
        if (to != Member::none) scratch.high[place(m, to)] += weights_[m] * scratch.parts[k];
      }
    }
    for (const ComposedSide& side : sides_) {
      double value = 0;
      if (rows_) {
        value =
            std::inner_product(side.factors.begin(), side.factors.end(), scratch.high.begin(), 0.0);
      } else {
        const double rival = side.minus == ComposedSide::none ? 0.0 : scratch.high[side.minus];
        value = side.sign * (scratch.high[side.plus] - rival);
      }
      // Aims a little beyond what is just enough.
      const double more = side.strict ? 0x1p-44 * (1 + std::abs(side.least)) : 0.0;
      lack += std::max(0.0, side.least + more - value);
    }
  }
  if (lack == 0) return 0;
  // Where contributions are equal, as those of votes often are, the scores show the direction.
  constexpr double share = 1e-3;
  const double width = guide_high_ - guide_low_;
  return lack + (width > 0 ? share * (guide_high_ - guided) / width : 0.0);
}

}  // namespace boxwood
