// Features and the splits that trees refer to by number: first those on numbers, feature by feature
// and border by border, then those on single categories, then those on statistics of categories.
// The categories of an Ensemble are codes, which are indices into a list of labels. The last code
// stands for all categories that the model does not know.
#include "readers/catboost.hpp"

#include <boxwood/error.hpp>

#include "base/bits.hpp"
#include "readers/catboost_hash.hpp"
#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace boxwood::readers {
namespace {

/// Limit on omitted features: CatBoost may omit features that no tree uses, but keeps their
/// indices.
constexpr std::size_t most_dropped = 65'536;

using Labels = std::unordered_map<std::uint32_t, std::string>;

struct Categorical {
  std::size_t index = 0;                        // among the categorical features
  std::size_t place = 0;                        // among all features
  std::vector<std::uint32_t> compared;          // hashes of single categories that splits ask for
  std::vector<std::uint32_t> listed;            // hashes of the categories that the data has
  std::map<std::uint32_t, std::int32_t> codes;  // of the categories that the model knows
};

std::vector<float> read_borders(const JsonField& field) {
  std::vector<float> borders;
  borders.reserve(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    const float border = catboost_float(field[i]);
    // CatBoost counts the borders below a value, which requires ascending borders.
    if (!borders.empty() && !(borders.back() < border))
      field[i].fail("borders must be in ascending order");
    borders.push_back(border);
  }
  return borders;
}

/// Category texts, which the file contains if it was saved with the training data (pool).
Labels read_labels(const JsonField& info) {
  Labels labels;
  if (!info.has("cat_features_hash")) return labels;
  const JsonField list = info["cat_features_hash"];
  if (list.is_null()) return labels;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonField entry = list[i];
    const double hash = entry["hash"].number();
    std::string text = entry["value"].string();
    if (static_cast<double>(catboost_category_hash(text)) != hash) {
      entry.fail(fmt::format("{} is not the hash of {}", hash, in_quotes(text)));
    }
    labels.insert_or_assign(static_cast<std::uint32_t>(hash), std::move(text));
  }
  return labels;
}

struct Numeric {
  std::int32_t place = 0;  // among all features
  float missing = 0;       // what stands for NaN
};

/// A table of one feature by category, or the combinations that a table of several has.
struct Statistic {
  CatboostTable table;
  std::map<std::uint32_t, float> of_category;
  std::vector<CatboostEntry> of_combination;
};

class Reader {
 public:
  explicit Reader(const JsonField& root)
      : root_(root), info_(root["features_info"]), labels_(read_labels(info_)) {}

  CatboostFeatures read() {
    read_places();
    if (info_.has("float_features")) read_numeric(info_["float_features"]);
    read_tables();
    collect_categories();
    for (Statistic& statistic : statistics_) {
      if (!statistic.table.single()) find_combinations(statistic);
    }
    for (const auto& [position, hashes] : known_) name_categories(categorical_[position], hashes);
    add_comparisons();
    for (const Statistic& statistic : statistics_) {
      if (statistic.table.single()) {
        add_splits_on_category(statistic);
      } else {
        add_splits_on_combination(statistic);
      }
    }
    return std::move(result_);
  }

 private:
  std::size_t place_of(const JsonField& entry) {
    const JsonField field = entry["flat_feature_index"];
    const std::size_t place = catboost_index(field);
    if (place >= places_) {
      field.fail(fmt::format("feature {} is out of range: at most {} features are possible", place,
                             places_));
    }
    if (taken_[place]) field.fail(fmt::format("feature {} is listed twice", place));
    taken_[place] = true;
    Feature& feature = result_.features[place];
    feature.name = name_in(entry);
    // CatBoost names columns without names by their numbers; use f0, f1, ... as other readers do.
    if (feature.name.empty() || numbered_) feature.name = fmt::format("f{}", place);
    return place;
  }

  static std::string name_in(const JsonField& entry) {
    std::string name;
    if (entry.has("feature_name")) name = entry["feature_name"].string();
    if (name.empty() && entry.has("feature_id")) name = entry["feature_id"].string();
    return name;
  }

