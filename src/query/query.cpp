// Validation of a query, default queries, and whether scores satisfy a requirement.
#include "query/certain.hpp"
#include "query/derived.hpp"
#include "query/lead.hpp"
#include "query/linear_choices.hpp"

#include <boxwood/error.hpp>
#include <boxwood/query.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace boxwood {
namespace {

void check_range(const Interval& range, const std::string& place) {
  if (std::isnan(range.lower) || std::isnan(range.upper)) {
    throw Error(place, "an end of the range is NaN", "Give a number, or infinity for no limit");
  }
  if (range.empty()) {
    throw Error(place, fmt::format("the range from {} to {} is empty", range.lower, range.upper),
                "Give the smaller end first");
  }
}

void check_class(const ClassIs& wanted, const Ensemble& ensemble, const std::string& place) {
  if (ensemble.task == Task::regression) {
    throw Error(place, "a regression model has no classes", "Ask for a range of its output");
  }
  if (wanted.target >= ensemble.class_count()) {
    throw Error(place, fmt::format("class {} does not exist; the model has {} classes",
                                   wanted.target, ensemble.class_count()));
  }
  if (wanted.margin && wanted.probability) {
    throw Error(place, "a probability and a margin are both given",
                "Give one of them, or two requirements");
  }
  const bool composed = ensemble.link == Link::composed;
  const bool marginless = composed || ensemble.link == Link::votes;
  if (wanted.margin && (marginless || !std::isfinite(*wanted.margin))) {
    throw Error(place,
                composed     ? "the model is made of several, so it has no margins"
                : marginless ? "the scores of this model are probabilities, so it has no margins"
                             : "the margin must be a finite number",
                "Ask for a probability, or a finite margin");
  }
  if (!wanted.probability) return;
  if (!ensemble.has_probabilities()) {
    throw Error(place, fmt::format("the model ({}) has no probabilities", ensemble.objective),
                "Ask for the class alone");
  }
  if (!(*wanted.probability >= 0 && *wanted.probability <= 1)) {
    throw Error(place,
                fmt::format("probability {} must be a number from 0 to 1", *wanted.probability),
                "Write 0.8 for 80 %");
  }
}

void check_classes(const ClassIn& wanted, const Ensemble& ensemble, const std::string& place) {
  if (wanted.targets.empty())
    throw Error(place, "the list of classes is empty", "Name at least one class");
  for (const std::size_t target : wanted.targets) check_class({target}, ensemble, place);
}

void check_score(const ScoreIn& wanted, const Ensemble& ensemble, const std::string& place) {
  check_range(wanted.range, place);
  for (const std::size_t output : {wanted.output, wanted.rival.value_or(0)}) {
    if (output < ensemble.base.size()) continue;
    throw Error(place, fmt::format("score {} does not exist; the model has {}", output,
                                   ensemble.base.size()));
  }
  if (wanted.rival == wanted.output) throw Error(place, "a score is compared with itself");
  if (wanted.rival && ensemble.link == Link::composed) {
    throw Error(place, "the scores of different members are compared",
                "Ask for a class, a probability or one score");
  }
}

void check_output(const OutputIn& wanted, const Ensemble& ensemble, const std::string& place) {
  check_range(wanted.range, place);
  if (ensemble.link == Link::winner) {
    throw Error(place, "the model's output is the index of a class", "Ask for the class");
  }
  if (wanted.output >= ensemble.output_count()) {
    throw Error(place, fmt::format("output {} does not exist; the model has {}", wanted.output,
                                   ensemble.output_count()));
  }
}

/// Wide enough for any unit, narrow enough that no cost of float32 values overflows a double.
constexpr double least_factor = 1e-30, largest_factor = 1e30;

bool is_factor(double value) { return value >= least_factor && value <= largest_factor; }

void check_feature(const Query& query, const Ensemble& ensemble, std::size_t i) {
  const FeatureRule& rule = query.features[i];
  const std::string place = fmt::format("feature \"{}\"", ensemble.features[i].name);
  if (!is_factor(rule.weight)) {
    throw Error(place, fmt::format("weight {} must be a number from 1e-30 to 1e30", rule.weight),
                "A small weight makes changes cheap; to forbid changes, fix the feature");
  }
  if (!is_factor(rule.scale)) {
    throw Error(place, fmt::format("scale {} must be a number from 1e-30 to 1e30", rule.scale),
                "Give the change that counts as one unit");
  }
  check_range(rule.range, place);
  if (!(rule.step == 0 || is_factor(rule.step))) {
    throw Error(place, fmt::format("step {} must be a number from 1e-30 to 1e30", rule.step),
                "Give the distance between two admissible values");
  }
  if (rule.step != 0 && !rule.allowed.empty()) {
    throw Error(place, "allowed values and a step are both given", "Give one of them");
  }
  if (rule.kind != FeatureKind::continuous && rule.step != std::floor(rule.step)) {
    throw Error(place,
                fmt::format("step {} must be a whole number, because the values are whole numbers",
                            rule.step));
  }
  if (!std::all_of(rule.allowed.begin(), rule.allowed.end(),
                   [](double value) { return std::isfinite(value); }) ||
      std::adjacent_find(rule.allowed.begin(), rule.allowed.end(), std::greater_equal<>{}) !=
          rule.allowed.end()) {
    throw Error(place, "the allowed values must be finite and ascending");
  }
  if (!is_factor(rule.up) || !is_factor(rule.down)) {
    throw Error(place, fmt::format("factors {} up and {} down must be numbers from 1e-30 to 1e30",
                                   rule.up, rule.down));
  }
  if (!(rule.least_change >= 0 && std::isfinite(rule.least_change)) || !(rule.most_change >= 0)) {
    throw Error(place, "the smallest and the largest change must be numbers ≥ 0");
  }
  if (rule.kind == FeatureKind::categorical &&
      (rule.direction != Direction::both || rule.least_change > 0 || rule.up != 1 ||
       rule.down != 1 || !rule.quantiles.empty() || std::isfinite(rule.most_change))) {
    throw Error(
        place, "a categorical feature has no order, so it has no direction and no size of a change",
        "List the allowed categories, or make the feature ordinal");
  }
  if (!(rule.robust >= 0 && std::isfinite(rule.robust))) {
    throw Error(place, fmt::format("robust {} must be a number ≥ 0", rule.robust),
                "Give the distance within which the outcome must hold");
  }
  const bool categorical = rule.kind == FeatureKind::categorical;
  if (categorical ? rule.robust > 0 : !rule.robust_codes.empty()) {
    throw Error(place,
                categorical ? "a categorical feature has no distances"
                            : "only a categorical feature can be robust to other categories",
                categorical ? "List the categories for which the outcome must hold"
                            : "Give the distance within which the outcome must hold");
  }
  if (std::adjacent_find(rule.robust_codes.begin(), rule.robust_codes.end(),
                         std::greater_equal<>{}) != rule.robust_codes.end() ||
      (!rule.robust_codes.empty() && rule.robust_codes.front() < 0)) {
    throw Error(place, "the codes of `robust` must be whole numbers ≥ 0 in ascending order");
  }
  if (rule.quantiles.size() == 1 ||
      !std::all_of(rule.quantiles.begin(), rule.quantiles.end(),
                   [](double value) { return std::isfinite(value); }) ||
      !std::is_sorted(rule.quantiles.begin(), rule.quantiles.end())) {
    throw Error(place, "the quantiles must be at least two finite numbers in ascending order");
  }
  for (const std::vector<double>& row : rule.changes) {
    for (const double size : row) {
      if (size >= 0 && (size <= largest_factor || std::isinf(size))) continue;
      throw Error(place, fmt::format("{} is not a valid size of a change of category", size),
                  "Give a number from 0 to 1e30, or infinity to forbid the change");
    }
  }
  // A large double is infinite when read as float32; a change from infinity has no finite cost.
  // check_derived says more about an infinite result of a formula.
  const bool result = rule.derived && std::isinf(query.point[i]);
  if (!rule.fixed && !result && std::isinf(static_cast<float>(query.point[i])) &&
      (ensemble.input == Precision::float32 || std::isinf(query.point[i]))) {
    throw Error(place,
                fmt::format("the value {} is infinite, so a change has no cost", query.point[i]),
                "Fix the feature or give a finite value");
  }
}

void check_groups(const Query& query, const Ensemble& ensemble) {
  std::vector<bool> taken(query.point.size(), false);
  for (std::size_t g = 0; g < query.groups.size(); ++g) {
    const OneHot& group = query.groups[g];
    const std::string place =
        group.columns.empty() || group.columns.front() >= taken.size()
            ? fmt::format("one-hot group {}", g + 1)
            : fmt::format("one-hot group of \"{}\"", ensemble.features[group.columns.front()].name);
    if (group.columns.empty()) throw Error(place, "the group has no columns");
    for (const std::size_t column : group.columns) {
      if (column >= taken.size()) {
        throw Error(place, fmt::format("column {} does not exist", column));
      }
      if (taken[column]) {
        throw Error(place, fmt::format("feature \"{}\" is in another group as well",
                                       ensemble.features[column].name));
      }
      taken[column] = true;
      if (query.features[column].robust > 0) {
        throw Error(place, "an answer cannot be robust in the columns of a one-hot group",
                    "Name the categories of the group instead");
      }
    }
    const bool ascending = std::adjacent_find(group.robust.begin(), group.robust.end(),
                                              std::greater_equal<>{}) == group.robust.end();
    if (!ascending || (!group.robust.empty() && group.robust.back() >= group.columns.size())) {
      throw Error(place, "`robust` must be positions of its columns in ascending order");
    }
    if (!is_factor(group.weight)) {
      throw Error(place,
                  fmt::format("weight {} must be a number from 1e-30 to 1e30", group.weight));
    }
    if (!hot_column(group, query.point)) {
      std::vector<std::string> set;
      for (const std::size_t column : group.columns) {
        if (query.point[column] == 0) continue;
        set.push_back(
            fmt::format("\"{}\" is {}", ensemble.features[column].name, query.point[column]));
      }
      throw Error(
          place,
          fmt::format("{}; one column may be 1, and the others must be 0", fmt::join(set, ", ")),
          "Correct the row, or remove the group (Python: groups=False; a schema: one_hot)");
    }
  }
}

/// Models that read values in different precisions must see the same value, or the point itself
/// would lie on both sides of a threshold.
void check_read_alike(const Query& query, const Ensemble& ensemble) {
  for (std::size_t i = 0; i < query.point.size(); ++i) {
    const double value = query.point[i];
    if (!std::isnan(value) && static_cast<double>(static_cast<float>(value)) != value) {
      throw Error(
          fmt::format("feature \"{}\"", ensemble.features[i].name),
          fmt::format("the models read {} in different precisions, as different numbers", value),
          "Round it to float32 first");
    }
  }
}

bool are_codes(const std::vector<std::int32_t>& codes) {
  return !codes.empty() && codes.front() >= 0 &&
         std::adjacent_find(codes.begin(), codes.end(), std::greater_equal<>{}) == codes.end();
}

void check_linear(const Query& query, const Clause& clause, const std::string& place) {
  for (const LinearCondition& sum : clause.linear) {
    const Interval& range = sum.range;
    if (std::isnan(range.lower) || std::isnan(range.upper) || range.empty() ||
        (std::isinf(range.lower) && std::isinf(range.upper))) {
      throw Error(place, "a linear condition needs at least one finite limit");
    }
    if (sum.terms.empty()) throw Error(place, "a linear condition has no terms");
    for (const LinearTerm& term : sum.terms) {
      if (term.feature >= query.point.size()) {
        throw Error(place, fmt::format("feature {} does not exist", term.feature));
      }
      if (!std::isfinite(term.coefficient) || term.coefficient == 0) {
        throw Error(place, "a coefficient must be a finite number other than 0");
      }
      const bool categorical = query.features[term.feature].kind == FeatureKind::categorical;
      if (categorical != (term.of == LinearTerm::Of::codes)) {
        throw Error(
            place,
            fmt::format("feature {} {}", term.feature,
                        categorical ? "is categorical and has no number" : "is not categorical"),
            "Use Of::codes for categorical features, and only for them");
      }
      if (categorical != are_codes(term.codes)) {
        throw Error(place, "the codes must be numbers ≥ 0 in ascending order");
      }
      if (std::isinf(query.point[term.feature])) {
        throw Error(place, fmt::format("the value of feature {} is infinite", term.feature));
      }
    }
  }
}

void check_clauses(const Query& query) {
  if (linear_choices(query.clauses) > most_linear_choices) {
    throw Error("clauses",
                fmt::format("their sums leave more than {} choices", most_linear_choices),
                "Give fewer clauses with several sums, of which one has to hold");
  }
  for (std::size_t c = 0; c < query.clauses.size(); ++c) {
    for (const Literal& literal : query.clauses[c].any_of) {
      const std::string place = fmt::format("clause {}", c);
      if (literal.feature >= query.point.size()) {
        throw Error(place, fmt::format("feature {} does not exist", literal.feature));
      }
      if (std::isnan(literal.range.lower) || std::isnan(literal.range.upper)) {
        throw Error(place, "an end of a range is NaN");
      }
      if (!literal.codes.empty() &&
          (literal.codes.front() < 0 ||
           std::adjacent_find(literal.codes.begin(), literal.codes.end(), std::greater_equal<>{}) !=
               literal.codes.end())) {
        throw Error(place, "the codes must be numbers ≥ 0 in ascending order");
      }
    }
    check_linear(query, query.clauses[c], fmt::format("clause {}", c));
  }
}

void check_norm(const Query& query) {
  if (query.norm == Norm::custom && !query.term) {
    throw Error("query", "Norm::custom needs Query::term", "Set Query::term");
  }
  if (query.norm != Norm::mixture) return;
  const Mixture& mixture = query.mixture;
  double sum = 0;
  for (const double part : {mixture.squared_l2, mixture.l1, mixture.l0}) {
    if (!(part >= 0 && part <= largest_factor)) {
      throw Error("mixture", fmt::format("factor {} must be a number from 0 to 1e30", part));
    }
    sum += part;
  }
  if (!(sum >= least_factor))
    throw Error("mixture", "all factors are 0", "Give at least one factor above 0");
}

void check_agreement(const Query& query) {
  const auto counted = static_cast<std::size_t>(
      std::count_if(query.requirements.begin(), query.requirements.end(),
                    [](const Requirement& requirement) { return requirement.counted; }));
  if (!query.agree && counted > 0) {
    throw Error("query", "requirements are counted, but it is not said how many must hold",
                "Set Query::agree");
  }
  if (!query.agree || (*query.agree >= 1 && *query.agree <= counted)) return;
  throw Error("agree",
              fmt::format("{} of {} requirements cannot be asked for", *query.agree, counted),
              "Give a number from 1 to the number of models that are asked");
}

void check_live(const Query& query, std::span<const Ensemble> ensembles) {
  if (query.live == 0) return;
  if (!query.live_regions) {
    throw Error("live", "there are no rows to count", "Set Query::live_regions");
  }
  for (const LiveRegion& region : query.live_regions->regions) {
    if (region.box.size() == query.point.size() && region.scores.size() == ensembles.size()) {
      continue;
    }
    throw Error("live", "the regions are those of other models",
                "Make them with the models of the question");
  }
}

bool is_class(const ClassIs& wanted, const Ensemble& ensemble, std::span<const double> scores) {
  if (wanted.probability) {
    return ensemble.probability(ensemble.transform(scores), wanted.target) >= *wanted.probability;
  }
  if (ensemble.classify(scores) != wanted.target) return false;
  return !wanted.margin || lead_of(ensemble, scores, {&wanted.target, 1}) >= *wanted.margin;
}

bool has_outcome(const Requirement& requirement, const Ensemble& ensemble,
                 std::span<const double> scores) {
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return output->range.contains(ensemble.transform(scores)[output->output]);
  }
  if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
    const double own = scores[score->output];
    return score->range.contains(score->rival ? lead(own, scores[*score->rival]) : own);
  }
  if (const auto* several = std::get_if<ClassIn>(&requirement.outcome)) {
    return std::count(several->targets.begin(), several->targets.end(), ensemble.classify(scores)) >
           0;
  }
  return is_class(std::get<ClassIs>(requirement.outcome), ensemble, scores);
}

