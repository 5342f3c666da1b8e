#include "readers/detect.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "base/bits.hpp"
#include "base/text.hpp"
#include "readers/document.hpp"
#include "readers/onnx_proto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace boxwood::readers {
namespace {

constexpr const char* readable =
    "Boxwood reads its own JSON, XGBoost's JSON and UBJSON, LightGBM's text, CatBoost's JSON and "
    "binary files, and ONNX";
constexpr const char* save_xgboost =
    "Load it with XGBoost and save it with save_model(\"model.json\") or \"model.ubj\"";
constexpr const char* from_dump =
    "Save the model with save_model instead of dump_model, or give the intercept in Python: "
    "boxwood.xgboost_from_dump(text, base_score=..., objective=...)";
constexpr const char* save_in_r =
    "Unpack a compressed model file first. In R, save the model itself with xgb.save or lgb.save";

struct Signature {
  std::string_view start;
  const char* what;
  const char* remedy;
};

constexpr Signature signatures[] = {
    {"binf", "a model in XGBoost's old binary format", save_xgboost},
    {"bs64", "a model in XGBoost's old binary format", save_xgboost},
    {"CONFIG-offset:", "a snapshot of XGBoost's memory, not a model file", save_xgboost},
    {"booster[", "a text dump by XGBoost's dump_model, which lacks the intercept", from_dump},
    {"\x1F\x8B", "compressed (gzip), as R's saveRDS does too", save_in_r},
    {"X\n", "perhaps an R object by saveRDS", save_in_r},
    {"RDX", "an R object by save", save_in_r},
    {"PK\x03\x04", "a ZIP archive",
     "If it is a MOJO file of H2O, convert it in Python: boxwood.save_model(\"model.zip\", "
     "\"model.json\"). Unpack other archives first"},
    {"<?xml", "XML, perhaps PMML, which only the Python package converts",
     "Convert it in Python: boxwood.save_model(\"model.pmml\", \"model.json\")"},
    {"<", "XML or HTML", readable},
};

std::string_view without_leading_space(std::string_view bytes) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  const auto first = bytes.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : bytes.substr(first);
}

std::int32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return bits_as<std::int32_t>(number);
}

/// The old binary format has no signature: it begins with the intercept as a float32, the number
/// of features, the number of classes and two flags.
bool looks_like_old_xgboost(std::string_view bytes) {
  if (bytes.size() < 136) return false;
  const auto intercept = bits_as<float>(little_endian(bytes, 0));
  const std::int32_t features = little_endian(bytes, 4);
  const std::int32_t classes = little_endian(bytes, 8);
  const auto flag = [&](std::size_t at) {
    return static_cast<std::uint32_t>(little_endian(bytes, at)) <= 1;
  };
  return std::isfinite(intercept) && features > 0 && classes >= 0 && classes < 1'000'000 &&
         flag(12) && flag(16);
}

Format detect_object(std::string_view bytes, std::string_view text, std::string_view place) {
  // In JSON the brace is followed by a quote, a brace or space; in UBJSON by the type of a length.
  constexpr std::string_view ubjson_next = "iUIlL$#N";
  const bool is_ubjson = text.size() > 1 && ubjson_next.find(text[1]) != std::string_view::npos;
  const Encoding encoding = is_ubjson ? Encoding::ubjson : Encoding::json;
  const auto is_decisive = [](std::string_view key) {
    return key == "learner" || key == "boxwood_model" || key == "tree_info" ||
           key == "features_info" || key == "ctr_data" || key == "oblivious_trees";
  };
  const std::vector<std::string> keys = outer_keys(bytes, encoding, is_decisive);
  const auto has = [&](std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  if (!is_ubjson && has("boxwood_model")) return Format::boxwood_json;
  if (has("tree_info")) {
    throw UnsupportedModel(std::string(place),
                           "this is a dump by LightGBM's dump_model, which is not supported",
                           "Save the model with save_model(\"model.txt\") instead of dump_model");
  }
  if (has("learner") || has("version")) {
    return is_ubjson ? Format::xgboost_ubjson : Format::xgboost_json;
  }
  if (has("Model") || has("Config")) {
    throw UnsupportedModel(std::string(place),
                           "this is a snapshot of XGBoost's memory, not a model file",
                           save_xgboost);
  }
  if (!is_ubjson && (has("features_info") || has("ctr_data") || has("oblivious_trees"))) {
    return Format::catboost_json;
  }
  // No known key: if the file is damaged, the parser reports the byte.
  load_document(bytes, place, encoding, [](std::string_view) { return KeyRule{.keep = false}; });
  std::string seen;
  for (std::size_t i = 0; i < std::min<std::size_t>(keys.size(), 5); ++i) {
    seen += (i == 0 ? "" : ", ") + in_quotes(keys[i]);
  }
  throw UnsupportedModel(std::string(place),
                         keys.empty() ? "this is an empty object, not a model"
                                      : fmt::format("this is {} without a model; its keys are {}",
                                                    is_ubjson ? "UBJSON" : "JSON", seen),
                         readable);
}

}  // namespace

Format detect_format(std::string_view bytes, std::string_view place) {
  const auto refuse = [&](std::string_view what, std::string_view remedy) {
    throw UnsupportedModel(std::string(place), fmt::format("this is {}", what),
                           std::string(remedy));
  };
  if (bytes.starts_with("CBM1")) return Format::catboost_binary;
  refuse_utf16(bytes, place);
  const std::string_view text = without_leading_space(bytes);
  if (text.starts_with('{')) return detect_object(bytes, text, place);
  if (text.starts_with("tree\nversion=") || text.starts_with("tree\r\nversion=")) {
    return Format::lightgbm_text;
  }
  const std::string save_again = "Save the model again, and check that the saving ended";
  if (bytes.empty()) throw Error(std::string(place), "the file is empty", save_again);
  if (text.empty()) {
    throw Error(std::string(place), "the file contains only whitespace", save_again);
  }
  for (const Signature& signature : signatures) {
    if (bytes.starts_with(signature.start)) refuse(signature.what, signature.remedy);
  }
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5) {
    refuse("a Python pickle; pickles can run arbitrary code when loaded and are not supported",
           "Load it in Python and write it with boxwood.save_model(model, \"model.json\")");
  }
  if (looks_like_onnx(bytes)) return Format::onnx;
  if (text.starts_with('[')) {
    refuse("a JSON list, perhaps a dump by XGBoost's dump_model, which lacks the intercept",
           from_dump);
  }
  if (looks_like_old_xgboost(bytes)) {
    refuse("probably a model in XGBoost's old binary format", save_xgboost);
  }
  refuse("not a supported model file", readable);
  return Format::xgboost_json;
}

}  // namespace boxwood::readers
