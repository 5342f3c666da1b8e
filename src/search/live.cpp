#include "search/live.hpp"

#include "base/infinity.hpp"
#include "grid/axis.hpp"
#include "grid/cuts.hpp"
#include "grid/grid.hpp"
#include "search/bottleneck.hpp"
#include "search/guarded.hpp"
#include "search/incumbent.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace boxwood {
namespace {

/// A key that distinguishes regions and can be ordered.
std::vector<double> key_of(const LiveRegion& region) {
  std::vector<double> key;
  for (std::size_t d = 0; d < region.row.size(); ++d) {
    const Interval& interval = region.box[d];
    const bool missing = std::isnan(region.row[d]);
    key.push_back(missing ? 1 : 0);
    key.push_back(missing ? 0 : interval.lower + 0.0);
    key.push_back(missing ? 0 : interval.upper + 0.0);
    key.push_back((interval.lower_closed ? 1 : 0) + (interval.upper_closed ? 2 : 0));
    key.push_back(static_cast<double>(region.codes[d].size()));
    key.insert(key.end(), region.codes[d].begin(), region.codes[d].end());
  }
  return key;
}

/// A model without effect, with the columns of the others.
Ensemble silent(std::span<const Ensemble> ensembles) {
  Ensemble model;
  model.input = common_precision(ensembles);
  model.accumulator = Precision::float64;
  model.base = {0};
  model.features = ensembles.front().features;
  model.trees.push_back({{Node{.value = 0}}, {0}});
  return model;
}

/// The query for the cheapest admissible point of a region. The ends of its intervals become
/// numbers that the models read: an end between two of them, as a model in double has beside one in
/// float32, would be rounded to one of them, which may lie on the other side.
Query inside(const Query& query, const LiveRegion& region, Precision precision) {
  Query inner = query;
  inner.live = 0;
  inner.live_regions.reset();
  inner.agree.reset();
  inner.requirements = {{.outcome = ScoreIn{}}};
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    Literal literal{.feature = d, .range = readable(region.box[d], precision)};
    if (std::isnan(region.row[d])) {  // outside of all numbers
      literal.range = {};
      literal.inside = false;
      literal.missing = true;
    } else if (std::isinf(region.box[d].lower) && std::isinf(region.box[d].upper) &&
               !std::isnan(query.point[d]) && !query.features[d].missing_allowed) {
      continue;
    }
    inner.clauses.push_back({{literal}});
    // Categories beyond the interval may pass all tests as well. Of a feature that the query takes
    // as a number, only the numbers of the categories: a literal of codes would hold for the
    // fractions between them too.
    std::vector<Literal>& any_of = inner.clauses.back().any_of;
    const std::vector<std::int32_t>& codes = region.codes[d];
    if (codes.empty()) continue;
    if (query.features[d].kind == FeatureKind::categorical) {
      literal.codes = codes;
      any_of.push_back(std::move(literal));
      continue;
    }
    for (const std::int32_t code : codes) {
      literal.range = {static_cast<double>(code), static_cast<double>(code)};
      any_of.push_back(literal);
    }
  }
  return inner;
}

/// No admissible point of the region costs less: each number is moved to the nearest end of its
/// interval, whatever the rules say. Terms never fall as a value moves away.
double least_cost(const Query& query, const LiveRegion& region) {
  std::vector<double> near = query.point;
  std::vector<std::uint8_t> counts(near.size(), 1);
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) counts[column] = 0;
  }
  for (std::size_t d = 0; d < near.size(); ++d) {
    const FeatureRule& rule = query.features[d];
    const bool number = rule.kind != FeatureKind::categorical && !rule.derived && counts[d] &&
                        region.codes[d].empty();
    if (!number || std::isnan(near[d]) || std::isnan(region.row[d])) continue;
    near[d] = std::clamp(near[d], region.box[d].lower, region.box[d].upper);
  }
  return total_cost(query, near);
}

class LiveSearch {
 public:
  LiveSearch(const Prepared& prepared, const Query& query, const Options& options)
      : prepared_(prepared),
        query_(query),
        silent_(silent(prepared.ensembles())),
        ranked_(query.norm == Norm::linf ? capped(query, infinity) : query),
        budget_(options, Budget::Share::nodes),
        ties_(options.ties) {}