/// Whether the output that the requirement is about is not a number: the softmax of a score that
/// overflows. (Scores themselves are numbers or infinite: leaves and bases are finite.)
bool is_about_nan(const Requirement& requirement, const Ensemble& ensemble,
                  std::span<const double> scores) {
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return std::isnan(ensemble.transform(scores)[output->output]);
  }
  const auto* one = std::get_if<ClassIs>(&requirement.outcome);
  return one && one->probability &&
         std::isnan(ensemble.probability(ensemble.transform(scores), one->target));
}

}  // namespace

Interval intersection(const Interval& a, const Interval& b) {
  Interval both = a;
  if (b.lower > a.lower || (b.lower == a.lower && !b.lower_closed)) {
    both.lower = b.lower;
    both.lower_closed = b.lower_closed;
  }
  if (b.upper < a.upper || (b.upper == a.upper && !b.upper_closed)) {
    both.upper = b.upper;
    both.upper_closed = b.upper_closed;
  }
  return both;
}

Query query_for(const Ensemble& ensemble, std::span<const double> point) {
  Query query;
  query.point.assign(point.begin(), point.end());
  query.features.resize(ensemble.features.size());
  for (std::size_t i = 0; i < ensemble.features.size(); ++i) {
    query.features[i].kind = ensemble.features[i].kind;
    FeatureRule& rule = query.features[i];
    for (const Category& category : ensemble.features[i].categories) {
      rule.allowed.push_back(static_cast<double>(category.code));
    }
    // Lifting a list of categories does not make codes that the model has never seen.
    if (!rule.allowed.empty()) rule.domain = {rule.allowed.front(), rule.allowed.back()};
  }
  return query;
}

