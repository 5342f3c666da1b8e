#include "search/robust.hpp"

#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "grid/grid.hpp"
#include "grid/linear_trees.hpp"
#include "query/certain.hpp"
#include "query/neighbours.hpp"
#include "search/adversary.hpp"
#include "search/cases.hpp"
#include "search/engine_settings.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"
#include "search/watch.hpp"

#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace boxwood {
namespace {

/// How much of the plain cost the first radius is, by how much the radius grows when no robust
/// point lies within it, and how often it may grow before everything is searched.
constexpr double first_share = 1.25;
constexpr double radius_factor = 4;
constexpr int most_radii = 3;

/// A relaxation: the query without robustness, about moved ensembles; of an ensemble that has not
/// been moved yet, about itself.
struct Open {
  Prepared prepared;
  Query query;
  double bound = 0;  ///< no robust point of it within the radius costs less
  Answer answer{};
  std::shared_ptr<MemoryHold> held{};
};

bool is_later(const Open& a, const Open& b) { return a.bound > b.bound; }

/// Moves that refuted a point, and the requirement that was not met then. Without moves, the point
/// itself did not meet it.
struct Asked {
  std::optional<Moves> moves;
  std::size_t requirement = 0;
};

/// A limit has ended a search.
struct Ended {};

class RobustSearch {
 public:
  RobustSearch(const Prepared& prepared, const Query& query, const Options& options,
               std::span<const double> known_solution)
      : prepared_(prepared),
        query_(query),
        known_(known_solution),
        watch_(options.limits),
        pace_(watch_.pace()),
        budget_(options, Budget::Share::nodes),
        adversary_(prepared, query, budget_, pace_),
        precision_(common_precision(prepared.ensembles())),
        plain_(without_robustness(query)),
        effort_(settings_of(options).robust),
        asks_inside_(
            !query.fewest_first && query.norm != Norm::linf && !has_linear_rules(query) &&
            std::all_of(query.requirements.begin(), query.requirements.end(),
                        [this](const Requirement& one) { return cases_of(one).size() == 1; })) {}

  Answer run() {
    Open first{prepared_, plain_};
    try {
      solve(first, false, infinity);
      if (first.answer.status == Status::infeasible) return finish(std::move(first.answer));
      if (!refuted(first)) return finish(keep_robust(std::move(first.answer)));
      radius_ = first_radius(first.answer.cost);
      for (int grown = 1; !found_within_radius(); ++grown) {
        if (radius_ == infinity) return finish(without_point(first.answer, Status::infeasible));
        lower_ = std::max(lower_, radius_);
        radius_ = grown < most_radii ? radius_factor * radius_ : infinity;
      }
      return finish(std::move(best_));
    } catch (const Pace::Stopped&) {
    } catch (const Ended&) {
    }
    if (best_.solutions.empty()) return finish(without_point(first.answer, Status::unknown));
    best_.status = Status::feasible;
    return finish(std::move(best_));
  }

 private:
  /// Solves a relaxation. If `quick`, without a proof: the answer then has some good point. No
  /// robust point outside of this relaxation costs less than `others`. Throws Ended at a limit.
  void solve(Open& open, bool quick, double others) {
    if (quick && effort_.quick_nodes == 0 && asks_inside_) return;
    const auto bound_with = [this, &open, others](double inner) {
      // Cut ensembles are right within the radius only.
      const double inside = std::max(open.bound, std::min(inner, radius_));
      return query_.fewest_first ? 0 : std::max(lower_, std::min(others, inside));
    };
    Options rest = budget_.rest([this, bound_with](const Progress& inner) {
      return std::pair{best_cost(), bound_with(inner.lower_bound)};
    });
    rest.limits.bytes -= std::min<std::uint64_t>(rest.limits.bytes, bytes_);
    quick = quick && !query_.fewest_first && rest.limits.nodes > effort_.quick_nodes;
    if (quick) {
      rest.limits.nodes = effort_.quick_nodes;
      rest.threads = 1;  // the point does not depend on the number of threads then
      rest.ties = 1;
    }
    const std::vector<std::vector<double>> starts = starts_of(rest);
    rest.examples = starts;
    const bool known = !known_.empty() && total_cost(query_, known_) <= radius_;
    open.answer = explain_guarded(open.prepared, open.query, rest,
                                  known ? known_ : std::span<const double>{});
    if (quick && open.answer.stop == Stop::nodes) open.answer.stop = Stop::finished;
    budget_.note(open.answer);
    const double proven = bound_with(open.answer.lower_bound);
    open.bound = std::max(open.bound, std::min(open.answer.lower_bound, radius_));
    if (open.answer.stop == Stop::finished) return;
    lower_ = proven;
    throw Ended{};
  }

