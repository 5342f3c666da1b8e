// CatBoost's arithmetic: feature values are rounded to float32 and compared with float32 borders,
// x > border takes the second branch; scores are double sums, one tree after the other in the order
// of the file, multiplied by the scale and with the bias added last. Classes are decided by the raw
// scores, never by probabilities.
#include "readers/catboost.hpp"

#include <boxwood/error.hpp>

#include "base/digits.hpp"
#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace boxwood::readers {
namespace {

constexpr std::size_t most_outputs = 1'048'576;

/// Extracts "1.2.10" from the build information, which contains the version only for releases.
std::string version_in(std::string_view text) {
  for (const std::string_view before : {"CatBoost release ", "tags/v"}) {
    const auto found = text.find(before);
    if (found == std::string_view::npos) continue;
    std::string_view version = text.substr(found + before.size(), 16);
    version = version.substr(0, version.find_first_not_of("0123456789."));
    while (version.ends_with('.')) version.remove_suffix(1);
    if (!version.empty()) return std::string(version);
  }
  return {};
}

std::string read_source(const JsonField& info) {
  std::string version;
  if (info.has("catboost_version_info") && info["catboost_version_info"].is_string()) {
    version = version_in(info["catboost_version_info"].string());
  }
  return version.empty() ? "CatBoost" : "CatBoost " + version;
}

struct ScaleAndBias {
  double scale = 1;
  std::vector<double> bias;
};

/// `outputs` is 0 if there are no trees to determine it.
ScaleAndBias read_scale_and_bias(const JsonField& root, std::size_t outputs) {
  ScaleAndBias result;
  if (!root.has("scale_and_bias")) {
    result.bias.assign(std::max<std::size_t>(outputs, 1), 0.0);
    return result;
  }
  const JsonField field = root["scale_and_bias"];
  result.scale = field[std::size_t{0}].number();
  const JsonField bias = field[std::size_t{1}];
  if (bias.is_array()) {
    result.bias = bias.numbers();
  } else if (!bias.is_null()) {
    result.bias = {bias.number()};
  }
  if (result.scale == 0 || !std::isfinite(result.scale)) {
    field.fail(fmt::format("the scale is {}; it must be finite and not 0", result.scale));
  }
  if (outputs == 0) outputs = std::max<std::size_t>(result.bias.size(), 1);
  const bool zero =
      std::all_of(result.bias.begin(), result.bias.end(), [](double b) { return b == 0; });
  if (zero) result.bias.assign(outputs, 0.0);
  if (result.bias.size() == 1) result.bias.resize(outputs, result.bias[0]);
  if (result.bias.size() != outputs) {
    bias.fail(fmt::format("{} numbers for {} outputs", result.bias.size(), outputs));
  }
  return result;
}

std::size_t read_round_count(const JsonField& list, const Rounds& rounds) {
  const std::size_t available = catboost_length(list);
  if (rounds.first) {
    if (*rounds.first > available) {
      list.fail(
          fmt::format("{} rounds were requested, but the model has {}", *rounds.first, available));
    }
    return *rounds.first;
  }
  if (rounds.choice == Rounds::Choice::best) {
    list.fail("CatBoost's model files do not record the best round",
              "Use all rounds: with an eval_set, CatBoost saves only the rounds up to the best one "
              "(use_best_model)");
  }
  return available;
}

/// The raw score that CatBoost compares with, computed as it does from the probability threshold of
/// the file.
std::optional<double> read_threshold(const JsonField& info) {
  if (!info.has("binclass_probability_threshold")) return std::nullopt;
  const JsonField field = info["binclass_probability_threshold"];
  const std::string text = field.string();
  double probability = 0.5;
  const auto [end, status] = from_digits(text.data(), text.data() + text.size(), probability);
  const double score = -std::log(1 / probability - 1);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(score)) {
    refuse(field, fmt::format("{} is not a probability between 0 and 1", in_quotes(text)),
           "Call set_probability_threshold with another number before save_model");
  }
  if (probability == 0.5) return std::nullopt;
  return score;
}

