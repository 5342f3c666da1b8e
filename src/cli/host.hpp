// What a command gets from the process around it: the models that an earlier command of the same
// process has read, and a receiver of progress. The program runs one command; the page runs many
// about the same model.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/schema.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace boxwood::cli {

/// A model and what its columns mean; the schema's class labels are the model's.
struct Model {
  Ensemble ensemble;
  Schema schema;
};

struct Host {
  /// Receives the progress of searches. If empty, progress is a line on the terminal.
  std::function<void(const Progress&)> progress{};

  /// The last model that was read, and the last that was prepared, with the files and flags that
  /// they come from. These files must not change while the host exists.
  template <typename Value>
  struct Kept {
    std::vector<std::string> origin;
    Value value;
  };
  std::optional<Kept<Model>> model{};
  std::optional<Kept<Prepared>> prepared{};
};

}  // namespace boxwood::cli
