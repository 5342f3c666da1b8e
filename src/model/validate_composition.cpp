// Checks the parts of a composition, as validate.cpp checks those of an ensemble.
#include "model/compose.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

constexpr const char* save_again =
    "The file was changed or written by another program: save the model again with "
    "boxwood.save_model";

bool positive(double number) { return number > 0 && std::isfinite(number); }

void check_calibration(const Calibration& one, const std::string& place) {
  if (!std::isfinite(one.slope) || !std::isfinite(one.shift)) {
    throw Error(place, "slope and shift must be finite");
  }
  if (one.kind == Calibration::Kind::temperature && !positive(one.slope)) {
    throw Error(place, "the slope of a temperature must be positive");
  }
  if (one.kind != Calibration::Kind::isotonic) return;
  const auto ascends = [](const std::vector<double>& list, auto before) {
    return std::all_of(list.begin(), list.end(), [](double x) { return std::isfinite(x); }) &&
           std::adjacent_find(list.begin(), list.end(), before) == list.end();
  };
  if (one.from.empty() || one.from.size() != one.to.size()) {
    throw Error(place, "\"from\" and \"to\" must have the same length, at least 1");
  }
  const bool rises = ascends(one.to, std::greater<>{}) || ascends(one.to, std::less<>{});
  if (!ascends(one.from, std::greater_equal<>{}) || !rises) {
    throw Error(place, "\"from\" must ascend and \"to\" must not change its direction");
  }
}

/// Whether some input may make the number that a member predicts negative. Sums and quotients of
/// numbers that are not negative are not negative either, however they are rounded.
bool may_be_negative(const Ensemble& ensemble, const Member& member, std::size_t output) {
  if (member.link == Link::exponential || member.link == Link::sigmoid ||
      member.link == Link::softplus) {
    return false;
  }
  const bool keeps_sign = member.link == Link::identity || member.link == Link::square;
  const auto negative = [](double number) { return !(number >= 0); };
  if (!keeps_sign || output >= ensemble.base.size() || negative(ensemble.base[output])) return true;
  return std::any_of(ensemble.trees.begin(), ensemble.trees.end(), [&](const Tree& tree) {
    return tree.output == static_cast<std::int32_t>(output) &&
           std::any_of(tree.values.begin(), tree.values.end(), negative);
  });
}

/// Whether a function of numbers may give a negative one; `before`: whether it may get one.
bool gives_negative(const Calibration& one, bool before) {
  switch (one.kind) {
    case Calibration::Kind::affine:
      return before || one.shift < 0;
    case Calibration::Kind::isotonic:
      return one.to.front() < 0;
    case Calibration::Kind::quotient:
    case Calibration::Kind::expm1:
      return before;
    default:
      return false;
  }
}

/// A contribution never changes its direction in the score of its own class, nor in another's:
/// bounds rely on that.
void check_calibrations(const Member& member, bool negative, const std::string& place) {
  const std::vector<Calibration>& all = member.calibrations;
  if (all.empty()) return;
  const bool number = member.response == Member::Response::output;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string at = fmt::format("{}.calibrations[{}]", place, k);
    const Calibration& one = all[k];
    const bool of_number = one.kind >= Calibration::Kind::affine;
    const bool rises = one.kind == Calibration::Kind::isotonic || of_number;
    if (number ? !rises : of_number) {
      throw Error(at, "this kind does not fit what the member gives");
    }
    if (!number) continue;
    check_calibration(one, at);
    const bool sloped =
        one.kind == Calibration::Kind::affine || one.kind == Calibration::Kind::quotient;
    if ((sloped && !positive(one.slope)) || (!one.to.empty() && one.to.front() > one.to.back())) {
      throw Error(at, "a function of a number must rise");
    }
    const bool rises_from_zero =
        one.kind == Calibration::Kind::square || one.kind == Calibration::Kind::square_root;
    if (rises_from_zero && negative) {
      throw Error(at, "its numbers may be negative, where this function does not rise", save_again);
    }
    negative = gives_negative(one, negative);
  }
  if (number) return;
  const bool one = all.front().kind == Calibration::Kind::temperature || member.class_count() == 2;
  const std::size_t needed = one ? 1 : member.class_count();
  const bool classifies = member.response == Member::Response::score ||
                          member.response == Member::Response::probability;
  if (all.size() != needed || !classifies) {
    throw Error(place, fmt::format("there are {} calibrations, {} are needed", all.size(),
                                   classifies ? needed : 0));
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string at = fmt::format("{}.calibrations[{}]", place, k);
    check_calibration(all[k], at);
    // They are divided by their sum, which has to be positive.
    const std::vector<double>& to = all[k].to;
    if (std::any_of(to.begin(), to.end(), [](double p) { return p < 0 || p > 1; })) {
      throw Error(at + ".to", "probabilities must be from 0 to 1", save_again);
    }
  }
}

