#include "search/agreement.hpp"

#include "base/infinity.hpp"
#include "grid/grid.hpp"
#include "search/bottleneck.hpp"
#include "search/guarded.hpp"
#include "search/incumbent.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace boxwood {
namespace {

class AgreementSearch {
 public:
  AgreementSearch(const Prepared& prepared, const Query& query, const Options& options,
                  std::span<const double> known_solution)
      : prepared_(prepared),
        query_(query),
        known_(known_solution),
        // The largest change may be that of many points, of which those with the least sum are
        // listed.
        ranked_(query.norm == Norm::linf ? capped(query, infinity) : query),
        budget_(options, Budget::Share::nodes),
        ties_(options.ties) {
    for (std::size_t r = 0; r < query.requirements.size(); ++r) {
      if (query.requirements[r].counted) counted_.push_back(r);
    }
  }

  Answer run() {
    const std::size_t spare = counted_.size() - *query_.agree;
    open_.push_back(spare == 0 ? Node{0, counted_, {}} : Node{});
    while (!open_.empty() && open_.front().bound <= cost_) {
      std::pop_heap(open_.begin(), open_.end());
      Node node = std::move(open_.back());
      open_.pop_back();
      if (!solve(node, spare)) {
        push(std::move(node));
        break;
      }
    }
    return finish();
  }

 private:
  struct Node {
    double bound = 0;                   ///< no point of the node costs less
    std::vector<std::size_t> asked;     ///< counted requirements that must hold
    std::vector<std::size_t> left_out;  ///< those that need not
    bool operator<(const Node& other) const { return bound > other.bound; }
  };

  void push(Node node) {
    open_.push_back(std::move(node));
    std::push_heap(open_.begin(), open_.end());
  }

  Query asking(const Node& node) const {
    Query inner = query_;
    inner.agree.reset();
    std::erase_if(inner.requirements, [](const Requirement& one) { return one.counted; });
    for (const std::size_t r : node.asked) {
      inner.requirements.push_back(query_.requirements[r]);
      inner.requirements.back().counted = false;
    }
    // Every score is in it: a question without any requirement is none.
    if (inner.requirements.empty()) inner.requirements.push_back({.outcome = ScoreIn{}});
    return inner;
  }

  bool has(std::size_t requirement, std::span<const double> point) const {
    const Requirement& wanted = query_.requirements[requirement];
    const Ensemble& ensemble = prepared_.ensembles()[wanted.ensemble];
    return meets(wanted, ensemble, ensemble.predict(point));
  }

  /// Searches a node and branches. False if a limit stopped it; the node is then open.
  bool solve(Node& node, std::size_t spare) {
    const Query inner = asking(node);
    const bool knows = !known_.empty() && meets(inner, prepared_.ensembles(), known_);
    const double rest = open_.empty() ? infinity : open_.front().bound;
    const Options options = budget_.rest([&](const Progress& progress) {
      return std::pair{cost_, std::min({cost_, rest, progress.lower_bound})};
    });
    const Answer answer =
        explain_guarded(prepared_, inner, options, knows ? known_ : std::span<const double>{});
    budget_.note(answer);
    if (before_.empty()) before_ = answer.output_before;
    bool ends = false;
    for (const Solution& solution : answer.solutions) ends |= keep(solution.point, answer);
    if (answer.status == Status::infeasible) return true;
    node.bound = std::max(node.bound, answer.lower_bound);
    if (answer.status != Status::optimal) return false;
    if (ends || answer.cost > cost_) {
      // Nothing cheaper is left in the node, and all its solutions of this cost are listed.
      closed_ = std::min(closed_, answer.lower_bound);
      more_ |= ends && answer.more_ties;
      return true;
    }
    std::vector<std::size_t> missed;
    for (const std::size_t r : counted_) {
      const bool decided = std::count(node.left_out.begin(), node.left_out.end(), r) > 0;
      if (!decided && !has(r, answer.best().point)) missed.push_back(r);
    }
    const std::size_t children = spare - node.left_out.size() + 1;
    Node child{node.bound, node.asked, node.left_out};
    for (std::size_t i = 0; i < children && i < missed.size(); ++i) {
      child.asked.push_back(missed[i]);
      push(child);
      child.asked.pop_back();
      child.left_out.push_back(missed[i]);
    }
    return true;
  }

  /// Whether the point is a solution.
  bool keep(const std::vector<double>& point, const Answer& answer) {
    if (!meets(query_, prepared_.ensembles(), point)) return false;
    if (answer.cost < cost_) {
      cost_ = answer.cost;
      found_.clear();
      more_ = false;
      already_met_ = answer.already_met;
    }
    if (answer.cost == cost_) found_.push_back(point);
    return true;
  }

  Answer finish() {
    const std::span<const Ensemble> models = prepared_.ensembles();
    Incumbent incumbent(ranked_, ties_);
    for (const std::vector<double>& point : found_) incumbent.offer(point);
    const Incumbent::Result result = incumbent.result();
    const double open = open_.empty() ? infinity : open_.front().bound;
    const bool proven = budget_.stop() == Stop::finished && (found_.empty() || open > cost_);
    Answer answer;
    answer.output_before = before_;
    answer.cost = cost_;
    answer.distance = distance(query_.norm, cost_);
    answer.already_met = already_met_;
    // Linear rules between continuous features leave a tolerance below the cost.
    answer.lower_bound = std::min({cost_, open, found_.empty() ? infinity : closed_});
    answer.more_ties = !found_.empty() && (more_ || result.more);
    for (const std::vector<double>& point : result.points) {
      answer.solutions.push_back(solution_at(models, point));
    }
    answer.status = result.points.empty() ? (proven ? Status::infeasible : Status::unknown)
                                          : (proven ? Status::optimal : Status::feasible);
    answer.stop = proven ? Stop::finished : budget_.stop();
    if (!answer.solutions.empty()) {
      answer.output_after = outputs_at(models, answer.best().point);
    }
    answer.statistics = budget_.used();
    answer.statistics.open_nodes += open_.size();
    return answer;
  }

  const Prepared& prepared_;
  const Query& query_;
  std::span<const double> known_;
  Query ranked_;
  Budget budget_;
  std::size_t ties_;
  std::vector<std::size_t> counted_;
  std::vector<Node> open_;  ///< a heap: the least bound first
  double cost_ = infinity;
  double closed_ = infinity;                ///< the least bound of the nodes that ended
  std::vector<std::vector<double>> found_;  ///< solutions of this cost
  bool more_ = false, already_met_ = false;
  std::vector<std::vector<double>> before_;
};

}  // namespace

Answer explain_agreeing(const Prepared& prepared, const Query& query, const Options& options,
                        std::span<const double> known_solution) {
  return AgreementSearch(prepared, query, options, known_solution).run();
}

}  // namespace boxwood
