// Depth-first search of a problem with the radius bound alone. A box takes a fraction of a
// microsecond to a few; the search ends when its budget of boxes is used up. What it leaves open is
// for the dual bound.
#pragma once

#include "search/fast/row_probe.hpp"
#include "search/fast/unit_probe.hpp"

namespace boxwood::fast {

/// Nearly all problems have one condition, and UnitProbe is made for them. RowProbe is for all
/// others: several conditions, softmax probabilities, compositions, linear rules.
class Probe {
 public:
  explicit Probe(const Context& context) : one_(context), several_(context) {}

  /// Starts on a problem with the selected leaves. False when the whole problem is finished: no
  /// point in it is worth finding.
  bool start(const Problem& problem, const Selection* keep = nullptr) {
    is_one_ = one_.bind(problem);
    return is_one_ ? one_.start(keep) : several_.start(problem, keep);
  }
  /// Whether UnitProbe searches the problem.
  bool in_units() const { return is_one_; }
  /// Searches at most this many more boxes. True when the problem is finished.
  bool search(std::uint64_t budget) {
    return is_one_ ? one_.search(budget) : several_.search(budget);
  }
  /// The share of the problem that is finished, if both halves of every cut are equal work.
  double progress() const { return is_one_ ? one_.progress() : several_.progress(); }
  /// Where to cut the whole problem; only after start() was true.
  Branch branch() const { return is_one_ ? one_.branch() : several_.branch(); }
  /// The leaves that the radius leaves alive in the whole problem.
  void select(Selection& keep) const { is_one_ ? one_.select(keep) : several_.select(keep); }

 private:
  UnitProbe one_;
  RowProbe several_;
  bool is_one_ = false;
};

}  // namespace boxwood::fast
