// The cheapest points found so far, shared by all threads: all points of one cost, up to a limit,
// in the documented order of ties. Which points are kept does not depend on the order they arrive
// in.
#pragma once

#include "grid/grid.hpp"

#include <boxwood/query.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace boxwood {

class Incumbent {
 public:
  /// Points that cost more than `most` are ignored.
  Incumbent(const Query& query, std::size_t ties,
            double most = std::numeric_limits<double>::infinity())
      : query_(query), ties_(ties ? ties : 1), cost_(most) {}

  /// The cost that all threads prune against; `most` until a point is found.
  double cost() const { return cost_.load(std::memory_order_relaxed); }

  /// Takes a point that meets every requirement, whatever its cost. Ignores it if its cost is
  /// infinite. `walked`: what walk() says of the point, if that is known already.
  void offer(std::vector<double> point, std::shared_ptr<const Walk> walked = nullptr) {
    const double cost = total_cost(query_, point);
    if (cost > this->cost() || std::isinf(cost)) return;
    const std::lock_guard lock(mutex_);
    if (cost > this->cost()) return;
    if (cost < this->cost()) {
      points_.clear();
      more_ = false;
      cost_.store(cost, std::memory_order_relaxed);
    }
    std::size_t changes = 0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      // Compare values, not costs: the cost of a tiny change may underflow to 0.
      const bool both_missing = std::isnan(point[i]) && std::isnan(query_.point[i]);
      const bool same = point[i] == query_.point[i] || both_missing;
      changes += same || query_.features[i].derived ? 0U : 1U;
    }
    points_.insert({changes, std::move(point), std::move(walked)});
    if (points_.size() > ties_) {
      points_.erase(std::prev(points_.end()));
      more_ = true;
    }
  }

  /// A box of linear rules between continuous features was closed: no point of it costs less than
  /// this. If it is not settled, some point of it may cost less than all that were found. Not for
  /// boxes whose bound is beyond the reach of the search.
  void close_box(double bound, bool settled) {
    std::atomic<double>& least = settled ? closed_ : unsettled_;
    double before = least.load(std::memory_order_relaxed);
    while (bound < before && !least.compare_exchange_weak(before, bound)) {
    }
  }
  /// The least bound of all closed boxes, and of those that are not settled.
  double closed_bound() const { return std::min(closed_.load(), unsettled_.load()); }
  double unsettled_bound() const { return unsettled_.load(); }

  /// Whether a further point of the same cost with so many changes would be dropped: more ties than
  /// the limit are known, and all that are kept have fewer changes.
  bool settled(std::size_t changes) const {
    const std::lock_guard lock(mutex_);
    return more_ && changes > std::prev(points_.end())->changes;
  }

  bool is_empty() const {
    const std::lock_guard lock(mutex_);
    return points_.empty();
  }

  /// The first point of the order; empty when there is none.
  std::vector<double> best_point() const {
    const std::lock_guard lock(mutex_);
    return points_.empty() ? std::vector<double>{} : points_.begin()->point;
  }

  struct Result {
    std::vector<std::vector<double>> points;
    std::vector<std::shared_ptr<const Walk>> walks;  ///< of each point, or nothing
    bool more = false;
  };
  /// Not to be called while workers run.
  Result result() const {
    Result result{{}, {}, more_};
    for (const Ranked& ranked : points_) {
      result.points.push_back(ranked.point);
      result.walks.push_back(ranked.walked);
    }
    return result;
  }

 private:
  struct Ranked {
    std::size_t changes;
    std::vector<double> point;
    std::shared_ptr<const Walk> walked;

    bool operator<(const Ranked& other) const {
      if (changes != other.changes) return changes < other.changes;
      for (std::size_t i = 0; i < point.size(); ++i) {
        const bool missing = std::isnan(point[i]), other_missing = std::isnan(other.point[i]);
        if (missing != other_missing) return other_missing;  // missing comes last
        if (point[i] < other.point[i]) return true;
        if (other.point[i] < point[i]) return false;
      }
      return false;
    }
  };

  const Query& query_;
  std::size_t ties_;
  std::atomic<double> cost_;
  std::atomic<double> closed_{std::numeric_limits<double>::infinity()};
  std::atomic<double> unsettled_{std::numeric_limits<double>::infinity()};
  mutable std::mutex mutex_;
  std::set<Ranked> points_;
  bool more_ = false;
};

}  // namespace boxwood
