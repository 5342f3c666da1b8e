// From a path or bytes to an Ensemble: opens, looks what it is, and hands over to its reader.
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "base/file.hpp"
#include "model/validate.hpp"
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

Ensemble read_model_bytes(std::string_view bytes, std::string_view place, const Rounds& rounds) {
  const auto format = readers::detect_format(bytes, place);
  if (format == readers::Format::boxwood_json) {
    if (rounds.first || rounds.choice == Rounds::Choice::best) {
      throw Error(std::string(place), "Boxwood's own model files do not record rounds",
                  "Choose the rounds when the original model is converted");
    }
    return ensemble_from_json(bytes, place);
  }
  if (format == readers::Format::onnx) {
    Ensemble ensemble = readers::read_onnx(bytes, place, rounds);
    validate_within(ensemble, place);
    return ensemble;
  }
  if (format == readers::Format::lightgbm_text) {
    Ensemble ensemble = readers::read_lightgbm(bytes, place, rounds);
    validate_within(ensemble, place);
    return ensemble;
  }
  const auto encoding = format == readers::Format::xgboost_ubjson ? readers::Encoding::ubjson
                                                                  : readers::Encoding::json;
  Ensemble ensemble = readers::read_xgboost(bytes, place, encoding, rounds);
  validate_within(ensemble, place);
  return ensemble;
}

}  // namespace boxwood
