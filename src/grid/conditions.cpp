#include "grid/conditions.hpp"

#include "grid/composed.hpp"

#include "base/bits.hpp"
#include "base/infinity.hpp"
#include "model/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace boxwood {
namespace {

/// How far a link may deviate from a monotone function. exp is accurate to about one unit in the
/// last place, which moves the score at which a threshold is crossed by less than 1e-6. Identity
/// and winner compare the sums themselves.
constexpr double link_slack = 1e-6;

bool rounds(Link link) {
  return link != Link::identity && link != Link::winner && link != Link::votes;
}

/// How the raw score of one output is computed.
struct Arithmetic {
  Precision accumulator;
  SumOrder order;
  double factor;
  double divisor;
  LinkForm link_form;

  /// Raw scores per unit of the trees' sum.
  double unit() const { return factor / divisor; }
};

template <typename Model>
Arithmetic arithmetic_in(const Model& model) {
  return {model.accumulator, model.order, model.factor, model.divisor, model.link_form};
}

Arithmetic arithmetic_of(const Ensemble& ensemble, std::int32_t output) {
  auto end = std::int32_t{0};
  for (const Member& member : ensemble.composition.members) {
    end += static_cast<std::int32_t>(member.outputs);
    if (output < end) return arithmetic_in(member);
  }
  return arithmetic_in(ensemble);
}

/// The largest absolute value of a list, in a loop that does not wait for each comparison.
double largest_magnitude(std::span<const double> values) {
  double largest[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double size = std::abs(values[i + k]);
      largest[k] = largest[k] < size ? size : largest[k];
    }
  }
  for (; i < values.size(); ++i) largest[0] = std::max(largest[0], std::abs(values[i]));
  return std::max({largest[0], largest[1], largest[2], largest[3]});
}

/// How large the sum of the trees of each output can be.
struct TreeSizes {
  std::vector<double> most;          ///< of an output: the largest numbers of its trees, added up
  std::vector<std::uint32_t> trees;  ///< of an output: how many trees add to it
};

TreeSizes measure_trees(const Ensemble& ensemble) {
  TreeSizes sizes{std::vector<double>(ensemble.base.size(), 0.0),
                  std::vector<std::uint32_t>(ensemble.base.size(), 0)};
  for (const Tree& tree : ensemble.trees) {
    const double largest = largest_magnitude(tree.values);
    const Tree::Outputs to = tree.outputs(ensemble.base.size());
    for (std::size_t k = to.first; k < to.first + to.count; ++k) {
      sizes.most[k] += largest;
      ++sizes.trees[k];
    }
  }
  return sizes;
}

/// The largest absolute value that the score of an output can have: base score and trees.
double largest_size(const Ensemble& ensemble, const TreeSizes& sizes, std::int32_t output) {
  const auto at = static_cast<std::size_t>(output);
  const double base = std::abs(ensemble.base[at]);
  const Arithmetic own = arithmetic_of(ensemble, output);
  return own.order == SumOrder::base_first ? (sizes.most[at] + base) * own.unit()
                                           : sizes.most[at] * own.unit() + base;
}

/// An upper bound on the difference between the score that the library computes for one output and
/// the exact sum of the same numbers, plus the error of our own double sums. Standard bound: n
/// additions of numbers whose absolute values sum to A have an error of at most n u A / (1 - n u),
/// where u is half a unit in the last place of 1. Factor and divisor are two more roundings, and a
/// link that rounds the score first adds its own error. Infinite where a sum may overflow: then
/// nothing is known about it.
double sum_error(const Ensemble& ensemble, const TreeSizes& sizes, std::int32_t output) {
  const Arithmetic own = arithmetic_of(ensemble, output);
  const auto at = static_cast<std::size_t>(output);
  const double base = std::abs(ensemble.base[at]);
  const double absolute = base + sizes.most[at];
  // Five for factor and divisor, and for reading them in this precision.
  const double additions = 5 + static_cast<double>(sizes.trees[at]);
  const bool single = own.accumulator == Precision::float32;
  const bool rounded = !single && own.link_form == LinkForm::onnxruntime;
  const double largest_sum = single || rounded
                                 ? static_cast<double>(std::numeric_limits<float>::max())
                                 : std::numeric_limits<double>::max();
  const double used = additions * (single ? 0x1p-24 : 0x1p-53) + 4 * additions * 0x1p-53 +
                      (rounded ? 0x1p-23 : 0.0);
  const double scaled = absolute * std::max(1.0, own.factor) * std::max(1.0, own.unit());
  if (used > 0.25 || !(scaled < largest_sum / 4)) return infinity;
  return (absolute * own.unit() + base) * used / (1 - used);
}

