// CatBoost's binary format: "CBM1", and then parts that each begin with their size. The first part
// is a FlatBuffer with trees, features and parameters. If it names a part "static_provider_v1", the
// number of statistics of categories follows, and each statistic as a FlatBuffer of its own.
// The content becomes the document that CatBoost writes as JSON, so that everything that holds for
// those files is checked in one place; catboost.cpp goes on with it.
#include "readers/catboost.hpp"
#include "readers/flatbuffer.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

namespace boxwood::readers {
namespace {

using nlohmann::json;

// The numbers of fields, in the order of CatBoost's schema.
namespace core {
enum Field : std::size_t { format, trees, info, parts };
}
namespace trees {
enum Field : std::size_t {
  outputs,
  splits,
  sizes,
  starts,
  categorical,
  numeric,
  one_hot,
  statistics,
  values,
  weights,
  steps,
  leaf_of_step,
  texts,
  estimated,
  scale,
  bias,
  biases,
  bins,
  embeddings
};
}
namespace numeric {
enum Field : std::size_t { has_nans, index, place, borders, name, treatment };
}
namespace categorical {
enum Field : std::size_t { index, place, name };
}
namespace one_hot {
enum Field : std::size_t { index, values };
}
namespace statistic {
enum Field : std::size_t { formula, borders };
}
namespace formula {
enum Field : std::size_t { base, target_border, prior, prior_weight, shift, scale };
}
namespace base {
enum Field : std::size_t { combination, kind };
}
namespace combination {
enum Field : std::size_t { categories, comparisons, equalities };
}
namespace table {
enum Field : std::size_t { base, buckets, counts, denominator, classes };
}

constexpr const char* statistic_kinds[] = {
    "Borders", "Buckets",    "BinarizedTargetMeanValue", "FloatTargetMeanValue",
    "Counter", "FeatureFreq"};
constexpr const char* treatments[] = {"AsIs", "AsFalse", "AsTrue"};

template <typename Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(Number));
  return number;
}

/// The parts of a file, one after the other.
class Parts {
 public:
  Parts(std::string_view bytes, std::string_view place) : bytes_(bytes), place_(place) {}

  std::uint64_t size() {
    constexpr auto longer = std::numeric_limits<std::uint32_t>::max();
    const std::uint64_t size = number_at<std::uint32_t>(next(4), 0);
    return size < longer ? size : number_at<std::uint64_t>(next(8), 0);
  }
  std::string_view next(std::uint64_t size) {
    if (size > bytes_.size() - at_) {
      throw Error(std::string(place_),
                  fmt::format("it ends at byte {} of {} and more", bytes_.size(), at_ + size),
                  "The file is damaged or cut off: save the model again");
    }
    const auto count = static_cast<std::size_t>(size);
    const std::string_view part = bytes_.substr(at_, count);
    at_ += count;
    return part;
  }

 private:
  std::string_view bytes_, place_;
  std::size_t at_ = 0;
};

template <std::size_t count>
const char* name_of_kind(const FlatTable& of, std::size_t kind, const char* const (&names)[count]) {
  if (kind >= count) of.fail(fmt::format("{} is not a number below {}", kind, count));
  return names[kind];
}

/// One split of the model, as trees of JSON files name it.
json split_json(std::size_t index, const char* type) {
  return {{"split_index", index}, {"split_type", type}};
}

class BinaryReader {
 public:
  BinaryReader(std::string_view bytes, std::string_view place)
      : place_(place), parts_(bytes, place) {
    parts_.next(4);  // "CBM1", as detect_format has seen
  }

  json read() {
    const FlatTable whole(parts_.next(parts_.size()), std::string(place_));
    if (whole.text(core::format) != "FlabuffersModel_v1") {
      whole.fail(fmt::format("the format \"{}\" is not supported", whole.text(core::format)));
    }
    read_info(whole);
    for (const std::string_view part : whole.texts(core::parts)) {
      if (part == "static_provider_v1") {
        read_tables();
      } else {
        document_["features_info"]["text_features"] = json::array();  // catboost_splits.cpp refuses
      }
    }
    const FlatTable model = whole.table(core::trees);
    read_features(model);
    read_scale(model);
    if (model.numbers<std::uint16_t>(trees::steps, 2).empty()) {
      read_oblivious(model);
    } else {
      read_nested(model);
    }
    return std::move(document_);
  }

