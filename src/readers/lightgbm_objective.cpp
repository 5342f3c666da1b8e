// LightGBM's objectives and the links that its ConvertOutput applies.
#include "readers/lightgbm.hpp"

#include <boxwood/error.hpp>

#include "base/names.hpp"
#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace boxwood::readers {
namespace {

struct Known {
  std::string_view name;
  Task task;
  Link link;
  bool may_be_square_root = false;  // trained on square roots: "regression sqrt"
};

constexpr std::array known{
    Known{"binary", Task::binary, Link::sigmoid},
    Known{"multiclass", Task::multiclass, Link::softmax},
    Known{"multiclassova", Task::multiclass, Link::sigmoid},
    Known{"cross_entropy", Task::regression, Link::sigmoid},
    Known{"cross_entropy_lambda", Task::regression, Link::softplus},
    Known{"regression", Task::regression, Link::identity, true},
    Known{"regression_l1", Task::regression, Link::identity, true},
    Known{"huber", Task::regression, Link::identity},
    Known{"fair", Task::regression, Link::identity, true},
    Known{"quantile", Task::regression, Link::identity, true},
    Known{"mape", Task::regression, Link::identity, true},
    Known{"poisson", Task::regression, Link::exponential},
    Known{"gamma", Task::regression, Link::exponential},
    Known{"tweedie", Task::regression, Link::exponential},
    Known{"lambdarank", Task::regression, Link::identity},
    Known{"rank_xendcg", Task::regression, Link::identity},
    Known{"custom", Task::regression, Link::identity},
};

/// Parses leading digits like LightGBM's fast reader: accumulates them in double, one by one.
double take_digits(std::string_view& text, int& count) {
  double value = 0;
  for (count = 0; !text.empty() && text.front() >= '0' && text.front() <= '9'; ++count) {
    value = value * 10.0 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

/// LightGBM parses this number with a fast reader that does not round correctly: 1.23457 becomes
/// 1 + 0.23457. Powers of ten up to 22 are exact in double; larger ones do not occur with the six
/// digits that LightGBM writes.
std::optional<double> read_fast(std::string_view text) {
  const auto power_of_ten = [](int exponent) {
    double power = 1;
    for (int i = 0; i < exponent; ++i) power *= 10.0;
    return power;
  };
  constexpr int most = 22;
  int before = 0;
  int after = 0;
  double value = take_digits(text, before);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const double right = take_digits(text, after);
    value += right / power_of_ten(std::min(after, most));
  }
  if (before + after == 0 || before > most || after > most) return std::nullopt;
  if (text.starts_with('e')) {
    text.remove_prefix(1);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    int digits = 0;
    const double exponent = take_digits(text, digits);
    if (digits == 0 || digits > 3 || exponent > most) return std::nullopt;
    const double scale = power_of_ten(static_cast<int>(exponent));
    value = negative ? value / scale : value * scale;
  }
  if (!text.empty()) return std::nullopt;
  return value;
}

double read_steepness(const LightgbmField& field, std::string_view text) {
  const std::optional<double> value = read_fast(text);
  if (!value || !(*value > 0) || !std::isfinite(*value)) {
    field.fail(fmt::format("sigmoid {} must be a positive number", in_quotes(text)));
  }
  return *value;
}

}  // namespace

LightgbmObjective lightgbm_objective(const LightgbmBlock& head, std::size_t outputs) {
  const auto field = head.find("objective");
  // A model trained with a custom objective function records none.
  if (!field) return {.name = "custom"};
  const auto words = field->words();
  if (words.empty()) field->fail("it is empty");
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Known& entry) { return entry.name == words[0]; });
  if (found == known.end()) {
    refuse(*field, fmt::format("objective {} is not supported", in_quotes(words[0])),
           "Boxwood reads models trained with " + listed_names(known));
  }
  LightgbmObjective objective{
      .name = std::string(words[0]), .task = found->task, .link = found->link};
  constexpr std::string_view sigmoid = "sigmoid:";
  constexpr std::string_view class_count = "num_class:";
  bool has_steepness = false;
  std::optional<std::int64_t> classes;
  for (const std::string_view word : words) {
    if (word == "sqrt" && found->may_be_square_root) objective.link = Link::square;
    if (word.starts_with(sigmoid) && found->link == Link::sigmoid &&
        found->task != Task::regression) {
      objective.steepness = read_steepness(*field, word.substr(sigmoid.size()));
      has_steepness = true;
    }
    if (word.starts_with(class_count) && found->task == Task::multiclass) {
      classes = LightgbmField("objective", word.substr(class_count.size()), head.place())
                    .integer(0, std::numeric_limits<std::int32_t>::max());
    }
  }
  if (found->link == Link::sigmoid && found->task != Task::regression && !has_steepness) {
    field->fail("\"sigmoid:\" is missing after the objective");
  }
  if (found->task == Task::multiclass) {
    if (!classes) field->fail("\"num_class:\" is missing after the objective");
    if (static_cast<std::size_t>(*classes) != outputs) {
      field->fail(fmt::format("it has {} classes, but a round has {} trees", *classes, outputs));
    }
    if (outputs < 2) field->fail("it needs at least two classes", "Train with objective=binary");
  }
  // LightGBM transforms the first output only.
  if (found->task != Task::multiclass && objective.link != Link::identity && outputs != 1) {
    refuse(*field,
           fmt::format("{} with {} trees in a round is not supported", objective.name, outputs),
           "Train with num_class=1");
  }
  return objective;
}

}  // namespace boxwood::readers