void check_member(const Member& member, const Ensemble& ensemble, std::size_t output,
                  const std::string& place) {
  const bool linear = ensemble.composition.linear.has_value();
  const bool rows = linear && !ensemble.composition.linear->rows.empty();
  if (!positive(member.factor) || !positive(member.divisor) || !positive(member.steepness) ||
      !(linear ? std::isfinite(member.weight) : positive(member.weight))) {
    throw Error(place, "factor, divisor, steepness and weight must be positive numbers");
  }
  const bool of_class_one =
      (member.response != Member::Response::score || member.outputs == 1) &&
      (ensemble.task == Task::regression || member.classes == std::vector<std::size_t>{0, 1});
  if (linear &&
      (member.response == Member::Response::vote || (rows ? member.weight != 1 : !of_class_one))) {
    throw Error(place, "a linear model does not read what this member gives");
  }
  if (member.outputs == 0 || (member.task == Task::binary && member.outputs != 1) ||
      (member.task == Task::multiclass && member.outputs < 2)) {
    throw Error(place, "the number of outputs does not fit the task");
  }
  const bool of_one_score =
      member.decision != Decision::output_above_half && member.decision != Decision::largest_score;
  if (member.link == Link::composed || (member.link == Link::softmax && member.outputs < 2) ||
      (of_one_score && member.task != Task::binary) ||
      (member.decision == Decision::largest_score && member.task != Task::multiclass)) {
    throw Error(place, "link and decision do not fit the task");
  }
  if (member.link_form == LinkForm::catboost && member.accumulator != Precision::float64) {
    throw Error(place, "link_form \"catboost\" requires accumulator float64");
  }
  const bool regression = ensemble.task == Task::regression;
  if (regression != (member.task == Task::regression) ||
      regression != (member.response == Member::Response::output) ||
      (regression && (member.outputs != 1 || member.link == Link::winner))) {
    throw Error(place, "task and response do not fit the composition");
  }
  if (member.response == Member::Response::probability && member.link != Link::sigmoid &&
      member.link != Link::softmax && member.link != Link::votes) {
    throw Error(place, "this link gives no probabilities");
  }
  if (member.response == Member::Response::score && member.calibrations.empty() && !linear) {
    throw Error(place, "raw scores need a calibration");
  }
  if (member.classes.size() != member.class_count()) {
    throw Error(place + ".classes", fmt::format("there are {} entries for {} classes",
                                                member.classes.size(), member.class_count()));
  }
  for (const std::size_t to : member.classes) {
    if (to != Member::none && to >= ensemble.classes.size()) {
      throw Error(place + ".classes", fmt::format("class {} does not exist", to));
    }
  }
  check_calibrations(member, may_be_negative(ensemble, member, output), place);
}

}  // namespace

namespace {

void check_groups(const Composition& composition) {
  std::size_t left = composition.members.size();
  for (const MemberGroup& group : composition.groups) {
    if (group.members == 0 || group.members > left || !positive(group.divisor) ||
        !positive(group.weight)) {
      throw Error("composition.groups",
                  "sizes, divisors and weights must be positive numbers that "
                  "fit the members");
    }
    left -= group.members;
  }
  if (!composition.groups.empty() && (left != 0 || composition.linear || composition.by_score)) {
    throw Error("composition.groups", "they are not possible for these members");
  }
}

/// `size` has the shift and whatever else is added; if it were smaller, sums could be off by more
/// than the file says.
void check_sum(double shift, double size, const std::string& place) {
  if (!std::isfinite(shift) || !std::isfinite(size) || !(size >= std::abs(shift))) {
    throw Error(place, "\"size\" must be a number that is at least the absolute value of \"shift\"",
                save_again);
  }
}

void check_linear(const Ensemble& ensemble, const LinearTop& top) {
  const Composition& composition = ensemble.composition;
  const std::string place = "composition.linear";
  const std::size_t classes = ensemble.classes.size();
  const bool plain = composition.divisor == 1 && !composition.normalised &&
                     !composition.threshold && !composition.by_score;
  const bool regression = ensemble.task == Task::regression;
  if (!plain || (!regression && classes != 2 && top.rows.empty())) {
    throw Error(place, "it is not possible for this model");
  }
  check_sum(top.shift, top.size, place);
  const std::size_t columns = composition.members.size() * classes;
  if (!top.rows.empty() && (regression || classes < 3 || top.rows.size() != classes)) {
    throw Error(place + ".rows",
                fmt::format("there are {} for {} classes", top.rows.size(), classes), save_again);
  }
  for (std::size_t k = 0; k < top.rows.size(); ++k) {
    const LinearRow& row = top.rows[k];
    const std::string at = fmt::format("{}.rows[{}]", place, k);
    check_sum(row.shift, row.size, at);
    const auto finite = [](double weight) { return std::isfinite(weight); };
    if (row.weights.size() != columns ||
        !std::all_of(row.weights.begin(), row.weights.end(), finite)) {
      throw Error(at + ".weights", fmt::format("there must be {} finite numbers", columns),
                  save_again);
    }
  }
  // Any sum of so many terms may be off by that much, also the one that is computed here.
  const double terms = static_cast<double>(std::max(composition.members.size(), columns));
  if (const double least = terms * 0x1p-53; !(top.error >= least && top.error < 1)) {
    throw Error(place + ".error",
                fmt::format("it must be from {:.2g} to 1, because so many terms round", least),
                save_again);
  }
}

}  // namespace

