// Reads a path or bytes into an Ensemble: detects the format and calls its reader.
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "base/file.hpp"
#include "model/validate.hpp"
#include "readers/catboost.hpp"
#include "readers/detect.hpp"
#include "readers/lightgbm.hpp"
#include "readers/onnx.hpp"
#include "readers/xgboost.hpp"

#include <string>

namespace boxwood {

Ensemble read_model(const std::filesystem::path& file, const Rounds& rounds) {
  const std::string bytes = read_file(file, "Check the path of the model");
  return read_model_bytes(bytes, file.string(), rounds);
}

namespace {

Ensemble read_as(readers::Format format, std::string_view bytes, std::string_view place,
                 const Rounds& rounds) {
  using readers::Format;
  switch (format) {
    case Format::xgboost_json:
      return readers::read_xgboost(bytes, place, readers::Encoding::json, rounds);
    case Format::xgboost_ubjson:
      return readers::read_xgboost(bytes, place, readers::Encoding::ubjson, rounds);
    case Format::lightgbm_text:
      return readers::read_lightgbm(bytes, place, rounds);
    case Format::catboost_json:
      return readers::read_catboost(bytes, place, rounds);
    case Format::catboost_binary:
      return readers::read_catboost_binary(bytes, place, rounds);
    case Format::onnx:
      return readers::read_onnx(bytes, place, rounds);
    case Format::boxwood_json:
      break;
  }
  if (rounds.first || rounds.choice == Rounds::Choice::best) {
    throw Error(std::string(place), "Boxwood's own model files do not record rounds",
                "Choose the rounds when the original model is converted");
  }
  return ensemble_from_json(bytes, place);
}

}  // namespace

Ensemble read_model_bytes(std::string_view bytes, std::string_view place, const Rounds& rounds) {
  Ensemble ensemble = read_as(readers::detect_format(bytes, place), bytes, place, rounds);
  validate_within(ensemble, place);
  return ensemble;
}

}  // namespace boxwood
