#include "render/model_json.hpp"

#include "base/json_fields.hpp"
#include "base/text.hpp"
#include "model/kinds.hpp"
#include "query/query_names.hpp"
#include "render/json_parts.hpp"
#include "render/words.hpp"

namespace boxwood {
namespace {

Json codes_json(const Feature& feature, const FeatureSchema& meaning) {
  Json list = Json::array();
  for (const Category& category : feature.categories) {
    const auto code = static_cast<std::size_t>(category.code);
    const bool labelled = code < meaning.labels.size();
    list.push_back({{"code", category.code},
                    {"label", labelled ? visible(meaning.labels[code]) : visible(category.label)}});
  }
  if (!list.empty()) return list;
  for (std::size_t code = 0; code < meaning.labels.size(); ++code) {
    list.push_back({{"code", code}, {"label", visible(meaning.labels[code])}});
  }
  return list;
}

Json feature_json(const Feature& feature, const FeatureSchema& meaning, std::size_t cells) {
  return {{"name", meaning.name},
          {"title", title_of(meaning)},
          {"kind", name_of(kind_names, meaning.kind)},
          {"unit", visible(meaning.unit)},
          {"categories", codes_json(feature, meaning)},
          {"range", {number_json(meaning.range.lower), number_json(meaning.range.upper)}},
          {"step", meaning.step},
          {"fixed", meaning.fixed},
          {"direction", name_of(question_directions, meaning.direction)},
          {"weight", meaning.weight},
          {"scale", meaning.scale},
          {"cells", cells}};
}

Json group_json(const GroupSchema& group, const Schema& schema) {
  Json labels = Json::array();
  for (std::size_t i = 0; i < group.columns.size(); ++i) {
    labels.push_back(i < group.labels.size() ? visible(group.labels[i])
                                             : title_of(schema.features[group.columns[i]]));
  }
  return {{"title", visible(group.title)},
          {"columns", group.columns},
          {"labels", labels},
          {"weight", group.weight}};
}

}  // namespace

std::string model_json(const Ensemble& ensemble, const Schema& schema) {
  const std::vector<std::size_t> cells = cell_counts(ensemble);
  Json classes = Json::array();
  if (ensemble.task != Task::regression) {
    for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
      classes.push_back(class_words(ensemble, k));
    }
  }
  Json features = Json::array(), groups = Json::array();
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    features.push_back(feature_json(ensemble.features[i], schema.features[i], cells[i]));
  }
  for (const GroupSchema& group : schema.groups) groups.push_back(group_json(group, schema));
  return one_line({{"boxwood_model_facts", 1},
                   {"source", visible(ensemble.source)},
                   {"objective", visible(ensemble.objective)},
                   {"task", name_of(task_names, ensemble.task)},
                   {"probabilities", ensemble.has_probabilities()},
                   {"trees", ensemble.trees.size()},
                   {"depth", ensemble.depth()},
                   {"leaves", ensemble.leaf_count()},
                   {"classes", classes},
                   {"subject", visible(schema.subject)},
                   {"outcome", visible(schema.outcome)},
                   {"output_unit", visible(schema.output_unit)},
                   {"scaled", schema.scaled},
                   {"rules", schema.rules},
                   {"features", features},
                   {"groups", groups}});
}

std::string prediction_json(const Ensemble& ensemble, const Schema& schema,
                            std::span<const double> point, std::size_t row) {
  const std::vector<double> scores = ensemble.predict(point);
  const std::vector<double> outputs = ensemble.transform(scores);
  Json object = {{"row", row}};
  if (ensemble.task != Task::regression) {
    object["class"] = class_words(ensemble, ensemble.classify(scores));
  }
  object["output"] = numbers_json(outputs);
  if (ensemble.has_probabilities()) {
    Json probabilities = Json::array();
    for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
      probabilities.push_back(ensemble.probability(outputs, k));
    }
    object["probabilities"] = probabilities;
  }
  object["point"] = point_json(point);
  Json words = Json::array();
  for (std::size_t i = 0; i < point.size(); ++i) {
    words.push_back(value_text(schema.features[i], point[i], ensemble.input));
  }
  object["values"] = words;
  return one_line(object);
}

}  // namespace boxwood
