// Statistics of categories (CatBoost calls them CTRs): the file holds counts of the training data
// for each category, from which CatBoost computes a number when it predicts.
#include "readers/catboost.hpp"

#include <boxwood/error.hpp>

#include "base/bits.hpp"
#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

namespace boxwood::readers {
namespace {

/// The kinds of tables, by what they count:
///   borders  of the classes above one of them, and of all
///   buckets  of one class, and of all
///   share    of the category, and a number for all of them
///   mean     a sum of targets, and how many they are
enum class Kind : std::uint8_t { borders, buckets, share, mean };

constexpr std::array kinds{
    std::pair{"Borders", Kind::borders},
    std::pair{"Buckets", Kind::buckets},
    std::pair{"Counter", Kind::share},
    std::pair{"FeatureFreq", Kind::share},
    std::pair{"BinarizedTargetMeanValue", Kind::mean},
    std::pair{"FloatTargetMeanValue", Kind::mean},
};

struct Formula {
  Kind kind = Kind::borders;
  std::size_t target_border = 0;
  float prior = 0;
  float prior_weight = 1;
  float shift = 0;
  float scale = 1;
  float denominator = 0;  // of Kind::share

  /// CatBoost's float32 operations, in its order.
  float value(float part, float whole) const {
    const float ratio = (part + prior) / (whole + prior_weight);
    return (ratio + shift) * scale;
  }
  float otherwise() const { return value(0, kind == Kind::share ? denominator : 0.0F); }
};

constexpr std::array element_kinds{
    std::pair{"cat_feature_value", CatboostElement::Kind::category},
    std::pair{"float_feature", CatboostElement::Kind::above},
    std::pair{"cat_feature_exact_value", CatboostElement::Kind::equal},
};

/// CatBoost makes keys of the categories first, then of comparisons of numbers, then of those of
/// categories, and writes them in this order.
std::vector<CatboostElement> read_elements(const JsonField& list) {
  constexpr std::size_t most = 32;
  std::vector<CatboostElement> elements;
  if (list.size() == 0 || list.size() > most) {
    list.fail(fmt::format("{} elements; a statistic has 1 to {}", list.size(), most));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonField entry = list[i];
    CatboostElement element;
    element.kind = entry["combination_element"].choice(element_kinds);
    const bool numeric = element.kind == CatboostElement::Kind::above;
    element.feature = catboost_index(entry[numeric ? "float_feature_index" : "cat_feature_index"]);
    if (numeric) element.border = catboost_float(entry["border"]);
    if (element.kind == CatboostElement::Kind::equal) {
      element.hash = bits_as<std::uint32_t>(entry["value"].int32());
    }
    if (!elements.empty() && element.kind < elements.back().kind) {
      entry.fail("categories, comparisons of numbers and single categories must be in this order");
    }
    elements.push_back(element);
  }
  if (elements.front().kind != CatboostElement::Kind::category) {
    list.fail("a statistic without a category");
  }
  return elements;
}

Formula read_formula(const JsonField& field) {
  Formula formula;
  formula.kind = field["ctr_type"].choice(kinds);
  formula.target_border = catboost_index(field["target_border_idx"]);
  formula.prior = catboost_float(field["prior_numerator"]);
  formula.prior_weight = catboost_float(field["prior_denomerator"]);
  formula.shift = catboost_float(field["shift"]);
  formula.scale = catboost_float(field["scale"]);
  return formula;
}

/// The table of a statistic. Its identifier describes its content.
JsonField find_table(const JsonField& root, const JsonField& field) {
  const JsonField identifier = field["identifier"];
  const std::string name = identifier.string();
  const nlohmann::json parsed = parse_json(name, identifier.where());
  const JsonField described(parsed, identifier.where());
  if (described["type"].string() != field["ctr_type"].string() ||
      read_elements(described["identifier"]) != read_elements(field["elements"])) {
    identifier.fail("it does not match the statistic that it belongs to");
  }
  return root["ctr_data"][name.c_str()];
}

std::uint64_t key_of(const JsonField& field) {
  const std::string text = field.string();
  std::uint64_t key = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), key);
  if (status != std::errc{} || end != text.data() + text.size()) {
    field.fail(fmt::format("{} is not a 64-bit integer", in_quotes(text)));
  }
  return key;
}