 private:
  void read_info(const FlatTable& whole) {
    json info = json::object();
    for (const FlatTable& entry : whole.tables(core::info)) {
      const std::string key(entry.text(0));
      const std::string_view text = entry.text(1);
      if (!key.ends_with("params")) {
        info[key] = text;
      } else if (!text.empty()) {
        info[key] = parse_json(text, fmt::format("{}: model_info.{}", place_, key));
      }
    }
    document_["model_info"] = std::move(info);
  }

  static json elements_of(const FlatTable& base) {
    const FlatTable of = base.shared_table(base::combination);
    json elements = json::array();
    for (const auto feature : of.numbers<std::int32_t>(combination::categories)) {
      elements.push_back(
          {{"cat_feature_index", feature}, {"combination_element", "cat_feature_value"}});
    }
    const auto borders = of.numbers<std::int32_t>(combination::comparisons, 2);
    for (std::size_t i = 0; i < borders.size(); i += 2) {
      float border = 0;
      std::memcpy(&border, &borders[i + 1], sizeof border);
      elements.push_back({{"border", border},
                          {"combination_element", "float_feature"},
                          {"float_feature_index", borders[i]}});
    }
    const auto equalities = of.numbers<std::int32_t>(combination::equalities, 2);
    for (std::size_t i = 0; i < equalities.size(); i += 2) {
      elements.push_back({{"cat_feature_index", equalities[i]},
                          {"combination_element", "cat_feature_exact_value"},
                          {"value", equalities[i + 1]}});
    }
    return elements;
  }

  static const char* kind_of(const FlatTable& base) {
    return name_of_kind(base, base.number<std::uint8_t>(base::kind, 0), statistic_kinds);
  }

  static std::string identifier_of(const FlatTable& base) {
    return json{{"identifier", elements_of(base)}, {"type", kind_of(base)}}.dump();
  }

