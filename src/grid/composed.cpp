#include "grid/composed.hpp"

#include "base/infinity.hpp"
#include "grid/composed_rounding.hpp"
#include "model/compose.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace boxwood {
/// Builds the linear conditions of a need: for each side, every member's part is over-estimated by
/// a linear function of one raw score, or of the difference of two, on all values it can have.
class ComposedBounds {
 public:
  ComposedBounds(ComposedNeed& need, std::span<const double> point)
      : need_(need), ensemble_(need.ensemble_), here_(ensemble_.predict(point)) {
    const std::size_t outputs = ensemble_.base.size();
    low_.assign(outputs, 0.0);
    high_.assign(outputs, 0.0);
    for (const Tree& tree : ensemble_.trees) {
      const Tree::Outputs to = tree.outputs(outputs);
      for (std::size_t k = 0; k < to.count; ++k) {
        double least = infinity, most = -infinity;
        for (const Node& node : tree.nodes) {
          if (node.kind != NodeKind::leaf) continue;
          const double value = tree.values[static_cast<std::size_t>(node.value) + k];
          least = std::min(least, value);
          most = std::max(most, value);
        }
        low_[to.first + k] += least;
        high_[to.first + k] += most;
      }
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      low_[k] = need.score(low_[k], k) - need.error_[k];
      high_[k] = need.score(high_[k], k) + need.error_[k];
    }
    need.guide_.assign(outputs, 0.0);
  }

  void run() {
    need_.simple_ = ensemble_.composition.members.size() == 1;
    for (const ComposedSide& side : need_.sides_) add_side(side);
    need_.guide_low_ = need_.guide_high_ = 0;
    for (std::size_t k = 0; k < low_.size(); ++k) {
      const double a = need_.guide_[k] * low_[k], b = need_.guide_[k] * high_[k];
      need_.guide_low_ += std::min(a, b);
      need_.guide_high_ += std::max(a, b);
    }
  }

 private:
  /// The part of a side that one member contributes. It is at most `constant` plus a function of
  /// raw score `plus` minus raw score `minus`; the function is monotone.
  struct Part {
    std::size_t plus = 0;
    std::size_t minus = ComposedSide::none;
    double low = 0, high = 0, here = 0;
    std::function<double(double)> most;  // none: no function
    double linear = 0;                   // the function is this factor
    double constant = 0;
    double slope = 0;                               // chosen
    std::vector<std::pair<double, double>> hull{};  // of the function: ascending, concave
    double at(double x) const { return most ? most(x) : linear * x; }
    double least() const { return std::min(at(low), at(high)); }
    double largest() const { return std::max(at(low), at(high)); }
    bool rises() const { return most ? !(most(low) > most(high)) : !(linear < 0); }
    bool used() const { return most || linear != 0; }
  };

  Part over(std::size_t plus, std::size_t minus) const {
    Part part;
    part.plus = plus;
    part.minus = minus;
    part.low = low_[plus];
    part.high = high_[plus];
    part.here = here_[plus];
    if (minus != ComposedSide::none) {
      part.low -= high_[minus];
      part.high -= low_[minus];
      part.here -= here_[minus];
    }
    part.here = std::clamp(part.here, part.low, part.high);
    return part;
  }

  static std::size_t own_class(const Member& member, std::size_t wanted) {
    const auto found = std::find(member.classes.begin(), member.classes.end(), wanted);
    return wanted == ComposedSide::none || found == member.classes.end()
               ? ComposedSide::none
               : static_cast<std::size_t>(found - member.classes.begin());
  }

  /// The parts of a member: usually one; a linear model of two classes has two.
  void add_parts(const Member& member, double weight, std::size_t first, const ComposedSide& side,
                 std::vector<Part>& parts) const {
    const bool regression = member.task == Task::regression;
    const std::size_t plus = regression ? 0 : own_class(member, side.plus);
    const std::size_t minus = regression ? ComposedSide::none : own_class(member, side.minus);
    const bool has_plus = plus != ComposedSide::none, has_minus = minus != ComposedSide::none;
    if (!has_plus && !has_minus) return;
    const double factor = side.sign * weight;
    if (factor == 0) return;
    const bool votes =
        member.response == Member::Response::probability && member.link == Link::votes;
    if (is_of_one_score(member)) {
      std::vector<double> factors(std::max<std::size_t>(member.class_count(), 1), 0.0);
      if (has_plus) factors[plus] += factor;
      if (has_minus) factors[minus] -= factor;
      add_function(member, first, std::move(factors), parts);
    } else if (votes && member.calibrations.empty()) {
      for (const auto& [own, sign] : {std::pair{plus, factor}, std::pair{minus, -factor}}) {
        if (own == ComposedSide::none) continue;
        Part part = over(first + own, ComposedSide::none);
        part.linear = sign;
        parts.push_back(std::move(part));
      }
    } else if (factor < 0) {
      // -contribution <= 0: contributions of classes are not negative.
    } else if (!has_plus) {
      // The same.
    } else {
      add_lead(member, first, plus, minus, factor, parts);
    }
  }