/// The number of values that follow a key.
std::size_t entry_size(const Formula& formula, const JsonField& stride_field) {
  const std::size_t stride = catboost_index(stride_field);
  const std::size_t least = formula.kind == Kind::share ? 2 : 3;
  const bool exact = formula.kind == Kind::share || formula.kind == Kind::mean;
  if (stride < least || (exact && stride != least)) {
    stride_field.fail(
        fmt::format("entries of {} values do not fit this kind of statistic", stride));
  }
  // Borders lie between the classes of the target.
  const std::size_t choices = formula.kind == Kind::borders   ? stride - 2
                              : formula.kind == Kind::buckets ? stride - 1
                                                              : formula.target_border + 1;
  if (formula.target_border >= choices) {
    stride_field.fail(fmt::format("target border {} does not exist; the table has {}",
                                  formula.target_border, choices));
  }
  return stride - 1;
}

float value_of(const Formula& formula, const JsonField& map, std::size_t first, std::size_t size) {
  switch (formula.kind) {
    case Kind::mean:
      return formula.value(catboost_float(map[first]), static_cast<float>(map[first + 1].int32()));
    case Kind::share:
      return formula.value(static_cast<float>(map[first].int32()), formula.denominator);
    case Kind::borders:
    case Kind::buckets:
      break;
  }
  std::int64_t part = 0;
  std::int64_t whole = 0;
  for (std::size_t c = 0; c < size; ++c) {
    const std::int32_t count = map[first + c].int32();
    whole += count;
    const bool counts =
        formula.kind == Kind::borders ? c > formula.target_border : c == formula.target_border;
    if (counts) part += count;
  }
  return formula.value(static_cast<float>(part), static_cast<float>(whole));
}

/// The remedy if statistics of one kind may count different targets, otherwise null.
const char* several_targets(const JsonField& info, const std::string& type, bool single) {
  if (!info.has("params") || !info["params"].has("cat_feature_params")) {
    return "Explain each of the summed models on its own";
  }
  const JsonField parameters = info["params"];
  if (parameters["loss_function"]["type"].string().starts_with("MultiRMSE")) {
    return "Train one model for each target, or with simple_ctr=\"Counter\"";
  }
  std::set<std::string> cuts;
  const auto collect = [&](const JsonField& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i]["ctr_type"].string() != type) continue;
      if (!entries[i].has("target_binarization")) continue;
      const JsonField how = entries[i]["target_binarization"];
      cuts.insert(fmt::format("{} {}", how["border_count"].int32(), how["border_type"].string()));
    }
  };
  const JsonField settings = parameters["cat_feature_params"];
  if (!single && settings.has("combinations_ctrs")) collect(settings["combinations_ctrs"]);
  if (single && settings.has("simple_ctrs")) collect(settings["simple_ctrs"]);
  if (single && settings.has("per_feature_ctrs")) {
    const JsonField features = settings["per_feature_ctrs"];
    for (const std::string& key : features.keys()) collect(features[key.c_str()]);
  }
  return cuts.size() <= 1 ? nullptr : "Train with one TargetBorderCount for each kind of CTR";
}

}  // namespace

CatboostTable catboost_table(const JsonField& root, const JsonField& field) {
  // CatBoost marks unused entries of its hash table with this key.
  constexpr std::uint64_t no_key = std::numeric_limits<std::uint64_t>::max();
  CatboostTable table;
  table.elements = read_elements(field["elements"]);
  Formula formula = read_formula(field);
  const JsonField entries = find_table(root, field);
  formula.denominator = static_cast<float>(entries["counter_denominator"].int32());
  const std::size_t size = entry_size(formula, entries["hash_stride"]);
  const JsonField map = entries["hash_map"];
  if (map.size() % (size + 1) != 0) {
    map.fail(fmt::format("{} values cannot be divided into entries of {}", map.size(), size + 1));
  }
  for (std::size_t i = 0; i < map.size(); i += size + 1) {
    const std::uint64_t key = key_of(map[i]);
    if (key == no_key) continue;
    const float value = value_of(formula, map, i + 1, size);
    if (!table.values.emplace(key, value).second) {
      map[i].fail(fmt::format("key {} has two entries", key));
    }
  }
  table.otherwise = formula.otherwise();
  return table;
}

void catboost_check_tables(const JsonField& root) {
  const JsonField list = root["features_info"]["ctrs"];
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string type = list[i]["ctr_type"].string();
    if (type == "Counter" || type == "FeatureFreq") continue;  // no target in these
    if (seen.insert(list[i]["identifier"].string()).second) continue;
    const char* remedy = several_targets(root["model_info"], type, list[i]["elements"].size() == 1);
    if (remedy == nullptr) continue;
    refuse(list[i], "several tables may share this identifier; the file keeps only one of them",
           remedy);
  }
}

}  // namespace boxwood::readers