Requirement require_class(std::size_t target, std::optional<double> probability) {
  return {.ensemble = 0, .outcome = ClassIs{target, probability}};
}

Requirement require_other_class(const Ensemble& ensemble, std::size_t target) {
  if (ensemble.class_count() == 2) return require_class(1 - std::min<std::size_t>(target, 1));
  ClassIn others;
  for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
    if (k != target) others.targets.push_back(k);
  }
  return {.ensemble = 0, .outcome = others};
}

Requirement require_output(Interval range, std::size_t output) {
  return {.ensemble = 0, .outcome = OutputIn{range, output}};
}

Requirement require_above(const Ensemble& ensemble, std::span<const double> other,
                          std::size_t output) {
  if (ensemble.class_count() > 2 || ensemble.link == Link::winner) {
    throw Error("beat", "the model predicts a class, and its rows have no rank",
                "Give a model that ranks rows, predicts a number, or has two classes");
  }
  const std::vector<double> scores = ensemble.predict(other);
  const auto above = [](double level) { return Interval{.lower = level, .lower_closed = false}; };
  // The output is what the library predicts; it need not rise with the raw score (Link::square).
  // For two classes the score is finer than the probability, which may be rounded to 1.
  if (ensemble.task == Task::binary) {
    return {.ensemble = 0, .outcome = ScoreIn{above(scores[0])}};
  }
  if (ensemble.task == Task::multiclass) output = 1;
  const std::vector<double> outputs = ensemble.transform(scores);
  if (output >= outputs.size()) {
    throw Error("beat",
                fmt::format("output {} does not exist; the model has {}", output, outputs.size()));
  }
  return require_output(above(outputs[output]), output);
}

