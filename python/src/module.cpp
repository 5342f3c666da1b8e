// boxwood._core: the library's values and functions for Python. The package boxwood makes them
// pleasant; names and meaning are those of include/boxwood.
#include "at_exit.hpp"
#include "common.hpp"

#include <boxwood/version.hpp>

NB_MODULE(_core, module) {
  using namespace boxwood::python;
  module.doc() = "Boxwood's library: models, queries, searches. Use the package boxwood instead.";
  module.attr("__version__") = boxwood::version;
  bind_exit();
  bind_errors(module);
  bind_answer(module);
  bind_query(module);
  bind_ensemble(module);
  bind_model(module);
  bind_search(module);
  bind_analysis(module);
  bind_batch(module);
  bind_pictures(module);
  bind_render(module);
  bind_records(module);
}