  Answer run() {
    std::vector<std::pair<double, const LiveRegion*>> order;
    for (const LiveRegion& region : query_.live_regions->regions) {
      if (region.rows >= query_.live && has_outcome(region)) {
        order.emplace_back(least_cost(query_, region), &region);
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [bound, region] : order) {
      // With the fewest changes first, a region with a higher cost may hold the answer.
      if (!query_.fewest_first && bound > cost_) break;
      if (budget_.exhausted() != Stop::finished || !search(*region)) {
        open_ = query_.fewest_first ? 0 : bound;
        break;
      }
    }
    return finish();
  }

 private:
  bool has_outcome(const LiveRegion& region) const {
    std::size_t counted = 0;
    for (const Requirement& requirement : query_.requirements) {
      const Ensemble& ensemble = prepared_.ensembles()[requirement.ensemble];
      const bool holds = meets(requirement, ensemble, region.scores[requirement.ensemble]);
      if (!requirement.counted && !holds) return false;
      if (requirement.counted && holds) ++counted;
    }
    return counted >= query_.agree.value_or(0);
  }

  /// False if a limit stopped it.
  bool search(const LiveRegion& region) {
    const Options rest = budget_.rest();
    const Precision precision = common_precision(prepared_.ensembles());
    const Answer answer = explain_guarded(silent_, inside(query_, region, precision), rest, {});
    budget_.note(answer);
    for (const Solution& solution : answer.solutions) keep(answer, solution.point);
    if (answer.status == Status::optimal) closed_ = std::min(closed_, answer.lower_bound);
    return answer.status == Status::optimal || answer.status == Status::infeasible;
  }

  void keep(const Answer& answer, const std::vector<double>& point) {
    if (!meets(query_, prepared_.ensembles(), point)) return;
    const std::size_t changes = query_.fewest_first ? change_count(query_, point) : 0;
    if (std::pair(changes, answer.cost) < std::pair(changes_, cost_)) {
      changes_ = changes;
      cost_ = answer.cost;
      already_met_ = answer.already_met;
      more_ = false;
      found_.clear();
    }
    if (changes != changes_ || answer.cost != cost_) return;
    found_.push_back(point);
    more_ |= answer.more_ties;
  }

  Answer finish() {
    const std::span<const Ensemble> models = prepared_.ensembles();
    Incumbent incumbent(ranked_, ties_);
    for (const std::vector<double>& point : found_) incumbent.offer(point);
    const Incumbent::Result result = incumbent.result();
    const bool proven = open_ == infinity;
    const bool found = !result.points.empty();
    Answer answer;
    answer.output_before = outputs_at(models, query_.point);
    answer.cost = cost_;
    answer.distance = distance(query_.norm, cost_);
    answer.already_met = already_met_;
    answer.lower_bound = std::min({cost_, open_, found ? closed_ : infinity});
    answer.more_ties = found && (more_ || result.more);
    answer.status = found ? (proven ? Status::optimal : Status::feasible)
                          : (proven ? Status::infeasible : Status::unknown);
    if (!proven) answer.stop = budget_.stopped() ? budget_.stop() : budget_.exhausted();
    for (const std::vector<double>& point : result.points) {
      answer.solutions.push_back(solution_at(models, point));
    }
    if (found) answer.output_after = outputs_at(models, result.points.front());
    if (query_.fewest_first && found && proven) answer.least_changes = changes_;
    answer.statistics = budget_.used();
    return answer;
  }

  const Prepared& prepared_;
  const Query& query_;
  Prepared silent_;
  Query ranked_;
  Budget budget_;
  std::size_t ties_;
  std::size_t changes_ = std::numeric_limits<std::size_t>::max();
  double cost_ = infinity;
  double closed_ = infinity;                ///< the least bound of the regions that were searched
  double open_ = infinity;                  ///< no point of the other regions costs less
  std::vector<std::vector<double>> found_;  ///< of this number of changes and this cost
  bool more_ = false, already_met_ = false;
};

}  // namespace

LiveRegions find_live_regions(std::span<const Ensemble> ensembles,
                              std::span<const std::vector<double>> rows) {
  LiveRegions live;
  live.rows = rows.size();
  std::map<std::vector<double>, std::size_t> places;
  for (const std::vector<double>& row : rows) {
    LiveRegion region{row, 1, pure_box(ensembles, row), pure_codes(ensembles, row), {}};
    region.codes.resize(row.size());
    const auto [at, is_new] = places.try_emplace(key_of(region), live.regions.size());
    if (!is_new) {
      ++live.regions[at->second].rows;
      continue;
    }
    for (const Ensemble& ensemble : ensembles) region.scores.push_back(ensemble.predict(row));
    live.regions.push_back(std::move(region));
  }
  return live;
}

Answer explain_live(const Prepared& prepared, const Query& query, const Options& options) {
  return LiveSearch(prepared, query, options).run();
}

}  // namespace boxwood