  /// The statistics. A bucket is a 64-bit key and the number of its counts.
  void read_tables() {
    json& tables = document_["ctr_data"];
    tables = json::object();
    const std::uint64_t count = parts_.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      const FlatTable one(parts_.next(parts_.size()), fmt::format("{}: statistic {}", place_, i));
      const FlatTable base = one.shared_table(table::base);
      const std::string kind = kind_of(base);
      const bool mean = kind.ends_with("MeanValue");
      const bool share = kind == "Counter" || kind == "FeatureFreq";
      const std::size_t numbers =
          mean ? 2
          : share
              ? 1
              : static_cast<std::size_t>(std::max(0, one.number<std::int32_t>(table::classes, 0)));
      const std::string_view buckets = one.raw(table::buckets), counts = one.raw(table::counts);
      constexpr std::size_t bucket_size = 12;
      if (buckets.size() % bucket_size != 0 || counts.size() % 4 != 0 || numbers == 0) {
        one.fail("its buckets do not have the size of buckets");
      }
      json map = json::array();
      std::size_t rows = 0;
      for (std::size_t at = 0; at < buckets.size(); at += bucket_size) {
        const auto key = number_at<std::uint64_t>(buckets, at);
        const std::size_t row = number_at<std::uint32_t>(buckets, at + 8);
        if (key == std::numeric_limits<std::uint64_t>::max()) continue;  // an empty bucket
        // Each row belongs to one bucket, so there are at most as many.
        const std::size_t all = counts.size() / 4 / numbers;
        if (++rows > all || row >= all) {
          one.fail(fmt::format("bucket {} has no counts of its own", at / bucket_size));
        }
        map.push_back(std::to_string(key));
        for (std::size_t k = 0; k < numbers; ++k) {
          const std::size_t place = 4 * (row * numbers + k);
          if (mean && k == 0) {
            map.push_back(number_at<float>(counts, place));
          } else {
            map.push_back(number_at<std::int32_t>(counts, place));
          }
        }
      }
      tables[identifier_of(base)] = {
          {"hash_map", std::move(map)},
          {"hash_stride", numbers + 1},
          {"counter_denominator", one.number<std::int32_t>(table::denominator, 0)}};
    }
  }

  /// Features, and the splits on them in the order in which trees number them: those on numbers, on
  /// single categories, on statistics.
  void read_features(const FlatTable& model) {
    json& info = document_["features_info"];
    if (!model.tables(trees::texts).empty() || !model.tables(trees::embeddings).empty() ||
        !model.tables(trees::estimated).empty()) {
      info["text_features"] = json::array();
    }
    json list = json::array();
    for (const FlatTable& one : model.tables(trees::numeric)) {
      const auto index = one.number<std::int32_t>(numeric::index, -1);
      json borders = json::array();
      for (const float border : one.numbers<float>(numeric::borders)) {
        borders.push_back(border);
        splits_.push_back(split_json(splits_.size(), "FloatFeature"));
        splits_.back()["float_feature_index"] = index;
        splits_.back()["border"] = border;
      }
      const std::size_t treatment = one.number<std::uint8_t>(numeric::treatment, 0);
      list.push_back({{"has_nans", one.flag(numeric::has_nans, false)},
                      {"feature_index", index},
                      {"flat_feature_index", one.number<std::int32_t>(numeric::place, -1)},
                      {"borders", std::move(borders)},
                      {"feature_id", one.text(numeric::name)},
                      {"nan_value_treatment", name_of_kind(one, treatment, treatments)}});
    }
    if (!list.empty()) info["float_features"] = std::move(list);
    read_categorical(model, info);
    json statistics = json::array();
    for (const FlatTable& one : model.tables(trees::statistics)) {
      const FlatTable how = one.shared_table(statistic::formula);
      const FlatTable base = how.shared_table(formula::base);
      json borders = json::array();
      for (const float border : one.numbers<float>(statistic::borders)) {
        borders.push_back(border);
        splits_.push_back(split_json(splits_.size(), "OnlineCtr"));
        splits_.back()["border"] = border;
      }
      statistics.push_back(
          {{"identifier", identifier_of(base)},
           {"elements", elements_of(base)},
           {"ctr_type", kind_of(base)},
           {"prior_numerator", how.number<float>(formula::prior, 0)},
           {"prior_denomerator", how.number<float>(formula::prior_weight, 1)},
           {"shift", how.number<float>(formula::shift, 0)},
           {"scale", how.number<float>(formula::scale, 1)},
           {"target_border_idx", how.number<std::int32_t>(formula::target_border, 0)},
           {"borders", std::move(borders)}});
    }
    if (!statistics.empty()) info["ctrs"] = std::move(statistics);
  }

  void read_categorical(const FlatTable& model, json& info) {
    std::map<std::int32_t, std::vector<std::int32_t>> values;
    for (const FlatTable& one : model.tables(trees::one_hot)) {
      const auto index = one.number<std::int32_t>(one_hot::index, -1);
      auto listed = one.numbers<std::int32_t>(one_hot::values);
      for (const std::int32_t value : listed) {
        splits_.push_back(split_json(splits_.size(), "OneHotFeature"));
        splits_.back()["cat_feature_index"] = index;
        splits_.back()["value"] = value;
      }
      if (!values.emplace(index, std::move(listed)).second) {
        one.fail(fmt::format("categorical feature {} is listed twice", index));
      }
    }
    json list = json::array();
    for (const FlatTable& one : model.tables(trees::categorical)) {
      const auto index = one.number<std::int32_t>(categorical::index, -1);
      json entry{{"feature_index", index},
                 {"flat_feature_index", one.number<std::int32_t>(categorical::place, -1)},
                 {"feature_id", one.text(categorical::name)}};
      if (auto found = values.extract(index)) entry["values"] = std::move(found.mapped());
      list.push_back(std::move(entry));
    }
    if (!values.empty()) model.fail("a list of categories belongs to no feature");
    if (!list.empty()) info["categorical_features"] = std::move(list);
  }

  void read_scale(const FlatTable& model) {
    outputs_ = static_cast<std::size_t>(std::max(1, model.number<std::int32_t>(trees::outputs, 0)));
    json bias = model.numbers<double>(trees::biases);
    if (bias.empty()) bias.push_back(model.number<double>(trees::bias, 0));
    document_["scale_and_bias"] = {model.number<double>(trees::scale, 1), std::move(bias)};
  }

  const json& split(const FlatTable& model, std::int32_t index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= splits_.size()) {
      model.fail(fmt::format("split {} does not exist; there are {}", index, splits_.size()));
    }
    return splits_[static_cast<std::size_t>(index)];
  }

  /// Trees with one split for each level: `splits` has those of all trees, `values` their leaves.
  void read_oblivious(const FlatTable& model) {
    const auto splits = model.numbers<std::int32_t>(trees::splits);
    const auto values = model.numbers<double>(trees::values);
    json list = json::array();
    std::size_t split_at = 0, value_at = 0;
    for (const std::int32_t depth : model.numbers<std::int32_t>(trees::sizes)) {
      constexpr std::int32_t deepest = 24;
      if (depth < 0 || depth > deepest) model.fail(fmt::format("a tree of {} levels", depth));
      const auto levels = static_cast<std::size_t>(depth);
      if (levels > splits.size() - split_at || outputs_ > (values.size() - value_at) >> levels) {
        model.fail(fmt::format("tree {} has no splits or leaves", list.size()));
      }
      const std::size_t leaves = outputs_ << levels;
      json own = json::array(), numbers = json::array();
      for (const std::size_t end = split_at + levels; split_at < end; ++split_at) {
        own.push_back(split(model, splits[split_at]));
      }
      for (const std::size_t end = value_at + leaves; value_at < end; ++value_at) {
        numbers.push_back(values[value_at]);
      }
      list.push_back({{"splits", std::move(own)}, {"leaf_values", std::move(numbers)}});
    }
    if (split_at != splits.size() || value_at != values.size()) {
      model.fail("there are splits or leaves that belong to no tree");
    }
    document_["oblivious_trees"] = std::move(list);
  }

  /// Other trees: a step has the distances to its children. A distance of 0 stands for the leaf of
  /// the step itself.
  void read_nested(const FlatTable& model) {
    const auto distances = model.numbers<std::uint16_t>(trees::steps, 2);
    const auto leaves = model.numbers<std::uint32_t>(trees::leaf_of_step);
    const auto splits = model.numbers<std::int32_t>(trees::splits);
    const auto values = model.numbers<double>(trees::values);
    const std::size_t count = distances.size() / 2;
    if (leaves.size() != count || splits.size() != count) {
      model.fail(fmt::format("{} steps have {} splits and {} leaves", count, splits.size(),
                             leaves.size()));
    }
    constexpr std::size_t deepest = 128;  // CatBoost itself goes to 16
    std::size_t taken = 0;
    const auto leaf = [&](std::size_t step) {
      const std::size_t first = leaves[step];
      taken += outputs_;  // a leaf belongs to one step, so there are at most as many
      if (first > values.size() || outputs_ > values.size() - first || taken > values.size()) {
        model.fail(fmt::format("step {} has no leaf", step));
      }
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = begin + static_cast<std::ptrdiff_t>(outputs_);
      return json{{"value", outputs_ == 1 ? json(*begin) : json(std::vector<double>(begin, end))}};
    };
    json list = json::array();
    std::size_t begin = 0;
    for (const std::int32_t size : model.numbers<std::int32_t>(trees::sizes)) {
      if (size < 1 || static_cast<std::size_t>(size) > count - begin) {
        model.fail(fmt::format("tree {} has no steps", list.size()));
      }
      // Children come after their parents, so the last steps are built first.
      std::vector<json> built(static_cast<std::size_t>(size));
      std::vector<std::size_t> depth(built.size(), 0);
      for (std::size_t i = built.size(); i-- > 0;) {
        const std::size_t step = begin + i;
        if (distances[2 * step] == 0 && distances[2 * step + 1] == 0) {
          built[i] = leaf(step);
          continue;
        }
        json one{{"split", split(model, splits[step])}};
        for (const std::size_t side : {0U, 1U}) {
          const std::size_t child = i + distances[2 * step + side];
          json& into = one[side == 0 ? "left" : "right"];
          if (child == i) {
            into = leaf(step);
          } else if (child < built.size() && !built[child].is_null() && depth[child] < deepest) {
            depth[i] = std::max(depth[i], depth[child] + 1);
            into = std::exchange(built[child], json());  // a step has one parent
          } else {
            model.fail(fmt::format("step {} has no child {}, or another step has it", step, child));
          }
        }
        built[i] = std::move(one);
      }
      list.push_back(std::move(built.front()));
      begin += built.size();
    }
    document_["trees"] = std::move(list);
  }

  std::string_view place_;
  Parts parts_;
  json document_ = json{{"features_info", json::object()}};
  std::vector<json> splits_;
  std::size_t outputs_ = 1;
};

}  // namespace

Ensemble read_catboost_binary(std::string_view bytes, std::string_view place,
                              const Rounds& rounds) {
  return read_catboost_document(BinaryReader(bytes, place).read(), place, rounds);
}

}  // namespace boxwood::readers