  /// Whether a member's contributions are functions of its last raw score alone.
  static bool is_of_one_score(const Member& member) {
    return member.outputs == 1 ||
           (member.response == Member::Response::probability && member.link == Link::votes &&
            member.outputs == 2 && !member.calibrations.empty() &&
            member.calibrations.front().kind != Calibration::Kind::temperature);
  }

  /// The sum of factor * contribution of such a member.
  void add_function(const Member& member, std::size_t first, std::vector<double> factors,
                    std::vector<Part>& parts) const {
    Part part = over(first + member.outputs - 1, ComposedSide::none);
    part.most = [&member, factors = std::move(factors)](double x) {
      // The response may be off by rounding in either direction.
      double most = -infinity;
      std::vector<double> scores(member.outputs, x), into;
      for (const double side_of : {-1.0, 1.0}) {
        const double nudge = allowance(member) * (1 + std::abs(x)) * side_of;
        contribute(member, scores, into, nudge, member.outputs - 1);
        most =
            std::max(most, std::inner_product(factors.begin(), factors.end(), into.begin(), 0.0));
      }
      return most;
    };
    parts.push_back(std::move(part));
  }

  /// A member with a raw score for each class: a class can contribute only as far as it leads
  /// another class.
  void add_lead(const Member& member, std::size_t first, std::size_t plus, std::size_t minus,
                double factor, std::vector<Part>& parts) const {
    std::size_t rival = minus;
    for (std::size_t k = 0; minus == ComposedSide::none && k < member.outputs; ++k) {
      const bool larger = rival == ComposedSide::none || here_[first + k] > here_[first + rival];
      if (k != plus && larger) rival = k;
    }
    Part part = over(first + plus, first + rival);
    const double slack = allowance(member) * (1 + std::abs(part.low) + std::abs(part.high));
    if (member.response == Member::Response::vote) {
      // The winner is at least equal to the rival, in raw scores or in outputs of the link.
      part.most = [factor, slack](double lead) { return lead >= -slack ? factor : 0.0; };
    } else if (member.link == Link::softmax && member.calibrations.empty()) {
      // exp(a) / (sum of all) <= 1 / (1 + exp(b - a)); and, if b is subtracted, for a > b
      // (exp(a) - exp(b)) / (sum of all) <= (exp(a) - exp(b)) / (exp(a) + exp(b)).
      const bool difference = minus != ComposedSide::none;
      part.most = [factor, slack, difference](double lead) {
        const double x = lead + slack;
        return factor *
               ((difference ? std::max(0.0, std::tanh(x / 2)) : 1 / (1 + std::exp(-x))) + slack);
      };
    } else {
      part.constant = factor;
    }
    parts.push_back(std::move(part));
  }

  /// The parts of a member of a linear model of three or more classes.
  void add_row_parts(std::size_t m, std::size_t first, const ComposedSide& side,
                     std::vector<Part>& parts) const {
    const Member& member = ensemble_.composition.members[m];
    std::vector<double> factors;
    for (const std::size_t to : member.classes) {
      factors.push_back(to == Member::none ? 0.0 : side.factors[need_.place(m, to)]);
    }
    const bool plain = member.calibrations.empty();
    if (is_of_one_score(member)) {
      add_function(member, first, factors, parts);
    } else if (plain &&
               (member.link == Link::votes || member.response == Member::Response::score)) {
      for (std::size_t k = 0; k < factors.size(); ++k) {
        Part part = over(first + k, ComposedSide::none);
        part.linear = factors[k];
        parts.push_back(std::move(part));
      }
    } else if (plain && member.link == Link::softmax) {
      add_share(member, first, factors, parts);
    } else {
      // Calibrated probabilities add up to 1, others lie between 0 and 1.
      Part part = over(first, ComposedSide::none);
      part.constant = plain ? 0 : *std::max_element(factors.begin(), factors.end());
      for (const double factor : factors) part.constant += plain ? std::max(factor, 0.0) : 0.0;
      parts.push_back(std::move(part));
    }
  }