/// Maps floats to integers in the same order, so that bisection can visit every float.
template <typename Real, typename Bits>
Bits rank_of(Real value) {
  const auto bits = bits_as<Bits>(value);
  return bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits;
}
template <typename Real, typename Bits>
Real value_at(Bits rank) {
  return bits_as<Real>(rank < 0 ? std::numeric_limits<Bits>::min() - rank : rank);
}

/// The smallest number of the type for which `holds` is true, given that it is false below some
/// point and true above it (up to the slack); +infinity if it is false everywhere.
template <typename Real, typename Bits, typename Holds>
double first_true(Holds holds) {
  Bits low = rank_of<Real, Bits>(std::numeric_limits<Real>::lowest());
  Bits high = rank_of<Real, Bits>(std::numeric_limits<Real>::max());
  if (!holds(static_cast<double>(value_at<Real, Bits>(high)))) return infinity;
  if (holds(static_cast<double>(value_at<Real, Bits>(low)))) return -infinity;
  while (high - 1 > low) {
    const Bits middle = std::midpoint(low, high);
    (holds(static_cast<double>(value_at<Real, Bits>(middle))) ? high : low) = middle;
  }
  return static_cast<double>(value_at<Real, Bits>(high));
}

class Builder {
 public:
  Builder(const Ensemble& ensemble, std::uint32_t index, std::vector<Condition>& conditions)
      : ensemble_(ensemble), index_(index), conditions_(conditions) {}

  /// A rising outcome holds for score >= low, a falling one for score <= high. Both conditions are
  /// about the transformed score of one output.
  template <typename Holds>
  void rising(std::int32_t output, Holds holds) {
    add({index_, output, -1, 1}, first_score([&](double s) { return holds(s); }));
  }
  template <typename Holds>
  void falling(std::int32_t output, Holds holds) {
    add({index_, output, -1, -1}, first_score([&](double s) { return holds(-s); }));
  }
  /// The output is at least as large as every rival's. A link that saturates maps all large and all
  /// small scores to one value; there the score may be smaller than a rival's by as much as scores
  /// can lie beyond the saturation points.
  void wins(std::int32_t output) {
    const bool single = ensemble_.accumulator == Precision::float32;
    const bool bends =
        ensemble_.link == Link::sigmoid && ensemble_.decision != Decision::largest_score;
    const double top = bends ? (single ? 14.0 : 35.0) / ensemble_.steepness : infinity;
    const double bottom = bends ? (single ? 85.0 : 700.0) / ensemble_.steepness : infinity;
    const double below = bottom - largest_size(ensemble_, sizes(), output);
    for (std::int32_t rival = 0; rival < static_cast<std::int32_t>(ensemble_.base.size());
         ++rival) {
      if (rival == output) continue;
      const double above = top - largest_size(ensemble_, sizes(), rival);
      add({index_, output, rival, 1}, std::min({0.0, above, below}));
    }
  }
  /// output - rival >= least, for every rival
  void ahead(std::int32_t output, double least, std::int32_t group = -1) {
    for (std::int32_t rival = 0; rival < static_cast<std::int32_t>(ensemble_.base.size());
         ++rival) {
      if (rival == output) continue;
      Condition condition{index_, output, rival, 1};
      condition.group = group;
      add(condition, least);
    }
  }
  /// output - rival >= least, for this rival
  void leads(std::int32_t output, std::int32_t rival, double least) {
    add({index_, output, rival, 1}, least);
  }

 private:
  const TreeSizes& sizes() {
    if (sizes_.most.empty()) sizes_ = measure_trees(ensemble_);
    return sizes_;
  }

  template <typename Holds>
  double first_score(Holds holds) const {
    return ensemble_.accumulator == Precision::float32 ? first_true<float, std::int32_t>(holds)
                                                       : first_true<double, std::int64_t>(holds);
  }

