// What a search found and what it proved.
#pragma once

#include <boxwood/query.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace boxwood {

/// `optimal`: proven, nothing cheaper exists. `feasible`: stopped early; nothing cheaper than
/// `lower_bound` exists. `infeasible`: proven, no admissible point meets the requirements.
/// `unknown`: stopped before any was found; nothing cheaper than `lower_bound` exists.
enum class Status : std::uint8_t { optimal, feasible, infeasible, unknown };

/// Why a search ended; `visitor` only for streams: the caller had enough.
enum class Stop : std::uint8_t { finished, time, nodes, memory, interrupt, visitor };

/// A point that meets the requirements and the box around it in which every ensemble's scores
/// are constant, for all values that they can read: one interval a feature (a missing value has the
/// interval of nothing, NaN ends). The point is the nearest of its box. Of a feature whose
/// categories the model knows, `codes` has all of those that may take the place of the point's,
/// interval or not; it is empty for other features.
struct Solution {
  std::vector<double> point;
  std::vector<Interval> region;
  std::vector<std::vector<std::int32_t>> codes{};
  bool operator==(const Solution&) const = default;
};

struct Statistics {
  std::uint64_t nodes = 0;       ///< boxes looked at
  std::uint64_t open_nodes = 0;  ///< left when it stopped
  std::uint64_t peak_bytes = 0;  ///< most memory held for tables and open boxes
  int threads = 0;
  double seconds = 0;
};

struct Answer {
  Status status = Status::unknown;
  Stop stop = Stop::finished;
  bool already_met = false;  ///< the point itself has the outcome: cost 0, nothing to change
  double cost = std::numeric_limits<double>::infinity();
  double distance = std::numeric_limits<double>::infinity();
  double lower_bound = 0;
  /// Of queries with `fewest_first`: proven, no allowed point with the outcome changes fewer
  /// features. `lower_bound` is then one for points with this many changes.
  std::size_t least_changes = 0;

  /// Empty unless optimal or feasible. The first is the answer: of all points of that cost the one
  /// with the fewest changes, then the smallest in the order of features. The others are the
  /// other points of the same cost, in the same order; one for each region.
  std::vector<Solution> solutions;
  /// There are more points of that cost than the limit on ties keeps.
  bool more_ties = false;

  /// For every ensemble what `transform` says at the query's point, and at the answer.
  std::vector<std::vector<double>> output_before;
  std::vector<std::vector<double>> output_after;

  Statistics statistics;

  /// The answer itself; only where there is one.
  const Solution& best() const { return solutions.at(0); }
  /// (cost - lower_bound) / cost; 0 when proven.
  double gap() const;
};

const char* to_string(Status status);
const char* to_string(Stop stop);

}  // namespace boxwood