  /// The sum of factor * probability of a softmax. Say a has the largest factor, b is another
  /// class, and q is the probability of both. They share q by their lead alone, and the rest has no
  /// larger factor than the largest of the others: the sum is at most q * (the share of a, times
  /// its factor, plus that of b) + (1 - q) * the largest other factor. That is largest for q = 1
  /// or q = 0, and rises with the lead.
  void add_share(const Member& member, std::size_t first, const std::vector<double>& factors,
                 std::vector<Part>& parts) const {
    const auto index = [](auto begin, auto at) { return static_cast<std::size_t>(at - begin); };
    const std::size_t a = index(factors.begin(), std::max_element(factors.begin(), factors.end()));
    std::size_t b = a == 0 ? 1 : 0;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (k != a && here_[first + k] > here_[first + b]) b = k;
    }
    double others = -infinity;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (k != a && k != b) others = std::max(others, factors[k]);
    }
    Part part = over(first + a, first + b);
    const double slack = allowance(member) * (1 + std::abs(part.low) + std::abs(part.high));
    const double size = std::abs(factors[a]) + std::abs(factors[b]) + std::abs(others);
    part.most = [own = factors[a], rival = factors[b], others, slack, size](double lead) {
      const double share = std::min(1.0, 1 / (1 + std::exp(-(lead + slack))) + slack);
      return std::max(share * own + (1 - share) * rival, others) + slack * size;
    };
    parts.push_back(std::move(part));
  }

  void add_side(const ComposedSide& side) {
    if (side.least == -infinity) return;
    std::vector<Part> parts;
    std::size_t first = 0;
    double size = std::abs(side.least);
    const std::vector<Member>& members = ensemble_.composition.members;
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (need_.rows_) {
        add_row_parts(m, first, side, parts);
      } else {
        add_parts(members[m], need_.weights_[m], first, side, parts);
      }
      first += members[m].outputs;
    }
    double most = 0, constant = 0;
    for (const Part& part : parts) {
      size += std::max(std::abs(part.least()), std::abs(part.largest())) + std::abs(part.constant);
      most += part.largest() + part.constant;
      constant += part.constant;
    }
    const double least = side.least - constant - sum_allowance(ensemble_.composition, size);
    most -= constant;
    if (!std::isfinite(most)) return;
    if (most < least) {
      Condition impossible;
      impossible.ensemble = need_.index_;
      impossible.threshold = infinity;
      need_.conditions_.push_back(impossible);
      return;
    }
    std::size_t functions = 0;
    for (const Part& part : parts) functions += part.used() ? 1U : 0U;
    for (const Part& part : parts) {
      if (part.used()) add_alone(part, least - (most - part.largest()));
      if (part.used() || part.minus != ComposedSide::none) lead(part);
    }
    if (functions == 1) return;
    choose_slopes(parts, least);
    add_together(parts, least);
  }

  void lead(const Part& part) {
    const double sign = part.rises() ? 1 : -1;
    const double width = std::max(part.high - part.low, 1e-300);
    need_.guide_[part.plus] += sign / width;
    if (part.minus != ComposedSide::none) need_.guide_[part.minus] -= sign / width;
  }

  /// With every other part at its largest value, this part alone has to be at least `least`.
  void add_alone(const Part& part, double least) {
    if (part.least() >= least) return;
    const bool rises = part.rises();
    double no = rises ? part.low : part.high, yes = rises ? part.high : part.low;
    constexpr int halvings = 80;
    for (int i = 0; i < halvings; ++i) {
      const double middle = std::midpoint(no, yes);
      if (middle == no || middle == yes) break;
      (part.at(middle) < least ? no : yes) = middle;
    }
    add_condition({&part, 1}, {rises ? 1.0 : -1.0}, rises ? no : -no);
  }

  static constexpr std::size_t samples = 48;

  /// Slopes of concave envelopes, at the share of the path from the query's point to the best
  /// scores where the envelopes together first reach `least`. Any slopes are valid.
  void choose_slopes(std::vector<Part>& parts, double least) const {
    for (Part& part : parts) {
      for (std::size_t i = 0; part.most && i <= samples; ++i) {
        const double x = std::lerp(part.low, part.high, static_cast<double>(i) / samples);
        const std::pair<double, double> next{x, part.at(x)};
        auto& hull = part.hull;
        const auto bends_up = [&] {
          const auto& a = hull[hull.size() - 2];
          const auto& b = hull.back();
          return (b.second - a.second) * (next.first - a.first) <=
                 (next.second - a.second) * (b.first - a.first);
        };
        while (hull.size() > 1 && bends_up()) hull.pop_back();
        if (hull.empty() || next.first > hull.back().first) hull.push_back(next);
      }
    }
    const auto piece = [](const Part& part, double x) {
      std::size_t i = 1;
      while (i + 1 < part.hull.size() && part.hull[i].first < x) ++i;
      return i;
    };
    const auto at = [&](const Part& part, double share) {
      return std::lerp(part.here, part.rises() ? part.high : part.low, share);
    };
    const auto reaches = [&](double share) {
      double sum = 0;
      for (const Part& part : parts) {
        const double x = at(part, share);
        if (part.hull.size() < 2) {
          sum += part.used() ? part.at(x) : 0.0;
          continue;
        }
        const std::size_t i = piece(part, x);
        const auto& [x0, y0] = part.hull[i - 1];
        const auto& [x1, y1] = part.hull[i];
        sum += y0 + (y1 - y0) * (x - x0) / (x1 - x0);
      }
      return sum >= least;
    };
    double no = 0, yes = 1;
    constexpr int halvings = 20;
    for (int i = 0; i < halvings && !reaches(0); ++i) {
      const double middle = std::midpoint(no, yes);
      (reaches(middle) ? yes : no) = middle;
    }
    const double share = reaches(0) ? 0 : yes;
    for (Part& part : parts) {
      part.slope = part.linear;
      if (part.hull.size() < 2) continue;
      const std::size_t i = piece(part, at(part, share));
      part.slope = (part.hull[i].second - part.hull[i - 1].second) /
                   (part.hull[i].first - part.hull[i - 1].first);
    }
  }

  /// The largest value of the function minus slope * x. On a piece the function is at most its
  /// larger end, and slope * x is least at one end; pieces that could exceed what is reached are
  /// halved.
  static double intercept(const Part& part) {
    if (!part.most) return 0;
    struct Piece {
      double a, b, fa, fb, bound;
    };
    const auto bound = [&](double a, double b, double fa, double fb) {
      return std::max(fa, fb) - std::min(part.slope * a, part.slope * b);
    };
    std::vector<Piece> pieces;
    double reached = -infinity;
    double a = part.low, fa = part.at(a);
    for (std::size_t i = 1; i <= samples; ++i) {
      const double b = i == samples
                           ? part.high
                           : std::lerp(part.low, part.high, static_cast<double>(i) / samples);
      const double fb = part.at(b);
      reached = std::max({reached, fa - part.slope * a, fb - part.slope * b});
      pieces.push_back({a, b, fa, fb, bound(a, b, fa, fb)});
      a = b;
      fa = fb;
    }
    const auto less = [](const Piece& p, const Piece& q) { return p.bound < q.bound; };
    std::make_heap(pieces.begin(), pieces.end(), less);
    const double enough = 0x1p-10 * (part.largest() - part.least());
    constexpr std::size_t most_pieces = 4 * samples;
    while (pieces.front().bound > reached + enough && pieces.size() < most_pieces) {
      std::pop_heap(pieces.begin(), pieces.end(), less);
      const Piece whole = pieces.back();
      pieces.pop_back();
      const double middle = std::midpoint(whole.a, whole.b), f = part.at(middle);
      reached = std::max(reached, f - part.slope * middle);
      for (const Piece& half :
           {Piece{whole.a, middle, whole.fa, f, 0}, Piece{middle, whole.b, f, whole.fb, 0}}) {
        pieces.push_back(half);
        pieces.back().bound = bound(half.a, half.b, half.fa, half.fb);
        std::push_heap(pieces.begin(), pieces.end(), less);
      }
    }
    return pieces.front().bound;
  }

  void add_together(const std::vector<Part>& parts, double least) {
    std::vector<double> slopes;
    for (const Part& part : parts) {
      least -= intercept(part);
      slopes.push_back(part.slope);
    }
    if (std::any_of(slopes.begin(), slopes.end(), [](double slope) { return slope != 0; })) {
      add_condition(parts, slopes, least);
    }
  }

  /// The sum of slope * part is at least `least`, as a condition on sums of trees.
  void add_condition(std::span<const Part> parts, const std::vector<double>& slopes, double least) {
    Condition condition;
    condition.ensemble = need_.index_;
    condition.weights.assign(low_.size(), 0.0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      condition.weights[parts[i].plus] += slopes[i];
      if (parts[i].minus != ComposedSide::none) condition.weights[parts[i].minus] -= slopes[i];
    }
    double size = std::abs(least);
    for (std::size_t k = 0; k < low_.size(); ++k) {
      double& weight = condition.weights[k];
      if (weight == 0) continue;
      condition.slack += std::abs(weight) * need_.error_[k];
      size += std::abs(weight) *
              (std::abs(low_[k]) + std::abs(high_[k]) + 2 * std::abs(need_.base_[k]));
      least -= weight * need_.base_[k];
      weight *= need_.unit_[k];
    }
    condition.slack += 0x1p-44 * size;
    condition.threshold = least - condition.slack;
    if (!std::isfinite(condition.threshold)) return;
    simplify(condition);
    need_.conditions_.push_back(std::move(condition));
  }

  /// A condition on one output needs no weights, and engines are faster without.
  static void simplify(Condition& condition) {
    const auto used = [](double weight) { return weight != 0; };
    std::vector<double>& weights = condition.weights;
    if (std::count_if(weights.begin(), weights.end(), used) != 1) return;
    const auto found = std::find_if(weights.begin(), weights.end(), used);
    const double size = std::abs(*found);
    condition.plus = static_cast<std::int32_t>(found - weights.begin());
    condition.sign = *found > 0 ? 1 : -1;
    condition.slack /= size;
    condition.threshold /= size;
    condition.threshold -= 0x1p-50 * std::abs(condition.threshold);
    weights.clear();
  }

  ComposedNeed& need_;
  const Ensemble& ensemble_;
  std::vector<double> here_, low_, high_;  // of a raw score
};

