// CatBoost models saved with save_model(format="json") as an Ensemble.
// catboost.cpp reads the whole, catboost_loss.cpp knows the losses and classes, catboost_splits.cpp
// the features and the splits on them, catboost_tables.cpp the statistics of categories, and
// catboost_trees.cpp the trees.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/read.hpp>

#include "base/json_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

Ensemble read_catboost(std::string_view bytes, std::string_view place, const Rounds& rounds);

/// How CatBoost's classes transform the raw scores of a model.
struct CatboostLoss {
  std::string name;  ///< with its parameters: "Quantile:alpha=0.3"
  Task task = Task::regression;
  Link link = Link::identity;
};

/// `info` is the file's model_info. Throws Error for a loss that cannot be represented.
CatboostLoss catboost_loss(const JsonField& info, std::size_t outputs);

/// Labels of the classes that the model was trained on.
std::vector<std::string> catboost_classes(const JsonField& info, std::size_t count);

/// The value of a statistic of a categorical feature (a CTR) for each category in its table and for
/// all other categories, computed in CatBoost's float32 arithmetic.
struct CatboostTable {
  std::size_t feature = 0;  ///< counted among the categorical ones
  std::map<std::uint32_t, float> values;
  float otherwise = 0;
  std::vector<float> borders;
};

/// `field` is an entry of features_info.ctrs, `root` the whole file.
CatboostTable catboost_table(const JsonField& root, const JsonField& field);

/// Files identify a table by feature and kind, but a model can have several such tables for
/// different targets; CatBoost then overwrites all but the last one. Throws Error if this may have
/// happened.
void catboost_check_tables(const JsonField& root);

/// A split, which trees refer to by number. In the number of a leaf the digit 0 stands for its
/// first branch and 1 for its second.
struct CatboostSplit {
  std::string_view type;   ///< CatBoost's word: "FloatFeature", "OneHotFeature", "OnlineCtr"
  std::int32_t among = 0;  ///< the feature, counted among those of its type
  double number = 0;       ///< the border, or the hash as a signed number
  std::int32_t feature = 0;
  bool missing_first = true;  ///< numeric: where NaN goes
  std::vector<std::int32_t>
      apart;                 ///< categorical: codes that take the other branch than unknown ones
  bool apart_first = false;  ///< whether these take the first branch
};

struct CatboostFeatures {
  std::vector<Feature> features;
  std::vector<CatboostSplit> splits;
};

CatboostFeatures catboost_features(const JsonField& root);

/// Trees as the file has them, with `outputs` numbers in a leaf; `sign` is 1 or -1.
std::vector<Tree> catboost_trees(const JsonField& root, const std::vector<CatboostSplit>& splits,
                                 std::size_t outputs, std::size_t count, double sign);

/// The list of trees: "oblivious_trees" or "trees".
JsonField catboost_tree_list(const JsonField& root);
/// The number of values of the first leaf; 0 if there are no trees.
std::size_t catboost_output_count(const JsonField& root);

/// Limit on the categories in all sets together: the product of splits and categories can be much
/// larger than the file.
inline constexpr std::size_t catboost_set_limit = std::size_t{1} << 27;
[[noreturn]] void catboost_fail_at_set_limit(const JsonField& field);

/// CatBoost writes null for a list without entries.
std::size_t catboost_length(const JsonField& list);
/// An integer >= 0.
std::size_t catboost_index(const JsonField& field);
/// A number that the library holds as float32.
float catboost_float(const JsonField& field);

}  // namespace boxwood::readers