void validate(const Query& query, std::span<const Ensemble> ensembles) {
  if (ensembles.empty()) throw Error("query", "there is no model");
  const std::size_t width = ensembles.front().features.size();
  for (std::size_t e = 1; e < ensembles.size(); ++e) {
    if (ensembles[e].features.size() != width) {
      throw Error(fmt::format("model {}", e), fmt::format("{} features, but model 0 has {}",
                                                          ensembles[e].features.size(), width));
    }
  }
  if (query.point.size() != width) {
    throw Error("point",
                fmt::format("{} values, but the model has {} features", query.point.size(), width));
  }
  if (query.features.size() != width) {
    throw Error("query", fmt::format("{} feature rules, but the model has {} features",
                                     query.features.size(), width));
  }
  for (const Ensemble& ensemble : ensembles) {
    for (std::size_t i = 0; i < width; ++i) check_feature(query, ensemble, i);
    if (ensemble.input != ensembles.front().input) check_read_alike(query, ensembles.front());
  }
  check_groups(query, ensembles.front());
  check_clauses(query);
  check_derived(query, ensembles.front());
  check_norm(query);
  check_agreement(query);
  check_live(query, ensembles);
  for (std::size_t m = 0; m < query.requirements.size(); ++m) {
    const Requirement& requirement = query.requirements[m];
    const std::string place =
        query.requirements.size() == 1 ? "wanted outcome" : fmt::format("wanted outcome {}", m + 1);
    if (requirement.ensemble >= ensembles.size()) {
      throw Error(place, fmt::format("model {} does not exist", requirement.ensemble));
    }
    const Ensemble& ensemble = ensembles[requirement.ensemble];
    if (const auto* one = std::get_if<ClassIs>(&requirement.outcome)) {
      check_class(*one, ensemble, place);
    } else if (const auto* several = std::get_if<ClassIn>(&requirement.outcome)) {
      check_classes(*several, ensemble, place);
    } else if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
      check_score(*score, ensemble, place);
    } else {
      check_output(std::get<OutputIn>(requirement.outcome), ensemble, place);
    }
  }
}