  void add(Condition condition, double least) {
    if (least == -infinity) return;  // every score satisfies it
    const Arithmetic own = arithmetic_of(ensemble_, condition.plus);
    const double unit = own.unit();
    const double base_unit = own.order == SumOrder::base_first ? unit : 1.0;
    double base = condition.sign * ensemble_.base[static_cast<std::size_t>(condition.plus)];
    double error = sum_error(ensemble_, sizes(), condition.plus);
    if (condition.minus >= 0) {
      base -= ensemble_.base[static_cast<std::size_t>(condition.minus)];
      error += sum_error(ensemble_, sizes(), condition.minus);
    }
    base *= base_unit;
    if (error == infinity) return;  // nothing is known about a sum that overflows
    const double slack = rounds(ensemble_.link)
                             ? link_slack + 8 * std::numeric_limits<float>::epsilon() *
                                                std::abs(std::isfinite(least) ? least : 0.0)
                             : 0.0;
    // From scores to sums of trees, which the conditions are about.
    condition.unit = unit;
    condition.slack = (error + slack) / unit * (1 + 0x1p-50);
    condition.threshold = least == infinity
                              ? infinity
                              : (least - base) / unit - condition.slack -
                                    0x1p-50 * (std::abs(least) + std::abs(base)) / unit;
    conditions_.push_back(condition);
  }

  const Ensemble& ensemble_;
  std::uint32_t index_;
  std::vector<Condition>& conditions_;
  TreeSizes sizes_;  // measured when first needed
};

/// Of a link that treats every output by itself. `transform` takes all scores of a model.
double link_of(const Ensemble& ensemble, double score) {
  return ensemble.transform(std::vector<double>(ensemble.base.size(), score))[0];
}

/// How far ahead of each rival an output must be for its softmax probability to reach p. p_j >= p
/// means that the sum over rivals of exp(f_k - f_j) is at most 1/p - 1, so each term is at most
/// that. The errors of the library's p_j are subtracted from p.
///
/// Why the margins of a group satisfy more: with leads f_j - f_k = least + margin_k, the sum over
/// rivals of exp(f_k - f_j) is exp(-least) times the sum of exp(-margin_k), and exp(-least) is 1/p
/// - 1.
double lead_for_probability(const Ensemble& ensemble, double probability) {
  const double sum_error = ensemble.link_form == LinkForm::onnxruntime
                               ? static_cast<double>(ensemble.base.size()) * softmax_sum_error
                               : 0.0;
  const double p = probability * (1 - softmax_error - sum_error) - softmax_floor;
  if (p <= 0) return -infinity;
  return p < 1 ? -std::log(1 / p - 1) : infinity;
}

void add_class(const Ensemble& ensemble, const Requirement& requirement, std::int32_t group,
               Builder& builder) {
  const auto& wanted = std::get<ClassIs>(requirement.outcome);
  if (ensemble.task == Task::binary) {
    const auto holds = [&](double s) { return meets(requirement, ensemble, std::span(&s, 1)); };
    (wanted.target == 1) != requirement.negated ? builder.rising(0, holds)
                                                : builder.falling(0, holds);
    return;
  }
  const auto target = static_cast<std::int32_t>(wanted.target);
  if (wanted.probability && ensemble.link != Link::softmax) {
    builder.rising(target, [&](double s) { return link_of(ensemble, s) >= *wanted.probability; });
  } else if (wanted.probability) {
    builder.ahead(target, lead_for_probability(ensemble, *wanted.probability), group);
  } else if (wanted.margin && *wanted.margin > 0) {
    builder.ahead(target, *wanted.margin);
  } else {
    builder.wins(target);  // the winner is at least as large as every rival
  }
}

void add_output(const Ensemble& ensemble, const OutputIn& wanted, std::int32_t group,
                Builder& builder) {
  const auto output = static_cast<std::int32_t>(wanted.output);
  const Interval& range = wanted.range;
  if (ensemble.link == Link::softmax) {
    // An upper limit requires that one of several rivals is large: there is no linear condition for
    // that.
    builder.ahead(output, lead_for_probability(ensemble, range.lower), group);
    return;
  }
  builder.rising(output, [&](double s) {
    const double y = link_of(ensemble, s);
    return range.lower_closed ? y >= range.lower : y > range.lower;
  });
  builder.falling(output, [&](double s) {
    const double y = link_of(ensemble, s);
    return range.upper_closed ? y <= range.upper : y < range.upper;
  });
}