ComposedNeed::ComposedNeed(const Ensemble& ensemble, std::uint32_t index,
                           const Requirement& requirement, std::span<const double> point)
    : ensemble_(ensemble),
      index_(index),
      sides_(sides_of(ensemble, requirement)),
      weights_(weights_of(ensemble.composition)),
      rows_(ensemble.composition.linear && !ensemble.composition.linear->rows.empty()) {
  std::size_t output = 0;
  for (const Member& member : ensemble.composition.members) {
    const double unit = member.factor / member.divisor;
    for (std::size_t k = 0; k < member.outputs; ++k, ++output) {
      unit_.push_back(unit);
      base_.push_back(member.order == SumOrder::base_first ? ensemble.base[output] * unit
                                                           : ensemble.base[output]);
      error_.push_back(score_error(ensemble, output));
      unbounded_ |= error_.back() == infinity;
    }
  }
  for (const Member& member : ensemble.composition.members) {
    uncalibrated_.push_back(is_coupled(member) ? member : Member{});
    uncalibrated_.back().calibrations.clear();
  }
  guide_.assign(output, 0.0);
  if (rows_) {
    std::size_t first = 0;
    for (std::size_t m = 0; m < ensemble.composition.members.size(); ++m) {
      totals_.push_back(total_of(m, first));
      first += ensemble.composition.members[m].outputs;
    }
  }
  if (ensemble.composition.normalised || rows_) {
    // Shares of the sum have no linear condition here; classes compare the sums themselves.
    const auto* output_in = std::get_if<OutputIn>(&requirement.outcome);
    const auto* class_is = std::get_if<ClassIs>(&requirement.outcome);
    of_share_ = output_in || (class_is && class_is->probability);
    if (output_in) share_ = output_in->range;
    if (output_in) share_of_ = output_in->output;
    if (class_is && class_is->probability) share_ = {.lower = *class_is->probability};
    if (class_is) share_of_ = class_is->target;
    if (of_share_ && !rows_) sides_.clear();
  }
  if (unbounded_) return;
  ComposedBounds(*this, point).run();
  simple_ = !of_share_ &&
            (sides_.empty() || (simple_ && ensemble.composition.members.front().outputs == 1));
}

std::vector<ComposedNeed> make_needs(std::span<const Ensemble> ensembles, const Query& query) {
  std::vector<ComposedNeed> needs;
  for (const Requirement& requirement : query.requirements) {
    const Ensemble& ensemble = ensembles[requirement.ensemble];
    const bool plain = std::holds_alternative<ClassIs>(requirement.outcome) ||
                       std::holds_alternative<OutputIn>(requirement.outcome);
    if (ensemble.link != Link::composed || requirement.negated || !plain) continue;
    if (requirement.counted) continue;  // it may fail
    needs.emplace_back(ensemble, static_cast<std::uint32_t>(requirement.ensemble), requirement,
                       query.point);
  }
  return needs;
}

}  // namespace boxwood
