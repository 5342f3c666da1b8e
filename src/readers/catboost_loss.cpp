// CatBoost's loss functions and the links that its classifiers and regressors apply.
#include "readers/catboost.hpp"

#include <boxwood/error.hpp>

#include "base/names.hpp"
#include "base/text.hpp"
#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace boxwood::readers {
namespace {

enum class Width : std::uint8_t { one, several, any };

struct Known {
  std::string_view name;
  Task task;
  Link link;
  Width width;
};

// CatBoostRegressor.predict exponentiates for Poisson and Tweedie only; rankers return raw scores.
constexpr std::array known{
    Known{"Logloss", Task::binary, Link::sigmoid, Width::one},
    Known{"CrossEntropy", Task::binary, Link::sigmoid, Width::one},
    Known{"Focal", Task::binary, Link::sigmoid, Width::one},
    Known{"MultiClass", Task::multiclass, Link::softmax, Width::several},
    Known{"MultiClassOneVsAll", Task::multiclass, Link::sigmoid, Width::several},
    // Several labels at once: a number for each, no classes.
    Known{"MultiLogloss", Task::regression, Link::sigmoid, Width::several},
    Known{"MultiCrossEntropy", Task::regression, Link::sigmoid, Width::several},
    Known{"RMSE", Task::regression, Link::identity, Width::one},
    Known{"MAE", Task::regression, Link::identity, Width::one},
    Known{"MAPE", Task::regression, Link::identity, Width::one},
    Known{"Quantile", Task::regression, Link::identity, Width::one},
    Known{"LogLinQuantile", Task::regression, Link::identity, Width::one},
    Known{"Expectile", Task::regression, Link::identity, Width::one},
    Known{"Huber", Task::regression, Link::identity, Width::one},
    Known{"Lq", Task::regression, Link::identity, Width::one},
    Known{"LogCosh", Task::regression, Link::identity, Width::one},
    Known{"Cox", Task::regression, Link::identity, Width::one},
    Known{"SurvivalAft", Task::regression, Link::identity, Width::one},
    Known{"Poisson", Task::regression, Link::exponential, Width::one},
    Known{"Tweedie", Task::regression, Link::exponential, Width::one},
    // A mean and a variance, of which the mean is read.
    Known{"RMSEWithUncertainty", Task::regression, Link::identity, Width::several},
    Known{"MultiRMSE", Task::regression, Link::identity, Width::any},
    Known{"MultiRMSEWithMissingValues", Task::regression, Link::identity, Width::any},
    Known{"MultiQuantile", Task::regression, Link::identity, Width::any},
    Known{"QueryRMSE", Task::regression, Link::identity, Width::one},
    Known{"GroupQuantile", Task::regression, Link::identity, Width::one},
    Known{"QuerySoftMax", Task::regression, Link::identity, Width::one},
    Known{"PairLogit", Task::regression, Link::identity, Width::one},
    Known{"PairLogitPairwise", Task::regression, Link::identity, Width::one},
    Known{"YetiRank", Task::regression, Link::identity, Width::one},
    Known{"YetiRankPairwise", Task::regression, Link::identity, Width::one},
    Known{"LambdaMart", Task::regression, Link::identity, Width::one},
    Known{"StochasticRank", Task::regression, Link::identity, Width::one},
};

/// "Quantile:alpha=0.3", as it is given for training.
std::string name_with_parameters(const JsonField& loss) {
  std::string name = loss["type"].string();
  if (!loss.has("params")) return name;
  const JsonField parameters = loss["params"];
  char separator = ':';
  for (const std::string& key : parameters.keys()) {
    if (key.starts_with("__") || !parameters[key.c_str()].is_string()) continue;
    name += fmt::format("{}{}={}", separator, key, parameters[key.c_str()].string());
    separator = ';';
  }
  return name;
}

CatboostLoss checked(const JsonField& loss, std::size_t outputs) {
  const JsonField type = loss["type"];
  const std::string name = type.string();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Known& entry) { return entry.name == name; });
  if (found == known.end()) {
    refuse(type, fmt::format("the loss function {} is not supported", in_quotes(name)),
           "Boxwood reads models trained with " + listed_names(known));
  }
  if (found->width != Width::any && (outputs == 1) != (found->width == Width::one)) {
    type.fail(fmt::format("{} cannot have {} numbers in a leaf", name, outputs));
  }
  const bool mean_only = name == "RMSEWithUncertainty";
  if (mean_only && outputs != 2) type.fail(fmt::format("{} needs 2 numbers in a leaf", name));
  return {name_with_parameters(loss), found->task, found->link, mean_only};
}

std::string label_text(const JsonField& label) {
  if (label.is_string()) return label.string();
  if (label.is_boolean()) return label.boolean() ? "True" : "False";
  return number_text(label.number());
}

}  // namespace

CatboostLoss catboost_loss(const JsonField& info, std::size_t outputs) {
  if (info.has("params") && info["params"].has("loss_function")) {
    return checked(info["params"]["loss_function"], outputs);
  }
  if (!info.has("loss_function")) {
    refuse(info, "the loss function of the model is not recorded",
           "Save a model that CatBoost trained; a sum of models with different losses has no "
           "loss function");
  }
  // In a sum of models it is a string that contains JSON.
  const JsonField text = info["loss_function"];
  const nlohmann::json loss = parse_json(text.string(), text.where());
  return checked(JsonField(loss, text.where()), outputs);
}

std::vector<std::string> catboost_classes(const JsonField& info, std::size_t count) {
  std::vector<std::string> labels;
  const auto add_all = [&](const JsonField& list) {
    for (std::size_t i = 0; i < list.size(); ++i) labels.push_back(label_text(list[i]));
  };
  if (info.has("class_params")) {
    const JsonField classes = info["class_params"];
    if (classes.has("class_names")) add_all(classes["class_names"]);
    // With classes_count there may be classes without training data; the model has outputs only for
    // the other classes, in this order.
    const bool numbered = labels.empty() || labels.size() != count;
    if (numbered && classes.has("class_to_label")) {
      const JsonField numbers = classes["class_to_label"];
      std::vector<std::string> chosen;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::size_t number = catboost_index(numbers[i]);
        chosen.push_back(number < labels.size() ? labels[number] : std::to_string(number));
      }
      labels = std::move(chosen);
    }
    if (labels.size() != count) {
      classes.fail(fmt::format("{} labels for {} classes", labels.size(), count));
    }
    return labels;
  }
  if (info.has("params") && info["params"].has("data_processing_options") &&
      info["params"]["data_processing_options"].has("class_names")) {  // a sum of models
    add_all(info["params"]["data_processing_options"]["class_names"]);
  }
  if (labels.empty()) {
    for (std::size_t i = 0; i < count; ++i) labels.push_back(std::to_string(i));
  }
  return labels;
}

}  // namespace boxwood::readers
