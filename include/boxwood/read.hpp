// Model files of other libraries, told apart by content, not by suffix.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace boxwood {

/// Which boosting rounds count. `automatic` is what the library's own `predict` uses for that
/// file: up to the best iteration where scikit-learn's interface of XGBoost saved the model after
/// early stopping, every round otherwise.
struct Rounds {
  enum class Choice { automatic, all, best } choice = Choice::automatic;
  std::optional<std::size_t> first;  ///< just this many; overrides `choice`
};

/// The file is of another kind, or its model is sound but cannot be represented: gblinear, linear
/// trees, say.
class UnsupportedModel : public Error {
 public:
  using Error::Error;
};

/// Reads Boxwood's own JSON, XGBoost JSON or UBJSON, LightGBM text, CatBoost JSON or binary, or
/// ONNX. Throws Error with file and byte position, line or JSON path when the file is damaged, and
/// UnsupportedModel, which names the part.
Ensemble read_model(const std::filesystem::path& file, const Rounds& rounds = {});

/// The same from memory; `place` names the bytes in errors.
Ensemble read_model_bytes(std::string_view bytes, std::string_view place = "model",
                          const Rounds& rounds = {});

}  // namespace boxwood
