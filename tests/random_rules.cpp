#include "random_rules.hpp"

#include <cmath>
#include <limits>

void RuleMaker::add_to(RandomProblem& problem) {
  boxwood::Query& query = problem.query;
  for (std::size_t d = 0; d < query.features.size(); ++d) add_to_feature(query, d);
  if (below(3) == 0) {
    query.norm = boxwood::Norm::mixture;
    query.mixture = {coin() ? 1.0 : 0.0, coin() ? 0.5 : 0.0, 0.25};
  }
  if (coin()) add_clauses(query);
  if (below(3) == 0) query.max_changes = below(query.point.size() + 1);
  if (below(5) == 0) query.fewest_first = true;
  for (boxwood::Requirement& requirement : query.requirements) {
    if (coin()) change_outcome(requirement, problem.ensembles[requirement.ensemble]);
  }
}

double RuleMaker::uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random_);
}

void RuleMaker::add_to_feature(boxwood::Query& query, std::size_t d) {
  boxwood::FeatureRule& rule = query.features[d];
  const bool grouped = [&] {
    for (const boxwood::OneHot& group : query.groups) {
      for (const std::size_t column : group.columns) {
        if (column == d) return true;
      }
    }
    return false;
  }();
  if (rule.kind == boxwood::FeatureKind::categorical || grouped) return;
  if (below(4) == 0) rule.direction = coin() ? boxwood::Direction::up : boxwood::Direction::down;
  if (below(5) == 0) rule.least_change = coin() ? 1 : uniform(0.05, 0.5);
  if (below(5) == 0) rule.most_change = coin() ? 2 : uniform(0.1, 0.8);
  if (below(4) == 0) rule.up = coin() ? 3 : uniform(0.3, 2);
  if (below(4) == 0) rule.down = uniform(0.3, 2);
  if (below(5) == 0) {
    double value = uniform(-1, 0);
    for (std::size_t i = 0; i < 2 + below(5); ++i) {
      rule.quantiles.push_back(value);
      if (below(3) != 0) value += uniform(0.1, 1.5);
    }
  }
}

boxwood::Literal RuleMaker::literal(const boxwood::Query& query) {
  const std::size_t d = below(query.point.size());
  switch (below(6)) {
    case 0:
      return changes(query, d);
    case 1:
      return stays(query, d);
    case 2:
      return rises(query, d);
    case 3:
      return negated(falls(query, d));
    default:
      break;
  }
  boxwood::Literal any{d, {}, coin(), coin(), {}};
  if (below(4) == 0) {
    for (std::int32_t code = 0; code < 5; ++code) {
      if (coin()) any.codes.push_back(code);
    }
  }
  const double low = coin() ? static_cast<double>(below(4)) : uniform(0, 1);
  if (below(3) != 0) any.range.lower = low;
  if (below(3) != 0) any.range.upper = low + (coin() ? 0 : uniform(0, 1));
  any.range.lower_closed = coin();
  any.range.upper_closed = coin();
  return any;
}

void RuleMaker::add_clauses(boxwood::Query& query) {
  for (std::size_t c = 0; c < 1 + below(3); ++c) {
    boxwood::Clause clause;
    const std::size_t statements = below(6) == 0 ? 12 : 1 + below(3);
    for (std::size_t i = 0; i < statements; ++i) clause.any_of.push_back(literal(query));
    query.clauses.push_back(std::move(clause));
  }
}

void RuleMaker::change_outcome(boxwood::Requirement& requirement,
                               const boxwood::Ensemble& ensemble) {
  const std::size_t index = requirement.ensemble;
  if (below(3) == 0) {
    boxwood::ScoreIn score;
    score.output = below(ensemble.base.size());
    score.range.lower = uniform(-1, 1);
    if (coin()) score.range.upper = score.range.lower + uniform(0, 1);
    score.range.lower_closed = coin();
    const std::size_t rival = below(ensemble.base.size());
    if (rival != score.output) score.rival = rival;
    requirement.outcome = score;
  } else if (ensemble.link == boxwood::Link::softmax && coin()) {
    requirement.outcome =
        boxwood::OutputIn{{.lower = 0, .upper = uniform(0.05, 0.6)}, below(ensemble.base.size())};
  } else if (ensemble.task == boxwood::Task::multiclass && coin()) {
    requirement = require_other_class(ensemble, below(ensemble.class_count()));
  } else if (ensemble.task != boxwood::Task::regression && ensemble.link != boxwood::Link::votes) {
    requirement.outcome =
        boxwood::ClassIs{below(ensemble.class_count()), {}, coin() ? 0 : uniform(-0.5, 0.5)};
  }
  requirement.ensemble = index;
  requirement.negated = below(3) == 0;
}
