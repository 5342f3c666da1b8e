// The models that a query is about, and what their columns mean.
//
//   boxwood::ModelSet models = boxwood::make_model_set(
//       {boxwood::read_model("now.json"), boxwood::read_model("last_year.json")});
//   const boxwood::Prepared prepared(std::move(models));   // boxwood/explain.hpp
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/schema.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace boxwood {

/// One or more models that read the same columns. Requirements refer to them by index, query text
/// by index or name.
struct ModelSet {
  std::vector<Ensemble> ensembles;
  std::vector<std::string> names;  ///< one for each model; empty where a model has no unique name
  Schema schema;                   ///< what the columns mean, for all models
};

/// The models that are asked when every model is: all of them, but no isolation forest beside other
/// models, because it says whether a row is normal, not what is decided about it.
std::vector<std::size_t> deciding_models(std::span<const Ensemble> ensembles);

/// Checks that all models read the same columns: the same names in the same order, and the same
/// meaning of every number. Throws Error that names the model, as `names` has it, and the column.
void check_same_columns(std::span<const Ensemble* const> ensembles,
                        std::span<const std::string> names = {});

/// Checks the columns and gives the schema's class labels to models that have no labels of their
/// own. Without a schema, it is made of what the first model knows. Without names, the models are
/// called "model 1", "model 2", ….
ModelSet make_model_set(std::vector<Ensemble> ensembles, std::vector<std::string> names = {},
                        std::optional<Schema> schema = std::nullopt);

}  // namespace boxwood