  /// The number of features: the highest index plus one, within limits.
  void read_places() {
    std::size_t described = 0;
    std::size_t highest = 0;
    for (const char* list : {"float_features", "categorical_features"}) {
      if (!info_.has(list)) continue;
      const JsonField field = info_[list];
      for (std::size_t i = 0; i < field.size(); ++i, ++described) {
        const std::size_t place = catboost_index(field[i]["flat_feature_index"]);
        highest = std::max(highest, place + 1);
        const std::string name = name_in(field[i]);
        numbered_ = numbered_ && (name.empty() || name == std::to_string(place));
      }
    }
    for (const char* list : {"text_features", "embedding_features"}) {
      if (info_.has(list)) {
        refuse(info_[list], "text and embedding features are not supported",
               "Train with numeric and categorical features");
      }
    }
    places_ = std::min(highest, described + most_dropped);
    result_.features.resize(places_);
    taken_.assign(places_, false);
    for (std::size_t i = 0; i < places_; ++i) result_.features[i].name = fmt::format("f{}", i);
  }

  void read_numeric(const JsonField& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonField entry = list[i];
      const auto place = static_cast<std::int32_t>(place_of(entry));
      const std::string treatment = entry["nan_value_treatment"].string();
      float missing = std::numeric_limits<float>::quiet_NaN();
      if (treatment != "AsIs" && treatment != "AsFalse" && treatment != "AsTrue") {
        entry["nan_value_treatment"].fail(
            fmt::format("{} is not one of: AsIs, AsFalse, AsTrue", in_quotes(treatment)));
      }
      if (entry["has_nans"].boolean() && treatment == "AsTrue") {
        missing = std::numeric_limits<float>::infinity();
      }
      const std::size_t index = catboost_index(entry["feature_index"]);
      if (!numeric_.emplace(index, Numeric{place, missing}).second) {
        entry["feature_index"].fail(fmt::format("numeric feature {} is listed twice", index));
      }
      for (const float border : read_borders(entry["borders"])) {
        CatboostSplit split;
        split.type = "FloatFeature";
        split.among = static_cast<std::int32_t>(index);
        split.number = static_cast<double>(border);
        split.feature = place;
        split.missing_first = !(missing > border);
        result_.splits.push_back(std::move(split));
      }
    }
  }

  void read_tables() {
    if (info_.has("categorical_features")) {
      const JsonField list = info_["categorical_features"];
      for (std::size_t i = 0; i < list.size(); ++i) read_categorical(list[i]);
    }
    if (!info_.has("ctrs")) return;
    const JsonField list = info_["ctrs"];
    for (std::size_t i = 0; i < list.size(); ++i) {
      Statistic statistic{catboost_table(root_, list[i]), {}, {}};
      CatboostTable& table = statistic.table;
      table.borders = read_borders(list[i]["borders"]);
      for (const CatboostElement& element : table.elements) {
        const bool numeric = element.kind == CatboostElement::Kind::above;
        if (numeric ? numeric_.contains(element.feature) : position_.contains(element.feature)) {
          continue;
        }
        list[i]["elements"].fail(fmt::format("{} feature {} does not exist",
                                             numeric ? "numeric" : "categorical", element.feature));
      }
      if (table.single()) {
        for (const auto& [key, value] : table.values) {
          if (const auto category = catboost_category_of_key(key)) {
            statistic.of_category.emplace(*category, value);
          }
        }
      }
      statistics_.push_back(std::move(statistic));
    }
    catboost_check_tables(root_);
  }

  void read_categorical(const JsonField& entry) {
    Categorical feature;
    feature.index = catboost_index(entry["feature_index"]);
    feature.place = place_of(entry);
    result_.features[feature.place].kind = FeatureKind::categorical;
    if (entry.has("values")) {
      std::set<std::int32_t> seen;
      for (const std::int32_t value : entry["values"].int32s()) {
        feature.compared.push_back(bits_as<std::uint32_t>(value));
        if (!seen.insert(value).second) {
          entry["values"].fail(fmt::format("category {} is listed twice", value));
        }
      }
    }
    // CatBoost does not write this: the Python package adds the categories of the data, so that
    // categories that no split names have labels too.
    if (entry.has("categories")) {
      const JsonField texts = entry["categories"];
      for (std::size_t i = 0; i < texts.size(); ++i) {
        std::string text = texts[i].string();
        feature.listed.push_back(catboost_category_hash(text));
        labels_.insert_or_assign(feature.listed.back(), std::move(text));
      }
    }
    if (!position_.emplace(feature.index, categorical_.size()).second) {
      entry["feature_index"].fail(
          fmt::format("categorical feature {} is listed twice", feature.index));
    }
    categorical_.push_back(std::move(feature));
  }

  /// The categories that occur in splits or in the data get codes, in the order of their labels;
  /// one more code stands for all other categories. A feature that no split uses may have only that
  /// code.
  void collect_categories() {
    for (std::size_t i = 0; i < categorical_.size(); ++i) {
      const auto& [index, place, compared, listed, codes] = categorical_[i];
      known_[i].insert(compared.begin(), compared.end());
      known_[i].insert(listed.begin(), listed.end());
    }
    for (const Statistic& statistic : statistics_) {
      for (const CatboostElement& element : statistic.table.elements) {
        if (element.kind == CatboostElement::Kind::above) continue;
        auto& hashes = known_[position_.at(element.feature)];
        if (element.kind == CatboostElement::Kind::equal) hashes.insert(element.hash);
        for (const auto& [hash, value] : statistic.of_category) hashes.insert(hash);
      }
    }
    // Texts do not name their feature; if there is one categorical feature, all belong to it.
    if (categorical_.size() == 1) {
      for (const auto& [hash, label] : labels_) known_.begin()->second.insert(hash);
    }
  }

  /// Finds the combinations of a table among the known categories of its features. If these are not
  /// all, any text of the file may be a category of any feature.
  void find_combinations(Statistic& statistic) {
    const CatboostTable& table = statistic.table;
    const auto find = [&](bool all_texts) {
      std::vector<std::vector<std::uint32_t>> candidates;
      for (const CatboostElement& element : table.elements) {
        candidates.emplace_back();
        if (element.kind != CatboostElement::Kind::category) continue;
        std::set<std::uint32_t> hashes = known_[position_.at(element.feature)];
        if (all_texts) {
          for (const auto& [hash, label] : labels_) hashes.insert(hash);
        }
        candidates.back().assign(hashes.begin(), hashes.end());
      }
      return catboost_entries(table, candidates);
    };
    CatboostEntries entries = find(false);
    if (entries.unnamed > 0 && !entries.too_many && !labels_.empty()) entries = find(true);
    const JsonField place = info_["ctrs"];
    if (entries.too_many) {
      refuse(place, "a statistic of a combination of features has too many possible combinations",
             "Train with a smaller max_ctr_complexity, or merge rare categories");
    }
    if (entries.unnamed > 0) {
      refuse(place,
             fmt::format("{} of {} combinations in a statistic of several features are of "
                         "categories that the file does not name",
                         entries.unnamed, table.values.size()),
             "Save the model with the training data, save_model(..., format=\"json\", "
             "pool=pool), or give all training rows to the Explainer as data");
    }
    for (const CatboostEntry& entry : entries.found) {
      for (std::size_t i = 0; i < table.elements.size(); ++i) {
        if (table.elements[i].kind != CatboostElement::Kind::category) continue;
        known_[position_.at(table.elements[i].feature)].insert(
            static_cast<std::uint32_t>(entry.parts[i]));
      }
    }
    statistic.of_combination = std::move(entries.found);
  }

  /// A category without its code. An empty text is shown as a word unless that word is a category
  /// too.
  Category category_of(std::uint32_t hash) const {
    constexpr const char* empty = "(empty)";
    const auto label = labels_.find(hash);
    if (label != labels_.end() && !label->second.empty()) return {0, label->second};
    const bool taken = labels_.contains(catboost_category_hash(empty));
    if (label != labels_.end() && !taken) return {0, empty};
    return {0, fmt::format("#{}", hash), false, true};
  }

  void name_categories(Categorical& feature, const std::set<std::uint32_t>& hashes) {
    std::vector<std::pair<Category, std::uint32_t>> named;
    named.reserve(hashes.size());
    std::string other = "(other)";
    for (const std::uint32_t hash : hashes) {
      named.emplace_back(category_of(hash), hash);
      if (named.back().first.label == other) other = "(any other)";
    }
    std::sort(named.begin(), named.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first.label, a.second) < std::tie(b.first.label, b.second);
    });
    auto& categories = result_.features[feature.place].categories;
    for (auto& [category, hash] : named) {
      category.code = static_cast<std::int32_t>(categories.size());
      feature.codes.emplace(hash, category.code);
      categories.push_back(std::move(category));
    }
    categories.push_back({static_cast<std::int32_t>(categories.size()), std::move(other), true});
  }

  void add_comparisons() {
    for (const Categorical& feature : categorical_) {
      for (const std::uint32_t hash : feature.compared) {
        CatboostSplit split;
        split.type = "OneHotFeature";
        split.among = static_cast<std::int32_t>(feature.index);
        split.number = static_cast<double>(bits_as<std::int32_t>(hash));
        split.feature = static_cast<std::int32_t>(feature.place);
        split.apart = {feature.codes.at(hash)};
        split.apart_first = false;
        result_.splits.push_back(std::move(split));
      }
    }
  }

  void add_splits_on_category(const Statistic& statistic) {
    const CatboostTable& table = statistic.table;
    const std::size_t index = table.elements.front().feature;
    const Categorical& feature = categorical_[position_.at(index)];
    for (const float border : table.borders) {
      CatboostSplit split = split_on_statistic(table, border);
      split.among = static_cast<std::int32_t>(index);
      split.feature = static_cast<std::int32_t>(feature.place);
      for (const auto& [hash, value] : statistic.of_category) {
        if ((value > border) != split.apart_first) split.apart.push_back(feature.codes.at(hash));
      }
      std::sort(split.apart.begin(), split.apart.end());
      count_in_sets(split.apart.size());
      result_.splits.push_back(std::move(split));
    }
  }

  /// Combinations without an entry take the second branch if their value exceeds the border.
  /// `apart` has the combinations that then take the first branch, and the other way round.
  static CatboostSplit split_on_statistic(const CatboostTable& table, float border) {
    CatboostSplit split;
    split.type = "OnlineCtr";
    split.number = static_cast<double>(border);
    split.apart_first = table.otherwise > border;
    return split;
  }

  void count_in_sets(std::size_t more) {
    in_sets_ += more;
    if (in_sets_ > catboost_set_limit) catboost_fail_at_set_limit(info_["ctrs"]);
  }

  void add_splits_on_combination(const Statistic& statistic) {
    const CatboostTable& table = statistic.table;
    std::vector<CatboostPart> parts;
    for (const CatboostElement& element : table.elements) {
      CatboostPart part;
      part.kind = element.kind;
      if (element.kind == CatboostElement::Kind::above) {
        const Numeric& feature = numeric_.at(element.feature);
        part.feature = feature.place;
        part.border = static_cast<double>(element.border);
        part.missing_above = feature.missing > element.border;
      } else {
        const Categorical& feature = categorical_[position_.at(element.feature)];
        part.feature = static_cast<std::int32_t>(feature.place);
        if (element.kind == CatboostElement::Kind::equal)
          part.code = feature.codes.at(element.hash);
      }
      parts.push_back(part);
    }
    for (const float border : table.borders) {
      CatboostSplit split = split_on_statistic(table, border);
      auto combinations = std::make_shared<CatboostCombinations>();
      combinations->parts = parts;
      for (const CatboostEntry& entry : statistic.of_combination) {
        if ((entry.value > border) == split.apart_first) continue;
        std::vector<std::int32_t> apart;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const std::int64_t value = entry.parts[i];
          apart.push_back(parts[i].kind == CatboostElement::Kind::category
                              ? codes_of(table.elements[i]).at(static_cast<std::uint32_t>(value))
                              : static_cast<std::int32_t>(value));
        }
        combinations->apart.push_back(std::move(apart));
      }
      count_in_sets(combinations->apart.size() * parts.size());
      split.combinations = std::move(combinations);
      result_.splits.push_back(std::move(split));
    }
  }

  const std::map<std::uint32_t, std::int32_t>& codes_of(const CatboostElement& element) const {
    return categorical_[position_.at(element.feature)].codes;
  }

  const JsonField& root_;
  JsonField info_;
  Labels labels_;
  std::vector<Categorical> categorical_;                  // in the file's order
  std::map<std::size_t, std::size_t> position_;           // there, by Categorical::index
  std::map<std::size_t, Numeric> numeric_;                // by their index among the numeric ones
  std::vector<Statistic> statistics_;                     // in the file's order
  std::map<std::size_t, std::set<std::uint32_t>> known_;  // hashes, by position in categorical_
  std::size_t places_ = 0;
  bool numbered_ = true;  // no column has a name of its own
  std::vector<bool> taken_;
  std::size_t in_sets_ = 0;
  CatboostFeatures result_;
};

}  // namespace

CatboostFeatures catboost_features(const JsonField& root) { return Reader(root).read(); }

}  // namespace boxwood::readers