bool meets(const Requirement& requirement, const Ensemble& ensemble,
           std::span<const double> scores) {
  if (is_of_linear_sum(requirement, ensemble)) return is_certain(requirement, ensemble, scores);
  if (!requirement.negated) return has_outcome(requirement, ensemble, scores);
  // As in split_into_cases: p < 0.5 does not hold for an output that is not a number.
  return !has_outcome(requirement, ensemble, scores) &&
         !is_about_nan(requirement, ensemble, scores);
}

std::size_t rows_around(const Query& query, std::span<const double> point) {
  if (!query.live_regions) return 0;
  const auto holds = [&](const LiveRegion& region) {
    for (std::size_t d = 0; d < point.size(); ++d) {
      const double value = point[d];
      const bool missing = std::isnan(region.row[d]);
      if (missing || std::isnan(value)) {
        if (missing != std::isnan(value)) return false;
      } else if (!region.box[d].contains(value)) {
        const std::vector<std::int32_t>& codes = region.codes[d];
        const bool known = std::any_of(codes.begin(), codes.end(), [&](std::int32_t code) {
          return static_cast<double>(code) == value;
        });
        if (!known) return false;
      }
    }
    return true;
  };
  for (const LiveRegion& region : query.live_regions->regions) {
    if (holds(region)) return region.rows;
  }
  return 0;
}

