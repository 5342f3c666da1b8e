// What the files of the extension share: nanobind's parts, the model, and the options of a search.
// The extension binds public headers alone and adds nothing but what Python needs: the GIL,
// signals, callbacks and arrays.
#pragma once

#include <boxwood/boxwood.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace boxwood::python {

namespace nb = nanobind;
using namespace nb::literals;

using Points = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Point = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Models that are asked together, what their columns mean, and everything that is prepared once.
/// It never changes.
struct Model {
  Model(std::vector<Ensemble> given, const std::string& schema_text,
        std::vector<std::string> called);

  const std::vector<Ensemble>& ensembles() const { return prepared.models().ensembles; }
  const std::vector<std::string>& names() const { return prepared.models().names; }
  const Schema& schema() const { return prepared.models().schema; }

  Prepared prepared;
};

/// The regions of some rows, for many queries.
struct LiveRows {
  std::shared_ptr<const LiveRegions> regions;
};

/// Options with everything that they refer to.
struct SearchOptions {
  Options values;
  std::vector<std::vector<double>> examples;
  nb::object progress;  ///< called with a Progress; False stops the search
};

inline std::vector<double> vector_of(const Point& point) {
  return {point.data(), point.data() + point.size()};
}

/// A numpy array that owns its numbers.
template <typename Number, std::size_t dimensions>
auto array_of(std::vector<Number> numbers, const std::size_t (&shape)[dimensions]) {
  auto* owned = new std::vector<Number>(std::move(numbers));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  return nb::ndarray<nb::numpy, Number, nb::ndim<dimensions>>(owned->data(), dimensions, shape,
                                                              owner);
}

/// The Python exception for an error of the library's.
nb::object exception_of(const Error& error);

void bind_errors(nb::module_& module);
void bind_ensemble(nb::module_& module);
void bind_model(nb::module_& module);
void bind_query(nb::module_& module);
void bind_answer(nb::module_& module);
void bind_search(nb::module_& module);
void bind_analysis(nb::module_& module);
void bind_batch(nb::module_& module);
void bind_pictures(nb::module_& module);
void bind_records(nb::module_& module);
void bind_render(nb::module_& module);

}  // namespace boxwood::python