  /// The caller's examples, and the best robust point so far.
  std::vector<std::vector<double>> starts_of(const Options& options) const {
    std::vector<std::vector<double>> starts(options.examples.begin(), options.examples.end());
    if (!best_.solutions.empty()) starts.push_back(best_.best().point);
    return starts;
  }

  /// The radius in which a robust point is looked for first: a little more than the cost of the
  /// plain answer, and than that of moving every feature by twice its distance.
  double first_radius(double plain) const {
    if (query_.fewest_first || query_.norm == Norm::custom) return infinity;
    double moving = 0;
    for (std::size_t d = 0; d < query_.features.size(); ++d) {
      const FeatureRule& rule = query_.features[d];
      if (rule.robust == 0 || rule.fixed || std::isnan(query_.point[d])) continue;
      const double down = term_cost(query_, d, query_.point[d] - 2 * rule.robust);
      const double up = term_cost(query_, d, query_.point[d] + 2 * rule.robust);
      moving += std::max(down, up);
    }
    const double radius = first_share * plain + moving;
    return std::isfinite(radius) && radius > 0 ? radius : infinity;
  }

  /// Best first over relaxations. One whose point is refuted is replaced by those with one more
  /// moved ensemble, one for each case of the outcome. True if a robust point costs at most the
  /// radius; the best one is then the cheapest. False: no robust point does.
  bool found_within_radius() {
    queue_.clear();
    const RowReach reach(plain_, precision_, radius_);
    push(root(reach));
    while (!queue_.empty() && queue_.front().bound <= best_cost()) {
      std::pop_heap(queue_.begin(), queue_.end(), is_later);
      Open open = std::move(queue_.back());
      queue_.pop_back();
      if (!query_.fewest_first) lower_ = std::max(lower_, open.bound);
      if (const Asked* const why = refuted(open)) {
        ask(open, *why, reach);
      } else if (open.answer.status == Status::optimal) {
        const bool better = open.answer.cost < best_cost() || best_.status != Status::optimal;
        if (better) best_ = keep_robust(std::move(open.answer));
      } else {
        if (!prove(open, reach)) solve(open, false, least_open());
        push(std::move(open));
      }
    }
    return !best_.solutions.empty();
  }

  double least_open() const { return queue_.empty() ? infinity : queue_.front().bound; }
  double best_cost() const { return best_.solutions.empty() ? infinity : best_.cost; }

  /// Keeps a relaxation that may have a robust point within the radius.
  void push(Open open) {
    const bool beyond = open.answer.stop == Stop::finished && open.answer.cost > radius_ &&
                        open.answer.status == Status::optimal;
    if (beyond || open.answer.status == Status::infeasible) return;
    queue_.push_back(std::move(open));
    std::push_heap(queue_.begin(), queue_.end(), is_later);
  }

  bool refutes(const Asked& asked, std::span<const double> point) const {
    if (!asked.moves) return adversary_.lacks(asked.requirement, point);
    return adversary_.lacks(asked.requirement, moved_row(query_, *asked.moves, point, precision_));
  }

  /// What to ask after the adversary found a row without the outcome.
  Asked refutation(const Adversary::Finding& found) const {
    Asked asked;
    if (found.verdict == Adversary::Verdict::broken) {
      asked.moves = adversary_.towards(found.neighbour);
    }
    while (!adversary_.lacks(asked.requirement, found.neighbour)) ++asked.requirement;
    return asked;
  }

