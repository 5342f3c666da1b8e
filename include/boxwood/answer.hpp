// What a search found and what it proved.
#pragma once

#include <boxwood/query.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace boxwood {

/// What is proven about an answer.
///   optimal      no admissible point that meets the requirements is cheaper; with linear rules
///                between continuous features, none costs less than `lower_bound`, which is within
///                a tolerance of the cost (docs/concepts.md)
///   feasible     the search stopped early: a point was found, none costs less than `lower_bound`
///   infeasible   no admissible point meets the requirements
///   unknown      the search stopped before it found a point; none costs less than `lower_bound`
enum class Status : std::uint8_t { optimal, feasible, infeasible, unknown };

/// Why a search ended: by itself, at a limit, by an interrupt, or because a visitor returned false.
/// `precision`: by itself, but numbers of the models' precision are too coarse to tell whether
/// linear rules between continuous features can hold somewhere.
enum class Stop : std::uint8_t { finished, time, nodes, memory, interrupt, visitor, precision };

/// A point that meets the requirements, and the box around it in which the scores of every ensemble
/// are constant. The point is the cheapest of its box.
struct Solution {
  std::vector<double> point;
  std::vector<Interval> region;  ///< one interval for each feature; NaN ends for a missing value
  /// For a feature whose categories the model knows, all codes that give the same scores as the
  /// point's code, whether the interval contains them or not; empty for other features.
  std::vector<std::vector<std::int32_t>> codes{};
  bool operator==(const Solution&) const = default;
};

struct Statistics {
  std::uint64_t nodes = 0;       ///< boxes examined
  std::uint64_t open_nodes = 0;  ///< boxes not examined when the search stopped
  std::uint64_t peak_bytes = 0;  ///< the most memory held for tables and open boxes
  int threads = 0;
  double seconds = 0;
};

struct Answer {
  Status status = Status::unknown;
  Stop stop = Stop::finished;
  bool already_met = false;  ///< the query's point has the outcome: cost 0, nothing to change
  double cost = std::numeric_limits<double>::infinity();
  double distance = std::numeric_limits<double>::infinity();
  double lower_bound = 0;
  /// Of queries with `fewest_first`: proven, no allowed point with the outcome changes fewer
  /// features. `lower_bound` is then one for points with this many changes.
  std::size_t least_changes = 0;

  /// Empty unless the status is optimal or feasible. The first is the answer: of all points of that
  /// cost the one with the fewest changes, then the one with the smallest values in the order of
  /// features. Further points of the same cost follow in the same order, one for each region.
  /// For Norm::linf, these are the points with the least sum of terms among those of that cost.
  std::vector<Solution> solutions;
  /// Whether points of the same cost may exist that `solutions` does not list: the limit on ties
  /// was reached, or the norm is `linf` and other points have a larger sum of terms.
  bool more_ties = false;

  /// The outputs of every ensemble at the query's point and at the answer.
  std::vector<std::vector<double>> output_before;
  std::vector<std::vector<double>> output_after;

  Statistics statistics;

  /// The answer's point; throws std::out_of_range if there is none.
  const Solution& best() const { return solutions.at(0); }
  /// (cost - lower_bound) / cost; 0 when proven, or the tolerance of linear rules between
  /// continuous features.
  double gap() const;
};

const char* to_string(Status status);
const char* to_string(Stop stop);

}  // namespace boxwood
