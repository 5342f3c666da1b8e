// XGBoost's objectives: which ones are read, and their arithmetic between intercept and margin.
#include "readers/xgboost.hpp"

#include "base/names.hpp"
#include "readers/refuse.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace boxwood::readers {
namespace {

using Intercept = XgboostObjective::Intercept;

struct Known {
  std::string_view name;
  XgboostObjective objective;
};

constexpr std::array known{
    Known{"binary:logistic", {Task::binary, Link::sigmoid, Intercept::logit}},
    Known{"binary:logitraw", {Task::binary, Link::identity, Intercept::as_it_is}},
    Known{"binary:hinge",
          {Task::binary, Link::winner, Intercept::as_it_is, Decision::score_above_zero}},
    Known{"multi:softmax", {Task::multiclass, Link::winner, Intercept::as_it_is}},
    Known{"multi:softprob", {Task::multiclass, Link::softmax, Intercept::as_it_is}},
    Known{"reg:squarederror", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"reg:logistic", {Task::regression, Link::sigmoid, Intercept::logit}},
    Known{"count:poisson", {Task::regression, Link::exponential, Intercept::log}},
    Known{"reg:gamma", {Task::regression, Link::exponential, Intercept::log}},
    Known{"reg:tweedie", {Task::regression, Link::exponential, Intercept::log}},
    Known{"reg:squaredlogerror", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"reg:absoluteerror", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"reg:pseudohubererror", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"reg:quantileerror", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"reg:expectileerror", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"rank:pairwise", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"rank:ndcg", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"rank:map", {Task::regression, Link::identity, Intercept::as_it_is}},
    Known{"survival:cox", {Task::regression, Link::exponential, Intercept::log}},
    Known{"survival:aft", {Task::regression, Link::exponential, Intercept::log}},
};

}  // namespace

XgboostObjective xgboost_objective(const Field& objective, std::size_t outputs,
                                   const XgboostVersion& version) {
  const Field name = objective["name"];
  const std::string& text = name.string();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Known& entry) { return entry.name == text; });
  if (found == known.end()) {
    refuse(name, fmt::format("objective {} is not supported", in_quotes(text)),
           "Boxwood reads models trained with " + listed_names(known));
  }
  XgboostObjective result = found->objective;
  if (result.task == Task::multiclass && outputs < 2) {
    name.fail(fmt::format("{} needs at least two classes, num_class is {}", text, outputs),
              "Train with binary:logistic");
  }
  if (result.task == Task::binary && outputs != 1) {
    if (result.link == Link::winner) {
      refuse(name,
             fmt::format("{} with {} targets (several labels at once) is not supported", text,
                         outputs),
             "Train one model for each label, or with binary:logistic");
    }
    result.task = Task::regression;  // several labels at once: a number for each, no classes
  }
  // A link applies to single scores; outputs that depend on each other cannot be represented.
  if (text == "reg:quantileerror" && outputs != 1 && version.at_least(3, 4)) {
    refuse(name,
           fmt::format("{} with {} quantiles is not supported: since 3.4 XGBoost sorts what it "
                       "predicts for them",
                       text, outputs),
           "Train one model for each quantile");
  }
  return result;
}

float xgboost_margin(float base_score, Intercept intercept, const XgboostVersion& version,
                     const Field& place) {
  float margin = base_score;
  switch (intercept) {
    case Intercept::as_it_is:
      break;
    case Intercept::logit: {
      float probability = base_score;
      if (version.at_least(3, 2)) {
        // Since 3.2 XGBoost allows 0 and 1 (training data of a single class) and moves them
        // inwards.
        constexpr float least = 1e-6F;
        if (!(probability >= 0.0F && probability <= 1.0F)) {
          place.fail(fmt::format("intercept {} is not a probability", probability));
        }
        probability = std::min(std::max(probability, least), 1.0F - least);
      } else if (!(probability > 0.0F && probability < 1.0F)) {
        place.fail(fmt::format("intercept {} is not between 0 and 1", probability));
      }
      margin = -std::log(1.0F / probability - 1.0F);
      break;
    }
    case Intercept::log:
      margin = std::log(base_score);
      break;
  }
  if (!std::isfinite(margin)) {
    place.fail(fmt::format("intercept {} has no finite margin", base_score));
  }
  return margin;
}

}  // namespace boxwood::readers