  /// Solves a relaxation, and asks the adversary about every point that the search is about to
  /// take. A point that is refuted is not taken, the search goes on, and what refuted it is asked
  /// in later searches: where a search takes long, one of them refutes many points. If it refutes
  /// none, it is the same search as without asking, and its answer is proven. Otherwise its answer
  /// is not: cells of the relaxation may hold robust points beside a refuted one. But these cost no
  /// less than the refuted point, the cheapest one of its cells, so the bound holds up to its cost.
  /// False if another search has to do it.
  bool prove(Open& open, const RowReach& reach) {
    if (!asks_inside_) return false;
    std::vector<Asked> fresh;
    double least_refused = infinity;
    bool ended = false;
    const auto takes = [&](std::span<const double> point) {
      const bool known = std::any_of(fresh.begin(), fresh.end(),
                                     [&](const Asked& asked) { return refutes(asked, point); });
      if (known) return false;
      try {
        const Adversary::Finding found = adversary_.examine(point, true);
        if (found.verdict == Adversary::Verdict::robust) return true;
        ended = found.verdict == Adversary::Verdict::unknown;
        if (!ended) fresh.push_back(refutation(found));
      } catch (const Pace::Stopped&) {
        ended = true;
      }
      return false;
    };
    const auto judge = [&](std::span<const double> point) {
      if (takes(point)) return Judgement::take;
      least_refused = std::min(least_refused, total_cost(query_, point));
      return ended || fresh.size() >= patience_ ? Judgement::refuse_and_stop : Judgement::refuse;
    };
    const double others = least_open();
    const auto bound_with = [&](double inner) {
      const double inside = std::max(open.bound, std::min({inner, least_refused, radius_}));
      return std::max(lower_, std::min({inside, others, best_cost()}));
    };
    Options rest = budget_.rest([this, bound_with](const Progress& inner) {
      return std::pair{best_cost(), bound_with(inner.lower_bound)};
    });
    const bool ours = rest.limits.nodes > effort_.judged_nodes;
    rest.limits.nodes = std::min(rest.limits.nodes, effort_.judged_nodes);
    rest.limits.bytes -= std::min<std::uint64_t>(rest.limits.bytes, bytes_);
    rest.threads = 1;  // what is refuted does not depend on the number of threads then
    const std::vector<std::vector<double>> starts = starts_of(rest);
    rest.examples = starts;
    set(rest, Judge(judge));
    Answer answer = explain_guarded(open.prepared, open.query, rest, {});
    lower_ = bound_with(answer.lower_bound);
    open.bound = std::max(open.bound, std::min({answer.lower_bound, least_refused, radius_}));
    const bool enough = answer.stop == Stop::visitor || (ours && answer.stop == Stop::nodes);
    if (enough) answer.stop = Stop::finished;
    budget_.note(answer);
    if (ended || answer.stop != Stop::finished) throw Ended{};
    if (effort_.refuted) *effort_.refuted += fresh.size();
    if (fresh.empty() && enough) return false;
    // The next search begins where this one began: if it stopped early, that one is to find more.
    patience_ = fresh.size() >= patience_ ? 2 * patience_ : effort_.refutations;
    open.answer = std::move(answer);
    if (fresh.empty()) return true;
    open.answer.status = open.answer.solutions.empty() ? Status::unknown : Status::feasible;
    for (Asked& asked : fresh) {
      lengthen(open, asked, reach);
      require(open.query, open.prepared.ensembles().size() - 1, asked.requirement,
              cases_of(query_.requirements[asked.requirement]).front());
      asked_.push_back(std::move(asked));
    }
    return true;
  }

  /// Why the point of a relaxation is not robust: moves so far, or new ones. Null if it has no
  /// point within the radius, or a robust one, which is the best one if it is the cheapest.
  const Asked* refuted(const Open& open) {
    if (open.answer.solutions.empty() || open.answer.cost > radius_) return nullptr;
    const std::vector<double>& point = open.answer.best().point;
    for (const Asked& asked : asked_) {
      if (refutes(asked, point)) return &asked;
    }
    const Adversary::Finding found = adversary_.examine(point);
    if (found.verdict == Adversary::Verdict::unknown) throw Ended{};
    if (found.verdict != Adversary::Verdict::robust) {
      asked_.push_back(refutation(found));
      return &asked_.back();
    }
    if (open.answer.cost < best_cost() && !query_.fewest_first) {
      best_ = open.answer;
      best_.solutions.resize(1);
      best_.status = Status::feasible;
    }
    return nullptr;
  }