/// Makes a model of two classes the only member of a composition that predicts class 1 if the raw
/// score exceeds `score`.
void set_threshold(Ensemble& ensemble, double score) {
  boxwood::Member member;
  member.accumulator = std::exchange(ensemble.accumulator, Precision::float64);
  member.order = std::exchange(ensemble.order, SumOrder::base_first);
  member.factor = std::exchange(ensemble.factor, 1.0);
  member.link = std::exchange(ensemble.link, Link::composed);
  member.link_form = std::exchange(ensemble.link_form, LinkForm::plain);
  member.task = std::exchange(ensemble.task, Task::multiclass);
  member.decision = std::exchange(ensemble.decision, Decision::output_above_half);
  member.response = boxwood::Member::Response::probability;
  member.classes = {0, 1};
  ensemble.composition.members = {std::move(member)};
  const double least = std::nextafter(score, std::numeric_limits<double>::infinity());
  ensemble.composition.threshold = {.target = 1, .least = least, .of_score = true};
}

/// Keeps the first output, the mean, of a model of a mean and a variance.
void keep_mean(Ensemble& ensemble) {
  ensemble.base.resize(1);
  ensemble.notes.emplace_back("the mean; the variance is not read");
  for (Tree& tree : ensemble.trees) {
    for (std::size_t i = 0; i < tree.values.size() / 2; ++i) tree.values[i] = tree.values[2 * i];
    tree.values.resize(tree.values.size() / 2);
    tree.output = 0;
    for (Node& node : tree.nodes) {
      if (node.kind == NodeKind::leaf) node.value /= 2;
    }
  }
}

}  // namespace

std::size_t catboost_length(const JsonField& list) { return list.is_null() ? 0 : list.size(); }

std::size_t catboost_index(const JsonField& field) {
  const std::int32_t number = field.int32();
  if (number < 0) field.fail(fmt::format("{} is negative", number));
  return static_cast<std::size_t>(number);
}

float catboost_float(const JsonField& field) {
  const double number = field.number();
  if (!(std::fabs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) {
    field.fail(fmt::format("{} is outside the range of float32", number));
  }
  return static_cast<float>(number);
}

void catboost_fail_at_set_limit(const JsonField& field) {
  refuse(field, "the splits up to this one list more than 134 million categories",
         "Train with fewer CTR splits or merge rare categories");
}

Ensemble read_catboost(std::string_view bytes, std::string_view place, const Rounds& rounds) {
  return read_catboost_document(parse_json(bytes, place), place, rounds);
}

Ensemble read_catboost_document(const nlohmann::json& document, std::string_view place,
                                const Rounds& rounds) {
  const JsonField root(document, std::string(place));
  const JsonField info = root["model_info"];
  CatboostFeatures features = catboost_features(root);
  const ScaleAndBias scale_and_bias = read_scale_and_bias(root, catboost_output_count(root));
  const std::size_t outputs = scale_and_bias.bias.size();
  if (outputs > most_outputs) root["scale_and_bias"].fail(fmt::format("{} outputs", outputs));
  const CatboostLoss loss = catboost_loss(info, outputs);
  const std::size_t count = read_round_count(catboost_tree_list(root), rounds);

  Ensemble ensemble;
  ensemble.library = Library::catboost;
  ensemble.source = read_source(info);
  ensemble.objective = loss.name;
  // A negative scale: negating the leaves and the scale gives bit for bit the same product.
  const double sign = scale_and_bias.scale < 0 ? -1 : 1;
  ensemble.trees = catboost_trees(root, features, outputs, count, sign);
  ensemble.features = std::move(features.features);
  ensemble.base = scale_and_bias.bias;
  ensemble.input = Precision::float32;
  ensemble.accumulator = Precision::float64;
  ensemble.order = SumOrder::base_last;
  ensemble.factor = std::fabs(scale_and_bias.scale);
  ensemble.link = loss.link;
  if (loss.link == Link::softmax || loss.link == Link::exponential) {
    ensemble.link_form = LinkForm::catboost;
  }
  ensemble.task = loss.task;
  if (loss.task == Task::binary) {
    ensemble.decision = Decision::score_above_zero;
  }
  // Classes are decided by raw scores, because the link may round two probabilities to the same
  // number.
  if (ensemble.task == Task::multiclass) ensemble.decision = Decision::largest_score;
  if (loss.task != Task::regression) {
    ensemble.classes = catboost_classes(info, ensemble.class_count());
  }
  if (loss.mean_only) keep_mean(ensemble);
  if (loss.task == Task::binary) {
    if (const auto threshold = read_threshold(info)) set_threshold(ensemble, *threshold);
  }
  return ensemble;
}

}  // namespace boxwood::readers
