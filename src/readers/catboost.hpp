// CatBoost models saved with save_model, as JSON or in CatBoost's binary format, as an Ensemble.
// catboost_binary.cpp makes the JSON document of a binary file. catboost.cpp reads the whole,
// catboost_loss.cpp knows the losses and classes, catboost_splits.cpp the features and the splits
// on them, catboost_tables.cpp the statistics of categories, catboost_entries.cpp the combinations
// of categories that tables have entries for, catboost_trees.cpp the trees, and
// catboost_combinations.cpp trees with splits on combinations.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/read.hpp>

#include "base/json_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace boxwood::readers {

Ensemble read_catboost(std::string_view bytes, std::string_view place, const Rounds& rounds);
Ensemble read_catboost_binary(std::string_view bytes, std::string_view place, const Rounds& rounds);
Ensemble read_catboost_document(const nlohmann::json& document, std::string_view place,
                                const Rounds& rounds);

/// How CatBoost's classes transform the raw scores of a model.
struct CatboostLoss {
  std::string name;  ///< with its parameters: "Quantile:alpha=0.3"
  Task task = Task::regression;
  Link link = Link::identity;
  bool mean_only = false;  ///< of the two outputs only the first is read
};

/// `info` is the file's model_info. Throws Error for a loss that cannot be represented.
CatboostLoss catboost_loss(const JsonField& info, std::size_t outputs);

/// Labels of the classes that the model was trained on.
std::vector<std::string> catboost_classes(const JsonField& info, std::size_t count);

/// What a statistic (a CTR) is about: a category of a feature, whether a number exceeds a border,
/// or whether a category is a certain one. A feature is counted among those of its type.
struct CatboostElement {
  enum class Kind : std::uint8_t { category, above, equal };
  Kind kind = Kind::category;
  std::size_t feature = 0;
  float border = 0;        ///< of `above`
  std::uint32_t hash = 0;  ///< of `equal`
  bool operator==(const CatboostElement&) const = default;
};

/// A statistic of a category, or of a combination of features: its value for each key in its table
/// and for all others, computed in CatBoost's float32 arithmetic.
struct CatboostTable {
  std::vector<CatboostElement> elements;  ///< in the order in which they make a key
  std::unordered_map<std::uint64_t, float> values;
  float otherwise = 0;
  std::vector<float> borders;
  bool single() const { return elements.size() == 1; }
};

/// `field` is an entry of features_info.ctrs, `root` the whole file.
CatboostTable catboost_table(const JsonField& root, const JsonField& field);

/// A combination that has an entry in a table: for each element the hash of its category as a
/// signed number, or 1 or 0; and its value.
struct CatboostEntry {
  std::vector<std::int64_t> parts;
  float value = 0;
};

/// Finds the combinations that have the keys of a table, among those of the categories in `known`:
/// for each element of kind `category`, hashes of its feature. Combinations of other categories are
/// taken to have no entry.
struct CatboostEntries {
  std::vector<CatboostEntry> found;
  std::size_t unnamed = 0;  ///< keys that no combination has
  bool too_many = false;    ///< combinations to try; nothing was found then
};
CatboostEntries catboost_entries(const CatboostTable& table,
                                 const std::vector<std::vector<std::uint32_t>>& known);

/// Files identify a table by feature and kind, but a model can have several such tables for
/// different targets; CatBoost then overwrites all but the last one. Throws Error if this may have
/// happened.
void catboost_check_tables(const JsonField& root);

/// A comparison of one feature, or its category, as a part of a combination. The feature is counted
/// among all.
struct CatboostPart {
  CatboostElement::Kind kind = CatboostElement::Kind::category;
  std::int32_t feature = 0;
  double border = 0;           ///< of `above`
  bool missing_above = false;  ///< of `above`
  std::int32_t code = 0;       ///< of `equal`
};

/// The combinations that a split on a statistic of several features sends the other way than those
/// without an entry: for each of them one number for each part, a code, or 1 or 0.
struct CatboostCombinations {
  std::vector<CatboostPart> parts;
  std::vector<std::vector<std::int32_t>> apart;
};

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
  std::shared_ptr<const CatboostCombinations> combinations{};  ///< of several features
};

struct CatboostFeatures {
  std::vector<Feature> features;
  std::vector<CatboostSplit> splits;
};

CatboostFeatures catboost_features(const JsonField& root);

/// A tree of a file before it becomes an Ensemble's: splits, and for each leaf the index of its
/// first value. Step 0 is the root.
struct CatboostSteps {
  struct Step {
    const CatboostSplit* split = nullptr;  ///< null for a leaf
    std::size_t first = 0, second = 0;     ///< the steps of the two branches
    std::int32_t value = -1;
  };
  std::vector<Step> steps;
};

/// Makes nodes and sets of a tree with splits on combinations. Each such split becomes several
/// splits on its features. `codes` has the number of categories by feature, the last of them
/// standing for all others. False if `room`, the number of leaves that all such trees may have
/// together, is too small; it is reduced by those of this tree.
bool catboost_split_combinations(const CatboostSteps& steps, const std::vector<std::size_t>& codes,
                                 std::size_t& room, Tree& tree);

/// Limit on the leaves of all trees with splits on combinations.
inline constexpr std::size_t catboost_leaf_limit = 4'000'000;

/// Trees as the file has them, with `outputs` numbers in a leaf; `sign` is 1 or -1.
std::vector<Tree> catboost_trees(const JsonField& root, const CatboostFeatures& features,
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