  /// The cases in which a requirement holds.
  std::vector<Query> cases_of(const Requirement& requirement) const {
    Query one = plain_;
    one.requirements = {requirement};
    return split_into_cases(prepared_.ensembles(), one);
  }

  std::size_t model_of(const Asked& asked) const {
    return query_.requirements[asked.requirement].ensemble;
  }

  Ensemble moved_by(const Asked& asked, const RowReach& reach) {
    const Ensemble& model = prepared_.ensembles()[model_of(asked)];
    if (!asked.moves) return cut_ensemble(model, reach, pace_);
    return moved_ensemble(model, query_, *asked.moves, precision_, reach, pace_);
  }

  /// Adds what a moved ensemble must do: of the requirement that was not met one of its cases, and
  /// the other requirements of the same model that have one case only.
  void require(Query& query, std::size_t ensemble, std::size_t missed, const Query& part) const {
    const auto add = [&](Requirement requirement) {
      requirement.ensemble = ensemble;
      query.requirements.push_back(requirement);
    };
    for (const Requirement& requirement : part.requirements) add(requirement);
    for (std::size_t r = 0; r < query_.requirements.size(); ++r) {
      const Requirement& other = query_.requirements[r];
      if (r == missed || other.ensemble != query_.requirements[missed].ensemble) continue;
      if (cases_of(other).size() == 1) add(other);
    }
  }

  /// The first relaxation for a radius, with all moves so far whose outcome has one case. A model
  /// that is moved is not asked itself, which would double the trees: a point whose moved row has
  /// the outcome mostly has it, and the adversary looks at the point too.
  Open root(const RowReach& reach) {
    std::vector<Query> cases;
    std::vector<std::uint8_t> is_moved(prepared_.ensembles().size(), 0);
    for (const Asked& asked : asked_) {
      std::vector<Query> of_one = cases_of(query_.requirements[asked.requirement]);
      if (of_one.size() == 1) is_moved[model_of(asked)] = 1;
      cases.push_back(of_one.size() == 1 ? std::move(of_one.front()) : Query{});
    }
    std::vector<Ensemble> ensembles;
    Query query = plain_;
    query.requirements.clear();
    for (std::size_t m = 0; m < is_moved.size(); ++m) {
      if (is_moved[m]) continue;
      for (Requirement requirement : plain_.requirements) {
        if (requirement.ensemble != m) continue;
        requirement.ensemble = ensembles.size();
        query.requirements.push_back(std::move(requirement));
      }
      ensembles.push_back(cut_ensemble(prepared_.ensembles()[m], reach, pace_));
    }
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (cases[i].requirements.empty()) continue;
      require(query, ensembles.size(), asked_[i].requirement, cases[i]);
      ensembles.push_back(moved_by(asked_[i], reach));
    }
    Open open{Prepared(std::move(ensembles)), std::move(query), query_.fewest_first ? 0 : lower_};
    // With one moved ensemble a proof takes about as long as that of the plain answer, and its
    // point is often robust: a search without a proof would mostly be done twice.
    solve(open, asked_.size() > 1 || effort_.quick_nodes == 0, infinity);
    return open;
  }

  /// Adds a moved ensemble to a relaxation, of which nothing is required yet.
  void lengthen(Open& open, const Asked& asked, const RowReach& reach) {
    auto held = std::make_shared<MemoryHold>();
    open.prepared =
        prepare_with(open.prepared, moved_by(asked, reach), std::nullopt, watch_, *held);
    bytes_ = held->bytes();
    open.held = std::move(held);
  }

