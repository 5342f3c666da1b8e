// boxwood::Error becomes boxwood.Error, with its place, reason and remedy; UnsupportedModel becomes
// boxwood.UnsupportedModelError.
#include "common.hpp"

namespace boxwood::python {

nb::object exception_of(const Error& error) {
  const nb::module_ errors = nb::module_::import_("boxwood.errors");
  if (dynamic_cast<const UnsupportedModel*>(&error) != nullptr) {
    return errors.attr("UnsupportedModelError")(error.reason(), error.remedy(), error.place());
  }
  return errors.attr("Error")(error.place(), error.reason(), error.remedy(), error.excerpt());
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const Error& error) {
      const nb::object instance = exception_of(error);
      PyErr_SetObject(instance.type().ptr(), instance.ptr());
    }
  });
}

}  // namespace boxwood::python