void validate_composition(const Ensemble& ensemble) {
  const Composition& composition = ensemble.composition;
  if (ensemble.link != Link::composed) {
    if (composition.members.empty()) return;
    throw Error("link", "an ensemble with members must have the link \"composed\"");
  }
  std::size_t outputs = 0;
  for (std::size_t i = 0; i < composition.members.size(); ++i) {
    const Member& member = composition.members[i];
    check_member(member, ensemble, outputs, fmt::format("composition.members[{}]", i));
    outputs += member.outputs;
  }
  check_groups(composition);
  if (outputs == 0 || outputs != ensemble.base.size()) {
    throw Error("composition", fmt::format("its members have {} outputs, \"base\" has {}", outputs,
                                           ensemble.base.size()));
  }
  if (!positive(composition.divisor)) {
    throw Error("composition.divisor", "it must be a positive number");
  }
  if (ensemble.task == Task::binary || ensemble.accumulator != Precision::float64 ||
      ensemble.order != SumOrder::base_first || ensemble.factor != 1 || ensemble.divisor != 1 ||
      ensemble.decision != Decision::output_above_half) {
    throw Error("composition", "task, accumulator, order, factor, divisor or decision is wrong");
  }
  if (ensemble.task == Task::multiclass && ensemble.classes.size() < 2) {
    throw Error("classes", "a composition of classifiers needs at least two classes");
  }
  if (const auto& threshold = composition.threshold) {
    const bool one_score =
        composition.members.size() == 1 && composition.members.front().task == Task::binary;
    if (ensemble.classes.size() != 2 || threshold->target > 1 || !std::isfinite(threshold->least) ||
        (threshold->of_score && !one_score)) {
      throw Error("composition.threshold", "it is not possible for this model");
    }
  }
  if (composition.linear) check_linear(ensemble, *composition.linear);
  if (composition.by_score) {
    const Member& front = composition.members.front();
    for (std::size_t i = 0; i < composition.members.size(); ++i) {
      const Member& one = composition.members[i];
      if (one.task != Task::binary || one.classes != std::vector{Member::none, i} ||
          one.factor != front.factor || one.divisor != front.divisor || one.order != front.order) {
        throw Error("composition.by_score", "it is not possible for these members");
      }
    }
    if (composition.members.size() != ensemble.classes.size() || composition.threshold) {
      throw Error("composition.by_score", "there must be one member for each class");
    }
  }
  // Trees are in the order of the members, and none adds to two of them.
  std::size_t member = 0, end = composition.members.front().outputs;
  for (std::size_t t = 0; t < ensemble.trees.size(); ++t) {
    const Tree& tree = ensemble.trees[t];
    const std::string place = fmt::format("trees[{}]", t);
    if (tree.output < 0 || tree.width < 1) throw Error(place, "output and width are wrong");
    const auto first = static_cast<std::size_t>(tree.output);
    while (first >= end && member + 1 < composition.members.size()) {
      end += composition.members[++member].outputs;
    }
    const std::size_t begin = end - composition.members[member].outputs;
    if (first < begin || first + static_cast<std::size_t>(tree.width) > end) {
      throw Error(place, "it is not a tree of the next member");
    }
  }
}

}  // namespace boxwood
