// A model that is made of several tree models: calibrated, averaged, voting or with its own
// threshold. Its raw scores are those of all members, one after the other; the composition says how
// they become probabilities, numbers and classes, step by step as the library computes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace boxwood {

enum class Precision : std::uint8_t { float32, float64 };

/// `base_first`: ((base + tree 0) + tree 1) + …; `base_last`: ((tree 0 + tree 1) + …) + base.
enum class SumOrder : std::uint8_t { base_first, base_last };

/// The function from raw scores to what the library's `predict` returns.
///   sigmoid      1 / (1 + exp(-steepness * s)), for every output by itself
///   winner       the index of the largest score (the first of equal ones); with one score 1 or 0,
///                by the decision rule
///   votes        the scores are probabilities already, as those of a forest
///   square       s * |s|: LightGBM's reg_sqrt
///   softplus     log(1 + exp(s)): LightGBM's cross_entropy_lambda
///   isolation    -(2 ^ -s): scikit-learn's IsolationForest.score_samples
///   composed     as Ensemble::composition says
enum class Link : std::uint8_t {
  identity,
  sigmoid,
  exponential,
  softmax,
  winner,
  votes,
  square,
  softplus,
  isolation,
  composed
};

/// The formulas that compute a link. `plain`: in the precision of the sums; in float32, those of
/// XGBoost. `onnxruntime`: in float32, from scores rounded to float32. `catboost`: with CatBoost's
/// own exp, a table of 2048 steps between powers of two and a cubic polynomial within a step.
enum class LinkForm : std::uint8_t { plain, onnxruntime, catboost };

enum class Task : std::uint8_t { regression, binary, multiclass };

/// The rule by which a classifier picks a class. A binary model predicts class 1 if its output
/// exceeds one half, or its raw score exceeds 0, is at least 0, or exceeds one half. A model of
/// several classes predicts the class of the first largest output; with `largest_score`, of the
/// first largest raw score. The two differ where softmax rounds different scores to equal outputs.
enum class Decision : std::uint8_t {
  output_above_half,
  score_above_zero,
  score_from_zero,
  score_above_half,
  largest_score
};

/// A function of a member's response.
///   sigmoid      1 / (1 + exp(slope * r + shift))
///   isotonic     linear between the points (from[i], to[i]), constant beyond them
///   temperature  softmax of slope times the scores, or times the logarithms of probabilities
/// and of the number that a regression model predicts:
///   affine       slope * r + shift, with a positive slope
///   quotient     r / slope, with a positive slope
///   exponential  exp(r)
///   expm1        exp(r) - 1
///   square       r * r, of a number that cannot be negative
///   square_root  sqrt(r), of a number that cannot be negative
struct Calibration {
  enum class Kind : std::uint8_t {
    sigmoid,
    isotonic,
    temperature,
    affine,
    quotient,
    exponential,
    expm1,
    square,
    square_root
  };
  Kind kind = Kind::sigmoid;
  double slope = 1;
  double shift = 0;
  std::vector<double> from{};  ///< ascending
  std::vector<double> to{};
  /// In which isotonic calibrations, the logarithms of a temperature and functions of numbers are
  /// computed.
  Precision precision = Precision::float64;
  bool operator==(const Calibration&) const = default;
};

/// One model of a composition: the arithmetic of its raw scores, as in Ensemble, and what the
/// composition takes from them.
struct Member {
  /// What the composition reads: `score`, the raw scores (decision_function); `output`, what the
  /// model's `predict` returns as numbers, for regression; `probability`; `vote`: 1 for the class
  /// that the model predicts, 0 for the others.
  enum class Response : std::uint8_t { score, output, probability, vote };

  std::size_t outputs = 1;  ///< how many of the raw scores are its own
  Precision accumulator = Precision::float64;
  SumOrder order = SumOrder::base_first;
  double factor = 1;
  double divisor = 1;
  Link link = Link::identity;
  LinkForm link_form = LinkForm::plain;
  double steepness = 1;
  Task task = Task::regression;
  Decision decision = Decision::output_above_half;

  Response response = Response::output;
  /// Of a classifier: none; one for the response of class 1 of two classes; one for each class,
  /// whose results are then divided by their sum; or a single `temperature` for all classes. Of a
  /// regression model: any number of rising functions, each applied to the result of the one
  /// before.
  std::vector<Calibration> calibrations{};
  /// For each of the member's classes the class of the composition, or `none`.
  std::vector<std::size_t> classes{};
  double weight = 1;  ///< its contributions are multiplied by this; positive, without `linear`

  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t class_count() const {
    return task == Task::binary ? 2 : task == Task::multiclass ? outputs : 0;
  }
  bool operator==(const Member&) const = default;
};

/// A classifier that predicts `target` if the probability of that class is at least `least`. With
/// `of_score`, the raw score of the only member is compared instead (for class 0 its negative).
struct Threshold {
  std::size_t target = 1;
  double least = 0.5;
  bool of_score = false;
  bool operator==(const Threshold&) const = default;
};

/// One of the sums of a LinearTop of three or more classes.
struct LinearRow {
  std::vector<double> weights{};  ///< for each member in turn one for each class of the composition
  double shift = 0;
  double size = 0;
  bool operator==(const LinearRow&) const = default;
};

/// A linear model of the members' contributions, such as the last model of a stack. The predicted
/// number, or the log-odds of class 1, is the sum of weight * contribution, plus `shift`. A
/// classifier contributes the response of class 1. The order in which libraries add up depends on
/// the machine. In every order, with or without fused multiply-add, their result is within `error`
/// * (the sum of |weight * contribution| + `size`) of the one that is computed here. An outcome
/// holds if all these results have it.
/// With three or more classes there is a sum for each class, of the responses of every class of
/// every member: probabilities are the softmax of the sums, the class that of the largest, and the
/// members' own weights are 1.
struct LinearTop {
  double shift = 0;
  double size = 0;
  double error = 0;
  std::vector<LinearRow> rows{};  ///< one for each of three or more classes
  bool operator==(const LinearTop&) const = default;
};

/// Consecutive members that are averaged before the composition adds them up, for example the
/// members of a calibrated model that is one of several voters. Their contributions are added in
/// the precision `sum`, divided by `divisor` and multiplied by `weight`; the composition adds up
/// the results.
struct MemberGroup {
  std::size_t members = 1;
  Precision sum = Precision::float64;
  double divisor = 1;
  double weight = 1;
  bool operator==(const MemberGroup&) const = default;
};

struct Composition {
  std::vector<Member> members{};       ///< none: the ensemble is no composition
  std::vector<MemberGroup> groups{};   ///< of all members in order; empty: no groups
  Precision sum = Precision::float64;  ///< in which the members' contributions are added
  double divisor = 1;                  ///< of the sums
  bool normalised = false;             ///< outputs are divided by their sum
  bool has_probabilities = true;       ///< outputs of a classifier are probabilities, not votes
  std::optional<Threshold> threshold{};
  std::optional<LinearTop> linear{};
  /// The class is that of the largest raw score; member i has the only one of class i.
  bool by_score = false;
  bool last_of_equals =
      false;  ///< among equal outputs or scores the last class wins, not the first
  bool operator==(const Composition&) const = default;
};

}  // namespace boxwood