namespace {

template <typename ScoresOf>
std::size_t agreeing_by(const Query& query, std::span<const Ensemble> ensembles,
                        ScoresOf scores_of) {
  return static_cast<std::size_t>(std::count_if(
      query.requirements.begin(), query.requirements.end(), [&](const Requirement& requirement) {
        return requirement.counted &&
               meets(requirement, ensembles[requirement.ensemble], scores_of(requirement.ensemble));
      }));
}

/// `scores_of` gives the scores of an ensemble in the point.
template <typename ScoresOf>
bool meets_by(const Query& query, std::span<const Ensemble> ensembles,
              std::span<const double> point, ScoresOf scores_of) {
  bool required = std::all_of(
      query.requirements.begin(), query.requirements.end(), [&](const Requirement& requirement) {
        return requirement.counted ||
               meets(requirement, ensembles[requirement.ensemble], scores_of(requirement.ensemble));
      });
  if (query.agree) required = required && agreeing_by(query, ensembles, scores_of) >= *query.agree;
  if (!required || query.exact_clauses.empty()) return required;
  const bool single = std::any_of(ensembles.begin(), ensembles.end(), [](const Ensemble& one) {
    return one.input == Precision::float32;
  });
  return std::all_of(
      query.exact_clauses.begin(), query.exact_clauses.end(), [&](const Clause& clause) {
        return holds(clause, query.point, point, single ? Precision::float32 : Precision::float64);
      });
}

}  // namespace

std::size_t agreeing(const Query& query, std::span<const Ensemble> ensembles,
                     std::span<const double> point) {
  return agreeing_by(query, ensembles, [&](std::size_t e) { return ensembles[e].predict(point); });
}

bool meets(const Query& query, std::span<const Ensemble> ensembles, std::span<const double> point) {
  return meets_by(query, ensembles, point,
                  [&](std::size_t e) { return ensembles[e].predict(point); });
}

bool meets(const Query& query, std::span<const Ensemble> ensembles, std::span<const double> point,
           std::span<const std::vector<double>> scores) {
  return meets_by(query, ensembles, point,
                  [&](std::size_t e) { return std::span<const double>(scores[e]); });
}

}  // namespace boxwood