  /// Adds a moved ensemble to a relaxation. Its requirement may hold in one of several cases.
  void ask(const Open& open, const Asked& asked, const RowReach& reach) {
    Open longer{open.prepared, open.query, open.bound};
    lengthen(longer, asked, reach);
    const std::vector<Query> cases = cases_of(query_.requirements[asked.requirement]);
    std::vector<Open> parts;
    double others = least_open();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Open& part = parts.emplace_back(longer);
      require(part.query, part.prepared.ensembles().size() - 1, asked.requirement, cases[i]);
      solve(part, true, i + 1 < cases.size() ? std::min(others, open.bound) : others);
      others = std::min(others, part.bound);
    }
    for (Open& part : parts) push(std::move(part));
  }

  /// Of several points of the same cost those that are robust; the first one is.
  Answer keep_robust(Answer answer) {
    std::vector<Solution> kept{answer.solutions.front()};
    for (std::size_t i = 1; i < answer.solutions.size(); ++i) {
      const Adversary::Finding one = adversary_.examine(answer.solutions[i].point);
      if (one.verdict == Adversary::Verdict::robust) kept.push_back(answer.solutions[i]);
      answer.more_ties |= one.verdict == Adversary::Verdict::unknown;
    }
    // Other relaxations may have more of them.
    answer.more_ties |= least_open() <= answer.cost;
    answer.solutions = std::move(kept);
    return answer;
  }

  Answer without_point(Answer answer, Status status) const {
    answer.solutions.clear();
    answer.status = status;
    answer.cost = answer.distance = answer.lower_bound = infinity;
    answer.output_after.clear();
    answer.already_met = answer.more_ties = false;
    return answer;
  }

  Answer finish(Answer answer) {
    const std::span<const Ensemble> models = prepared_.ensembles();
    if (answer.output_before.empty()) return stopped_answer(prepared_, plain_, watch_);
    answer.output_before = outputs_at(models, query_.point);
    if (!answer.solutions.empty()) answer.output_after = outputs_at(models, answer.best().point);
    if (answer.status == Status::unknown || answer.status == Status::feasible) {
      answer.lower_bound = std::min(lower_, answer.cost);
      answer.stop = budget_.stopped() ? budget_.stop() : budget_.exhausted();
      if (answer.stop == Stop::finished) answer.stop = watch_.stop();
    }
    for (Solution& solution : answer.solutions) solution = solution_at(models, solution.point);
    answer.statistics = budget_.used();
    return answer;
  }

  const Prepared& prepared_;
  const Query& query_;
  std::span<const double> known_;
  Watch watch_;
  Pace pace_;
  Budget budget_;
  Adversary adversary_;
  Precision precision_;
  const Query plain_;
  const RobustEffort effort_;
  const bool asks_inside_;                      ///< whether prove() applies
  std::size_t patience_ = effort_.refutations;  ///< refutations that end a search of prove()
  std::vector<Asked> asked_;
  std::vector<Open> queue_;   ///< a heap, least bound first
  Answer best_;               ///< a robust point within the radius, if it has one
  double radius_ = infinity;  ///< rows that cost more are not looked at
  double lower_ = 0;          ///< no robust row costs less
  std::uint64_t bytes_ = 0;   ///< of the prepared models beside a search
};

/// "Fewest changes first" compares answers by more than their cost, so relaxations cannot be
/// ordered by it.
void check_cases(const Prepared& prepared, const Query& query) {
  for (const Requirement& requirement : query.requirements) {
    Query one = query;
    one.requirements = {requirement};
    if (split_into_cases(prepared.ensembles(), one).size() == 1) continue;
    throw Error("robust",
                "an outcome with several cases cannot be robust with the fewest changes first",
                "Name a single class, or leave out the fewest changes");
  }
}

}  // namespace

Answer explain_robust(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution) {
  if (query.live > 0) {
    throw Error("robust", "an answer in a region with rows cannot be robust as well",
                "Leave out the robustness, or the rows");
  }
  if (query.agree) {
    throw Error("robust", "an outcome of some of the models cannot be robust",
                "Ask all models, or leave out the robustness");
  }
  if (!query.derived.empty()) {
    throw Error("robust", "derived columns do not support robust answers",
                "Leave out the robustness");
  }
  for (const Requirement& requirement : query.requirements) {
    // Between the rows that surely have an outcome and those that surely lack it lie rows of which
    // nothing is certain. They refute an answer, and no search looks for them.
    if (!is_of_linear_sum(requirement, prepared.ensembles()[requirement.ensemble])) continue;
    throw Error("robust", "stacked models do not support robust answers",
                "Leave out the robustness; a higher probability or a narrower range keeps a "
                "distance from the limit");
  }
  check_moves(prepared.ensembles(), query);
  if (query.fewest_first) check_cases(prepared, query);
  return RobustSearch(prepared, query, options, known_solution).run();
}

}  // namespace boxwood