void add_score(const ScoreIn& wanted, Builder& builder) {
  const auto output = static_cast<std::int32_t>(wanted.output);
  const Interval& range = wanted.range;
  if (wanted.rival) {
    const auto rival = static_cast<std::int32_t>(*wanted.rival);
    builder.leads(output, rival, range.lower);
    builder.leads(rival, output, -range.upper);
    return;
  }
  builder.rising(output,
                 [&](double s) { return range.lower_closed ? s >= range.lower : s > range.lower; });
  builder.falling(
      output, [&](double s) { return range.upper_closed ? s <= range.upper : s < range.upper; });
}

/// A composition that compares the raw score of its only member with a threshold.
void add_threshold_of_score(const Ensemble& ensemble, const Requirement& requirement,
                            Builder& builder) {
  const auto* wanted = std::get_if<ClassIs>(&requirement.outcome);
  const auto& threshold = ensemble.composition.threshold;
  if (!wanted || wanted->probability || !threshold || !threshold->of_score) return;
  const auto holds = [&](double s) { return meets(requirement, ensemble, std::span(&s, 1)); };
  (wanted->target == 1) != requirement.negated ? builder.rising(0, holds)
                                               : builder.falling(0, holds);
}

/// A composition whose class is that of the largest raw score: it leads all others.
void add_largest_score(const Ensemble& ensemble, const Requirement& requirement, Builder& builder) {
  const auto* wanted = std::get_if<ClassIs>(&requirement.outcome);
  if (!wanted || wanted->probability || requirement.negated || !ensemble.composition.by_score) {
    return;
  }
  for (std::size_t rival = 0; rival < ensemble.classes.size(); ++rival) {
    if (rival == wanted->target) continue;
    builder.leads(static_cast<std::int32_t>(wanted->target), static_cast<std::int32_t>(rival), 0);
  }
}

std::vector<Condition> linear_conditions(std::span<const Ensemble> ensembles, const Query& query) {
  std::vector<Condition> conditions;
  std::int32_t group = 0;
  for (const Requirement& requirement : query.requirements) {
    if (requirement.counted) continue;  // it may fail
    const Ensemble& ensemble = ensembles[requirement.ensemble];
    Builder builder(ensemble, static_cast<std::uint32_t>(requirement.ensemble), conditions);
    if (ensemble.link == Link::composed && !std::holds_alternative<ScoreIn>(requirement.outcome)) {
      add_threshold_of_score(ensemble, requirement, builder);
      add_largest_score(ensemble, requirement, builder);
      continue;  // make_needs has the others
    }
    // The opposite of an outcome is a linear condition only for two classes.
    // search/cases.hpp divides the other cases, and every outcome with several alternatives,
    // into separate queries.
    if (requirement.negated && ensemble.task != Task::binary) continue;
    if (requirement.negated && !std::holds_alternative<ClassIs>(requirement.outcome)) continue;
    if (const auto* wanted = std::get_if<OutputIn>(&requirement.outcome)) {
      add_output(ensemble, *wanted, group, builder);
    } else if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
      add_score(*score, builder);
    } else if (std::holds_alternative<ClassIs>(requirement.outcome)) {
      add_class(ensemble, requirement, group, builder);
    }
    ++group;
  }
  return conditions;
}

}  // namespace

double score_error(const Ensemble& ensemble, std::size_t output) {
  return sum_error(ensemble, measure_trees(ensemble), static_cast<std::int32_t>(output));
}

std::vector<Condition> make_conditions(std::span<const Ensemble> ensembles, const Query& query) {
  return make_conditions(ensembles, query, make_needs(ensembles, query));
}

std::vector<Condition> make_conditions(std::span<const Ensemble> ensembles, const Query& query,
                                       std::span<const ComposedNeed> needs) {
  std::vector<Condition> conditions = linear_conditions(ensembles, query);
  for (const ComposedNeed& need : needs) {
    conditions.insert(conditions.end(), need.conditions().begin(), need.conditions().end());
  }
  return conditions;
}

}  // namespace boxwood
